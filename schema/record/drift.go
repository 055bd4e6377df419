package record

import (
	"slices"
	"strings"
	"unicode"

	"sluice/schema/record/canonical"
)

// Bounds of the drift that a record's unlisted values leave.
const (
	maxValue  = 60
	maxValues = 100
)

// unlisted begins the kind of a Drift that is a value instead of a key.
const unlisted = "value: "

func (s *scratch) drifted(drift Drift) {
	if _, twice := s.drifts[drift]; twice {
		return
	}
	if s.drifts == nil {
		s.drifts = make(map[Drift]struct{})
	}
	s.drifts[drift] = struct{}{}
	s.drift = append(s.drift, drift)
}

// enumerated reports an undocumented value, which is loaded all the same. Source: docs/upstream.md
// U136: enumerations are open.
func (s *scratch) enumerated(column *column, text, name string) {
	if canonical.Blank(text) || slices.Contains(column.values, text) || len(s.drift) >= maxValues {
		return
	}
	s.drifted(Drift{Path: s.wherever(name), Kind: unlisted + printable(text)})
}

// printable bounds a value and replaces characters that do not print in one line.
func printable(text string) string {
	clean := strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text[:min(len(text), 4*maxValue)]) //nolint:mnd // no character has more than 4 bytes
	if len(clean) > maxValue {
		clean = strings.ToValidUTF8(clean[:maxValue], "")
	}
	return clean
}
