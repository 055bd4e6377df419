package body

import (
	"crypto/sha256"
	"encoding/hex"

	"sluice/pipeline/outside"
)

const (
	excerptLength = 64
	hashLength    = 8
	// searched is how much of a body is searched for a secret. The part that is shown is scrubbed
	// in any case.
	searched = 64 << 10
)

// Excerpt describes an unexpected body for logs: content type, length, the start of its SHA-256 and
// its first 64 characters. Of a body that holds a secret it gives the length only.
func Excerpt(scrub *outside.Scrubber, contentType string, data []byte) outside.Text {
	start := string(data[:min(len(data), searched)])
	if scrub.Scrub(start) != start || scrub.Scrub(contentType) != contentType {
		return "a body of " + outside.Number(len(data)) + " bytes that holds a credential, withheld"
	}
	sum := sha256.Sum256(data)
	return `content type "` + scrub.Text(contentType, excerptLength) + `", ` + outside.Number(len(data)) + " bytes, sha256 " +
		scrub.Text(hex.EncodeToString(sum[:hashLength]), 2*hashLength) + ", begins " + scrub.Text(start, excerptLength)
}
