package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/cmd/sluice-chaos/postgres"
	"sluice/cmd/sluice-chaos/proxy"
	"sluice/cmd/sluice-chaos/testbed"
	"sluice/sandbox"
)

// scenario is a piece of work in which processes are killed, at every point of it.
type scenario struct {
	Name string
	// Prepared says that everything was copied before; From is an additional command of the
	// preparation.
	Prepared bool
	From     []string
	// Change is the change upstream since then.
	Change []sandbox.Change
	// SQL damages the copy, for a backfill to repair.
	SQL string
	// Args is the command to kill, Again the command that heals it, with its number of runs.
	Args  []string
	Again int
}

// scenarios are those of docs/decisions/0020-simulation-chaos-and-mutation.
func scenarios() []scenario {
	edits := []sandbox.Change{{Seed: 3, Inserts: 3, Edits: 9, Resources: []string{"bills", "items", "vendor_payments", "credit_notes"}}}
	return []scenario{
		{Name: "first", Args: []string{"sync"}, Again: 1},
		{Name: "edits", Prepared: true, Change: edits, Args: []string{"sync", "bills", "items", "vendor_payments", "credit_notes"}, Again: 1},
		{
			Name: "sweep", Prepared: true, Change: []sandbox.Change{{Seed: 4, Deletes: 4, Resources: testbed.Deletable()}},
			Args: append([]string{"sync"}, testbed.Sweeps()...), Again: 2,
		},
		{
			Name: "backfill", Prepared: true, From: []string{"backfill", "inventory.bills", "--detach"},
			SQL: `DELETE FROM inventory.bills WHERE mod(hashtext(bill_id), 3) = 0`, Args: []string{"backfill", "resume"}, Again: 1,
		},
	}
}

// lane runs trials one after the other, beside other lanes.
type lane struct {
	number int
	bed    *testbed.Bed
	direct *proxy.Proxy
	config string
	runs   int
}

// newLane makes a lane on a testbed, and closes the testbed on failure.
func newLane(ctx context.Context, g *testbed.Bed, number int) (*lane, error) {
	config, err := g.Configure("points", g.Address())
	if err != nil {
		return nil, errors.Join(err, g.Close(ctx))
	}
	direct, err := proxy.Listen(ctx, g.Postgres.Dial, nil)
	if err != nil {
		return nil, errors.Join(err, g.Close(ctx))
	}
	return &lane{number: number, bed: g, direct: direct, config: config}, nil
}

// stepLimit bounds one process, which takes some seconds on an idle machine.
const stepLimit = 3 * time.Minute

// prepare makes the initial database of a scenario's trials.
func (l *lane) prepare(ctx context.Context, sc scenario) error {
	if err := l.bed.World.Reset(); err != nil {
		return fmt.Errorf("begin anew upstream: %w", err)
	}
	pool, err := l.bed.Postgres.Fresh(ctx, sc.Name, postgres.Empty)
	if err != nil {
		return err
	}
	defer pool.Close()
	commands := [][]string{}
	if sc.Prepared {
		commands = append(commands, []string{"sync"})
	}
	if sc.From != nil {
		commands = append(commands, sc.From)
	}
	for _, args := range commands {
		if err := l.calmly(ctx, sc.Name, args); err != nil {
			return err
		}
	}
	if err := testbed.Age(ctx, pool); err != nil {
		return err
	}
	// The world is new and knows no earlier token.
	for _, sql := range []string{"TRUNCATE sluice.tokens", sc.SQL} {
		if _, err := pool.Exec(ctx, sql); err != nil {
			return fmt.Errorf("prepare %s: %s: %w", sc.Name, sql, err)
		}
	}
	return nil
}

// calmly runs a command to its end; it must succeed.
func (l *lane) calmly(ctx context.Context, database string, args []string) error {
	p, err := l.run(l.direct, database, args)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, stepLimit)
	defer cancel()
	if err := p.Wait(ctx); err != nil {
		return err
	}
	if p.Code != 0 {
		return fmt.Errorf("%v ended with %d: %s", args, p.Code, p.Log())
	}
	return nil
}

