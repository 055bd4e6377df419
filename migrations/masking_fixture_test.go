package migrations_test

import (
	"context"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/connectors"
	"sluice/migrations"
	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/readers"
	"sluice/pipeline/warehouse/warehousetest"
)

// marks matches what the personal columns of readable hold: part of each text, with the name of
// the column, whole numbers, days.
var marks = regexp.MustCompile(`PERSONAL(?: [a-z_.]+)?|9182736450|1901-02-03`)

// readable is a migrated database with a row of two organizations in every copied table, whose
// personal columns hold marks, and a reader of each kind.
type readable struct {
	*testing.T
	url string
	// masked, unmasked and raw are members of the three groups; the first two may see organization
	// a. A stranger is a member of none.
	masked, unmasked, raw, stranger string
}

func newReadable(t *testing.T) *readable {
	t.Helper()
	url := migrated(t)
	script(t, url, `UPDATE sluice.change_log SET timeline = sluice.change_timeline()`) // the log of a copy is not valid
	declares(t, url, connectors.All())
	f := &readable{T: t, url: url}
	pool := check.Sure(pgxpool.New(t.Context(), url))(t)
	defer pool.Close()
	warehousetest.Alone(t, "groups of readers", func() {
		check.Must(t, check.Failure(readers.Apply(t.Context(), pool, readers.Standard())))
	})
	groups := readers.Standard()
	check.Must(t, migrations.Migrate(t.Context(), url, migrations.Options{History: migrations.History{Tables: []string{"inventory.bills"}}}))
	f.masked, f.unmasked, f.raw, f.stranger = f.reader("masked", groups.Masked), f.reader("unmasked", groups.Personal), f.reader("raw", groups.Raw), f.reader("stranger", "")
	for _, role := range []string{f.masked, f.unmasked} {
		check.Must(t, check.Failure(readers.Allow(t.Context(), pool, role, []string{"a"})))
	}
	f.fill()
	return f
}

// reader makes a role, which is dropped with the test.
func (f *readable) reader(name, group string) string {
	f.Helper()
	address := check.Sure(url.Parse(f.url))(f.T)
	role := name + "_" + strings.TrimPrefix(address.Path, "/sluice_test_")
	script(f.T, f.url, "CREATE ROLE "+role)
	f.Cleanup(func() {
		ctx := context.WithoutCancel(f.Context())
		conn := check.Sure(pgx.Connect(ctx, f.url))(f.T)
		defer func() { _ = conn.Close(ctx) }()
		check.Must(f.T, check.Failure(conn.Exec(ctx, "DROP OWNED BY "+role+"; DROP ROLE "+role)))
	})
	if group != "" {
		script(f.T, f.url, "GRANT "+group+" TO "+role)
	}
	return role
}

// as connects as a role. What the server tells the session goes to heard.
func (f *readable) as(role string, heard func(string)) *pgx.Conn {
	f.Helper()
	config := check.Sure(pgx.ParseConfig(f.url))(f.T)
	config.RuntimeParams["role"], config.RuntimeParams["jit"] = role, "off" // compiling takes longer than reading two rows
	config.OnNotice = func(_ *pgconn.PgConn, notice *pgconn.Notice) {
		if heard != nil {
			heard(notice.Message)
		}
	}
	conn := check.Sure(pgx.ConnectConfig(f.Context(), config))(f.T)
	f.Cleanup(func() { _ = conn.Close(context.WithoutCancel(f.Context())) })
	return conn
}

// fill inserts a row of each organization into every copied table, parents first, and the versions,
// raw records and notes about them that the program would have made.
func (f *readable) fill() {
	f.Helper()
	script(f.T, f.url, `INSERT INTO sluice.organizations (organization_id, name, time_zone) VALUES ('a', 'Acme', 'UTC'), ('b', 'Beta', 'UTC')`)
	for _, insert := range list(f.T, f.url, sqlFill) {
		script(f.T, f.url, insert)
	}
	script(f.T, f.url, sqlFillNotes)
	rows := list(f.T, f.url, `SELECT organization_id FROM inventory.bills WHERE row_to_json(bills)::text LIKE '%PERSONAL%'`)
	check.FatalIf(f, len(rows) != 2, "the marks are in bills of %q", rows)
}

