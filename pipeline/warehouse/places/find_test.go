package places_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline/check"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/places"
	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/warehousetest"
)

// lists are the declared lists of the tests.
var lists = []places.List{
	{Service: "accounting", Schema: "accounting", Name: "contact_persons", Key: "contact_person_id"},
	{Service: "accounting", Schema: "accounting", Name: "expenses", Key: "expense_id"},
	{Service: "inventory", Schema: "custom", Name: "pets", Key: "pet_id"},
}

const own = "_content_hash, _call_id, _raw_position, _run_id, _first_seen_at, _changed_at"

// planted has a person in every family, in several spellings, and others beside her.
const planted = `
INSERT INTO accounting.contact_persons (organization_id, contact_person_id, first_name, email, _extra, ` + own + `) VALUES
	('acme', '1', 'Anna', 'Anna.Pavlova@Example.com', '{"note": "ask ANNA.PAVLOVA@EXAMPLE.COM \"soon\""}', '\x00', 1, 0, 1, now(), clock_timestamp()),
	('acme', '2', 'Anna', 'anna.other@example.com', NULL, '\x00', 1, 1, 1, now(), clock_timestamp()),
	('beta', '3', NULL, 'anna.pavlova@example.com', NULL, '\x00', 1, 2, 1, now(), clock_timestamp());
INSERT INTO accounting.contact_persons_contactperson_custom_fields (organization_id, _parent_id, _position, value) VALUES
	('acme', '1', 0, '["x", {"anna.pavlova@example.com": 1}]'), ('acme', '2', 0, '"other"');
INSERT INTO accounting.expenses (organization_id, expense_id, ` + own + `) VALUES ('acme', '77', '\x00', 1, 0, 1, now(), clock_timestamp());
INSERT INTO accounting.expenses_line_items (organization_id, _parent_id, _position) VALUES ('acme', '77', 0);
INSERT INTO accounting.expenses_line_items_tags (organization_id, _parent_id, _parent_position, _position, tag_name) VALUES
	('acme', '77', 0, 0, 'to: anna.pavlova@example.com');
CREATE SCHEMA custom;
CREATE TABLE custom.pets (organization_id text NOT NULL, pet_id text, names text[], PRIMARY KEY (organization_id, pet_id));
INSERT INTO custom.pets VALUES ('acme', 'rex', '{Rex,"of \"anna.pavlova@example.com\""}'), ('acme', 'tom', '{anna.pavlova,example.com}');
INSERT INTO sluice.quarantine (organization_id, service, resource, record_hash, record_id, raw, code, state) VALUES
	('acme', 'accounting', 'contact_persons', '\x01', '9', convert_to('{"email":"\u0061nna.pavlova@example.com"}', 'UTF8'), 'type', 'open'),
	('acme', 'accounting', 'contact_persons', '\x02', '1', convert_to('{"email":"anna.pavlova@example.com"', 'UTF8'), 'type', 'retried'),
	('acme', 'accounting', 'contact_persons', '\x03', '8', convert_to('{"email":"anna.other@example.com"}', 'UTF8'), 'type', 'open');
INSERT INTO sluice.raw_records (call_id, first_position, organization_id, service, resource, records) VALUES
	(1, 0, 'acme', 'accounting', 'contact_persons', E'[\n{"contact_person_id":"1","email":"anna\\u002epavlova@example.com"},\n{"contact_person_id":"2"},\n{"contact_person_id":4,"a":"Anna.Pavlova@example.com"}\n]'),
	(2, 0, 'acme', 'accounting', 'contact_persons', '[{"contact_person_id":"5","email":"anna.other@example.com"}]'),
	(3, 0, 'acme', 'inventory', 'pets', '[{"pet_id":"rex","names":["anna.pavlova@example.com"]}]');
INSERT INTO history.versions (organization_id, service, resource, record_id, valid_from, upstream_from, began, record, arrays) VALUES
	('acme', 'accounting', 'contact_persons', '1', now(), clock_timestamp(), 'seen', '{"email": "anna.pavlova@example.com"}', '{"x": [{"mail": "anna.pavlova@example.com"}]}'),
	('acme', 'accounting', 'contact_persons', '2', now(), clock_timestamp(), 'seen', '{"email": "anna.other@example.com"}', '{}');
INSERT INTO history.days (organization_id, service, resource, record_id, day, content, seen_at) VALUES
	('beta', 'accounting', 'contact_persons', '3', '2026-11-01', '{"email": "anna.pavlova@example.com"}', now());
INSERT INTO sluice.drift (organization_id, service, resource, path, kind, seen) VALUES ('acme', 'accounting', 'contact_persons', 'anna.pavlova@example.com', 'string', 1);
INSERT INTO sluice.changes (organization_id, table_name, op, record_ids, details) VALUES
	('acme', 'accounting.contact_persons', 'changed', '{anna.pavlova@example.com}', NULL), ('acme', 'accounting.expenses', 'changed', '{77}', '{"by": "anna.pavlova@example.com"}');
INSERT INTO sluice.callbacks (organization_id, dialect, digest, received_at, repeated_at, module, operation, ids, bytes, body) VALUES
	('acme', 'watch', '\x00', now(), clock_timestamp(), 'Contacts', 'update', '{1}', 1, '{"payload":"{\"mail\":\"anna\\u002epavlova@example.com\"}"}');
INSERT INTO notifications.events (organization_id, callback_id, module, record_id, operation, told_at) VALUES
	('acme', 1, 'Contacts', 'anna.pavlova@example.com', 'update', now());
INSERT INTO sluice.calls (id, organization_id, service, resource, class, shared, method, path, reserved_at, lease_until, free_at, detail) VALUES
	(1, 'acme', 'accounting', 'contact_persons', 'incremental', 'x', 'GET', '/contacts', now(), clock_timestamp(), now(), 'no such contact: anna.pavlova@example.com');
INSERT INTO sluice.runs (organization_id, service, resource, class, gen, note) VALUES ('acme', 'accounting', 'contact_persons', 'incremental', 1, 'Anna.Pavlova@example.com?');
INSERT INTO sluice.closings (organization_id, period, first_day, last_day, time_zone, lacks) VALUES ('acme', '2026-10', '2026-10-01', '2026-10-31', 'UTC', '{"anna.pavlova@example.com"}');
INSERT INTO sluice.actions (actor, action, target, before, outcome) VALUES ('anna.pavlova@example.com', 'a', 'b', '{"x": "anna.pavlova@example.com"}', 'done');
INSERT INTO river.river_job (kind, queue, max_attempts, args, errors) VALUES ('a', 'a', 1, '{}', ARRAY['{"error": "anna.pavlova@example.com"}'::jsonb]);
CREATE TABLE sluice.letters (said varchar);
INSERT INTO sluice.letters VALUES ('Dear anna.pavlova@example.com,'), ('Dear all,')`

