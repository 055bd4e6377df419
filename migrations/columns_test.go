package migrations_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/connectors"
	"sluice/migrations"
	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/warehousetest"
	"sluice/schema"
	"sluice/schema/schematest"
)

// declares writes the declarations into a database and returns how many rows that changed.
func declares(t *testing.T, url string, services []schema.Service) int {
	t.Helper()
	return check.Sure(migrations.Declare(t.Context(), url, services))(t)
}

// TestColumnsAreThoseOfTheDeclarations: sluice.columns has every column of every copied table that
// upstream or the engine gives a value, and is written only when it differs.
func TestColumnsAreThoseOfTheDeclarations(t *testing.T) {
	url := parallel(t)
	const inDatabase = `SELECT concat_ws('.', n.nspname, c.relname, a.attname)
		FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname IN (SELECT name FROM sluice.service_schemas) AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
			AND a.attname NOT LIKE '\_%' AND NOT (a.attname = 'organization_id' AND a.attnum = 1)
		ORDER BY 1`
	want := list(t, url, inDatabase)
	check.FatalIf(t, len(want) < 400, "the copied tables have %d columns only", len(want))
	services := connectors.All()
	changed := declares(t, url, services)
	check.ErrorIf(t, changed != len(want), "%d rows were written, the tables have %d columns", changed, len(want))
	check.Same(t, "columns", want, list(t, url, `SELECT concat_ws('.', schema_name, table_name, column_name) FROM sluice.columns ORDER BY 1`))
	for what, ask := range map[string]string{
		"a column without a sentence":      `SELECT column_name FROM sluice.columns WHERE sentence = ''`,
		"a column without a known kind":    `SELECT column_name FROM sluice.columns WHERE kind NOT IN ('id', 'text', 'bool', 'int', 'decimal', 'date', 'time', 'json')`,
		"a kind of another type than told": `SELECT c.column_name FROM sluice.columns c JOIN information_schema.columns i ON (i.table_schema, i.table_name, i.column_name) = (c.schema_name, c.table_name, c.column_name) WHERE i.data_type <> CASE c.kind WHEN 'id' THEN 'text' WHEN 'text' THEN 'text' WHEN 'bool' THEN 'boolean' WHEN 'int' THEN 'bigint' WHEN 'decimal' THEN 'numeric' WHEN 'date' THEN 'date' WHEN 'time' THEN 'timestamp with time zone' ELSE 'jsonb' END`,
		"two columns at one place":         `SELECT min(column_name) FROM sluice.columns GROUP BY schema_name, table_name, place HAVING count(*) > 1`,
	} {
		check.Empty(t, what, list(t, url, ask))
	}
	check.Same(t, "rows were written again", 0, declares(t, url, services))
	list(t, url, `WITH moved AS (UPDATE sluice.columns SET class = 'plain' WHERE (schema_name, table_name, column_name) = ('inventory', 'bills', 'notes') RETURNING 1),
		gone AS (DELETE FROM sluice.columns WHERE (schema_name, table_name, column_name) = ('inventory', 'bills', 'status') RETURNING 1),
		strange AS (INSERT INTO sluice.columns VALUES ('inventory', 'bills', 'strange', 900, 'text', 'plain', false, 'strange', 'Not declared.') RETURNING 1)
		SELECT 'spoiled'`)
	check.Same(t, "rows were mended", 3, declares(t, url, services))
	// What is declared and not in the database is not in it: the plan of a declared list may still
	// wait to be accepted.
	check.Same(t, "rows of tables that do not exist were written", 0, declares(t, url, append(connectors.All(), schematest.Shop())))
}

