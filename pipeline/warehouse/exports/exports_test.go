package exports_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"sluice/migrations"
	"sluice/pipeline/check"
	"sluice/pipeline/files"
	"sluice/pipeline/warehouse/exports"
	"sluice/pipeline/warehouse/warehousetest"
)

func TestRelations(t *testing.T) {
	t.Parallel()
	f := open(t)
	found := check.Sure(f.source.Relations(t.Context()))(f)
	orders := map[string]string{}
	for i := range found {
		orders[found[i].Full()] = strings.Join(found[i].Order(), " ")
	}
	for name, want := range map[string]string{
		"shop.things":                "thing_id organization_id", // as the index has it
		"shop.things_parts":          "organization_id _parent_id _position",
		"inventory.bills":            "organization_id bill_id",
		"inventory.bills_line_items": "organization_id _parent_id _position",
		"history.versions":           "service resource organization_id record_id valid_from",
	} {
		check.ErrorIf(t, orders[name] != want, "%s is ordered by %q, want %q", name, orders[name], want)
	}
	for name, want := range map[string]string{ // keys of views, and other columns behind them
		"analytics.bills": "organization_id bill_id ", "analytics.catalog": "schema_name table_name column_name place ",
		"as_of.bills": "organization_id bill_id ", "as_of.inventory_bills": "organization_id bill_id ",
	} {
		check.ErrorIf(t, !strings.HasPrefix(orders[name], want), "%s is ordered by %q, want %q first", name, orders[name], want)
	}
	for i := range found {
		if in := found[i].Schema; slices.Contains([]string{"sluice", "river", "notifications", "public", "pg_catalog"}, in) || found[i].Full() == "analytics.readers" {
			t.Errorf("%s can be exported", found[i].Full())
		}
		check.ErrorIf(t, found[i].Doc == "" && found[i].Schema != "shop", "%s has no meaning", found[i].Full())
	}
	things := f.relation(f.source, "shop.things")
	got := things.Columns[2]
	check.ErrorIf(t, got.Name != "name" || got.Type != "text", "column %+v, want name of type text", got)
	bills, past := f.relation(f.source, "inventory.bills"), f.relation(f.source, "as_of.inventory_bills")
	check.ErrorIf(t, len(past.Columns) != len(bills.Columns),
		"schema as_of has %d columns of bills, want %d", len(past.Columns), len(bills.Columns))
}

// TestRights: a reader exports what it may read, and no table of another role can be exported.
func TestRights(t *testing.T) {
	t.Parallel()
	roles := warehousetest.OwnRoles(t)
	f := &fixture{T: t}
	check.Must(f, migrations.Migrate(t.Context(), roles.URL, migrations.Options{}))
	f.conn = roles.Superuser
	reader, stranger := "reader_"+roles.Suffix, "stranger_"+roles.Suffix
	for _, sql := range []string{
		`CREATE ROLE ` + reader + ` LOGIN PASSWORD 'secret'`, `CREATE ROLE ` + stranger, `GRANT USAGE, CREATE ON SCHEMA inventory TO ` + stranger,
		`SET ROLE ` + stranger, `CREATE TABLE inventory.theirs (id text PRIMARY KEY)`, `GRANT SELECT ON inventory.theirs TO PUBLIC`, `RESET ROLE`,
		`GRANT USAGE ON SCHEMA analytics TO ` + reader, `GRANT SELECT ON analytics.bills, analytics.catalog TO ` + reader,
		`GRANT SELECT ON inventory.bills TO ` + reader, // without the schema
	} {
		f.exec(sql)
	}
	check.ErrorIf(t, f.relation(f.from(roles.URL), "inventory.theirs") != nil, "a table of another role can be exported")
	address := check.Sure(url.Parse(roles.URL))(f)
	address.User = url.UserPassword(reader, "secret")
	source := f.from(address.String())
	found := check.Sure(source.Relations(t.Context()))(f)
	var names []string
	for i := range found {
		names = append(names, found[i].Full())
	}
	check.FatalIf(t, !slices.Equal(names, []string{"analytics.bills", "analytics.catalog"}), "the reader may export %q", names)
	check.Must(f, source.Within(t.Context(), found, exports.Scope{}, func(s *exports.Snapshot) error {
		return s.Each(t.Context(), &found[0], func([]files.Value) error { return errors.New("a reader without organizations sees a row") })
	}))
}

