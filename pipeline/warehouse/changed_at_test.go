package warehouse_test

import (
	"slices"
	"testing"

	"sluice/pipeline/warehouse/tombstones"
)

// TestATombstoneMovesTheStamp: a consumer asks for rows with a later _changed_at than the last one
// that it saw. It gets each row that got or lost its tombstone, and no other.
func TestATombstoneMovesTheStamp(t *testing.T) {
	t.Parallel()
	l := openList(t, once)
	follow := func(what string, want ...string) {
		t.Helper()
		got := ask[[]string](l.fixture, `WITH seen AS (UPDATE public.seen SET upto = (SELECT max(_changed_at) FROM shop.things) FROM (SELECT upto AS before FROM public.seen) AS s RETURNING before)
			SELECT coalesce(array_agg(thing_id ORDER BY thing_id), '{}') FROM shop.things, seen WHERE _changed_at > before`)
		if !slices.Equal(got, want) {
			t.Errorf("%s: the follower sees %q, want %q", what, got, want)
		}
	}
	_, err := l.db.Pool().Exec(t.Context(), `CREATE TABLE public.seen AS SELECT '-infinity'::timestamptz AS upto`)
	l.must(err)
	l.read(1, 2, 3, 4, 5)
	follow("loaded", "1", "2", "3", "4", "5")
	l.scan(1, 2, 3, 4)
	follow("missed once")
	l.scan(1, 2, 3, 4)
	follow("deleted", "5")
	l.scan(1, 2, 3, 4)
	follow("gone as before")
	l.read(5)
	l.expect("back", []string{"5 restored"}, nil)
	follow("restored", "5")
	l.read(5)
	follow("shown as before")
	l.scan()
	l.scan()
	follow("held for a person")
	_, err = l.db.DecideTombstones(t.Context(), l.sweep, ask[int64](l.fixture, `SELECT max(proof_run_id) FROM sluice.tombstones WHERE state = 'needs_review'`), tombstones.Accept)
	l.must(err)
	follow("accepted by a person", "1", "2", "3", "4", "5")
}
