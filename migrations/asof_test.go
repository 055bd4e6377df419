package migrations_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sluice/migrations"
	"sluice/pipeline/check"
)

// watched switches history on for every table of records, for the organizations in sluice, as
// history.Switch does.
const watched = `
WITH streams AS (
	INSERT INTO sluice.streams (organization_id, service, resource, every, history)
	SELECT o.organization_id, t.schema, t.name, interval '1 hour', true
	FROM sluice.organizations o CROSS JOIN (SELECT DISTINCT schema, name FROM sluice.table_columns WHERE column_name = '_raw_position') AS t
	ON CONFLICT DO NOTHING RETURNING organization_id, service, resource
)
INSERT INTO history.periods (organization_id, service, resource, asked_at, began_at, in_schema, key_column, arrays, versions, daily, time_zone)
SELECT s.organization_id, s.service, s.resource, transaction_timestamp(), now(), s.service,
	(SELECT a.attname FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
		WHERE i.indrelid = format('%I.%I', s.service, s.resource)::regclass AND i.indisprimary AND a.attname <> 'organization_id'),
	ARRAY(SELECT DISTINCT c.name FROM sluice.table_columns c WHERE c.column_name = '_parent_id' AND c.schema = s.service AND starts_with(c.name, s.resource || '_')
		AND s.resource = (SELECT r.name FROM sluice.table_columns r WHERE r.column_name = '_raw_position' AND r.schema = c.schema AND starts_with(c.name, r.name || '_')
			ORDER BY length(r.name) DESC LIMIT 1)),
	true, '{}', coalesce(nullif(o.time_zone, ''), 'UTC')
FROM streams s JOIN sluice.organizations o USING (organization_id) RETURNING 'on'`

// versions brings the versions of all rows in line with them, as each batch does.
const versions = `DO $$
DECLARE
	p record;
	ids text[];
BEGIN
	FOR p IN SELECT * FROM history.periods WHERE ended_at IS NULL LOOP
		EXECUTE format('SELECT array_agg(%I) FROM %I.%I WHERE organization_id = %L', p.key_column, p.in_schema, p.resource, p.organization_id) INTO ids;
		PERFORM history.write_versions(p.organization_id, p.service, p.resource, coalesce(ids, '{}'));
	END LOOP;
END $$`

// aDayPasses makes all that history has a day older.
const aDayPasses = `
UPDATE history.versions SET valid_from = valid_from - interval '1 day', valid_to = valid_to - interval '1 day', upstream_from = upstream_from - interval '1 day',
	upstream_to = upstream_to - interval '1 day';
UPDATE history.periods SET asked_at = asked_at - interval '1 day', began_at = began_at - interval '1 day';
UPDATE invoicing.currencies_history SET _seen_at = _seen_at - interval '1 day';`

// atNoon is a zone in which it is about noon, so that no day ends during a test.
const atNoon = `SELECT format('Etc/GMT%s%s', CASE WHEN h < 12 THEN '-' ELSE '+' END, abs(12 - h)) FROM (SELECT extract(hour FROM now() AT TIME ZONE 'UTC')::integer AS h) AS at`

