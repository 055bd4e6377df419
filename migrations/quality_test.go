package migrations_test

import (
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sqlDoubtful are two organizations of equal identifiers; of b the settings are not copied. Bills 1
// to 4 are without fault but for one check each: lines, taxes, balance, and a payment before it. Of
// bill 5 nothing is known, 6 and 7 have one number, 7 and 8 one amount on one day. Bill 9 is a
// draft and 10 is gone: they are not looked at.
const sqlDoubtful = `
WITH organization AS (
	INSERT INTO sluice.organizations (organization_id, name, time_zone) VALUES ('a', 'Acme', 'UTC'), ('b', 'Beta', 'UTC') RETURNING 1
), described AS (
	INSERT INTO accounting.organizations (organization_id, id, name, currency_code, ` + own + `) VALUES ('a', 'a', 'Acme', 'INR', ` + ownValues + `) RETURNING 1
), bill AS (
	INSERT INTO inventory.bills (organization_id, bill_id, vendor_id, bill_number, status, date, due_date, currency_code, exchange_rate, sub_total, tax_total, balance,
		_deleted_at, _detail_state, ` + own + `)
	SELECT o, i, v, n, s, d, d AS due, c, r, net, tax, open, gone, e, ` + ownValues + ` FROM (VALUES
		('a', '1', 'v1', '1', 'open', date '2026-01-05', 'INR', 0::numeric, 100::numeric, 18::numeric, 118::numeric, NULL::timestamptz, 'current'),
		('a', '2', 'v1', '2', 'open', '2026-01-06', 'INR', 1, 50, 9, 59, NULL, 'current'), ('a', '3', 'v1', '3', 'open', '2026-01-07', 'USD', 80, 40, 0, 25, NULL, 'current'),
		('a', '4', 'v1', '4', 'paid', '2026-01-08', 'USD', 80, 7, 0, 0, NULL, 'current'), ('a', '5', 'v1', NULL, 'open', NULL, null, NULL, null, NULL, 4, NULL, 'pending'),
		('a', '6', 'v2', 'X1', 'paid', '2026-01-09', 'INR', 1, 11, 0, 0, NULL, 'pending'), ('a', '7', 'v2', 'x1', 'paid', '2026-01-10', 'INR', 1, 12, 0, 0, NULL, 'pending'),
		('a', '8', 'v2', 'x2', 'paid', '2026-01-10', 'INR', 1, 12, 0, 0, NULL, 'pending'), ('a', '9', 'v1', '1', 'draft', NULL, null, NULL, 1, 0, 1, NULL, 'pending'),
		('a', '10', 'v1', '1', 'open', NULL, null, NULL, 1, 0, 1, now(), 'current'), ('b', '1', 'v1', '1', 'paid', '2026-01-05', 'EUR', 1, 1, 0, 0, NULL, 'pending')
	) AS b (o, i, v, n, s, d, c, r, net, tax, open, gone, e) RETURNING 1
), line AS (
	INSERT INTO inventory.bills_line_items (organization_id, _parent_id, _position, item_total)
	VALUES ('a', '1', 0, 60), ('a', '1', 1, 35), ('a', '2', 0, 50), ('a', '3', 0, 40), ('a', '4', 0, 7), ('a', '10', 0, 999) RETURNING 1
), tax AS (
	INSERT INTO inventory.bills_taxes (organization_id, _parent_id, _position, tax_amount) VALUES ('a', '1', 0, 18), ('a', '2', 0, 9.5), ('a', '2', 1, 1) RETURNING 1
), settled AS (
	INSERT INTO inventory.bills_payments (organization_id, _parent_id, _position, bill_payment_id, payment_id, date, amount)
	VALUES ('a', '3', 0, 's1', '1', '2026-01-07', 10), ('a', '4', 0, 's2', '1', '2026-01-01', 5), ('a', '4', 1, 's3', '2', '2026-01-03', 2) RETURNING 1
), payment AS (
	INSERT INTO accounting.vendor_payments (organization_id, payment_id, date, currency_id, exchange_rate, amount, balance, _detail_state, ` + own + `)
	VALUES ('a', '1', '2026-01-01', '2', 80, 15, 0, 'pending', ` + ownValues + `), ('a', '2', '2026-01-03', '2', 0, 2, 0, 'pending', ` + ownValues + `),
		('a', '3', '2026-01-04', '2', 80, 10, 0, 'current', ` + ownValues + `) RETURNING 1
), used AS (
	INSERT INTO accounting.vendor_payments_bills (organization_id, _parent_id, _position, bill_payment_id, bill_id, amount_applied)
	VALUES ('a', '3', 0, 's9', '99', 12) RETURNING 1
), currency AS (
	INSERT INTO invoicing.currencies (organization_id, currency_id, currency_code, ` + own + `) VALUES ('a', '2', 'USD', ` + ownValues + `) RETURNING 1
), note AS (
	INSERT INTO inventory.credit_notes (organization_id, creditnote_id, status, date, currency_code, total, balance, _detail_state, ` + own + `)
	VALUES ('a', '1', 'open', '2026-01-05', 'INR', 10, 5, 'current', ` + ownValues + `), ('a', '2', 'open', NULL, 'USD', 1, 1, 'pending', ` + ownValues + `) RETURNING 1
), credit AS (
	INSERT INTO inventory.credit_notes_invoices (organization_id, _parent_id, _position, amount) VALUES ('a', '1', 0, 8) RETURNING 1
), opening AS (
	INSERT INTO accounting.opening_balances (organization_id, opening_balance_id, ` + own + `) VALUES ('a', '1', ` + ownValues + `) RETURNING 1
), account AS (
	INSERT INTO accounting.opening_balances_accounts (organization_id, _parent_id, _position, debit_or_credit, bcy_amount)
	VALUES ('a', '1', 0, 'debit', 5), ('a', '1', 1, 'credit', 4) RETURNING 1
), adjustment AS (
	INSERT INTO accounting.base_currency_adjustments (organization_id, base_currency_adjustment_id, adjustment_date, gain_or_loss, ` + own + `)
	VALUES ('a', '1', '2026-01-31', -3, ` + ownValues + `) RETURNING 1
)
INSERT INTO sluice.quarantine (organization_id, service, resource, record_hash, raw, code, state)
SELECT 'a', 'inventory', 'items', i::bytea, '{}', 'c', s FROM (VALUES ('1', 'open'), ('2', 'open'), ('3', 'resolved')) AS v (i, s) RETURNING 'made'`

// interpreted returns the address of a database for sessions that compile no queries: with few
// rows, compiling a query over many views takes longer than all the rest.
func interpreted(t *testing.T, address string) string {
	t.Helper()
	parsed, err := url.Parse(address)
	must(t, err)
	options := parsed.Query()
	options.Set("jit", "off")
	parsed.RawQuery = options.Encode()
	return parsed.String()
}

func TestQuality(t *testing.T) {
	t.Parallel()
	url := interpreted(t, migrated(t))
	list(t, url, sqlDoubtful)
	got := list(t, url, `SELECT concat_ws(' ', organization_id, resource, nullif(record_id, ''), check_name, severity, coalesce(date::text, '-'), coalesce(amount::text, '-'), coalesce(currency_code, '-'))
		FROM analytics.quality ORDER BY organization_id, resource, lpad(record_id, 3), check_name`)
	want := []string{
		"a accounting.base_currency_adjustments 1 adjustment_accounts violation 2026-01-31 3 INR",
		"a accounting.opening_balances 1 opening_balances violation - - -",
		"a accounting.vendor_payments 2 rate_unknown notice 2026-01-03 2 USD",
		"a accounting.vendor_payments 3 payments_applied violation 2026-01-04 2 USD",
		"a inventory.bills 1 bill_lines violation 2026-01-05 5 INR",
		"a inventory.bills 2 bill_taxes violation 2026-01-06 1.5 INR",
		"a inventory.bills 3 bill_balances violation 2026-01-07 5 USD", // 40 - 10 - 25
		"a inventory.bills 4 paid_before_billed notice 2026-01-08 7 USD",
		"a inventory.bills 5 amount_unknown notice - - -",
		"a inventory.bills 5 currency_unknown notice - - -",
		"a inventory.bills 5 date_unknown notice - - -",
		"a inventory.bills 5 due_date_unknown notice - 4 -",
		"a inventory.bills 5 rate_unknown notice - - -",
		"a inventory.bills 6 bill_number_repeated notice 2026-01-09 11 INR",
		"a inventory.bills 7 bill_amount_repeated notice 2026-01-10 12 INR",
		"a inventory.bills 7 bill_number_repeated notice 2026-01-10 12 INR",
		"a inventory.bills 8 bill_amount_repeated notice 2026-01-10 12 INR",
		"a inventory.credit_notes 1 credits_applied violation 2026-01-05 - INR",
		"a inventory.credit_notes 2 date_unknown notice - 1 USD",
		"a inventory.credit_notes 2 rate_unknown notice - 1 USD",
		"a inventory.items quarantine notice - - -",
		"b analytics.organizations b base_currency_unknown notice - - -",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("quality (-want +got):\n%s", diff)
	}
	got = list(t, url, `SELECT sentence FROM analytics.quality WHERE organization_id = 'a' AND check_name IN ('bill_lines', 'quarantine', 'paid_before_billed') ORDER BY check_name`)
	want = []string{
		"The lines add up to 95, the bill says 100 before tax.", "It is dated 2026-01-08 and was paid from 2026-01-01 on.",
		"2 records did not fit the table and are kept aside: they are in no sum.",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sentences (-want +got):\n%s", diff)
	}
	keys(t, url, "quality")
}

func TestCatalog(t *testing.T) {
	t.Parallel()
	url := migrated(t)
	list(t, url, `INSERT INTO sluice.columns (schema_name, table_name, column_name, place, kind, class, is_assumed, wire, sentence) VALUES
		('inventory', 'bills', 'notes', 0, 'text', 'free text', false, 'notes', 'Free note.'), ('inventory', 'bills', 'vendor_name', 1, 'text', 'company', true, '', 'Its name.') RETURNING 'made'`)
	got := list(t, url, `SELECT concat_ws(' | ', schema_name, table_name, column_name, is_view, kind, coalesce(class, '-'), is_personal, coalesce(is_assumed::text, '-'), coalesce(source_key, '-'), sentence)
		FROM analytics.catalog WHERE table_name = 'bills' AND column_name IN ('notes', 'vendor_name', '_extra', 'lines_loaded') ORDER BY 1`)
	want := []string{
		"analytics | bills | lines_loaded | t | boolean | - | f | - | - | Whether its lines are loaded, in the newest version known.",
		"analytics | bills | vendor_name | t | text | - | f | - | - | Name of the vendor on the bill.",
		"inventory | bills | _extra | f | jsonb | free text | t | - | - | Keys that upstream sent and no declaration knows, by their path; null if there are none.",
		"inventory | bills | notes | f | text | free text | t | false | notes | Free note.",
		"inventory | bills | vendor_name | f | text | company | f | true | - | Its name.",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
	// The tables of the program itself are none of it.
	got = list(t, url, `SELECT string_agg(DISTINCT schema_name, ' ' ORDER BY schema_name) FROM analytics.catalog`)
	if want := []string{"accounting analytics billing chat inventory invoicing"}; !cmp.Equal(want, got) {
		t.Errorf("schemas: %q", got)
	}
	keys(t, url, "catalog")
}

// TestFreshnessOfDetails: what is still to be read, up to when deletions are known, and since when
// the past is.
func TestFreshnessOfDetails(t *testing.T) {
	t.Parallel()
	url := migrated(t)
	list(t, url, sqlDoubtful)
	list(t, url, `WITH stream AS (
			INSERT INTO sluice.streams (organization_id, service, resource, every, watermark)
			SELECT o, s, r, interval '1 hour', now() FROM (VALUES ('a', 'inventory', 'bills'), ('a', 'inventory', 'bills.sweep'), ('a', 'inventory', 'taxes'),
				('a', 'accounting', 'vendor_payments'), ('b', 'inventory', 'bills')) AS v (o, s, r) RETURNING 1
		), period AS (
			INSERT INTO history.periods (organization_id, service, resource, asked_at, began_at, ended_at, in_schema, key_column, arrays, versions, daily, time_zone, dropped_to)
			SELECT 'a', 'inventory', r, b, b AS began, e, 'inventory', 'x', '{}', true, '{}', 'UTC', d FROM (VALUES
				('bills', timestamptz '2026-01-01Z', timestamptz '2026-01-05Z', NULL::timestamptz), ('bills', '2026-01-10Z', NULL, '2026-01-20Z'),
				('taxes', '2026-01-01Z', '2026-01-05Z', NULL)) AS v (r, b, e, d) RETURNING 1
		)
		INSERT INTO sluice.runs (organization_id, service, resource, class, gen, started_at, ended_at, outcome, proof, bound)
		SELECT o, 'inventory', r, 'sweep', 1, s, CASE WHEN x <> '' THEN s END, nullif(x, ''), p, b FROM (VALUES
			('a', 'bills.sweep', timestamptz '2026-01-01Z', 'done', 'keyset', NULL::timestamptz), ('a', 'bills.sweep', '2026-01-03Z', 'done', 'keyset', NULL),
			('a', 'bills.sweep', '2026-01-04Z', 'done', '', NULL), ('a', 'bills.sweep', '2026-01-05Z', 'failed', 'keyset', NULL), ('a', 'bills.sweep', '2026-01-06Z', '', 'keyset', NULL),
			('a', 'bills', '2026-01-07Z', 'done', 'one page', '2026-01-06Z'), ('a', 'taxes', '2026-01-08Z', 'done', 'one page', NULL)) AS v (o, r, s, x, p, b)
		RETURNING 'made'`)
	// Of the 9 bills of a that are there 5 to 9 wait, and of its 3 payments two.
	got := list(t, url, `SELECT concat_ws(' ', organization_id, resource, coalesce(backlog::text, '-'), coalesce(share_complete::text, '-'),
		coalesce((deletions_known_up_to AT TIME ZONE 'UTC')::date::text, '-'), coalesce((past_since AT TIME ZONE 'UTC')::date::text, '-')) FROM analytics.freshness ORDER BY 1`)
	want := []string{
		"a accounting.vendor_payments 2 0.3333 - -", "a inventory.bills 5 0.4444 2026-01-03 2026-01-20", "a inventory.taxes - - 2026-01-08 -",
		"b inventory.bills 1 0.0000 - -",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("freshness (-want +got):\n%s", diff)
	}
}
