package simulation_test

import (
	"cmp"
	"slices"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/planning"
)

// hint is one row of sluice.hints: a record of which callbacks told, or the list if its identifier
// is "". The rules are those of package hints and of take_callback, which are SQL and are tested on
// a database. The simulation tests them together with everything else.
type hint struct {
	first, last, due time.Time
	// asked is when a run was requested because of the hint, read when it was answered; zero
	// before.
	asked, read time.Time
	// again says that a read showed nothing new, and that another one follows; deleted that
	// upstream told that the record is gone.
	again, deleted bool
	// The rest is what only the simulation knows. told is the value of the newest version of which
	// callbacks told. listed says that a run of the list or a look answers for the record, excused
	// that the answer need not have shown that version.
	told            int
	listed, excused bool
}

func (h *hint) waits() bool { return h.read.IsZero() }

// The figures of hints: the pause after a callback, the longest pause after the first one, the
// pause before the second read, how many runs are looked at for the calls of a minute, and the
// least time between two sweeps.
const (
	debounce   = 2 * time.Second
	mostPause  = 15 * time.Second
	readAgain  = 30 * time.Second
	recentRuns = 64
	sweepRest  = 6 * time.Hour
)

// hints are the hints of the one list, and the facts that decide how they are answered.
type hints struct {
	channel

	rows map[string]*hint
	// list and hinted are the streams that answer hints; deletions is the one that looks for what
	// is said to be gone.
	list, hinted, deletions *stream
	// next is when the stream of hints is due, by the clock of the database.
	next time.Time
	// runs are the runs of hints; listBegan and listCalls are of the list: when its last run began,
	// and the calls of its last clean one. LookBegan is when the last look or sweep began.
	runs                 []hintedRun
	listBegan, lookBegan time.Time
	listCalls            int
	// answers says how upstream answered the calls of hints, reads what these asked for.
	answers map[int64]answer
	reads   []reads
	// wake is the next instant, by upstream's clock, at which a callback or a tick has work. Flying
	// are the callbacks under way; until silent all callbacks get lost.
	wake, silent time.Time
	flying       []callback
}

// hintedRun is a run of hints: when it began, and how many calls were answered.
type hintedRun struct {
	began time.Time
	pages int
}

// reads is a call of hints: when it was reserved, and for how many records that waited.
type reads struct {
	at      time.Time
	records int
}

// answer is how upstream answered a call, at an instant by its clock.
type answer struct {
	at time.Time
	// wrong says that a fault spoilt the answer.
	wrong bool
}

// take mirrors the part of take_callback that is about hints.
func (h *hints) take(c callback, now time.Time) {
	for _, id := range slices.Compact(slices.Sorted(slices.Values(c.ids))) {
		x := h.rows[id]
		if x == nil {
			h.rows[id] = &hint{first: now, last: now, due: now.Add(min(debounce, mostPause)), told: c.version, deleted: c.deleted}
			continue
		}
		first := now
		if x.asked.IsZero() && x.waits() && !x.again {
			first = x.first
		}
		*x = hint{
			first: first, last: now, due: earlier(now.Add(debounce), first.Add(mostPause)), told: max(x.told, c.version), deleted: c.deleted,
		}
	}
}

