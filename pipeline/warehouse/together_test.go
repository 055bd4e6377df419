package warehouse_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"sluice/pipeline"
	"sluice/pipeline/check"
)

// TestSeveralUnitsAreOneTransaction: no batch is visible before the last is, and each is counted
// separately.
func TestSeveralUnitsAreOneTransaction(t *testing.T) {
	h := open(t)
	claim := h.claim()
	first, second := h.unit(claim, h.record(1, "one"), h.record(2, "two")), h.unit(claim, h.record(1, "one"), h.record(3, "three"))
	first.Position.Scan = &pipeline.Scan{Page: 2}
	second.Position.Scan = &pipeline.Scan{Page: 3}
	second.Complete = func(ctx context.Context, _ pgx.Tx) error {
		var seen int
		if err := h.db.Pool().QueryRow(ctx, `SELECT count(*) FROM shop.things`).Scan(&seen); err != nil {
			return err
		}
		check.Same(t, "rows are there before the transaction ended", 0, seen)
		return nil
	}
	loaded := check.Sure(h.db.Load(t.Context(), first, second))(h)
	check.Same(t, "loaded", pipeline.Loaded{Inserted: 3, Unchanged: 1}, loaded)
	check.Same(t, "pages, received, inserted and unchanged of the run", "2 4 3 1",
		ask[string](h, `SELECT format('%s %s %s %s', pages, received, inserted, unchanged) FROM sluice.runs`))
	check.Same(t, "the stream stands at page", 3, ask[int](h, `SELECT (scan ->> 'page')::int FROM sluice.streams WHERE scan IS NOT NULL`))
	check.Same(t, "archives, want one for each call", 2, ask[int](h, `SELECT count(*) FROM sluice.raw_records`))
}

// TestOneOfSeveralUnitsThatIsRefused: the batches before it stay loaded with their position, and
// the error is that of the refused one.
func TestOneOfSeveralUnitsThatIsRefused(t *testing.T) {
	h := open(t)
	claim := h.claim()
	first, second, third := h.unit(claim, h.record(1, "one")), h.unit(claim, h.record(2, "two")), h.unit(claim, h.record(3, "three"))
	for i, batch := range []*pipeline.Batch{&first, &second, &third} {
		batch.Position.Scan = &pipeline.Scan{Page: 2 + i}
	}
	second.Complete = func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `SELECT 1 / 0`)
		return err
	}
	loaded, err := h.db.Load(t.Context(), first, second, third)
	if answer, ok := errors.AsType[*pgconn.PgError](err); !ok || answer.Code != "22012" { // division_by_zero
		t.Errorf("Load = %v, want what the server says of the second unit", err)
	}
	check.Same(t, "loaded", pipeline.Loaded{Inserted: 1}, loaded)
	check.Same(t, "rows", "1", ask[string](h, `SELECT string_agg(thing_id, ' ' ORDER BY thing_id) FROM shop.things`))
	check.Same(t, "the stream stands at page", 2, ask[int](h, `SELECT (scan ->> 'page')::int FROM sluice.streams WHERE scan IS NOT NULL`))
}

// TestSeveralUnitsAndSingleRecordsThatWaitForEachOther: the batches of a list lock the rows 2 and
// then 1, single records 1 and then 2. The server ends one of the two transactions, and both are
// loaded.
func TestSeveralUnitsAndSingleRecordsThatWaitForEachOther(t *testing.T) {
	s := openStore(t)
	list, details := s.claimOf(s.bills), s.claimOf(s.details)
	s.load(s.of(list, header("1", "a", 1), header("2", "a", 1)))
	first, second := s.of(list, header("2", "b", 2)), s.of(list, header("1", "b", 2))
	single := s.of(details, singleBill("1", "b", 2), singleBill("2", "b", 2))
	tries, ended := 0, make(chan error, 1)
	first.Complete = func(ctx context.Context, _ pgx.Tx) error {
		tries++
		if tries > 1 {
			return nil
		}
		go func() {
			_, err := s.db.Load(t.Context(), single)
			ended <- err
		}()
		ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
		defer cancel()
		for { // until it has locked row 1 and waits for row 2
			var waits bool
			err := s.db.Pool().QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_stat_activity
				WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%NO KEY UPDATE OF t%')`).Scan(&waits)
			if err != nil || waits {
				return err
			}
			pause(ctx, time.Millisecond)
		}
	}
	check.Must(s, check.Failure(s.db.Load(t.Context(), first, second)))
	check.Must(s, <-ended)
	// Where Postgres ended the list, it came after the single records, and shows the same version.
	got := s.states()
	check.ErrorIf(t, got != "1:current 2:current", "states %q after %d tries of the list, want both current", got, tries)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for ask[int](s.fixture, `SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`) == 0 { // sessions report it a while later
		check.FatalIf(t, ctx.Err() != nil, "no transaction waited for the other: nothing was tried")
		pause(ctx, 50*time.Millisecond)
	}
}
