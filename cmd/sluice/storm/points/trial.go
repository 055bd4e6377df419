package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/cmd/sluice/storm/ground"
	"sluice/cmd/sluice/storm/proxy"
	"sluice/sandbox"
)

// scenario is a piece of work that processes are killed in, at every point of it.
type scenario struct {
	Name string
	// Prepared says that everything was copied before, From what is asked of the program to prepare it besides.
	Prepared bool
	From     []string
	// Change is what has happened upstream since.
	Change []sandbox.Change
	// SQL damages the copy, for a backfill to mend.
	SQL string
	// Args are what the process does that is killed, Again what heals it: so often.
	Args  []string
	Again int
}

// scenarios are those of docs/decisions/0023.
func scenarios() []scenario {
	edits := []sandbox.Change{{Seed: 3, Inserts: 3, Edits: 9, Resources: []string{"bills", "items", "vendor_payments", "credit_notes"}}}
	return []scenario{
		{Name: "first", Args: []string{"sync"}, Again: 1},
		{Name: "edits", Prepared: true, Change: edits, Args: []string{"sync", "bills", "items", "vendor_payments", "credit_notes"}, Again: 1},
		{
			Name: "sweep", Prepared: true, Change: []sandbox.Change{{Seed: 4, Deletes: 4, Resources: ground.Deletable()}},
			Args: append([]string{"sync"}, ground.Sweeps()...), Again: 2,
		},
		{
			Name: "backfill", Prepared: true, From: []string{"backfill", "inventory.bills", "--detach"},
			SQL: `DELETE FROM inventory.bills WHERE mod(hashtext(bill_id), 3) = 0`, Args: []string{"backfill", "resume"}, Again: 1,
		},
	}
}

// bench is what trials are made on.
type bench struct {
	ground *ground.Ground
	direct *proxy.Proxy
	number int
}

// stepLimit bounds one process: some seconds, on a machine that has nothing else to do.
const stepLimit = 3 * time.Minute

// prepare makes the database that each trial of a scenario begins with.
func (b *bench) prepare(ctx context.Context, sc scenario) error {
	if err := b.ground.World.Reset(); err != nil {
		return fmt.Errorf("begin anew upstream: %w", err)
	}
	pool, err := b.ground.Postgres.Fresh(ctx, sc.Name, ground.Empty)
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
		if err := b.calmly(ctx, sc.Name, args); err != nil {
			return err
		}
	}
	if err := ground.Age(ctx, pool); err != nil {
		return err
	}
	// The world begins anew, and knows no token of before.
	for _, sql := range []string{"TRUNCATE sluice.tokens", sc.SQL} {
		if _, err := pool.Exec(ctx, sql); err != nil {
			return fmt.Errorf("prepare %s: %s: %w", sc.Name, sql, err)
		}
	}
	return nil
}

// calmly runs a command to its end, which has to be a good one.
func (b *bench) calmly(ctx context.Context, database string, args []string) error {
	p, err := b.run(b.direct, database, args)
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

func (b *bench) run(through *proxy.Proxy, database string, args []string) (*ground.Process, error) {
	config, err := b.ground.Configure("points", b.ground.Address())
	if err != nil {
		return nil, err
	}
	b.number++
	return b.ground.Run(ground.Start{
		Name: fmt.Sprintf("points-%d", b.number), Config: config, Postgres: through.Address(), Database: database, Args: args,
	})
}

// outcome is what a trial came to.
type outcome struct {
	passage

	verdict ground.Verdict
}

// try plays a scenario with a kill at a point, lets the program heal it, and judges.
func (b *bench) try(ctx context.Context, sc scenario, at point) (outcome, error) {
	const name = "trial"
	if err := b.ground.World.Reset(); err != nil {
		return outcome{}, fmt.Errorf("begin anew upstream: %w", err)
	}
	for _, change := range sc.Change {
		if _, err := b.ground.World.Change(change); err != nil {
			return outcome{}, fmt.Errorf("change upstream: %w", err)
		}
	}
	pool, err := b.ground.Postgres.Fresh(ctx, name, sc.Name)
	if err != nil {
		return outcome{}, err
	}
	defer pool.Close()
	o, err := b.killed(ctx, sc, name, at)
	if err != nil {
		return o, err
	}
	broken := []string{}
	for range sc.Again {
		if err := ground.Age(ctx, pool); err != nil {
			return o, err
		}
		if err := b.calmly(ctx, name, sc.Args); err != nil {
			broken = append(broken, "promise 6: the next process: "+err.Error())
		}
	}
	if o.verdict, err = b.ground.Judge(ctx, pool); err != nil {
		return o, err
	}
	repeated, err := repeatedCalls(ctx, pool)
	if err != nil {
		return o, err
	}
	// One stream is at work at a time: its pages under way may come again, and with them the look at the organization.
	if most := ground.AtOnce + 1; repeated < 0 || repeated > most {
		broken = append(broken, fmt.Sprintf("promise 6: %d calls brought nothing, at most %d may", repeated, most))
	}
	o.verdict.Violations = append(o.verdict.Violations, broken...)
	return o, nil
}

// killed runs the process that is killed.
func (b *bench) killed(ctx context.Context, sc scenario, database string, at point) (outcome, error) {
	ready := make(chan *ground.Process, 1)
	c := newCutter(at, func() {
		p := <-ready
		p.Kill()
		ready <- p
	})
	between, err := proxy.Listen(ctx, b.ground.Postgres.Dial, c.postgres)
	if err != nil {
		return outcome{}, err
	}
	b.ground.Tap = c.upstream
	p, err := b.run(between, database, sc.Args)
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
	b.ground.Tap = nil
	var o outcome
	o.passage = c.seen()
	if o.hit == "" && p.Code != 0 {
		return o, fmt.Errorf("%v ended with %d although nobody killed it: %s", sc.Args, p.Code, p.Log())
	}
	return o, nil
}

// repeatedCalls are the calls of lists that no page came of.
func repeatedCalls(ctx context.Context, pool *pgxpool.Pool) (int, error) {
	const sql = `SELECT count(*) - (SELECT coalesce(sum(pages), 0) FROM sluice.runs WHERE service <> 'chat')
		FROM sluice.calls WHERE service NOT IN ('chat', 'auth')`
	var n int
	if err := pool.QueryRow(ctx, sql).Scan(&n); err != nil {
		return 0, fmt.Errorf("count calls that brought nothing: %w", err)
	}
	return n, nil
}
