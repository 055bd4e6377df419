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
