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

// take returns the stream of the next job for a worker; nil if there is none.
func (w *world) take() *stream {
	for i := range w.streams {
		of := w.streams[(i+int(w.calls))%len(w.streams)]
		if of.ready() {
			of.due, of.held = false, true
			of.attempt++
			return of
		}
	}
	return nil
}

func (of *stream) ready() bool { return of.due && !of.held && !of.upstream.now.Before(of.until) }

// fate decides about a job whose chunk failed, by the kind of the failure. The job is snoozed with
// its run open, it ends until a request, it is tried again, or its run is closed as failed.
func (w *world) fate(of *stream, err error) {
	switch pipeline.KindOf(err) {
	case pipeline.Exhausted:
		of.due, of.until = true, of.upstream.now.Add(time.Hour)
		w.store.seen["waited for the day"]++
	case pipeline.Denied:
		of.run, of.position.Scan = 0, nil
		w.store.seen["denied"]++
		w.closed(of, pipeline.StateDenied)
	default:
		of.due = true
		if w.chance("fate", w.commits)%3 == 0 {
			of.run, of.position.Scan = 0, nil
			w.store.seen["run given up"]++
			w.closed(of, pipeline.StateFailed)
		}
	}
}

// closed notes that the run of a stream was closed because of an error.
func (w *world) closed(of *stream, state pipeline.State) {
	if w.hints != nil {
		w.store.failed(of, state)
	}
}

func (w *world) request(of *stream) {
	if of.held {
		of.wanted = true
		return
	}
	of.due = true
}

// steps lets one worker go on for a few points: one that works a job or, if there is none, one that
// can take a job.
func (w *world) steps(n uint32) {
	for j := range w.workers {
		k := w.workers[(int(n)+j)%len(w.workers)]
		if k.holds != nil && !k.suspended {
			for range 1 + n/16%4 {
				k.step()
			}
			return
		}
	}
	for j := range w.workers {
		if k := w.workers[(int(n)+j)%len(w.workers)]; !k.suspended && w.ready() {
			for range 1 + n/16%4 {
				k.step()
			}
			return
		}
	}
}

// round lets up to three hours pass, as between scans of a whole list. Then it requests all streams
// and lets the workers go on for a while.
func (w *world) round(n uint32) {
	up := w.streams[0].upstream
	up.now = up.now.Add(time.Duration(n%180) * time.Minute)
	for _, of := range w.streams {
		if of.Work != pipeline.WorkHinted { // the tick requests it
			w.request(of)
		}
	}
	for i := range 20 + n/180%20 {
		w.steps(n + 17*i)
	}
}

func (w *world) ready() bool {
	for _, of := range w.streams {
		if of.ready() {
			return true
		}
	}
	return false
}

func (k *worker) step() {
	if !k.dead {
		k.next()
	}
}

// crash kills a worker at its present point; its job becomes available to the next one.
func (w *world) crash(i int) {
	k := w.workers[i]
	k.stop()
	w.release(k)
	w.store.seen["crash"]++
	w.workers[i] = w.newWorker()
}

// rescue makes a worker's job available to another one although the worker is alive: it was
// suspended, or its network failed.
func (w *world) rescue(i int) {
	w.release(w.workers[i])
	w.store.seen["rescued"]++
}

func (*world) release(k *worker) {
	if of := k.holds; of != nil && of.held {
		of.held, of.due = false, true
		of.attempt++
	}
	k.holds = nil
}

// suspend suspends a worker, or resumes all of them.
func (w *world) suspend(n uint32) {
	if n%3 == 0 {
		for _, k := range w.workers {
			k.suspended = false
		}
		return
	}
	w.workers[int(n)%len(w.workers)].suspended = true
	w.store.seen["suspended"]++
}

// mostRuns is how many more runs may be needed until nothing is pending.
const mostRuns = 8

// heal ends all faults and lets the streams finish. Each stream has three more runs, the last of
// them a day later. By then paused single records are read again, and the scans that missed rows
// are far enough apart.
func (w *world) heal() {
	w.healed = true
	up := w.streams[0].upstream
	for _, k := range w.workers {
		k.suspended = false
	}
	for _, of := range w.streams {
		of.until = time.Time{}
	}
	w.settleDown()
	for n, pause := range []time.Duration{3 * lag, 4 * time.Hour, 25 * time.Hour} {
		up.now = up.now.Add(pause)
		began := w.store.clock(w.streams[0])
		w.catchUp()
		if n == 0 {
			w.equalByOneRun(began)
		}
	}
	// More runs may be needed: the brake stops other rows together with those under review, and a
	// run reads only a part of the backlog, which later rows join.
	for range mostRuns {
		open := w.unmended()
		if w.unburied() == "" && open == 0 && len(w.store.pending(w.streams[len(w.streams)-1])) == 0 {
			break
		}
		up.now = up.now.Add(max(4*time.Hour, open)) // an entry is read again once it is twice as old
		w.catchUp()
	}
	w.nothingWaits()
	for _, k := range w.workers {
		k.stop()
	}
}

// catchUp runs each stream once.
func (w *world) catchUp() {
	for _, of := range w.streams {
		if of.Work != pipeline.WorkHinted { // the tick requests it
			w.request(of)
		}
		w.drain()
	}
}

// drain lets the workers go on until nothing is due (within a bound).
func (w *world) drain() {
	const enough = 20_000
	for range enough {
		busy := false
		for _, k := range w.workers {
			if k.holds != nil || w.ready() {
				k.step()
				busy = true
			}
		}
		if !busy || w.store.violation != nil {
			return
		}
	}
	w.store.brokenf("what is due is not done after %d steps without trouble", enough)
}