// TestAsOfEqualsACopyOfThatDay: all tables and views are copied at the end of each of several days,
// between which rows change at random. Later schema as_of gives the same for each day.
func TestAsOfEqualsACopyOfThatDay(t *testing.T) {
	url := parallel(t)
	list(t, url, sqlBooks)
	zone := list(t, url, atNoon)[0]
	list(t, url, `UPDATE sluice.organizations SET time_zone = '`+zone+`' RETURNING 'noon'`)
	list(t, url, watched)
	check.Must(t, migrations.Migrate(t.Context(), url, migrations.Options{}))
	random := rand.New(rand.NewPCG(7, 1))
	const days = 4
	of := list(t, url, present)
	check.FatalIf(t, len(of) < 100, "schema as_of has only %q", of)
	for day := range days {
		var turn strings.Builder
		turn.WriteString(arraysFollow)
		if day > 0 {
			turn.WriteString(aDayPasses + changes(random))
		}
		fmt.Fprintf(&turn, "%s; CREATE SCHEMA day_%d;", versions, day)
		for _, view := range of {
			name, from, _ := strings.Cut(view, " ")
			fmt.Fprintf(&turn, "CREATE TABLE day_%d.%s AS SELECT * FROM %s;", day, name, from)
		}
		script(t, url, turn.String())
	}
	script(t, url, fmt.Sprintf(asOfIsTheCopy, days, zone))
	for _, differs := range list(t, url, `SELECT format('as_of.%s has %s rows, and %s that are others than in the copy of day %s', name, rows, differences, day) FROM compared WHERE differences > 0 ORDER BY name, day`) {
		t.Error(differs)
	}
	seen := list(t, url, `SELECT name FROM compared WHERE rows > 0 GROUP BY name HAVING count(*) = 4`)
	for _, name := range []string{"bills", "inventory_bills", "inventory_bills_line_items", "spend_lines", "organizations", "vendors"} {
		check.ErrorIf(t, !slices.Contains(seen, name), "no rows of %s were compared on each day: %q", name, seen)
	}
	for what, sql := range map[string]string{
		"values":    `SELECT 'moved' FROM day_0.bills a JOIN day_3.bills b USING (organization_id, bill_id) WHERE a.open <> b.open`,
		"deletions": `SELECT 'gone' FROM day_0.bills a WHERE NOT EXISTS (SELECT FROM day_3.bills b WHERE (a.organization_id, a.bill_id) = (b.organization_id, b.bill_id))`,
		"overdue":   `SELECT 'earlier' FROM earlier WHERE days > 0`,
	} {
		check.ErrorIf(t, len(list(t, url, sql)) == 0, "no test of %s", what)
	}
}

// asOfIsTheCopy counts, for each view of schema as_of and each day, its rows and those that it or
// the copy alone has. What says something about the row, and not about the record, is not
// compared; what is counted to today is compared for today, and days overdue for each day. Row
// numbers of lines are those of the present.
const asOfIsTheCopy = `
CREATE TABLE compared (name text, day integer, rows bigint, differences bigint);
CREATE TABLE earlier (days integer);
SET jit = off;
DO $$
DECLARE
	v_name text;
	v_day integer;
	v_columns text;
	v_days constant integer := %[1]d;
	v_left text[];
BEGIN
	FOR v_day IN 0 .. v_days - 1 LOOP
		PERFORM set_config('sluice.as_of', ((now() AT TIME ZONE '%[2]s')::date - (v_days - 1 - v_day))::text, false);
		v_left := history.own_columns() || '{balance_as_of}' || CASE WHEN v_day < v_days - 1 THEN '{today,days_overdue,bucket}'::text[] ELSE '{}' END;
		FOR v_name IN SELECT relname FROM pg_class WHERE relnamespace = 'as_of'::regnamespace AND relname <> 'coverage' AND relkind = 'v' LOOP
			CONTINUE WHEN v_day < v_days - 1 AND v_name IN ('ap_ageing', 'calendar'); -- counted to today in each row
			SELECT string_agg(quote_ident(attname) || '::text', ', ' ORDER BY attnum) INTO v_columns FROM pg_attribute
			WHERE attrelid = format('as_of.%%I', v_name)::regclass AND attnum > 0 AND attname <> ALL (v_left);
			EXECUTE format('CREATE TEMP TABLE then_ AS SELECT %%s FROM as_of.%%I', v_columns, v_name);
			EXECUTE format('CREATE TEMP TABLE copy_ AS SELECT %%s FROM day_%%s.%%I', v_columns, v_day, v_name);
			INSERT INTO compared SELECT v_name, v_day, (SELECT count(*) FROM then_),
				(SELECT count(*) FROM (TABLE then_ EXCEPT ALL TABLE copy_) AS a) + (SELECT count(*) FROM (TABLE copy_ EXCEPT ALL TABLE then_) AS b);
			DROP TABLE then_, copy_;
		END LOOP;
		EXECUTE format('INSERT INTO compared SELECT ''days overdue'', %%s, count(*), count(*) FILTER (WHERE b.days_overdue IS DISTINCT FROM greatest(as_of.day() - c.due_date, 0))
			FROM as_of.bills b JOIN day_%%s.bills c USING (organization_id, bill_id) WHERE c.open > 0 AND c.due_date IS NOT NULL', v_day, v_day);
	END LOOP;
	INSERT INTO earlier SELECT count(*) FROM day_0.bills a WHERE a.days_overdue > 0;
END $$`

