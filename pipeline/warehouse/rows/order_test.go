package rows_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"
	"pgregory.net/rapid"

	"sluice/pipeline/warehouse/rows"
	"sluice/schema/record"
)

// TestAnyOrderOfDeliveryGivesTheNewest is invariant 5 as a law: whatever calls bring, in whatever
// order and how often, each row ends as the version with the largest pair of modification time and
// call number.
func TestAnyOrderOfDeliveryGivesTheNewest(t *testing.T) {
	t.Parallel()
	conn, res := connect(t), resource(t, "orders")
	var organizations atomic.Int64
	type version struct{ modified, call int }
	rapid.Check(t, func(r *rapid.T) {
		organization := fmt.Sprintf("org-%d", organizations.Add(1))
		calls := make([]map[string]int, rapid.IntRange(1, 6).Draw(r, "calls"))
		newest := map[string]version{}
		for call := range calls {
			calls[call] = rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", "c"}), rapid.IntRange(1, 4), 1, 3).Draw(r, "versions")
			for id, modified := range calls[call] {
				if modified >= newest[id].modified {
					newest[id] = version{modified, call}
				}
			}
		}
		var every []int
		for call := range calls {
			every = append(every, call)
		}
		again := rapid.SliceOfN(rapid.IntRange(0, len(calls)-1), 0, 3).Draw(r, "repeats")
		for _, call := range rapid.Permutation(append(every, again...)).Draw(r, "order") {
			b := rows.Batch{Organization: organization, Run: 1, Call: organizations.Load()*100 + int64(call)}
			for id, modified := range calls[call] {
				b.Records = append(b.Records, stamped(t, id, modified, call))
			}
			load(t, conn, res, b)
		}
		var want []string
		for _, id := range slices.Sorted(maps.Keys(newest)) {
			want = append(want, fmt.Sprintf("%s|%d|%d|%d", id, newest[id].call, newest[id].modified, newest[id].call))
		}
		got := query(t, conn, `SELECT order_id, total, extract(day FROM edited AT TIME ZONE 'UTC'), paid FROM shop.orders o
 JOIN shop.orders_payments p ON p.organization_id = o.organization_id AND _parent_id = order_id WHERE o.organization_id = $1 ORDER BY 1`, organization)
		if !slices.Equal(want, got) {
			r.Fatalf("want %v, got %v", want, got)
		}
	})
}

// stamped returns a record whose content names its call, so that each row can be traced to one
// version.
func stamped(tb testing.TB, id string, modified, call int) record.Record {
	tb.Helper()
	total := fmt.Sprint(call)
	return recordOf(tb, resource(tb, "orders"), object{
		"order_id": id, "total": total, "payments": []object{{"paid": total}},
		"edited": time.Date(2026, 1, modified, 12, 0, 0, 0, time.UTC).Format("2006-01-02 15:04:05-07"),
	})
}

