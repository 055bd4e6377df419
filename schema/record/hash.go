package record

import (
	"encoding/binary"

	"github.com/zeebo/xxh3"
)

// HashRule is the number of the rule by which the content hash of a record is made. Whatever makes
// another hash of the same bytes under the same declaration, here or in the canonical values, takes
// the next number, and so does what makes other drift of them: the warehouse then writes the hashes
// of all rows anew, once and without a call (docs/decisions/0015-raw-records).
// Otherwise each record would look changed.
const HashRule = 2

// label returns a text with its length before it, which separates it from the following parts.
func label(text string) string {
	return string(appendString(nil, text))
}

func appendString(dst []byte, text string) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(text)))
	return append(dst, text...)
}

// The parts of the hash's input begin with one of these.
const (
	tagTable = 'T'
	tagRow   = 'R'
	tagExtra = 'X'
)

// hash returns the content hash: XXH3 of all that the record carries, its 128 bits in their
// canonical order. What a record does not carry leaves no trace in it, so that declaring a further
// column changes no hash until upstream sends it. Only versions of one record are compared by it;
// not against an attacker: an account that can craft two alike can already change the source
// (docs/decisions/0017-loading).
func (s *scratch) hash(record *Record) [16]byte {
	buf := s.spareHash[:0]
	for i, rows := range record.Tables {
		t := &s.n.tables[i]
		if !record.Carries[i] || t.depth > 1 && len(rows) == 0 {
			continue
		}
		buf = append(buf, tagTable)
		buf = append(buf, t.label...)
		for _, row := range rows {
			buf = appendRow(buf, t, row)
		}
	}
	buf = append(buf, tagExtra)
	buf = append(buf, record.Extra...)
	s.spareHash = buf
	return xxh3.Hash128(buf).Bytes()
}

// appendRow ends a row with an empty label, which no column has.
func appendRow(buf []byte, t *table, row Row) []byte {
	buf = append(buf, tagRow)
	for _, at := range row.Position {
		buf = binary.AppendUvarint(buf, uint64(at)) //nolint:gosec // an index is never negative
	}
	for i, value := range row.Values {
		if value.State == Absent {
			continue
		}
		buf = append(buf, t.columns[i].label...)
		buf = append(buf, byte(value.State))
		if value.State == Set {
			buf = appendString(buf, value.Text)
		}
	}
	return append(buf, 0)
}
