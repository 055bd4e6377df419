package rows_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/rows"
	"sluice/schema"
	"sluice/schema/record"
)

// everyKind returns records with values at the edges of each kind.
func everyKind(tb testing.TB) []record.Record {
	tb.Helper()
	res := resource(tb, "goods")
	var records []record.Record
	for i, fields := range []object{
		{"name": "Räder\n4\t\\N", "rate": "12345678901234567890.123456789", "active": "true", "stock": "-7", "since": "2026-02-28", "edited": day1, "open": `{"a": [1, null]}`, "select": ""},
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

// Values in the binary format are what the server makes of the same texts.
func TestValuesAreWhatTheServerReadsOutOfTexts(t *testing.T) {
	conn, res := parallel(t, "goods")
	records := everyKind(t)
	for i, part := range [][]record.Record{records[:2], records} {
		load(t, conn, res, batch(int64(i+1), part...))
	}
	check.Same(t, "times", []string{"t|t"}, query(t, conn, `SELECT bool_and(_first_seen_at = _changed_at), bool_and(_changed_at BETWEEN now() - interval '1 minute' AND now()) FROM shop.goods`))
	for _, r := range records {
		for c, column := range res.Columns {
			value, quoted := r.Tables[0][0].Values[c], pgx.Identifier{column.ColumnName()}.Sanitize()
			var text *string
			if value.State == record.Set {
				text = &value.Text
			}
			of, _, _ := strings.Cut(types[column.Kind], " ")
			got := query(t, conn, "SELECT "+quoted+"::text IS NOT DISTINCT FROM $1::text::"+of+"::text FROM shop.goods WHERE good_id = $2", text, r.ID)
			check.Same(t, r.ID+" "+column.Wire, []string{"t"}, got)
		}
	}
	check.Same(t, "what is ours", []string{"460|∅|1|0|10", "461|∅|1|1|10", "462|∅|2|0|20", `463|{"novel": 1}|2|1|20`, "464|∅|2|2|20"},
		query(t, conn, "SELECT good_id, _extra, _call_id, _raw_position, _run_id FROM shop.goods ORDER BY 1"))
	check.Same(t, "archive", []string{"org|shop|goods|460|12345678901234567890.123456789"}, query(t, conn, `SELECT r.organization_id, service, resource,
 records::json -> 0 ->> 'good_id', records::json -> 0 ->> 'rate' FROM sluice.raw_records r WHERE call_id = 1`))
	check.Same(t, "array", []string{"org|463|0|red", "org|463|1|∅"}, query(t, conn, "SELECT * FROM shop.goods_labels ORDER BY 2, 3"))
}

// Keys may have another order than that of their bytes. If a column has another type, the error
// names it, and nothing is written: the same bytes could be another value there.
func TestTablesThatWereAltered(t *testing.T) {
	conn, res := parallel(t, "goods")
	execute(t, conn, `ALTER TABLE shop.goods ALTER good_id TYPE text COLLATE "und-x-icu"`)
	check.Same(t, "another order of keys", rows.Result{Inserted: 5}, load(t, conn, res, batch(1, everyKind(t)...)))
	check.Same(t, "another order of keys", rows.Result{Unchanged: 5}, load(t, conn, res, batch(2, everyKind(t)...)))
	for altered, change := range map[string]string{
		"shop.goods.stock is numeric and declared as bigint":                   "ALTER TABLE shop.goods ALTER stock TYPE numeric",
		"shop.goods_labels.label is character varying(9) and declared as text": "ALTER TABLE shop.goods_labels ALTER label TYPE varchar(9)",
		"shop.goods._call_id is integer and declared as bigint":                "ALTER TABLE shop.goods ALTER _call_id TYPE integer",
	} {
		conn := connect(t)
		execute(t, conn, change)
		err := pgx.BeginFunc(context.Background(), conn, func(tx pgx.Tx) error {
			_, refused, err := rows.New(shop, res).LoadBisect(context.Background(), tx, batch(1, everyKind(t)...))
			check.ErrorIf(t, len(refused) != 0, "records were blamed: %+v", refused)
			return err
		})
		want := "look at the tables of shop.goods: column " + altered + ": sluice check"
		check.ErrorIf(t, err == nil || err.Error() != want, "%v, want %s", err, want)
	}
}

// eachWay tries flags with a small archive, which goes as a parameter, and with a large one, which
// goes by COPY; pad is appended to a record.
func eachWay(t *testing.T, try func(t *testing.T, conn *pgx.Conn, flags *schema.Resource, pad string)) {
	t.Helper()
	for name, pad := range map[string]string{"small": "", "large": strings.Repeat(" naïve 日本 🚲", 60_000)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			try(t, connect(t), resource(t, "flags"), pad)
		})
	}
}

