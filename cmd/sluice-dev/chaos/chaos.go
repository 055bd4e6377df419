// Package chaos tries the invariants on real processes: several of sluice serve, one that only
// receives callbacks, a Postgres that survives power cuts, and the sandbox. Every line between them
// has a proxy. While upstream changes and tells of it, it kills and suspends processes, stops the
// database, fills its disk, breaks connections and lets upstream refuse, by a plan that a seed
// fixes. Then all faults stop, and a judge that knows nothing of sluice compares both sides, and
// the inbox with what upstream sent. make chaos runs it; docs/decisions/0021-tests says what it
// proves.
//
// The program under test is the test binary of cmd/sluice/cli: the program itself, with a shorter
// minute and with clocks that are off.
//
// RunRolling plays a rolling upgrade and its rollback, with processes of two versions beside an
// analyst. Start reading at play, then faults.go; package harness has the judge.
package chaos

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"sluice/cmd/sluice-dev/harness"
	"sluice/sandbox"
)

// The strength of a round.
const (
	processes   = 3 // that serve
	records     = 3000
	minute      = 6 * time.Second
	latency     = 60 * time.Millisecond
	changeEvery = 300 * time.Millisecond
	dueFor      = 700 * time.Millisecond
	// restWithin is how long the fleet may take to come to rest.
	restWithin = 4 * time.Minute
)

// scenario is what the flags say, and the number of processes that only receive.
type scenario struct {
	Seed                      uint64
	Kills, Crashes, Receivers int
	// Total is the number of kills over all rounds, each with the next seed; zero makes one round.
	Total int
}

func parse(name string, args []string, log io.Writer) (scenario, error) {
	var s scenario // of a rolling upgrade: a serve receives callbacks, too
	flags := flag.NewFlagSet("sluice-dev "+name, flag.ContinueOnError)
	flags.SetOutput(log)
	flags.Uint64Var(&s.Seed, "seed", 1, "the same seed gives the same plan")
	if name == "chaos" {
		s.Receivers = 1
		flags.IntVar(&s.Kills, "kills", 100, "processes to kill in one round")
		flags.IntVar(&s.Crashes, "crashes", 8, "stops of Postgres in one round")
		flags.IntVar(&s.Total, "total", 0, "play rounds, each with the next seed, until so many processes were killed; 0: one")
	}
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	if name == "chaos" && min(s.Kills, s.Crashes) < 1 || s.Total < 0 || flags.NArg() > 0 {
		return s, errors.New("all figures have to be positive, and there are no arguments: see -help")
	}
	return s, nil
}

// Run plays rounds of chaos.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	sc, err := parse("chaos", args, stderr)
	if err != nil {
		return err
	}
	kills, rounds, broken := 0, 0, 0
	for ; rounds == 0 || kills < sc.Total; rounds++ {
		s := &chaos{scenario: sc, log: stderr}
		options := harness.Options{Program: "bin/sluice.test", Small: 256}
		if err := s.play(ctx, options, s.disturb); err != nil {
			return fmt.Errorf("seed %d: %w", s.Seed, err)
		}
		s.report.enough(sc)
		s.report.print(stdout)
		kills, broken = kills+s.report.Kills, broken+len(s.report.Violations)
		sc.Seed++
	}
	fmt.Fprintf(stdout, "%d rounds: %d kills, %d violations\n", rounds, kills, broken)
	if broken > 0 {
		return fmt.Errorf("%d violations", broken)
	}
	return nil
}

// chaos is one round.
type chaos struct {
	scenario

	bed *harness.Bed
	// slots hold the processes that serve, and after them the receivers.
	slots []*slot
	// turn chooses the next process that receives a callback.
	turn atomic.Int64
	log  io.Writer
	// database is held by the faults that the server cannot survive together: its stop, and a full
	// disk.
	database sync.Mutex
	undoing  sync.WaitGroup
	report   report
}

