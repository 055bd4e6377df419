package migrations_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
	t.Parallel()
	url := migrated(t)
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
		if diff := cmp.Diff(test.want, list(t, url, test.ask)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	keys(t, url, "bill_versions", "past_periods", "price_changes", "stock_days", "balance_days")
}
