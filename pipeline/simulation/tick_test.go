package simulation_test

import (
	"cmp"
	"slices"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/planning"
)

// tick requests the runs that answer the hints whose pause is over, and makes the stream of hints
// run when it is due. It mirrors warehouse.RequestHinted; the engine fills planning.Hints alike.
func (w *world) tick() {
	s, h := w.store, w.hints
	now := s.clock(h.list)
	ids, deleted, list := h.dueHints(now)
	if len(ids) > 0 || list {
		w.readTold(ids, list, now)
	}
	if len(deleted) > 0 {
		w.lookTold(deleted, now)
	}
	if !now.Before(h.next) {
		h.schedule(pipeline.Occasion{Event: pipeline.Taken, Every: planning.HintedEvery}, now)
		if !h.hinted.held {
			h.hinted.due = true
		}
	}
}

// readTold requests the run that reads what changed.
func (w *world) readTold(ids []string, list bool, now time.Time) {
	s, h := w.store, w.hints
	told := planning.Hints{
		Records: len(ids) + len(h.pending()), List: list,
		AtOnce: h.list.Resource.SinglesAtOnce(), Headers: h.list.Resource.Details != nil,
		ListCalls: h.listCalls, SinceList: now.Sub(h.listBegan), ListRest: h.listRest,
		Recent: h.recent(now), PerMinute: h.perMinute,
	}
	if w.trace != nil {
		w.trace("%s tick: %q and list %t: %+v", h.list.upstream.now.Format(time.TimeOnly), ids, list, told)
	}
	switch told.Read() {
	case planning.ReadSingles:
		s.seen["hints by single records"]++
		for _, id := range ids {
			h.rows[id].asked = now
		}
		if s.requestTold(h.hinted) {
			h.schedule(pipeline.Occasion{Event: pipeline.Taken, Every: planning.HintedEvery}, now)
		}
	case planning.ReadListLater:
		s.seen["hints by the list, later"]++
		h.standIn(ids, now, told.ListRest-told.SinceList)
	case planning.ReadList:
		s.seen["hints by the list"]++
		h.standIn(ids, now, 0)
		s.requestTold(h.list)
	}
}

// lookTold requests the run that finds out what is gone, after a pause where one began just now. It
// mirrors what the engine chooses.
func (w *world) lookTold(ids []string, now time.Time) {
	s, h := w.store, w.hints
	since, rest := now.Sub(h.lookBegan), h.listRest
	switch h.deletions.Work {
	case pipeline.WorkSweep:
		rest = sweepRest
	case pipeline.WorkList:
		since = now.Sub(h.listBegan)
	default:
	}
	for _, id := range ids {
		x := h.rows[id]
		if since < rest {
			x.due = now.Add(rest - since)
		} else {
			x.asked, x.read, x.listed = now, now, true
		}
	}
	if since < rest {
		s.seen["deletions looked for later"]++
		return
	}
	s.seen["deletions looked for by "+cmp.Or(string(h.deletions.Work), "the list")]++
	s.requestTold(h.deletions)
}

// reap gives streams a job that have an open run and none, as the reaper does every second.
func (h *hints) reap() {
	for _, of := range [...]*stream{h.list, h.hinted, h.deletions} {
		if of.run != 0 && !of.held {
			of.due = true
		}
	}
}

// requestTold requests a run of a stream and reports whether it did. A denied stream waits as it
// did.
func (s *store) requestTold(of *stream) bool {
	if of.denied {
		s.seen["hints of a denied stream"]++
		return false
	}
	if s.mistake == mistakeNoOtherRun && (of.held || of.run != 0) {
		return true
	}
	of.asked++
	if !of.held {
		of.due = true
	}
	return true
}

// schedule sets when the stream of hints is due, by the rule of planning.
func (h *hints) schedule(event pipeline.Occasion, now time.Time) {
	due := planning.Due(event)
	if due.Spare && h.hinted.until.After(h.hinted.upstream.now) {
		return
	}
	at := now.Add(due.After)
	switch due.Bound {
	case pipeline.Exactly:
		h.next = at
	case pipeline.Earlier:
		h.next = earlier(h.next, at)
	case pipeline.Later:
		h.next = later(h.next, at)
	case pipeline.Unchanged:
	}
	h.wake = time.Time{}
}

// standIn lets one hint for the list stand for these records and for those that no run has read
// yet. It is due after a pause; zero means that a run of the list is requested.
func (h *hints) standIn(ids []string, now time.Time, pause time.Duration) {
	var first, last time.Time
	for id, x := range h.rows {
		if id == "" || !x.waits() || x.asked.IsZero() && !slices.Contains(ids, id) {
			continue
		}
		x.read, x.listed = now, true
		if first.IsZero() || x.first.Before(first) {
			first = x.first
		}
		last = later(last, x.last)
	}
	if last.IsZero() {
		first, last = now, now
	}
	x := h.rows[""]
	switch {
	case x == nil:
		x = &hint{first: first, last: last}
		h.rows[""] = x
	case x.waits():
		x.first, x.last = earlier(x.first, first), later(x.last, last)
	default:
		x.first, x.last = first, last
	}
	x.due, x.asked, x.read = now.Add(pause), time.Time{}, time.Time{}
	if pause == 0 {
		x.asked = now
	}
}
