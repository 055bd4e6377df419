package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"sluice/cmd/sluice-chaos/plan"
	"sluice/cmd/sluice-chaos/testbed"
	"sluice/cmd/sluice-chaos/watch"
	"sluice/sandbox"
)

// scenario is the strength of a chaos run.
type scenario struct {
	Program                        string
	Seed                           uint64
	Slots, Kills, Crashes, Leaders int
	Receivers, ReceiverKills       int
	Records, Workers, SmallMiB     int
	Minute, Latency, Recovery      time.Duration
	ChangeEvery, DueFor            time.Duration
	Keep                           string
}

// usual returns the chaos run of CI.
func usual() scenario {
	return scenario{
		Program: "bin/sluice.test", Seed: 1, Slots: 3, Kills: 100, Crashes: 8, Leaders: 2, Receivers: 2, ReceiverKills: 30,
		Records: 3000, Workers: 3, SmallMiB: 256,
		Minute: 6 * time.Second, Latency: 60 * time.Millisecond, Recovery: 4 * time.Minute,
		ChangeEvery: 300 * time.Millisecond, DueFor: 700 * time.Millisecond,
	}
}

// chaos is one chaos run.
type chaos struct {
	scenario

	bed     *testbed.Bed
	slots   []*slot
	watcher *watch.Watcher
	// receivers are the slots of the processes that only receive callbacks; turn chooses the next
	// receiver.
	receivers []*slot
	turn      atomic.Int64
	log       io.Writer
	// database is held by the faults that the server cannot survive together: its stop, and a full
	// disk.
	database sync.Mutex
	undoing  sync.WaitGroup
	report   Report
}

// play makes a chaos run to its end and judges it. An error says that the run was impossible.
func play(ctx context.Context, sc scenario, log io.Writer) (_ Report, err error) {
	s := &chaos{scenario: sc, log: log, report: Report{Seed: sc.Seed, Actions: map[string]int{}, Exits: map[int]int{}}}
	began := time.Now()
	s.bed, err = testbed.Open(ctx, testbed.Options{
		Program: sc.Program, Seed: int64(sc.Seed & 0xffff), Records: sc.Records, Minute: sc.Minute, Latency: sc.Latency,
		Workers: sc.Workers, Small: sc.SmallMiB, Callbacks: onTheWay(), Log: log,
	})
	if err != nil {
		return s.report, err
	}
	s.watcher = watch.New(s.bed.Postgres.Pool)
	defer func() { err = errors.Join(err, s.close(ctx)) }()
	if err := s.fill(ctx); err != nil {
		return s.report, err
	}
	watching, stop := context.WithCancel(ctx)
	defer stop()
	go s.watcher.Run(watching)
	go s.bed.World.Run(watching)
	if err := s.disturb(ctx); err != nil {
		return s.report, err
	}
	s.report.FaultSeconds = time.Since(began).Seconds()
	if err := s.recovery(ctx); err != nil {
		return s.report, err
	}
	s.report.Seconds = time.Since(began).Seconds()
	s.measure()
	return s.report, nil
}

// fill opens the slots, and starts a process in each.
func (s *chaos) fill(ctx context.Context) error {
	for n := range s.Slots {
		slot, err := newSlot(ctx, s.bed, n)
		if err != nil {
			return err
		}
		s.slots = append(s.slots, slot)
	}
	for n := range s.Receivers {
		slot, err := newReceiver(ctx, s.bed, n)
		if err != nil {
			return err
		}
		s.receivers = append(s.receivers, slot)
	}
	s.bed.Receiver = s.reach
	for _, slot := range s.all() {
		if err := slot.manage(ctx); err != nil {
			return err
		}
	}
	return nil
}

// all returns the slots of both kinds.
func (s *chaos) all() []*slot { return slices.Concat(s.slots, s.receivers) }

// farOff is in the future: no run began after it.
var farOff = time.Date(2999, time.January, 1, 0, 0, 0, 0, time.UTC)

// disturb executes the plan while upstream changes and streams are always due.
func (s *chaos) disturb(ctx context.Context) error {
	living, stop := context.WithCancel(ctx)
	var life sync.WaitGroup
	defer func() {
		stop()
		life.Wait()
	}()
	var broken error
	life.Go(func() { broken = s.live(living) })
	life.Go(func() { watch.Each(living, s.DueFor, func() { s.due(living, farOff) }) })
	life.Go(func() { watch.Each(living, s.Minute, func() { s.minute(living) }) })
	var beside sync.WaitGroup
	var played map[plan.Fault]int
	var unplayed error
	beside.Go(func() { played, unplayed = s.disturbReceivers(ctx) })
	defer beside.Wait()
	steps := plan.Of(s.Seed, s.Slots, s.Kills, s.Crashes, s.Leaders)
	for n, step := range steps {
		if err := s.await(ctx, step); err != nil {
			return err
		}
		if err := s.do(ctx, step); err != nil {
			return fmt.Errorf("step %d of %d, %s: %w", n+1, len(steps), step.Fault, err)
		}
		if n%25 == 24 {
			_, _ = fmt.Fprintf(s.log, "%d of %d steps, %d calls\n", n+1, len(steps), s.bed.Arrived()) // an error of progress is ignored
		}
	}
	beside.Wait()
	for fault, times := range played {
		s.report.Actions[string(fault)] = times
	}
	s.report.AfterInsert = played[plan.KillAfterInsert]
	s.report.ReceiverKills = played[plan.KillReceiver] + s.report.AfterInsert
	s.undoing.Wait()
	stop()
	life.Wait()
	return errors.Join(broken, unplayed)
}

