package rows_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/rows"
	"sluice/schema/record"
)

// wireOrder draws one order as it may come: in some version, with its keys in some order, some of
// them missing, and one that is not declared.
func wireOrder(r *rapid.T, id string) string {
	day := rapid.IntRange(1, 3).Draw(r, "day")
	keys := []string{fmt.Sprintf(`"order_id":%q`, id), fmt.Sprintf(`"edited":"2026-01-0%dT10:00:00Z"`, day)}
	if rapid.Bool().Draw(r, "total") {
		keys = append(keys, fmt.Sprintf(`"total":%d`, rapid.IntRange(1, 2).Draw(r, "worth")))
	}
	if rapid.Bool().Draw(r, "lines") {
		keys = append(keys, fmt.Sprintf(`"lines":[{"line_id":"a","amount":%d}]`, day))
	}
	if rapid.IntRange(0, 4).Draw(r, "drift") == 0 {
		keys = append(keys, `"novel":1`)
	}
	if rapid.Bool().Draw(r, "turned") {
		slices.Reverse(keys)
	}
	return "{" + strings.Join(keys, ",") + "}"
}

// TestPayloadHashesChangeNothing loads one history of pages twice: once with every record
// normalized, and once without those marked as unchanged. Rows, arrays and counts are the same,
// whatever came before.
func TestPayloadHashesChangeNothing(t *testing.T) {
	conn, res := parallel(t, "orders")
	normalizer, err := record.New(res, time.UTC)
	check.Must(t, err)
	call, organizations, known := int64(0), 0, 0
	rapid.Check(t, func(r *rapid.T) {
		organizations++
		plain, quick := fmt.Sprintf("p%d", organizations), fmt.Sprintf("q%d", organizations)
		l := rows.New(shop, res)
		var pages [][]string
		for range rapid.IntRange(2, 8).Draw(r, "pages") {
			var raws []string
			if len(pages) > 0 && rapid.Bool().Draw(r, "again") {
				raws = slices.Clone(rapid.SampledFrom(pages).Draw(r, "page"))
				if rapid.Bool().Draw(r, "edited") {
					raws[0] = wireOrder(r, "o00")
				}
			} else {
				step := rapid.SampledFrom([]int{1, 1, 3}).Draw(r, "step")
				for i := range rapid.SampledFrom([]int{1, 5, 20}).Draw(r, "records") {
					raws = append(raws, wireOrder(r, fmt.Sprintf("o%02d", i*step)))
				}
			}
			pages = append(pages, raws)
			var results [2]rows.Result
			for i, organization := range []string{plain, quick} {
				call++
				records := make([]record.Record, len(raws))
				if i == 1 {
					for n := range raws {
						records[n], _ = normalizer.Peek([]byte(raws[n]), "")
					}
					if err := l.Unchanged(context.Background(), conn, organization, records); err != nil {
						r.Fatal(err)
					}
				}
				for n := range raws {
					if records[n].Unchanged {
						known++
						continue
					}
					seen := records[n].Seen
					if records[n], err = normalizer.Record([]byte(raws[n])); err != nil {
						r.Fatal(err)
					}
					records[n].Seen = seen
				}
				err := pgx.BeginFunc(context.Background(), conn, func(tx pgx.Tx) error {
					batch := rows.Batch{Organization: organization, Run: 1, Call: call, Records: records}
					results[i], _, err = l.LoadBisect(context.Background(), tx, batch)
					return err
				})
				if err != nil {
					r.Fatal(err)
				}
			}
			if results[0] != results[1] {
				r.Fatalf("%v\nnormalized %+v, known %+v", raws, results[0], results[1])
			}
		}
		const sql = `SELECT order_id, total, edited, _extra, _content_hash, _payload_hash, (SELECT string_agg(line_id || amount, ' ' ORDER BY _position)
 FROM shop.orders_lines l WHERE l.organization_id = o.organization_id AND _parent_id = order_id) FROM shop.orders o WHERE organization_id = $1 ORDER BY 1`
		if want, got := query(t, conn, sql, plain), query(t, conn, sql, quick); !slices.Equal(want, got) {
			r.Fatalf("normalized:\n%s\nknown:\n%s", strings.Join(want, "\n"), strings.Join(got, "\n"))
		}
	})
	check.ErrorIf(t, known == 0, "no record was ever known: nothing was tried")
}

// TestWhatWasSeenMayBeOld: between the look and the load one row was inserted, one changed, and one
// became equal to the record.
func TestWhatWasSeenMayBeOld(t *testing.T) {
	conn, res := parallel(t, "orders")
	of := func(id, total string) record.Record {
		one := recordOf(t, res, object{"order_id": id, "total": total})
		one.PayloadHash = 1
		return one
	}
	load(t, conn, res, batch(1, of("2", "1"), of("3", "1"), of("4", "1")))
	came := []record.Record{of("1", "3"), of("2", "3"), of("3", "3"), of("4", "1"), of("5", "3")}
	for i := range came {
		came[i].PayloadHash = 2
	}
	check.Must(t, rows.New(shop, res).Unchanged(context.Background(), conn, "org", came))
	load(t, conn, res, batch(2, of("1", "2"), of("2", "2"), of("3", "3")))
	check.Same(t, "result", rows.Result{Inserted: 1, Updated: 2, Unchanged: 2}, load(t, conn, res, batch(3, came...)))
	check.Same(t, "rows", []string{"1|3|3", "2|3|3", "3|3|2", "4|1|1", "5|3|3"}, query(t, conn, "SELECT order_id, total, _call_id FROM shop.orders ORDER BY 1"))
}

