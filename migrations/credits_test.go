package migrations_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sqlCredits are two organizations of equal identifiers. Credit note 1 has lines, a tax and uses, 2
// has lines and is in dollars, 3 is without lines, 4 is a draft, 5 is void, 6 is gone.
const sqlCredits = `
WITH organization AS (
	INSERT INTO sluice.organizations (organization_id, name, time_zone) VALUES ('a', 'Acme', 'Asia/Kolkata'), ('b', 'Beta', 'UTC') RETURNING 1
), described AS (
	INSERT INTO accounting.organizations (organization_id, id, name, currency_code, ` + own + `)
	VALUES ('a', 'a', 'Acme', 'INR', ` + ownValues + `), ('b', 'b', 'Beta', 'EUR', ` + ownValues + `) RETURNING 1
), note AS (
	INSERT INTO inventory.credit_notes (organization_id, creditnote_id, customer_id, customer_name, email, status, date, currency_code, total, balance,
		_deleted_at, _detail_state, ` + own + `)
	SELECT o, i, 'c1', 'Customer', 'Ann@Customer.example', s, d, c, n, open, gone, e, ` + ownValues + ` FROM (VALUES
		('a', '1', 'open', date '2026-01-05', 'INR', 118::numeric, 60::numeric, NULL::timestamptz, 'current'),
		('a', '2', 'closed', '2026-01-31', 'USD', 10, 0, NULL, 'none_needed'), ('a', '3', 'open', '2026-02-01', 'INR', 30, 30, NULL, 'pending'),
		('a', '4', 'draft', NULL, 'INR', 1000, 1000, NULL, 'current'), ('a', '5', 'void', '2026-02-01', 'INR', 1000, 1000, NULL, 'current'),
		('a', '6', 'open', '2026-02-01', 'INR', 1000, 1000, now(), 'current'), ('b', '1', 'open', '2026-01-05', 'EUR', 7, 7, NULL, 'current')
	) AS v (o, i, s, d, c, n, open, gone, e) RETURNING 1
), live AS ( -- as live services send it: a rate, sums in the header, and uses under other names
	INSERT INTO inventory.credit_notes (organization_id, creditnote_id, customer_id, status, date, currency_code, exchange_rate, total, tax_total, sub_total,
		total_credits_used, total_refunded_amount, balance, _detail_state, ` + own + `)
	VALUES ('b', '2', 'c1', 'open', '2026-03-01', 'USD', 0.5, 120, 20, 100, 70, 30, 20, 'current', ` + ownValues + `),
		('b', '3', 'c1', 'open', '2026-03-01', 'USD', 0, 12, 2, 10, NULL, null, 12, 'pending', ` + ownValues + `) RETURNING 1
), credited AS (
	INSERT INTO inventory.credit_notes_invoices_credited (organization_id, _parent_id, _position, invoice_id, date, credited_amount, amount_applied)
	VALUES ('b', '2', 0, 'i1', '2026-03-02', 50, NULL), ('b', '2', 1, 'i2', NULL, null, 20) RETURNING 1
), refund AS (
	INSERT INTO inventory.credit_notes_creditnote_refunds (organization_id, _parent_id, _position, date, amount_bcy, amount_fcy)
	VALUES ('b', '2', 0, '2026-03-03', 16, 30) RETURNING 1
), line AS (
	INSERT INTO inventory.credit_notes_line_items (organization_id, _parent_id, _position, item_id, quantity, rate, item_total)
	VALUES ('a', '1', 0, 'x', 2, 30, NULL), ('a', '1', 1, 'y', 1, 45, NULL), ('a', '2', 0, 'x', 1, 10, NULL), ('a', '4', 0, 'x', 1, 1000, NULL), ('b', '1', 0, 'x', 1, 7, NULL),
		('b', '2', 0, 'x', 1, 110, 100) RETURNING 1
), tax AS (
	INSERT INTO inventory.credit_notes_taxes (organization_id, _parent_id, _position, tax_amount)
	VALUES ('a', '1', 0, 9), ('a', '1', 1, 9), ('a', '3', 0, 5) RETURNING 1
), adjustment AS (
	INSERT INTO accounting.base_currency_adjustments (organization_id, base_currency_adjustment_id, adjustment_date, currency_code, exchange_rate, gain_or_loss,
		_deleted_at, _detail_state, ` + own + `)
	VALUES ('a', '1', '2026-01-31', 'USD', 84, 12, NULL, 'current', ` + ownValues + `), ('a', '2', '2026-02-28', 'USD', 85, -8, NULL, 'pending', ` + ownValues + `),
		('a', '3', '2026-03-31', 'USD', 85, 5, NULL, 'current', ` + ownValues + `), ('a', '4', '2026-03-31', 'USD', 85, 9, now(), 'current', ` + ownValues + `),
		('b', '1', '2026-01-31', 'USD', 0.9, 3, NULL, 'current', ` + ownValues + `) RETURNING 1
), account AS (
	INSERT INTO accounting.base_currency_adjustments_accounts (organization_id, _parent_id, _position, account_id, fcy_balance, gain_or_loss)
	VALUES ('a', '1', 0, 'x', 100, 20), ('a', '1', 1, 'y', -40, -8), ('a', '3', 0, 'x', 10, 3), ('a', '4', 0, 'x', 10, 9), ('b', '1', 0, 'x', 10, 3) RETURNING 1
)
INSERT INTO inventory.credit_notes_invoices (organization_id, _parent_id, _position, invoice_id, amount)
VALUES ('a', '1', 0, 'i1', 40), ('a', '1', 1, 'i2', 18), ('a', '2', 0, 'i1', 10), ('a', '5', 0, 'i1', 1000) RETURNING 'made'`

