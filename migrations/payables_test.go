package migrations_test

import (
	"testing"

	"sluice/pipeline/check"
)

// sqlLedger are the payables of two organizations of equal identifiers, of 2025.
//
// Bill 1 is paid in two parts and by a credit. Bill 2 is in dollars and paid in part at another
// rate. Of bill 3 only the total is known. Bills 4 and 5 have no single record yet: a payment shows
// what settled 4, and nothing what settled 5. 6 is a draft, 7 void, 8 gone. 9 has no rate, 10 has
// the rate 0 in the base currency. 11 was paid in advance.
//
// Payment 1 settles 1 and 11, and 5 are left and 3 refunded. Payment 2 and 6 are without their
// bills. 3 has an unknown currency and settles 2. 5 is gone.
const sqlLedger = `
WITH organization AS (
	INSERT INTO sluice.organizations (organization_id, name, time_zone) VALUES ('a', 'Acme', 'Asia/Kolkata'), ('b', 'Beta', 'UTC') RETURNING 1
), described AS (
	INSERT INTO accounting.organizations (organization_id, id, name, currency_id, currency_code, fiscal_year_start_month, ` + own + `)
	VALUES ('a', 'a', 'Acme', '1', 'INR', 3, ` + ownValues + `), ('b', 'b', 'Beta', '1', 'EUR', 0, ` + ownValues + `) RETURNING 1
), bill AS (
	INSERT INTO inventory.bills (organization_id, bill_id, vendor_id, vendor_name, gst_no, status, date, due_date, currency_code, exchange_rate,
		sub_total, tax_total, total, balance, _deleted_at, _detail_state, last_modified_time, is_reverse_charge_applied, ` + own + `)
	SELECT o, i, v, n, g, s, d, due, c, r, net, tax, total, open, gone, e, '2025-05-01Z', i = '10', ` + ownValues + ` FROM (VALUES
		('a', '1', 'v1', 'Wood Works', 'GST-1', 'paid', date '2025-01-10', date '2025-02-09', 'INR', 1::numeric, 100::numeric, 18::numeric, NULL::numeric, 0::numeric, NULL::timestamptz, 'current'),
		('a', '2', 'v1', 'Wood Works', 'GST-1', 'partially_paid', '2025-01-15', '2025-01-31', 'USD', 80, 10, 0, NULL, 4, NULL, 'current'),
		('a', '3', 'v2', 'Acme Supplies Pvt. Ltd.', '', 'open', '2025-02-01', NULL, 'INR', 1, NULL, NULL::numeric, 60, 60, NULL, 'pending'),
		('a', '4', 'v2', 'Acme Supplies Pvt. Ltd.', '', 'overdue', '2025-02-10', '2025-02-20', 'INR', 1, 30, 0, NULL, 10, NULL, 'pending'),
		('a', '5', 'v2', 'Acme Supplies Pvt. Ltd.', '', 'paid', '2025-02-12', '2025-02-28', 'INR', 1, 40, 0, NULL, 0, NULL, 'pending'),
		('a', '6', 'v1', 'Wood Works', '', 'draft', '2025-02-12', '2025-02-28', 'INR', 1, 1000, 0, NULL, 1000, NULL, 'current'),
		('a', '7', 'v1', 'Wood Works', '', 'void', '2025-02-12', '2025-02-28', 'INR', 1, 1000, 0, NULL, 1000, NULL, 'current'),
		('a', '8', 'v1', 'Wood Works', '', 'open', '2025-02-12', '2025-02-28', 'INR', 1, 1000, 0, NULL, 0, now(), 'current'),
		('a', '9', 'v3', 'ACME SUPPLIES', '', 'open', '2025-03-01', '2025-03-31', 'USD', NULL, 7, 0, NULL, 7, NULL, 'current'),
		('a', '10', 'v3', 'ACME SUPPLIES', '', 'open', '2025-03-02', '2025-04-01', 'INR', 0, 4, 1, NULL, 5, NULL, 'current'),
		('a', '11', 'v1', 'Wood Works', 'GST-1', 'paid', '2025-03-20', '2025-03-25', 'INR', 1, 12, 0, NULL, 0, NULL, 'current'),
		('b', '1', 'v1', 'Holz', 'GST-1', 'partially_paid', '2025-01-10', '2025-01-31', 'EUR', 1, 200, 0, NULL, 150, NULL, 'current')
	) AS t (o, i, v, n, g, s, d, due, c, r, net, tax, total, open, gone, e) RETURNING 1
), line AS (
	INSERT INTO inventory.bills_line_items (organization_id, _parent_id, _position, name, account_id, item_total)
	VALUES ('a', '1', 0, 'Board', 'x', 60), ('a', '1', 1, 'Twin', 'y', 40), ('a', '2', 0, 'Freight', 'y', 10), ('a', '9', 0, NULL, 'x', 7),
		('a', '11', 0, 'Board', 'x', 12), ('a', '6', 0, 'Board', 'x', 1000), ('b', '1', 0, 'Board', 'x', 200) RETURNING 1
), reverse AS (
	INSERT INTO inventory.bills_line_items (organization_id, _parent_id, _position, name, account_id, item_total, reverse_charge_tax_id, reverse_charge_tax_name,
		reverse_charge_tax_amount)
	VALUES ('a', '10', 0, 'Board', 'x', 3, 't1', 'GST18', 0.72) RETURNING 1
), levy AS (
	INSERT INTO inventory.bills_taxes (organization_id, _parent_id, _position, tax_name, tax_amount)
	VALUES ('a', '1', 0, 'GST18', 10), ('a', '1', 1, 'Cess', 6), ('a', '10', 0, 'GST18', 1) RETURNING 1
), tax AS (
	INSERT INTO inventory.taxes (organization_id, tax_id, tax_name, tax_percentage, ` + own + `)
	VALUES ('a', 't1', 'GST18', 18, ` + ownValues + `), ('a', 't2', 'Cess', 1, ` + ownValues + `), ('a', 't3', 'Cess', 2, ` + ownValues + `) RETURNING 1
), item AS (
	INSERT INTO inventory.items (organization_id, item_id, name, sku, item_type, product_type, purchase_rate, reorder_level, _detail_state, ` + own + `)
	SELECT o, i, n, 'S' || i, k, p, 5, 10, e, ` + ownValues + ` FROM (VALUES
		('a', 'i1', 'Board', 'inventory', 'goods', 'current'), ('a', 'i2', 'Twin', 'inventory', 'goods', 'current'), ('a', 'i3', 'Twin', 'inventory', 'goods', 'pending'),
		('a', 'i4', 'Advice', 'purchases', 'service', 'current'), ('a', 'c1', 'Kit', 'inventory', 'goods', 'current')) AS t (o, i, n, k, p, e) RETURNING 1
), stock AS (
	INSERT INTO inventory.items_locations (organization_id, _parent_id, _position, location_id, location_stock_on_hand, location_available_stock)
	VALUES ('a', 'i1', 0, 'l1', 4, 3), ('a', 'i1', 1, 'l2', 5, 5), ('a', 'i2', 0, 'l1', 10, 10), ('a', 'i3', 0, 'l1', 1, 1) RETURNING 1
), bundle AS (
	INSERT INTO inventory.composite_items (organization_id, composite_item_id, name, item_type, stock_on_hand, available_stock, reorder_level, ` + own + `)
	VALUES ('a', 'c1', 'Kit', 'inventory', 2, 1, 10, ` + ownValues + `) RETURNING 1
), payment AS (
	INSERT INTO accounting.vendor_payments (organization_id, payment_id, vendor_id, vendor_name, date, amount, balance, exchange_rate, currency_id,
		_deleted_at, _detail_state, last_modified_time, ` + own + `)
	SELECT o, i, v, n, d, a, b, r, c, gone, e, m, ` + ownValues + ` FROM (VALUES
		('a', 'p1', 'v1', 'Wood Works Co', date '2025-01-20', 70::numeric, 5::numeric, 1::numeric, '1', NULL::timestamptz, 'current', timestamptz '2025-06-01Z'),
		('a', 'p2', 'v1', 'Wood Works', '2025-03-05', 48, 0, 1, '1', NULL, 'pending', '2025-03-05Z'),
		('a', 'p3', 'v1', 'Wood Works', '2025-02-20', 6, 0, 82, '9', NULL, 'current', '2025-02-20Z'),
		('a', 'p4', 'v2', 'Acme Supplies', '2025-03-10', 20, 0, 1, '1', NULL, 'current', '2025-03-10Z'),
		('a', 'p5', 'v3', 'ACME SUPPLIES', '2025-03-10', 9, 0, 1, '1', now(), 'current', '2025-03-10Z'),
		('a', 'p6', 'v4', 'Wouters', '2025-03-11', 30, 30, 0, '1', NULL, 'pending', '2025-03-11Z'),
		('b', 'p1', 'v1', 'Holz', '2025-02-01', 50, 0, 1, '1', NULL, 'pending', '2025-02-01Z')
	) AS t (o, i, v, n, d, a, b, r, c, gone, e, m) RETURNING 1
), settled AS (
	INSERT INTO accounting.vendor_payments_bills (organization_id, _parent_id, _position, bill_payment_id, bill_id, amount_applied)
	VALUES ('a', 'p1', 0, 'bp1', '1', 50), ('a', 'p1', 1, 'bp11', '11', 12), ('a', 'p3', 0, 'bp3', '2', 6), ('a', 'p4', 0, 'bp4', '4', 20), ('a', 'p5', 0, 'bp5', '10', 9) RETURNING 1
), refund AS (
	INSERT INTO accounting.vendor_payments_vendorpayment_refunds (organization_id, _parent_id, _position, amount_bcy, amount_fcy) VALUES ('a', 'p1', 0, 3, NULL) RETURNING 1
), paid AS (
	INSERT INTO inventory.bills_payments (organization_id, _parent_id, _position, bill_payment_id, payment_id, date, exchange_rate, amount)
	VALUES ('a', '1', 0, 'bp1', 'p1', '2025-01-20', 1, 50), ('a', '1', 1, 'bp2', 'p2', '2025-03-05', 1, 48), ('a', '2', 0, 'bp3', 'p3', '2025-02-20', 82, 6),
		('a', '8', 0, 'bp8', 'p8', '2025-02-20', 1, 1000), ('a', '11', 0, 'bp11', 'p1', '2025-01-20', 1, 12), ('b', '1', 0, 'bp1', 'p1', '2025-02-01', 1, 50) RETURNING 1
), credit AS (
	INSERT INTO inventory.bills_vendor_credits (organization_id, _parent_id, _position, vendor_credit_id, date, amount) VALUES ('a', '1', 0, 'vc1', '2025-02-15', 20) RETURNING 1
), expense AS (
	INSERT INTO accounting.expenses (organization_id, expense_id, date, account_id, account_name, currency_code, exchange_rate, sub_total, tax_amount, total, customer_id, customer_name, _deleted_at, ` + own + `)
	SELECT 'a', i, '2025-02-03', acc, 'Account ' || acc, c, r, n, t, g, 'k1', 'Client', gone, ` + ownValues + ` FROM (VALUES
		('e1', 'x', 'INR', NULL::numeric, 50::numeric, 9::numeric, 59::numeric, NULL::timestamptz), ('e2', NULL, 'USD', 80, 10, 0, 10, NULL),
		('e3', 'x', 'INR', 1, 1000, 0, 1000, now())) AS t (i, acc, c, r, n, t, g, gone) RETURNING 1
), share AS (
	INSERT INTO accounting.expenses_line_items (organization_id, _parent_id, _position, account_id, amount) VALUES ('a', 'e2', 0, 'x', 6), ('a', 'e2', 1, 'y', 3) RETURNING 1
), account AS (
	INSERT INTO accounting.chart_of_accounts (organization_id, account_id, account_name, account_type, parent_account_id, currency_code, current_balance, ` + own + `)
	SELECT o, i, n, k, p, c, b, ` + ownValues + ` FROM (VALUES
		('a', 'x', 'Material', 'cost_of_goods_sold', NULL, 'INR', 0), ('a', 'y', 'Freight', 'cost_of_goods_sold', 'x', 'INR', 0), ('a', 'z', 'Odd', 'odd_kind', 'gone', NULL, 0),
		('a', 'w', 'Loop', 'bank', 'w', NULL, 0), ('a', 'ap', 'Payables', 'accounts_payable', NULL, 'INR', 361),
		('b', 'ap', 'Payables USD', 'accounts_payable', NULL, 'USD', 0)) AS t (o, i, n, k, p, c, b) RETURNING 1
), opening AS (
	INSERT INTO accounting.opening_balances (organization_id, opening_balance_id, date, ` + own + `) VALUES ('a', 'ob', '2024-12-31', ` + ownValues + `) RETURNING 1
), stood AS (
	INSERT INTO accounting.opening_balances_accounts (organization_id, _parent_id, _position, account_id, debit_or_credit, amount, bcy_amount, exchange_rate, currency_code)
	VALUES ('a', 'ob', 0, 'x', 'debit', 800, NULL, 0, 'INR'), ('a', 'ob', 1, 'ap', 'credit', 10, 800, 80, 'USD') RETURNING 1
), person AS (
	INSERT INTO accounting.contact_persons (organization_id, contact_person_id, contact_id, first_name, last_name, email, phone, ` + own + `)
	VALUES ('a', 'cp1', 'v1', 'Ann', 'Lee', 'Ann@Mail.example', '0123', ` + ownValues + `), ('a', 'cp2', 'v4', 'Bo', '', 'ann@mail.example', '', ` + ownValues + `),
		('b', 'cp1', 'v1', 'Cy', 'Doe', '', NULL, ` + ownValues + `) RETURNING 1
)
INSERT INTO billing.contact_persons (organization_id, contactperson_id, customer_id, first_name, email, ` + own + `)
VALUES ('a', 'cp1', 'k1', 'Di', 'di@mail.example', ` + ownValues + `) RETURNING 'made'`

