package record

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"sluice/schema/record/canonical"
)

// prefix is a child that the record's own keys make, such as cf_.
type prefix struct {
	name, prefix, twin string
	table              int
}

// The three columns of such a child, in declared order, and how many they are.
const (
	prefixKey = iota
	prefixValue
	prefixText
	prefixColumns
)

// loose is one key of a prefix, held until the record is read: only then are twins known.
type loose struct {
	prefix int
	name   string
	raw    jsontext.Value
}

// claims returns the index of the prefix that a key belongs to, -1 if none.
func (o *object) claims(name string) int {
	return slices.IndexFunc(o.prefixes, func(p prefix) bool { return strings.HasPrefix(name, p.prefix) })
}

func (s *scratch) collect(at int, name string) *RejectedError {
	name = canonical.CleanText(name)
	raw, fault := s.whole(name)
	if fault != nil {
		return fault
	}
	s.loose = append(s.loose, loose{prefix: at, name: name, raw: raw.Clone()})
	return s.crowded(name)
}

// gather makes rows of the keys of prefixes, sorted by name, since their order on the wire means
// nothing. A key sorts before its twin.
func (s *scratch) gather() *RejectedError {
	slices.SortFunc(s.loose, func(a, b loose) int { return strings.Compare(a.name, b.name) })
	for at, p := range s.n.root.prefixes {
		rows := map[string][]Value{}
		for _, l := range s.loose {
			if l.prefix != at {
				continue
			}
			if fault := s.gatherOne(p, rows, l); fault != nil {
				return fault
			}
		}
	}
	return nil
}

// gatherOne makes a row of a key, or completes the row of its twin's key; a twin without its key is
// undeclared. Rows holds the values of each row by key.
func (s *scratch) gatherOne(p prefix, rows map[string][]Value, l loose) *RejectedError {
	columns := s.n.tables[p.table].columns
	if base, ok := strings.CutSuffix(l.name, p.twin); ok && strings.HasPrefix(base, p.prefix) {
		if values, known := rows[base]; known {
			return s.fill(&columns[prefixText], &values[prefixText], l.name, l.raw)
		}
		return s.keep(l.name, l.raw)
	}
	if len(s.rows) > maxElements {
		return s.fault(l.name, CodeTooLarge, "the record has more than %d array elements", maxElements)
	}
	s.markCarried(p.table)
	s.path = append(s.path, step{name: p.name, index: len(rows)})
	values := s.newRow(p.table)
	s.path = s.path[:0]
	rows[l.name] = values
	values[prefixKey] = Value{Text: l.name, State: Set}
	return s.fill(&columns[prefixValue], &values[prefixValue], l.name, l.raw)
}
