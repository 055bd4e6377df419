package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
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
	// SQL prepares the copy further: it damages it for a backfill to repair, or lets nothing be
	// due.
	SQL string
	// Args is the command to kill, Again the number of its runs that heal it.
	Args  []string
	Again int
	// Then are commands behind those, which must succeed, too.
	Then [][]string
	// Told says that upstream tells of its changes, and that the command receives callbacks until
	// it is told to end. What heals it is a serve, which reads what was told.
	Told bool
}

// scenarios are those of docs/decisions/0021-tests.
func scenarios() []scenario {
	edits := []sandbox.Change{{Seed: 3, Inserts: 3, Edits: 9, Resources: []string{"bills", "items", "vendor_payments", "credit_notes"}}}
	few := []sandbox.Change{{Seed: 5, Inserts: 1, Edits: 2, Resources: []string{"bills", "items", "vendor_payments"}}}
	return []scenario{
		{Name: "first", Args: syncing(), Again: 1},
		{Name: "edits", Prepared: true, Change: edits, Args: syncing("bills", "items", "vendor_payments", "credit_notes"), Again: 1},
		{
			Name: "sweep", Prepared: true, Change: []sandbox.Change{{Seed: 4, Deletes: 4, Resources: testbed.Deletable()}},
			Args: syncing(testbed.Sweeps()...), Again: 2,
		},
		{
			Name: "backfill", Prepared: true, From: []string{"backfill", bills, "--detach"},
			SQL: `DELETE FROM inventory.bills WHERE mod(hashtext(bill_id), 3) = 0`, Args: []string{"backfill", "resume"}, Again: 1,
		},
		// What was erased is gone however often the process was killed, is not loaded by a sync,
		// and comes back when it is allowed.
		{
			Name: "erase", Prepared: true, Args: erasing(), Again: 1, Then: [][]string{
				{"backfill", bills}, erasing("--verify"), erasing("--allow"), {"backfill", bills}, syncing(bills),
			},
		},
		{
			Name: "text", Prepared: true, Args: erasingText(), Again: 1, Then: [][]string{
				syncing(chats), erasingText("--verify"), {"verify"}, erasingText("--allow"), syncing(chats),
			},
		},
		{Name: "callbacks", Prepared: true, Change: few, SQL: sqlNothingDue, Args: []string{"notifications", "serve"}, Told: true},
		{Name: "told", Prepared: true, Change: few, SQL: sqlNothingDue, Args: []string{"serve"}, Told: true},
	}
}

// The record and the text that are erased: the first bill, and the title of chats.
const (
	bills     = "inventory.bills"
	firstBill = "460040000000001000"
	chats     = "chat.conversations"
	chatTitle = "büro zürich"
)

func erasing(flags ...string) []string { return append([]string{"erase", bills, firstBill}, flags...) }

func erasingText(flags ...string) []string {
	return append([]string{"erase", "--contains", chatTitle}, flags...)
}

func syncing(names ...string) []string { return append([]string{"sync"}, names...) }

// sqlNothingDue lets no schedule hide what was told.
const sqlNothingDue = `UPDATE sluice.streams SET next_due_at = now() + interval '1 day'`

// lane runs trials one after the other, beside other lanes.
type lane struct {
	number int
	bed    *testbed.Bed
	direct *proxy.Proxy
	config string
	runs   int
	// receiver receives the callbacks; nil for none.
	receiver atomic.Pointer[testbed.Process]
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
	l := &lane{number: number, bed: g, direct: direct, config: config}
	g.Receiver = l.reach
	return l, nil
}

// stepLimit bounds one process, which takes some seconds on an idle machine.
const stepLimit = 3 * time.Minute

// prepare makes the initial database of a scenario's trials.
func (l *lane) prepare(ctx context.Context, sc scenario) error {
	if err := l.bed.Reset(); err != nil {
		return err
	}
	pool, err := l.bed.Postgres.Fresh(ctx, sc.Name, postgres.Empty)
	if err != nil {
		return err
	}
	defer pool.Close()
	commands := [][]string{}
	if sc.Prepared {
		commands = append(commands, syncing())
	}
	if sc.From != nil {
		commands = append(commands, sc.From)
	}
	for _, args := range commands {
		if err := l.calmly(ctx, sc.Name, args, nil); err != nil {
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

// calmly runs a command to its end; it must succeed. A command that receives callbacks ends on
// request, when it has done what it was told of; see tell.
func (l *lane) calmly(ctx context.Context, database string, args []string, told *pgxpool.Pool) error {
	p, err := l.run(l.direct, database, args)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, stepLimit)
	defer cancel()
	if told != nil {
		if err := l.tell(ctx, p, told); err != nil {
			return err
		}
	}
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
	start := testbed.Start{
		Name: fmt.Sprintf("points-%d-%d", l.number, l.runs), Config: l.config, Postgres: through.Address(), Database: database, Args: args,
	}
	if args[len(args)-1] == "serve" {
		start.Args = append(slices.Clone(args), "--listen", "127.0.0.1:0", "--log-level", "info") // so that it says where it receives
		start.Receiver = len(args) > 1
	}
	return l.bed.Run(start)
}

// outcome is the result of a trial.
type outcome struct {
	passage

	verdict testbed.Verdict
}

// try runs a scenario with a kill at a point, lets the program heal it, and judges.
func (l *lane) try(ctx context.Context, sc scenario, at point) (outcome, error) {
	name := fmt.Sprintf("trial_%d", l.number)
	if err := l.bed.Reset(); err != nil {
		return outcome{}, err
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
	o, err := l.killed(ctx, sc, name, pool, at)
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
		if err := l.calmly(ctx, name, sc.Args, nil); err != nil {
			broken = append(broken, "invariant 6: the next process: "+err.Error())
		}
	}
	for _, args := range sc.Then {
		if err := l.calmly(ctx, name, args, nil); err != nil {
			broken = append(broken, "after it: "+err.Error())
		}
	}
	if sc.Told {
		if err := l.calmly(ctx, name, []string{"serve"}, pool); err != nil {
			broken = append(broken, "invariant 6: the next process: "+err.Error())
		}
		inbox, err := l.bed.JudgeInbox(ctx, pool)
		if err != nil {
			return o, fmt.Errorf("judge the inbox: %w", err)
		}
		broken = append(broken, inbox.Violations...)
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
func (l *lane) killed(ctx context.Context, sc scenario, database string, pool *pgxpool.Pool, at point) (outcome, error) {
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
	if sc.Told {
		err = l.tell(ending, p, pool)
	}
	err = errors.Join(err, p.Wait(ending))
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

// repeatedCalls returns the calls of lists and single records that brought no page.
func repeatedCalls(ctx context.Context, pool *pgxpool.Pool) (int, error) {
	const sql = `SELECT count(*) - (SELECT coalesce(sum(pages), 0) FROM sluice.runs WHERE service <> 'chat')
		FROM sluice.calls WHERE service NOT IN ('chat', 'auth', 'notifications')`
	var n int
	if err := pool.QueryRow(ctx, sql).Scan(&n); err != nil {
		return 0, fmt.Errorf("count calls that brought nothing: %w", err)
	}
	return n, nil
}