func (l *lane) run(through *proxy.Proxy, database string, args []string) (*testbed.Process, error) {
	l.runs++
	return l.bed.Run(testbed.Start{
		Name: fmt.Sprintf("points-%d-%d", l.number, l.runs), Config: l.config, Postgres: through.Address(), Database: database, Args: args,
	})
}

// outcome is the result of a trial.
type outcome struct {
	passage

	verdict testbed.Verdict
}

// try runs a scenario with a kill at a point, lets the program heal it, and judges.
func (l *lane) try(ctx context.Context, sc scenario, at point) (outcome, error) {
	name := fmt.Sprintf("trial_%d", l.number)
	if err := l.bed.World.Reset(); err != nil {
		return outcome{}, fmt.Errorf("begin anew upstream: %w", err)
	}
	for _, change := range sc.Change {
		if _, err := l.bed.World.Change(change); err != nil {
			return outcome{}, fmt.Errorf("change upstream: %w", err)
		}
	}
	pool, err := l.bed.Postgres.Fresh(ctx, name, sc.Name)
	if err != nil {
		return outcome{}, err
	}
	defer pool.Close()
	o, err := l.killed(ctx, sc, name, at)
	if err != nil {
		return o, err
	}
	// A process killed during a refresh delays the others by a minute: that minute is over.
	if _, err := pool.Exec(ctx, `UPDATE sluice.tokens SET attempted_at = attempted_at - interval '1 minute'`); err != nil {
		return o, fmt.Errorf("let a minute pass for tokens: %w", err)
	}
	broken := []string{}
	for range sc.Again {
		if err := testbed.Age(ctx, pool); err != nil {
			return o, err
		}
		if err := l.calmly(ctx, name, sc.Args); err != nil {
			broken = append(broken, "invariant 6: the next process: "+err.Error())
		}
	}
	if o.verdict, err = l.bed.Judge(ctx, pool); err != nil {
		return o, err
	}
	repeated, err := repeatedCalls(ctx, pool)
	if err != nil {
		return o, err
	}
	// One stream works at a time. Its pages under way may be requested again, as may the check of
	// the organization.
	if most := testbed.AtOnce + 1; repeated < 0 || repeated > most {
		broken = append(broken, fmt.Sprintf("invariant 6: %d calls brought nothing, at most %d may", repeated, most))
	}
	o.verdict.Violations = append(o.verdict.Violations, broken...)
	return o, nil
}

// killed runs the process to kill.
func (l *lane) killed(ctx context.Context, sc scenario, database string, at point) (outcome, error) {
	ready := make(chan *testbed.Process, 1)
	c := newCutter(at, func() {
		p := <-ready
		p.Kill()
		ready <- p
	})
	between, err := proxy.Listen(ctx, l.bed.Postgres.Dial, c.postgres)
	if err != nil {
		return outcome{}, err
	}
	l.bed.Tap = c.upstream
	p, err := l.run(between, database, sc.Args)
	if err != nil {
		return outcome{}, errors.Join(err, between.Close())
	}
	ready <- p
	ending, cancel := context.WithTimeout(ctx, stepLimit)
	defer cancel()
	err = p.Wait(ending)
	if err = errors.Join(err, between.Close()); err != nil {
		return outcome{}, err
	}
	l.bed.Tap = nil
	var o outcome
	o.passage = c.passed()
	if !o.hit && p.Code != 0 {
		return o, fmt.Errorf("%v ended with %d without a kill: %s", sc.Args, p.Code, p.Log())
	}
	return o, nil
}

// repeatedCalls returns the calls of lists that brought no page.
func repeatedCalls(ctx context.Context, pool *pgxpool.Pool) (int, error) {
	const sql = `SELECT count(*) - (SELECT coalesce(sum(pages), 0) FROM sluice.runs WHERE service <> 'chat')
		FROM sluice.calls WHERE service NOT IN ('chat', 'auth')`
	var n int
	if err := pool.QueryRow(ctx, sql).Scan(&n); err != nil {
		return 0, fmt.Errorf("count calls that brought nothing: %w", err)
	}
	return n, nil
}
