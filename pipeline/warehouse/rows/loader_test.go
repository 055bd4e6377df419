package rows_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/rows"
	"sluice/schema"
	"sluice/schema/record"
)

const (
	day1 = "2026-01-01 10:00:00+00"
	day2 = "2026-01-02 10:00:00+00"
)

func batch(call int64, records ...record.Record) rows.Batch {
	return rows.Batch{Organization: "org", Run: call * 10, Call: call, Records: records}
}

func TestUnchangedRecordsWriteNothing(t *testing.T) {
	conn, res := parallel(t, "orders")
	first := recordOf(t, res, object{"order_id": "1", "total": "10", "edited": day1, "lines": []object{{"line_id": "a"}}})
	second := recordOf(t, res, object{"order_id": "2", "total": nil})
	load(t, conn, res, batch(1, first, second))
	before := query(t, conn, "SELECT xmin, ctid, _call_id, _run_id, _changed_at FROM shop.orders ORDER BY order_id")

	ctx := context.Background()
	tx := check.Sure(conn.Begin(ctx))(t)
	result, _, err := rows.New(shop, res).LoadBisect(ctx, tx, batch(2, second, first))
	check.Must(t, err)
	check.Same(t, "result", rows.Result{Unchanged: 2}, result)
	// Without a transaction number no row can have been written or locked: both would need one in
	// the row.
	check.Same(t, "transaction number", []string{"∅"}, query(t, conn, "SELECT pg_current_xact_id_if_assigned()"))
	check.Must(t, tx.Commit(ctx))
	check.Same(t, "rows", before, query(t, conn, "SELECT xmin, ctid, _call_id, _run_id, _changed_at FROM shop.orders ORDER BY order_id"))
	check.Same(t, "archive", []string{"1"}, query(t, conn, "SELECT call_id FROM sluice.raw_records"))
}

func TestChangedRecord(t *testing.T) {
	conn, res := parallel(t, "orders")
	load(t, conn, res, batch(1,
		recordOf(t, res, object{"order_id": "1", "total": "10", "edited": day1}),
		recordOf(t, res, object{"order_id": "2", "total": "20", "edited": day1})))
	firstSeen := query(t, conn, "SELECT _first_seen_at FROM shop.orders ORDER BY order_id")
	result := load(t, conn, res, batch(2,
		recordOf(t, res, object{"order_id": "3", "total": "30", "edited": day1}),
		recordOf(t, res, object{"order_id": "1", "total": "11.5", "edited": day2}),
		recordOf(t, res, object{"order_id": "2", "total": "20", "edited": day1})))
	check.Same(t, "result", rows.Result{Inserted: 1, Updated: 1, Unchanged: 1}, result)
	check.Same(t, "rows", []string{"1|11.5|2|1|20|t", "2|20|1|1|10|f", "3|30|2|0|20|f"},
		query(t, conn, "SELECT order_id, total, _call_id, _raw_position, _run_id, _changed_at > _first_seen_at FROM shop.orders ORDER BY 1"))
	check.Same(t, "first seen", firstSeen, query(t, conn, "SELECT _first_seen_at FROM shop.orders WHERE order_id < '3' ORDER BY order_id"))
	check.Same(t, "every row finds its raw record", []string{"1|1|11.5", "2|2|20", "3|3|30"}, query(t, conn,
		`SELECT order_id, raw ->> 'order_id', raw ->> 'total' FROM (SELECT order_id, records::json -> (_raw_position - first_position) AS raw
 FROM shop.orders JOIN sluice.raw_records ON call_id = _call_id) AS found ORDER BY 1`))
}

func TestNarrowerRecordWipesNothing(t *testing.T) {
	conn, res := parallel(t, "goods")
	wide := object{
		"good_id": "1", "name": "old", "rate": "1", "stock": "5", "edited": day1, "labels": []object{{"label": "kept"}},
		"_extra": `{"novel": 1, "both": "old", "labels[0].deep": 2}`,
	}
	load(t, conn, res, batch(1, recordOf(t, res, wide)))
	result := load(t, conn, res, batch(2,
		recordOf(t, res, object{"good_id": "1", "name": "new", "stock": nil, "edited": day2, "_extra": `{"both": "new"}`}),
		recordOf(t, res, object{"good_id": "2", "name": "fresh"})))
	check.Same(t, "result", rows.Result{Inserted: 1, Updated: 1}, result)
	look := `SELECT good_id, name, rate, stock, edited AT TIME ZONE 'UTC', _extra, (SELECT string_agg(label, ',') FROM shop.goods_labels WHERE _parent_id = good_id)
 FROM shop.goods WHERE good_id = '1'`
	check.Same(t, "absent keys stay, null is null", []string{
		`1|new|1|∅|2026-01-02 10:00:00|{"both": "new", "novel": 1, "labels[0].deep": 2}|kept`,
	}, query(t, conn, look))

	load(t, conn, res, batch(3, recordOf(t, res, object{"good_id": "1", "labels": []object{}})))
	check.Same(t, "an empty array empties, with what was unknown in it", []string{
		`1|new|1|∅|2026-01-02 10:00:00|{"both": "new", "novel": 1}|∅`,
	}, query(t, conn, look))
}

