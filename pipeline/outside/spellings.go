package outside

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
)

const (
	// run is how many characters of a secret in a row are looked for: fewer are no help to a
	// reader, and our own words would be among them.
	run = 12
	// shortest is the least that a secret has to have to be looked for at all.
	shortest = 8
)

// spellings returns the ways in which a secret is written: as it is, in hex, and in base64 of both
// alphabets wherever it stands in what was encoded. What percent signs and backslashes do to it is
// undone in the text (views.go), and large and small letters are the same.
func spellings(secret string) []string {
	found := []string{fold(secret), fold(strings.ToUpper(secret)), fold(strings.ToLower(secret)), hex.EncodeToString([]byte(secret))}
	if strings.Contains(secret, " ") {
		found = append(found, fold(strings.ReplaceAll(secret, " ", "+"))) // of a form, and of an address's query
	}
	const bits, group = 6, 3 // of a character of base64; its bytes come in groups of three
	for before := range group {
		padded := append(make([]byte, before), secret...)
		first, end := (before*8+bits-1)/bits, len(padded)*8/bits // those of the characters that nothing else has a part in
		for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			found = append(found, fold(alphabet.EncodeToString(padded)[first:end]))
		}
	}
	return found
}

// wordlike reports whether a secret is so short and plain that it may be a word of ours: to hide
// each of those would hide what the program says. A password of fewer than twelve letters is
// guessed anyway.
func wordlike(secret string) bool {
	return len(secret) < shortest || len(secret) < run && !strings.ContainsFunc(secret, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}

// fold makes the letters of ASCII small.
func fold(text string) string {
	out := []byte(text)
	for i, c := range out {
		if c >= 'A' && c <= 'Z' {
			out[i] = c + 'a' - 'A'
		}
	}
	return string(out)
}
