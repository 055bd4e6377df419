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
	kindTooLateWrite
	kindSetBack
	kindFuture
	kindPoison
	kindNameless
	kindWait
	kindWaitLong
	kindRound
	kindRequest
	kindStep
	kindCrash
	kindZombie
	kindSuspend
	kindJump
	kindReview
	kindPageSize
	kindOurPageSize
	kindRestore
	kindBackdated
	kindEditTold
	kindForge
	kindFlood
	kindSilence
)

func (k kind) String() string {
	return [...]string{
		"insert", "edit", "edit twice in a second", "edit without a new time", "remove", "create again", "tie", "write that is seen late",
		"write that is seen too late", "set back", "time in the future", "poison", "nameless", "wait", "wait long", "round", "request", "step",
		"crash", "zombie", "suspend", "clocks jump", "review", "page size", "page size of ours",
		"restore under an old time", "insert before others", "edit of what was told of", "forged callback", "flood of callbacks", "silent channel",
	}[k]
}

// action is one event of a schedule; operand selects its object or its amount.
type action struct {
	kind    kind
	operand uint32
}

func (a action) String() string { return fmt.Sprintf("%s %d", a.kind, a.operand) }

// schedule draws the actions of a schedule.
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
	add(kindSuspend, s.suspends)
	add(kindJump, s.jumps)
	add(kindEditTold, s.channel.edits)
	add(kindForge, s.channel.forges)
	add(kindFlood, s.channel.floods)
	add(kindSilence, s.channel.silences)
	if s.complete {
		add(kindRound, rng.IntN(4))
		add(kindReview, 1)
	}
	for _, k := range []kind{kindPageSize, kindOurPageSize} {
		if rng.IntN(10) == 0 {
			add(k, 1)
		}
	}
	out := make([]action, s.steps)
	for i := range out {
		out[i] = action{kind: weighted[rng.IntN(len(weighted))], operand: rng.Uint32()}
	}
	return out
}

// do executes one action.
func (w *world) do(a action) {
	w.note(a.kind.String(), uint64(a.operand))
	n := a.operand
	switch a.kind {
	case kindRequest:
		w.request(w.streams[int(n)%len(w.streams)])
	case kindRound:
		w.round(n)
	case kindStep:
		w.steps(n)
	case kindCrash:
		w.crash(int(n) % len(w.workers))
	case kindZombie:
		w.rescue(int(n) % len(w.workers))
	case kindSuspend:
		w.suspend(n)
	case kindJump:
		w.skew = time.Duration(n%7200)*time.Second - 2*time.Hour + w.swarm.skew.Abs()
	case kindReview:
		w.review()
	case kindPageSize:
		w.streams[0].upstream.perPage = w.pageSize(n)
	case kindOurPageSize:
		w.store.rules.PerPage = w.pageSize(n)
	case kindEditTold:
		w.editTold(n)
	case kindForge:
		w.forge(n, few)
	case kindFlood:
		w.forge(n, flood)
	case kindSilence:
		w.silence(n)
	default:
		w.streams[0].upstream.happen(a.kind, n)
	}
	w.listen()
}

// pageSize picks a size of pages.
func (w *world) pageSize(n uint32) int {
	switch {
	case w.swarm.wobbles:
		return leastWobbly + int(n%8)
	case w.swarm.long:
		return leastLong + int(n%8)
	}
	return 1 + int(n%5)
}

// happen executes an action upstream: users edit records, or time passes.
func (u *upstream) happen(k kind, n uint32) {
	if u.wobbles {
		u.now = u.now.Add(time.Second) // few records tie
	}
	switch k {
	case kindInsert:
		u.insert(edition{lines: int(n % 3)})
	case kindTie:
		most := uint32(4)
		if u.wobbles {
			most = 1
		}
		for range 2 + n%most {
			u.insert(edition{lines: 1})
		}
	case kindLateWrite:
		u.late(n, lag/2)
	case kindTooLateWrite:
		u.late(n, 3*lag)
	case kindRecreate:
		if t := u.dead(n); t != nil {
			u.write(t, edition{lines: 1})
		}
	case kindRestore:
		if t := u.dead(n); t != nil {
			before := t.versions[len(t.versions)-2]
			u.write(t, edition{lines: 1, modified: before.modified, quiet: true})
		}
	case kindBackdated:
		u.insert(edition{lines: 1})
		u.things[len(u.things)-1].created = u.now.Add(-time.Duration(n%7200) * time.Second).Truncate(time.Second)
	case kindWait:
		u.now = u.now.Add(time.Duration(n%3000) * time.Millisecond)
	case kindWaitLong:
		u.now = u.now.Add(time.Duration(n%90) * time.Second)
	default:
		if t := u.living(n); t != nil {
			u.change(t, k)
		}
	}
}

// change writes a new version of a record that is not deleted.
func (u *upstream) change(t *thing, k kind) {
	last := *t.last()
	switch k {
	case kindEdit:
		u.write(t, edition{lines: last.lines + 1})
	case kindEditTwice:
		u.write(t, edition{lines: last.lines})
		u.write(t, edition{lines: last.lines + 1})
	case kindQuietEdit:
		u.write(t, edition{lines: last.lines + 1, modified: last.modified, quiet: true})
	case kindSetBack:
		// As after a restore: an older time, which no list by time shows as new.
		u.write(t, edition{lines: 1, modified: last.modified.Add(-time.Minute), quiet: true})
	case kindRemove:
		u.write(t, edition{gone: true})
	case kindFuture:
		u.write(t, edition{lines: 1, modified: u.now.AddDate(900, 0, 0).Truncate(time.Second)})
	case kindPoison:
		u.write(t, edition{lines: 1, poison: true})
	case kindNameless:
		u.write(t, edition{lines: 1, poison: true, nameless: true})
	default:
	}
}

// late writes a version that becomes visible some time after its modification time.
func (u *upstream) late(n uint32, most time.Duration) {
	v := edition{lines: 1, visible: u.now.Add(time.Duration(n%uint32(most/time.Millisecond)) * time.Millisecond)}
	if t := u.living(n); t != nil && n%2 == 0 {
		u.write(t, v)
		return
	}
	u.insert(v)
}