// all reads a relation, each row as a line of JSON.
func all(ctx context.Context, s *exports.Snapshot, r *exports.Relation) (string, error) {
	columns, err := s.Columns(ctx, r, files.JSONL)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	w, err := files.NewWriter(files.JSONL, &out, columns)
	if err == nil {
		err = s.Each(ctx, r, w.Write)
	}
	return out.String(), err
}

// TestEachType: values of each type, in the order of bytes of the key.
func TestEachType(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.exec(`INSERT INTO shop.things (organization_id, thing_id, name, price, day, at)
		VALUES ('1', 'é', E'two\r\nlines', '0.00000000000000000000000000000000000001', '2026-11-01', '2026-11-01 05:30:00.123456+05:30')`)
	f.exec(`INSERT INTO shop.things VALUES
		('1', 'b', '', true, -32768, 2147483647, -9223372036854775808, '-0.00', 'infinity', 'infinity', '{"b":1.50,"a":[null,"\u0041\n"]}', '\x00ff', ARRAY['x,"y"', NULL], '1 day 2 hours', '{"b" : 1,
			"b": 2}'),
		('1', 'B', 'say "hi", שלום', false, 0, 0, 0, 12345678901234567890123456789012345678, '-infinity', '-infinity', 'null', '', '{}', '0', '1'),
		('1', 'Z', NULL, true, 1, 1, 1, '1e30', '0001-01-01', '9999-12-31 23:59:59.999999+00', '"text"', '\x61', ARRAY['z'], '-1 month', '[ ]')`)
	const head = `"organization_id":"1","thing_id":`
	const isOpen = `"is \"open\""`
	want := `{` + head + `"B","name":"say \"hi\", שלום",` + isOpen + `:false,"small":0,"count":0,"big":0,"price":12345678901234567890123456789012345678,"day":"0001-01-01","at":"0001-01-01T00:00:00.000000Z","open":null,"hash":"","tags":[],"lasts":"PT0S","raw":1}
{` + head + `"Z","name":null,` + isOpen + `:true,"small":1,"count":1,"big":1,"price":1000000000000000000000000000000,"day":"0001-01-01","at":"9999-12-31T23:59:59.999999Z","open":"text","hash":"61","tags":["z"],"lasts":"P-1M","raw":[]}
{` + head + `"b","name":"",` + isOpen + `:true,"small":-32768,"count":2147483647,"big":-9223372036854775808,"price":0.00,"day":"9999-12-31","at":"9999-12-31T23:59:59.999999Z","open":{"a": [null, "A\n"], "b": 1.50},"hash":"00ff","tags":["x,\"y\"", null],"lasts":"P1DT2H","raw":{"b": 2}}
{` + head + `"é","name":"two\r\nlines",` + isOpen + `:null,"small":null,"count":null,"big":null,"price":0.00000000000000000000000000000000000001,"day":"2026-11-01","at":"2026-11-01T00:00:00.123456Z","open":null,"hash":null,"tags":null,"lasts":null,"raw":null}
`
	things := *f.relation(f.source, "shop.things")
	check.Must(f, f.source.Within(t.Context(), []exports.Relation{things}, exports.Scope{}, func(s *exports.Snapshot) error {
		got, err := all(t.Context(), s, &things)
		check.Same(t, "rows", want, got)
		return err
	}))
}

