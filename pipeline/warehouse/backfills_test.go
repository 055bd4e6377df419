package warehouse_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/streams/backfills"
)

// again returns the stream of backfills of the store's bills.
func (s *storeFixture) again() pipeline.Stream {
	stream := s.bills
	stream.Work = pipeline.WorkBackfill
	return stream
}

// order asks for a backfill of the bills that begins at page 1 of the first of three windows.
func (s *storeFixture) order() int64 {
	s.Helper()
	day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	return check.Sure(s.db.OpenBackfill(s.Context(), backfills.Order{
		Stream: s.again(), Column: "modified", From: day, To: day.AddDate(0, 2, 0), Calls: new(7), Basis: "assumed",
		Scan: &pipeline.Scan{
			Mode: pipeline.ModeFull, Page: 1, PerPage: 200, Pass: 1, Partial: true, Once: true,
			Windows: pipeline.NewWindows(day, day.AddDate(0, 2, 0), day, 1),
		},
	}))(s)
}

// state returns the state of a backfill, and how many runs it had.
func (s *storeFixture) state(id int64) string {
	s.Helper()
	return ask[string](s.fixture, `SELECT concat_ws(' ', state, cardinality(runs)) FROM sluice.backfills WHERE id = $1`, id)
}

// turned loads a page under a claim, after which the scan continues at another page, and ends the
// run if an end is given.
func (s *storeFixture) turned(claim pipeline.Claim, page int, end *pipeline.End) pipeline.Claim {
	s.Helper()
	batch := s.of(claim, header("1", "10", 4))
	scan := *claim.Position.Scan
	scan.Page = page
	if batch.Position = (pipeline.Position{Scan: &scan}); end != nil {
		batch.Position.Scan = nil
	}
	batch.End = end
	check.Must(s, check.Failure(s.db.Load(s.Context(), batch)))
	claim.Position = batch.Position
	return claim
}

// After a failed run another run continues from the position of the first. If the operator has to
// act, the backfill waits.
func TestBackfillOutlivesItsRuns(t *testing.T) {
	s := openStore(t)
	id := s.order()
	check.FailsWith(t,
		check.Failure(s.db.OpenBackfill(t.Context(), backfills.Order{Stream: s.again(), Scan: &pipeline.Scan{Page: 1}})), backfills.ErrOpen)
	first := s.claimOf(s.again())
	if scan := first.Position.Scan; scan == nil || scan.Page != 1 || scan.Windows.Of != 3 || !scan.Once || s.state(id) != "running 1" {
		t.Fatalf("it begins at %+v (%s)", scan, s.state(id))
	}
	calls := ask[int](s.fixture, `SELECT forecast_calls FROM sluice.runs WHERE id = $1`, first.Run)
	check.ErrorIf(t, calls != 7, "its run is forecast with %d calls", calls)
	first = s.turned(first, 5, nil)
	check.Must(s, s.db.Settle(t.Context(), first, pipeline.Settlement{State: pipeline.StateFailed, Kind: pipeline.Unavailable, Reason: "down", EndRun: true}))
	due := ask[bool](s.fixture, `SELECT enabled AND next_due_at BETWEEN clock_timestamp() AND clock_timestamp() + interval '16 minutes'
		FROM sluice.streams WHERE resource = 'bills.backfill'`)
	check.ErrorIf(t, s.state(id) != "queued 1" || !due, "after a failed run it is %s, due soon: %t", s.state(id), due)

	second := s.claimOf(s.again())
	check.FatalIf(t, second.Run == first.Run || second.Position.Scan.Page != 5 || s.state(id) != "running 2",
		"the next run is %d (%s) at %+v, want another one at page 5", second.Run, s.state(id), second.Position.Scan)
	second = s.turned(second, 6, nil)
	check.Must(s, s.db.Settle(t.Context(), second, pipeline.Settlement{State: pipeline.StateDenied, Kind: pipeline.Denied, Reason: "no right", EndRun: true}))
	check.FailsWith(t, check.Failure(s.db.Claim(t.Context(), s.again(), pipeline.ClassBackfill)), pipeline.ErrNotRequested)
	check.Same(t, "the backfill", "failed 2", s.state(id))
	key := check.Sure(s.db.Resume(t.Context(), id))(s)
	third := s.claimOf(s.again())
	check.ErrorIf(t, key != s.again().Key() || third.Position.Scan.Page != 6, "resumed %s at %+v", key, third.Position.Scan)
	s.turned(third, 0, &pipeline.End{Outcome: pipeline.OutcomeDone})
	over := ask[bool](s.fixture, `SELECT NOT enabled AND requested_gen = served_gen AND watermark IS NULL AND scan IS NULL FROM sluice.streams
		WHERE resource = 'bills.backfill'`)
	check.ErrorIf(t, s.state(id) != "done 3" || !over, "it is %s, and its stream over: %t", s.state(id), over)
	check.Must(s, s.db.RegisterStreams(t.Context(), nil))
	s.order() // the list is free for another backfill
}

