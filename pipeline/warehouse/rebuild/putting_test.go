package rebuild

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
	"pgregory.net/rapid"

	"sluice/pipeline/warehouse/rows/statements"
	"sluice/schema"
	"sluice/schema/record"
)

// cell is a column of a kind: the canonical text of a value, the value as the driver has it, and another one.
type cell struct {
	kind         schema.Kind
	oid          uint32
	text         string
	value, other any
}

func cells() []cell {
	day := time.Date(2026, 1, 17, 0, 0, 0, 0, time.UTC)
	number := func(text string) pgtype.Numeric {
		var n pgtype.Numeric
		if err := n.Scan(text); err != nil {
			panic(err)
		}
		return n
	}
	return []cell{
		{schema.KindID, pgtype.TextOID, "460000000038085", "460000000038085", "460000000038086"},
		{schema.KindText, pgtype.TextOID, "", "", " "},
		{schema.KindText, pgtype.TextOID, "Zürich", "Zürich", "Zurich"},
		{schema.KindBool, pgtype.BoolOID, "true", true, false},
		{schema.KindInt, pgtype.Int8OID, "-42", int64(-42), int64(42)},
		{schema.KindDecimal, pgtype.NumericOID, "1000.05", number("1000.05"), number("1000.050")},
		{schema.KindDate, pgtype.DateOID, "2026-01-17", day, day.AddDate(0, 0, 1)},
		{schema.KindTime, pgtype.TimestamptzOID, "2026-01-17 00:00:00+00", day, day.Add(time.Microsecond)},
		{schema.KindJSON, pgtype.JSONBOID, `{"a":[1,2]}`, json.RawMessage(`{"a": [1, 2]}`), json.RawMessage(`{"a": [2, 1]}`)},
	}
}

// TestSameIsWhatTheRecordMakesOfARow: what is stored is written by the driver, by code of its own; a row is the same where each column that its
// record carries holds its value, and so do the unknown keys and the fingerprint.
func TestSameIsWhatTheRecordMakesOfARow(t *testing.T) {
	t.Parallel()
	const extra, hash, fingerprint, changed, own = 0, 1, 2, 3, 4
	types, all := pgtype.NewMap(), cells()
	stored := func(t *rapid.T, oid uint32, value any) []byte {
		if value == nil {
			return nil
		}
		field, err := types.Encode(oid, pgtype.BinaryFormatCode, value, []byte{})
		if err != nil {
			t.Fatal(err)
		}
		return field
	}
	rapid.Check(t, func(t *rapid.T) {
		l := &layout{columns: make([]string, own+len(all)), own: own, extra: extra, hash: hash, fingerprint: fingerprint, changed: changed}
		r := &Rows{table: &table{sql: &statements.Set{}}}
		put := &putting{Rows: r, layout: l, tables: []schema.Table{{}}}
		rec := record.Record{Tables: [][]record.Row{{{}}}, Carries: []bool{true}}
		same := true
		// Unknown keys that are stored stay where the record has none.
		keys := rapid.SampledFrom([]struct {
			record string
			stored any
			same   bool
		}{
			{"", nil, true},
			{"", json.RawMessage(`{"b": 1}`), true},
			{`{"b":1}`, json.RawMessage(`{"b": 1}`), true},
			{`{"b":1}`, json.RawMessage(`{"b": 2}`), false},
			{`{"b":1}`, nil, false},
		}).Draw(t, "unknown keys")
		mark := rapid.SampledFrom([]struct {
			record uint64
			stored any
			same   bool
		}{{7, int64(7), true}, {0, nil, true}, {7, int64(8), false}, {7, nil, false}, {0, int64(7), false}}).Draw(t, "fingerprint")
		rec.Extra, rec.Fingerprint = keys.record, mark.record
		same = same && keys.same && mark.same
		fields := [][]byte{stored(t, pgtype.JSONBOID, keys.stored), rec.Hash[:], stored(t, pgtype.Int8OID, mark.stored), make([]byte, 8)}
		for _, c := range all {
			r.table.sql.Kinds = append(r.table.sql.Kinds, c.kind)
			alternatives := []struct {
				value  record.Value
				stored any
				same   bool
			}{
				{record.Value{Text: c.text, State: record.Set}, c.value, true},
				{record.Value{State: record.Null}, nil, true},
				{record.Value{}, nil, true},
				{record.Value{}, c.other, true},
				{record.Value{Text: c.text, State: record.Set}, c.other, false},
				{record.Value{Text: c.text, State: record.Set}, nil, false},
				{record.Value{State: record.Null}, c.value, false},
			}
			if rapid.IntRange(0, 7).Draw(t, "may differ") > 0 { // or hardly any row would be the same
				alternatives = alternatives[:4]
			}
			one := rapid.SampledFrom(alternatives).Draw(t, "column")
			same = same && one.same
			rec.Tables[0][0].Values = append(rec.Tables[0][0].Values, one.value)
			fields = append(fields, stored(t, c.oid, one.stored))
		}
		if rapid.IntRange(0, 9).Draw(t, "no binary form") == 0 {
			rec.Tables[0][0].Values[5], same = record.Value{Text: "1e3", State: record.Set}, false
			fields[own+5] = stored(t, pgtype.NumericOID, all[5].value)
		}
		row := &row{list: version{hash: rec.Hash[:], record: &rec}, record: &rec}
		if err := put.renew(row, fields); err != nil {
			t.Fatal(err)
		}
		if got := put.same(row, fields); got != same {
			t.Errorf("same is %t of %+v and %q", got, rec, fields)
		}
	})
}
