package chaos

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"syscall"
	"time"

	"sluice/cmd/sluice-dev/harness"
	"sluice/cmd/sluice-dev/harness/proxy"
	"sluice/sandbox"
)

// fault is one kind of fault. Each ends by itself, or what do returns ends it after its time.
type fault struct {
	name string
	// count is how often it occurs.
	count int
	// least and most bound its duration.
	least, most time.Duration
	do          action
}

// action begins a fault. What it returns ends it; nil if it has ended.
type action func(*chaos, context.Context, *slot, step) (func(), error)

// step is one fault of a plan.
type step struct {
	fault

	slot int
	// The step begins after a number of calls upstream or after a pause, whichever is first.
	calls int64
	pause time.Duration
	lasts time.Duration
	// bytes pass before a cut; seed draws the calls that upstream refuses.
	bytes int
	seed  uint64
	// clock is the clock error of the process started next.
	clock time.Duration
}

// faults returns the mix of a round.
func faults(kills, crashes int) []fault {
	const second = time.Second
	few := max(1, kills/25)
	half := max(1, few/2)
	database := func(slot *slot, _ *chaos) *proxy.Proxy { return slot.database }
	upstream := func(slot *slot, _ *chaos) *proxy.Proxy { return slot.http }
	public := func(_ *slot, s *chaos) *proxy.Proxy { return s.bed.Public }
	return []fault{
		{name: "kill -9", count: kills, do: (*chaos).kill},
		{name: "Postgres ended at once", count: crashes - crashes/4, do: crash((*chaos).restart)},
		{name: "Postgres session killed", count: crashes / 4, do: crash(func(s *chaos, ctx context.Context) error {
			return s.bed.Postgres.KillSession(ctx, harness.Database, "chaos-")
		})},
		{"SIGTERM", 2 * few, 0, 0, signal(syscall.SIGTERM, 0)},
		{"SIGSTOP", 2 * few, second, 14 * second, signal(syscall.SIGSTOP, syscall.SIGCONT)},
		{"clock jumps ahead", 2 * few, 0, 0, signal(syscall.SIGUSR1, 0)},
		{"clock jumps back", 2 * few, 0, 0, signal(syscall.SIGUSR2, 0)},
		{"disk full", half, 2 * second, 4 * second, (*chaos).fillDisk},
		// Some of these outlast lock_timeout, which is 20 s.
		{"database: table locked", half, 2 * second, 25 * second, held(func(s *chaos, ctx context.Context) (func(), error) {
			return s.bed.Postgres.LockTable(ctx, harness.Database, "inventory.bills")
		})},
		{"database: no connection left", 1, 2 * second, 4 * second, held(func(s *chaos, ctx context.Context) (func(), error) {
			return s.bed.Postgres.Crowd(ctx, harness.Database)
		})},
		{name: "database: reset", count: 2 * few, do: reset(database)},
		{name: "database: cut", count: few, do: cut(database)},
		{"database: held", few, second, 4 * second, lasting(database, (*proxy.Proxy).Hold)},
		{"database: swallowed", few, second, 4 * second, lasting(database, (*proxy.Proxy).Swallow)},
		{name: "upstream: reset", count: 2 * few, do: reset(upstream)},
		{name: "upstream: cut", count: few, do: cut(upstream)},
		{"upstream: swallowed", few, second, 4 * second, lasting(upstream, (*proxy.Proxy).Swallow)},
		{"upstream: 429 for a while", half, second, 2 * second, refuse(sandbox.Fault{Path: "/inventory", Kind: "retry_after", Rate: 0.5, Seconds: 1})},
		{"upstream: 503 for a while", half, second, 2 * second, refuse(sandbox.Fault{Path: "/", Kind: "unavailable", Rate: 0.5})},
		// Upstream gives ten tokens in ten minutes, which are shortened like the others. Each slot
		// needs its own token, since it reaches upstream by its own address, and kills cost some.
		{name: "access tokens revoked", count: min(2, few), do: (*chaos).revoke},
		{name: "callbacks: reset", count: few, do: reset(public)},
		{name: "callbacks: answers cut", count: few, do: cut(public)},
		{"callbacks: swallowed", few, second, 2 * second, lasting(public, (*proxy.Proxy).Swallow)},
	}
}

// draw draws the steps of a round: the same seed and figures give the same ones. Their effects
// depend on the machine.
func draw(seed uint64, slots, kills, crashes int) []step {
	chance := rand.New(rand.NewPCG(seed, 0x5702))
	var steps []step
	for _, f := range faults(kills, crashes) {
		for range f.count {
			s := step{
				fault: f, slot: chance.IntN(slots), calls: chance.Int64N(10), pause: time.Duration(100+chance.IntN(900)) * time.Millisecond,
				bytes: chance.IntN(2000), seed: chance.Uint64(), lasts: f.least,
			}
			if f.most > f.least {
				s.lasts += time.Duration(chance.Int64N(int64(f.most - f.least)))
			}
			if chance.IntN(4) == 0 { // one process in four has a clock that is off, by up to half an hour
				s.clock = time.Duration(chance.Int64N(int64(time.Hour))) - time.Hour/2
			}
			steps = append(steps, s)
		}
	}
	chance.Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
	return steps
}

// do injects one fault.
func (s *chaos) do(ctx context.Context, step step) error {
	s.report.Actions[step.name]++
	undo, err := step.do(s, ctx, s.slots[step.slot], step)
	if err == nil && undo != nil {
		s.later(ctx, step.lasts, undo)
	}
	return err
}

// later ends a fault after its time, or when the round is interrupted.
func (s *chaos) later(ctx context.Context, after time.Duration, undo func()) {
	s.undoing.Go(func() {
		harness.Sleep(ctx, after)
		undo()
	})
}