// live changes records upstream: it inserts, edits and deletes them.
func (s *chaos) live(ctx context.Context) error {
	resources := [][]string{testbed.Deletable(), {"items", "chart_of_accounts"}}
	var failed error
	seed := int64(0)
	watch.Each(ctx, s.ChangeEvery, func() {
		seed++
		change := sandbox.Change{Seed: seed, Inserts: 1, Edits: 2, Resources: resources[seed%2]}
		if seed%4 == 0 {
			change.Deletes = 1
		}
		changed, err := s.bed.World.Change(change)
		failed = errors.Join(failed, err)
		for _, ids := range changed {
			s.report.Inserted += len(ids.Inserted)
			s.report.Edited += len(ids.Edited)
			s.report.Deleted += len(ids.Deleted)
		}
	})
	return failed
}

// Statements that let time pass: idle streams become due, sleeping jobs wake up, the minute since
// the last refresh of tokens is over, and so are the pauses of hints beyond the wait for further
// callbacks.
const (
	sqlDue = `UPDATE sluice.streams SET next_due_at = clock_timestamp() WHERE (organization_id, service, resource) IN (
		SELECT organization_id, service, resource FROM sluice.streams s
		WHERE enabled AND state IN ('idle', 'failed') AND next_due_at > clock_timestamp() AND NOT EXISTS (
			SELECT FROM sluice.runs r WHERE (r.organization_id, r.service, r.resource) = (s.organization_id, s.service, s.resource)
				AND r.outcome = 'done' AND r.started_at > $1)
		FOR UPDATE SKIP LOCKED)`
	sqlWake = `UPDATE river.river_job SET scheduled_at = now() WHERE id IN (
		SELECT id FROM river.river_job WHERE state IN ('scheduled', 'retryable') AND scheduled_at > now() + interval '5 seconds' FOR UPDATE SKIP LOCKED)`
	sqlMinute = `UPDATE sluice.tokens SET attempted_at = attempted_at - interval '1 minute' WHERE credential IN (
		SELECT credential FROM sluice.tokens FOR UPDATE SKIP LOCKED)`
	sqlHints = `UPDATE sluice.hints SET due_at = clock_timestamp() WHERE ctid IN (
		SELECT ctid FROM sluice.hints WHERE read_at IS NULL AND asked_at IS NULL AND due_at > clock_timestamp() + interval '20 seconds'
		FOR UPDATE SKIP LOCKED)`
)

// due makes streams due that have not completed a run that began after an instant, by the
// database's clock.
func (s *chaos) due(ctx context.Context, since time.Time) {
	_, _ = s.bed.Postgres.Pool.Exec(ctx, sqlDue, since) // the server may be down: the next call repeats it
}

// minute lets a minute of the limits pass for the waiting processes.
func (s *chaos) minute(ctx context.Context) {
	for _, sql := range []string{sqlWake, sqlMinute, sqlHints} {
		_, _ = s.bed.Postgres.Pool.Exec(ctx, sql) // as above
	}
}

// await waits for the moment of a step.
func (s *chaos) await(ctx context.Context, step plan.Step) error {
	ctx, cancel := context.WithTimeout(ctx, step.Pause)
	defer cancel()
	from := s.bed.Arrived()
	watch.Until(ctx, func() bool { return s.bed.Arrived() >= from+int64(step.Calls) && step.Calls > 0 })
	if err := ctx.Err(); errors.Is(err, context.Canceled) {
		return fmt.Errorf("interrupted: %w", err)
	}
	return nil
}

// close kills all processes, and closes what the run opened.
func (s *chaos) close(ctx context.Context) error {
	var err error
	for _, slot := range s.all() {
		slot.kill()
		err = errors.Join(err, slot.close())
	}
	s.undoing.Wait()
	return errors.Join(err, s.keep(), s.bed.Close(ctx))
}

// keep copies the logs of the processes to a readable folder after violations.
func (s *chaos) keep() error {
	if s.Keep == "" {
		return nil
	}
	into := filepath.Join(s.Keep, fmt.Sprintf("seed-%d", s.Seed))
	if err := os.RemoveAll(into); err != nil {
		return fmt.Errorf("keep logs: %w", err)
	}
	if err := os.MkdirAll(into, 0o700); err != nil {
		return fmt.Errorf("keep logs: %w", err)
	}
	names, err := filepath.Glob(filepath.Join(s.bed.Folder(), "*.log"))
	if err != nil {
		return fmt.Errorf("keep logs: %w", err)
	}
	for _, name := range append(names, filepath.Join(s.bed.Folder(), "pg", "server.log")) {
		text, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(filepath.Join(into, filepath.Base(name)), text, 0o600) //nolint:gosec // names of ours
		}
		if err != nil {
			return fmt.Errorf("keep logs: %w", err)
		}
	}
	return nil
}

// measure sums up the findings of the slots and the watcher.
func (s *chaos) measure() {
	for _, slot := range s.all() {
		slot.mu.Lock()
		maps.Copy(s.report.Exits, merged(s.report.Exits, slot.exits))
		s.report.Starts += slot.starts
		s.report.Olders += slot.olders
		s.report.Violations = append(s.report.Violations, slot.bad...)
		slot.mu.Unlock()
	}
	took, left, outage := s.watcher.Result()
	s.report.Outage = outage.Seconds()
	s.report.GoOn = figuresOf(took)
	s.report.Leader = figuresOf(s.report.leaders)
	if left > 0 {
		s.report.brokenf("invariant 6: %d streams of killed processes never went on", left)
	}
	s.report.enough(s.scenario)
}

func merged(a, b map[int]int) map[int]int {
	sum := maps.Clone(b)
	for code, n := range a {
		sum[code] += n
	}
	return sum
}
