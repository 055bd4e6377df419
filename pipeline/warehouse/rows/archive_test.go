package rows_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sluice/schema"
	"sluice/schema/record"
)

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
		same(t, "archive", arrays, query(t, conn,
			`SELECT call_id, first_position, organization_id, service, resource, record_count, records FROM sluice.raw_records ORDER BY 2`))
		same(t, "kept with the rows", []string{"t|4"}, query(t, conn,
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
		same(t, "archive", arrays, query(t, conn, "SELECT records FROM sluice.raw_records ORDER BY first_position"))
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
			if _, refused := bisect(t, conn, res, batch(7, records...)); len(refused) > 0 {
				t.Fatalf("%d records were refused", len(refused))
			}
		}
		same(t, "every row finds its raw record", []string{"a|4", "b|2", "c|3", "d|5"}, query(t, conn,
			`SELECT flag_id, records::json -> (_raw_position - first_position) ->> 'state' FROM shop.flags JOIN sluice.raw_records
 ON call_id = _call_id AND first_position <= _raw_position AND records::json -> (_raw_position - first_position) IS NOT NULL ORDER BY 1`))
		parts := []string{"0|2", "2|1", "3|2"}
		if pad != "" { // each record is an array
			parts = []string{"0|1", "1|1", "2|1", "3|1", "4|1"}
		}
		same(t, "parts", parts, query(t, conn, `SELECT first_position, record_count FROM sluice.raw_records ORDER BY 1`))
		same(t, "times", []string{"0"}, query(t, conn,
			`SELECT count(*) FROM shop.flags JOIN sluice.raw_records ON call_id = _call_id AND first_position <= _raw_position
 AND _raw_position < first_position + record_count WHERE kept_at <> _changed_at`))
	})
}

// A batch of many records is stored as arrays of the size of a page, and every row finds its record
// in them.
func TestALargeBatchIsKeptInPages(t *testing.T) {
	t.Parallel()
	conn, res := connect(t), resource(t, "flags")
	const count, page = 3000, 256 << 10
	records := make([]record.Record, count)
	for i := range records {
		records[i] = recordOf(t, res, object{"flag_id": fmt.Sprintf("%05d", i), "state": "x", "note": strings.Repeat("n", i%997)})
	}
	load(t, conn, res, batch(1, records...))
	same(t, "arrays of a page, the last one of what is left", []string{"t|t|7|3000"}, query(t, conn, fmt.Sprintf(
		`SELECT bool_and(size < %[1]d + 1100), bool_and(size >= %[1]d) FILTER (WHERE next IS NOT NULL), count(*), sum(record_count)
 FROM (SELECT octet_length(records) AS size, record_count, lead(1) OVER (ORDER BY first_position) AS next FROM sluice.raw_records) AS a`, page)))
	same(t, "every row finds its record", []string{"3000"}, query(t, conn,
		`SELECT count(*) FROM shop.flags JOIN sluice.raw_records ON call_id = _call_id AND _raw_position >= first_position
 AND _raw_position < first_position + record_count WHERE records::json -> (_raw_position - first_position) ->> 'flag_id' = flag_id`))
}
