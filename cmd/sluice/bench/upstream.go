package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// sandbox is a sandbox in a process of its own, as the command describes itself
// with --json.
type sandbox struct {
	URL          string `json:"url"`
	Organization string `json:"organization_id"`
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
	RefreshToken string `json:"refresh_token"`

	process *exec.Cmd
}

// upstream starts a company of so many records, over all resources.
func (s *stage) upstream(ctx context.Context, records int) (*sandbox, error) {
	cmd := exec.CommandContext(ctx, s.program, "sandbox", "--listen", "127.0.0.1:0", "--no-limits", "--json", //nolint:gosec // the program under test
		"--records", strconv.Itoa(records))
	cmd.Stderr = s.log
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	said, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("prepare the sandbox: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the sandbox (make build builds %s): %w", s.program, err)
	}
	running := &sandbox{process: cmd}
	if err := json.NewDecoder(said).Decode(running); err != nil {
		return nil, errors.Join(fmt.Errorf("read where the sandbox listens: %w", err), running.stop())
	}
	return running, nil
}

func (u *sandbox) stop() error {
	if err := u.process.Process.Signal(syscall.SIGTERM); err != nil {
		return fmt.Errorf("end the sandbox: %w", err)
	}
	if err := u.process.Wait(); err != nil {
		return fmt.Errorf("the sandbox did not end well: %w", err)
	}
	return nil
}

// lists are the paths of the streams that can be measured.
//
//nolint:gochecknoglobals // constants
var lists = map[string]struct{ path, sort string }{
	"inventory.items": {path: "/inventory/v1/items"},
	"inventory.bills": {path: "/inventory/v1/bills", sort: "last_modified_time"},
}

// readAlone reads a list as often as sluice does, a connection a call, and throws
// it away: what HTTP and the sandbox take of the time, whoever reads.
func (u *sandbox) readAlone(ctx context.Context, stream string, passes int) (time.Duration, error) {
	// As sluice sets it up: a connection a call.
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true}, Timeout: time.Minute}
	token, err := u.token(ctx, client)
	if err != nil {
		return 0, err
	}
	query := url.Values{"organization_id": {u.Organization}, "per_page": {"200"}}
	if sort := lists[stream].sort; sort != "" {
		query.Set("sort_column", sort)
		query.Set("sort_order", "D")
	}
	began := time.Now()
	for range passes {
		for page, more := 1, true; more; page++ {
			query.Set("page", strconv.Itoa(page))
			request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.URL+lists[stream].path+"?"+query.Encode(), http.NoBody)
			if err != nil {
				return 0, fmt.Errorf("ask for a page: %w", err)
			}
			request.Header.Set("Authorization", "Svc-oauthtoken "+token)
			text, err := answer(client, request)
			if err != nil {
				return 0, err
			}
			// The page context is at the end; the records are of no interest.
			more = strings.Contains(text[max(0, len(text)-300):], `"has_more_page":true`)
		}
	}
	return time.Since(began), nil
}

func (u *sandbox) token(ctx context.Context, client *http.Client) (string, error) {
	// The parameters go into the query: document 1, "Authentication".
	query := url.Values{
		"grant_type": {"refresh_token"}, "refresh_token": {u.RefreshToken}, "client_id": {u.ClientID}, "client_secret": {u.ClientSecret},
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, u.URL+"/oauth/v2/token?"+query.Encode(), http.NoBody)
	if err != nil {
		return "", fmt.Errorf("ask for a token: %w", err)
	}
	text, err := answer(client, request)
	if err != nil {
		return "", err
	}
	var granted struct {
		Token string `json:"access_token"`
	}
	if err := json.Unmarshal([]byte(text), &granted); err != nil {
		return "", fmt.Errorf("read the token: %w", err)
	}
	if granted.Token == "" {
		return "", errors.New("the sandbox gave no token")
	}
	return granted.Token, nil
}

func answer(client *http.Client, request *http.Request) (_ string, err error) {
	response, err := client.Do(request)
	if err != nil {
		return "", fmt.Errorf("call the sandbox: %w", err)
	}
	defer func() { err = errors.Join(err, response.Body.Close()) }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return "", fmt.Errorf("read the sandbox's answer: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("the sandbox answered %s to %s", response.Status, request.URL.Path)
	}
	return string(text), nil
}
