package outside

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
)

const (
	// run is the length of the parts of a secret that are searched for. A shorter part is of no use
	// to an attacker, and the program's own words could contain it.
	run = 12
	// shortest is the least length of a secret that is searched for at all.
	shortest = 8
)

// spellings returns the ways to write a secret: as it is, in hex, and in base64 of both alphabets
// at every offset within the encoded text. Percent and backslash escapes are decoded in the text
// instead (views.go). Upper and lower case count as equal.
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

// wordlike reports whether a secret is so short and plain that the program's own words may contain
// it. To hide it would hide what the program says. A password of fewer than twelve letters can be
// guessed anyway.
func wordlike(secret string) bool {
	return len(secret) < shortest || len(secret) < run && !strings.ContainsFunc(secret, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}

// fold makes ASCII letters lower case.
func fold(text string) string {
	out := []byte(text)
	for i, c := range out {
		if c >= 'A' && c <= 'Z' {
			out[i] = c + 'a' - 'A'
		}
	}
	return string(out)
}
