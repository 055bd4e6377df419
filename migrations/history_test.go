package migrations_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"sluice/migrations"
	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/warehousetest"
)

// all returns the settings of a configuration that keeps versions of every list.
func all(t *testing.T, url string) migrations.History {
	t.Helper()
	return migrations.History{Tables: list(t, url, `SELECT DISTINCT schema || '.' || name FROM sluice.table_columns WHERE column_name = '_raw_position' ORDER BY 1`)}
}

// objectsOfThePast gives the views of schema as_of and the functions of schema history that there are for
// single tables and views.
const objectsOfThePast = `
SELECT format('%I.%I', relnamespace::regnamespace, relname) FROM pg_class WHERE relnamespace = 'as_of'::regnamespace AND relkind = 'v' AND relname <> 'coverage'
UNION ALL
SELECT format('%I.%I', pronamespace::regnamespace, proname) FROM pg_proc
WHERE pronamespace = 'as_of'::regnamespace AND proname NOT IN ('day', 'chosen', 'ends', 'is_answerable') OR pronamespace = 'history'::regnamespace AND proname LIKE '%\_as\_of'
ORDER BY 1`

// TestHistoryMakesItsViewsAndFunctions: a database without history has none. A table whose versions
// are kept has its function and its view, and there are the views over it with all that they read.
func TestHistoryMakesItsViewsAndFunctions(t *testing.T) {
	url := parallel(t)
	if found := list(t, url, objectsOfThePast); len(found) != 0 {
		t.Fatalf("without history there are %q", found)
	}
	bills := migrations.History{Tables: []string{"inventory.bills"}}
	opts := migrations.Options{History: bills}
	pending, err := migrations.PendingViews(t.Context(), url, bills)
	check.ErrorIf(t, err != nil || !pending, "before migrate nothing is pending: %t, %v", pending, err)
	check.Must(t, migrations.Migrate(t.Context(), url, opts))
	pending, err = migrations.PendingViews(t.Context(), url, bills)
	check.ErrorIf(t, err != nil || pending, "after migrate: pending is %t, %v", pending, err)
	role, worker := warehousetest.Worker(t, url) // it may not use schema as_of
	check.Must(t, migrations.GrantWorker(t.Context(), url, role))
	if pending, err := migrations.PendingViews(t.Context(), worker, bills); err != nil || pending {
		t.Errorf("as a worker: pending is %t, %v", pending, err)
	}
	found := list(t, url, objectsOfThePast)
	for name, want := range map[string]bool{
		"history.inventory_bills_as_of": true, "history.inventory_bills_line_items_as_of": true, "as_of.inventory_bills": true, "as_of.inventory_bills_line_items": true,
		"as_of.bills": true, "as_of.ap_ageing": true, "as_of.ap_ageing_on": true, "as_of.vendors": true,
		"as_of.inventory_organizations": true, "history.inventory_organizations_as_of": false, // a view reads the table, and has no versions of it
		"as_of.stock": false, "as_of.chat_conversations": false, "history.inventory_items_as_of": false,
	} {
		check.ErrorIf(t, slices.Contains(found, name) != want, "there is %s: %t, want %t", name, !want, want)
	}
	const made = `SELECT name || ' ' || applied_at FROM sluice.views ORDER BY 1`
	before := list(t, url, made)
	check.Must(t, migrations.Migrate(t.Context(), url, opts))
	check.Same(t, "made again", before, list(t, url, made))
	script(t, url, `ALTER TABLE inventory.bills ADD COLUMN later text`)
	check.Must(t, migrations.Migrate(t.Context(), url, opts))
	const last = `SELECT attname::text FROM pg_attribute WHERE attrelid = 'as_of.inventory_bills'::regclass ORDER BY attnum DESC LIMIT 1`
	got := list(t, url, last)
	check.ErrorIf(t, got[0] != "later", "the last column of the view is %s", got[0])
	every := all(t, url)
	check.Must(t, migrations.Migrate(t.Context(), url, migrations.Options{History: every}))
	found = list(t, url, objectsOfThePast)
	check.ErrorIf(t, len(found) < 250, "with history of every list there are only %d", len(found))
	// Postgres gives a table no column with a value while a view uses its row type (since 17.12).
	if uses := list(t, url, `SELECT DISTINCT w.ev_class::regclass::text FROM pg_depend d JOIN pg_rewrite w ON d.classid = 'pg_rewrite'::regclass AND w.oid = d.objid
		JOIN pg_type y ON d.refclassid = 'pg_type'::regclass AND y.oid = d.refobjid JOIN pg_class c ON c.oid = y.typrelid AND c.relkind = 'r'`); len(uses) > 0 {
		t.Errorf("views that use the row type of a table: %q", uses)
	}
}

