package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"sluice/cmd/sluice-chaos/plan"
	"sluice/cmd/sluice-chaos/proxy"
	"sluice/cmd/sluice-chaos/testbed"
	"sluice/cmd/sluice-chaos/watch"
	"sluice/migrations"
)

// rollingFigures are the figures of a rolling upgrade.
type rollingFigures struct {
	// Versions says which ones were played.
	Versions string `json:"versions"`
	// MigrateKills counts the kills of migrate, MigrateSeconds is how long it took in all.
	MigrateKills   int     `json:"migrate_kills"`
	MigrateSeconds float64 `json:"migrate_seconds"`
	// Replaced counts the processes that were replaced by one of the other version; Mixed, whether
	// processes of both versions were at work at once; Refused, the migrations that were refused
	// because of a contract.
	Replaced int  `json:"replaced"`
	Mixed    bool `json:"mixed"`
	Refused  int  `json:"refused"`
	// Statements counts those of the analyst, in seconds the slowest before the upgrade began and
	// since, and the longest time that one of them waited for locks.
	Statements    int     `json:"analyst_statements"`
	SlowestBefore float64 `json:"slowest_before"`
	Slowest       float64 `json:"slowest"`
	LongestWait   float64 `json:"longest_wait"`
}

// rolling is a rolling upgrade and rollback under faults.
type rolling struct {
	*chaos

	built   releases
	analyst *analyst
	// door is the way of migrate to the database.
	door *proxy.Proxy
}

// How many faults each phase has, how long an operator's transaction keeps a table locked, and how
// long a replacement may take.
const (
	faultsOfPhase  = 4
	openFor        = 3 * time.Second
	replacedWithin = time.Minute
	goneWithin     = time.Minute
	migratedWithin = 2 * time.Minute
)