// TestKnownIsByKeyAndOrganization: a record is not unchanged because of rows of other
// organizations, rows without a payload hash, or rows that another record has written since.
func TestKnownIsByKeyAndOrganization(t *testing.T) {
	conn, res := parallel(t, "orders")
	normalizer := check.Sure(record.New(res, time.UTC))(t)
	marked := func(id, total string) record.Record {
		return check.Sure(normalizer.Record([]byte(`{"order_id":"` + id + `","total":` + total + `}`)))(t)
	}
	load(t, conn, res, batch(1, marked("1", "1"), marked("2", "1"), marked("3", "1")))
	load(t, conn, res, batch(2, marked("3", "2")))
	check.Must(t, check.Failure(conn.Exec(context.Background(), `UPDATE shop.orders SET _payload_hash = NULL WHERE order_id = '2'`)))
	for _, c := range []struct {
		organization string
		records      []record.Record
		want         []bool
	}{
		{"org", []record.Record{marked("3", "1"), marked("1", "1"), {}, marked("2", "1"), marked("4", "1")}, []bool{false, true, false, false, false}},
		{"org", []record.Record{marked("3", "2")}, []bool{true}},
		{"another", []record.Record{marked("1", "1")}, []bool{false}},
	} {
		check.Must(t, rows.New(shop, res).Unchanged(context.Background(), conn, c.organization, c.records))
		got := make([]bool, len(c.records))
		for i := range got {
			got[i] = c.records[i].Unchanged
		}
		check.Same(t, "known of "+c.organization, c.want, got)
	}
	for _, b := range []rows.Batch{{Details: true}, {Rewrite: true}} {
		b.Organization, b.Records = "org", []record.Record{{ID: "1", Unchanged: true}}
		tx := check.Sure(conn.Begin(context.Background()))(t)
		bookings := rows.New(shop, resource(t, "bookings"))
		_, _, err := bookings.LoadBisect(context.Background(), tx, b)
		check.ErrorIf(t, !errors.Is(err, rows.ErrBatch), "%+v: %v, want %v", b, err, rows.ErrBatch)
		check.Must(t, tx.Rollback(context.Background()))
	}
}

// TestKnownRecordsAskNothing: unchanged records need no transaction.
func TestKnownRecordsAskNothing(t *testing.T) {
	t.Parallel()
	known := []record.Record{{ID: "1", Unchanged: true}, {ID: "2", Unchanged: true}}
	result, refused, err := rows.New(shop, resource(t, "orders")).LoadBisect(t.Context(), nil, batch(1, known...))
	if err != nil || len(refused) > 0 {
		t.Fatal(refused, err)
	}
	check.Same(t, "result", rows.Result{Unchanged: 2}, result)
}

// TestWhatIsStoredIsFoundHoweverKeysLie compares the counts of batches with a map. Keys are in a
// row, far apart with many stored between them (so that reading the range stops in its middle),
// beyond both ends, few or many. Other organizations have the same keys. One Loader loads all
// batches.
func TestWhatIsStoredIsFoundHoweverKeysLie(t *testing.T) {
	conn, res := parallel(t, "flags")
	flag := func(n, state int) record.Record {
		return recordOf(t, res, object{"flag_id": fmt.Sprintf("k%04d", n), "state": fmt.Sprint(state)})
	}
	call, organizations := int64(0), 0
	rapid.Check(t, func(r *rapid.T) {
		organizations++
		l, stored := rows.New(shop, res), map[int]int{}
		for range rapid.IntRange(2, 6).Draw(r, "batches") {
			from, step := rapid.IntRange(0, 300).Draw(r, "from"), rapid.SampledFrom([]int{1, 1, 2, 3, 7, 30}).Draw(r, "step")
			jump := rapid.SampledFrom([]int{0, 0, 400}).Draw(r, "jump")
			state := rapid.IntRange(0, 1).Draw(r, "state")
			var want rows.Result
			var records []record.Record
			for i := range rapid.SampledFrom([]int{1, 15, 16, 17, 60, 200}).Draw(r, "records") {
				n := from + i*step
				if i%20 == 19 {
					n += jump * step
				}
				if slices.ContainsFunc(records, func(other record.Record) bool { return other.ID == fmt.Sprintf("k%04d", n) }) {
					continue
				}
				switch before, known := stored[n]; {
				case !known:
					want.Inserted++
				case before == state:
					want.Unchanged++
				default:
					want.Updated++
				}
				stored[n] = state
				records = append(records, flag(n, state))
			}
			for _, organization := range []string{fmt.Sprintf("o%d", organizations), fmt.Sprintf("o%dz", organizations)} {
				call++
				var got rows.Result
				err := pgx.BeginFunc(context.Background(), conn, func(tx pgx.Tx) error {
					var err error
					got, _, err = l.LoadBisect(context.Background(), tx, rows.Batch{Organization: organization, Run: 1, Call: call, Records: records})
					return err
				})
				if err != nil {
					r.Fatal(err)
				}
				if got != want {
					r.Fatalf("%d records from %d by %d: %+v, want %+v", len(records), from, step, got, want)
				}
			}
		}
	})
}