// TestHistoryEnds: what was made for it is dropped, unless others built on it. Then the error names
// their objects, and all stays.
func TestHistoryEnds(t *testing.T) {
	url := parallel(t)
	both := migrations.Options{History: migrations.History{Tables: []string{"inventory.bills", "chat.conversations"}}}
	check.Must(t, migrations.Migrate(t.Context(), url, both))
	whole := list(t, url, objectsOfThePast)
	script(t, url, `CREATE SCHEMA hers; CREATE VIEW hers.report AS SELECT bill_id FROM as_of.bills; CREATE VIEW hers.lines AS SELECT item_total FROM as_of.inventory_bills_line_items;
		CREATE VIEW hers.chats AS SELECT title FROM as_of.chat_conversations; CREATE VIEW hers.other AS SELECT 1 AS one FROM hers.report`)
	chats := migrations.Options{History: migrations.History{Tables: []string{"chat.conversations"}}}
	err := migrations.Migrate(t.Context(), url, chats)
	if !errors.Is(err, migrations.ErrDependents) || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "hers.chats") {
		t.Fatalf("Migrate = %v, want ErrDependents in one line", err)
	}
	for _, want := range []string{"view hers.report depends on view as_of.bills", "view hers.lines depends on view as_of.inventory_bills_line_items", "view hers.other"} {
		check.ErrorIf(t, !strings.Contains(err.Error(), want), "the error lacks %q: %v", want, err)
	}
	check.Same(t, "dropped although it is used", whole, list(t, url, objectsOfThePast))
	outlook := check.Sure(migrations.Foresee(t.Context(), url, chats))(t)
	if last := outlook.Steps; len(last) != 1 || !strings.HasPrefix(last[0].SQL, "DROP FUNCTION ") || !strings.Contains(last[0].SQL, ";\nDROP VIEW as_of.") {
		t.Errorf("foreseen is %+v", last)
	}
	script(t, url, `DROP VIEW hers.report, hers.lines, hers.other`)
	check.Must(t, migrations.Migrate(t.Context(), url, chats))
	left := list(t, url, objectsOfThePast)
	if slices.Contains(left, "as_of.inventory_bills") || slices.Contains(left, "history.inventory_bills_as_of") || !slices.Contains(left, "as_of.chats") ||
		!slices.Contains(left, "history.chat_conversations_as_of") {
		t.Errorf("left are %q", left)
	}
	script(t, url, `DROP VIEW hers.chats`)
	check.Must(t, migrations.Migrate(t.Context(), url, migrations.Options{}))
	check.Empty(t, "left", append(list(t, url, objectsOfThePast), list(t, url, `SELECT name FROM sluice.views WHERE name LIKE '%.%'`)...))
	check.Must(t, migrations.Migrate(t.Context(), url, both))
	check.Same(t, "on again", whole, list(t, url, objectsOfThePast))
}

// TestHistoryOfOtherOrganizations: another configuration keeps versions of its organizations in the
// same database. What they need stays until their period ends.
func TestHistoryOfOtherOrganizations(t *testing.T) {
	url := parallel(t)
	run(t, url, `INSERT INTO history.periods (organization_id, service, resource, in_schema, key_column, arrays, versions, daily, time_zone)
		VALUES ('theirs', 'inventory', 'bills', 'inventory', 'bill_id', '{}', true, '{}', 'UTC') RETURNING 'made'`)
	has := func(when string, organization string, want bool) {
		t.Helper()
		check.Must(t, migrations.Migrate(t.Context(), url,
			migrations.Options{History: migrations.History{Organizations: []string{organization}}}))
		found := list(t, url, objectsOfThePast)
		check.ErrorIf(t, slices.Contains(found, "as_of.bills") != want, "%s there is %q", when, found)
	}
	has("by the configuration of another organization", "ours", true)
	has("by its own configuration", "theirs", false)
	run(t, url, `UPDATE history.periods SET ended_at = clock_timestamp() RETURNING 'ended'`)
	has("after the period", "ours", false)
}