// playRolling upgrades a fleet that works under load, and rolls it back. An error says that this
// was impossible.
func playRolling(ctx context.Context, sc scenario, revision string, log io.Writer) (_ Report, err error) {
	sc.Receivers = 0 // a serve receives callbacks, too
	s := &chaos{scenario: sc, log: log, report: Report{Seed: sc.Seed, Actions: map[string]int{}, Exits: map[int]int{}, Rolling: &rollingFigures{}}}
	r := &rolling{chaos: s}
	folder, err := os.MkdirTemp("", "sluice-rolling-")
	if err != nil {
		return s.report, fmt.Errorf("make a folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	if r.built, err = build(ctx, folder, revision); err != nil {
		return s.report, err
	}
	s.report.Rolling.Versions = r.built.what
	r.sayf("%s", r.built.what)
	began := time.Now()
	s.bed, err = testbed.Open(ctx, testbed.Options{
		Program: r.built.previous, Seed: int64(sc.Seed & 0xffff), Records: sc.Records, Minute: sc.Minute, Latency: sc.Latency,
		Workers: sc.Workers, Bare: true, Callbacks: onTheWay(), Log: log,
	})
	if err != nil {
		return s.report, err
	}
	s.watcher = watch.New(s.bed.Postgres.Pool)
	defer func() { err = errors.Join(err, s.close(ctx)) }()
	if r.door, err = proxy.Listen(ctx, s.bed.Postgres.Dial, nil); err != nil {
		return s.report, err
	}
	defer func() { err = errors.Join(err, r.door.Close()) }()
	watching, stop := context.WithCancel(ctx)
	defer stop()
	go s.bed.World.Run(watching)
	if err := r.play(ctx, watching); err != nil {
		return s.report, err
	}
	s.report.FaultSeconds = time.Since(began).Seconds()
	if err := s.recovery(ctx); err != nil {
		return s.report, err
	}
	s.report.Seconds = time.Since(began).Seconds()
	r.judge()
	return s.report, nil
}

func (r *rolling) sayf(format string, args ...any) {
	_, _ = fmt.Fprintf(r.log, format+"\n", args...) // an error of progress is ignored
}

// play is the upgrade and the rollback, with upstream alive and an analyst at work.
func (r *rolling) play(ctx, watching context.Context) error {
	if err := r.migrate(ctx, r.built.previous, "migrate-first", 0); err != nil {
		return err
	}
	if err := r.fill(ctx); err != nil {
		return err
	}
	r.bed.Receiver = r.reach
	pool := r.bed.Postgres.Pool
	go r.watcher.Run(watching)
	var err error
	if r.analyst, err = newAnalyst(ctx, pool); err != nil {
		return err
	}
	living, stop := context.WithCancel(ctx)
	var life sync.WaitGroup
	defer func() {
		stop()
		life.Wait()
		r.undoing.Wait()
	}()
	var broken error
	for _, work := range []func(){
		func() { broken = r.live(living) },
		func() { watch.Each(living, r.DueFor, func() { r.due(living, farOff) }) },
		func() { watch.Each(living, r.Minute, func() { r.minute(living) }) },
		func() { r.analyst.work(living) },
		func() { r.analyst.look(living, pool) },
	} {
		life.Go(work)
	}
	if err := r.phases(ctx); err != nil {
		return err
	}
	r.undoing.Wait()
	stop()
	life.Wait()
	return broken
}

// phases are the steps of the operator, with faults between them.
func (r *rolling) phases(ctx context.Context) error {
	r.sayf("the previous version works")
	if err := r.faults(ctx); err != nil {
		return err
	}
	r.sayf("the next version migrates, beside processes of the previous one and an open transaction")
	r.analyst.upgrade()
	if err := r.upgradeTables(ctx); err != nil {
		return err
	}
	for _, to := range []struct{ program, what string }{{r.built.next, "next"}, {r.built.previous, "previous"}} {
		r.sayf("processes of the version before start on the tables of the next one; the %s version takes over", to.what)
		if err := r.replace(ctx, to.program); err != nil {
			return err
		}
		if err := r.faults(ctx); err != nil {
			return err
		}
		if err := r.migrate(ctx, to.program, "migrate-"+to.what, 0); err != nil { // as a rollout does before each version
			return err
		}
	}
	if r.built.contracting == "" {
		return nil
	}
	return r.contract(ctx)
}

// sqlNoneBefore reports whether no process of a version below the given one is left.
const sqlNoneBefore = `
SELECT NOT EXISTS (SELECT FROM sluice.processes p JOIN sluice.live_processes l ON l.id = p.id WHERE coalesce(p.program, 0) < $1)`

// contract takes away what the previous version uses: not while it is at work, and then it is
// refused.
func (r *rolling) contract(ctx context.Context) error {
	r.sayf("a contract waits for the next version to take over again, and shuts the previous one out")
	if err := r.refused(ctx, r.built.contracting, "migrate-too-early", "processes of versions below the new floor are at work"); err != nil {
		return err
	}
	if err := r.replace(ctx, r.built.next); err != nil {
		return err
	}
	gone, cancel := context.WithTimeout(ctx, goneWithin)
	defer cancel()
	watch.Until(gone, func() bool { // of those that were killed, too: the server notices it a moment later
		var none bool
		err := r.bed.Postgres.Pool.QueryRow(gone, sqlNoneBefore, migrations.Version()+1).Scan(&none)
		return err == nil && none
	})
	if err := r.migrate(ctx, r.built.contracting, "migrate-contracts", 0); err != nil {
		return err
	}
	if err := r.refused(ctx, r.built.previous, "migrate-below", "needs a program of version"); err != nil {
		return err
	}
	return r.faults(ctx) // the next version starts again on the tables of the one behind it
}

// refused runs migrate, which has to end with exit code 3 and the words.
func (r *rolling) refused(ctx context.Context, program, name, words string) error {
	p, err := r.startMigrate(program, name)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, migratedWithin)
	defer cancel()
	if err := p.Wait(ctx); err != nil {
		return err
	}
	const environment = 3
	if p.Code != environment || !strings.Contains(p.Log(), words) {
		r.report.brokenf("%s ended with %d, want %d and %q: %s", name, p.Code, environment, words, lastLines(p.Log()))
		return nil
	}
	r.report.Rolling.Refused++
	return nil
}

// startMigrate starts migrate of a version.
func (r *rolling) startMigrate(program, name string) (*testbed.Process, error) {
	slot, err := r.bed.Configure(name, r.bed.Address())
	if err != nil {
		return nil, err
	}
	return r.bed.Run(testbed.Start{
		Name: name, Config: slot, Program: program, Postgres: r.door.Address(), Args: []string{"migrate", "--log-level", "info"},
	})
}