// present gives, for each view of schema as_of, the table or view of the present that has its
// columns, without deleted rows.
const present = `
SELECT c.relname || ' ' || coalesce((SELECT DISTINCT t.whole::text || CASE WHEN EXISTS (SELECT FROM sluice.table_columns d WHERE d.whole = t.whole AND d.column_name = '_deleted_at')
		THEN ' WHERE _deleted_at IS NULL' ELSE '' END FROM sluice.table_columns t WHERE t.schema || '_' || t.name = c.relname),
	'analytics.' || c.relname || CASE WHEN EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'is_deleted') THEN ' WHERE is_deleted IS NOT TRUE' ELSE '' END)
FROM pg_class c WHERE c.relnamespace = 'as_of'::regnamespace AND c.relkind = 'v' AND c.relname <> 'coverage' ORDER BY 1`

// answers runs statements, and returns the rows of a query behind them, of the same session;
// instead of rows its error.
func answers(t *testing.T, url, set, query string) []string {
	t.Helper()
	conn := check.Sure(pgx.Connect(t.Context(), url))(t)
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	if _, err := conn.PgConn().Exec(t.Context(), set).ReadAll(); err != nil {
		return []string{err.Error()}
	}
	rows := check.Sure(conn.Query(t.Context(), query))(t)
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return []string{err.Error()}
	}
	return lines
}

// arraysFollow gives elements the tombstone of their record.
const arraysFollow = `UPDATE inventory.bills_line_items l SET _deleted_at = b._deleted_at FROM inventory.bills b
	WHERE b.organization_id = l.organization_id AND b.bill_id = l._parent_id AND l._deleted_at IS DISTINCT FROM b._deleted_at;`

// changes makes a dozen changes of rows at random: values, days, lines, deletions, and new bills.
func changes(random *rand.Rand) string {
	var made []string
	for range 12 {
		bill := fmt.Sprintf(`(organization_id, bill_id) = ('%s', '%d')`, []string{"a", "a", "b"}[random.IntN(3)], 1+random.IntN(12))
		parent := strings.Replace(bill, "bill_id", "_parent_id", 1)
		amount := 1 + random.IntN(500)
		made = append(made, []string{
			fmt.Sprintf(`UPDATE inventory.bills SET balance = %d, status = 'partially_paid' WHERE %s`, amount, bill),
			fmt.Sprintf(`UPDATE inventory.bills SET sub_total = %d, total = NULL, date = date + 40 WHERE %s`, amount, bill),
			fmt.Sprintf(`UPDATE inventory.bills SET _deleted_at = CASE WHEN _deleted_at IS NULL THEN now() END WHERE %s`, bill),
			fmt.Sprintf(`UPDATE inventory.bills SET vendor_name = 'Vendor %d' WHERE %s`, amount, bill),
			fmt.Sprintf(`DELETE FROM inventory.bills_line_items WHERE %s AND _position > 0`, parent),
			fmt.Sprintf(`UPDATE inventory.bills_line_items SET item_total = %d WHERE %s`, amount, parent),
			fmt.Sprintf(`INSERT INTO inventory.bills (organization_id, bill_id, vendor_id, status, date, currency_code, exchange_rate, sub_total, tax_total, balance, _detail_state,
				_content_hash, _call_id, _raw_position, _run_id, _first_seen_at, _changed_at)
				VALUES ('a', 'new%d', 'v9', 'open', '2026-03-01', 'INR', 1, %[1]d, 0, %[1]d, 'current', '\x00', 1, 0, 1, now(), now()) ON CONFLICT DO NOTHING`, amount),
			fmt.Sprintf(`INSERT INTO accounting.vendor_payments (organization_id, payment_id, vendor_id, date, amount, balance, exchange_rate, currency_code, _detail_state,
				_content_hash, _call_id, _raw_position, _run_id, _first_seen_at, _changed_at)
				VALUES ('b', 'p%d', 'v1', '2026-03-02', %d, 5, 1, 'EUR', 'current', '\x00', 1, 0, 1, now(), now()) ON CONFLICT (organization_id, payment_id) DO UPDATE SET amount = excluded.amount`,
				random.IntN(3), amount),
			`UPDATE inventory.organizations SET currency_code = 'USD' WHERE organization_id = 'b'`,
		}[random.IntN(9)])
	}
	return strings.Join(made, ";\n") + ";" + arraysFollow
}

