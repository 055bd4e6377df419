package cells

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/postgres"
)

// DefaultPatience is longer than the lease of a call and the longest batch.
const DefaultPatience = 6 * time.Minute

const (
	// Calls count as under way until their lease ends. Jobs of a worker that died are rescued by
	// the queue.
	sqlUnderWay = `
SELECT (SELECT count(*) FROM sluice.live_calls c WHERE c.organization_id = $1 AND c.finished_at IS NULL AND c.lease_until > clock_timestamp()),
	(SELECT count(*) FROM river.river_job j WHERE j.state = 'running' AND j.args ->> 'organization' = $1
		AND EXISTS (SELECT FROM sluice.live_calls c WHERE c.organization_id = $1 AND c.lease_until > clock_timestamp()))`

	sqlClock = `SELECT clock_timestamp()`

	// Those of a list are asked for again.
	sqlRelying = `SELECT r FROM sluice.relying_on_home($1) AS r WHERE $2::text[] IS NULL OR r = ANY ($2)`
)

// seal waits for what was begun, and lets nothing begin after.
func (m *Move) seal(ctx context.Context) error {
	if err := m.settled(ctx, m.From); err != nil { // they may reserve calls
		return err
	}
	err := m.await(ctx, m.From, func() (int64, string, error) {
		var calls, jobs int64
		err := m.From.pool.QueryRow(ctx, sqlUnderWay, m.Organization).Scan(&calls, &jobs)
		return calls + jobs, fmt.Sprintf("%d calls and %d jobs", calls, jobs), postgres.Fail(m.From.what("looking for work under way"), err)
	})
	if err != nil {
		return err
	}
	return m.turn(ctx, m.held[m.From].conn, Leaving, Sealed, -1)
}

// settled waits for the transactions that may rely on an earlier state than that of now. Others
// need not wait for them.
func (m *Move) settled(ctx context.Context, d *Database) error {
	var relying []string
	return m.await(ctx, d, func() (int64, string, error) {
		var err error
		relying, err = postgres.ReadAll(ctx, d.pool, d.what("the transactions under way"), pgx.RowTo[string], sqlRelying, m.Organization, relying)
		return int64(len(relying)), fmt.Sprintf("%d transactions", len(relying)), err
	})
}

// await looks until nothing is under way, for as long as the patience lasts. Look returns how much
// there is, and says what.
func (m *Move) await(ctx context.Context, d *Database, look func() (int64, string, error)) error {
	patience := m.Patience
	if patience <= 0 {
		patience = DefaultPatience
	}
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		n, what, err := look()
		if n == 0 || err != nil {
			return err
		}
		m.tell(Draining, "", n)
		select {
		case <-waiting.Done():
			if ctx.Err() != nil {
				return fmt.Errorf("waiting for work of organization %s: %w", m.Organization, ctx.Err())
			}
			return fmt.Errorf("%w: organization %s has %s in cell %s: try again, or give up with --cancel", ErrUnderWay, m.Organization, what, d.Name)
		case <-time.After(drainPoll):
		}
	}
}

const drainPoll = 200 * time.Millisecond

// mostApart is how far the clocks of two databases may be apart: a slot of the minute is free when
// the clock of the database says so that counts.
const mostApart = time.Second

// clocks refuses to move between databases whose clocks are further apart than mostApart.
func (m *Move) clocks(ctx context.Context) error {
	var read [3]time.Time
	for i, d := range []*Database{m.From, m.To, m.From} {
		if err := d.pool.QueryRow(ctx, sqlClock).Scan(&read[i]); err != nil {
			return postgres.Fail(d.what("reading its clock"), err)
		}
	}
	if by := apart(read[0], read[1], read[2]); by > mostApart {
		return fmt.Errorf("%w organization %s: the clocks of cells %s and %s are %s apart, at most %s is right: calls could be counted for too short",
			ErrElsewhere, m.Organization, m.From.Name, m.To.Name, by.Round(time.Millisecond), mostApart)
	}
	return nil
}

// apart returns how far two clocks are apart at least: one was read before and after the other.
func apart(before, other, after time.Time) time.Duration {
	return max(before.Sub(other), other.Sub(after), 0)
}