func TestCreditsAndAdjustments(t *testing.T) {
	t.Parallel()
	url := migrated(t)
	list(t, url, sqlCredits)
	for what, test := range map[string]struct {
		ask  string
		want []string
	}{
		"credit notes": { // note 3: its tax is not known before its single record is loaded
			`SELECT concat_ws(' ', organization_id, creditnote_id, CASE WHEN is_posted THEN 'posted' ELSE 'not' END, coalesce(net::text, '?'), coalesce(tax::text, '?'),
				gross, coalesce(used::text, '?'), coalesce(refunded::text, '?'), open, coalesce(gross_base::text, 'no rate'), coalesce(open_base::text, 'no rate'), lines_loaded)
				FROM analytics.credit_notes ORDER BY organization_id, creditnote_id`,
			[]string{
				"a 1 posted 100 18 118 58 0 60 118 60 t", "a 2 posted 10 0 10 10 0 0 no rate no rate t", "a 3 posted ? ? 30 ? ? 30 30 30 f",
				"a 4 not 1000 0 1000 0 0 1000 1000 1000 t", "a 5 not 1000 0 1000 1000 0 1000 1000 1000 t", "a 6 not 1000 0 1000 0 0 1000 1000 1000 t",
				"b 1 posted 7 0 7 0 0 7 7 7 t", "b 2 posted 100 20 120 70 30 20 60.0 10.0 t", "b 3 posted 10 2 12 ? ? 12 no rate no rate f",
			},
		},
		"open credit": {
			`SELECT concat_ws(' ', organization_id, sum(open_base)) FROM analytics.credit_notes WHERE is_posted AND status = 'open' GROUP BY organization_id ORDER BY 1`,
			[]string{"a 90", "b 17.0"},
		},
		"credit lines": { // 2·30 + 1·45 = 105, and note 1 is 100 before tax
			`SELECT concat_ws(' ', organization_id, creditnote_id, line, line_kind, coalesce(item_id, '-'), coalesce(net::text, '?'), coalesce(net_base::text, 'no base'))
				FROM analytics.credit_lines ORDER BY organization_id, creditnote_id, line`,
			[]string{
				"a 1 -1 rest - -5 -5", "a 1 0 line x 60 60", "a 1 1 line y 45 45", "a 2 0 line x 10 no base", "a 3 -1 not loaded - ? no base", "b 1 0 line x 7 7",
				"b 2 0 line x 100 50.0", "b 3 -1 not loaded - 10 no base",
			},
		},
		"lines and rest are the headers": {
			`SELECT concat_ws(' ', organization_id, creditnote_id) FROM analytics.credit_notes n WHERE is_posted
				AND net IS DISTINCT FROM (SELECT sum(l.net) FROM analytics.credit_lines l WHERE (l.organization_id, l.creditnote_id) = (n.organization_id, n.creditnote_id))`,
			[]string{},
		},
		"credit applications": {
			`SELECT concat_ws(' ', organization_id, creditnote_id, kind, line, invoice_id, date, amount, coalesce(amount_base::text, 'no rate'))
				FROM analytics.credit_applications ORDER BY organization_id, creditnote_id, kind, line`,
			[]string{
				"a 1 invoice 0 i1 40 40", "a 1 invoice 1 i2 18 18", "a 2 invoice 0 i1 10 no rate", "b 2 invoice 0 i1 2026-03-02 50 25.0", "b 2 invoice 1 i2 20 10.0",
				"b 2 refund 0 2026-03-03 30 15.0",
			},
		},
		"a credit is used, paid back or open": {
			`SELECT concat_ws(' ', organization_id, creditnote_id) FROM analytics.credit_notes WHERE is_posted AND gross <> used + refunded + open`,
			[]string{},
		},
		"adjustments": { // 20 - 8 = 12; of adjustment 3 the accounts show 3 of 5
			`SELECT concat_ws(' ', organization_id, adjustment_id, line, line_kind, coalesce(account_id, '-'), gain_or_loss_base, currency_code, base_currency)
				FROM analytics.fx_adjustments ORDER BY organization_id, adjustment_id, line`,
			[]string{
				"a 1 0 account x 20 USD INR", "a 1 1 account y -8 USD INR", "a 2 -1 not loaded - -8 USD INR", "a 3 -1 rest - 2 USD INR", "a 3 0 account x 3 USD INR",
				"b 1 0 account x 3 USD EUR",
			},
		},
		"completeness": {
			`SELECT concat_ws(' ', organization_id, resource, period, documents, complete, share_of_documents, coalesce(value_base::text, '?'), complete_value_base,
				coalesce(share_of_value::text, '?'), documents_without_value) FROM analytics.completeness ORDER BY organization_id, resource, period`,
			[]string{
				"a accounting.base_currency_adjustments 2026-01 1 1 1.0000 12 12 1.0000 0", "a accounting.base_currency_adjustments 2026-02 1 0 0.0000 8 0 0.0000 0",
				"a accounting.base_currency_adjustments 2026-03 1 1 1.0000 5 5 1.0000 0",
				"a inventory.credit_notes 2026-01 2 2 1.0000 118 118 1.0000 1", "a inventory.credit_notes 2026-02 2 1 0.5000 1030 1000 0.9709 0",
				"a inventory.credit_notes undated 1 1 1.0000 1000 1000 1.0000 0",
				"b accounting.base_currency_adjustments 2026-01 1 1 1.0000 3 3 1.0000 0", "b inventory.credit_notes 2026-01 1 1 1.0000 7 7 1.0000 0",
				"b inventory.credit_notes 2026-03 2 1 0.5000 60.0 60.0 1.0000 1",
			},
		},
	} {
		if diff := cmp.Diff(test.want, list(t, url, test.ask)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	keys(t, url, "credit_notes", "credit_lines", "credit_applications", "fx_adjustments", "completeness")
}

// keys tells of views whose key is not unique or is null, and of views without rows, which show
// nothing of it.
func keys(t *testing.T, url string, views ...string) {
	t.Helper()
	for _, view := range views {
		key := list(t, url, `SELECT substring(obj_description(to_regclass('analytics.`+view+`')) FROM 'key: \(?([a-z_, ]+)\)?\.')`)[0]
		got := list(t, url, `SELECT (count(*) > 0)::text || ' ' || count(DISTINCT row(`+key+`)) - count(*) || ' ' || count(*) FILTER (WHERE num_nulls(`+key+`) > 0) FROM analytics.`+view)
		if diff := cmp.Diff([]string{"true 0 0"}, got); diff != "" {
			t.Errorf("analytics.%s: has rows, rows of an equal key, rows with a null in it (-want +got):\n%s", view, diff)
		}
	}
}