// A paused backfill is not claimed, keeps its run and its position, and is not closed when the
// program starts.
func TestBackfillIsPaused(t *testing.T) {
	s := openStore(t)
	id := s.order()
	claim := s.turned(s.claimOf(s.again()), 3, nil)
	check.Must(s, s.db.Pause(t.Context(), id))
	check.FailsWith(t, check.Failure(s.db.Claim(t.Context(), s.again(), pipeline.ClassBackfill)), pipeline.ErrNotRequested)
	claim = s.turned(claim, 4, nil) // the chunk under way ends
	check.FailsWith(t, s.db.Pause(t.Context(), id), backfills.ErrState)
	open, err := s.db.OpenStreams(t.Context())
	check.ErrorIf(t, err != nil || len(open) != 0, "%v is to be worked, %v", open, err)
	check.Must(s, check.Failure(s.db.Resume(t.Context(), id)))
	again := s.claimOf(s.again())
	check.ErrorIf(t, again.Run != claim.Run || again.Position.Scan.Page != 4 || s.state(id) != "running 1",
		"it goes on in run %d at %+v (%s)", again.Run, again.Position.Scan, s.state(id))
	s.turned(again, 0, &pipeline.End{Outcome: pipeline.OutcomeDone})
	served := ask[bool](s.fixture, `SELECT requested_gen = served_gen FROM sluice.streams WHERE resource = 'bills.backfill'`)
	check.ErrorIf(t, !served || s.state(id) != "done 1", "it is %s; both requests are served: %t", s.state(id), served)
}

// A worker of a cancelled backfill may not write any more (invariant 6), and a chunk that fails
// while its backfill is paused keeps the position.
func TestBackfillIsCancelled(t *testing.T) {
	s := openStore(t)
	id := s.order()
	claim := s.turned(s.claimOf(s.again()), 3, nil)
	check.Must(s, s.db.Pause(t.Context(), id))
	check.Must(s, s.db.Settle(t.Context(), claim, pipeline.Settlement{State: pipeline.StateFailed, Kind: pipeline.Unavailable, Reason: "down", EndRun: true}))
	check.Same(t, "a run that failed while it was paused left it", "paused 1", s.state(id))
	check.Must(s, check.Failure(s.db.Resume(t.Context(), id)))
	claim = s.claimOf(s.again())
	check.ErrorIf(t, claim.Position.Scan.Page != 3, "it goes on at %+v", claim.Position.Scan)
	check.Must(s, s.db.Cancel(t.Context(), id))
	check.FailsWith(t, check.Failure(s.db.Load(t.Context(), s.of(claim, header("2", "10", 4)))), pipeline.ErrLostClaim)
	open := ask[int](s.fixture, `SELECT count(*) FROM sluice.runs WHERE ended_at IS NULL`)
	check.ErrorIf(t, s.state(id) != "cancelled 2" || open != 0, "it is %s, with %d open runs", s.state(id), open)
	check.FailsWith(t, s.db.Cancel(t.Context(), 99), backfills.ErrState)
	// What happens to this backfill does not disturb the next one of the list.
	next := s.order()
	check.FailsWith(t, s.db.Cancel(t.Context(), id), backfills.ErrState)
	check.Same(t, "the next backfill", "queued 0", s.state(next))
}

// A list and its backfill bring the same new record at the same time: one inserts it, and the other
// waits before it looks it up.
func TestBackfillWaitsForTheList(t *testing.T) {
	s := openStore(t)
	s.order()
	list, again := s.claimOf(s.bills), s.claimOf(s.again())
	older := s.of(again, header("1", "old", 4))
	newer := s.of(list, header("1", "new", 5))
	type loaded struct {
		pipeline.Loaded

		err error
	}
	ended := make(chan loaded, 1)
	newer.Complete = func(ctx context.Context, _ pgx.Tx) error {
		go func() {
			result, err := s.db.Load(t.Context(), older)
			ended <- loaded{result, err}
		}()
		ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
		defer cancel()
		for {
			var waits bool
			err := s.db.Pool().QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_stat_activity
				WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%FROM sluice.streams%')`).Scan(&waits)
			if err != nil || waits {
				return err
			}
			pause(ctx, time.Millisecond)
		}
	}
	check.Must(s, check.Failure(s.db.Load(t.Context(), newer)))
	result := <-ended
	check.ErrorIf(t, result.err != nil || result.Superseded != 1, "the backfill's unit: %+v, want its record superseded", result)
	check.Same(t, "the row holds", "new", ask[string](s.fixture, `SELECT total FROM store.bills`))
}

// A backfill of a list under parents that continues in another run does not read the same parents
// again.
func TestBackfillKeepsItsParents(t *testing.T) {
	s := openStore(t)
	stream := s.persons
	stream.Work = pipeline.WorkBackfill
	check.Must(s, s.db.ListParents(t.Context(), stream, []string{"a", "b", "c"}))
	_, err := s.db.OpenBackfill(t.Context(), backfills.Order{Stream: stream, Scan: &pipeline.Scan{Mode: pipeline.ModeFull, Page: 1, Once: true, Partial: true}})
	check.Must(s, err)
	claim := s.claimOf(stream)
	parent, left, err := s.db.NextParent(t.Context(), claim)
	check.Must(s, err)
	check.FatalIf(t, parent != "a" || left != 3, "parent %q, %d left", parent, left)
	batch := s.of(claim)
	batch.Parent = &pipeline.ParentRead{ID: "a"}
	check.Must(s, check.Failure(s.db.Load(t.Context(), batch)))
	check.Must(s, s.db.Settle(t.Context(), claim, pipeline.Settlement{State: pipeline.StateFailed, Kind: pipeline.Unavailable, Reason: "down", EndRun: true}))
	parent, left, err = s.db.NextParent(t.Context(), s.claimOf(stream))
	check.Must(s, err)
	check.ErrorIf(t, parent != "b" || left != 2, "the next run begins with parent %q, %d left, want b of two", parent, left)
}