func TestRawIsKeptByteForByte(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, conn *pgx.Conn, res *schema.Resource, pad string) {
		t.Helper()
		raws := []string{`{"state":"x",  "n":1.50e1}`, "{\n\t\"state\":\"\\u0041\\\\\"}", `{"state":"` + pad + `"}`, `{}`}
		records := make([]record.Record, len(raws)) // one has a line feed, so its array has the dense form
		for i, raw := range raws {
			records[i] = recordOf(t, res, object{"flag_id": fmt.Sprint(i), "state": "x"})
			records[i].Raw = []byte(raw)
		}
		load(t, conn, res, batch(1, records...))
		arrays := []string{"1|0|org|shop|flags|4|[" + strings.Join(raws, ",") + "]"}
		if pad != "" { // the record after a large one is in the next array
			arrays = []string{"1|0|org|shop|flags|3|[" + strings.Join(raws[:3], ",") + "]", "1|3|org|shop|flags|1|[\n" + raws[3] + "\n]"}
		}
		check.Same(t, "archive", arrays, query(t, conn,
			`SELECT call_id, first_position, organization_id, service, resource, record_count, records FROM sluice.raw_records ORDER BY 2`))
		check.Same(t, "kept with the rows", []string{"t|4"}, query(t, conn,
			`SELECT bool_and(kept_at = _changed_at AND _raw_position = flag_id::int), count(*) FROM sluice.raw_records JOIN shop.flags
 ON call_id = _call_id AND _raw_position BETWEEN first_position AND first_position + record_count - 1`))
	})
}

func TestRawThatPostgresCannotHoldIsReplaced(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, conn *pgx.Conn, res *schema.Resource, pad string) {
		t.Helper()
		broken, none := recordOf(t, res, object{"flag_id": "1", "state": "x"}), recordOf(t, res, object{"flag_id": "2", "state": "x"})
		broken.Raw, none.Raw = []byte("{\"state\":\"a\x00b\xffc\\u0000"+pad+"\"}"), nil
		load(t, conn, res, batch(1, broken, none))
		first := "{\"state\":\"a\u2400b\uFFFDc\\u0000" + pad + "\"}"
		arrays := []string{"[\n" + first + ",\nnull\n]"}
		if pad != "" {
			arrays = []string{"[\n" + first + "\n]", "[\nnull\n]"}
		}
		check.Same(t, "archive", arrays, query(t, conn, "SELECT records FROM sluice.raw_records ORDER BY first_position"))
	})
}

func TestOneCallInSeveralBatches(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, conn *pgx.Conn, res *schema.Resource, pad string) {
		t.Helper()
		flag := func(id, state string) record.Record {
			return recordOf(t, res, object{"flag_id": id, "state": state, "pad": pad})
		}
		for _, records := range [][]record.Record{
			{flag("a", "1"), flag("b", "2")}, {flag("c", "3")}, {flag("a", "4"), flag("d", "5")},
		} {
			// As values in the binary format, which take the time from the archive.
			_, refused := bisect(t, conn, res, batch(7, records...))
			check.FatalIf(t, len(refused) != 0, "%d records were refused", len(refused))
		}
		check.Same(t, "every row finds its raw record", []string{"a|4", "b|2", "c|3", "d|5"}, query(t, conn,
			`SELECT flag_id, records::json -> (_raw_position - first_position) ->> 'state' FROM shop.flags JOIN sluice.raw_records
 ON call_id = _call_id AND first_position <= _raw_position AND records::json -> (_raw_position - first_position) IS NOT NULL ORDER BY 1`))
		parts := []string{"0|2", "2|1", "3|2"}
		if pad != "" { // each record is an array
			parts = []string{"0|1", "1|1", "2|1", "3|1", "4|1"}
		}
		check.Same(t, "parts", parts, query(t, conn, `SELECT first_position, record_count FROM sluice.raw_records ORDER BY 1`))
		check.Same(t, "times", []string{"0"}, query(t, conn,
			`SELECT count(*) FROM shop.flags JOIN sluice.raw_records ON call_id = _call_id AND first_position <= _raw_position
 AND _raw_position < first_position + record_count WHERE kept_at <> _changed_at`))
	})
}

// A batch of many records is stored as arrays of the size of a page, and every row finds its record
// in them.
func TestALargeBatchIsKeptInPages(t *testing.T) {
	conn, res := parallel(t, "flags")
	const count, page = 3000, 256 << 10
	records := make([]record.Record, count)
	for i := range records {
		records[i] = recordOf(t, res, object{"flag_id": fmt.Sprintf("%05d", i), "state": "x", "note": strings.Repeat("n", i%997)})
	}
	load(t, conn, res, batch(1, records...))
	check.Same(t, "arrays of a page, the last one of what is left", []string{"t|t|7|3000"}, query(t, conn, fmt.Sprintf(
		`SELECT bool_and(size < %[1]d + 1100), bool_and(size >= %[1]d) FILTER (WHERE next IS NOT NULL), count(*), sum(record_count)
 FROM (SELECT octet_length(records) AS size, record_count, lead(1) OVER (ORDER BY first_position) AS next FROM sluice.raw_records) AS a`, page)))
	check.Same(t, "every row finds its record", []string{"3000"}, query(t, conn,
		`SELECT count(*) FROM shop.flags JOIN sluice.raw_records ON call_id = _call_id AND _raw_position >= first_position
 AND _raw_position < first_position + record_count WHERE records::json -> (_raw_position - first_position) ->> 'flag_id' = flag_id`))
}