func TestVersions(t *testing.T) {
	t.Parallel()
	day := func(n int) string {
		return time.Date(2026, 1, n, 10, 0, 0, 0, time.UTC).Format("2006-01-02 15:04:05+00")
	}
	now := time.Now()
	for name, c := range map[string]struct {
		oldDay, newDay   int // 0: no modification time
		oldCall, newCall int64
		started          time.Time
		want             rows.Result
	}{
		"newer modification, later call":          {1, 2, 5, 6, time.Time{}, rows.Result{Updated: 1}},
		"newer modification, earlier call":        {1, 2, 5, 4, time.Time{}, rows.Result{Updated: 1}},
		"older modification, later call":          {2, 1, 5, 6, time.Time{}, rows.Result{Superseded: 1}},
		"older modification, call of that moment": {2, 1, 5, 6, now, rows.Result{Superseded: 1}},
		"older modification, call long after":     {2, 1, 5, 6, now.Add(60 * time.Minute), rows.Result{Updated: 1, Rollbacks: 1}},
		"older modification, nine minutes after":  {2, 1, 5, 6, now.Add(9 * time.Minute), rows.Result{Superseded: 1}},
		"older modification, number contradicts":  {2, 1, 5, 4, now.Add(11 * time.Minute), rows.Result{Superseded: 1}},
		"equal modification, later call":          {1, 1, 5, 6, time.Time{}, rows.Result{Updated: 1}},
		"equal modification, same call":           {1, 1, 5, 5, time.Time{}, rows.Result{Updated: 1}},
		"equal modification, earlier call":        {1, 1, 5, 4, time.Time{}, rows.Result{Superseded: 1}},
		"no modification, later call":             {0, 0, 5, 6, time.Time{}, rows.Result{Updated: 1}},
		"no modification, earlier call":           {0, 0, 5, 4, time.Time{}, rows.Result{Superseded: 1}},
		"modification lost, later call":           {2, 0, 5, 6, time.Time{}, rows.Result{Updated: 1}},
		"modification lost, earlier call":         {2, 0, 5, 4, time.Time{}, rows.Result{Superseded: 1}},
		"modification won, later call":            {0, 1, 5, 6, time.Time{}, rows.Result{Updated: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			conn, res := parallel(t, "orders")
			version := func(total string, n int) record.Record {
				carried := object{"order_id": "1", "total": total, "payments": []object{{"paid": total}}}
				if n > 0 {
					carried["edited"] = day(n)
				}
				return recordOf(t, res, carried)
			}
			load(t, conn, res, batch(c.oldCall, version("1", c.oldDay)))
			next := batch(c.newCall, version("2", c.newDay))
			next.RequestedAt = c.started
			check.Same(t, "result", c.want, load(t, conn, res, next))
			want := "2|2|2"
			if c.want.Superseded > 0 {
				want = "1|1|1"
			}
			check.Same(t, "row, its array and its archive", []string{want}, query(t, conn, `SELECT total, paid, records::json -> (_raw_position - first_position) ->> 'total' FROM shop.orders
 JOIN shop.orders_payments ON _parent_id = order_id JOIN sluice.raw_records r ON call_id = _call_id
 AND first_position <= _raw_position AND records::json -> (_raw_position - first_position) IS NOT NULL`))
		})
	}
}

func TestChildrenAreReplacedWithTheirArrayOnly(t *testing.T) {
	conn, res := parallel(t, "orders")
	line := func(id string, taxes ...object) object { return object{"line_id": id, "taxes": taxes} }
	other := recordOf(t, res, object{"order_id": "2", "lines": []object{line("z", object{"tax": "other"})}})
	load(t, conn, res, batch(1, other, recordOf(t, res, object{
		"order_id": "1", "lines": []object{line("a", object{"tax": "t1"}, object{"tax": "t2"}), line("b"), line("c", object{"tax": "t3"})},
		"payments": []object{{"paid": "5"}},
	})))
	look := func() []string {
		return query(t, conn, `SELECT _parent_id, l._position, line_id, (SELECT string_agg(_position || tax, ',' ORDER BY _position) FROM shop.orders_lines_taxes x
 WHERE x.organization_id = l.organization_id AND x._parent_id = l._parent_id AND x._parent_position = l._position),
 (SELECT sum(paid) FROM shop.orders_payments p WHERE p._parent_id = l._parent_id) FROM shop.orders_lines l ORDER BY 1, 2`)
	}
	check.Same(t, "first", []string{"1|0|a|0t1,1t2|5", "1|1|b|∅|5", "1|2|c|0t3|5", "2|0|z|0other|∅"}, look())
	load(t, conn, res, batch(2, recordOf(t, res, object{"order_id": "1", "lines": []object{line("c"), line("d", object{"tax": "t4"})}})))
	check.Same(t, "replaced", []string{"1|0|c|∅|5", "1|1|d|0t4|5", "2|0|z|0other|∅"}, look())
	load(t, conn, res, batch(3, recordOf(t, res, object{"order_id": "1", "payments": []object{}})))
	check.Same(t, "the other array", []string{"1|0|c|∅|∅", "1|1|d|0t4|∅", "2|0|z|0other|∅"}, look())
}