// sqlPast are two organizations of equal identifiers whose versions and values by day were kept.
// Days are counted back from the present day of the organization.
const sqlPast = `
WITH organization AS (
	INSERT INTO sluice.organizations (organization_id, name, time_zone) VALUES ('a', 'Acme', 'Pacific/Kiritimati'), ('b', 'Beta', 'UTC') RETURNING 1
), described AS (
	INSERT INTO accounting.organizations (organization_id, id, name, currency_code, ` + own + `)
	VALUES ('a', 'a', 'Acme', 'INR', ` + ownValues + `), ('b', 'b', 'Beta', 'EUR', ` + ownValues + `) RETURNING 1
), period AS (
	INSERT INTO history.periods (organization_id, service, resource, asked_at, began_at, ended_at, in_schema, key_column, arrays, versions, daily, time_zone)
	SELECT o, s, r, a, b, e, s, 'x', '{}', v, d::text[], z FROM (VALUES
		('a', 'inventory', 'bills', timestamptz '2026-01-01Z', timestamptz '2026-01-02Z', NULL::timestamptz, true, '{}', 'Pacific/Kiritimati'),
		('b', 'inventory', 'bills', '2026-01-01Z', '2026-01-01Z', '2026-02-01Z', true, '{}', 'UTC'),
		('a', 'inventory', 'items', now() - interval '10 days', now() - interval '10 days', NULL, true, '{items_locations}', 'Pacific/Kiritimati'),
		('b', 'inventory', 'items', now() - interval '10 days', NULL, now() - interval '2 days', true, '{items_locations}', 'UTC'),
		('a', 'accounting', 'chart_of_accounts', now() - interval '10 days', NULL, null, false, '{current_balance}', 'Pacific/Kiritimati')
	) AS p (o, s, r, a, b, e, v, d, z) RETURNING 1
), bill AS (
	INSERT INTO history.versions (organization_id, service, resource, record_id, valid_from, valid_to, upstream_from, upstream_to, began, ended, record, arrays)
	SELECT o, 'inventory', 'bills', i, f, u, uf, uu, 'seen', CASE WHEN u < 'infinity' THEN 'replaced' END, j::jsonb, '{}' FROM (VALUES
		('a', '1', timestamptz '2026-01-02Z', timestamptz '2026-01-31 09:00Z', timestamptz '2026-01-02Z', timestamptz '2026-01-31 08:00Z',
			'{"status": "open", "date": "2026-01-02", "due_date": "2026-01-10", "currency_code": "INR", "exchange_rate": 0, "sub_total": 100, "tax_total": 18, "balance": 118, "_detail_state": "current"}'),
		('a', '1', '2026-01-31 09:00Z', 'infinity', '2026-01-31 08:00Z', 'infinity',
			'{"status": "paid", "date": "2026-01-02", "due_date": "2026-01-10", "currency_code": "INR", "sub_total": 100, "tax_total": 18, "balance": 0, "_detail_state": "current"}'),
		('a', '2', '2026-02-05Z', 'infinity', '2026-01-20Z', 'infinity',
			'{"status": "draft", "date": "2026-01-20", "currency_code": "USD", "total": 10, "balance": 10, "_detail_state": "pending"}'),
		('b', '1', '2026-01-02Z', 'infinity', '2026-01-02Z', 'infinity', '{"status": "open", "date": "2026-01-02", "currency_code": "USD", "exchange_rate": 0.9, "sub_total": 10, "tax_total": 0, "balance": 10}')
	) AS v (o, i, f, u, uf, uu, j) RETURNING 1
), item AS (
	INSERT INTO history.versions (organization_id, service, resource, record_id, valid_from, valid_to, upstream_from, began, ended, record, arrays)
	SELECT o, 'inventory', r, i, f, u, uf, b, CASE WHEN u < 'infinity' THEN 'replaced' END, j::jsonb, '{}' FROM (VALUES
		('a', 'items', 'x', timestamptz '2026-01-01Z', timestamptz '2026-01-05Z', timestamptz '2026-01-01Z', 'present', '{"name": "X", "rate": 10, "purchase_rate": 8}'),
		('a', 'items', 'x', '2026-01-05Z', '2026-01-06Z', '2026-01-05Z', 'seen', '{"name": "X", "purchase_rate": 8}'),
		('a', 'items', 'x', '2026-01-06Z', '2026-01-07Z', '2026-01-06Z', 'seen', '{"name": "Y", "rate": 12, "purchase_rate": 8}'),
		('a', 'items', 'x', '2026-01-07Z', '2026-01-08Z', '2026-01-06 11:00Z', 'seen', '{"name": "Z", "rate": 12, "purchase_rate": 6}'),
		('a', 'items', 'x', '2026-01-09Z', 'infinity', '2026-01-09Z', 'present', '{"name": "Z", "rate": 9, "purchase_rate": 6}'),
		('b', 'items', 'x', '2026-01-01Z', '2026-01-02Z', '2026-01-01Z', 'seen', '{"rate": 0}'), ('b', 'items', 'x', '2026-01-02Z', 'infinity', '2026-01-02Z', 'seen', '{"rate": 1}'),
		('a', 'composite_items', 'x', '2026-01-01Z', 'infinity', '2026-01-01Z', 'seen', '{"rate": 5}')
	) AS v (o, r, i, f, u, uf, b, j) RETURNING 1
)
INSERT INTO history.days (organization_id, service, resource, record_id, day, content, seen_at)
SELECT o, s, r, i, (now() AT TIME ZONE CASE o WHEN 'a' THEN 'Pacific/Kiritimati' ELSE 'UTC' END)::date - d, j::jsonb, now() FROM (VALUES
	('a', 'inventory', 'items', 'x', 4, '{"items_locations": [{"location_id": "l", "location_stock_on_hand": 5, "location_available_stock": 4}, {"location_id": "m", "location_stock_on_hand": 1}]}'),
	('a', 'inventory', 'items', 'x', 2, '{"items_locations": [{"location_id": "l", "location_stock_on_hand": 3}]}'),
	('a', 'inventory', 'items', 'y', 3, '{"stock_on_hand": 9, "available_stock": 8}'), ('a', 'inventory', 'items', 'y', 1, NULL),
	('b', 'inventory', 'items', 'x', 3, '{"items_locations": [{"location_stock_on_hand": 7}, {"location_stock_on_hand": 1}]}'),
	('a', 'accounting', 'chart_of_accounts', 'x', 2, '{"current_balance": 12.5}'), ('a', 'accounting', 'chart_of_accounts', 'x', 0, '{"closing_balance": 13}'),
	('b', 'accounting', 'chart_of_accounts', 'x', 2, '{"current_balance": 1}')
) AS v (o, s, r, i, d, j) RETURNING 'made'`

