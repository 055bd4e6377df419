package normalize

import (
	"errors"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// unknown keeps the value of a key that the declaration does not know.
func (s *scratch) unknown(name string) *ValueError {
	name = strings.ReplaceAll(name, "\x00", nulPicture)
	kind := s.dec.PeekKind()
	raw, fault := s.value(name)
	if fault != nil {
		return fault
	}
	value, bad := appendJSON(nil, raw)
	if bad.code != "" {
		return s.fault(name, bad.code, "%s", bad.detail)
	}
	s.extra = append(s.extra, extra{path: s.where(name), value: string(value)})
	drift := Drift{Path: s.wherever(name), Kind: kindName(kind)}
	if !slices.Contains(s.drift, drift) {
		s.drift = append(s.drift, drift)
	}
	return nil
}

// extraObject writes the unknown keys as one object, sorted by path, so that the
// order of the wire does not matter. It sorts the drift, too.
func (s *scratch) extraObject() string {
	if len(s.extra) == 0 {
		return ""
	}
	slices.SortFunc(s.drift, func(a, b Drift) int {
		return compareTwo(a.Path, b.Path, a.Kind, b.Kind)
	})
	slices.SortFunc(s.extra, func(a, b extra) int {
		return compareTwo(a.path, b.path, a.value, b.value)
	})
	out := []byte{'{'}
	for i, e := range s.extra {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendQuoted(out, e.path)
		out = append(append(out, ':'), e.value...)
	}
	return string(append(out, '}'))
}

func compareTwo(a, b, thenA, thenB string) int {
	if order := strings.Compare(a, b); order != 0 {
		return order
	}
	return strings.Compare(thenA, thenB)
}

// appendQuoted quotes text that is valid UTF-8 already, so nothing can fail.
func appendQuoted(dst []byte, text string) []byte {
	dst, _ = jsontext.AppendQuote(dst, text)
	return dst
}

// appendJSON appends the one spelling of a JSON value: no spaces, sorted keys,
// canonical numbers, text that Postgres can hold.
func appendJSON(dst []byte, raw jsontext.Value) ([]byte, misfit) {
	value := raw.Clone()
	err := value.Canonicalize(jsontext.AllowInvalidUTF8(true),
		jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false))
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return dst, misfit{CodeDuplicateKey, "an object has the same key twice; which one counts is unknown"}
	}
	if err != nil {
		return dst, misfit{CodeBadJSON, "the JSON value cannot be read"}
	}
	for i := 0; i < len(value); {
		size, bad := 1, misfit{}
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
		if bad.code != "" {
			return dst, bad
		}
		i += size
	}
	return dst, misfit{}
}

// stringSize is the length of the string literal at the front.
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

// appendWithoutNUL copies a string literal and replaces the escape of U+0000,
// which jsonb refuses.
func appendWithoutNUL(dst, literal []byte) []byte {
	const escape = `\u0000`
	for i := 0; i < len(literal); i++ {
		switch {
		case literal[i] != '\\':
			dst = append(dst, literal[i])
		case strings.HasPrefix(string(literal[i:min(i+len(escape), len(literal))]), escape):
			dst = append(dst, nulPicture...)
			i += len(escape) - 1
		default:
			dst = append(dst, literal[i], literal[i+1])
			i++
		}
	}
	return dst
}