// wanted are the places of planted, counted by hand.
func wanted() []places.Place {
	return []places.Place{
		{Family: places.Rows, Table: "accounting.contact_persons", Column: "_extra", Count: 1},
		{Family: places.Rows, Table: "accounting.contact_persons", Column: "email", Count: 2},
		{Family: places.Rows, Table: "custom.pets", Column: "names", Count: 1},
		{Family: places.Arrays, Table: "accounting.contact_persons_contactperson_custom_fields", Column: "value", Count: 1},
		{Family: places.Arrays, Table: "accounting.expenses_line_items_tags", Column: "tag_name", Count: 1},
		{Family: places.Quarantine, Table: "sluice.quarantine", Column: "raw", State: "open", Count: 1},
		{Family: places.Quarantine, Table: "sluice.quarantine", Column: "raw", State: "retried", Count: 1},
		{Family: places.RawRecords, Table: "sluice.raw_records", Column: "records", Count: 3, Archives: 2},
		{Family: places.Versions, Table: "history.versions", Column: "arrays", Count: 1},
		{Family: places.Versions, Table: "history.versions", Column: "record", Count: 1},
		{Family: places.Days, Table: "history.days", Column: "content", Count: 1},
		{Family: places.Notes, Table: "notifications.events", Column: "record_id", Count: 1},
		{Family: places.Notes, Table: "river.river_job", Column: "errors", Count: 1},
		{Family: places.Notes, Table: "sluice.actions", Column: "actor", Count: 1},
		{Family: places.Notes, Table: "sluice.actions", Column: "before", Count: 1},
		{Family: places.Notes, Table: "sluice.callbacks", Column: "body", Count: 1},
		{Family: places.Notes, Table: "sluice.calls", Column: "detail", Count: 1},
		{Family: places.Notes, Table: "sluice.changes", Column: "details", Count: 1},
		{Family: places.Notes, Table: "sluice.changes", Column: "record_ids", Count: 1},
		{Family: places.Notes, Table: "sluice.closings", Column: "lacks", Count: 1},
		{Family: places.Notes, Table: "sluice.drift", Column: "path", Count: 1},
		{Family: places.Notes, Table: "sluice.letters", Column: "said", Count: 1},
		{Family: places.Notes, Table: "sluice.runs", Column: "note", Count: 1},
	}
}

