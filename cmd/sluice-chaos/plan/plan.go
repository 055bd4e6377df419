// Package plan draws what a storm does, and when: deeds by name. It does none of them.
//
// Start reading at Of.
package plan

import (
	"math/rand/v2"
	"time"
)

// Deed is one kind of thing that a storm does.
type Deed string

// The deeds. Each ends by itself, or is taken back after its time.
const (
	Kill        Deed = "kill -9"
	KillLeader  Deed = "kill -9 of the leader"
	Terminate   Deed = "SIGTERM"
	Suspend     Deed = "SIGSTOP"
	JumpAhead   Deed = "clock jumps ahead"
	JumpBack    Deed = "clock jumps back"
	Crash       Deed = "Postgres ended at once"
	KillSession Deed = "Postgres session killed"
	FillDisk    Deed = "disk full"
	LockTable   Deed = "database: table locked"
	Crowd       Deed = "database: no connection left"
	DBReset     Deed = "database: reset"
	DBHold      Deed = "database: held"
	DBSwallow   Deed = "database: swallowed"
	DBCut       Deed = "database: cut"
	DBDelay     Deed = "database: late"
	HTTPReset   Deed = "upstream: reset"
	HTTPSwallow Deed = "upstream: swallowed"
	HTTPCut     Deed = "upstream: cut"
	HTTPDelay   Deed = "upstream: late"
	Refuse      Deed = "upstream: 429 storm"
	Fail        Deed = "upstream: 503 storm"
	Revoke      Deed = "access tokens revoked"
)

// Step is one deed of a plan.
type Step struct {
	Deed Deed
	// Slot is the process that it strikes.
	Slot int
	// Calls have to arrive upstream before it, or Pause has to pass, whichever is first.
	Calls int
	Pause time.Duration
	// Lasts is how long it holds.
	Lasts time.Duration
	// Bytes are those that pass before a cut; Seed draws the calls that upstream refuses.
	Bytes int
	Seed  uint64
	// Clock is how far the clock of the process is off that is started after it, and Older that it is of an older version, which
	// does not know all that the others do.
	Clock time.Duration
	Older bool
}

// mix is how often each deed comes.
type mix struct {
	Deed  Deed
	Count int
	Lasts [2]time.Duration // least and most
}

// mixOf returns what a storm consists of. Of the kills, most strike any process, the others the leader of the queue.
func mixOf(kills, crashes, leaders int) []mix {
	const second = time.Second
	few := max(1, kills/25)
	return []mix{
		{Deed: Kill, Count: kills - leaders}, {Deed: KillLeader, Count: leaders},
		{Deed: Crash, Count: crashes - crashes/4}, {Deed: KillSession, Count: crashes / 4},
		{Deed: Terminate, Count: 2 * few},
		{Deed: Suspend, Count: 2 * few, Lasts: [2]time.Duration{second, 14 * second}},
		{Deed: JumpAhead, Count: 2 * few}, {Deed: JumpBack, Count: 2 * few},
		{Deed: FillDisk, Count: max(1, few/2), Lasts: [2]time.Duration{2 * second, 4 * second}},
		// Some of these outlast lock_timeout, which is 20 s.
		{Deed: LockTable, Count: max(1, few/2), Lasts: [2]time.Duration{2 * second, 25 * second}},
		{Deed: Crowd, Count: 1, Lasts: [2]time.Duration{2 * second, 4 * second}},
		{Deed: DBReset, Count: 2 * few}, {Deed: DBCut, Count: few},
		{Deed: DBHold, Count: few, Lasts: [2]time.Duration{second, 4 * second}},
		{Deed: DBSwallow, Count: few, Lasts: [2]time.Duration{second, 4 * second}},
		{Deed: DBDelay, Count: few, Lasts: [2]time.Duration{second, 3 * second}},
		{Deed: HTTPReset, Count: 2 * few}, {Deed: HTTPCut, Count: few},
		{Deed: HTTPSwallow, Count: few, Lasts: [2]time.Duration{second, 4 * second}},
		{Deed: HTTPDelay, Count: few, Lasts: [2]time.Duration{second, 3 * second}},
		{Deed: Refuse, Count: max(1, few/2), Lasts: [2]time.Duration{second, 2 * second}},
		{Deed: Fail, Count: max(1, few/2), Lasts: [2]time.Duration{second, 2 * second}},
		// Upstream gives ten tokens in ten minutes, which are as short here as the others. Each slot asks for its own, as it reaches
		// upstream by an address of its own, and kills cost some.
		{Deed: Revoke, Count: 2},
	}
}

// Of draws the steps of a storm: the same seed and figures give the same ones. What comes of them depends on the machine.
func Of(seed uint64, slots, kills, crashes, leaders int) []Step {
	chance := rand.New(rand.NewPCG(seed, 0x5702))
	var steps []Step
	for _, m := range mixOf(kills, crashes, leaders) {
		for range m.Count {
			s := Step{
				Deed: m.Deed, Slot: chance.IntN(slots), Calls: chance.IntN(10), Pause: time.Duration(100+chance.IntN(900)) * time.Millisecond,
				Bytes: chance.IntN(2000), Seed: chance.Uint64(), Clock: clockOf(chance),
				Older: chance.IntN(6) == 0,
			}
			if span := m.Lasts[1] - m.Lasts[0]; span > 0 {
				s.Lasts = m.Lasts[0] + time.Duration(chance.Int64N(int64(span)))
			}
			steps = append(steps, s)
		}
	}
	chance.Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
	return steps
}

// clockOf draws how far the next process's clock is off: one in four is, by up to half an hour.
func clockOf(chance *rand.Rand) time.Duration {
	const most = 30 * time.Minute
	if chance.IntN(4) > 0 {
		return 0
	}
	return time.Duration(chance.Int64N(int64(2*most))) - most
}
