package jobs_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"sluice/pipeline/check"
	"sluice/pipeline/jobs"
)

// TestEventsAreDeliveredByOne: of two processes one at a time delivers to a receiver, as often as
// there is something to tell, also after an error of ours.
func TestEventsAreDeliveredByOne(t *testing.T) {
	r := newFixture(t)
	var working, most, delivered atomic.Int64
	const wanted = 4
	r.events = &jobs.Events{
		Receivers: []string{"a"},
		Ahead: func(context.Context) ([]string, error) {
			if delivered.Load() >= wanted {
				return nil, nil
			}
			return []string{"a"}, nil
		},
		Deliver: func(ctx context.Context, receiver string) error {
			check.Same(t, "delivered to", "a", receiver)
			most.Store(max(most.Load(), working.Add(1)))
			defer working.Add(-1)
			if _, err := r.db.Pool().Exec(ctx, `SELECT pg_sleep(0.1)`); err != nil { // long enough for the other process to look
				return err
			}
			if delivered.Add(1) == 1 {
				return errors.New("the database was away")
			}
			return nil
		},
	}
	foreign := r.number(`INSERT INTO river.river_job (kind, queue, args, max_attempts) VALUES ('events', 'events', '{"receiver": "of another process"}', 10) RETURNING id`)
	r.start(false)
	r.start(false)
	r.until("the job of another configuration ended", `SELECT count(*) FROM river.river_job WHERE id = $1 AND state = 'completed'`, foreign)
	r.until("all was delivered", `SELECT count(*) / 3 FROM river.river_job WHERE kind = 'events' AND state = 'completed' AND args ->> 'receiver' = 'a'`)
	if most.Load() != 1 || delivered.Load() < wanted {
		t.Errorf("%d deliveries, %d at once, want %d or more, one after the other", delivered.Load(), most.Load(), wanted)
	}
}

// TestKilledDeliveriesComeBack: the delivery of a process that was killed is taken over.
func TestKilledDeliveriesComeBack(t *testing.T) {
	r := newFixture(t)
	var delivered atomic.Int64
	r.events = &jobs.Events{
		Receivers: []string{"a"},
		Ahead:     func(context.Context) ([]string, error) { return nil, nil },
		Deliver:   func(context.Context, string) error { delivered.Add(1); return nil },
	}
	killed := r.number(`INSERT INTO river.river_job (kind, queue, args, max_attempts, state, attempt, attempted_at, attempted_by)
		VALUES ('events', 'events', '{"receiver": "a"}', 10, 'running', 1, now(), ARRAY['sluice-99999']) RETURNING id`)
	r.start(false)
	r.until("the job of the killed process was worked", `SELECT count(*) FROM river.river_job WHERE id = $1 AND state = 'completed'`, killed)
	if delivered.Load() != 1 {
		t.Errorf("delivered %d times, want once", delivered.Load())
	}
}