// upgradeTables migrates while a transaction keeps a table locked, kills migrate twice, and
// starts it again.
func (r *rolling) upgradeTables(ctx context.Context) error {
	tx, err := r.bed.Postgres.Pool.Begin(ctx)
	if err != nil {
		return fmt.Errorf("open a transaction: %w", err)
	}
	if _, err := tx.Exec(ctx, `SELECT count(*) FROM inventory.items`); err != nil {
		return fmt.Errorf("open a transaction: %w", err)
	}
	r.later(ctx, openFor, func() { _ = tx.Rollback(context.WithoutCancel(ctx)) })
	began := time.Now()
	for n, steps := range []int{1, 2} {
		if err := r.migrate(ctx, r.built.next, fmt.Sprintf("migrate-killed-%d", n), steps); err != nil {
			return err
		}
	}
	if err := r.migrate(ctx, r.built.next, "migrate-next", 0); err != nil {
		return err
	}
	r.report.Rolling.MigrateSeconds = time.Since(began).Seconds()
	return r.faults(ctx) // the previous version starts again on the new tables
}

// migrate runs migrate to its end, or kills it once it has applied some steps.
func (r *rolling) migrate(ctx context.Context, program, name string, killAfter int) error {
	p, err := r.startMigrate(program, name)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, migratedWithin)
	defer cancel()
	if killAfter > 0 {
		watch.Until(ctx, func() bool { return !p.Alive() || strings.Count(p.Log(), `"step applied"`) >= killAfter })
		if p.Kill() {
			r.report.Rolling.MigrateKills++
			r.report.Actions["kill -9 of migrate"]++
		}
		return nil
	}
	if err := p.Wait(ctx); err != nil {
		return err
	}
	if p.Code != 0 {
		r.report.brokenf("%s ended with %d: %s", name, p.Code, lastLines(p.Log()))
	}
	return nil
}

// faults kills processes at work and breaks their lines.
func (r *rolling) faults(ctx context.Context) error {
	for n := range faultsOfPhase {
		slot := (n + int(r.Seed)) % len(r.slots) //nolint:gosec // a small seed
		step := plan.Step{Fault: plan.Kill, Slot: slot}
		if n%4 == 3 {
			step = plan.Step{Fault: []plan.Fault{plan.DBReset, plan.HTTPReset}[slot%2], Slot: slot}
		}
		if err := r.do(ctx, step); err != nil {
			return fmt.Errorf("%s: %w", step.Fault, err)
		}
	}
	return nil
}

// replace replaces the processes one by one by those of another version, and kills one of the
// others meanwhile.
func (r *rolling) replace(ctx context.Context, program string) error {
	for n, slot := range r.slots {
		before := slot.install(program)
		before.Signal(syscall.SIGTERM)
		waiting, cancel := context.WithTimeout(ctx, replacedWithin)
		ready := watch.Until(waiting, func() bool { p := slot.current(); return p != before && strings.Contains(p.Log(), `"serving"`) })
		cancel()
		if !ready {
			r.report.brokenf("slot %d: no process of the other version works after %s: %s", n, replacedWithin, lastLines(slot.current().Log()))
			return nil
		}
		r.report.Rolling.Replaced++
		r.report.Rolling.Mixed = r.report.Rolling.Mixed || n < len(r.slots)-1
		if err := r.do(ctx, plan.Step{Fault: plan.Kill, Slot: (n + 1) % len(r.slots)}); err != nil {
			return err
		}
	}
	return nil
}

// judge adds what a rolling upgrade has to show to the verdict of the oracle.
func (r *rolling) judge() {
	r.analyst.report(&r.report)
	refused := 0
	for _, slot := range r.slots {
		slot.mu.Lock()
		r.report.Exits = merged(r.report.Exits, slot.exits)
		r.report.Starts += slot.starts
		r.report.Violations = append(r.report.Violations, slot.bad...)
		refused += slot.refused
		slot.mu.Unlock()
	}
	took, left, outage := r.watcher.Result()
	r.report.Outage, r.report.GoOn = outage.Seconds(), figuresOf(took)
	if left > 0 {
		r.report.brokenf("invariant 6: %d streams of killed processes never went on", left)
	}
	if refused > 0 {
		r.report.brokenf("%d starts were refused, a program of the version before has to work on the new tables", refused)
	}
	figures := r.report.Rolling
	rounds, contracts := 2, r.built.contracting != ""
	if contracts {
		rounds = 3
	}
	if figures.Replaced != rounds*len(r.slots) || !figures.Mixed || contracts && (figures.MigrateKills == 0 || figures.Refused != 2) {
		r.report.brokenf("it proves too little: %+v", *figures)
	}
	if r.report.KillsAtWork == 0 || r.report.Inserted == 0 || r.report.Edited == 0 {
		r.report.brokenf("it proves too little: %d kills at work, upstream: %d inserted, %d edited",
			r.report.KillsAtWork, r.report.Inserted, r.report.Edited)
	}
}