// Upstream merges and drops records, and records that refer to others may come before or without
// them. So a row of a service refers by a foreign key to its own parent row only.
func TestNoForeignKeyFollowsUpstreamsIdentifiers(t *testing.T) {
	t.Parallel()
	url := warehousetest.New(t)
	check.Must(t, migrations.Migrate(t.Context(), url, migrations.Options{}))
	const (
		services = `('accounting', 'invoicing', 'billing', 'inventory', 'chat', 'notifications', 'custom')`
		keys     = `FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
			JOIN pg_class p ON p.oid = k.confrelid WHERE k.contype = 'f' AND n.nspname IN ` + services
		columns = `(SELECT array_agg(a.attname::text ORDER BY at) FROM unnest(k.conkey) WITH ORDINALITY AS w (number, at)
			JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = number)`
	)
	got := list(t, url, `SELECT c.relname || ' leads to ' || p.relname `+keys+` AND NOT (p.relnamespace = c.relnamespace
			AND starts_with(c.relname, p.relname || '_') AND `+columns+`[1:2] = ARRAY['organization_id', '_parent_id'])`)
	check.ErrorIf(t, len(got) > 0, "foreign keys that follow upstream's identifiers: %q", got)
	check.ErrorIf(t, len(list(t, url, `SELECT c.relname::text `+keys)) == 0, "there are no foreign keys at all: nothing was looked at")
}

// TestPagesOfListsKeepRoom: every list without single records has free room on its pages. Tables
// with an index that each update changes, and tables of elements, have none.
func TestPagesOfListsKeepRoom(t *testing.T) {
	url := parallel(t)
	const roomy = `SELECT c.oid::regclass::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname IN (SELECT name FROM sluice.service_schemas) AND c.relkind = 'r' AND `
	want := list(t, url, roomy+`EXISTS (SELECT FROM pg_attribute WHERE attrelid = c.oid AND attname = '_content_hash')
		AND (SELECT count(*) FROM pg_index WHERE indrelid = c.oid AND NOT indisprimary) = 0 ORDER BY 1`)
	diff := cmp.Diff(want, list(t, url, roomy+`'fillfactor=90' = ANY(c.reloptions) ORDER BY 1`))
	check.ErrorIf(t, diff != "" || len(want) < 16, "of %d lists (-want +got):\n%s", len(want), diff)
}

// TestFunctionsSeeNoOthersSchema: a function that looks for names in other schemas executes another
// role's objects there, with the rights of its caller. So each function has a pinned search path,
// or its body was parsed when it was created and looks up no name later. The functions of the
// second kind are inlined into their callers; they are those of schema analytics, and listed here.
func TestFunctionsSeeNoOthersSchema(t *testing.T) {
	url := parallel(t)
	check.Must(t, migrations.Migrate(t.Context(), url, migrations.Options{History: all(t, url)}))
	const open = `SELECT oid::regprocedure::text FROM pg_proc WHERE pronamespace::regnamespace::text IN ('sluice', 'history', 'as_of', 'analytics', 'notifications')
		AND prosqlbody IS NULL AND coalesce(NOT 'search_path=pg_catalog, pg_temp' = ANY (proconfig), true) ORDER BY 1`
	check.Same(t, "functions without SET search_path = pg_catalog, pg_temp", []string{}, list(t, url, open))
	const parsed = `SELECT oid::regprocedure::text FROM pg_proc WHERE pronamespace::regnamespace::text IN ('sluice', 'history', 'notifications') AND prosqlbody IS NOT NULL ORDER BY 1`
	inlined := []string{"sluice.last_reset(timestamp with time zone,integer,text)"} // every reservation asks twice
	check.Same(t, "functions whose body was parsed when they were made", inlined, list(t, url, parsed))
	readers := list(t, url, `SELECT proname::text FROM pg_proc WHERE pronamespace = 'history'::regnamespace AND proname LIKE '%_as_of'`)
	check.ErrorIf(t, len(readers) < 40, "functions that were made for tables are to be looked at, too, and are: %q", readers)
}

