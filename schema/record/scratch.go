package record

import (
	"bytes"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"sluice/schema/record/canonical"
)

// scratch is the state of one record's walk. Parts of the record are cut from blocks, and canonical
// texts stay slices of the input, so that a record costs next to no allocation for any number of
// values.
type scratch struct {
	tokens

	n      *Normalizer
	rows   []rowRef
	counts []int
	carry  []bool
	path   []step
	extra  []extra
	drift  []Drift
	// drifts has the drift as a set.
	drifts map[Drift]struct{}
	// cells counts the values of rows, extraSize the bytes of extra values.
	cells, extraSize int
	loose            []loose
	values           canonical.Reader
	// names are the undeclared names of the open objects.
	names []string
	arena arena
	// next holds, by a field's number, the field that followed it last time.
	next []*field
	// spareHash holds the hash's input.
	spareHash []byte
	// modified is the record's own modification time.
	modified time.Time
}

// rowRef is one row of a table.
type rowRef struct {
	table    int
	values   []Value
	position [maxNesting]int
}

// step is one array on the path of the walk; index is -1 if the wire holds one object instead of an
// array.
type step struct {
	name  string
	index int
}

// extra is one undeclared key.
type extra struct{ path, value string }

func newScratch(n *Normalizer) *scratch {
	return &scratch{
		n: n, values: canonical.NewReader(n.zone), tokens: tokens{dec: jsontext.NewDecoder(bytes.NewReader(nil))},
		next: make([]*field, n.fields), counts: make([]int, len(n.tables)), carry: make([]bool, len(n.tables)),
	}
}

func (s *scratch) reset() {
	s.rows, s.path = s.rows[:0], s.path[:0]
	s.extra, s.drift, s.loose = s.extra[:0], s.drift[:0], s.loose[:0]
	s.names = s.names[:0]
	s.drifts, s.cells, s.extraSize = nil, 0, 0
	s.modified = time.Time{}
	clear(s.counts)
	clear(s.carry)
	s.carry[0] = true
}

// release returns the scratch to the pool, without the record's bytes.
func (s *scratch) release() {
	s.forget()
	clear(s.loose[:cap(s.loose)])
	clear(s.rows)
	if s.values.Spare()+cap(s.spareHash) <= maxKept {
		s.n.scratch.Put(s)
	}
}

// newRow returns the values of a new row, all absent.
func (s *scratch) newRow(table int) []Value {
	ref := rowRef{table: table, values: cut(&s.arena.values, len(s.n.tables[table].columns), blockValues)}
	depth := 0
	for _, at := range s.path {
		ref.position[depth] = max(at.index, 0)
		depth++
	}
	s.rows = append(s.rows, ref)
	s.cells += len(ref.values)
	s.counts[table]++
	return ref.values
}

// own returns the value of a column of the record itself.
func (s *scratch) own(at int) *Value { return &s.rows[0].values[at] }

// record copies the findings out of the scratch.
func (s *scratch) record(raw []byte, parent string) Record {
	record := s.rowsOf(raw)
	s.sortDrift()
	record.Extra = s.extraObject()
	record.Drift = append([]Drift(nil), s.drift...)
	record.Hash = s.hash(&record)
	record.PayloadHash = s.n.payloadHash(raw, parent, len(s.drift) > 0)
	return record
}

// rowsOf copies the rows.
func (s *scratch) rowsOf(raw []byte) Record {
	record := Record{
		ID:       s.own(0).Text,
		Modified: s.modified,
		Tables:   cut(&s.arena.tables, len(s.n.tables), blockRows),
		Carries:  cut(&s.arena.flags, len(s.n.tables), blockRows),
		Raw:      raw,
	}
	copy(record.Carries, s.carry)
	s.distribute(&record)
	return record
}

// distribute assigns the rows to their tables, in the order of the record.
func (s *scratch) distribute(record *Record) {
	rows := cut(&s.arena.rows, len(s.rows), blockRows)
	places := 0
	for i, count := range s.counts {
		if count > 0 {
			record.Tables[i] = rows[:0:count]
			rows = rows[count:]
		}
		places += count * s.n.tables[i].depth
	}
	positions := cut(&s.arena.places, places, blockRows)[:0]
	for _, ref := range s.rows {
		from := len(positions)
		positions = append(positions, ref.position[:s.n.tables[ref.table].depth]...)
		record.Tables[ref.table] = append(record.Tables[ref.table], Row{
			Position: positions[from:len(positions):len(positions)],
			Values:   ref.values,
		})
	}
}