// TestWritersOfTheSameRows lets several writers load the same keys without the stream's lock that
// callers hold. There is no deadlock and no refusal, and every row has the newest version.
func TestWritersOfTheSameRows(t *testing.T) {
	t.Parallel()
	url, res := database(t), resource(t, "orders")
	const writers, rounds, keys = 4, 6, 41 // a prime, so that each step below visits every key
	group, ctx := errgroup.WithContext(context.Background())
	for writer := range writers {
		conn := dial(t, url)
		group.Go(func() error {
			for round := range rounds {
				call := round*writers + writer + 1
				b := rows.Batch{Organization: "org", Run: 1, Call: int64(call)}
				for i := range keys {
					// Each writer brings the keys in another order.
					b.Records = append(b.Records, stamped(t, fmt.Sprint((i*(writer*2+1)+writer)%keys), 1, call))
				}
				err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
					_, refused, err := rows.New(shop, res).LoadBisect(ctx, tx, b)
					if len(refused) > 0 {
						return fmt.Errorf("refused: %s", refused[0].Detail)
					}
					return err
				})
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	conn := dial(t, url)
	newest := fmt.Sprint(writers * rounds)
	same(t, "rows", []string{fmt.Sprintf("%d|%s|%s|%s", keys, newest, newest, newest)}, query(t, conn, `SELECT count(*), min(total), max(total), min(paid)
 FROM shop.orders JOIN shop.orders_payments ON _parent_id = order_id`))
}

func TestBatchesOfManySizes(t *testing.T) {
	t.Parallel()
	conn, res := connect(t), resource(t, "flags")
	for call, size := range []int{0, 1, 200, 5_000, 20_000} {
		b := rows.Batch{Organization: fmt.Sprint(size), Run: 1, Call: int64(call*2 + 1)}
		for i := range size {
			b.Records = append(b.Records, recordOf(t, res, object{"flag_id": fmt.Sprint(i), "state": "on"}))
		}
		same(t, "fresh", rows.Result{Inserted: size}, load(t, conn, res, b))
		same(t, "again", rows.Result{Unchanged: size}, load(t, conn, res, b))
		for i := range b.Records {
			b.Records[i] = recordOf(t, res, object{"flag_id": fmt.Sprint(i), "state": "off"})
		}
		b.Call++
		same(t, "changed", rows.Result{Updated: size}, load(t, conn, res, b))
		same(t, "rows", []string{fmt.Sprintf("%d|%d", size, size)}, query(t, conn,
			"SELECT count(*), count(*) FILTER (WHERE state = 'off') FROM shop.flags WHERE organization_id = $1", b.Organization))
	}
}

// TestWorkDoesNotGrowWithTheTable runs the statements on tables that have rows but no statistics
// yet, as in a first load: a page must not cost a read of all rows of its organization.
func TestWorkDoesNotGrowWithTheTable(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"items", "bills"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const stored, page, changed = 5_000, 200, 4
			url, res := database(t), resource(t, name)
			conn := dial(t, url)
			for _, table := range res.Tables() {
				execute(t, conn, "ALTER TABLE shop."+table.Name+" SET (autovacuum_enabled = off)")
			}
			first := variety(t, res, stored, 0)
			load(t, conn, res, batch(1, first...))

			conn, ctx := dial(t, url), context.Background() // a session whose counters start from nothing
			tx, err := conn.Begin(ctx)
			if err != nil {
				t.Fatal(err)
			}
			records := append(slices.Clone(first[:page-changed]), variety(t, res, page, 1)[page-changed:]...)
			result, _, err := rows.New(shop, res).LoadBisect(ctx, tx, batch(2, records...))
			if err != nil {
				t.Fatal(err)
			}
			same(t, "result", rows.Result{Updated: changed, Unchanged: page - changed}, result)
			same(t, "tables that were read far beyond the page", []string(nil), query(t, conn, `SELECT relname, seq_tup_read, idx_tup_fetch
 FROM pg_stat_xact_user_tables WHERE schemaname = 'shop' AND seq_tup_read + coalesce(idx_tup_fetch, 0) > 2 * $1::int`, page))
			if err := tx.Rollback(ctx); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestChangesThatStayOnTheirPageWriteNoIndex: where pages keep room, as those of lists without
// single records do, a change is an update that writes to no index
// (docs/decisions/0017-loading). It would not be one if a statement wrote keys.
func TestChangesThatStayOnTheirPageWriteNoIndex(t *testing.T) {
	t.Parallel()
	const stored, every = 600, 100
	conn, res := connect(t), resource(t, "items")
	execute(t, conn, "ALTER TABLE shop.items SET (autovacuum_enabled = off, fillfactor = 90)")
	first, second := variety(t, res, stored, 0), variety(t, res, stored, 1)
	load(t, conn, res, batch(1, first...))
	var changed []record.Record
	for at := 0; at < stored; at += every {
		changed = append(changed, second[at])
	}

	ctx := context.Background()
	tx, err := conn.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	result, _, err := rows.New(shop, res).LoadBisect(ctx, tx, batch(2, changed...))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "result", rows.Result{Updated: stored / every}, result)
	same(t, "updates, and those without an index", []string{"6|6"}, query(t, conn,
		"SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_xact_user_tables WHERE (schemaname, relname) = ('shop', 'items')"))
	if err := tx.Rollback(ctx); err != nil {
		t.Fatal(err)
	}
}
