package rebuild

import (
	"context"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/raw"
	"sluice/schema/record"
)

// source is what a record was made of: a raw record, and the parent that it was listed under.
type source struct {
	raw.Place

	parent string
}

// made is what the declaration makes of a raw record, or why it does not fit.
type made struct {
	source

	// raw is nil if the raw record is not kept; then there is nothing else.
	raw    []byte
	record record.Record
	misfit error
}

// makings are what raw records were made into, in the order in which rows are expected to ask for them.
type makings struct {
	all []made
	// next is the one that is asked for next, index where each stands once somebody asked for another.
	next  int
	index map[source]int
}

// of gives what was made of a source, nil if nobody made it.
func (m *makings) of(at source) *made {
	if m.next < len(m.all) && m.all[m.next].source == at {
		m.next++
		return m.all[m.next-1].kept()
	}
	if m.index == nil {
		m.index = make(map[source]int, len(m.all))
		for i := range m.all {
			m.index[m.all[i].source] = i
		}
	}
	i, known := m.index[at]
	if !known {
		return nil
	}
	m.next = i + 1
	return m.all[i].kept()
}

// kept is nil where nothing was made, for the raw record is not kept.
func (m *made) kept() *made {
	if m.raw == nil {
		return nil
	}
	return m
}

// make normalizes the raw records of sources, as far as they are kept; one after the other, for whoever holds rows against them takes longer,
// and waits for the server: it has to find a processor each time that the server answers (docs/decisions/0019-rebuild-from-raw-records).
func (r *Rows) make(records [][]byte, sources []source) *makings {
	all := make([]made, len(sources))
	for i := range all {
		all[i].source, all[i].raw = sources[i], records[i]
		if one := all[i].kept(); one != nil {
			one.record, one.misfit = r.normalize(one.raw, one.parent)
		}
	}
	return &makings{all: all}
}

// makeMissing makes the records that nobody prepared.
func (b *batch) makeMissing(ctx context.Context, tx pgx.Tx) error {
	var missing []source
	for _, row := range b.late {
		for _, v := range row.versions() {
			if v.made == nil {
				missing = append(missing, source{v.Place, row.parent})
			}
		}
	}
	if len(missing) == 0 {
		return nil
	}
	records, _, err := new(raw.Archives).Read(ctx, tx, places(missing))
	if err != nil {
		return err
	}
	found := b.make(records, missing)
	for _, row := range b.late {
		for _, v := range row.versions() {
			if v.made == nil {
				v.made = found.of(source{v.Place, row.parent})
			}
		}
	}
	return nil
}

func places(sources []source) []raw.Place {
	places := make([]raw.Place, len(sources))
	for i := range sources {
		places[i] = sources[i].Place
	}
	return places
}