// TestScales: the scale of decimals is one of few, and else that of the values.
func TestScales(t *testing.T) {
	t.Parallel()
	f := open(t)
	for values, want := range map[string]int{
		"NULL::numeric": 10, "1.5": 10, "1.10000000000000000000": 10, "1.12345678901": 18, "1e-19": 26, "1e-27": 27, "1e-40": 38, "'NaN'": 10,
	} {
		f.exec(`CREATE OR REPLACE VIEW shop.scaled AS SELECT '1'::text AS organization_id, (` + values + `)::numeric AS amount`)
		scaled := *f.relation(f.source, "shop.scaled")
		check.Must(f, f.source.Within(t.Context(), []exports.Relation{scaled}, exports.Scope{}, func(s *exports.Snapshot) error {
			columns, err := s.Columns(t.Context(), &scaled, files.Parquet)
			check.ErrorIf(t, err == nil && columns[1] != (files.Column{Name: "amount", Kind: files.Decimal, Scale: want}),
				"%s: %+v, want scale %d", values, columns[1], want)
			return err
		}))
	}
}

// TestOneSnapshot: tables that are written while an export is under way are exported as they were.
// No table can get other columns meanwhile: one that is rewritten would look empty.
func TestOneSnapshot(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.exec(`INSERT INTO shop.things (organization_id, thing_id) VALUES ('1', 'a'), ('2', 'a'); INSERT INTO shop.things_parts VALUES ('1', 'a', 0, 'old'), ('2', 'a', 0, 'old')`)
	things, parts := *f.relation(f.source, "shop.things"), *f.relation(f.source, "shop.things_parts")
	check.Must(f,
		f.source.Within(t.Context(), []exports.Relation{things, parts}, exports.Scope{Organization: "1"}, func(s *exports.Snapshot) error {
			count := 0
			if err := s.Each(t.Context(), &things, func([]files.Value) error { count++; return nil }); err != nil || count != 1 {
				return fmt.Errorf("%d rows of organization 1: %w", count, err)
			}
			f.exec(`INSERT INTO shop.things (organization_id, thing_id) VALUES ('1', 'b'); INSERT INTO shop.things_parts VALUES ('1', 'b', 0, 'new');
			UPDATE shop.things_parts SET part = 'new'`)
			f.exec(`SET lock_timeout = '10ms'`)
			_, err := f.conn.Exec(t.Context(), `ALTER TABLE shop.things_parts ALTER COLUMN _position TYPE bigint`)
			if answer, ok := errors.AsType[*pgconn.PgError](err); !ok || answer.Code != "55P03" { // lock_not_available
				t.Errorf("a table is rewritten while it is exported: %v", err)
			}
			got, err := all(t.Context(), s, &parts)
			want := `{"organization_id":"1","_parent_id":"a","_position":0,"part":"old"}` + "\n"
			check.ErrorIf(t, got != want, "read %q, want %q", got, want)
			return err
		}))
}

// TestTablesAreReadByTheirIndex: a table that is ordered by its key need not be sorted.
func TestTablesAreReadByTheirIndex(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.exec(`SET enable_sort = off; SET enable_seqscan = off`)
	for _, name := range []string{"shop.things", "shop.things_parts", "inventory.bills", "inventory.bills_line_items", "history.versions"} {
		rows := check.Sure(f.conn.Query(t.Context(), "EXPLAIN "+f.relation(f.source, name).Statement()))(f)
		plan := check.Sure(pgx.CollectRows(rows, pgx.RowTo[string]))(f)
		text := strings.Join(plan, "\n")
		check.ErrorIf(t, strings.Contains(text, "Sort") || !strings.Contains(text, "Index Scan"), "%s:\n%s", name, text)
	}
}

// TestAnEndIsAtOnce: rows that are left behind an error of the file are not read.
func TestAnEndIsAtOnce(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.exec(`INSERT INTO shop.things_parts SELECT '1', 'a', g, repeat('x', 1000) FROM generate_series(1, 20000) g`)
	parts, full := *f.relation(f.source, "shop.things_parts"), errors.New("no space left on device")
	err := f.source.Within(t.Context(), []exports.Relation{parts}, exports.Scope{}, func(s *exports.Snapshot) error {
		err := s.Each(t.Context(), &parts, func([]files.Value) error { return full })
		_, ended := s.Instant(t.Context())
		check.ErrorIf(t, ended == nil, "the connection goes on: all rows were read")
		return err
	})
	check.ErrorIf(t, !errors.Is(err, full), "Within = %v", err)
	if _, err := f.source.Relations(t.Context()); err != nil { // on another connection
		t.Error(err)
	}
}

