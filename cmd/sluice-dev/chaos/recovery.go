package chaos

import (
	"context"
	"fmt"
	"sync"
	"time"

	"sluice/cmd/sluice-dev/harness"
)

// recovery ends all faults, lets the fleet converge by its own schedule, and then calls the judge.
func (s *chaos) recovery(ctx context.Context) error {
	waiting, cancel := context.WithTimeout(ctx, restWithin)
	defer cancel()
	if err := s.bed.World.SetFaults(nil); err != nil {
		return fmt.Errorf("heal upstream: %w", err)
	}
	for _, slot := range s.slots {
		slot.heal()
	}
	s.bed.Public.Heal()
	if err := s.answers(waiting); err != nil {
		return err
	}
	if err := harness.Wait(waiting, restWithin, "upstream still has callbacks to send", s.bed.Told); err != nil {
		return err
	}
	// Without any request, the schedule has to bring every stream to idle.
	if !s.atRest(waiting, true) {
		return s.restless(ctx)
	}
	for range 3 { // a tombstone takes two clean scans, and rows older than the scan
		if err := harness.Age(waiting, s.bed.Pool); err != nil {
			return err
		}
		lists := append([]string{"sync", "bills", "items", "vendor_payments", "chart_of_accounts", "conversations"}, harness.Sweeps()...)
		if err := s.run(waiting, "sync", lists...); err != nil {
			s.report.Brokenf("all is well, and %v", err)
			return s.restless(ctx)
		}
	}
	if !s.atRest(waiting, false) {
		return s.restless(ctx)
	}
	for _, slot := range s.slots {
		ending, cancel := context.WithTimeout(ctx, time.Minute)
		if err := slot.end(ending); err != nil {
			s.report.Brokenf("all is well, and %v", err)
		}
		cancel()
	}
	var err error
	if s.report.Inbox, err = s.bed.JudgeInbox(ctx, s.bed.Pool); err != nil {
		return fmt.Errorf("judge the inbox: %w", err)
	}
	s.report.Violations = append(s.report.Violations, s.report.Inbox.Violations...)
	if err := s.judge(ctx); err != nil {
		return err
	}
	// The program's own checks: views that must be empty, and all rows against their raw records.
	if err := s.run(ctx, "verify", "verify", "--local"); err != nil {
		s.report.Brokenf("%v", err)
	}
	return nil
}

// run runs a command of the program, which must succeed.
func (s *chaos) run(ctx context.Context, name string, args ...string) error {
	slot := s.slots[0]
	slot.mu.Lock()
	l := slot.launch(name, args...)
	slot.mu.Unlock()
	p, err := s.bed.Start(l)
	if err != nil {
		return err
	}
	return p.Succeed(ctx)
}

// sqlRested reports whether every stream ended a clean run that began after an instant, and has
// nothing left to do. sqlRead reports whether every hint is read.
const sqlRead = `SELECT NOT EXISTS (SELECT FROM sluice.hints WHERE read_at IS NULL)`

const sqlRested = `SELECT bool_and(state = 'idle' AND run_id IS NULL AND requested_gen <= served_gen AND EXISTS (
		SELECT FROM sluice.runs r WHERE (r.organization_id, r.service, r.resource) = (s.organization_id, s.service, s.resource)
			AND r.outcome = 'done' AND r.started_at > $1))
	FROM sluice.streams s WHERE enabled`

// atRest waits until all streams are idle. With again, every stream must also complete a run of its
// own schedule that begins from now on; without, every hint has to be read.
func (s *chaos) atRest(ctx context.Context, again bool) bool {
	since := time.Time{}
	if again && s.bed.Pool.QueryRow(ctx, `SELECT clock_timestamp()`).Scan(&since) != nil {
		return false
	}
	passing, stop := context.WithCancel(ctx)
	var life sync.WaitGroup
	defer func() {
		stop()
		life.Wait()
	}()
	life.Go(func() {
		harness.Each(passing, dueFor, func() {
			if again {
				s.due(passing, since)
			}
			s.minute(passing)
		})
	})
	return harness.Until(ctx, func() bool {
		var rested, read bool
		return s.bed.Pool.QueryRow(ctx, sqlRested, since).Scan(&rested) == nil && rested &&
			(again || s.bed.Pool.QueryRow(ctx, sqlRead).Scan(&read) == nil && read)
	})
}

// restless notes that the fleet does not come to rest, with what the judge and the processes say.
func (s *chaos) restless(ctx context.Context) error {
	s.report.Brokenf("invariant 6: the fleet does not come to rest within %s", restWithin)
	for _, slot := range s.slots {
		p := slot.current()
		s.report.Brokenf("%s said at last: %s", p.Name, p.LastLines())
	}
	return s.judge(ctx)
}

// judge compares both sides.
func (s *chaos) judge(ctx context.Context) error {
	verdict, err := s.bed.Judge(ctx, s.bed.Pool)
	s.report.Verdict, s.report.Violations = verdict, append(s.report.Violations, verdict.Violations...)
	return err
}
