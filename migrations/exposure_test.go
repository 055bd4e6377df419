package migrations_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
		if diff := cmp.Diff(test.want, list(t, url, test.ask)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
}
