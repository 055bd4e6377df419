package endpoints

import (
	"mime"
	"strings"
)

// accepts reports whether the caller accepts a media type: chat answers 406 for a response type
// that it does not have (docs/upstream.md U69). A call without Accept accepts any.
func (c *Call) accepts(wanted string) bool {
	asked := strings.Join(c.Request.Header.Values("Accept"), ",")
	if strings.TrimSpace(asked) == "" {
		return true
	}
	family, _, _ := strings.Cut(wanted, "/")
	for one := range strings.SplitSeq(asked, ",") {
		kind, parameters, err := mime.ParseMediaType(one)
		if err != nil || strings.Trim(parameters["q"], "0.") == "" && parameters["q"] != "" {
			continue // unreadable, or declined by q=0
		}
		if kind == wanted || kind == family+"/*" || kind == "*/*" {
			return true
		}
	}
	return false
}
