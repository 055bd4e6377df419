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

	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/rows"
	"sluice/schema/record"
)

// TestArraysAreWhatWasCarriedLast: arrays grow, shrink and change, and rows are deleted or added by
// hand. What is stored is always the array of the last record that carried it.
func TestArraysAreWhatWasCarriedLast(t *testing.T) {
	conn, res := parallel(t, "orders")
	var organizations atomic.Int64
	rapid.Check(t, func(r *rapid.T) {
		organization := fmt.Sprintf("org-%d", organizations.Add(1))
		stored := map[string]bool{}
		wantLines, wantTaxes, wantPaid := map[string][]string{}, map[string][]string{}, map[string][]string{}
		for call := range rapid.IntRange(1, 6).Draw(r, "calls") {
			b := rows.Batch{Organization: organization, Run: 1, Call: int64(call)}
			for _, id := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c"}), 1, 3, rapid.ID).Draw(r, "orders") {
				carried := object{"order_id": id, "total": fmt.Sprint(call)}
				if rapid.Bool().Draw(r, "carries lines") {
					lines := drawLines(r)
					carried["lines"], wantLines[id], wantTaxes[id] = lines, nil, nil
					for p, line := range lines {
						wantLines[id] = append(wantLines[id], fmt.Sprintf("%s|%d|%v|%v", id, p, asShown(line["line_id"]), asShown(line["amount"])))
						for q, tax := range elements(line, "taxes") {
							wantTaxes[id] = append(wantTaxes[id], fmt.Sprintf("%s|%d|%d|%v", id, p, q, asShown(tax["tax"])))
						}
					}
				}
				if rapid.Bool().Draw(r, "carries payments") {
					payments := make([]object, rapid.IntRange(0, 3).Draw(r, "payments"))
					wantPaid[id] = nil
					for p := range payments {
						payments[p] = object{"paid": fmt.Sprint(rapid.IntRange(1, 2).Draw(r, "paid"))}
						wantPaid[id] = append(wantPaid[id], fmt.Sprintf("%s|%d|%v", id, p, payments[p]["paid"]))
					}
					carried["payments"] = payments
				}
				b.Records, stored[id] = append(b.Records, recordOf(t, res, carried)), true
			}
			if _, refused := bisect(t, conn, res, b); len(refused) > 0 {
				r.Fatalf("refused: %+v", refused)
			}
			for _, look := range []struct {
				want map[string][]string
				sql  string
			}{
				{wantLines, "SELECT _parent_id, _position, line_id, amount FROM shop.orders_lines WHERE organization_id = $1 ORDER BY 1, 2"},
				{wantTaxes, "SELECT _parent_id, _parent_position, _position, tax FROM shop.orders_lines_taxes WHERE organization_id = $1 ORDER BY 1, 2, 3"},
				{wantPaid, "SELECT _parent_id, _position, paid FROM shop.orders_payments WHERE organization_id = $1 ORDER BY 1, 2"},
			} {
				if want, got := slices.Concat(look.want["a"], look.want["b"], look.want["c"]), query(t, conn, look.sql, organization); !slices.Equal(want, got) {
					r.Fatalf("call %d: want %v, got %v", call, want, got)
				}
			}
			// Rows are changed by hand: the next arrays have to be right in spite of it, and arrays
			// that do not come stay as they are.
			switch rapid.IntRange(0, 3).Draw(r, "by hand") {
			case 0:
				execute(t, conn, "DELETE FROM shop.orders_lines WHERE organization_id = '"+organization+"' AND _parent_id = 'a' AND _position = 1")
				wantLines["a"] = slices.DeleteFunc(wantLines["a"], func(row string) bool { return row[:4] == "a|1|" })
				wantTaxes["a"] = slices.DeleteFunc(wantTaxes["a"], func(row string) bool { return row[:4] == "a|1|" })
			case 1:
				execute(t, conn, `INSERT INTO shop.orders_payments (organization_id, _parent_id, _position, paid)
SELECT organization_id, order_id, 9, 9 FROM shop.orders WHERE (organization_id, order_id) = ('`+organization+`', 'b') ON CONFLICT DO NOTHING`)
				if stored["b"] && !slices.Contains(wantPaid["b"], "b|9|9") {
					wantPaid["b"] = append(wantPaid["b"], "b|9|9")
				}
			}
		}
	})
}

