package record

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/zeebo/xxh3"

	"sluice/schema"
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

// payloadHash is XXH3 of the bytes and the parent, begun with the salt: two records with the same
// one become the same row. Different records share one in one of 2^64 cases. It does not resist an
// attacker, but a person who can write upstream has no need to deceive. It is 0 (none) if the
// record has undocumented parts, whose every arrival is counted.
func (n *Normalizer) payloadHash(raw []byte, parent string, drifted bool) uint64 {
	if drifted || n.salt == 0 {
		return 0
	}
	salt := n.salt
	if parent != "" {
		salt = xxh3.HashStringSeed(parent, salt)
	}
	return xxh3.HashSeed(raw, salt)
}

// salt stands for all that decides the row beside a record's bytes and its parent: the rule of the
// hash, the zone and the declaration without its prose. It is 0 for exports, which are read once.
func (n *Normalizer) saltOf(resource *schema.Resource) uint64 {
	if resource.Exported() {
		return 0
	}
	digest := xxh3.New()
	add := func(format string, values ...any) { _, _ = fmt.Fprintf(digest, format+"\n", values...) } // a hash accepts every write
	add("%d %q %q %q %+v", HashRule, n.zone, resource.ID, resource.Modified(), n.place)
	for _, month := range []time.Month{time.January, time.July} { // one name can mean two zones
		add("%s", time.Date(2026, month, 1, 0, 0, 0, 0, n.zone).UTC().Format(time.RFC3339))
	}
	tables := resource.Tables()
	for i := range tables {
		ignored := resource.Ignored
		if child := tables[i].Child; child != nil {
			ignored = child.Ignored
			add("%t %t %q %q", child.Scalar, child.Object, child.Prefix, child.Twin)
		}
		add("%q %q %q", tables[i].Name, tables[i].Path, slices.Sorted(maps.Keys(ignored)))
		for _, c := range tables[i].Columns {
			add("%q %q %q %d %t %q", c.Wire, c.Also, c.ColumnName(), c.Kind, c.Given, c.Values)
		}
	}
	return max(digest.Sum64(), 1)
}
