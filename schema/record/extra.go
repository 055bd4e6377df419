package record

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"sluice/schema/record/canonical"
)

// unknown stores the value of an undeclared key (invariant 4).
func (s *scratch) unknown(name string) *RejectedError {
	name = canonical.CleanText(name)
	raw, fault := s.whole(name)
	if fault != nil {
		return fault
	}
	if s.extraSize+len(raw) > maxExtraSize {
		return s.fault(name, CodeTooLarge, "the values of unknown keys have more than %d bytes", maxExtraSize)
	}
	return s.keep(name, raw)
}

// keep stores a value among the undeclared ones.
func (s *scratch) keep(name string, raw jsontext.Value) *RejectedError {
	text, bad := canonical.AppendJSON(nil, raw)
	if bad.Code != "" {
		return s.fault(name, bad.Code, "%s", bad.Detail)
	}
	s.extra = append(s.extra, extra{path: s.where(name), value: string(text)})
	s.extraSize += len(text)
	s.drifted(Drift{Path: s.wherever(name), Kind: kindName(raw.Kind())})
	return s.crowded(name)
}

// crowded refuses a record with more undeclared keys than drift explains.
func (s *scratch) crowded(name string) *RejectedError {
	switch {
	case len(s.drift) > maxKinds || len(s.loose) > maxKinds:
		return s.fault(name, CodeTooLarge, "the record has more than %d unknown keys", maxKinds)
	case len(s.extra) > maxExtra:
		return s.fault(name, CodeTooLarge, "the record has unknown keys in more than %d places", maxExtra)
	default:
		return nil
	}
}

// extraObject writes the undeclared keys as one object, sorted by path, so that the order of the
// wire does not matter.
func (s *scratch) extraObject() string {
	if len(s.extra) == 0 {
		return ""
	}
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

func (s *scratch) sortDrift() {
	slices.SortFunc(s.drift, func(a, b Drift) int {
		return compareTwo(a.Path, b.Path, a.Kind, b.Kind)
	})
}

func compareTwo(a, b, thenA, thenB string) int {
	if order := strings.Compare(a, b); order != 0 {
		return order
	}
	return strings.Compare(thenA, thenB)
}

// appendQuoted quotes valid UTF-8, which cannot fail.
func appendQuoted(dst []byte, text string) []byte {
	dst, _ = jsontext.AppendQuote(dst, text)
	return dst
}
