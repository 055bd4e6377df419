package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"sluice/cmd/sluice-chaos/testbed"
	"sluice/cmd/sluice-chaos/watch"
)

// recovery ends all faults, lets the fleet converge by its own schedule, and then calls the judge.
func (s *chaos) recovery(ctx context.Context) error {
	waiting, cancel := context.WithTimeout(ctx, s.Recovery)
	defer cancel()
	if err := s.bed.World.SetFaults(nil); err != nil {
		return fmt.Errorf("heal upstream: %w", err)
	}
	for _, slot := range s.slots {
		slot.database.Heal()
		slot.http.Heal()
	}
	for _, slot := range s.receivers {
		slot.database.Heal()
	}
	s.bed.Public.Heal()
	if err := s.answers(waiting); err != nil {
		return err
	}
	for _, slot := range s.slots {
		slot.retire()
	}
	// The process that starts last registers its streams.
	if !watch.Until(waiting, func() bool { return s.known(waiting) }) {
		s.report.brokenf("invariant 6: streams that an older version did not know stay off within %s: %s", s.Recovery, s.situation(ctx))
		return nil
	}
	if err := s.told(waiting); err != nil {
		return err
	}
	began := time.Now()
	// Without any request, the schedule has to bring every stream to idle.
	if !s.atRest(waiting, true) {
		s.report.brokenf("invariant 6: the fleet does not come to rest within %s: %s", s.Recovery, s.situation(ctx))
		return nil
	}
	s.report.RecoverySeconds = time.Since(began).Seconds()
	for range 3 { // a tombstone takes two clean scans, and rows older than the scan
		if err := s.sync(waiting); err != nil {
			s.report.brokenf("%v\n%s\n%s", err, s.situation(ctx), s.said())
			return nil
		}
	}
	if !s.atRest(waiting, false) {
		s.report.brokenf("invariant 6: the fleet does not come to rest within %s: %s", s.Recovery, s.situation(ctx))
		return nil
	}
	for _, slot := range s.all() {
		ending, cancel := context.WithTimeout(ctx, time.Minute)
		if wrong := slot.end(ending); wrong != "" {
			s.report.brokenf("%s", wrong)
		}
		cancel()
	}
	inbox, err := s.bed.JudgeInbox(ctx, s.bed.Postgres.Pool)
	if err != nil {
		return fmt.Errorf("judge the inbox: %w", err)
	}
	s.report.Callbacks = inbox
	s.report.Violations = append(s.report.Violations, inbox.Violations...)
	verdict, err := s.bed.Judge(ctx, s.bed.Postgres.Pool)
	if err != nil {
		return fmt.Errorf("judge: %w", err)
	}
	s.report.Verdict = verdict
	s.report.Violations = append(s.report.Violations, verdict.Violations...)
	return s.verify(ctx)
}

// told waits until upstream has sent every callback, or given it up.
func (s *chaos) told(ctx context.Context) error {
	var told bool
	var err error
	if !watch.Until(ctx, func() bool { told, err = s.bed.Told(ctx); return told || err != nil }) {
		return fmt.Errorf("upstream still has callbacks to send: %w", ctx.Err())
	}
	return err
}

// known reports whether every resource copied here is registered and enabled.
func (s *chaos) known(ctx context.Context) bool {
	var names []string
	for service, resources := range testbed.Resources() {
		for _, resource := range resources {
			names = append(names, service+"."+resource)
		}
	}
	var on int
	const sql = `SELECT count(*) FROM sluice.streams WHERE enabled AND service || '.' || resource = ANY($1)`
	return s.bed.Postgres.Pool.QueryRow(ctx, sql, names).Scan(&on) == nil && on == len(names)
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
	if again && s.bed.Postgres.Pool.QueryRow(ctx, `SELECT clock_timestamp()`).Scan(&since) != nil {
		return false
	}
	passing, stop := context.WithCancel(ctx)
	var life sync.WaitGroup
	defer func() {
		stop()
		life.Wait()
	}()
	life.Go(func() {
		watch.Each(passing, s.DueFor, func() {
			if again {
				s.due(passing, since)
			}
			s.minute(passing)
		})
	})
	return watch.Until(ctx, func() bool {
		var rested, read bool
		return s.bed.Postgres.Pool.QueryRow(ctx, sqlRested, since).Scan(&rested) == nil && rested &&
			(again || s.bed.Postgres.Pool.QueryRow(ctx, sqlRead).Scan(&read) == nil && read)
	})
}

// sync requests everything once more, sweeps included, after ageing the rows by an hour.
func (s *chaos) sync(ctx context.Context) error {
	if err := testbed.Age(ctx, s.bed.Postgres.Pool); err != nil {
		return err
	}
	p, err := s.run("sync", append([]string{"sync", "bills", "items", "vendor_payments", "chart_of_accounts", "conversations"}, testbed.Sweeps()...)...)
	if err != nil {
		return err
	}
	if err := p.Wait(ctx); err != nil {
		return err
	}
	if p.Code != 0 {
		return fmt.Errorf("sync ended with %d while all is well: %s", p.Code, p.Log())
	}
	return nil
}

// verify runs the program's own checks: views that must be empty, and all rows against their raw
// records.
func (s *chaos) verify(ctx context.Context) error {
	p, err := s.run("verify", "verify", "--local")
	if err != nil {
		return err
	}
	if err := p.Wait(ctx); err != nil {
		return err
	}
	if p.Code != 0 {
		s.report.brokenf("verify ended with %d: %s", p.Code, p.Log())
	}
	return nil
}

func (s *chaos) run(name string, args ...string) (*testbed.Process, error) {
	slot := s.slots[0]
	return s.bed.Run(testbed.Start{Name: name, Config: slot.config, Postgres: slot.database.Address(), Program: slot.installed(), Args: args})
}

// said returns the last lines of the processes in the slots.
func (s *chaos) said() string {
	var texts []string
	for _, slot := range s.slots {
		p := slot.current()
		texts = append(texts, p.Name+" said at last: "+lastLines(p.Log()))
	}
	return strings.Join(texts, "\n")
}

// situation returns what streams and jobs wait for.
func (s *chaos) situation(ctx context.Context) string {
	var text string
	err := s.bed.Postgres.Pool.QueryRow(context.WithoutCancel(ctx), `SELECT concat_ws(E'\n',
		(SELECT string_agg(format('stream %s %s, wanted %s done %s, due %s, until %s, last run %s: %s', s.resource, s.state, s.requested_gen, s.served_gen,
			s.next_due_at, s.wait_until, (SELECT r.outcome || ' ' || r.started_at FROM sluice.runs r WHERE (r.service, r.resource) = (s.service, s.resource)
				ORDER BY r.id DESC LIMIT 1), s.reason), E'\n') FROM sluice.streams s WHERE enabled),
		(SELECT string_agg(format('job %s %s of %s, due %s, tried by %s', id, state, args ->> 'resource', scheduled_at,
			attempted_by[array_upper(attempted_by, 1)]), E'\n') FROM river.river_job WHERE state NOT IN ('completed', 'cancelled')),
		'now ' || clock_timestamp())`).Scan(&text)
	if err != nil {
		return err.Error()
	}
	return text
}