// sqlFill writes an INSERT for each copied table. Tables come before those of their arrays, whose
// names begin with theirs. Keys are 1, places 0, and a column that is not declared as plain or as
// the name of a company holds a mark of its kind. A column without a class counts as personal.
const sqlFill = `
SELECT format('INSERT INTO %s (%s) SELECT %s FROM unnest(ARRAY[''a'', ''b'']) AS o (organization)', t.whole,
	string_agg(quote_ident(t.column_name), ', ' ORDER BY t.column_number),
	string_agg(CASE
		WHEN t.column_number = 1 THEN 'o.organization'
		WHEN t.column_name IN ('_deleted_at', '_payload_hash') THEN 'NULL'
		WHEN t.column_name = '_detail_state' THEN '''current'''
		WHEN y.typname = 'bytea' THEN '''\x00'''
		WHEN t.column_name = '_extra' THEN format('jsonb_build_object(''PERSONAL'', ''PERSONAL of %s'')', t.whole)
		WHEN a.attnum = ANY (i.indkey::smallint[]) THEN CASE y.typname WHEN 'text' THEN '''1''' WHEN 'int8' THEN '1' ELSE '0' END
		WHEN c.class IN ('plain', 'company') OR c.class IS NULL THEN CASE y.typname
			WHEN 'text' THEN CASE WHEN t.column_name LIKE '%currency%code%' THEN '''INR''' WHEN c.kind = 'id' THEN '''1''' ELSE '''open''' END
			WHEN 'bool' THEN 'true' WHEN 'jsonb' THEN '''[]''' WHEN 'date' THEN 'current_date' WHEN 'timestamptz' THEN 'now()' ELSE '1' END
		ELSE CASE y.typname
			WHEN 'text' THEN format('''PERSONAL %s.%s@example.org''', t.whole, t.column_name)
			WHEN 'jsonb' THEN format('''["PERSONAL %s", {"value": "PERSONAL"}]''', t.whole)
			WHEN 'bool' THEN 'true' WHEN 'date' THEN '''1901-02-03''' WHEN 'timestamptz' THEN '''1901-02-03Z''' ELSE '9182736450' END
	END, ', ' ORDER BY t.column_number))
FROM sluice.table_columns t
JOIN pg_attribute a ON a.attrelid = t.whole AND a.attnum = t.column_number
JOIN pg_type y ON y.oid = a.atttypid
JOIN pg_index i ON i.indrelid = t.whole AND i.indisprimary
LEFT JOIN sluice.columns c ON (c.schema_name, c.table_name, c.column_name) = (t.schema, t.name, t.column_name)
GROUP BY t.whole, t.schema, t.name ORDER BY t.schema, t.name`

