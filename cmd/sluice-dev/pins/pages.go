package pins

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"sluice/cmd/sluice-dev/harness"
)

// mostPages bounds the walk through the console: its tables of the dictionary have a page each.
const mostPages = 400

var (
	links  = regexp.MustCompile(`href="(/[^"#]*)"`)
	tags   = regexp.MustCompile(`(?s)<(script|style|svg)\b.*?</(script|style|svg)>|<[^>]*>`)
	alone  = regexp.MustCompile(`^(\d+|<(time|duration|digest)>.*)$`)
	blanks = regexp.MustCompile(`\s*\n\s*`)
)

// pages writes the text of each page that a walk through the console finds.
func (s *scenario) pages(ctx context.Context) error {
	listener, err := harness.FreeAddress(ctx)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	var stdout, stderr locked
	ended := make(chan int, 1)
	go func() { ended <- s.commandTo(ctx, s.config, &stdout, &stderr, "console", "--listen", listener) }()
	defer func() { cancel(); <-ended }()
	client := &http.Client{Timeout: 30 * time.Second}
	// At first the pages say that the database is being opened.
	listed := func(ctx context.Context) (bool, error) {
		body, _, err := get(ctx, client, "http://"+listener+"/")
		return err == nil && strings.Contains(body, "inventory.bills"), nil
	}
	if err := harness.Wait(ctx, patience, "the console shows no streams", listed); err != nil {
		return fmt.Errorf("%w\n%s", err, stderr.String())
	}
	kinds := map[string]int{}
	todo, seen := []string{"/"}, map[string]bool{"/": true}
	var texts []string
	for len(todo) > 0 && len(texts) < mostPages {
		path := todo[0]
		todo = todo[1:]
		body, status, err := get(ctx, client, "http://"+listener+path)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		for _, link := range links.FindAllStringSubmatch(body, -1) {
			address := strings.ReplaceAll(link[1], "&amp;", "&")
			if kind := kindOf(address); !seen[address] && kinds[kind] < 3 {
				kinds[kind]++
				seen[address] = true
				todo = append(todo, address)
			}
		}
		// Pages sort by the time of the last change, which differs between runs: compare sorted lines.
		lines := strings.Split(blanks.ReplaceAllString(string(mask([]byte(tags.ReplaceAllString(body, "\n")))), "\n"), "\n")
		lines = slices.DeleteFunc(lines, alone.MatchString)
		slices.Sort(lines)
		texts = append(texts, fmt.Sprintf("== %s %d\n%s\n", path, status, strings.Join(lines, "\n")))
	}
	slices.Sort(texts)
	return s.write("pages.txt", []byte(strings.Join(texts, "")))
}

// kindOf is the address with its variable parts left out: of each kind some pages are enough.
func kindOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	keys := make([]string, 0, len(u.Query()))
	for key := range u.Query() {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	parts := strings.Split(u.Path, "/")
	for i := 2; i < len(parts); i++ {
		if strings.ContainsAny(parts[i], "0123456789.") {
			parts[i] = "*"
		}
	}
	return strings.Join(parts, "/") + "?" + strings.Join(keys, "&")
}

func get(ctx context.Context, client *http.Client, address string) (string, int, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return "", 0, err
	}
	response, err := client.Do(r)
	if err != nil {
		return "", 0, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, 10<<20))
	return string(body), response.StatusCode, err
}