// open gives a migrated warehouse in which sql was executed.
func open(tb testing.TB, sql string) (*warehouse.DB, string) {
	tb.Helper()
	url := warehousetest.Migrated(tb)
	check.Must(tb, check.Failure(warehousetest.Connect(tb, url).Exec(tb.Context(), sql)))
	db := check.Sure(warehouse.Open(tb.Context(), url, warehouse.Options{}))(tb)
	tb.Cleanup(db.Close)
	return db, url
}

func find(t *testing.T, db *warehouse.DB, q places.Query) places.Found {
	t.Helper()
	q.Needle, q.Lists = needle(t, "anna.pavlova@example.com"), lists
	if q.Limit == 0 {
		q.Limit = 20
	}
	return check.Sure(places.Find(t.Context(), db.Pool(), q))(t)
}

func TestEveryPlaceIsFound(t *testing.T) {
	t.Parallel()
	db, _ := open(t, planted)
	told := 0
	found := find(t, db, places.Query{Progress: func(done, all int, table string) {
		check.ErrorIf(t, done != told || table == "" || all <= done, "%d of %d at %q, want %d", done, all, table, told)
		told++
	}})
	check.Same(t, "found", wanted(), found.Places)
	const contacts, expenses = "accounting.contact_persons", "accounting.expenses"
	if diff := cmp.Diff([]places.Record{
		{Organization: "acme", Resource: contacts, ID: "1", In: []places.Family{places.Rows, places.Arrays, places.Quarantine, places.RawRecords, places.Versions}},
		{Organization: "acme", Resource: contacts, ID: "4", In: []places.Family{places.RawRecords}},
		{Organization: "acme", Resource: contacts, ID: "9", In: []places.Family{places.Quarantine}},
		{Organization: "beta", Resource: contacts, ID: "3", In: []places.Family{places.Rows, places.Days}},
		{Organization: "acme", Resource: expenses, ID: "77", In: []places.Family{places.Arrays}},
		{Organization: "acme", Resource: "inventory.pets", ID: "rex", In: []places.Family{places.Rows, places.RawRecords}},
	}, found.Records); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	check.ErrorIf(t, found.Tables != told || found.LeftOut != 0 || len(found.More) != 0,
		"%d tables searched, %d left out, %d announced, %d more", found.Tables, found.LeftOut, told, len(found.More))
}

func TestOneOrganizationOrList(t *testing.T) {
	t.Parallel()
	db, _ := open(t, planted)
	found := find(t, db, places.Query{Organization: "beta"})
	diff := cmp.Diff([]places.Place{
		{Family: places.Rows, Table: "accounting.contact_persons", Column: "email", Count: 1},
		{Family: places.Days, Table: "history.days", Column: "content", Count: 1},
	}, found.Places)
	check.ErrorIf(t, diff != "" || found.LeftOut == 0, "%d left out (-want +got):\n%s", found.LeftOut, diff)
	found = find(t, db, places.Query{List: &lists[2]})
	diff = cmp.Diff([]places.Place{
		{Family: places.Rows, Table: "custom.pets", Column: "names", Count: 1},
		{Family: places.RawRecords, Table: "sluice.raw_records", Column: "records", Count: 1, Archives: 1},
	}, found.Places)
	check.ErrorIf(t, diff != "" || found.LeftOut == 0, "%d left out (-want +got):\n%s", found.LeftOut, diff)
	found = find(t, db, places.Query{List: &lists[1]})
	diff = cmp.Diff([]places.Place{
		{Family: places.Arrays, Table: "accounting.expenses_line_items_tags", Column: "tag_name", Count: 1},
		{Family: places.Notes, Table: "sluice.changes", Column: "details", Count: 1},
	}, found.Places)
	check.ErrorIf(t, diff != "", "(-want +got):\n%s", diff)
}

