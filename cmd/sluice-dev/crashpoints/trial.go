package crashpoints

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/cmd/sluice-dev/harness"
	"sluice/cmd/sluice-dev/harness/proxy"
	"sluice/sandbox"
)

// scenario is a piece of work in which processes are killed, at every point of it.
type scenario struct {
	name string
	// before are commands of the preparation.
	before [][]string
	// change is the change upstream since then.
	change []sandbox.Change
	// sql prepares the copy further: it damages it for a backfill to repair, or lets nothing be
	// due.
	sql string
	// args is the command to kill, again the number of its runs that heal it.
	args  []string
	again int
	// then are commands after those, which must succeed, too.
	then [][]string
	// told says that upstream tells of its changes, and that the command receives callbacks until
	// it is told to end. What heals it is a serve, which reads what was told.
	told bool
}

// The record that is erased.
const (
	bills     = "inventory.bills"
	firstBill = "460040000000001000"
)

// sqlNothingDue lets no schedule hide what was told.
const sqlNothingDue = `UPDATE sluice.streams SET next_due_at = now() + interval '1 day'`

// syncs is the command that reads what changed.
const syncs = "sync"

// scenarios are those of docs/decisions/0021-tests.
func scenarios() []scenario {
	edits := []sandbox.Change{{Seed: 3, Inserts: 3, Edits: 9, Resources: []string{"bills", "items", "vendor_payments", "credit_notes"}}}
	few := []sandbox.Change{{Seed: 5, Inserts: 1, Edits: 2, Resources: []string{"bills", "items", "vendor_payments"}}}
	erase := func(flags ...string) []string { return append([]string{"erase", bills, firstBill}, flags...) }
	return []scenario{
		{name: "first", args: []string{syncs}, again: 1},
		{
			name: "edits", before: [][]string{{syncs}}, change: edits,
			args: []string{syncs, "bills", "items", "vendor_payments", "credit_notes"}, again: 1,
		},
		{
			name: "sweep", before: [][]string{{syncs}}, change: []sandbox.Change{{Seed: 4, Deletes: 4, Resources: harness.Deletable()}},
			args: append([]string{syncs}, harness.Sweeps()...), again: 2,
		},
		{
			name: "backfill", before: [][]string{{syncs}, {"backfill", bills, "--detach"}},
			sql: `DELETE FROM inventory.bills WHERE mod(hashtext(bill_id), 3) = 0`, args: []string{"backfill", "resume"}, again: 1,
		},
		// What was erased is gone however often the process was killed, is not loaded by a sync,
		// and comes back when it is allowed.
		{
			name: "erase", before: [][]string{{syncs}}, args: erase(), again: 1,
			then: [][]string{{"backfill", bills}, erase("--verify"), erase("--allow"), {"backfill", bills}, {syncs, bills}},
		},
		{name: "callbacks", before: [][]string{{syncs}}, change: few, sql: sqlNothingDue, args: []string{"notifications", "serve"}, told: true},
		{name: "told", before: [][]string{{syncs}}, change: few, sql: sqlNothingDue, args: []string{"serve"}, told: true},
	}
}

// lane runs trials one after the other, beside other lanes.
type lane struct {
	number int
	bed    *harness.Bed
	direct *proxy.Proxy
	runs   int
	// receiver receives the callbacks; nil for none.
	receiver atomic.Pointer[harness.Process]
}

// stepLimit bounds one process, which takes some seconds on an idle machine.
const stepLimit = 3 * time.Minute

// fresh resets the world, and makes a database from a template.
func (l *lane) fresh(ctx context.Context, name, template string) (*pgxpool.Pool, error) {
	if err := l.bed.Reset(); err != nil {
		return nil, err
	}
	return l.bed.Postgres.Fresh(ctx, name, template)
}