// How long a kill waits for a process with a stream at work, and for an answer of the database.
const (
	atWorkLimit = 2 * time.Second
	askLimit    = time.Minute
)

// sqlBusy reports whether a process has a stream at work.
const sqlBusy = `SELECT EXISTS (SELECT FROM river.river_job j
	JOIN sluice.processes p ON j.attempted_by[array_upper(j.attempted_by, 1)] = 'sluice-' || p.id
	WHERE p.name = $1 AND j.state = 'running')`

// kill kills a process with a stream at work, if it soon has one. One in ten is killed while it
// starts.
func (s *chaos) kill(ctx context.Context, slot *slot, step step) (func(), error) {
	for {
		busy := false
		if step.calls != 1 && !slot.receiver {
			waiting, cancel := context.WithTimeout(ctx, atWorkLimit)
			harness.Until(waiting, func() bool {
				p := slot.current()
				return s.bed.Pool.QueryRow(waiting, sqlBusy, p.Name).Scan(&busy) == nil && busy && p.Alive()
			})
			cancel()
		}
		p := slot.current()
		slot.skew(step.clock)
		if p.Kill() {
			s.report.Kills++
			if busy {
				s.report.KillsAtWork++
			}
			return nil, nil //nolint:nilnil // nothing is to be undone
		}
		// It had ended by itself just before: the next one is killed.
		err := harness.Wait(ctx, askLimit, fmt.Sprintf("slot %d stays empty", slot.number), func(context.Context) (bool, error) {
			return slot.current() != p, nil
		})
		if err != nil {
			return nil, err
		}
	}
}

// signal sends a signal, and another one after a time; 0 for none.
func signal(first, then syscall.Signal) action {
	return func(_ *chaos, _ context.Context, slot *slot, step step) (func(), error) {
		p := slot.current()
		if first == syscall.SIGTERM {
			slot.skew(step.clock)
		}
		p.Signal(first)
		if then == 0 {
			return nil, nil
		}
		return func() { p.Signal(then) }, nil
	}
}

// crash breaks Postgres, and waits until it works again.
func crash(how func(*chaos, context.Context) error) action {
	return func(s *chaos, ctx context.Context, _ *slot, _ step) (func(), error) {
		s.database.Lock()
		defer s.database.Unlock()
		if err := how(s, ctx); err != nil {
			return nil, err
		}
		s.report.Crashes++
		return nil, s.answers(ctx)
	}
}

func (s *chaos) restart(ctx context.Context) error {
	if err := s.bed.Postgres.Crash(ctx); err != nil {
		return err
	}
	return s.bed.Postgres.Start(ctx)
}

// answers waits until Postgres answers.
func (s *chaos) answers(ctx context.Context) error {
	return harness.Wait(ctx, time.Minute, "Postgres does not answer", func(ctx context.Context) (bool, error) {
		return s.bed.Pool.Ping(ctx) == nil, nil
	})
}

// fillDisk fills the volume of the tables for a while.
func (s *chaos) fillDisk(_ context.Context, _ *slot, step step) (func(), error) {
	s.database.Lock()
	free, err := s.bed.Postgres.Fill()
	if err != nil {
		s.database.Unlock()
		if errors.Is(err, harness.ErrNoVolume) {
			s.report.Actions[step.name]--
			s.report.Skipped = append(s.report.Skipped, fmt.Sprintf("%s: %v", step.name, err))
			return nil, nil //nolint:nilnil // nothing is to be undone
		}
		return nil, err
	}
	return func() {
		defer s.database.Unlock()
		if err := free(); err != nil {
			s.report.Brokenf("%v", err)
		}
	}, nil
}

// held takes something of the database for a while.
func held(take func(*chaos, context.Context) (func(), error)) action {
	return func(s *chaos, ctx context.Context, _ *slot, _ step) (func(), error) {
		s.database.Lock()
		defer s.database.Unlock()
		return take(s, ctx)
	}
}

// line is a line of a slot, or of all; nil if the slot lacks it.
type line func(*slot, *chaos) *proxy.Proxy

func reset(of line) action {
	return lasting(of, func(p *proxy.Proxy) { p.Reset() })
}

func cut(of line) action {
	return func(s *chaos, _ context.Context, slot *slot, step step) (func(), error) {
		if p := of(slot, s); p != nil {
			p.Cut(step.bytes)
		}
		return nil, nil
	}
}

// lasting breaks a line, and heals it after a time.
func lasting(of line, how func(*proxy.Proxy)) action {
	return func(s *chaos, _ context.Context, slot *slot, step step) (func(), error) {
		p := of(slot, s)
		if p == nil {
			return nil, nil
		}
		how(p)
		if step.lasts == 0 {
			return nil, nil
		}
		return p.Heal, nil
	}
}

// refuse makes upstream refuse for a while.
func refuse(fault sandbox.Fault) action {
	return func(s *chaos, _ context.Context, _ *slot, step step) (func(), error) {
		one := fault
		one.Seed = step.seed
		if err := s.bed.World.SetFaults([]sandbox.Fault{one}); err != nil {
			return nil, fmt.Errorf("let upstream refuse: %w", err)
		}
		return func() {
			if err := s.bed.World.SetFaults(nil); err != nil {
				s.report.Brokenf("%v", err)
			}
		}, nil
	}
}

// revoke expires all access tokens. It lets the minute between two refreshes pass.
func (s *chaos) revoke(ctx context.Context, _ *slot, _ step) (func(), error) {
	s.bed.World.ExpireTokens()
	return nil, harness.Wait(ctx, askLimit, "the database does not answer", func(ctx context.Context) (bool, error) {
		_, err := s.bed.Pool.Exec(ctx, sqlMinute)
		return err == nil, nil
	})
}