func drawLines(r *rapid.T) []object {
	lines := make([]object, rapid.IntRange(0, 4).Draw(r, "lines"))
	for p := range lines {
		taxes := make([]object, rapid.IntRange(0, 2).Draw(r, "taxes"))
		for q := range taxes {
			taxes[q] = object{"tax": rapid.SampledFrom([]any{"x", "y", nil}).Draw(r, "tax")}
		}
		lines[p] = object{"line_id": rapid.SampledFrom([]any{"k", "l", nil}).Draw(r, "line"), "taxes": taxes}
		if rapid.Bool().Draw(r, "has an amount") {
			lines[p]["amount"] = rapid.SampledFrom([]any{"1", "2.5", nil}).Draw(r, "amount")
		}
	}
	return lines
}

// asShown returns a value as query shows it: null and absent look alike, as in a table.
func asShown(value any) any {
	if value == nil {
		return "∅"
	}
	return value
}

// TestMoreElementsThanOneStatementWrites: every element of a long array is written, also at the
// ends of the parts in which it is sent.
func TestMoreElementsThanOneStatementWrites(t *testing.T) {
	t.Parallel()
	const count = 12_001
	conn, res := connect(t), resource(t, "orders")
	for plus := range 3 {
		payments := make([]object, count)
		for n := range payments {
			payments[n] = object{"paid": fmt.Sprint(n + plus)}
		}
		carried := object{"order_id": "1", "total": fmt.Sprint(plus), "payments": payments}
		b := rows.Batch{Organization: "org", Run: 1, Call: int64(1 + plus), Records: []record.Record{recordOf(t, res, carried)}}
		_, refused := bisect(t, conn, res, b)
		check.FatalIf(t, len(refused) != 0, "refused: %+v", refused)
		right := query(t, conn, "SELECT count(*), count(*) FILTER (WHERE paid = _position + $1) FROM shop.orders_payments", plus)
		want := fmt.Sprintf("%d|%d", count, count)
		check.ErrorIf(t, len(right) != 1 || right[0] != want, "all of them, and those that are right: %v, want %s", right, want)
	}
}

// TestElementsThatStayAreNotWritten: a changed record costs no write for unchanged elements, and
// one write for each changed element.
func TestElementsThatStayAreNotWritten(t *testing.T) {
	t.Parallel()
	url, res := database(t), resource(t, "orders")
	setup := dial(t, url)
	of := func(total, amount string, lines int) []record.Record {
		carried := object{"order_id": "1", "total": total, "payments": []object{{"paid": "7"}}}
		var all []object
		for n := range lines {
			all = append(all, object{"line_id": fmt.Sprint(n), "amount": "1", "taxes": []object{{"tax": "t"}}})
		}
		all[0]["amount"] = amount
		carried["lines"] = all
		return []record.Record{recordOf(t, res, carried)}
	}
	bisect(t, setup, res, batch(1, of("10", "1", 3)...))
	for i, c := range []struct {
		what    string
		records []record.Record
		want    []string
	}{
		{"only the total", of("11", "1", 3), []string{"orders|0|1|0"}},
		{"one amount, too", of("12", "2", 3), []string{"orders|0|1|0", "orders_lines|0|1|0"}},
		{"one more", of("13", "2", 4), []string{"orders|0|1|0", "orders_lines|1|0|0", "orders_lines_taxes|1|0|0"}},
		{"two less", of("14", "2", 2), []string{"orders|0|1|0", "orders_lines|0|0|2", "orders_lines_taxes|0|0|2"}},
	} {
		conn, ctx := dial(t, url), context.Background() // a session whose counters start from nothing
		tx := check.Sure(conn.Begin(ctx))(t)
		if _, _, err := rows.New(shop, res).LoadBisect(ctx, tx, batch(int64(i+2), c.records...)); err != nil {
			t.Fatal(err)
		}
		check.Same(t, c.what+": rows inserted, updated, deleted", c.want, query(t, conn, `SELECT relname, n_tup_ins, n_tup_upd, n_tup_del
 FROM pg_stat_xact_user_tables WHERE schemaname = 'shop' AND n_tup_ins + n_tup_upd + n_tup_del > 0 ORDER BY 1`))
		check.Must(t, tx.Commit(ctx))
	}
}