// prepare makes the initial database of a scenario's trials.
func (l *lane) prepare(ctx context.Context, sc scenario) error {
	pool, err := l.fresh(ctx, sc.name, harness.Empty)
	if err != nil {
		return err
	}
	defer pool.Close()
	for _, args := range sc.before {
		if err := l.calmly(ctx, sc.name, args, nil); err != nil {
			return err
		}
	}
	if err := harness.Age(ctx, pool); err != nil {
		return err
	}
	// The world is new and knows no earlier token.
	for _, sql := range []string{"TRUNCATE sluice.tokens", sc.sql} {
		if _, err := pool.Exec(ctx, sql); err != nil {
			return fmt.Errorf("prepare %s: %s: %w", sc.name, sql, err)
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
		if err := l.tell(ctx, p, told, true); err != nil {
			return err
		}
	}
	return p.Succeed(ctx)
}

func (l *lane) run(through *proxy.Proxy, database string, args []string) (*harness.Process, error) {
	l.runs++
	start := harness.Launch{Name: fmt.Sprintf("points-%d-%d", l.number, l.runs), Postgres: through.Address(), Database: database, Args: args}
	if args[len(args)-1] == "serve" {
		start.Args = append(slices.Clone(args), "--listen", "127.0.0.1:0", "--log-level", "info") // so that it says where it receives
		start.Receiver = len(args) > 1
	}
	return l.bed.Start(start)
}

// try runs a scenario with a kill at a point, lets the program heal it, and judges. Without a point
// it prepares the scenario first.
func (l *lane) try(ctx context.Context, t trial) (result, error) {
	all := scenarios()
	sc := all[slices.IndexFunc(all, func(sc scenario) bool { return sc.name == t.Scenario })]
	if t.Number == 0 {
		if err := l.prepare(ctx, sc); err != nil {
			return result{}, err
		}
	}
	name := fmt.Sprintf("trial_%d", l.number)
	pool, err := l.fresh(ctx, name, sc.name)
	if err != nil {
		return result{}, err
	}
	defer pool.Close()
	for _, change := range sc.change {
		if _, err := l.bed.World.Change(change); err != nil {
			return result{}, fmt.Errorf("change upstream: %w", err)
		}
	}
	c, err := l.killed(ctx, sc, name, pool, t.point)
	if err != nil {
		return result{}, err
	}
	// A process killed during a refresh delays the others by a minute: that minute is over.
	if _, err := pool.Exec(ctx, `UPDATE sluice.tokens SET attempted_at = attempted_at - interval '1 minute'`); err != nil {
		return result{}, fmt.Errorf("let a minute pass for tokens: %w", err)
	}
	var broken []string
	for range sc.again {
		if err := harness.Age(ctx, pool); err != nil {
			return result{}, err
		}
		if err := l.calmly(ctx, name, sc.args, nil); err != nil {
			broken = append(broken, "invariant 6: the next process: "+err.Error())
		}
	}
	for _, args := range sc.then {
		if err := l.calmly(ctx, name, args, nil); err != nil {
			broken = append(broken, "after it: "+err.Error())
		}
	}
	if sc.told {
		if err := l.calmly(ctx, name, []string{"serve"}, pool); err != nil {
			broken = append(broken, "invariant 6: the next process: "+err.Error())
		}
		inbox, err := l.bed.JudgeInbox(ctx, pool)
		if err != nil {
			return result{}, fmt.Errorf("judge the inbox: %w", err)
		}
		broken = append(broken, inbox.Violations...)
	}
	verdict, err := l.bed.Judge(ctx, pool)
	if err != nil {
		return result{}, err
	}
	// One stream works at a time. Its pages under way may be requested again, as may the check of
	// the organization.
	var repeated int
	if err := pool.QueryRow(ctx, sqlRepeated).Scan(&repeated); err != nil {
		return result{}, fmt.Errorf("count calls that brought nothing: %w", err)
	}
	if most := harness.AtOnce + 1; repeated < 0 || repeated > most {
		broken = append(broken, fmt.Sprintf("invariant 6: %d calls brought nothing, at most %d may", repeated, most))
	}
	return result{c.hit, c.seen, append(verdict.Violations, broken...)}, nil
}

// sqlRepeated counts the calls of lists and single records that brought no page.
const sqlRepeated = `SELECT count(*) - (SELECT coalesce(sum(pages), 0) FROM sluice.runs WHERE service <> 'chat')
	FROM sluice.calls WHERE service NOT IN ('chat', 'auth', 'notifications')`

// killed runs the process to kill.
func (l *lane) killed(ctx context.Context, sc scenario, database string, pool *pgxpool.Pool, at point) (*cutter, error) {
	ready := make(chan *harness.Process, 1)
	c := newCutter(at, func() {
		p := <-ready
		p.Kill()
		ready <- p
	})
	between, err := proxy.Listen(ctx, l.bed.Postgres.Dial, c.postgres)
	if err != nil {
		return nil, err
	}
	l.bed.Tap = c.upstream
	p, err := l.run(between, database, sc.args)
	if err != nil {
		return nil, errors.Join(err, between.Close())
	}
	ready <- p
	ending, cancel := context.WithTimeout(ctx, stepLimit)
	defer cancel()
	if sc.told {
		err = l.tell(ending, p, pool, len(sc.args) == 1)
	}
	err = errors.Join(err, p.Wait(ending))
	if err = errors.Join(err, between.Close()); err != nil {
		return nil, err
	}
	l.bed.Tap = nil
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.hit && p.Code != 0 {
		return nil, fmt.Errorf("%v ended with %d without a kill: %s", sc.args, p.Code, p.Log())
	}
	return c, nil
}

// reach connects the public address to the process that receives, and waits until there is one.
func (l *lane) reach(ctx context.Context) (net.Conn, error) {
	address := ""
	harness.Until(ctx, func() bool {
		if p := l.receiver.Load(); p != nil && p.Alive() {
			address = p.Receives()
		}
		return address != ""
	})
	return (&net.Dialer{}).DialContext(ctx, "tcp", address)
}

// The work that hints lead to. A second read that waits for readers upstream is due at once.
const (
	sqlReadAgain = `UPDATE sluice.hints SET due_at = clock_timestamp() WHERE read_again AND read_at IS NULL AND due_at > clock_timestamp()`
	sqlAllRead   = `SELECT NOT EXISTS (SELECT FROM sluice.hints WHERE read_at IS NULL)
		AND NOT EXISTS (SELECT FROM sluice.streams WHERE enabled AND (run_id IS NOT NULL OR requested_gen > served_gen OR state = 'queued'))`
)

// tell lets upstream tell a process of its changes, and tells the process to end when it has nothing
// more to do: when upstream has sent everything, and, if the process reads, everything is read. It
// returns earlier if the process ends before.
func (l *lane) tell(ctx context.Context, p *harness.Process, pool *pgxpool.Pool, reads bool) error {
	sending, stop := context.WithCancel(ctx)
	var upstream sync.WaitGroup
	defer upstream.Wait()
	defer stop()
	l.receiver.Store(p)
	upstream.Go(func() { l.bed.World.Run(sending) })
	err := harness.Wait(ctx, stepLimit, "upstream is not done", func(ctx context.Context) (bool, error) {
		switch {
		case !p.Alive():
			return true, nil
		case p.Receives() == "": // it is starting, and could not be told to end yet
			return false, nil
		}
		done, err := l.bed.Told(ctx)
		if err != nil || !done || !reads {
			return done, err
		}
		if _, err := pool.Exec(ctx, sqlReadAgain); err != nil {
			return false, fmt.Errorf("let a pause of hints pass: %w", err)
		}
		err = pool.QueryRow(ctx, sqlAllRead).Scan(&done)
		return done, err
	})
	p.Signal(syscall.SIGTERM)
	return err
}
