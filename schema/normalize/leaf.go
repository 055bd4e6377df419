package normalize

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"sluice/schema/normalize/value"
)

// leaf reads one value into the cell of its column.
func (s *scratch) leaf(table, first, column int, name string) *ValueError {
	raw, fault := s.whole(name)
	if fault != nil {
		return fault
	}
	return s.fill(table, first, column, name, raw)
}

// fill brings a value that was read into the cell of its column.
func (s *scratch) fill(table, first, at int, name string, raw jsontext.Value) *ValueError {
	column := &s.n.tables[table].columns[at]
	from := len(s.text)
	text, null, bad := s.values.Append(s.text, column.kind, raw)
	s.text = text
	if table == 0 && at == s.n.identifier && bad.Code == "" {
		bad = s.checkKey(raw, s.text[from:])
	}
	if bad.Code != "" {
		if bad.Detail == "" {
			bad.Detail = "the wire has a " + kindName(raw.Kind())
		}
		return s.fault(name, bad.Code, "%s", bad.Detail)
	}
	c := cell{from: from, to: len(s.text), state: Set}
	if null {
		c.state = Null
	}
	s.cells[first+at] = c
	if null {
		return nil
	}
	if table == 0 && at == s.n.modified {
		s.modified = s.values.Instant
	}
	if column.values != nil {
		s.enumerated(column, s.text[from:], name)
	}
	return nil
}

// supply fills a cell with a text that the wire does not carry.
func (s *scratch) supply(at int, text string) {
	from := len(s.text)
	s.text = append(s.text, text...)
	s.cells[at] = cell{from: from, to: len(s.text), state: Set}
}

// checkKey refuses what would merge two records: a key that was repaired may
// equal another one.
func (s *scratch) checkKey(raw jsontext.Value, id []byte) value.Misfit {
	if len(id) > maxKey {
		return value.Misfit{Code: CodeTooLarge, Detail: "the key has more than " + strconv.Itoa(maxKey) + " bytes"}
	}
	if raw.Kind() == '"' && !bytes.Equal(s.values.Unquote(raw), id) ||
		bytes.ContainsRune(id, utf8.RuneError) {
		return value.Misfit{Code: CodeWrongType, Detail: "the key holds characters that cannot be kept"}
	}
	return value.Misfit{}
}
