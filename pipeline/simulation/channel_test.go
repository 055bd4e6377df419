package simulation_test

import (
	"fmt"
	"slices"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/planning"
)

// channel is what a seed draws about change notifications.
type channel struct {
	// on says that upstream tells of changes at all.
	on bool
	// lost, doubled, late and vague are those of a thousand callbacks that get lost, come twice,
	// come minutes late, and name no record.
	lost, doubled, late, vague uint64
	// watch says that a repetition is known by its contents, prompt that callbacks come at once,
	// operations that they name what is gone.
	watch, prompt, operations bool
	// perMinute is the cap on calls, listRest the least time between two runs of the list.
	perMinute int
	listRest  time.Duration
	// edits, forges, floods and silences are the weights of these actions; edits are of records of
	// which callbacks told just now.
	edits, forges, floods, silences int
}

// hinted draws from the seed alone whether upstream tells of changes, and how, so that schedules
// without that stay the same.
func (s *swarm) hinted(seed uint64) {
	if mix(seed, "hints", 0)%3 > 0 {
		return
	}
	c := &s.channel
	c.on = true
	for of, rate := range map[string]*uint64{"lost": &c.lost, "doubled": &c.doubled, "late": &c.late, "vague": &c.vague} {
		if n := mix(seed, of, 0); n%2 == 0 {
			*rate = 1 + n/2%400
		}
	}
	for of, weight := range map[string]*int{"edits": &c.edits, "forges": &c.forges, "floods": &c.floods, "silences": &c.silences} {
		if n := mix(seed, of, 0); n%3 == 0 {
			*weight = 1 + int(n/3%2)
		}
	}
	c.watch, c.prompt, c.operations = mix(seed, "watch", 0)%2 == 0, mix(seed, "prompt", 0)%2 == 0, mix(seed, "operations", 0)%2 == 0
	c.perMinute = []int{2, 5, 20}[mix(seed, "per minute", 0)%3]
	c.listRest = []time.Duration{0, time.Minute, 5 * time.Minute}[mix(seed, "list rest", 0)%3]
	s.writes = max(s.writes, 1)
	s.kinds = append(s.kinds, kindEdit, kindLateWrite)
}

// callback is a change notification under way.
type callback struct {
	at  time.Time
	ids []string
	// version is the value of the version that it tells of, zero if it is forged or names no
	// record.
	version int
	// repeats says that the same callback arrived before, deleted that it tells of a deletion.
	repeats, deleted bool
}

// subscribe makes upstream tell of changes from now on.
func (w *world) subscribe() {
	list, hinted, deletions := w.streams[0], w.streams[len(w.streams)-1], w.streams[0]
	for _, of := range w.streams {
		if of.Work == pipeline.WorkSweep || of.Work == pipeline.WorkLook { // the look is behind the sweep
			deletions = of
		}
	}
	w.hints = &hints{
		channel: w.swarm.channel, rows: map[string]*hint{}, list: list, hinted: hinted, deletions: deletions, answers: map[int64]answer{},
		next: w.store.clock(list).Add(planning.HintedEvery),
	}
	list.table.hints = w.hints
	list.upstream.changed = w.tell
}

// few and flood are how many records one forged callback names at most.
const few, flood = 3, 40

// tell sends a callback about a version of a thing.
func (w *world) tell(t *thing) {
	h := w.hints
	now := h.list.upstream.now
	n := w.chance(t.id, uint64(len(t.versions)))
	rate := func(of string) uint64 { return w.chance(of, n) % 1000 }
	if now.Before(h.silent) || rate("lost") < h.lost {
		w.store.seen["callback lost"]++
		return
	}
	c := callback{at: now.Add(time.Duration(n%5000) * time.Millisecond), ids: []string{t.id}}
	if h.prompt {
		c.at = now
	}
	c.version, c.deleted = t.last().value, h.operations && t.last().gone
	if rate("vague") < h.vague {
		c.ids[0], c.version = "", 0
		w.store.seen["callback without a record"]++
	}
	if rate("late") < h.late {
		c.at = c.at.Add(time.Duration(n%400) * time.Second)
		w.store.seen["callback late"]++
	}
	h.fly(c)
	if rate("doubled") < h.doubled {
		h.fly(callback{at: c.at.Add(time.Duration(n%90_000) * time.Millisecond), ids: c.ids, version: c.version, deleted: c.deleted, repeats: true})
		w.store.seen["callback repeated"]++
	}
}