// sqlFillNotes keeps versions, days and raw records, and notes a deletion, a rejected record and a
// told change.
var sqlFillNotes = strings.ReplaceAll(`
DO $$
DECLARE v record;
BEGIN
	FOR v IN SELECT DISTINCT t.whole, t.schema, t.name, i.indkey FROM sluice.table_columns t JOIN pg_index i ON i.indrelid = t.whole AND i.indisprimary
		WHERE t.column_name = '_raw_position' LOOP
		EXECUTE format($f$INSERT INTO history.versions (organization_id, service, resource, record_id, valid_from, upstream_from, began, record, arrays)
			SELECT t.organization_id, %L, %L, '1', now() - interval '2 days', now() - interval '2 days', 'seen', to_jsonb(t), '{}' FROM %s t$f$, v.schema, v.name, v.whole);
		EXECUTE format($f$INSERT INTO history.days (organization_id, service, resource, record_id, day, content, seen_at)
			SELECT t.organization_id, %L, %L, '1', current_date - 1, to_jsonb(t), now() FROM %s t$f$, v.schema, v.name, v.whole);
		EXECUTE format($f$INSERT INTO history.periods (organization_id, service, resource, asked_at, began_at, in_schema, key_column, arrays, versions, daily, time_zone)
			SELECT t.organization_id, %L, %L, now() - interval '3 days', now() - interval '3 days', %L, 'id', '{}', true, '{x}', 'UTC' FROM %s t$f$, v.schema, v.name, v.schema, v.whole);
		EXECUTE format($f$INSERT INTO sluice.streams (organization_id, service, resource, every, enabled, state, next_due_at)
			SELECT t.organization_id, %L, %L, interval '1 hour', true, 'idle', now() FROM %s t ON CONFLICT DO NOTHING$f$, v.schema, v.name, v.whole);
		EXECUTE format($f$INSERT INTO sluice.quarantine (organization_id, service, resource, record_hash, record_id, raw, code, state)
			SELECT t.organization_id, %L, %L, '\x00', '1', '{"name": "MARK"}', 'c', 'open' FROM %s t$f$, v.schema, v.name, v.whole);
		EXECUTE format($f$INSERT INTO sluice.tombstones (organization_id, service, resource, record_id, state, suspected_run_id, suspected_first_call, suspected_last_call,
			suspected_clock, proof, proof_run_id, deleted_at, decided_by)
			SELECT t.organization_id, %L, %L, '2', 'deleted', 1, 1, 1, now(), 'scan', 1, now(), 'person' FROM %s t$f$, v.schema, v.name, v.whole);
		EXECUTE format($f$INSERT INTO sluice.raw_records (call_id, first_position, organization_id, service, resource, records)
			SELECT row_number() OVER () + (SELECT coalesce(max(call_id), 0) FROM sluice.raw_records), 0, t.organization_id, %L, %L, '[{"name": "MARK"}]' FROM %s t$f$, v.schema, v.name, v.whole);
	END LOOP;
	INSERT INTO sluice.changes (organization_id, table_name, op, record_ids) VALUES ('a', 'inventory.bills', 'new', '{1}'), ('b', 'inventory.bills', 'new', '{1}');
	INSERT INTO notifications.events (organization_id, callback_id, module, record_id, operation, told_at)
	SELECT o.organization_id, 1, 'MARK', '1', 'edit', now() FROM sluice.organizations o;
END $$`, "MARK", "PERSONAL")

// objects gives the tables and views of all the program's schemas.
func (f *readable) objects() []string {
	f.Helper()
	return list(f.T, f.url, `SELECT format('%I.%I', n.nspname, c.relname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE c.relkind IN ('r', 'p', 'v') AND NOT c.relispartition AND (n.nspname IN ('sluice', 'river', 'history', 'as_of', 'analytics', 'notifications')
			OR n.nspname IN (SELECT s.name FROM sluice.service_schemas s)) ORDER BY 1`)
}

// answers gives what readers may ask of schema analytics: its views, and its functions with the
// first organization, the base currency, today and now.
func (f *readable) answers() []string {
	f.Helper()
	found := list(f.T, f.url, `SELECT format('analytics.%I', c.relname) FROM pg_class c WHERE c.relnamespace = 'analytics'::regnamespace AND c.relkind = 'v'
		UNION ALL SELECT format('analytics.%I(%s)', p.proname, (SELECT string_agg(CASE u.name
			WHEN 'date' THEN 'current_date' WHEN 'timestamptz' THEN 'now() - interval ''1 hour''' WHEN 'int4' THEN '10'
			WHEN 'text' THEN CASE WHEN p.proargnames[u.place] = 'after' THEN 'regexp_replace(analytics.changes_cursor(), ''[^;]*$'', ''3:3:'')' WHEN p.proargnames[u.place] LIKE '%curr%' THEN '''INR''' ELSE '''a''' END
			ELSE 'NULL' END, ', ' ORDER BY u.place)
			FROM (SELECT y.typname AS name, x.place FROM unnest(p.proargtypes::oid[]) WITH ORDINALITY AS x (type, place) JOIN pg_type y ON y.oid = x.type) AS u))
		FROM pg_proc p WHERE p.pronamespace = 'analytics'::regnamespace AND p.proname NOT IN ('want', 'fresh') ORDER BY 1`)
	check.FatalIf(f, len(found) < 7, "readers may ask only %q", found)
	return found
}

// rows reads all rows of a view, each as one text. A function may answer with one value.
func (f *readable) rows(conn *pgx.Conn, of string) []string {
	f.Helper()
	rows, err := conn.Query(f.Context(), fmt.Sprintf(`SELECT t::text || ' ' || row_to_json(t)::text FROM (SELECT * FROM %s) AS t`, of))
	check.Must(f.T, err)
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	check.FatalIf(f, err != nil, "%s: %v", of, err)
	return found
}
