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

// Measure describes an unexpected body by its content type and its length alone: the columns that
// are left out of records may be in it.
func Measure(scrub *outside.Scrubber, contentType string, data []byte) outside.Text {
	return `content type "` + scrub.Text(contentType, excerptLength) + `", ` + outside.Number(len(data)) +
		" bytes, not shown because columns are left out of its records"
}

// Excerpt describes an unexpected body: content type, length, the start of its SHA-256 and its
// first 64 characters, which no log shows (outside.Excerpt). Of a body that holds a secret it gives
// the length only.
func Excerpt(scrub *outside.Scrubber, contentType string, data []byte) outside.Text {
	start := string(data[:min(len(data), searched)])
	if scrub.Scrub(start) != start || scrub.Scrub(contentType) != contentType {
		return "a body of " + outside.Number(len(data)) + " bytes that holds a credential, withheld"
	}
	sum := sha256.Sum256(data)
	return `content type "` + scrub.Text(contentType, excerptLength) + `", ` + outside.Number(len(data)) + " bytes, sha256 " +
		scrub.Text(hex.EncodeToString(sum[:hashLength]), 2*hashLength) + ", begins " + outside.Excerpt(scrub.Text(start, excerptLength))
}
