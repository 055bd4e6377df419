package main

import (
	"context"
	"fmt"
	"syscall"
	"time"

	"sluice/cmd/sluice-chaos/plan"
	"sluice/cmd/sluice-chaos/watch"
	"sluice/sandbox"
)

// do injects one fault.
func (s *chaos) do(ctx context.Context, step plan.Step) error {
	slot := s.slots[step.Slot]
	s.report.Actions[string(step.Fault)]++
	switch step.Fault {
	case plan.Kill:
		return s.kill(ctx, slot, step)
	case plan.KillLeader:
		return s.killLeader(ctx)
	case plan.Terminate:
		p := slot.current()
		slot.next(step.Clock, step.Older)
		p.Signal(syscall.SIGTERM)
	case plan.Suspend:
		p := slot.current()
		p.Signal(syscall.SIGSTOP)
		s.later(ctx, step.Lasts, func() { p.Signal(syscall.SIGCONT) })
	case plan.JumpAhead:
		slot.current().Signal(syscall.SIGUSR1)
	case plan.JumpBack:
		slot.current().Signal(syscall.SIGUSR2)
	case plan.Crash, plan.KillSession:
		return s.crash(ctx, step)
	case plan.FillDisk:
		return s.fillDisk(ctx, step)
	case plan.LockTable, plan.Crowd:
		return s.hold(ctx, step)
	case plan.Refuse:
		return s.refuse(ctx, step, sandbox.Fault{Path: "/inventory", Kind: "retry_after", Rate: 0.5, Seconds: 1})
	case plan.Fail:
		return s.refuse(ctx, step, sandbox.Fault{Path: "/", Kind: "unavailable", Rate: 0.5})
	case plan.Revoke:
		return s.revoke(ctx)
	default:
		s.breakLine(ctx, slot, step)
	}
	return nil
}

// How long a kill waits for a process with a stream at work, and for an answer of the database.
const (
	atWorkLimit = 2 * time.Second
	askLimit    = time.Minute
)

func (s *chaos) kill(ctx context.Context, slot *slot, step plan.Step) error {
	waiting, cancel := context.WithTimeout(ctx, atWorkLimit)
	defer cancel()
	watch.Until(waiting, func() bool {
		p := slot.current()
		return step.Calls == 1 || // one in ten is killed while it starts
			s.watcher.Busy(waiting, p.Name) && p.Alive()
	})
	p := slot.current()
	slot.next(step.Clock, step.Older)
	at := time.Now()
	if !p.Kill() {
		s.report.Actions[string(step.Fault)]-- // it had ended by itself just before
		return s.again(ctx, slot, step)
	}
	s.report.Kills++
	return s.noteKilled(ctx, p.Name, at)
}

// again kills the next process in the slot.
func (s *chaos) again(ctx context.Context, slot *slot, step plan.Step) error {
	gone := slot.current()
	waiting, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	if !watch.Until(waiting, func() bool { p := slot.current(); return p != gone }) {
		return fmt.Errorf("slot %d stays empty", slot.number)
	}
	return s.do(ctx, step)
}

// noteKilled notes which streams a killed process had at work.
func (s *chaos) noteKilled(ctx context.Context, name string, at time.Time) error {
	var orphans int
	asking, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	var err error
	if !watch.Until(asking, func() bool { orphans, err = s.watcher.Killed(asking, name, at); return err == nil }) {
		return err
	}
	if orphans > 0 {
		s.report.KillsAtWork++
	}
	return nil
}