// Each list of records is bounded and the same each time; counts are of all.
func TestManyPlaces(t *testing.T) {
	t.Parallel()
	db, _ := open(t, `INSERT INTO accounting.contact_persons (organization_id, contact_person_id, email, `+own+`)
		SELECT 'acme', lpad(g::text, 6, '0'), 'anna.pavlova@example.com', '\x00', 1, g, 1, now(), clock_timestamp() FROM generate_series(100000, 1, -1) g;
		INSERT INTO sluice.quarantine (organization_id, service, resource, record_hash, record_id, raw, code)
		SELECT 'acme', 'accounting', 'contact_persons', g::text::bytea, lpad(g::text, 6, '0'), 'anna.pavlova@example.com', 'type' FROM generate_series(2, 200000, 2) g`)
	found := find(t, db, places.Query{Limit: 3})
	diff := cmp.Diff([]places.Place{
		{Family: places.Rows, Table: "accounting.contact_persons", Column: "email", Count: 100000},
		{Family: places.Quarantine, Table: "sluice.quarantine", Column: "raw", State: "open", Count: 100000},
	}, found.Places)
	check.ErrorIf(t, diff != "", "(-want +got):\n%s", diff)
	const contacts = "accounting.contact_persons"
	both := []places.Family{places.Rows, places.Quarantine}
	if diff := cmp.Diff([]places.Record{
		{Organization: "acme", Resource: contacts, ID: "000001", In: both[:1]}, {Organization: "acme", Resource: contacts, ID: "000002", In: both},
		{Organization: "acme", Resource: contacts, ID: "000003", In: both[:1]},
	}, found.Records); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	check.Same(t, "more", []places.MoreRecords{{Organization: "acme", Resource: contacts}}, found.More)
}

// Tables of other roles are not read, wherever they are, and nothing of theirs is executed.
func TestObjectsOfOthersAreLeftAlone(t *testing.T) {
	t.Parallel()
	db, url := open(t, planted)
	before := find(t, db, places.Query{})
	strangers := warehousetest.Plant(t, url)
	conn := warehousetest.Connect(t, url)
	if _, err := conn.Exec(t.Context(), fmt.Sprintf(`SET ROLE %[1]s; CREATE TABLE inventory.addresses (organization_id text, email text);
		INSERT INTO inventory.addresses VALUES ('acme', 'anna.pavlova@example.com'); RESET ROLE`, strangers.Role)); err != nil {
		t.Fatal(err)
	}
	after := find(t, db, places.Query{})
	check.Same(t, "found after others made objects", before, after)
	strangers.Loot()
}

// A column of each type is filled with SQL expressions. Rows is in how many the text stands.
var columns = []struct {
	typ    string
	values []string
	needle string
	rows   int64
}{
	{"text", []string{`'Frau Müller'`, `'FRAU MÜLLER'`, `'Muller'`, `NULL`, `'{"a":"M\u00fcller"}'`, `'M%ller'`}, "Müller", 3},
	{"text", []string{`'50%_ off'`, `'500 off'`}, "50%_", 1},
	{"varchar", []string{`'a\b'`, `'ab'`}, `A\B`, 1},
	{"name", []string{`'anna'`, `'ann'`}, "ANNA", 1},
	{"json", []string{`'{"a":"\u0061nna"}'`, `'{"anna":1}'`, `'{"a":"ann","b":"a"}'`}, "Anna", 2},
	{"jsonb", []string{`'{"a":"\u0041nna"}'`, `'{"ANNA":1}'`, `'{"a":{"b":["say anna"]}}'`, `'{"a":null}'`}, "anna", 3},
	{"jsonb", []string{`'{"a":"say \"hi\""}'`, `'["hi"]'`}, `say "hi"`, 1},
	{"jsonb", []string{`'["two\nlines"]'`, `'["two","lines"]'`}, "two\nlines", 1},
	{"jsonb", []string{`'["two","lines"]'`, `'[null]'`}, `", "`, 0},
	{"jsonb", []string{`'[null,"nul"]'`, `'["null"]'`}, `null`, 1},
	{"bytea", []string{`convert_to('Frau Müller', 'UTF8')`, `convert_to('{"a":"M\u00DCLLER"}', 'UTF8')`, `'\x00ff'`}, "müller", 2},
	{"bytea", []string{`convert_to('{"a":"https:\/\/a.example"}', 'UTF8')`}, "https://a.example", 1},
	{"bytea", []string{`convert_to('cut off: {"a":"anna', 'UTF8')`, `'\xfe' || convert_to('ANNA', 'UTF8')`}, "anna", 2},
	{"text[]", []string{`ARRAY['x', 'say "Anna"']`, `ARRAY['an', 'na']`, `'{}'`, `ARRAY['a\b', 'anna']`}, "anna", 2},
	{"text[]", []string{`ARRAY['x', 'say "Anna"']`, `ARRAY['say', 'Anna']`}, `say "anna"`, 1},
	{"jsonb[]", []string{`ARRAY['{"a":"\u0041nna"}'::jsonb]`, `ARRAY['{"a":"say \"anna\""}'::jsonb]`, `ARRAY['1'::jsonb]`}, "anna", 2},
	{"xml", []string{`'<a>Anna</a>'::xml`, `'<a/>'::xml`}, "anna", 1},
}

