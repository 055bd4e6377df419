package simulation_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"sluice/pipeline"
)

// excuses reports whether the call that reads a record need not have shown the version that was
// told of: a fault spoilt its answer, or the version became visible only later. The second is a
// reason if the call showed another new version, or if that was longer than the pause before the
// second read.
func (h *hints) excuses(of *stream, id string, call int64, fresh bool, skew time.Duration) bool {
	a, x, v := h.answers[call], h.rows[id], of.upstream.toldOf(id, h.rows[id].told)
	switch {
	case !x.last.Before(of.upstream.asked[call]):
		return false // only a store that makes a mistake settles such a hint
	case a.wrong || v == nil:
		return true
	}
	return v.visible.After(a.at) && (fresh || v.visible.After(x.last.Add(readAgain-skew)))
}

// toldOf returns a version by its value, nil if no later version could replace it: the thing is
// gone, does not fit or went back in time since.
func (u *upstream) toldOf(id string, value int) *edition {
	t := u.thing(id)
	if t == nil {
		return nil
	}
	at := slices.IndexFunc(t.versions, func(v edition) bool { return v.value == value })
	for i := max(at, 0); i < len(t.versions); i++ {
		if v := &t.versions[i]; at < 0 || v.gone || v.poison || t.wentBack(i) {
			return nil
		}
	}
	return &t.versions[at]
}

// wentBack reports whether a version has an earlier modification time than one before it.
func (t *thing) wentBack(i int) bool {
	for before := range t.versions[:i] {
		if v := &t.versions[before]; !v.gone && v.modified.After(t.versions[i].modified) {
			return true
		}
	}
	return false
}

// showsTold checks that a row holds what callbacks told of, or a later version, when its hint is
// settled by a call.
func (s *store) showsTold(of *stream, id string, x *hint) {
	if x.excused || of.upstream.toldOf(id, x.told) == nil {
		return
	}
	s.seen["row as told"]++
	have := of.table.rows[id]
	if have == nil {
		s.brokenf("%s was told of and read, and has no row", id)
		return
	}
	if value, _ := strconv.Atoi(have.value); value < x.told { // every row has a number
		s.brokenf("%s was told of as %d and read, and its row holds %d", id, x.told, value)
	}
}

// saw notes how upstream answers a call of hints.
func (h *hints) saw(of *stream, call int64, f fault) {
	wrong := f == faultGarbage || of.upstream.batched && (f == faultEmptyPage || f == faultSmallerPages)
	h.answers[call] = answer{at: of.upstream.now, wrong: wrong}
}

// withinCap checks how many records hints ask for within a minute. It counts calls that were
// answered: a retry after a failure is bounded by its pauses. The cap does not count the calls of a
// run that began earlier than a minute ago, which are as many again at most. Nor does it count the
// call under way: upstream may tell of its records again, and they wait once more.
func (s *store) withinCap(of *stream, asked time.Time, records int) {
	h := of.table.hints
	if records == 0 || asked.IsZero() {
		return
	}
	h.reads = append(h.reads, reads{asked, records})
	sum := 0
	for _, r := range h.reads {
		if r.at.After(asked.Add(-time.Minute)) && !r.at.After(asked) {
			sum += r.records
		}
	}
	if most := (2*h.perMinute + 1) * of.Resource.SinglesAtOnce(); sum > most {
		s.brokenf("hints asked for %d records within a minute, %d are allowed", sum, most)
	}
}

// leftSoon checks at the end of a run of hints that another one follows within a minute if hints
// are left.
func (s *store) leftSoon(of *stream) {
	h := of.table.hints
	if ids := h.pending(); len(ids) > 0 && of.asked == of.serves && h.next.After(s.clock(of).Add(time.Minute)) {
		s.brokenf("the hints about %q are left, and no run follows before %v", ids, h.next)
	}
}

// apart checks that a batch of hints moves nothing but rows: no watermark, and no evidence.
func (s *store) apart(of *stream, batch pipeline.Batch) {
	end, before, now := batch.End, of.position, batch.Position
	if !now.Watermark.Equal(before.Watermark) || !now.ScannedUntil.Equal(before.ScannedUntil) {
		s.brokenf("%s: a run of hints moved a position to %v", of, now.Watermark)
	}
	if end != nil && (end.Whole != nil || end.Absent != nil || end.Entire || end.Sweep) || batch.Listed || len(batch.Observed) > 0 {
		s.brokenf("%s: a run of hints says what a list shows", of)
	}
}

// soon is how far away the next event of hints may be for them to be under way.
const soon = time.Hour

// settleDown ends what is under way when all faults have ended. In most schedules hints are
// answered next, before any other run; in the others callbacks arrive while the scheduled runs are
// under way.
func (w *world) settleDown() {
	switch {
	case w.hints == nil:
	case w.seed%3 == 0:
		w.drain()
	default:
		w.answerHints()
	}
}