// TestAsOfRefuses what versions cannot answer, with an error that says what to do.
func TestAsOfRefuses(t *testing.T) {
	url := parallel(t)
	list(t, url, sqlBooks)
	list(t, url, `UPDATE sluice.organizations SET time_zone = '`+list(t, url, atNoon)[0]+`' RETURNING 'noon'`)
	list(t, url, watched)
	check.Must(t, migrations.Migrate(t.Context(), url, migrations.Options{}))
	script(t, url, versions)
	list(t, url, `UPDATE history.periods SET began_at = began_at - interval '9 days', asked_at = asked_at - interval '9 days' WHERE organization_id = 'a' RETURNING 'older'`)
	list(t, url, `DELETE FROM history.periods WHERE resource = 'taxes' RETURNING 'never'`)
	before := list(t, url, `SELECT (now() - interval '3 days')::date::text`)[0]
	for set, says := range map[string]string{
		"": "no day is set", "SET sluice.as_of = ''": "no day is set", "SET sluice.as_of = 'yesterday'": `"yesterday", and no day`,
		"SET sluice.as_of = '2026-02-30'": `"2026-02-30", and no day`, "SET sluice.as_of = '2199-01-01'": "the day 2199-01-01 has not begun in organization a",
		"SET sluice.as_of = '" + before + "'":                                        `of organization b were not kept at the end of ` + before,
		"SET sluice.as_of = '2020-01-01'":                                            `of organization a were not kept at the end of 2020-01-01`,
		"SET sluice.as_of = '2020-01-01'; SET sluice.as_of_organizations = 'a, zzz'": `names "zzz", and there is no such organization`,
	} {
		for _, from := range []string{"as_of.bills", "as_of.inventory_bills", "as_of.inventory_bills_line_items", "as_of.ap_ageing", "as_of.accounting_vendor_payments"} {
			if got := answers(t, url, set, `SELECT count(*)::text FROM `+from); len(got) != 1 || !strings.Contains(got[0], says) {
				t.Errorf("%s from %s: %q, want %q", set, from, got, says)
			}
		}
	}
	got := answers(t, url, "SET sluice.as_of = '"+before+"'", `SELECT tax_id FROM as_of.inventory_taxes`)
	check.ErrorIf(t, len(got) != 1 || !strings.Contains(got[0], "of inventory.taxes of organization a were never kept"),
		"a table without versions: %q", got)
	list(t, url, `UPDATE history.versions SET valid_from = valid_from - interval '9 days' WHERE organization_id = 'a' RETURNING 'older'`)
	got = answers(t, url, "SET sluice.as_of = '"+before+"'; SET sluice.as_of_organizations = 'a'", `SELECT DISTINCT organization_id FROM as_of.bills`)
	check.Same(t, "one organization alone", []string{"a"}, got)
}