func TestTextArrivesUnharmed(t *testing.T) {
	conn, res := parallel(t, "flags")
	texts := []string{
		"", " ", `\N`, `\.`, "\\", "\t\n\r\v\f\b", "a\\tb", "quote ' \" `", "naïve 日本 🚲 \u2028\u200f", "null", "'); DROP TABLE shop.flags; --",
		"line\r\n\\.\r\nend", strings.Repeat("long\t", 50_000), "\x7f\x01",
	}
	var fresh, changed []record.Record
	for i, text := range texts {
		id := "k\t\\" + string(rune('a'+i))
		fresh = append(fresh, recordOf(t, res, object{"flag_id": id, "state": text}))
		changed = append(changed, recordOf(t, res, object{"flag_id": id, "state": text + "~"}))
	}
	for call, records := range [][]record.Record{fresh, changed} {
		load(t, conn, res, batch(int64(call+1), records...))
		var want []string
		for _, r := range records {
			want = append(want, r.ID+"|"+r.Tables[0][0].Values[1].Text)
		}
		check.Same(t, "texts", want, query(t, conn, "SELECT flag_id, state FROM shop.flags ORDER BY flag_id"))
	}
}

func TestOrganizationsAreApart(t *testing.T) {
	conn, res := parallel(t, "orders")
	for call, organization := range []string{"one", "two"} {
		b := batch(int64(call+1), recordOf(t, res, object{"order_id": "1", "total": "1", "payments": []object{{"paid": "1"}}}))
		b.Organization = organization
		check.Same(t, "result", rows.Result{Inserted: 1}, load(t, conn, res, b))
	}
	b := batch(3, recordOf(t, res, object{"order_id": "1", "total": "2", "payments": []object{}}))
	b.Organization = "two"
	load(t, conn, res, b)
	check.Same(t, "rows", []string{"one|1|1", "two|2|0"}, query(t, conn, `SELECT organization_id, total,
 (SELECT count(*) FROM shop.orders_payments p WHERE p.organization_id = o.organization_id) FROM shop.orders o ORDER BY 1`))
}

func TestWrongBatchesAreRefusedWhole(t *testing.T) {
	t.Parallel()
	conn, flags, goods := connect(t), resource(t, "flags"), resource(t, "goods")
	good := recordOf(t, flags, object{"flag_id": "1", "state": "x"})
	renamed := good
	renamed.ID = "2"
	for name, c := range map[string]struct {
		records []record.Record
		want    string
	}{
		"twice the same key":  {[]record.Record{good, good}, `batch does not fit the resource: record "1" of shop.flags occurs twice, keep the newest only`},
		"no key":              {[]record.Record{{}}, `batch does not fit the resource: record "" of shop.flags has no key; was it normalized with another declaration?`},
		"another declaration": {[]record.Record{recordOf(t, goods, object{"good_id": "1"})}, `batch does not fit the resource: record "1" of shop.flags has 2 tables instead of 1; was it normalized with another declaration?`},
		"another key":         {[]record.Record{renamed}, `batch does not fit the resource: record "2" of shop.flags has another value in its key column; was it normalized with another declaration?`},
	} {
		t.Run(name, func(t *testing.T) {
			err := pgx.BeginFunc(context.Background(), conn, func(tx pgx.Tx) error {
				_, _, err := rows.New(shop, flags).LoadBisect(context.Background(), tx, batch(1, c.records...))
				return err
			})
			check.ErrorIf(t, !errors.Is(err, rows.ErrBatch) || err.Error() != c.want, "error %v, want %s", err, c.want)
		})
	}
}

func TestDeclarationsThatCannotBeLoaded(t *testing.T) {
	t.Parallel()
	key := schema.ID("a_id", "Key.")
	deep := []schema.Child{{Name: "x", Children: []schema.Child{{Name: "y", Children: []schema.Child{{Name: "z"}}}}}}
	for want, res := range map[string]schema.Resource{
		`the key "b_id" is not among the columns`:                           {Name: "as", ID: "b_id", Columns: []schema.Column{key}},
		`table "as_x_y_z": arrays nest 3 deep, at most 2 can be keyed`:      {Name: "as", ID: "a_id", Columns: []schema.Column{key}, Children: deep},
		`the modification time "edited" is not among the columns`:           {Name: "as", ID: "a_id", Columns: []schema.Column{key}, Cursor: schema.Since{Column: "edited"}},
		"column edited is the modification time, declare it with kind time": {Name: "as", ID: "a_id", Columns: []schema.Column{key, schema.Text("edited", "E.")}, Cursor: schema.Since{Column: "edited"}},
		"a name needs 1 to 63 bytes":                                        {Name: strings.Repeat("a", 64), ID: "a_id", Columns: []schema.Column{key}},
	} {
		_, _, err := rows.New(shop, &res).LoadBisect(context.Background(), nil, rows.Batch{})
		check.ErrorIf(t, err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "resource shop."),
			"error %v, want %s", err, want)
	}
}