// equalByOneRun checks that one clean run that was requested at an instant made rows equal to
// upstream, whatever callbacks did before it or meanwhile. It looks at what one run of the list can
// show: no deletion, no version that went back in time, and nothing that rests, which are single
// records that could not be read and entries of the quarantine.
func (w *world) equalByOneRun(requested time.Time) {
	if w.hints == nil || w.hints.list.stopped || w.hints.list.run != 0 || w.hints.list.begun.Before(requested) {
		return // it waits for the day, or was withheld
	}
	of, whole := w.hints.list, w.swarm.cursor == "full"
	for _, t := range of.upstream.things {
		v, have := t.last(), of.table.rows[t.id]
		if v.gone || t.wentBack(len(t.versions)-1) || !whole && (v.quiet || v.late() || of.hidden[t.id]) {
			continue
		}
		switch {
		case have == nil || have.value != fmt.Sprint(v.value):
			if !of.rejected(t, v) {
				w.store.brokenf("after one run the row of %s is %+v, upstream has %d", t.id, have, v.value)
			}
		case !have.pending && have.failed.IsZero() && have.stamps != strings.Repeat(fmt.Sprintf("%d ", v.value), v.lines):
			w.store.brokenf("after one run %s holds lines [%s], upstream has %d of %d", t.id, have.stamps, v.lines, v.value)
		default:
			w.store.seen["row equal after one run"]++
		}
	}
}

// answerHints lets callbacks arrive and hints be answered without any other run, and checks what
// has to be true then. It is called when all faults have ended.
func (w *world) answerHints() {
	h := w.hints
	if h == nil {
		return
	}
	up := h.list.upstream
	const enough = 1000
	for n := 0; ; n++ {
		w.listen()
		w.drain()
		next := w.nextEvent()
		if next.After(up.now.Add(soon)) || w.store.violation != nil {
			break
		}
		if n == enough {
			w.store.brokenf("hints do not come to rest: %v wait", h.waiting())
			return
		}
		up.now = later(up.now, next)
	}
	for _, id := range h.waiting() {
		of, x := h.hinted, h.rows[id]
		if id == "" {
			of = h.list
		}
		if !of.stopped && !x.rests(h, up.now.Add(w.store.skew)) { // otherwise it waits for the next run on schedule
			w.store.brokenf("the hint about %q waits for no run: %+v", id, *x)
		}
	}
	w.toldIsRead()
}

// rests reports whether a hint of a deletion waits because a look or a sweep began just now.
func (h *hint) rests(of *hints, now time.Time) bool {
	return h.deleted && h.due.After(now) && !h.due.After(now.Add(max(sweepRest, of.listRest)))
}

// toldIsRead checks that rows equal upstream whose last version callbacks told of and whose single
// records were read since. Lines that a later header of the list made stale are for details.
func (w *world) toldIsRead() {
	h := w.hints
	for _, t := range h.list.upstream.things {
		v, x := t.last(), h.rows[t.id]
		if x == nil || x.waits() || x.listed || x.excused || x.told != v.value || h.list.upstream.toldOf(t.id, v.value) == nil {
			continue
		}
		w.store.seen["row equal by its hint"]++
		have := h.list.table.rows[t.id]
		switch {
		case have == nil:
			w.store.brokenf("%s was told of and read, and has no row", t.id)
		case !have.deleted.IsZero():
			w.store.brokenf("%s was told of and read, and has a tombstone", t.id)
		case have.value != fmt.Sprint(v.value) || !have.pending && have.stamps != strings.Repeat(fmt.Sprintf("%d ", v.value), v.lines):
			w.store.brokenf("%s was told of and read, and holds %s with lines [%s], upstream has %d of %d", t.id, have.value, have.stamps, v.lines, v.value)
		}
	}
}

// nothingWaits checks that no hint waits after the scheduled runs. The hint for the list waits for
// a clean run of it.
func (w *world) nothingWaits() {
	if w.hints == nil {
		return
	}
	w.answerHints()
	for _, id := range w.hints.waiting() {
		if (id != "" || !w.hints.list.stopped) && !w.hints.rows[id].rests(w.hints, w.store.clock(w.hints.list)) {
			w.store.brokenf("the hint about %q was never answered", id)
		}
	}
}

// The mistakes about hints that a store can make on purpose, to see that the simulation finds them.
const (
	// mistakeSpent: a hint that arrives during a call is spent by its answer.
	mistakeSpent = "spent"
	// mistakeReadOnce: a record that shows nothing new is not read again.
	mistakeReadOnce = "read once"
	// mistakeNoOtherRun: hints that arrive during a run cause no other run.
	mistakeNoOtherRun = "no other run"
)

func TestMistakesAboutHintsAreFound(t *testing.T) {
	t.Parallel()
	for _, mistake := range []string{mistakeSpent, mistakeReadOnce, mistakeNoOtherRun} {
		found := false
		for seed := uint64(1); seed <= usual && !found; seed++ {
			s, actions := drawn(seed)
			if !s.channel.on {
				continue
			}
			s.mistake = mistake
			_, err := play(seed, s, actions, nil)
			if found = err != nil; found {
				t.Logf("%s: seed %d: %v", mistake, seed, err)
			}
		}
		if !found {
			t.Errorf("no schedule found the mistake %q", mistake)
		}
	}
}

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

// Seen implements sync.Ranks: this upstream does not count.
func (ranks) Seen(context.Context, pipeline.Claim, pipeline.Count) (pipeline.Seen, error) {
	panic("unasked")
}

// Known implements sync.Ranks.
func (ranks) Known(context.Context, pipeline.Claim, pipeline.Count) (pipeline.Seen, error) {
	panic("unasked")
}

// Halve implements sync.Ranks.
func (ranks) Halve(context.Context, pipeline.Stream, pipeline.Axis, pipeline.Part) (time.Time, pipeline.Tally, error) {
	panic("unasked")
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