func TestThePast(t *testing.T) {
	url := parallel(t)
	list(t, url, sqlPast)
	const bills = `concat_ws(' ', organization_id, bill_id, status, CASE WHEN is_posted THEN 'posted' ELSE 'not' END, coalesce(gross_base::text, '?'),
		coalesce(open_base::text, '?'), coalesce(days_overdue::text, '-'), coalesce(bucket, '-'), day)`
	for what, test := range map[string]struct {
		ask  string
		want []string
	}{
		"at the end of a day of Kiritimati": { // which is 10:00 UTC: the day of January 30, 20 days after the bill was due
			`SELECT ` + bills + ` FROM analytics.bills_as_of('2026-01-30 10:00Z') ORDER BY 1`,
			[]string{"a 1 open posted 118 118 20 1 to 30 2026-01-30", "b 1 open posted 9.0 9.0 - no due date 2026-01-30"},
		},
		"by the clock of the table": {
			`SELECT ` + bills + ` FROM analytics.bills_as_of('2026-01-31 08:30Z') WHERE organization_id = 'a'`,
			[]string{"a 1 open posted 118 118 21 1 to 30 2026-01-31"},
		},
		"by the clock upstream": { // it was paid at 08:00, and bill 2 was there
			`SELECT ` + bills + ` FROM analytics.bills_as_of('2026-01-31 08:30Z', by_upstream => true) WHERE organization_id = 'a' ORDER BY 1`,
			[]string{"a 1 paid posted 118 0 - - 2026-01-31", "a 2 draft not ? ? - no due date 2026-01-31"},
		},
		"while versions were not kept": {
			`SELECT ` + bills + ` FROM analytics.bills_as_of('2026-01-01 12:00Z') UNION ALL SELECT ` + bills + ` FROM analytics.bills_as_of('2026-02-02Z') WHERE organization_id = 'b'`,
			[]string{},
		},
		"on a day of the organization": { // the day ends at 10:00 UTC, the payment was copied at 09:00
			`SELECT ` + bills + ` FROM (SELECT * FROM analytics.bills_on('a', '2026-01-30') UNION ALL SELECT * FROM analytics.bills_on('a', '2026-01-31')) AS b ORDER BY day`,
			[]string{"a 1 open posted 118 118 20 1 to 30 2026-01-30", "a 1 paid posted 118 0 - - 2026-01-31"},
		},
		"when it was kept": {
			`SELECT concat_ws(' ', organization_id, resource, (versions_from AT TIME ZONE 'UTC')::date, CASE WHEN versions_to = 'infinity' THEN 'on' ELSE (versions_to AT TIME ZONE 'UTC')::date::text END,
				daily) FROM analytics.past_periods WHERE resource = 'inventory.bills' ORDER BY 1`,
			[]string{"a inventory.bills 2026-01-02 on {}", "b inventory.bills 2026-01-01 2026-02-01 {}"},
		},
		"prices": { // 10 to 12 across a version without a price: 20 %; 8 to 6: 25 %; 12 to 9: 25 %
			`SELECT concat_ws(' ', organization_id, kind, item_id, price_kind, coalesce(item_name, '-'), price_before, price, coalesce(percent::text, '?'),
				to_char(changed_at AT TIME ZONE 'UTC', 'DD HH24'), day, coalesce(to_char(until AT TIME ZONE 'UTC', 'DD'), '-'), is_exact)
				FROM analytics.price_changes ORDER BY organization_id, seen_at`,
			[]string{
				"a item x selling Y 10 12 20.00 06 00 2026-01-06 09 t", "a item x buying Z 8 6 -25.00 06 11 2026-01-07 - t", "a item x selling Z 12 9 -25.00 09 00 2026-01-09 - f",
				"b item x selling - 0 1 ? 02 00 2026-01-02 - t",
			},
		},
		"stock by day": { // item y was gone on the day before today; days of b were kept until two days ago
			`SELECT concat_ws(' ', d.organization_id, kind, item_id, location_id, o.today - day, on_hand, coalesce(available::text, '-'), is_carried)
				FROM analytics.stock_days d JOIN analytics.organizations o USING (organization_id) ORDER BY d.organization_id, item_id, day, location_id`,
			[]string{
				"a item x l 4 5 4 f", "a item x m 4 1 - f", "a item x l 3 5 4 t", "a item x m 3 1 - t", "a item x l 2 3 - f", "a item x l 1 3 - t", "a item x l 0 3 - t",
				"a item y  3 9 8 f", "a item y  2 9 8 t", "b item x  3 8 - f", "b item x  2 8 - t",
			},
		},
		"balances by day": { // nothing says that balances of b are kept
			`SELECT concat_ws(' ', d.organization_id, account_id, o.today - day, balance, is_carried)
				FROM analytics.balance_days d JOIN analytics.organizations o USING (organization_id) ORDER BY day`,
			[]string{"a x 2 12.5 f", "a x 1 12.5 t", "a x 0 13 f"},
		},
	} {
		check.Same(t, what, test.want, list(t, url, test.ask))
	}
	keys(t, url, "bill_versions", "past_periods", "price_changes", "stock_days", "balance_days")
}
