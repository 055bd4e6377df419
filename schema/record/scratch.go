package record

import (
	"bytes"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"sluice/schema/record/canonical"
)

// scratch is what one record needs while it is walked. What becomes part of the record is cut from blocks, and texts that stand on the
// wire as they are to be kept stay there, so that a record costs next to no allocation however many values it has.
type scratch struct {
	tokens

	n      *Normalizer
	rows   []rowRef
	counts []int
	carry  []bool
	path   []step
	extra  []extra
	drift  []Drift
	// drifts are those of drift where they are many.
	drifts map[Drift]struct{}
	// cells counts the values of rows, extraSize the bytes of extra values.
	cells, extraSize int
	loose            []loose
	values           canonical.Reader
	// names are those of the objects under way that are not declared.
	names []string
	arena arena
	// next holds, by a field's number, the field that came behind it last time.
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

// step is one array on the way to where the walk stands; index is -1 where the
// wire holds one object in place of an array.
type step struct {
	name  string
	index int
}

// extra is one key that the declaration does not know.
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

// release gives the scratch back to the pool, without the record's bytes.
func (s *scratch) release() {
	s.forget()
	clear(s.loose[:cap(s.loose)])
	clear(s.rows)
	if s.values.Spare()+cap(s.spareHash) <= maxKept {
		s.n.scratch.Put(s)
	}
}

// newRow gives the values of another row, all absent.
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

// record copies what was found out of the scratch.
func (s *scratch) record(raw []byte, parent string) Record {
	record := s.rowsOf(raw)
	s.sortDrift()
	record.Extra = s.extraObject()
	record.Drift = append([]Drift(nil), s.drift...)
	record.Hash = s.hash(&record)
	record.Fingerprint = s.n.fingerprint(raw, parent, len(s.drift) > 0)
	return record
}

// rowsOf copies the rows that were read.
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

// distribute gives every table its rows, in the order of the record.
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