// dueHints returns the hints whose pause is over: records, those that are said to be gone, and
// whether the list is among them.
func (h *hints) dueHints(now time.Time) (ids, deleted []string, list bool) { //nolint:nonamedreturns // the names say which is which
	for id, x := range h.rows {
		switch {
		case !x.asked.IsZero() || !x.waits() || x.due.After(now):
		case id == "":
			list = true
		case x.deleted:
			deleted = append(deleted, id)
		default:
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, deleted, list
}

// pending returns the records that a run was requested for, the oldest hint first.
func (h *hints) pending() []string {
	var ids []string
	for id, x := range h.rows {
		if id != "" && x.waits() && !x.asked.IsZero() {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b string) int { return cmp.Or(h.rows[a].first.Compare(h.rows[b].first), cmp.Compare(a, b)) })
	return ids
}

// recent returns the calls of the runs of hints that began within the last minute.
func (h *hints) recent(now time.Time) int {
	pages := 0
	for i := max(0, len(h.runs)-recentRuns); i < len(h.runs); i++ {
		if h.runs[i].began.After(now.Add(-time.Minute)) {
			pages += h.runs[i].pages
		}
	}
	return pages
}

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

// settle settles the hints of the records that a batch asked for, if they arrived before its call
// was reserved. A record that shows nothing new is read again after a pause, once.
func (s *store) settle(of *stream, batch pipeline.Batch) {
	h := of.table.hints
	if batch.Call != 0 {
		h.runs[len(h.runs)-1].pages++
	}
	ids := slices.Clone(batch.Missing)
	for i := range batch.Records {
		ids = append(ids, batch.Records[i].ID)
	}
	for i := range batch.Rejected {
		if id := batch.Rejected[i].ID; id != "" {
			ids = append(ids, id)
		}
	}
	asked, answered := of.upstream.asked[batch.Call], 0
	for _, id := range ids {
		x := h.rows[id]
		if x == nil || !x.waits() {
			continue
		}
		answered++
		if !x.last.Before(asked) && s.mistake != mistakeSpent {
			if batch.Call != 0 {
				s.seen["callback during a call"]++
			}
			continue
		}
		row := of.table.rows[id]
		fresh := row != nil && !row.changed.Before(asked)
		x.excused = h.excuses(of, id, batch.Call, fresh, s.skew)
		s.answered(of, x, fresh)
		if !x.waits() {
			s.showsTold(of, id, x)
		}
	}
	s.withinCap(of, asked, answered)
}

// answered settles a hint that was read.
func (s *store) answered(of *stream, x *hint, fresh bool) {
	now := s.clock(of)
	switch {
	case x.again:
		s.seen["hint read twice"]++
		x.read = now
	case fresh || s.mistake == mistakeReadOnce:
		s.seen["hint answered"]++
		x.read = now
	default:
		x.asked, x.due = time.Time{}, now.Add(readAgain)
	}
	x.again = !fresh
	of.table.hints.wake = time.Time{}
}

// began notes that a run began.
func (h *hints) began(of *stream) {
	of.calls, of.wrote, of.serves, of.stopped, of.denied = 0, 0, of.asked, false, false
	switch of.Work {
	case pipeline.WorkList:
		h.listBegan = of.begun
	case pipeline.WorkHinted:
		h.runs = append(h.runs, hintedRun{began: of.begun})
	case pipeline.WorkSweep, pipeline.WorkLook:
		h.lookBegan = of.begun
	default:
	}
}

// ended notes the end of a run. A clean run of the list answers what was told of before it began.
func (s *store) ended(of *stream, end *pipeline.End) {
	h := of.table.hints
	of.stopped = end.Outcome != pipeline.OutcomeDone
	switch of.Work {
	case pipeline.WorkHinted:
		if end.Again == pipeline.AgainHinted {
			s.seen["hints are left"]++
		}
		h.schedule(pipeline.Occasion{
			Event: pipeline.Ended, State: pipeline.StateIdle, Every: planning.HintedEvery, Again: end.Again, Requested: of.asked > of.serves,
		}, s.clock(of))
		s.leftSoon(of)
	case pipeline.WorkList:
		if of.stopped {
			return
		}
		h.listCalls = of.calls
		if x := h.rows[""]; x != nil && x.waits() && !x.last.After(of.begun) { // a tick and a claim can share an instant here
			s.answered(of, x, of.wrote > 0)
			s.seen["list answered"]++
		}
	default:
	}
}

// failed notes that a run was closed because of an error. Hints that it did not read wait for the
// schedule, unless it was requested again meanwhile.
func (s *store) failed(of *stream, state pipeline.State) {
	h := of.table.hints
	of.stopped, of.denied = true, state == pipeline.StateDenied
	of.due = of.due || of.asked > of.serves
	if of.Work == pipeline.WorkHinted {
		of.due = false
		h.schedule(pipeline.Occasion{Event: pipeline.Ended, State: state, Every: planning.HintedEvery, Requested: of.asked > of.serves}, s.clock(of))
	}
}

// waiting returns the hints that wait, in order.
func (h *hints) waiting() []string {
	var ids []string
	for id, x := range h.rows {
		if x.waits() {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
