package migrations_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// own are the columns of the engine, which every INSERT of a record gives.
const (
	own       = `_content_hash, _call_id, _raw_position, _run_id, _first_seen_at, _changed_at`
	ownValues = `'\x00', 1, 0, 1, now(), now()`
)

// sqlRates are two organizations of equal identifiers: one keeps rupees, the other euros and has no
// settings but the list of currencies. Dollars have a rate in every source, yen one of 0.
const sqlRates = `
WITH organization AS (
	INSERT INTO sluice.organizations (organization_id, name, time_zone) VALUES ('a', 'Acme', 'Asia/Kolkata'), ('b', 'Beta', 'UTC') RETURNING 1
), described AS (
	INSERT INTO accounting.organizations (organization_id, id, name, currency_id, currency_code, fiscal_year_start_month, ` + own + `)
	VALUES ('a', 'a', 'Acme', '1', 'INR', 3, ` + ownValues + `) RETURNING 1
), currency AS (
	INSERT INTO invoicing.currencies (organization_id, currency_id, currency_code, currency_name, price_precision, is_base_currency, exchange_rate, effective_date, ` + own + `)
	SELECT o, i, c, n, 2, base, r, d, ` + ownValues + ` FROM (VALUES
		('a', '1', 'INR', 'Indian Rupee', true, 1::numeric, NULL::date), ('a', '2', 'USD', 'US Dollar', false, 83, '2026-02-01'),
		('a', '3', 'JPY', 'Yen', false, 0, NULL), ('b', '2', 'EUR', 'Euro', true, NULL, NULL), ('b', '1', 'USD', 'US Dollar', false, 0.9, '2026-01-01')
	) AS v (o, i, c, n, base, r, d) RETURNING 1
), history AS (
	INSERT INTO invoicing.currencies_history (organization_id, currency_id, exchange_rate, effective_date, _call_id, _seen_at)
	VALUES ('a', '2', 82, '2026-01-01', 1, '2026-01-01Z'), ('a', '2', 82.5, '2026-01-01', 2, '2026-01-02Z'), ('a', '2', 83, '2026-02-01', 3, '2026-02-01Z'),
		('a', '3', 0, NULL, 1, '2026-01-01 20:00Z'), ('a', '3', 0.55, NULL, 4, '2026-01-01 20:00Z') RETURNING 1 -- 2 January in Kolkata
), adjustment AS (
	INSERT INTO accounting.base_currency_adjustments (organization_id, base_currency_adjustment_id, adjustment_date, exchange_rate, currency_code, ` + own + `)
	VALUES ('a', '1', '2026-02-01', 84, 'USD', ` + ownValues + `), ('a', '2', '2026-03-31', 85, 'USD', ` + ownValues + `) RETURNING 1
), payment AS (
	INSERT INTO accounting.vendor_payments (organization_id, payment_id, date, currency_id, exchange_rate, amount, _deleted_at, ` + own + `)
	VALUES ('a', '1', '2026-01-10', '2', 82.1, 5, NULL, ` + ownValues + `), ('a', '2', '2026-01-10', '2', 70, 5, now(), ` + ownValues + `),
		('b', '1', '2026-01-10', '1', 0.91, 5, NULL, ` + ownValues + `) RETURNING 1
)
INSERT INTO inventory.bills (organization_id, bill_id, status, date, currency_code, exchange_rate, sub_total, tax_total, balance, ` + own + `)
SELECT 'a', i, 'open', d, c, r, 1, 0, 1, ` + ownValues + ` FROM (VALUES
	('1', date '2026-01-10', 'USD', 82.2), ('2', '2026-01-10', 'USD', 82.2), ('3', '2026-01-10', 'USD', 0), ('4', '2026-01-10', 'INR', 1),
	('5', '2026-01-11', 'AED', NULL), ('6', '2026-02-01', 'USD', 83.5)) AS v (i, d, c, r) RETURNING 'made'`

func TestCurrenciesAndRates(t *testing.T) {
	t.Parallel()
	url := migrated(t)
	list(t, url, sqlRates)
	for what, test := range map[string]struct {
		ask  string
		want []string
	}{
		"organizations": {
			`SELECT concat_ws(' ', organization_id, base_currency, coalesce(fiscal_start_month::text, '-')) FROM analytics.organizations ORDER BY 1`,
			[]string{"a INR 4", "b EUR -"}, // 3 counted from 0 is April
		},
		"currencies": {
			`SELECT concat_ws(' ', organization_id, currency_code, coalesce(name, '-'), is_base, array_to_string(seen_in, ',')) FROM analytics.currencies ORDER BY organization_id, currency_code`,
			[]string{
				"a AED - f inventory.bills", "a INR Indian Rupee t analytics.organizations,inventory.bills,invoicing.currencies",
				"a JPY Yen f invoicing.currencies", "a USD US Dollar f accounting.base_currency_adjustments,accounting.vendor_payments,inventory.bills,invoicing.currencies",
				"b EUR Euro t analytics.organizations,invoicing.currencies", "b USD US Dollar f accounting.vendor_payments,invoicing.currencies",
			},
		},
		"rates": { // of one effective day the later seen one; of the documents of one day the most frequent; none of a base currency, none of 0
			`SELECT concat_ws(' ', organization_id, currency_code, valid_from, source, rate, coalesce(valid_to::text, '-'), documents, lowest, highest)
				FROM analytics.fx_rates ORDER BY organization_id, currency_code, valid_from, source`,
			[]string{
				"a JPY 2026-01-02 list 0.55 - 0.55 0.55",
				"a USD 2026-01-01 list 82.5 2026-02-01 82.5 82.5", "a USD 2026-01-10 document 82.2 2026-02-01 3 82.1 82.2",
				"a USD 2026-02-01 adjustment 84 2026-03-31 84 84", "a USD 2026-02-01 document 83.5 - 1 83.5 83.5", "a USD 2026-02-01 list 83 - 83 83",
				"a USD 2026-03-31 adjustment 85 - 85 85",
				"b USD 2026-01-01 list 0.9 - 0.9 0.9", "b USD 2026-01-10 document 0.91 - 1 0.91 0.91",
			},
		},
		"rate on a day": {
			`SELECT concat_ws(' ', o, c, d, coalesce(r.rate::text, 'unknown'), r.source, r.valid_from) FROM (VALUES
				(1, 'a', 'USD', date '2025-12-31'), (2, 'a', 'USD', '2026-01-09'), (3, 'a', 'USD', '2026-01-10'), (4, 'a', 'USD', '2026-02-01'),
				(5, 'a', 'USD', '2026-03-30'), (6, 'a', 'USD', '2026-12-31'), (7, 'a', 'INR', '2026-01-01'), (8, 'a', 'AED', '2026-12-31'),
				(9, 'b', 'USD', '2026-01-11'), (10, 'c', 'USD', '2026-01-11')) AS asked (n, o, c, d)
				LEFT JOIN LATERAL analytics.rate_on(o, c, d) AS r ON true ORDER BY n`,
			[]string{
				"a USD 2025-12-31 unknown", "a USD 2026-01-09 82.5 list 2026-01-01", "a USD 2026-01-10 82.2 document 2026-01-10",
				"a USD 2026-02-01 83 list 2026-02-01", "a USD 2026-03-30 83 list 2026-02-01", "a USD 2026-12-31 85 adjustment 2026-03-31",
				"a INR 2026-01-01 1 base currency", "a AED 2026-12-31 unknown", "b USD 2026-01-11 0.91 document 2026-01-10", "c USD 2026-01-11 unknown",
			},
		},
	} {
		if diff := cmp.Diff(test.want, list(t, url, test.ask)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
}