// TestTheTurnOfADayLooksForNoName: the search path of the function is not pinned, so that it can be
// inlined. Even so it calls no object that another role has put before those of Postgres.
func TestTheTurnOfADayLooksForNoName(t *testing.T) {
	t.Parallel()
	planted := warehousetest.Connect(t, migrated(t))
	for _, sql := range []string{
		`CREATE FUNCTION public.make_interval(hours integer) RETURNS interval LANGUAGE sql AS 'SELECT NULL::interval'`,
		`CREATE FUNCTION public.date_trunc(text, timestamp) RETURNS timestamp LANGUAGE sql AS 'SELECT NULL::timestamp'`,
		`CREATE FUNCTION public.timezone(text, timestamptz) RETURNS timestamp LANGUAGE sql AS 'SELECT NULL::timestamp'`,
		`CREATE FUNCTION public.shift(timestamp, interval) RETURNS timestamp LANGUAGE sql AS 'SELECT NULL::timestamp'`,
		`CREATE OPERATOR public.+ (FUNCTION = public.shift, LEFTARG = timestamp, RIGHTARG = interval)`,
		`CREATE OPERATOR public.- (FUNCTION = public.shift, LEFTARG = timestamp, RIGHTARG = interval)`,
		`SET search_path = public, pg_catalog`,
	} {
		check.Must(t, check.Failure(planted.Exec(t.Context(), sql)))
	}
	var turn time.Time
	const ask = `SELECT sluice.last_reset('2026-03-02 01:00+00', 9, 'Asia/Kolkata')` // 06:30 there: the day turned at 09:00 of the day before
	err := planted.QueryRow(t.Context(), ask).Scan(&turn)
	check.ErrorIf(t, err != nil || !turn.Equal(time.Date(2026, 3, 1, 3, 30, 0, 0, time.UTC)), "the last turn is %s (%v)", turn, err)
}

// TestUpgradeBesideObjectsOfOthers: another role has planted objects before a database is upgraded.
// The program makes no function for tables of that role, so that the role can drop them.
func TestUpgradeBesideObjectsOfOthers(t *testing.T) {
	url := parallel(t)
	opts := migrations.Options{History: all(t, url)}
	strangers := warehousetest.Plant(t, url)
	for range 2 {
		check.Must(t, migrations.Migrate(t.Context(), url, later(t, opts)))
		strangers.Loot()
		made := list(t, url, `SELECT proname::text FROM pg_proc WHERE pronamespace = 'history'::regnamespace AND proname ~ '^(mart|public)_|copied|trap' ORDER BY 1`)
		check.Same(t, "functions for tables of others", []string{}, made)
	}
	strangers.Exec(`DROP TABLE mart.lines; DROP TABLE inventory.trap; CREATE TABLE mart.lines AS SELECT * FROM inventory.bills_line_items`)
	check.Must(t, migrations.Execute(t.Context(), url, migrations.Options{}, func(context.Context) (string, error) {
		return `CREATE SCHEMA IF NOT EXISTS custom; CREATE TABLE custom.things (organization_id text, thing_id text, _raw_position integer)`, nil
	}))
	opts.History.Tables = append(opts.History.Tables, "custom.things")
	check.Must(t, migrations.Migrate(t.Context(), url, later(t, opts)))
	got := list(t, url, `SELECT to_regproc('history.custom_things_as_of')::text`)
	check.ErrorIf(t, got[0] != "history.custom_things_as_of", "the new table has no function: %q", got)
	strangers.Loot()
}

// sqlExposed are two organizations of equal identifiers, with rupees and euros as base currencies.
// Of a dollar bill no rate is known. No list says what a dollar costs in euros. The account of
// payables lacks 1 of the 100 and 10 · 80 that bills leave to pay.
const sqlExposed = `
WITH organization AS (
	INSERT INTO sluice.organizations (organization_id, name, time_zone) VALUES ('a', 'Acme', 'Asia/Kolkata'), ('b', 'Beta', 'UTC') RETURNING 1
), described AS (
	INSERT INTO accounting.organizations (organization_id, id, name, currency_code, ` + own + `)
	VALUES ('a', 'a', 'Acme', 'INR', ` + ownValues + `), ('b', 'b', 'Beta', 'EUR', ` + ownValues + `) RETURNING 1
), currency AS (
	INSERT INTO invoicing.currencies (organization_id, currency_id, currency_code, exchange_rate, effective_date, ` + own + `)
	VALUES ('a', '1', 'USD', 83, '2026-01-01', ` + ownValues + `), ('a', '2', 'EUR', 80, '2026-01-01', ` + ownValues + `) RETURNING 1
), account AS (
	INSERT INTO accounting.chart_of_accounts (organization_id, account_id, account_name, account_type, currency_code, current_balance, _deleted_at, ` + own + `)
	SELECT o, i, 'Account ' || i, t, c, n, gone, ` + ownValues + ` FROM (VALUES ('a', '1', 'bank', 'USD', 20, NULL::timestamptz), ('a', '2', 'bank', 'INR', 5, NULL),
		('a', '3', 'bank', 'USD', 1000, now()), ('a', '4', 'expense', 'USD', 1000, NULL), ('a', '5', 'accounts_payable', 'INR', 899, NULL)) AS v (o, i, t, c, n, gone) RETURNING 1
)
INSERT INTO inventory.bills (organization_id, bill_id, status, date, due_date, currency_code, exchange_rate, sub_total, tax_total, balance, ` + own + `)
SELECT o, i, s, date '2025-12-01', d, c, r, n, 0, n, ` + ownValues + ` FROM (VALUES
	('a', '1', 'open', date '2026-01-10', 'INR', NULL::numeric, 100), ('a', '2', 'open', NULL, 'USD', 80, 10), ('a', '3', 'open', NULL, 'USD', 0, 5),
	('a', '4', 'draft', NULL, 'USD', 80, 1000), ('b', '1', 'open', '2026-03-01', 'EUR', 1, 7)) AS v (o, i, s, d, c, r, n) RETURNING 'made'`

