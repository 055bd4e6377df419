package body

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

const (
	excerptLength = 64
	hashLength    = 8
)

// Excerpt describes a body that was not expected, for logs: content type, length,
// the start of its SHA-256 and its first 64 characters with all but plain ones
// replaced by dots. A body that holds one of the secrets is not shown at all.
func Excerpt(contentType string, data []byte, secrets ...string) string {
	sum := sha256.Sum256(data)
	text := fmt.Sprintf("content type %q, %d bytes, sha256 %s", Clean(contentType, excerptLength), len(data), hex.EncodeToString(sum[:hashLength]))
	for _, secret := range secrets {
		if secret != "" && strings.Contains(string(data)+contentType, secret) {
			return fmt.Sprintf("a body of %d bytes that holds a credential, withheld", len(data))
		}
	}
	return text + ", begins " + Clean(string(data[:min(len(data), excerptLength)]), excerptLength)
}

// Clean keeps the plain ASCII characters of a text and puts dots for the others,
// at most n of them: what comes from outside goes into errors only like this.
func Clean(text string, n int) string {
	out := make([]byte, 0, min(len(text), n))
	for i := 0; i < len(text) && len(out) < n; i++ {
		c := text[i]
		if c < ' ' || c > '~' {
			c = '.'
		}
		out = append(out, c)
	}
	return string(out)
}
