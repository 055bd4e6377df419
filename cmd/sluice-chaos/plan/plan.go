// Package plan draws the faults of a chaos run, with their times. It injects none of them.
//
// Start reading at Of.
package plan

import (
	"math/rand/v2"
	"time"
)

// Fault is one kind of fault.
type Fault string

// The faults. Each ends by itself, or is reverted after its time.
const (
	Kill        Fault = "kill -9"
	KillLeader  Fault = "kill -9 of the leader"
	Terminate   Fault = "SIGTERM"
	Suspend     Fault = "SIGSTOP"
	JumpAhead   Fault = "clock jumps ahead"
	JumpBack    Fault = "clock jumps back"
	Crash       Fault = "Postgres ended at once"
	KillSession Fault = "Postgres session killed"
	FillDisk    Fault = "disk full"
	LockTable   Fault = "database: table locked"
	Crowd       Fault = "database: no connection left"
	DBReset     Fault = "database: reset"
	DBHold      Fault = "database: held"
	DBSwallow   Fault = "database: swallowed"
	DBCut       Fault = "database: cut"
	DBDelay     Fault = "database: late"
	HTTPReset   Fault = "upstream: reset"
	HTTPSwallow Fault = "upstream: swallowed"
	HTTPCut     Fault = "upstream: cut"
	HTTPDelay   Fault = "upstream: late"
	Refuse      Fault = "upstream: 429 for a while"
	Fail        Fault = "upstream: 503 for a while"
	Revoke      Fault = "access tokens revoked"
)

// The faults of receivers: processes that do nothing but take callbacks.
const (
	KillReceiver      Fault = "receiver: kill -9"
	KillAfterInsert   Fault = "receiver: kill -9 after insert"
	TerminateReceiver Fault = "receiver: SIGTERM"
	SuspendReceiver   Fault = "receiver: SIGSTOP"
	InboxReset        Fault = "receiver: database reset"
	InboxSwallow      Fault = "receiver: database swallowed"
	InboxDelay        Fault = "receiver: database late"
	PublicReset       Fault = "callbacks: reset"
	PublicCut         Fault = "callbacks: answers cut"
	PublicSwallow     Fault = "callbacks: swallowed"
)

// Step is one fault of a plan.
type Step struct {
	Fault Fault
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
	Fault Fault
	Count int
	Lasts [2]time.Duration // least and most
}

// mixOf returns the mix of a chaos run. Most kills strike any process, the others the leader of the
// queue.
func mixOf(kills, crashes, leaders int) []mix {
	const second = time.Second
	few := max(1, kills/25)
	return []mix{
		{Fault: Kill, Count: kills - leaders}, {Fault: KillLeader, Count: leaders},
		{Fault: Crash, Count: crashes - crashes/4}, {Fault: KillSession, Count: crashes / 4},
		{Fault: Terminate, Count: 2 * few},
		{Fault: Suspend, Count: 2 * few, Lasts: [2]time.Duration{second, 14 * second}},
		{Fault: JumpAhead, Count: 2 * few}, {Fault: JumpBack, Count: 2 * few},
		{Fault: FillDisk, Count: max(1, few/2), Lasts: [2]time.Duration{2 * second, 4 * second}},
		// Some of these outlast lock_timeout, which is 20 s.
		{Fault: LockTable, Count: max(1, few/2), Lasts: [2]time.Duration{2 * second, 25 * second}},
		{Fault: Crowd, Count: 1, Lasts: [2]time.Duration{2 * second, 4 * second}},
		{Fault: DBReset, Count: 2 * few}, {Fault: DBCut, Count: few},
		{Fault: DBHold, Count: few, Lasts: [2]time.Duration{second, 4 * second}},
		{Fault: DBSwallow, Count: few, Lasts: [2]time.Duration{second, 4 * second}},
		{Fault: DBDelay, Count: few, Lasts: [2]time.Duration{second, 3 * second}},
		{Fault: HTTPReset, Count: 2 * few}, {Fault: HTTPCut, Count: few},
		{Fault: HTTPSwallow, Count: few, Lasts: [2]time.Duration{second, 4 * second}},
		{Fault: HTTPDelay, Count: few, Lasts: [2]time.Duration{second, 3 * second}},
		{Fault: Refuse, Count: max(1, few/2), Lasts: [2]time.Duration{second, 2 * second}},
		{Fault: Fail, Count: max(1, few/2), Lasts: [2]time.Duration{second, 2 * second}},
		// Upstream gives ten tokens in ten minutes, which are shortened like the others. Each slot
		// needs its own token, since it reaches upstream by its own address, and kills cost some.
		{Fault: Revoke, Count: 2},
	}
}

// mixOfReceivers returns the mix of the receivers.
func mixOfReceivers(kills int) []mix {
	const second = time.Second
	few := max(1, kills/10)
	return []mix{
		{Fault: KillReceiver, Count: kills - kills/2}, {Fault: KillAfterInsert, Count: kills / 2}, {Fault: TerminateReceiver, Count: few},
		{Fault: SuspendReceiver, Count: few, Lasts: [2]time.Duration{second, 4 * second}},
		{Fault: InboxReset, Count: few},
		{Fault: InboxSwallow, Count: few, Lasts: [2]time.Duration{second, 4 * second}},
		{Fault: InboxDelay, Count: few, Lasts: [2]time.Duration{second, 3 * second}},
		{Fault: PublicReset, Count: few}, {Fault: PublicCut, Count: 2 * few},
		{Fault: PublicSwallow, Count: few, Lasts: [2]time.Duration{second, 2 * second}},
	}
}

// Of draws the steps of a chaos run: the same seed and figures give the same ones. Their effects
// depend on the machine.
func Of(seed uint64, slots, kills, crashes, leaders int) []Step {
	return draw(rand.New(rand.NewPCG(seed, 0x5702)), slots, mixOf(kills, crashes, leaders))
}

// OfReceivers draws the steps of the receivers, which are played beside the others. Their pauses
// are longer, so that both take about as long.
func OfReceivers(seed uint64, receivers, kills int) []Step {
	steps := draw(rand.New(rand.NewPCG(seed, 0x5703)), receivers, mixOfReceivers(kills))
	for n := range steps {
		const most, longer = 200, 3
		steps[n].Calls, steps[n].Pause, steps[n].Bytes = 0, longer*steps[n].Pause, steps[n].Bytes%most
	}
	return steps
}

// draw draws the steps of a mix.
func draw(chance *rand.Rand, slots int, faults []mix) []Step {
	var steps []Step
	for _, m := range faults {
		for range m.Count {
			s := Step{
				Fault: m.Fault, Slot: chance.IntN(slots), Calls: chance.IntN(10), Pause: time.Duration(100+chance.IntN(900)) * time.Millisecond,
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
