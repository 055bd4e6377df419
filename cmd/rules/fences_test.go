package rules_test

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sluice/pipeline/check"
)

// foreignFence marks a fence of another program: it has to be well-formed, and nothing else is known of
// it.
const foreignFence = "other"

// fence is a block of code of a Markdown page.
type fence struct {
	page string
	// line is the number of its first line of code.
	line int
	// language and marker are the words behind the three backticks: ```yaml values.
	language, marker string
	// code is without the indentation of the fence.
	code string
}

var fences = regexp.MustCompile("(?ms)^( *)```([a-z]*) *([^\n]*)\n(.*?)^ *```[ ]*$")

// fencesIn returns the fences of a page.
func fencesIn(page, text string) []fence {
	var found []fence
	for _, at := range fences.FindAllStringSubmatchIndex(text, -1) {
		part := func(i int) string { return text[at[2*i]:at[2*i+1]] }
		var code strings.Builder
		for line := range strings.Lines(part(4)) {
			code.WriteString(strings.TrimPrefix(line, part(1)))
		}
		found = append(found, fence{page, 1 + strings.Count(text[:at[8]], "\n"), part(2), part(3), code.String()})
	}
	return found
}

// fencesOf returns the fences of all pages in one of the languages, and fails if there are fewer
// than least.
func fencesOf(t *testing.T, least int, languages ...string) []fence {
	t.Helper()
	var found []fence
	walk(t, func(name string, text []byte) {
		if path.Ext(name) != ".md" {
			return
		}
		for _, f := range fencesIn(name, string(text)) {
			if slices.Contains(languages, f.language) {
				found = append(found, f)
			}
		}
	})
	check.FatalIf(t, len(found) < least, "%d fences of %v found, want at least %d: the walk is wrong", len(found), languages, least)
	return found
}

// TestFencesAreFound: a fence that the finder misses is read by no test.
func TestFencesAreFound(t *testing.T) {
	t.Parallel()
	const text = "```text\n`a`\n```\n\n1. One:\n\n   ```go\n   if a {\n   \tb()\n   }\n   ```\n\n```yaml values\na: 1\n```\n"
	want := []fence{
		{"a.md", 2, "text", "", "`a`\n"}, {"a.md", 8, "go", "", "if a {\n\tb()\n}\n"}, {"a.md", 14, "yaml", "values", "a: 1\n"},
	}
	got := fencesIn("a.md", text)
	check.ErrorIf(t, !slices.Equal(got, want), "found %+v, want %+v", got, want)
}