// A text is found whatever the type of its column.
func TestEachType(t *testing.T) {
	t.Parallel()
	db, url := open(t, planted)
	conn := warehousetest.Connect(t, url)
	for _, c := range columns {
		sql := "DROP TABLE sluice.letters; CREATE TABLE sluice.letters (other text DEFAULT 'other', c " + c.typ + ")"
		for _, value := range c.values {
			sql += "; INSERT INTO sluice.letters (c) VALUES (" + value + ")"
		}
		_, err := conn.Exec(t.Context(), sql)
		check.FatalIf(t, err != nil, "%s: %v", c.typ, err)
		found := check.Sure(places.Find(t.Context(), db.Pool(), places.Query{Needle: needle(t, c.needle)}))(t)
		rows := int64(0)
		for _, place := range found.Places {
			if place.Table == "sluice.letters" && place.Column == "c" {
				rows = place.Count
			}
		}
		check.ErrorIf(t, rows != c.rows, "%s %q: %q stands in %d rows, want %d", c.typ, c.values, c.needle, rows, c.rows)
	}
}

// A column of a type that can hold a text and is not searched would be a place that is never found.
func TestAllTypesOfTheWarehouseAreKnown(t *testing.T) {
	t.Parallel()
	db, _ := open(t, planted)
	known := strings.Fields(`text varchar bpchar name xml json jsonb bytea _text _varchar _bpchar _name _xml _json _jsonb
		bool int2 int4 int8 float8 numeric date timestamp timestamptz interval oid xid8 pg_snapshot
		_timestamptz _int8 _int4 _date _bool _float8 river_job_state bit`)
	rows, err := db.Pool().Query(t.Context(), `
SELECT t.oid::regclass::text || '.' || a.attname || ' ' || y.typname FROM pg_catalog.pg_class t JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
JOIN pg_catalog.pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 JOIN pg_catalog.pg_type y ON y.oid = a.atttypid
WHERE t.relkind IN ('r', 'p', 'm') AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast') AND y.typname <> ALL ($1)`, known)
	check.Must(t, err)
	defer rows.Close()
	for rows.Next() {
		var column string
		check.Must(t, rows.Scan(&column))
		t.Errorf("%s: can the type hold a text?", column)
	}
	if rows.Err() != nil {
		t.Fatal(rows.Err())
	}
}

// A search that fails says which table it was at, and not for what it searched.
func TestFailedSearches(t *testing.T) {
	t.Parallel()
	db, url := open(t, planted)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := places.Find(ctx, db.Pool(), places.Query{
		Needle: needle(t, "anna.pavlova@example.com"), Progress: func(done, _ int, _ string) {
			if done == 3 {
				cancel()
			}
		},
	})
	check.ErrorIf(t, !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "pavlova"), "canceled: %v", err)
	found := find(t, db, places.Query{})
	check.ErrorIf(t, len(found.Places) != len(wanted()),
		"found in %d places behind a canceled search, want %d", len(found.Places), len(wanted()))
	conn := warehousetest.Connect(t, url)
	strangers := warehousetest.Plant(t, url)
	check.Must(t, check.Failure(conn.Exec(t.Context(), "SELECT sluice.grant_worker($1); ", strangers.Role)))
	config := check.Sure(pgxpool.ParseConfig(url))(t)
	config.PrepareConn = func(ctx context.Context, c *pgx.Conn) (bool, error) {
		_, err := c.Exec(ctx, "SET ROLE "+strangers.Role)
		return true, err
	}
	postgres.SetUp(config.ConnConfig, nil)
	pool := check.Sure(pgxpool.NewWithConfig(t.Context(), config))(t)
	t.Cleanup(pool.Close)
	query := places.Query{Needle: needle(t, "anna.pavlova@example.com")}
	found, err = places.Find(t.Context(), pool, query)
	check.ErrorIf(t, err != nil || len(found.Places) != len(wanted()), "as a worker: found in %d places: %v", len(found.Places), err)
	check.Must(t, check.Failure(conn.Exec(t.Context(), "REVOKE SELECT ON sluice.runs FROM "+strangers.Role)))
	_, err = places.Find(t.Context(), pool, query)
	check.ErrorIf(t, !errors.Is(err, places.ErrRights) || !strings.Contains(err.Error(), "sluice.runs"), "without a right: %v", err)
}
