package simulation_test

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// kind is what an action does.
type kind int

const (
	kindInsert kind = iota
	kindEdit
	kindEditTwice
	kindQuietEdit
	kindRemove
	kindRecreate
	kindTie
	kindLateWrite
	kindFuture
	kindPoison
	kindWait
	kindWaitLong
	kindRequest
	kindStep
	kindCrash
	kindZombie
	kindPageSize
)

// action is one thing that happens; operand says to whom, or how much.
type action struct {
	kind    kind
	operand uint32
}

func (a action) String() string {
	names := [...]string{
		"insert", "edit", "edit twice in a second", "edit without a new time", "remove", "create again", "tie", "write that is seen late",
		"time in the future", "poison", "wait", "wait long", "request", "step", "crash", "zombie", "page size",
	}
	return fmt.Sprintf("%s %d", names[a.kind], a.operand)
}

// schedule draws what happens.
func schedule(rng *rand.Rand, s swarm) []action {
	var weighted []kind
	add := func(k kind, weight int) {
		for range weight {
			weighted = append(weighted, k)
		}
	}
	for _, k := range s.kinds {
		add(k, s.writes)
	}
	add(kindWait, 2)
	add(kindWaitLong, 1)
	add(kindRequest, 4)
	add(kindStep, 24)
	add(kindCrash, s.crashes)
	add(kindZombie, s.zombies)
	if rng.IntN(10) == 0 {
		add(kindPageSize, 1)
	}
	out := make([]action, s.steps)
	for i := range out {
		out[i] = action{kind: weighted[rng.IntN(len(weighted))], operand: rng.Uint32()}
	}
	return out
}

// do lets one thing happen.
func (w *world) do(a action) {
	w.notef("%s", a)
	up := w.streams[0].upstream
	n := a.operand
	switch a.kind {
	case kindInsert:
		up.insert(edition{lines: int(n % 3)})
	case kindTie:
		for range 2 + n%4 {
			up.insert(edition{lines: 1})
		}
	case kindLateWrite:
		w.late(up, n)
	case kindRecreate:
		if t := up.dead(n); t != nil {
			up.write(t, edition{lines: 1})
		}
	case kindWait:
		up.now = up.now.Add(time.Duration(n%3000) * time.Millisecond)
	case kindWaitLong:
		up.now = up.now.Add(time.Duration(n%90) * time.Second)
	case kindPageSize:
		up.perPage = 1 + int(n%4)
	case kindRequest:
		w.request(w.streams[int(n)%len(w.streams)])
	case kindStep:
		w.steps(n)
	case kindCrash:
		w.crash(int(n) % len(w.workers))
	case kindZombie:
		w.rescue(int(n) % len(w.workers))
	default:
		if t := up.living(n); t != nil {
			w.change(up, t, a.kind)
		}
	}
}

// change writes a living record anew.
func (*world) change(up *upstream, t *thing, k kind) {
	last := *t.last()
	switch k {
	case kindEdit:
		up.write(t, edition{lines: last.lines + 1})
	case kindEditTwice:
		up.write(t, edition{lines: last.lines})
		up.write(t, edition{lines: last.lines + 1})
	case kindQuietEdit:
		up.write(t, edition{lines: last.lines + 1, modified: last.modified, quiet: true})
	case kindRemove:
		up.write(t, edition{gone: true})
	case kindFuture:
		up.write(t, edition{lines: 1, modified: up.now.AddDate(900, 0, 0).Truncate(time.Second)})
	case kindPoison:
		up.write(t, edition{lines: 1, poison: true})
	default:
	}
}

// late writes something that can be read only a while after the time it carries.
func (*world) late(up *upstream, n uint32) {
	v := edition{lines: 1, visible: up.now.Add(time.Duration(n%uint32(lag/2/time.Millisecond)) * time.Millisecond)}
	if t := up.living(n); t != nil && n%2 == 0 {
		up.write(t, v)
		return
	}
	up.insert(v)
}

func (w *world) request(of *stream) {
	if of.held {
		of.wanted = true
		return
	}
	of.due = true
}

// steps lets one worker go on for a few points: one that has something to do, if any has.
func (w *world) steps(n uint32) {
	i := int(n) % len(w.workers)
	for j := range w.workers {
		if at := (i + j) % len(w.workers); w.workers[at].holds != nil {
			i = at
			break
		}
	}
	for range 1 + n/16%4 {
		w.step(i)
	}
}

func (w *world) step(i int) {
	if k := w.workers[i]; !k.dead {
		k.next()
	}
}

// crash kills a worker where it stands; its ticket is given to the next one.
func (w *world) crash(i int) {
	k := w.workers[i]
	k.stop()
	w.release(k)
	w.store.seen["crash"]++
	w.workers[i] = w.newWorker()
}

// rescue gives a worker's ticket to another one although the worker lives: it was
// suspended, or its network was cut.
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

// heal ends all trouble and lets everything come to rest: three more runs of each
// stream, the last of them a day later, when what rested is asked for again.
func (w *world) heal() {
	w.healed = true
	up := w.streams[0].upstream
	for _, pause := range []time.Duration{2 * lag, 2 * lag, 25 * time.Hour} {
		up.now = up.now.Add(pause)
		w.catchUp()
	}
	for _, k := range w.workers {
		k.stop()
	}
}

// catchUp runs each stream once.
func (w *world) catchUp() {
	for _, of := range w.streams {
		w.request(of)
		w.drain()
	}
}

// drain works until nothing is due.
func (w *world) drain() {
	const enough = 20_000
	for range enough {
		busy := false
		for i, k := range w.workers {
			w.step(i)
			busy = busy || k.holds != nil
		}
		for _, of := range w.streams {
			busy = busy || of.due
		}
		if !busy || w.store.violation != nil {
			return
		}
	}
	w.store.brokenf("what is due is not done after %d steps without trouble", enough)
}
