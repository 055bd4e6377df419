package rules_test

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"sluice/pipeline/check"
)

// TestLinks demands that each relative link of a Markdown page leads to a file of the repository,
// and each anchor to a heading: a reader of documentation follows a link once, and does not come
// back to a page that sent him nowhere.
func TestLinks(t *testing.T) {
	t.Parallel()
	pages := map[string]string{}
	walk(t, func(name string, text []byte) {
		if path.Ext(name) == ".md" {
			pages[name] = string(text)
		}
	})
	check.FatalIf(t, len(pages) < 20, "%d pages found: the walk is wrong", len(pages))
	dir := root(t)
	exists := func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name)))
		return err == nil
	}
	for name := range pages {
		for _, broken := range brokenLinks(name, pages, exists) {
			t.Error(broken)
		}
	}
}

// TestLinksBite shows one page of each kind of mistake to the rule.
func TestLinksBite(t *testing.T) {
	t.Parallel()
	const other = "# Two words: `code`, and more\n\n```sh\n# no heading\n```\n\n## Again\n\n## Again\n"
	for text, want := range map[string]int{
		"[a](b.md), [a](b.md#two-words-code-and-more), [a](b.md#again-1), [a](https://example.org/c.md), [a](#here)\n\n## Here": 0,
		"[a](c.md)": 1, "[a](b.md#no-heading)": 1, "[a](b.md#again-2)": 1, "![a](c.svg)": 1, "[a](#there)\n\n## Here": 1, `<img src="c.svg">`: 1,
		"[a](../x.md)":                     1, // outside of the repository
		"```\n[a](c.md)\n```\n`[a](c.md)`": 0,
	} {
		pages := map[string]string{"docs/a.md": text, "docs/b.md": other}
		exists := func(name string) bool { return name == "docs/a.md" || name == "docs/b.md" }
		broken := brokenLinks("docs/a.md", pages, exists)
		check.ErrorIf(t, len(broken) != want, "%s: found %q, want %d", text, broken, want)
	}
}

var (
	// link is what follows a bracket, or the source of a picture.
	link = regexp.MustCompile(`\]\(([^)\s]+)[^)]*\)|(?:src|srcset|href)="([^"]+)"`)
	// fenced and span are code, in which a link is an example.
	fenced = regexp.MustCompile("(?ms)^ *```.*?^ *```")
	span   = regexp.MustCompile("`[^`\n]*`")
	// scheme begins an address elsewhere.
	scheme = regexp.MustCompile(`^[a-z]+:`)
)

// brokenLinks are the relative links of a page that lead nowhere.
func brokenLinks(name string, pages map[string]string, exists func(name string) bool) []string {
	var broken []string
	text := span.ReplaceAllString(fenced.ReplaceAllString(pages[name], ""), "")
	for _, found := range link.FindAllStringSubmatch(text, -1) {
		target := found[1] + found[2]
		if scheme.MatchString(target) {
			continue
		}
		file, anchor, _ := strings.Cut(target, "#")
		at := name
		if file != "" {
			at = path.Join(path.Dir(name), file)
		}
		switch {
		case !exists(at):
			broken = append(broken, fmt.Sprintf("%s: %s leads to no file", name, target))
		case anchor != "" && !slices.Contains(anchors(pages[at]), anchor):
			broken = append(broken, fmt.Sprintf("%s: %s leads to no heading", name, target))
		}
	}
	return broken
}

// anchors are the headings of a page as GitHub names them: small letters, digits, hyphens, and a
// number for one that comes again.
func anchors(page string) []string {
	var names []string
	seen := map[string]int{}
	for line := range strings.Lines(fenced.ReplaceAllString(page, "")) {
		title := strings.TrimLeft(line, "#")
		if len(title) == len(line) || !strings.HasPrefix(title, " ") {
			continue
		}
		name := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, strings.TrimSpace(title))
		if n := seen[name]; n > 0 {
			names = append(names, fmt.Sprintf("%s-%d", name, n))
		} else {
			names = append(names, name)
		}
		seen[name]++
	}
	return names
}

// cited is a decision that a source names. A name beside the number keeps a renumbering from
// leading to another page.
var cited = regexp.MustCompile(`docs/decisions/(\d{4}[\w-]*)`)

// TestCitedDecisions demands that each decision that a source names is a page.
func TestCitedDecisions(t *testing.T) {
	t.Parallel()
	dir := root(t)
	found := 0
	walk(t, func(name string, text []byte) {
		if !slices.Contains([]string{".go", ".sql", ".yaml", ""}, path.Ext(name)) {
			return
		}
		for _, citation := range cited.FindAllSubmatch(text, -1) {
			found++
			if _, err := os.Stat(filepath.Join(dir, "docs", "decisions", string(citation[1])+".md")); err != nil {
				t.Errorf("%s: docs/decisions/%s is no page", name, citation[1])
			}
		}
	})
	check.FatalIf(t, found < 20, "%d citations found: the walk is wrong", found)
}