// TestScope: a day and an organization reach the views of schema as_of.
func TestScope(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.exec(`CREATE VIEW as_of.told AS SELECT as_of.day() AS day, as_of.chosen('1') AS one, as_of.chosen('2') AS two`)
	told := *f.relation(f.source, "as_of.told")
	read := func(scope exports.Scope) (string, error) {
		var got string
		err := f.source.Within(t.Context(), []exports.Relation{told}, scope, func(s *exports.Snapshot) error {
			var err error
			got, err = all(t.Context(), s, &told)
			return err
		})
		return got, err
	}
	got, err := read(exports.Scope{Organization: "1", Day: "2026-10-31"})
	check.ErrorIf(t, err != nil || got != `{"day":"2026-10-31","one":true,"two":false}`+"\n", "%q, %v", got, err)
	if _, err := read(exports.Scope{}); err == nil || !strings.Contains(err.Error(), "no day is set") || !strings.Contains(err.Error(), "SET sluice.as_of") {
		t.Errorf("without a day: %v, want the error with its advice", err)
	}
}

func TestMain(m *testing.M) { os.Exit(warehousetest.Run(m)) }

// shop is a service with one table of all types, and its array.
const shop = `
CREATE SCHEMA shop;
CREATE OR REPLACE VIEW sluice.service_schemas AS SELECT name COLLATE "C" AS name FROM unnest('{accounting,billing,chat,custom,inventory,invoicing,shop}'::text[]) AS name;
CREATE TABLE shop.things (
	organization_id text COLLATE "C" NOT NULL, thing_id text COLLATE "C" NOT NULL, name text, "is ""open""" boolean, small smallint, count integer,
	big bigint, price numeric, day date, at timestamptz, open jsonb, hash bytea, tags text[], lasts interval, raw json,
	PRIMARY KEY (thing_id, organization_id));
COMMENT ON TABLE shop.things IS 'One thing for sale.';
COMMENT ON COLUMN shop.things.name IS 'Name of the thing.';
INSERT INTO sluice.columns (schema_name, table_name, column_name, place, kind, class, is_assumed, wire, sentence)
VALUES ('shop', 'things', 'name', 1, 'text', 'company', false, 'thing_name', 'Name of the thing.');
CREATE TABLE shop.things_parts (
	organization_id text COLLATE "C" NOT NULL, _parent_id text COLLATE "C" NOT NULL, _position integer NOT NULL, part text,
	PRIMARY KEY (organization_id, _parent_id, _position));`

func migratedShop(ctx context.Context, url string) error {
	if err := migrations.Migrate(ctx, url, migrations.Options{History: migrations.History{Tables: []string{"inventory.bills"}}}); err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, shop)
	return errors.Join(err, conn.Close(ctx))
}

// fixture is a warehouse with a shop, and a source of exports.
type fixture struct {
	*testing.T
	conn   *pgx.Conn
	source *exports.Source
}

func open(t *testing.T) *fixture {
	t.Helper()
	url := warehousetest.Template(t, "shop", migratedShop)
	f := &fixture{T: t, conn: warehousetest.Connect(t, url)}
	f.source = f.from(url)
	return f
}

func (f *fixture) from(url string) *exports.Source {
	f.Helper()
	source := check.Sure(exports.Open(f.Context(), url, nil))(f)
	f.Cleanup(source.Close)
	return source
}

func (f *fixture) exec(sql string, args ...any) {
	f.Helper()
	check.Must(f, check.Failure(f.conn.Exec(f.Context(), sql, args...)))
}

// relation returns a relation by its name; nil if it cannot be exported.
func (f *fixture) relation(source *exports.Source, name string) *exports.Relation {
	f.Helper()
	found := check.Sure(source.Relations(f.Context()))(f)
	for i := range found {
		if found[i].Full() == name {
			return &found[i]
		}
	}
	return nil
}
