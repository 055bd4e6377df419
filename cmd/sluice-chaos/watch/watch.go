// Package watch observes a fleet while it works: outages of the database, the leader of the queue,
// and the streams of killed processes. It measures how soon these streams continue.
//
// Start reading at Watcher.
package watch

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Watcher measures how soon the streams of killed processes continue. It is safe for concurrent
// use.
type Watcher struct {
	pool *pgxpool.Pool

	mu      sync.Mutex
	orphans map[orphan]time.Time
	outages outages
	took    []time.Duration
}

// New returns an empty watcher.
func New(pool *pgxpool.Pool) *Watcher {
	return &Watcher{pool: pool, orphans: make(map[orphan]time.Time)}
}

// orphan is a job that a killed process had at work.
type orphan struct {
	Job     int64
	Attempt int16
}

// A job continues when another process takes it, or when it turns out to be done: the killed
// process's last commit may have arrived.
const (
	sqlAtWork = `SELECT j.id, j.attempt FROM river.river_job j JOIN sluice.processes p
		ON j.attempted_by[array_upper(j.attempted_by, 1)] = 'sluice-' || p.id
		WHERE p.name = $1 AND j.state = 'running'`
	sqlGoneOn = `SELECT w.id, w.attempt FROM unnest($1::bigint[], $2::smallint[]) AS w (id, attempt)
		LEFT JOIN river.river_job j ON j.id = w.id
		WHERE j.id IS NULL OR j.finalized_at IS NOT NULL OR (j.state = 'running' AND j.attempt <> w.attempt)
			OR j.state IN ('scheduled', 'retryable')`
	sqlBusy   = `SELECT EXISTS (` + sqlAtWork + `)`
	sqlLeader = `SELECT l.leader_id, p.name FROM river.river_leader l JOIN sluice.processes p ON l.leader_id = 'sluice-' || p.id
		WHERE l.expires_at > now()`
)

// lookEvery is the interval between looks at the database, and the precision of the measurement.
const lookEvery = 100 * time.Millisecond

// Killed notes the streams that a process had at work when it was killed.
func (w *Watcher) Killed(ctx context.Context, name string, at time.Time) (int, error) {
	rows, err := w.pool.Query(ctx, sqlAtWork, name)
	if err != nil {
		return 0, fmt.Errorf("ask what %s was at: %w", name, err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[orphan])
	if err != nil {
		return 0, fmt.Errorf("ask what %s was at: %w", name, err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, o := range found {
		w.orphans[o] = at
	}
	return len(found), nil
}

// Busy reports whether a process has a stream at work; false also without an answer of the server.
func (w *Watcher) Busy(ctx context.Context, name string) bool {
	var busy bool
	return w.pool.QueryRow(ctx, sqlBusy, name).Scan(&busy) == nil && busy
}

// look checks which streams continue.
func (w *Watcher) look(ctx context.Context) {
	w.mu.Lock()
	jobs, attempts := make([]int64, 0, len(w.orphans)), make([]int16, 0, len(w.orphans))
	for o := range w.orphans {
		jobs, attempts = append(jobs, o.Job), append(attempts, o.Attempt)
	}
	w.mu.Unlock()
	began := time.Now()
	var found []orphan
	rows, err := w.pool.Query(ctx, sqlGoneOn, jobs, attempts)
	if err == nil {
		found, err = pgx.CollectRows(rows, pgx.RowToStructByPos[orphan])
	}
	now := time.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.outages.looked(began, now, err == nil)
	if err != nil {
		return // the server is down: the next look asks again
	}
	for _, o := range found {
		w.took = append(w.took, now.Sub(w.orphans[o]))
		delete(w.orphans, o)
	}
}

// Run looks until the context ends.
func (w *Watcher) Run(ctx context.Context) { Each(ctx, lookEvery, func() { w.look(ctx) }) }

// Result returns the measured times, the number of streams that have not continued, and the longest
// outage of the database.
func (w *Watcher) Result() ([]time.Duration, int, time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.took, len(w.orphans), w.outages.longest
}

// Leader returns the process that leads the queue, and the slot that it is in; -1 if none leads.
func (w *Watcher) Leader(ctx context.Context) (string, int) {
	var id, name string
	if err := w.pool.QueryRow(ctx, sqlLeader).Scan(&id, &name); err != nil {
		return "", -1
	}
	parts := strings.Split(name, "-")
	number, err := strconv.Atoi(parts[min(1, len(parts)-1)])
	if err != nil {
		return "", -1
	}
	return name, number
}

// Each calls work now and then until the context ends.
func Each(ctx context.Context, every time.Duration, work func()) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			work()
		}
	}
}

// Until asks at intervals whether a condition holds, as long as the context lasts.
func Until(ctx context.Context, holds func() bool) bool {
	ticker := time.NewTicker(lookEvery / 4)
	defer ticker.Stop()
	for !holds() {
		select {
		case <-ctx.Done():
			return false
		case <-ticker.C:
		}
	}
	return true
}
