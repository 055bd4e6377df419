// Package plan draws the faults of a chaos run, with their times. It injects none of them.
//
// Start reading at Of.
package plan

import (
	"math/rand/v2"
	"time"
)

// Deed is one kind of fault.
type Deed string

// The faults. Each ends by itself, or is reverted after its time.
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

// Step is one fault of a plan.
type Step struct {
	Deed Deed
	// Slot is the process concerned.
	Slot int
	// The step begins after a number of Calls upstream or after a Pause, whichever is first.
	Calls int
	Pause time.Duration
	// Lasts is its duration.
	Lasts time.Duration
	// Bytes pass before a cut; Seed draws the calls that upstream refuses.
	Bytes int
	Seed  uint64
	// Clock is the clock error of the process started next. Older makes it an older version, which
	// knows fewer resources.
	Clock time.Duration
	Older bool
}

// mix says how often each fault occurs.
type mix struct {
	Deed  Deed
	Count int
	Lasts [2]time.Duration // least and most
}

// mixOf returns the mix of a chaos run. Most kills strike any process, the others the leader of the
// queue.
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
		// Upstream gives ten tokens in ten minutes, which are shortened like the others. Each slot
		// needs its own token, since it reaches upstream by its own address, and kills cost some.
		{Deed: Revoke, Count: 2},
	}
}

// Of draws the steps of a chaos run: the same seed and figures give the same ones. Their effects
// depend on the machine.
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

// clockOf draws the clock error of the next process: one in four has one, of up to half an hour.
func clockOf(chance *rand.Rand) time.Duration {
	const most = 30 * time.Minute
	if chance.IntN(4) > 0 {
		return 0
	}
	return time.Duration(chance.Int64N(int64(2*most))) - most
}