func TestExposureAndConsolidation(t *testing.T) {
	t.Parallel()
	url := interpreted(t, migrated(t))
	list(t, url, sqlExposed)
	const group = `concat_ws(' ', organization_id, bucket, bills, coalesce(amount_base::text, '?'), coalesce(rate_source, '-'), coalesce(round(amount, 2)::text, '?'), missing_rate, bills_without_rate)`
	for what, test := range map[string]struct {
		ask  string
		want []string
	}{
		"exposure": { // revalued 15 · 83; 800 - 10 · 83; what the bank had on the earlier day is not known
			`SELECT concat_ws(' ', day, organization_id, currency_code, base_currency, payables, document_base, rate, rate_source, rate_from, revalued_base, unrealized_base,
				coalesce(bank::text, '?'), coalesce(bank_revalued_base::text, '?'), bills_without_rate, bills_unknown, accounts_unknown)
				FROM (VALUES (date '2026-02-01'), ('2999-01-01')) AS d (day) CROSS JOIN LATERAL analytics.fx_exposure(d.day) ORDER BY 1`,
			[]string{
				"2026-02-01 a USD INR 15 800 83 list 2026-01-01 1245 -30 ? ? 1 0 1",
				"2999-01-01 a USD INR 15 800 83 list 2026-01-01 1245 -30 20 1660 1 0 0",
			},
		},
		"payables in euros": { // due on 10 January: 22 days; 100 / 80; 800 / 80
			`SELECT ` + group + ` FROM analytics.consolidated_payables('EUR', '2026-02-01') ORDER BY 1`,
			[]string{"a 1 to 30 1 100 list 1.25 0", "a no due date 2 800 list 10.00 1", "b not due 1 7 base currency 7.00 0"},
		},
		"payables in dollars": {
			`SELECT ` + group + ` FROM analytics.consolidated_payables('USD', '2026-02-01') ORDER BY 1`,
			[]string{"a 1 to 30 1 100 list 1.20 0", "a no due date 2 800 list 9.64 1", "b not due 1 7 - ? USD in EUR 0"},
		},
		"the groups are the ageing": {
			`SELECT organization_id FROM (SELECT organization_id, sum(amount_base) AS base FROM analytics.consolidated_payables('EUR', '2026-02-01') GROUP BY 1) AS c
				FULL JOIN (SELECT organization_id, sum(open_base) AS base FROM analytics.ap_ageing_on('2026-02-01') GROUP BY 1) AS a USING (organization_id)
				WHERE c.base IS DISTINCT FROM a.base`,
			[]string{},
		},
		"the account that differs": {
			`SELECT concat_ws(' ', organization_id, record_id, amount, sentence) FROM analytics.quality WHERE check_name = 'control_differs'`,
			[]string{"a INR 1 Open bills less unapplied payments are 900, the accounts of payables (Account 5) have 899."},
		},
	} {
		check.Same(t, what, test.want, list(t, url, test.ask))
	}
}