// ledger returns a database with sqlLedger in it.
func ledger(t *testing.T) string {
	t.Helper()
	url := migrated(t)
	list(t, url, sqlLedger)
	return url
}

// answer compares what statements answer with what they should.
func answer(t *testing.T, url string, tests map[string]answered) {
	t.Helper()
	for what, test := range tests {
		check.Same(t, what, test.want, list(t, url, test.ask))
	}
}

// answered is a statement with its answer.
type answered struct {
	ask  string
	want []string
}

func TestBillsAndPayments(t *testing.T) {
	t.Parallel()
	answer(t, ledger(t), map[string]answered{
		"bills": { // paid + credited + open = gross where both are known
			`SELECT concat_ws(' ', organization_id, bill_id, coalesce(exchange_rate::text, 'unknown'), coalesce(gross_base::text, '-'), coalesce(open_base::text, '-'),
				coalesce(paid::text, '-'), coalesce(credited_base::text, '-'), amounts_from, month) FROM analytics.bills WHERE is_posted ORDER BY organization_id, bill_id::int`,
			[]string{
				"a 1 1 118 0 98 20 single record 2025-01-01", "a 2 80 800 320 6 0 single record 2025-01-01", "a 3 1 60 60 0 0 list 2025-02-01",
				"a 4 1 30 10 - - list 2025-02-01", "a 5 1 40 0 - - list 2025-02-01", "a 9 unknown - - 0 - single record 2025-03-01",
				"a 10 1 5 5 0 0 single record 2025-03-01", "a 11 1 12 0 12 0 single record 2025-03-01", "b 1 1 200 150 50 0 single record 2025-01-01",
			},
		},
		"payments": { // applied + unapplied + refunded = amount where all are known
			`SELECT concat_ws(' ', organization_id, payment_id, is_posted, coalesce(currency_code, '-'), exchange_rate, amount, coalesce(applied::text, '-'), unapplied,
				coalesce(refunded::text, '-'), amount_base) FROM analytics.payments ORDER BY organization_id, payment_id`,
			[]string{
				"a p1 t INR 1 70 62 5 3 70", "a p2 t INR 1 48 - 0 - 48", "a p3 t USD 82 6 6 0 0 492", "a p4 t INR 1 20 20 0 0 20", "a p5 f INR 1 9 9 0 0 9",
				"a p6 t INR 1 30 0 30 0 30", "b p1 t EUR 1 50 - 0 - 50",
			},
		},
		"applications": { // 6 dollars booked at 80 and paid at 82: a loss of 12
			`SELECT concat_ws(' ', organization_id, bill_id, bill_payment_id, payment_id, amount, amount_base, gain_or_loss_base, days_to_pay, days_late, settled_on, seen_on)
				FROM analytics.applications WHERE is_posted ORDER BY organization_id, bill_id::int, bill_payment_id`,
			[]string{
				"a 1 bp1 p1 50 50 0 10 -20 2025-01-20 both", "a 1 bp2 p2 48 48 0 54 24 2025-03-05 bill", "a 2 bp3 p3 6 480 -12 36 20 2025-02-20 both",
				"a 4 bp4 p4 20 20 0 28 18 2025-03-10 payment", "a 11 bp11 p1 12 12 0 -59 -64 2025-03-20 both", "b 1 bp1 p1 50 50 0 22 1 2025-02-01 bill",
			},
		},
		"applications of deleted bills and payments": {
			`SELECT concat_ws(' ', organization_id, bill_id, payment_id, seen_on) FROM analytics.applications WHERE NOT is_posted ORDER BY bill_id::int`,
			[]string{"a 8 p8 bill", "a 10 p5 payment"},
		},
		"credits": {
			`SELECT concat_ws(' ', organization_id, bill_id, vendor_credit_id, settled_on, amount_base, is_posted) FROM analytics.vendor_credit_uses`,
			[]string{"a 1 vc1 2025-02-15 20 t"},
		},
		"spend": { // the gross of bill 1 is 118, of which a line of 60 of 100 has 70.8; item c1 is a bundle; bill 10 has 4 and a line of 3
			`SELECT concat_ws(' ', organization_id, source, document_id, line, line_kind, coalesce(account_id, '-'), coalesce(item_id, '-'), item_match, coalesce(net_base::text, 'no base'),
				coalesce(round(gross_base, 2)::text, 'unknown')) FROM analytics.spend_lines ORDER BY organization_id, source, length(document_id), document_id, line`,
			[]string{
				"a bill 1 0 line x i1 name 60 70.80", "a bill 1 1 line y - none 40 47.20", "a bill 2 0 line y - none 800 800.00", "a bill 3 -1 not loaded - - none no base 60.00",
				"a bill 4 -1 not loaded - - none 30 30.00", "a bill 5 -1 not loaded - - none 40 40.00", "a bill 9 0 line x - none no base unknown",
				"a bill 10 -1 rest - - none 1 1.25", "a bill 10 0 line x i1 name 3 3.75", "a bill 11 0 line x i1 name 12 12.00",
				"a expense e1 0 line x - none 50 59.00", "a expense e2 -1 rest - - none 80 80.00", "a expense e2 0 line x - none 480 480.00", "a expense e2 1 line y - none 240 240.00",
				"b bill 1 0 line x - none 200 200.00",
			},
		},
		"spend is that of the headers": {
			`SELECT concat_ws(' ', h.organization_id, h.source, h.net, round(h.gross, 2)) FROM (
					SELECT organization_id, 'bill' AS source, sum(net_base) AS net, sum(gross_base) AS gross FROM analytics.bills WHERE is_posted GROUP BY 1
					UNION ALL SELECT organization_id, 'expense', sum(net_base), sum(gross_base) FROM analytics.expenses WHERE NOT is_deleted GROUP BY 1) AS h
				JOIN (SELECT organization_id, source, sum(net_base) AS net, sum(gross_base) AS gross FROM analytics.spend_lines GROUP BY 1, 2) AS l USING (organization_id, source)
				WHERE h.net = l.net AND round(h.gross, 6) = round(l.gross, 6) ORDER BY 1`,
			[]string{"a bill 986 1065.00", "a expense 850 859.00", "b bill 200 200.00"},
		},
		"taxes": { // two taxes are called Cess; April begins the fiscal year, so January to March are a quarter
			`SELECT concat_ws(' ', organization_id, bill_id, line, line_kind, coalesce(tax_id, '-'), coalesce(rate::text, '-'), coalesce(is_reverse_charge::text, '-'), coalesce(tax_base::text, 'unknown'), fiscal_quarter_start)
				FROM analytics.bill_taxes ORDER BY organization_id, bill_id::int, line`,
			[]string{
				"a 1 -1 rest - - false 2 2025-01-01", "a 1 0 tax t1 18 false 10 2025-01-01", "a 1 1 tax - - false 6 2025-01-01", "a 3 -1 not loaded - - false unknown 2025-01-01",
				"a 10 -2 reverse charge t1 18 true 0.72 2025-01-01", "a 10 0 tax t1 18 true 1 2025-01-01",
			},
		},
		"expenses": {
			`SELECT concat_ws(' ', organization_id, expense_id, exchange_rate, net_base, tax_base, gross_base) FROM analytics.expenses WHERE NOT is_deleted ORDER BY 1`,
			[]string{"a e1 1 50 9 59", "a e2 80 800 0 800"},
		},
		"opening balance": {
			`SELECT concat_ws(' ', organization_id, account_id, account_type, debit, credit, debit_base, credit_base) FROM analytics.opening_balances ORDER BY line`,
			[]string{"a x cost_of_goods_sold 800 0 800 0", "a ap accounts_payable 0 10 0 800"},
		},
	})
}