// play makes a round to its end and judges it. An error says that the round was impossible.
func (s *chaos) play(
	ctx context.Context, options harness.Options, work func(context.Context) error, beside ...func(context.Context),
) (err error) {
	s.report = report{Seed: s.Seed, Actions: map[string]int{}}
	began := time.Now()
	options.Seed, options.Records, options.Minute = int64(s.Seed&0xffff), records, minute
	options.Latency, options.Workers = latency, 3
	options.Callbacks = sandbox.Chaos{Lose: 0.05, Duplicate: 0.05, Late: 0.1, LateBy: 2 * time.Second, Reorder: 0.1}
	if s.bed, err = harness.Open(ctx, options); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close(ctx)) }()
	telling, stop := context.WithCancel(ctx)
	defer stop()
	go s.bed.World.Run(telling)
	if options.Bare {
		if err := s.migrate(ctx, options.Program, "migrate-first", false); err != nil {
			return err
		}
	}
	if err := s.fill(ctx); err != nil {
		return err
	}
	if err := s.alive(ctx, work, beside...); err != nil {
		return err
	}
	if err := s.recovery(ctx); err != nil {
		return err
	}
	s.report.Seconds = time.Since(began).Seconds()
	for _, slot := range s.slots {
		slot.mu.Lock()
		s.report.Refused += slot.refused
		s.report.Violations = append(s.report.Violations, slot.bad...)
		slot.mu.Unlock()
	}
	return nil
}

// fill opens the slots, and starts a process in each.
func (s *chaos) fill(ctx context.Context) error {
	for n := range processes + s.Receivers {
		slot, err := newSlot(ctx, s.bed, n, n >= processes)
		if err != nil {
			return err
		}
		s.slots = append(s.slots, slot)
	}
	s.bed.Receiver = s.reach
	for _, slot := range s.slots {
		if err := slot.manage(ctx); err != nil {
			return err
		}
	}
	return nil
}

// reach connects the public address to the next process that receives callbacks, as a balancer
// does. A serve receives them, too.
func (s *chaos) reach(ctx context.Context) (net.Conn, error) {
	for range s.slots {
		address := s.slots[int(s.turn.Add(1))%len(s.slots)].current().Receives()
		if address == "" {
			continue // it is starting
		}
		if conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address); err == nil {
			return conn, nil
		}
	}
	return nil, errors.New("nothing receives callbacks")
}

// farOff is in the future: no run began after it.
var farOff = time.Date(2999, time.January, 1, 0, 0, 0, 0, time.UTC)

// alive runs work while upstream changes, and streams are always due. It returns
// when all faults that end by themselves are over.
func (s *chaos) alive(ctx context.Context, work func(context.Context) error, beside ...func(context.Context)) error {
	var broken error
	living, stop := context.WithCancel(ctx)
	var life sync.WaitGroup
	for _, one := range append(beside, func(ctx context.Context) { broken = s.live(ctx) },
		func(ctx context.Context) { harness.Each(ctx, dueFor, func() { s.due(ctx, farOff) }) },
		func(ctx context.Context) { harness.Each(ctx, minute, func() { s.minute(ctx) }) }) {
		life.Go(func() { one(living) })
	}
	err := work(ctx)
	s.undoing.Wait()
	stop()
	life.Wait()
	return errors.Join(err, broken)
}

// disturb executes the plan.
func (s *chaos) disturb(ctx context.Context) error {
	steps := draw(s.Seed, len(s.slots), s.Kills, s.Crashes)
	for n, step := range steps {
		waiting, cancel := context.WithTimeout(ctx, step.pause)
		from := s.bed.Arrived()
		harness.Until(waiting, func() bool { return step.calls > 0 && s.bed.Arrived() >= from+step.calls })
		cancel()
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("interrupted: %w", err)
		}
		if err := s.do(ctx, step); err != nil {
			return fmt.Errorf("step %d of %d, %s: %w", n+1, len(steps), step.name, err)
		}
		if n%25 == 24 {
			_, _ = fmt.Fprintf(s.log, "%d of %d steps, %d calls\n", n+1, len(steps), s.bed.Arrived()) // an error of progress is ignored
		}
	}
	return nil
}

