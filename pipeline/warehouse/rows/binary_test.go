package rows_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/rows"
	"sluice/schema/record"
)

// everyKind are records with values at the edges of each kind.
func everyKind(tb testing.TB) []record.Record {
	tb.Helper()
	res := resource(tb, "goods")
	var records []record.Record
	for i, fields := range []object{
		{"name": "Räder\n4\t\\N", "rate": "12345678901234567890.123456789", "active": "true", "stock": "-7", "since": "2026-02-28", "edited": day1, "open": `{"a": [1, null]}`},
		{"name": "", "rate": "0", "active": "false", "stock": "9223372036854775807", "since": "2000-02-29", "edited": "1999-12-31 23:59:59.999999+00", "open": "[]"},
		{"name": `\.`, "rate": "-0.00010203", "stock": "-9223372036854775808", "since": "0001-01-01", "edited": "0001-01-01 00:00:00+00", "open": `"text"`},
		{"rate": "-10000", "since": "9999-12-31", "edited": "9999-12-31 23:59:59.5+00", "_extra": `{"novel": 1}`, "labels": []object{{"label": "red"}, {"label": nil}}},
		{"rate": "100000000.5", "name": nil, "labels": []object{}},
	} {
		fields["good_id"] = fmt.Sprintf("46%d", i)
		records = append(records, recordOf(tb, res, fields))
	}
	return records
}

// Both formats of COPY bring the same rows, and the first one is taken where it can be.
func TestBothFormatsBringTheSameRows(t *testing.T) {
	t.Parallel()
	res := resource(t, "goods")
	bring := func(change string, load func(tx pgx.Tx, batch rows.Batch) error) []string {
		conn := connect(t)
		if change != "" {
			execute(t, conn, change)
		}
		for i, records := range [][]record.Record{everyKind(t)[:2], everyKind(t)} {
			err := pgx.BeginFunc(context.Background(), conn, func(tx pgx.Tx) error { return load(tx, batch(int64(i+1), records...)) })
			if err != nil {
				t.Fatal(err)
			}
		}
		same(t, "times", []string{"t|t"}, query(t, conn, `SELECT bool_and(_first_seen_at = _changed_at), bool_and(_changed_at BETWEEN now() - interval '1 minute' AND now()) FROM shop.goods`))
		return append(query(t, conn, `SELECT organization_id, good_id, name, rate, scale(rate), active, stock, since, edited AT TIME ZONE 'UTC', open, "select ""it""",
 _extra, _hash, _call_id, _raw_position, _run_id FROM shop.goods ORDER BY 2`), query(t, conn, "SELECT * FROM shop.goods_labels ORDER BY 2, 3")...)
	}
	text := bring("", func(tx pgx.Tx, batch rows.Batch) error {
		_, err := rows.New(shop, res).Load(context.Background(), tx, batch)
		return err
	})
	if len(text) != 7 {
		t.Fatalf("%d rows, want 5 and 2 of the array: %q", len(text), text)
	}
	first := func(tx pgx.Tx, batch rows.Batch) error {
		_, refused, err := rows.New(shop, res).LoadBisect(context.Background(), tx, batch)
		if len(refused) > 0 {
			t.Errorf("refused: %+v", refused)
		}
		return err
	}
	same(t, "binary", text, bring("", first))
	// Where the tables are not as drafted, the server judges: also by the order of its own of keys.
	same(t, "a wider type", text, bring("ALTER TABLE shop.goods ALTER stock TYPE numeric", first))
	same(t, "another order of keys", text, bring(`ALTER TABLE shop.goods ALTER good_id TYPE text COLLATE "und-x-icu"`, first))
}

// What lies between the least and the largest key of a batch is found, and what lies outside does not matter.
func TestKeysBetweenStoredOnes(t *testing.T) {
	t.Parallel()
	conn, res := connect(t), resource(t, "flags")
	flag := func(id, state string) record.Record {
		return recordOf(t, res, object{"flag_id": id, "state": state})
	}
	for call, step := range []struct {
		want    rows.Result
		records []record.Record
	}{
		{rows.Result{Inserted: 2}, []record.Record{flag("b", "1"), flag("d", "1")}},
		{rows.Result{Inserted: 1}, []record.Record{flag("c", "1")}},
		{rows.Result{Inserted: 2}, []record.Record{flag("a", "1"), flag("e", "1")}},
		{rows.Result{Inserted: 1, Unchanged: 2, Updated: 1}, []record.Record{flag("a", "1"), flag("e", "2"), flag("c", "1"), flag("bb", "1")}},
		{rows.Result{Unchanged: 1}, []record.Record{flag("d", "1")}},
		{rows.Result{Inserted: 1}, []record.Record{flag("A", "1")}},
	} {
		same(t, fmt.Sprintf("call %d", call+1), step.want, load(t, conn, res, batch(int64(call+1), step.records...)))
	}
	// Another organization has rows, and they are not its own.
	other := batch(9, flag("b", "1"), flag("d", "1"))
	other.Organization = "aaa"
	same(t, "another organization", rows.Result{Inserted: 2}, load(t, conn, res, other))
}
