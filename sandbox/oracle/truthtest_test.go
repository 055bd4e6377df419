package oracle_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/warehousetest"
	"sluice/sandbox/oracle"
)

func TestMain(m *testing.M) { os.Exit(warehousetest.Run(m)) }

// tables are written by hand in the layout of the warehouse.
const tables = `
CREATE SCHEMA shop;
CREATE TABLE shop.things (organization_id text COLLATE "C", thing_id text COLLATE "C", name text, amount numeric, day date,
	at timestamptz, fine boolean, count bigint, "any" jsonb, code text COLLATE "C", _extra jsonb, PRIMARY KEY (organization_id, thing_id));
CREATE TABLE shop.things_lines (organization_id text COLLATE "C", _parent_id text COLLATE "C", _position integer, rate numeric,
	PRIMARY KEY (organization_id, _parent_id, _position));
CREATE TABLE shop.things_lines_serials (organization_id text COLLATE "C", _parent_id text COLLATE "C", _parent_position integer,
	_position integer, serial text COLLATE "C", PRIMARY KEY (organization_id, _parent_id, _parent_position, _position));
INSERT INTO shop.things (organization_id, thing_id, name, amount, day, at, fine, count, "any") VALUES
	('1', '7', ' bolt ', 10.50, '2026-03-01', '2026-03-01 08:00:00+00', true, 12, '{"a": [1.0, null]}');
INSERT INTO shop.things (organization_id, thing_id) VALUES ('1', 'gone'), ('2', 'other');
INSERT INTO shop.things_lines VALUES ('1', '7', 0, 1), ('1', '7', 1, 2);
INSERT INTO shop.things_lines_serials VALUES ('1', '7', 1, 0, 'a'), ('1', '7', 1, 1, 'b');`

const record = `{"thing_id":"7","name":" bolt ","amount":"10.5","day":"2026-03-01","at":"2026-03-01T13:30:00+0530","fine":true,
	"count":12.0,"any":{"a":[1,null]},"code":"","lines":[{"rate":1.00,"serials":""},{"rate":2,"serials":["a","b"]}]}`

func migrated(ctx context.Context, url string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, tables)
	return errors.Join(err, conn.Close(ctx))
}

func TestCompare(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		// sql runs on the tables before the comparison; to replaces from in the record.
		sql, from, to string
		// want is part of the one expected difference; empty if there is none.
		want string
	}{
		"equal":                 {},
		"a number":              {from: "10.5", to: "10.51", want: `amount is "10.51" on the wire and 10.50`},
		"a text":                {from: " bolt ", to: "bolt", want: `name is "bolt" on the wire and  bolt `},
		"a day":                 {from: `"day":"2026-03-01"`, to: `"day":"2026-03-02"`, want: "day is"},
		"an instant":            {from: "+0530", to: "+0500", want: "at is"},
		"milliseconds":          {from: "2026-03-01T13:30:00+0530", to: "1772352000000"},
		"other milliseconds":    {from: "2026-03-01T13:30:00+0530", to: "1772352000001", want: "at is"},
		"a flag":                {from: "true", to: "false", want: "fine is false"},
		"an int":                {from: "12.0", to: "13", want: "count is 13"},
		"json":                  {from: "[1,null]", to: "[1]", want: "any is"},
		"null":                  {sql: "UPDATE shop.things SET amount = NULL", want: "amount is"},
		"a value for nothing":   {sql: "UPDATE shop.things SET code = 'x'", want: `code is "" on the wire and x`},
		"a value of no key":     {from: `"code":"",`, to: "", sql: "UPDATE shop.things SET code = ''", want: "code is not on the wire"},
		"a missing row":         {sql: "DELETE FROM shop.things WHERE thing_id = '7'", want: "things 7: 0 rows"},
		"a missing element":     {sql: "DELETE FROM shop.things_lines WHERE _position = 1", want: "2 elements on the wire and 1 rows"},
		"an element too many":   {sql: "INSERT INTO shop.things_lines VALUES ('1', '7', 2, 1)", want: "2 elements on the wire and 3 rows"},
		"an element's value":    {from: `"rate":2`, to: `"rate":3`, want: "things_lines 7/1: rate is 3"},
		"an element's position": {sql: "UPDATE shop.things_lines_serials SET _position = 2 WHERE serial = 'b'", want: "element 1 has position 2"},
		"a nested value":        {from: `["a","b"]`, to: `["a","c"]`, want: "things_lines_serials 7/1/1: serial is"},
		"no array at all":       {from: `"serials":""`, to: `"serials":"x"`, want: "neither an array"},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn, err := pgx.Connect(t.Context(), warehousetest.Template(t, "things", migrated))
			must(t, err)
			defer func() { _ = conn.Close(t.Context()) }()
			if _, err := conn.Exec(t.Context(), test.sql); err != nil {
				t.Fatal(err)
			}
			raw := json.RawMessage(strings.Replace(record, test.from, test.to, 1))
			got, err := oracle.Compare(t.Context(), conn, "shop", "things", "1", slices.Values([]json.RawMessage{raw}))
			must(t, err)
			if got.Live != 1 || got.Gone != 1 || len(got.Unmapped) != 0 {
				t.Errorf("live %d, gone %d, unmapped %v; want 1, 1 and none", got.Live, got.Gone, got.Unmapped)
			}
			if test.want == "" && got.Different != 0 || test.want != "" && (got.Different != 1 || !strings.Contains(got.Differences[0], test.want)) {
				t.Errorf("differences = %q, want one with %q", got.Differences, test.want)
			}
		})
	}
}

func TestCompareCountsWhatNoColumnTakes(t *testing.T) {
	t.Parallel()
	conn, err := pgx.Connect(t.Context(), warehousetest.Template(t, "things", migrated))
	must(t, err)
	defer func() { _ = conn.Close(t.Context()) }()
	if _, err := conn.Exec(t.Context(), `UPDATE shop.things SET _extra = '{"colour": "red"}'`); err != nil {
		t.Fatal(err)
	}
	raw := json.RawMessage(strings.Replace(record, `"code"`, `"colour":"red","code"`, 1))
	got, err := oracle.Compare(t.Context(), conn, "shop", "things", "1", slices.Values([]json.RawMessage{raw, raw}))
	must(t, err)
	if got.Unmapped["things.colour"] != 1 || got.Undeclared != 1 || got.Different != 1 || !strings.Contains(got.Differences[0], "twice") {
		t.Errorf("unmapped %v, undeclared %d, differences %q; want the colour once and the record twice", got.Unmapped, got.Undeclared, got.Differences)
	}
	if _, err := oracle.Compare(t.Context(), conn, "shop", "nothing", "1", slices.Values([]json.RawMessage{raw})); err == nil {
		t.Error("a table that is not there was compared")
	}
}