// killLeader kills the process that leads the queue, without other faults, and measures the time
// without a leader.
func (s *chaos) killLeader(ctx context.Context) error {
	s.undoing.Wait()
	var name string
	number := -1
	waiting, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if !watch.Until(waiting, func() bool { name, number = s.watcher.Leader(waiting); return number >= 0 }) {
		return fmt.Errorf("no process leads the queue: %w", waiting.Err())
	}
	p := s.slots[number].current()
	if p.Name != name || !p.Kill() {
		return s.killLeader(ctx) // it has ended meanwhile
	}
	at := time.Now()
	s.report.Kills++
	if err := s.noteKilled(ctx, name, at); err != nil {
		return err
	}
	if !watch.Until(waiting, func() bool { next, found := s.watcher.Leader(waiting); return found >= 0 && next != name }) {
		return fmt.Errorf("no process leads the queue after %s: %w", name, waiting.Err())
	}
	s.report.leaders = append(s.report.leaders, time.Since(at))
	return nil
}

// crash stops Postgres, as a whole or one of its sessions, and waits until it works again.
func (s *chaos) crash(ctx context.Context, step plan.Step) error {
	s.database.Lock()
	defer s.database.Unlock()
	if step.Fault == plan.KillSession {
		if err := s.bed.Postgres.KillSession(ctx, "chaos-"); err != nil {
			return err
		}
	} else {
		if err := s.bed.Postgres.Crash(ctx); err != nil {
			return err
		}
		if err := s.bed.Postgres.Start(ctx); err != nil {
			return err
		}
	}
	s.report.Crashes++
	return s.answers(ctx)
}

// answers waits until Postgres answers.
func (s *chaos) answers(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if !watch.Until(ctx, func() bool { return s.bed.Postgres.Pool.Ping(ctx) == nil }) {
		return fmt.Errorf("postgres does not answer: %w", ctx.Err())
	}
	return nil
}

// fillDisk fills the volume of the tables for a while.
func (s *chaos) fillDisk(ctx context.Context, step plan.Step) error {
	if ok, why := s.bed.Postgres.Fillable(); !ok {
		s.report.Actions[string(step.Fault)]--
		s.report.Skipped = append(s.report.Skipped, fmt.Sprintf("%s: %s", step.Fault, why))
		return nil
	}
	s.database.Lock()
	if err := s.bed.Postgres.Fill(); err != nil {
		s.database.Unlock()
		return err
	}
	s.later(ctx, step.Lasts, func() {
		defer s.database.Unlock()
		if err := s.bed.Postgres.Free(); err != nil {
			s.report.brokenf("%v", err)
		}
	})
	return nil
}

// hold locks a table, or takes all connections, for a while.
func (s *chaos) hold(ctx context.Context, step plan.Step) error {
	take := s.bed.Postgres.LockBills
	if step.Fault == plan.Crowd {
		take = s.bed.Postgres.Crowd
	}
	s.database.Lock()
	letGo, err := take(ctx)
	s.database.Unlock()
	if err != nil {
		return err
	}
	s.later(ctx, step.Lasts, letGo)
	return nil
}

// refuse makes upstream refuse for a while.
func (s *chaos) refuse(ctx context.Context, step plan.Step, fault sandbox.Fault) error {
	fault.Seed = step.Seed
	if err := s.bed.World.SetFaults([]sandbox.Fault{fault}); err != nil {
		return fmt.Errorf("let upstream refuse: %w", err)
	}
	s.later(ctx, step.Lasts, func() {
		if err := s.bed.World.SetFaults(nil); err != nil {
			s.report.brokenf("%v", err)
		}
	})
	return nil
}

// revoke expires all access tokens. It lets the minute between two refreshes pass.
func (s *chaos) revoke(ctx context.Context) error {
	s.bed.World.ExpireTokens()
	waiting, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	var err error
	if !watch.Until(waiting, func() bool {
		_, err = s.bed.Postgres.Pool.Exec(waiting, `UPDATE sluice.tokens SET attempted_at = attempted_at - interval '1 minute'`)
		return err == nil
	}) {
		return fmt.Errorf("let a minute pass for tokens: %w", err)
	}
	return nil
}

// later reverts a fault after its time, or when the chaos run is interrupted.
func (s *chaos) later(ctx context.Context, after time.Duration, undo func()) {
	s.undoing.Go(func() {
		timer := time.NewTimer(after)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
		undo()
	})
}