func TestPayablesOnADay(t *testing.T) {
	t.Parallel()
	answer(t, ledger(t), map[string]answered{
		// On 15 January nothing is paid: 118, 10 dollars, and 200 euros. By the end of February 50
		// of bill 1 are paid and 20 credited, 6 dollars of bill 2 paid, and of bill 4 nothing. Bill
		// 5 may have been paid before or after.
		"open items": {
			`SELECT concat_ws(' ', i.organization_id, d, bill_id, coalesce(open::text, 'unknown'), coalesce(open_base::text, '-'), days_overdue, bucket)
				FROM (VALUES (date '2025-01-15'), ('2025-02-28')) AS days (d), LATERAL analytics.ap_open_items(d) AS i ORDER BY i.organization_id, d, bill_id::int`,
			[]string{
				"a 2025-01-15 1 118 118 0 not due", "a 2025-01-15 2 10 800 0 not due",
				"a 2025-02-28 1 48 48 19 1 to 30", "a 2025-02-28 2 4 320 28 1 to 30", "a 2025-02-28 3 60 60 no due date", "a 2025-02-28 4 30 30 8 1 to 30", "a 2025-02-28 5 unknown - 0",
				"b 2025-01-15 1 200 200 0 not due", "b 2025-02-28 1 150 150 28 1 to 30",
			},
		},
		"ageing": {
			`SELECT concat_ws(' ', organization_id, vendor_id, currency_code, bills, open, open_base, not_due_base, days_1_to_30_base, no_due_date_base, bills_unknown, gross_unknown_base)
				FROM analytics.ap_ageing_on('2025-02-28') ORDER BY organization_id, vendor_id, currency_code`,
			[]string{"a v1 INR 1 48 48 0 48 0 0 0", "a v1 USD 1 4 320 0 320 0 0 0", "a v2 INR 2 90 90 0 30 60 1 40", "b v1 EUR 1 150 150 0 150 0 0 0"},
		},
		// v1: 118 and 800 billed in January. v2: of 130 billed in February 40 have no day of
		// payment. v3: 7 dollars have no rate. Days payable of v1 in March: 320 of 930 in the 90
		// days from January to March; in January 868 of 918 in 92 days.
		"activity": {
			`SELECT concat_ws(' ', organization_id, vendor_id, to_char(month, 'MM'), opening, billed, paid, credited, undated, closing, coalesce(dpo::text, '-'), bills, coalesce(share_complete::text, '-'), bills_without_rate)
				FROM analytics.ap_activity WHERE month < '2025-05-01' ORDER BY organization_id, vendor_id, month`,
			[]string{
				"a v1 01 0 918 50 0 0 868 87.0 2 1.0000 0", "a v1 02 868 0 480 20 0 368 36.1 0 - 0", "a v1 03 368 12 60 0 0 320 31.0 1 1.0000 0", "a v1 04 320 0 0 0 0 320 2373.3 0 - 0",
				"a v2 02 0 130 0 0 40 90 62.3 3 0.4615 0", "a v2 03 90 0 20 0 0 70 48.5 0 - 0", "a v2 04 70 0 0 0 0 70 47.9 0 - 0",
				"a v3 03 0 5 0 0 0 5 90.0 2 1.0000 1", "a v3 04 5 0 0 0 0 5 89.0 0 - 0",
				"b v1 01 0 200 0 0 0 200 92.0 1 1.0000 0", "b v1 02 200 0 50 0 0 150 67.5 0 - 0", "b v1 03 150 0 0 0 0 150 67.5 0 - 0", "b v1 04 150 0 0 0 0 150 - 0 - 0",
			},
		},
		// Payments 1 and 6 have 35 left; the account is planted with 1 too much. b has no account
		// in euros.
		"control": {
			`SELECT concat_ws(' ', organization_id, currency_code, open_bills, unapplied_payments, subledger_open, accounts, coalesce(account_names, '-'), coalesce(ledger_balance::text, '-'),
				coalesce(difference::text, '-'), documents_without_rate) FROM analytics.ap_control ORDER BY organization_id, currency_code`,
			[]string{"a INR 395 35 360 1 Payables 361 1 1", "b EUR 150 0 150 0 - - - 0", "b USD 0 0 0 1 Payables USD 0 0 0"},
		},
	})
}

