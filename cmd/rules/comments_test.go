package rules_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// maxComment is the width at which comments wrap, a tab counted as four columns.
const maxComment = 100

// TestCommentsWrap demands one width, so that two versions of a comment differ in words only. What
// cannot be wrapped stays: lists, examples, and lines of one word.
func TestCommentsWrap(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"// " + strings.Repeat("word ", 20):         true,
		"\t// " + strings.Repeat("word ", 19):       true,
		"// " + strings.Repeat("word ", 19):         false,
		"//   - " + strings.Repeat("word ", 30):     false,
		"// " + strings.Repeat("x", 120):            false,
		"x() // " + strings.Repeat("word ", 30):     false,
		"//nolint:x // " + strings.Repeat("a ", 60): false,
	} {
		if tooWide(text) != want {
			t.Errorf("%q: want %t", text, want)
		}
	}
	walk(t, func(name string, text []byte) {
		if !strings.HasSuffix(name, ".go") || strings.HasPrefix(string(text), "// Code generated") {
			return
		}
		line := 0
		for l := range strings.Lines(string(text)) {
			line++
			if tooWide(l) {
				t.Errorf("%s:%d: the comment is wider than %d columns: wrap it", name, line, maxComment)
			}
		}
	})
}

// tooWide reports whether a line is prose of a comment that should be wrapped.
func tooWide(line string) bool {
	line = strings.TrimRight(line, " \n")
	prose, found := strings.CutPrefix(strings.TrimLeft(line, "\t"), "// ")
	return found && prose != "" && !strings.ContainsAny(prose[:1], " \t-*|#") && !unicode.IsDigit(rune(prose[0])) && strings.Contains(prose, " ") &&
		utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    ")) > maxComment
}
