package normalize

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"sluice/schema"
	"sluice/schema/normalize/value"
)

// leaf reads one value into the cell of its column.
func (s *scratch) leaf(table, first, column int, name string) *ValueError {
	if text, ok := s.plain(); ok {
		return s.fillText(table, first, column, name, text)
	}
	raw, fault := s.whole(name)
	if fault != nil {
		return fault
	}
	return s.fill(table, first, column, name, raw)
}

// fillText is fill for a string of which nothing is escaped: it is read once and not again.
func (s *scratch) fillText(table, first, at int, name string, literal []byte) *ValueError {
	column := &s.n.tables[table].columns[at]
	if column.kind == schema.KindJSON { // which asks for the whole literal
		return s.fill(table, first, at, name, s.data[s.at-len(literal)-len(`""`):s.at])
	}
	from := len(s.text)
	text, null, bad := s.values.AppendPlain(s.text, column.kind, literal)
	if table == 0 && at == s.n.identifier && bad.Code == "" {
		bad = checkKey(literal, text[from:])
	}
	return s.set(table, first, at, name, '"', from, text, null, bad)
}

// fill brings a value that was read into the cell of its column.
func (s *scratch) fill(table, first, at int, name string, raw jsontext.Value) *ValueError {
	column := &s.n.tables[table].columns[at]
	from := len(s.text)
	text, null, bad := s.values.Append(s.text, column.kind, raw)
	if table == 0 && at == s.n.identifier && bad.Code == "" {
		id := text[from:]
		read := id
		if raw.Kind() == '"' {
			read = s.values.Unquote(raw)
		}
		bad = checkKey(read, id)
	}
	return s.set(table, first, at, name, raw.Kind(), from, text, null, bad)
}

// set notes what a value was read as: its text begins at from.
func (s *scratch) set(
	table, first, at int, name string, kind jsontext.Kind, from int, text []byte, null bool, bad value.Misfit,
) *ValueError {
	s.text = text
	if bad.Code != "" {
		if bad.Detail == "" {
			bad.Detail = "the wire has a " + kindName(kind)
		}
		return s.fault(name, bad.Code, "%s", bad.Detail)
	}
	if null {
		s.cells[first+at] = cell{from: from, to: len(s.text), state: Null}
		return nil
	}
	s.cells[first+at] = cell{from: from, to: len(s.text), state: Set}
	if table == 0 && at == s.n.modified {
		s.modified = s.values.Instant
	}
	if column := &s.n.tables[table].columns[at]; column.values != nil {
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
// equal another one. Read is the key as the wire has it.
func checkKey(read, id []byte) value.Misfit {
	if len(id) > maxKey {
		return value.Misfit{Code: CodeTooLarge, Detail: "the key has more than " + strconv.Itoa(maxKey) + " bytes"}
	}
	if !bytes.Equal(read, id) || bytes.ContainsRune(id, utf8.RuneError) {
		return value.Misfit{Code: CodeWrongType, Detail: "the key holds characters that cannot be kept"}
	}
	return value.Misfit{}
}
