package main

import (
	"math/rand/v2"
	"time"
)

// deed is one kind of thing that a storm does.
type deed string

// The deeds. Each ends by itself, or is taken back after its time.
const (
	kill        deed = "kill -9"
	killLeader  deed = "kill -9 of the leader"
	terminate   deed = "SIGTERM"
	suspend     deed = "SIGSTOP"
	jumpAhead   deed = "clock jumps ahead"
	jumpBack    deed = "clock jumps back"
	crash       deed = "Postgres ended at once"
	killSession deed = "Postgres session killed"
	fillDisk    deed = "disk full"
	lockTable   deed = "database: table locked"
	crowd       deed = "database: no connection left"
	dbReset     deed = "database: reset"
	dbHold      deed = "database: held"
	dbSwallow   deed = "database: swallowed"
	dbCut       deed = "database: cut"
	dbDelay     deed = "database: late"
	httpReset   deed = "upstream: reset"
	httpSwallow deed = "upstream: swallowed"
	httpCut     deed = "upstream: cut"
	httpDelay   deed = "upstream: late"
	refuse      deed = "upstream: 429 storm"
	fail        deed = "upstream: 503 storm"
	revoke      deed = "access tokens revoked"
)

// step is one deed of a plan.
type step struct {
	Deed deed
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
	Deed  deed
	Count int
	Lasts [2]time.Duration // least and most
}

// mixOf is what a storm consists of. Of the kills, most strike any process, the others the leader of the queue.
func mixOf(kills, crashes, leaders int) []mix {
	const second = time.Second
	few := max(1, kills/25)
	return []mix{
		{Deed: kill, Count: kills - leaders}, {Deed: killLeader, Count: leaders},
		{Deed: crash, Count: crashes - crashes/4}, {Deed: killSession, Count: crashes / 4},
		{Deed: terminate, Count: 2 * few},
		{Deed: suspend, Count: 2 * few, Lasts: [2]time.Duration{second, 14 * second}},
		{Deed: jumpAhead, Count: 2 * few}, {Deed: jumpBack, Count: 2 * few},
		{Deed: fillDisk, Count: max(1, few/2), Lasts: [2]time.Duration{2 * second, 4 * second}},
		// Some of these outlast lock_timeout, which is 20 s.
		{Deed: lockTable, Count: max(1, few/2), Lasts: [2]time.Duration{2 * second, 25 * second}},
		{Deed: crowd, Count: 1, Lasts: [2]time.Duration{2 * second, 4 * second}},
		{Deed: dbReset, Count: 2 * few}, {Deed: dbCut, Count: few},
		{Deed: dbHold, Count: few, Lasts: [2]time.Duration{second, 4 * second}},
		{Deed: dbSwallow, Count: few, Lasts: [2]time.Duration{second, 4 * second}},
		{Deed: dbDelay, Count: few, Lasts: [2]time.Duration{second, 3 * second}},
		{Deed: httpReset, Count: 2 * few}, {Deed: httpCut, Count: few},
		{Deed: httpSwallow, Count: few, Lasts: [2]time.Duration{second, 4 * second}},
		{Deed: httpDelay, Count: few, Lasts: [2]time.Duration{second, 3 * second}},
		{Deed: refuse, Count: max(1, few/2), Lasts: [2]time.Duration{second, 2 * second}},
		{Deed: fail, Count: max(1, few/2), Lasts: [2]time.Duration{second, 2 * second}},
		// Upstream gives ten tokens in ten minutes, and kills cost some.
		{Deed: revoke, Count: 2},
	}
}

// planOf draws the steps of a storm: the same seed and figures give the same ones. What comes of them depends on the machine.
func planOf(seed uint64, slots, kills, crashes, leaders int) []step {
	chance := rand.New(rand.NewPCG(seed, 0x5702))
	var plan []step
	for _, m := range mixOf(kills, crashes, leaders) {
		for range m.Count {
			s := step{
				Deed: m.Deed, Slot: chance.IntN(slots), Calls: chance.IntN(10), Pause: time.Duration(100+chance.IntN(900)) * time.Millisecond,
				Bytes: chance.IntN(2000), Seed: chance.Uint64(), Clock: clockOf(chance),
				Older: chance.IntN(6) == 0,
			}
			if span := m.Lasts[1] - m.Lasts[0]; span > 0 {
				s.Lasts = m.Lasts[0] + time.Duration(chance.Int64N(int64(span)))
			}
			plan = append(plan, s)
		}
	}
	chance.Shuffle(len(plan), func(i, j int) { plan[i], plan[j] = plan[j], plan[i] })
	return plan
}

// clockOf draws how far the next process's clock is off: one in four is, by up to half an hour.
func clockOf(chance *rand.Rand) time.Duration {
	const most = 30 * time.Minute
	if chance.IntN(4) > 0 {
		return 0
	}
	return time.Duration(chance.Int64N(int64(2*most))) - most
}