// TestAsOfEndsDaysByZone: a day ends at midnight of each organization, whatever the zone of the
// session is.
func TestAsOfEndsDaysByZone(t *testing.T) {
	url := parallel(t)
	list(t, url, sqlBooks)
	list(t, url, `UPDATE sluice.organizations SET time_zone = CASE organization_id WHEN 'a' THEN 'Asia/Kolkata' ELSE 'America/New_York' END RETURNING 'zone'`)
	list(t, url, watched)
	check.Must(t, migrations.Migrate(t.Context(), url, migrations.Options{}))
	script(t, url, versions)
	// All bills were deleted when the day was over in Kolkata, and not in New York.
	list(t, url, `UPDATE history.versions SET valid_from = '2026-03-01' RETURNING 'since'`)
	list(t, url, `UPDATE history.periods SET began_at = '2026-03-01', asked_at = '2026-03-01' RETURNING 'since'`)
	list(t, url, `UPDATE history.versions SET valid_to = '2026-03-05 20:00+00', ended = 'deleted' WHERE service = 'inventory' AND resource = 'bills' RETURNING 'until'`)
	got := answers(t, url, "SET timezone = 'UTC'; SET sluice.as_of = '2026-03-05'", `SELECT DISTINCT organization_id || ' ' || at::text FROM as_of.coverage
		UNION SELECT DISTINCT organization_id || ' has bills' FROM as_of.bills ORDER BY 1`)
	want := []string{"a 2026-03-05 18:30:00+00", "a has bills", "b 2026-03-06 05:00:00+00"}
	check.Same(t, "the day of each organization", want, got)
}

// TestAsOfReadsNothingPresent: no view of a day reads a table of today, another clock than the day,
// or a view that is counted to today.
func TestAsOfReadsNothingPresent(t *testing.T) {
	url := parallel(t)
	check.Must(t, migrations.Migrate(t.Context(), url, migrations.Options{History: all(t, url)}))
	// The name, the zone and the services of an organization have no versions.
	allowed := []string{"sluice.organizations", "sluice.streams", "sluice.viewer", "sluice.visible_organizations"}
	for _, read := range list(t, url, `SELECT DISTINCT v.relname || ' ' || d.refobjid::regclass::text FROM pg_depend d JOIN pg_rewrite r ON r.oid = d.objid JOIN pg_class v ON v.oid = r.ev_class
		JOIN pg_class c ON c.oid = d.refobjid WHERE d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_class'::regclass AND v.relnamespace = 'as_of'::regnamespace
		AND c.relnamespace <> 'as_of'::regnamespace AND d.deptype = 'n' AND EXISTS (SELECT FROM sluice.views s WHERE s.name = v.relname) ORDER BY 1`) {
		_, table, _ := strings.Cut(read, " ")
		check.ErrorIf(t, !slices.Contains(allowed, table), "as_of view reads the present: %s", read)
	}
	clock := regexp.MustCompile(`clock_timestamp|\bnow\(|current_date|current_timestamp|localtime`)
	for _, text := range list(t, url, `SELECT c.relname || ' ' || pg_get_viewdef(c.oid) FROM pg_class c WHERE relnamespace = 'as_of'::regnamespace AND relname <> 'coverage'
		UNION ALL SELECT p.proname || ' ' || pg_get_functiondef(p.oid) FROM pg_proc p JOIN sluice.views s ON s.name = p.proname WHERE pronamespace = 'as_of'::regnamespace`) {
		name, body, _ := strings.Cut(text, " ")
		check.ErrorIf(t, clock.MatchString(body), "as_of.%s asks a clock", name)
	}
	views := check.Sure(migrations.Views())(t)
	missing := []string{}
	for i := range views {
		if len(views[i].Needs) == 0 && list(t, url, `SELECT (to_regclass('as_of.`+views[i].Name+`') IS NULL)::text`)[0] == "true" {
			missing = append(missing, views[i].Name)
		}
	}
	want := []string{"after_close", "balance_days", "bill_versions", "catalog", "change_rows", "chat_weeks", "closings", "deleted", "freshness", "past_periods", "price_changes", "quality", "stock_days"}
	slices.Sort(missing)
	check.Same(t, "views of the present alone", want, missing)
}
