package simulation_test

import (
	"cmp"
	"context"
	"slices"
	"time"

	"sluice/pipeline"
)

// canonicalTime is how records carry instants.
const canonicalTime = "2006-01-02 15:04:05.999999-07"

// ranks are the rows of a list in the order of their creation.
type ranks struct{ of *stream }

// Extent implements sync.Ranks.
//
//nolint:nonamedreturns // the names say which is which
func (r ranks) Extent(context.Context, pipeline.Stream) (rows, most int, err error) {
	_, ids, _ := r.Between(context.Background(), r.of.Stream, time.Time{}, time.Time{})
	return len(ids), r.of.table.most, nil
}

// Between implements sync.Ranks.
//
//nolint:nonamedreturns // the names say which is which
func (r ranks) Between(_ context.Context, _ pipeline.Stream, from, to time.Time) (before int, ids []string, err error) {
	for id, have := range r.of.table.rows {
		e := r.of.table.evidence[id]
		switch {
		case !have.deleted.IsZero() || e != nil && (e.state == stateMissed || e.state == stateHeld):
		case have.created.Before(from):
			before++
		case to.IsZero() || have.created.Before(to):
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return before, ids, nil
}

// looked updates the evidence at the end of a look, for the rows that it missed.
func (s *store) looked(of *stream, batch pipeline.Batch) {
	end := batch.End
	if end == nil {
		return
	}
	s.seen["look"]++
	if end.Note == "" && !end.Sweep && end.Absent == nil {
		s.seen["look at rest"]++
	}
	sweep := end.Sweep
	if end.Absent != nil {
		sweep = s.concludeLook(of, batch) || sweep
	}
	if to := of.table.sweep; sweep && to != nil {
		s.seen["sweep after a look"]++
		to.due, to.wanted = to.due || !to.held, to.held
	}
}

// concludeLook makes rows that a look missed wait for their single record. It reports whether the
// whole list has to be read.
func (s *store) concludeLook(of *stream, batch pipeline.Batch) bool {
	missed := batch.End.Absent
	now := sight{run: of.run, first: missed.First, last: batch.Call, clock: missed.Started, ended: s.clock(of)}
	live := 0
	for _, have := range of.table.rows {
		if have.deleted.IsZero() {
			live++
		}
	}
	var absent []string
	for _, id := range missed.IDs {
		have := of.table.rows[id]
		if have.deleted.IsZero() && have.first.Before(of.scan.began) && have.first.Before(missed.Started) && have.changed.Before(of.scan.began) {
			absent = append(absent, id)
		}
	}
	if len(absent) > max(s.absence.MaxRows, int(s.absence.MaxShare*float64(live))) {
		return true
	}
	asked := true
	for _, id := range absent {
		if e := of.table.evidence[id]; e == nil || e.state == stateMissed && (e.shrunken || e.looked) {
			of.table.evidence[id] = &evidence{state: stateMissed, looked: true, missed: now}
			s.seen["missed by a look"]++
			s.ask(of, id)
			asked = asked && of.table.rows[id].pending
		}
	}
	return !asked
}

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
