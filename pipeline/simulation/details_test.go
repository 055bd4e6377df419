package simulation_test

import (
	"cmp"
	"slices"
	"time"

	"sluice/pipeline"
)

// failDetails lets the rows of single records pause that could not be read.
func (s *store) failDetails(of *stream, batch pipeline.Batch) {
	for i := range batch.Rejected {
		if batch.Details {
			s.rest(of, batch.Rejected[i].ID)
		}
	}
	for _, id := range batch.Missing {
		s.rest(of, id)
	}
}

// rest lets a row whose single record could not be read pause for a day.
func (s *store) rest(of *stream, id string) {
	if have := of.table.rows[id]; have != nil {
		have.pending, have.failed = false, s.clock(of)
	}
}

// pending returns the rows that need their single record, newest first. Behind them are the rows
// whose pause is over, because the single record could not be read or was older than the row; the
// longest pause comes first.
func (s *store) pending(of *stream) []string {
	var waiting, again []string
	asked := map[string]time.Time{}
	for id, have := range of.table.rows {
		switch {
		case !have.deleted.IsZero():
		case have.pending && !have.tried.After(have.changed):
			waiting = append(waiting, id)
		case have.pending && s.clock(of).Sub(have.tried) >= max(time.Hour, min(have.tried.Sub(have.changed), 24*time.Hour)):
			again, asked[id] = append(again, id), have.tried
		case !have.failed.IsZero() && s.clock(of).Sub(have.failed) >= 24*time.Hour:
			again, asked[id] = append(again, id), have.failed
		}
	}
	slices.Sort(waiting)
	slices.Reverse(waiting)
	slices.SortFunc(again, func(a, b string) int { return cmp.Or(asked[a].Compare(asked[b]), cmp.Compare(a, b)) })
	return append(waiting, again...)
}