// An element may hold nothing but an array of its own.
func TestElementsWithoutColumns(t *testing.T) {
	conn, res := parallel(t, "boxes")
	for i, layers := range [][]object{
		{{"labels": []object{{"label": "a"}}}, {"labels": []object{{"label": "b"}, {"label": "c"}}}},
		{{"labels": []object{{"label": "a"}, {"label": "d"}}}},
		{{}, {"labels": []object{{"label": "e"}}}},
	} {
		_, refused := bisect(t, conn, res, batch(int64(i+1), recordOf(t, res, object{"box_id": "1", "layers": layers})))
		check.FatalIf(t, len(refused) != 0, "refused: %+v", refused)
		want := [][]string{{"0|a", "1|b,c"}, {"0|a,d"}, {"0|∅", "1|e"}}[i]
		check.Same(t, "layers with their labels", want, query(t, conn, `SELECT l._position, string_agg(label, ',' ORDER BY x._position) FROM shop.boxes_layers l
 LEFT JOIN shop.boxes_layers_labels x ON x._parent_id = l._parent_id AND x._parent_position = l._position GROUP BY 1 ORDER BY 1`))
	}
}

// TestAnyOrderOfDeliveryGivesTheNewest is invariant 5 as a law: whatever calls bring, in whatever
// order and how often, each row ends as the version with the largest pair of modification time and
// call number.
func TestAnyOrderOfDeliveryGivesTheNewest(t *testing.T) {
	conn, res := parallel(t, "orders")
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
	check.Must(t, group.Wait())
	conn := dial(t, url)
	newest := fmt.Sprint(writers * rounds)
	check.Same(t, "rows", []string{fmt.Sprintf("%d|%s|%s|%s", keys, newest, newest, newest)}, query(t, conn, `SELECT count(*), min(total), max(total), min(paid)
 FROM shop.orders JOIN shop.orders_payments ON _parent_id = order_id`))
}

func TestBatchesOfManySizes(t *testing.T) {
	conn, res := parallel(t, "flags")
	for call, size := range []int{0, 1, 200, 5_000, 20_000} {
		b := rows.Batch{Organization: fmt.Sprint(size), Run: 1, Call: int64(call*2 + 1)}
		for i := range size {
			b.Records = append(b.Records, recordOf(t, res, object{"flag_id": fmt.Sprint(i), "state": "on"}))
		}
		check.Same(t, "fresh", rows.Result{Inserted: size}, load(t, conn, res, b))
		check.Same(t, "again", rows.Result{Unchanged: size}, load(t, conn, res, b))
		for i := range b.Records {
			b.Records[i] = recordOf(t, res, object{"flag_id": fmt.Sprint(i), "state": "off"})
		}
		b.Call++
		check.Same(t, "changed", rows.Result{Updated: size}, load(t, conn, res, b))
		check.Same(t, "rows", []string{fmt.Sprintf("%d|%d", size, size)}, query(t, conn,
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
			tx := check.Sure(conn.Begin(ctx))(t)
			records := append(slices.Clone(first[:page-changed]), variety(t, res, page, 1)[page-changed:]...)
			result, _, err := rows.New(shop, res).LoadBisect(ctx, tx, batch(2, records...))
			check.Must(t, err)
			check.Same(t, "result", rows.Result{Updated: changed, Unchanged: page - changed}, result)
			check.Same(t, "tables that were read far beyond the page", []string(nil), query(t, conn, `SELECT relname, seq_tup_read, idx_tup_fetch
 FROM pg_stat_xact_user_tables WHERE schemaname = 'shop' AND seq_tup_read + coalesce(idx_tup_fetch, 0) > 2 * $1::int`, page))
			check.Must(t, tx.Rollback(ctx))
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
	tx := check.Sure(conn.Begin(ctx))(t)
	result, _, err := rows.New(shop, res).LoadBisect(ctx, tx, batch(2, changed...))
	check.Must(t, err)
	check.Same(t, "result", rows.Result{Updated: stored / every}, result)
	check.Same(t, "updates, and those without an index", []string{"6|6"}, query(t, conn,
		"SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_xact_user_tables WHERE (schemaname, relname) = ('shop', 'items')"))
	check.Must(t, tx.Rollback(ctx))
}
