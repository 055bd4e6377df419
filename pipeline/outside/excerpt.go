package outside

import (
	"regexp"
	"strings"
)

// excerpts finds what Excerpt marked.
var excerpts = regexp.MustCompile("‹[^›]*›")

// Excerpt marks a text as a part of an answer. It may be of a person, who can be erased from the
// database and not from a log.
func Excerpt(text Text) Text {
	return "‹" + Text(strings.NewReplacer("‹", "<", "›", ">").Replace(string(text))) + "›"
}

// WithoutExcerpts returns a text for a log.
func WithoutExcerpts(text string) string {
	if !strings.Contains(text, "‹") {
		return text
	}
	return excerpts.ReplaceAllString(text, "‹not logged: see sluice runs›")
}
