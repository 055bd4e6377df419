package canonical

import (
	"errors"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// AppendJSON appends the canonical spelling of a JSON value: no spaces, sorted keys, canonical
// numbers, text that Postgres can hold.
func AppendJSON(dst []byte, raw jsontext.Value) ([]byte, Reason) {
	value := raw.Clone()
	err := value.Canonicalize(jsontext.AllowInvalidUTF8(true),
		jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false))
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return dst, Reason{DuplicateKey, "an object has the same key twice; which one counts is unknown"}
	}
	if err != nil {
		return dst, Reason{BadJSON, "the JSON value cannot be read"}
	}
	for i := 0; i < len(value); {
		size, bad := 1, Reason{}
		switch c := value[i]; {
		case c == '"':
			size = stringSize(value[i:])
			dst = appendWithoutNUL(dst, value[i:i+size])
		case c == '-' || c >= '0' && c <= '9':
			size = numberSize(value[i:])
			dst, bad = appendDecimal(dst, value[i:i+size])
		default:
			dst = append(dst, c)
		}
		if bad.Code != "" {
			return dst, bad
		}
		i += size
	}
	return dst, Reason{}
}

// stringSize returns the length of the string literal at the front.
func stringSize(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

func numberSize(text []byte) int {
	for i, c := range text {
		if (c < '0' || c > '9') && c != '-' && c != '+' && c != '.' && c != 'e' && c != 'E' {
			return i
		}
	}
	return len(text)
}

// appendWithoutNUL copies a string literal and replaces the escape of U+0000, which jsonb refuses.
func appendWithoutNUL(dst, literal []byte) []byte {
	const escape = `\u0000`
	for i := 0; i < len(literal); i++ {
		switch {
		case literal[i] != '\\':
			dst = append(dst, literal[i])
		case strings.HasPrefix(string(literal[i:min(i+len(escape), len(literal))]), escape):
			dst = append(dst, NULPicture...)
			i += len(escape) - 1
		default:
			dst = append(dst, literal[i], literal[i+1])
			i++
		}
	}
	return dst
}