func (h *hints) fly(c callback) {
	h.flying, h.wake = append(h.flying, c), time.Time{}
}

// editTold edits a record whose hint waits.
func (w *world) editTold(n uint32) {
	up := w.hints.list.upstream
	if ids := w.hints.waiting(); len(ids) > 0 {
		if t := up.thing(ids[int(n)%len(ids)]); t != nil && !t.last().gone {
			up.change(t, kindEdit)
		}
	}
}

// forge sends callbacks that tell of what did not change: records that do not exist, do not exist
// yet, or are as they were.
func (w *world) forge(n uint32, most int) {
	up := w.hints.list.upstream
	w.store.seen["callback forged"]++
	var ids []string
	for i := range 1 + int(n)%most {
		switch m := w.chance("forged", uint64(n)+uint64(i)); m % 3 {
		case 0:
			ids = append(ids, fmt.Sprintf("x%02d", m%100))
		case 1:
			ids = append(ids, fmt.Sprintf("%03d", len(up.things)+1+int(m%4)))
		default:
			ids = append(ids, fmt.Sprintf("%03d", 1+m%uint64(len(up.things)+1)))
		}
	}
	w.hints.fly(callback{at: up.now, ids: ids, deleted: w.hints.operations && n%3 == 0})
}

// silence lets the channel lose all callbacks for a while.
func (w *world) silence(n uint32) {
	w.hints.silent = w.hints.list.upstream.now.Add(time.Duration(n%600) * time.Second)
	w.store.seen["channel silent"]++
}

// listen takes the callbacks that have arrived, and lets the database tick.
func (w *world) listen() {
	h := w.hints
	if h == nil {
		return
	}
	h.reap()
	if h.list.upstream.now.Before(h.wake) {
		return
	}
	w.arrive()
	w.tick()
	h.wake = w.nextEvent()
}

// arrive takes the callbacks that have arrived. It checks that a callback alone makes no call,
// writes no row and moves no stream.
func (w *world) arrive() {
	h := w.hints
	now := h.list.upstream.now
	var arrived []callback
	h.flying = slices.DeleteFunc(h.flying, func(c callback) bool {
		if !c.at.After(now) {
			arrived = append(arrived, c)
		}
		return !c.at.After(now)
	})
	if len(arrived) == 0 {
		return
	}
	slices.SortStableFunc(arrived, func(a, b callback) int { return a.at.Compare(b.at) })
	before := w.standing()
	for _, c := range arrived {
		w.store.seen["callback"]++
		if c.repeats && h.watch {
			continue
		}
		if w.trace != nil {
			w.trace("%s callback %q, deleted %t", now.Format(time.TimeOnly), c.ids, c.deleted)
		}
		h.take(c, w.store.clock(h.list))
	}
	if w.standing() != before {
		w.store.brokenf("a callback alone made a call, wrote a row or moved a stream: %v", arrived)
	}
}

// standing is a digest of all that a callback must not change.
func (w *world) standing() uint64 {
	digest := mix(uint64(w.calls), "", w.commits)
	for _, of := range w.streams {
		digest = mix(digest, fmt.Sprint(of.due, of.wanted, of.asked), uint64(of.fence))
		digest = mix(digest, "", uint64(of.position.Watermark.UnixNano()))
	}
	table := w.hints.list.table
	for _, t := range w.hints.list.upstream.things {
		if row := table.rows[t.id]; row != nil {
			digest = mix(digest, row.value, uint64(row.changed.UnixNano()))
			digest = mix(digest, row.stamps, uint64(row.deleted.UnixNano()))
		}
	}
	return mix(digest, "", uint64(len(table.evidence)))
}

// nextEvent returns the next instant, by upstream's clock, at which a callback arrives, a hint or
// the stream of hints is due, or a stream that waits for the day goes on.
func (w *world) nextEvent() time.Time {
	h := w.hints
	next := h.next.Add(-w.store.skew)
	for _, of := range [...]*stream{h.list, h.hinted, h.deletions} {
		if of.due && of.until.After(of.upstream.now) {
			next = earlier(next, of.until)
		}
	}
	for _, c := range h.flying {
		next = earlier(next, c.at)
	}
	for _, x := range h.rows {
		if x.waits() && x.asked.IsZero() {
			next = earlier(next, x.due.Add(-w.store.skew))
		}
	}
	return next
}
