package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/cmd/sluice-chaos/watch"
)

// analyst queries without a pause, in a session of its own, and measures how long its statements
// take and for how long each waited for locks.
type analyst struct {
	conn *pgx.Conn

	mu sync.Mutex
	// asked counts the statements; slowest is the longest of them, before and since the upgrade
	// began.
	asked                  int
	slowestBefore, slowest time.Duration
	began                  bool
	// waiting are the statements that were seen to wait, by their beginning; longest is the longest
	// such time.
	waiting map[time.Time]time.Time
	longest time.Duration
	failed  error
}

// analystName is the application name of the analyst's session.
const analystName = "analyst"

// mostWait is how long a statement of an analyst may wait for locks in all. An upgrade lets go
// after less than a second, but a busy machine lets it come late to that.
const mostWait = time.Minute

// questionsOfAnalyst read tables that the upgrade changes, by themselves and through views.
func questionsOfAnalyst() []string {
	return []string{
		`SELECT count(*), sum(total) FROM inventory.bills`, `SELECT count(*) FROM analytics.bills`, `SELECT count(*) FROM inventory.items`,
		`SELECT count(*) FROM accounting.vendor_payments`, `SELECT count(*) FROM analytics.freshness`, `SELECT count(*) FROM analytics.ap_ageing`,
	}
}

// lookEvery is the interval of looks at the analyst's session, and the precision of its waits.
const lookEvery = 20 * time.Millisecond

const sqlAnalystWaits = `SELECT query_start, clock_timestamp() FROM pg_stat_activity
	WHERE datname = current_database() AND application_name = '` + analystName + `' AND state = 'active' AND wait_event_type = 'Lock'`

// newAnalyst opens the session.
func newAnalyst(ctx context.Context, pool *pgxpool.Pool) (*analyst, error) {
	config := pool.Config().ConnConfig.Copy()
	config.RuntimeParams["application_name"] = analystName
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open the analyst's session: %w", err)
	}
	return &analyst{conn: conn, waiting: make(map[time.Time]time.Time)}, nil
}

// work queries until the context ends.
func (a *analyst) work(ctx context.Context) {
	defer func() { _ = a.conn.Close(context.WithoutCancel(ctx)) }()
	for n := 0; ; n++ {
		sql := questionsOfAnalyst()[n%len(questionsOfAnalyst())]
		began := time.Now()
		_, err := a.conn.Exec(ctx, sql)
		if ctx.Err() != nil {
			return
		}
		a.mu.Lock()
		a.asked++
		if took := time.Since(began); a.began {
			a.slowest = max(a.slowest, took)
		} else {
			a.slowestBefore = max(a.slowestBefore, took)
		}
		if err != nil {
			a.failed = errors.Join(a.failed, fmt.Errorf("%s: %w", sql, err))
		}
		a.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// look notes for how long the present statement has waited for locks.
func (a *analyst) look(ctx context.Context, pool *pgxpool.Pool) {
	watch.Each(ctx, lookEvery, func() {
		var statement, now time.Time
		if pool.QueryRow(ctx, sqlAnalystWaits).Scan(&statement, &now) != nil {
			return // it waits for nothing
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		if _, seen := a.waiting[statement]; !seen {
			a.waiting[statement] = now.Add(-lookEvery)
		}
		a.longest = max(a.longest, now.Sub(a.waiting[statement]))
	})
}

// upgrade says that from now on an upgrade is under way.
func (a *analyst) upgrade() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.began = true
}

// report notes what the analyst saw.
func (a *analyst) report(r *Report) {
	a.mu.Lock()
	defer a.mu.Unlock()
	r.Rolling.Statements, r.Rolling.SlowestBefore, r.Rolling.Slowest = a.asked, a.slowestBefore.Seconds(), a.slowest.Seconds()
	r.Rolling.LongestWait = a.longest.Seconds()
	if a.failed != nil {
		r.brokenf("the analyst: %v", a.failed)
	}
	if a.longest > mostWait {
		r.brokenf("a statement of the analyst waited for locks for %.2f s, %s are allowed", a.longest.Seconds(), mostWait)
	}
	if a.asked < len(questionsOfAnalyst()) {
		r.brokenf("the analyst asked %d times only", a.asked)
	}
}