// live changes records upstream: it inserts, edits and deletes them.
func (s *chaos) live(ctx context.Context) error {
	resources := [][]string{harness.Deletable(), {"items", "chart_of_accounts"}}
	var failed error
	seed := int64(0)
	harness.Each(ctx, changeEvery, func() {
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
	_, _ = s.bed.Pool.Exec(ctx, sqlDue, since) // the server may be down: the next call repeats it
}

// minute lets a minute of the limits pass for the waiting processes.
func (s *chaos) minute(ctx context.Context) {
	for _, sql := range []string{sqlWake, sqlMinute, sqlHints} {
		_, _ = s.bed.Pool.Exec(ctx, sql) // as above
	}
}

// close kills all processes, and closes what the round opened.
func (s *chaos) close(ctx context.Context) error {
	var err error
	for _, slot := range s.slots {
		slot.kill()
		err = errors.Join(err, slot.close())
	}
	s.undoing.Wait()
	return errors.Join(err, s.bed.Close(ctx))
}

// report is the result of a round.
type report struct {
	harness.Broken

	Seed                        uint64
	Seconds                     float64
	Kills, KillsAtWork, Crashes int
	Refused                     int // starts that ended because of the version of the database
	Inserted, Edited, Deleted   int
	Actions                     map[string]int // all faults by kind
	Skipped                     []string       // those that this machine does not permit
	Inbox                       harness.Inbox
	Verdict                     harness.Verdict
	Rolling                     figures // of a rolling upgrade
}

// enough adds violations to a round with too few faults.
func (r *report) enough(sc scenario) {
	if r.Kills < sc.Kills || r.Crashes < sc.Crashes {
		r.Brokenf("%d kills and %d ends of Postgres, %d and %d were planned", r.Kills, r.Crashes, sc.Kills, sc.Crashes)
	}
	if r.KillsAtWork*5 < sc.Kills {
		r.Brokenf("only %d of %d kills hit a stream at work", r.KillsAtWork, r.Kills)
	}
	if r.Inbox.Taken == 0 || r.Inbox.Read == 0 {
		r.Brokenf("too few callbacks: %d answered, %d hints read", r.Inbox.Taken, r.Inbox.Read)
	}
	if sc.Kills >= 100 && (r.Deleted == 0 || r.Inserted == 0 || r.Edited == 0 || r.Verdict.Tombstones == 0) {
		r.Brokenf("upstream did not live: %d inserted, %d edited, %d deleted, %d tombstones", r.Inserted, r.Edited, r.Deleted, r.Verdict.Tombstones)
	}
}

// print prints the report.
func (r *report) print(w io.Writer) {
	fmt.Fprintf(w, "seed %d: %d kills (%d with streams at work), %d ends of Postgres, in %.0f s\nfaults %v; not played %q\n",
		r.Seed, r.Kills, r.KillsAtWork, r.Crashes, r.Seconds, r.Actions, r.Skipped)
	v, c := r.Verdict, r.Inbox
	fmt.Fprintf(w, "upstream: %d inserted, %d edited, %d deleted; %d records are equal, %d tombstones\n",
		r.Inserted, r.Edited, r.Deleted, v.Records, v.Tombstones)
	fmt.Fprintf(w, "%d calls, at most %d in a minute and %d at once; callbacks: %d sent, %d taken; hints: %d, %d read\n",
		v.Calls, v.Minute, v.AtOnce, c.Sent, c.Taken, c.Hints, c.Read)
	if r.Rolling.Replaced > 0 {
		fmt.Fprintf(w, "rolling upgrade: %+v\n", r.Rolling)
	}
	for _, violation := range r.Violations {
		fmt.Fprintf(w, "VIOLATION: %s\n", violation)
	}
	fmt.Fprintf(w, "%d violations\n", len(r.Violations))
}