func TestDimensions(t *testing.T) {
	t.Parallel()
	answer(t, ledger(t), map[string]answered{
		"vendors": { // the name of the record that changed last is that of payment 1
			`SELECT concat_ws(' ', organization_id, vendor_id, name, array_length(names, 1), coalesce(array_to_string(tax_numbers, ','), '-'), coalesce(array_to_string(currencies, ','), '-'),
				first_document, last_document, bills, payments, open_bills, coalesce(open_base::text, 'unknown'), open_bills_without_rate) FROM analytics.vendors ORDER BY organization_id, vendor_id`,
			[]string{
				"a v1 Wood Works Co 2 GST-1 INR,USD 2025-01-10 2025-03-20 5 3 1 320 0", "a v2 Acme Supplies Pvt. Ltd. 2 - INR 2025-02-01 2025-03-10 3 1 2 70 0",
				"a v3 ACME SUPPLIES 1 - INR,USD 2025-03-01 2025-03-02 2 0 2 5 1", "a v4 Wouters 1 - - 2025-03-11 2025-03-11 0 1 0 0 0",
				"b v1 Holz 1 GST-1 EUR 2025-01-10 2025-02-01 1 1 1 150 0",
			},
		},
		"duplicates": { // a person speaks for v1 and v4; v2 and v3 are called alike
			`SELECT concat_ws(' ', organization_id, vendor_id, other_vendor_id, score, reason) FROM analytics.vendor_duplicates ORDER BY 1`,
			[]string{"a v1 v4 0.5 e-mail", "a v2 v3 0.8 name"},
		},
		"customers": {
			`SELECT concat_ws(' ', organization_id, customer_id, name, credit_notes, expenses) FROM analytics.customers`,
			[]string{"a k1 Client 0 2"},
		},
		"contacts": {
			`SELECT concat_ws(' ', organization_id, service, contact_person_id, contact_kind, first_name, coalesce(nullif(last_name, ''), '-'), email, email_token = first_value(email_token) OVER (ORDER BY organization_id, service, contact_person_id))
				FROM analytics.contacts ORDER BY organization_id, service, contact_person_id`,
			[]string{"a accounting cp1 vendor Ann Lee Ann@Mail.example t", "a accounting cp2 vendor Bo - ann@mail.example t", "a billing cp1 customer Di - di@mail.example f", "b accounting cp1 vendor Cy Doe "},
		},
		"items": { // 9 of i1 are below 10; the stock of i3 is not loaded; c1 is a bundle
			`SELECT concat_ws(' ', organization_id, item_id, kind, is_stocked, coalesce(on_hand::text, '-'), coalesce(below_reorder::text, '-')) FROM analytics.items ORDER BY item_id`,
			[]string{"a c1 bundle f 2 false", "a i1 item t 9 true", "a i2 item t 10 false", "a i3 item t - -", "a i4 item f - false"},
		},
		"accounts": {
			`SELECT concat_ws(' ', organization_id, account_id, coalesce(class, '-'), coalesce(normal_side, '-'), coalesce(path, '-'), level) FROM analytics.accounts ORDER BY organization_id, account_id`,
			[]string{
				"a ap liability credit Payables 0", "a w asset debit -", "a x expense debit Material 0", "a y expense debit Material > Freight 1", "a z - - Odd 0", "b ap liability credit Payables USD 0",
			},
		},
		"calendar": { // 2025-03-30 was a Sunday of week 13; the fiscal year of a begins in April, that of b in January
			`SELECT concat_ws(' ', organization_id, day, week_start, week, month, quarter, fiscal_year, fiscal_quarter, fiscal_month, fiscal_quarter_start, fiscal_year_start, is_month_end)
				FROM analytics.calendar WHERE day IN ('2025-03-30', '2025-04-30') ORDER BY 1`,
			[]string{
				"a 2025-03-30 2025-03-24 13 2025-03-01 2025-01-01 2025 4 12 2025-01-01 2024-04-01 f", "a 2025-04-30 2025-04-28 18 2025-04-01 2025-04-01 2026 1 1 2025-04-01 2025-04-01 t",
				"b 2025-03-30 2025-03-24 13 2025-03-01 2025-01-01 2025 1 3 2025-01-01 2025-01-01 f", "b 2025-04-30 2025-04-28 18 2025-04-01 2025-04-01 2025 2 4 2025-04-01 2025-01-01 t",
			},
		},
		"the calendar's ends": {
			`SELECT concat_ws(' ', c.organization_id, min(day), max(day) - make_date(extract(year FROM min(o.today))::int + 1, 12, 31), count(*) = max(day) - min(day) + 1)
				FROM analytics.calendar AS c JOIN analytics.organizations AS o USING (organization_id) GROUP BY c.organization_id ORDER BY 1`,
			[]string{"a 2025-01-01 0 t", "b 2025-01-01 0 t"},
		},
	})
}
