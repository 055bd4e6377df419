package migrations_test

import (
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/pipeline/check"
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
	parsed := check.Sure(url.Parse(address))(t)
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
	check.Same(t, "quality", want, got)
	got = list(t, url, `SELECT sentence FROM analytics.quality WHERE organization_id = 'a' AND check_name IN ('bill_lines', 'quarantine', 'paid_before_billed') ORDER BY check_name`)
	want = []string{
		"The lines add up to 95, the bill says 100 before tax.", "It is dated 2026-01-08 and was paid from 2026-01-01 on.",
		"2 records did not fit the table and are kept aside: they are in no sum.",
	}
	check.Same(t, "sentences", want, got)
	keys(t, url, "quality")
}

func TestCatalog(t *testing.T) {
	url := parallel(t)
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
	check.Same(t, "columns", want, got)
	// The tables of the program itself are none of it.
	got = list(t, url, `SELECT string_agg(DISTINCT schema_name, ' ' ORDER BY schema_name) FROM analytics.catalog`)
	check.ErrorIf(t, !cmp.Equal([]string{"accounting analytics billing chat inventory invoicing"}, got), "schemas: %q", got)
	keys(t, url, "catalog")
}

// TestFreshnessOfDetails: what is still to be read, up to when deletions are known, and since when
// the past is.
func TestFreshnessOfDetails(t *testing.T) {
	url := parallel(t)
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
	check.Same(t, "freshness", want, got)
}

// sqlBooks are two organizations of equal identifiers, one of them ahead of the date line. Bill 1
// has lines, 2 is in dollars and without lines, 3 has lines that lack 5, 4 has no rate, 5 no due
// date, 6 is a draft, 7 is void, 8 is gone, 9 is paid, and of 10 only the total is known.
const sqlBooks = `
WITH organization AS (
	INSERT INTO sluice.organizations (organization_id, name, time_zone)
	VALUES ('a', 'Acme', 'Pacific/Kiritimati'), ('b', 'Beta', 'Pacific/Pago_Pago') RETURNING 1
), described AS (
	INSERT INTO inventory.organizations (organization_id, id, name, currency_code,
		_content_hash, _call_id, _raw_position, _run_id, _first_seen_at, _changed_at)
	SELECT o, i, n, c, '\x00', 1, 0, 1, now(), now() FROM (VALUES
		('a', '100', 'Acme', 'INR'), ('a', '200', 'Another one', 'JPY'), ('b', 'b', 'Other name', 'EUR')) AS v (o, i, n, c) RETURNING 1
), bill AS (
	INSERT INTO inventory.bills (organization_id, bill_id, vendor_id, vendor_name, status, date, due_date, currency_code, exchange_rate,
		sub_total, tax_total, total, balance, _deleted_at, _detail_state,
		_content_hash, _call_id, _raw_position, _run_id, _first_seen_at, _changed_at)
	SELECT o, i, v, 'Vendor ' || v, s, d, (now() AT TIME ZONE CASE o WHEN 'a' THEN 'Pacific/Kiritimati' ELSE 'Pacific/Pago_Pago' END)::date - overdue,
		c, r, n, t, g, open, gone, e, '\x00', 1, 0, 1, now(), now()
	FROM (VALUES
		('a', '1', 'v1', 'open', date '2026-01-05', 0, 'INR', 1::numeric, 100::numeric, 18::numeric, NULL::numeric, 118::numeric, NULL::timestamptz, 'current'),
		('a', '2', 'v1', 'overdue', '2026-01-06', 31, 'USD', 80, 10, 1, NULL, 11, NULL, 'pending'),
		('a', '3', 'v2', 'partially_paid', '2026-02-01', 30, 'INR', 1, 50, 5, NULL, 20, NULL, 'none_needed'),
		('a', '4', 'v2', 'open', '2026-02-02', 1, 'USD', NULL, 7, 0, NULL, 7, NULL, 'stale'),
		('a', '5', 'v2', 'open', '2026-02-03', NULL, 'INR', 1, 3, 0, NULL, 3, NULL, 'pending'),
		('a', '6', 'v1', 'draft', '2026-01-05', 100, 'INR', 1, 1000, 0, NULL, 1000, NULL, 'current'),
		('a', '7', 'v1', 'void', '2026-01-05', 100, 'INR', 1, 1000, 0, NULL, 1000, NULL, 'current'),
		('a', '8', 'v1', 'open', '2026-01-05', 100, 'INR', 1, 1000, 0, NULL, 1000, now(), 'current'),
		('a', '9', 'v1', 'paid', '2026-01-05', 100, 'INR', 1, 40, 0, NULL, 0, NULL, 'pending'),
		('a', '10', 'v3', 'open', '2026-01-05', 91, 'INR', 1, NULL, NULL::numeric, 60, 60, NULL, 'pending'),
		('b', '1', 'v1', 'open', '2026-01-05', 61, 'EUR', 1, 200, 0, NULL, 200, NULL, 'current')
	) AS v (o, i, v, s, d, overdue, c, r, n, t, g, open, gone, e) RETURNING 1
)
INSERT INTO inventory.bills_line_items (organization_id, _parent_id, _position, account_id, item_total)
SELECT o, i, p, acc, n FROM (VALUES ('a', '1', 0, 'x', 60::numeric), ('a', '1', 1, 'y', 40), ('a', '3', 0, 'x', 45),
	('a', '4', 0, 'x', 999), ('a', '6', 0, 'x', 1000), ('a', '8', 0, 'x', 1000), ('b', '1', 0, 'x', 200)) AS l (o, i, p, acc, n)
RETURNING 'made'`

func TestPayables(t *testing.T) {
	url := parallel(t)
	list(t, url, sqlBooks)
	for what, test := range map[string]struct {
		ask  string
		want []string
	}{
		"organizations": {
			`SELECT concat_ws(' ', organization_id, name, base_currency, time_zone, today - (now() AT TIME ZONE time_zone)::date) FROM analytics.organizations ORDER BY 1`,
			[]string{"a Acme INR Pacific/Kiritimati 0", "b Beta EUR Pacific/Pago_Pago 0"},
		},
		"bills": {
			`SELECT concat_ws(' ', organization_id, bill_id, CASE WHEN is_posted THEN 'posted' ELSE 'not' END, coalesce(gross::text, 'unknown'),
				coalesce(gross_base::text, 'no rate'), coalesce(open_base::text, 'no base'), coalesce(days_overdue::text, '-'), coalesce(bucket, '-'), lines_loaded)
				FROM analytics.bills ORDER BY organization_id, bill_id::int`,
			[]string{
				"a 1 posted 118 118 118 0 not due t", "a 2 posted 11 880 880 31 31 to 60 f", "a 3 posted 55 55 20 30 1 to 30 t",
				"a 4 posted 7 no rate no base 1 1 to 30 f", "a 5 posted 3 3 3 - no due date f", "a 6 not 1000 1000 1000 100 over 90 t",
				"a 7 not 1000 1000 1000 100 over 90 t", "a 8 not 1000 1000 1000 100 over 90 t", "a 9 posted 40 40 0 - - f",
				"a 10 posted 60 60 60 91 over 90 f", "b 1 posted 200 200 200 61 61 to 90 t",
			},
		},
		"ageing": {
			`SELECT concat_ws(' ', organization_id, vendor_id, currency_code, bills, open, coalesce(open_base::text, 'unknown'), not_due_base, days_1_to_30_base,
				days_31_to_60_base, days_61_to_90_base, over_90_days_base, no_due_date_base, bills_without_rate)
				FROM analytics.ap_ageing ORDER BY organization_id, vendor_id, currency_code`,
			[]string{
				"a v1 INR 1 118 118 118 0 0 0 0 0 0", "a v1 USD 1 11 880 0 0 880 0 0 0 0", "a v2 INR 2 23 23 0 20 0 0 0 3 0",
				"a v2 USD 1 7 unknown 0 0 0 0 0 0 1", "a v3 INR 1 60 60 0 0 0 0 60 0 0", "b v1 EUR 1 200 200 0 0 0 200 0 0 0",
			},
		},
	} {
		check.Same(t, what, test.want, list(t, url, test.ask))
	}
}

func TestFreshnessAndDeletions(t *testing.T) {
	url := parallel(t)
	list(t, url, `INSERT INTO sluice.organizations (organization_id, name, time_zone) VALUES ('a', 'Acme', 'UTC') RETURNING 'made'`)
	list(t, url, `INSERT INTO sluice.streams (organization_id, service, resource, every, enabled, state, watermark, last_done_at, next_due_at)
		SELECT 'a', 'inventory', r, interval '1 hour', on_, s, w, v.w, timestamptz '2026-01-02Z' FROM (VALUES
			('bills', true, 'running', timestamptz '2026-01-01Z'), ('bills.details', true, 'idle', NULL), ('items', true, 'idle', NULL),
			('taxes', true, 'denied', NULL), ('locations', false, 'idle', '2026-01-01Z')) AS v (r, on_, s, w) RETURNING 'made'`)
	list(t, url, `INSERT INTO sluice.quarantine (organization_id, service, resource, record_hash, record_id, raw, code, state)
		SELECT 'a', 'inventory', 'bills', i::bytea, i, '{}', 'c', s FROM (VALUES ('1', 'open'), ('2', 'open'), ('3', 'resolved')) AS v (i, s) RETURNING 'made'`)
	got := list(t, url, `SELECT concat_ws(' ', organization_id, resource, coalesce((complete_up_to AT TIME ZONE 'UTC')::date::text, '-'), age > interval '1 day',
		(next_look_at AT TIME ZONE 'UTC')::date, state, in_quarantine) FROM analytics.freshness ORDER BY resource`)
	want := []string{
		"a inventory.bills 2026-01-01 t 2026-01-02 copied 2", "a inventory.items - 2026-01-02 first copy under way 0",
		"a inventory.locations 2026-01-01 t 2026-01-02 not copied any more 0", "a inventory.taxes - 2026-01-02 denied 0",
	}
	check.Same(t, "freshness", want, got)
	list(t, url, `INSERT INTO sluice.tombstones (organization_id, service, resource, record_id, state, suspected_run_id, suspected_first_call, suspected_last_call,
			suspected_clock, proof, proof_run_id, deleted_at, decided_by, restored_at)
		SELECT 'a', 'inventory', 'bills', i, s, 1, 1, 1, now(), p, 1, d, b, r FROM (VALUES
			('1', 'deleted', 'scan', timestamptz '2026-01-03Z', 'rule', NULL::timestamptz), ('2', 'restored', 'not_found', '2026-01-04Z', 'person', '2026-01-05Z'),
			('3', 'needs_review', 'scan', '2026-01-03Z', NULL::text, NULL::timestamptz)) AS v (i, s, p, d, b, r) RETURNING 'made'`)
	got = list(t, url, `SELECT concat_ws(' ', resource, record_id, (gone_at AT TIME ZONE 'UTC')::date, evidence, decided_by, is_gone, (back_at AT TIME ZONE 'UTC')::date)
		FROM analytics.deleted ORDER BY record_id`)
	want = []string{
		"inventory.bills 1 2026-01-03 two whole lists did not show it the program t",
		"inventory.bills 2 2026-01-04 upstream does not know it any more a person f 2026-01-05",
	}
	check.Same(t, "deletions", want, got)
}

// keysAreUnique checks the key of each view in a database with rows.
func keysAreUnique(t *testing.T, url string) {
	t.Helper()
	views := list(t, url, `SELECT name FROM sluice.views WHERE to_regclass('analytics.' || name) IS NOT NULL ORDER BY name`)
	check.FatalIf(t, len(views) < 6, "only these views are made: %q", views)
	for _, view := range views {
		key := list(t, url, `SELECT coalesce(substring(obj_description(to_regclass('analytics.`+view+`')) FROM '^One row for each .*?; key: \(?([a-z_, ]+)\)?\.'), '')`)[0]
		if key == "" {
			t.Errorf("the comment of analytics.%s does not begin with what a row is, and its key", view)
			continue
		}
		twice := list(t, url, `SELECT concat_ws(' ', `+key+`, count(*)) FROM analytics.`+view+` GROUP BY `+key+` HAVING count(*) > 1 OR num_nulls(`+key+`) > 0`)
		check.ErrorIf(t, len(twice) != 0, "the key (%s) of analytics.%s is not unique: %q", key, view, twice)
	}
}

// TestFunctionsForAnalysts: each is inlined into the query that calls it, runs with the rights of
// its caller, reads no table, and has a comment. There is one of each name.
func TestFunctionsForAnalysts(t *testing.T) {
	url := parallel(t)
	functions := list(t, url, `SELECT name FROM sluice.views WHERE to_regclass('analytics.' || name) IS NULL ORDER BY name`)
	check.FatalIf(t, len(functions) == 0, "no functions are made")
	for _, function := range functions {
		of := `FROM pg_proc p WHERE pronamespace = 'analytics'::regnamespace AND proname = '` + function + `'`
		got := list(t, url, `SELECT concat_ws(' ', provolatile, CASE WHEN prosecdef THEN 'definer' ELSE 'caller' END,
			coalesce(proconfig::text, 'plain'), CASE WHEN prosqlbody IS NOT NULL THEN 'parsed' END, right(obj_description(oid, 'pg_proc'), 1)) `+of)
		check.Same(t, "analytics."+function+": how it is made", []string{"s caller plain parsed ."}, got)
		tables := list(t, url, `SELECT DISTINCT refobjid::regclass::text FROM pg_depend d JOIN pg_class c ON c.oid = refobjid
			WHERE classid = 'pg_proc'::regclass AND refclassid = 'pg_class'::regclass AND relnamespace <> 'analytics'::regnamespace
			AND objid IN (SELECT p.oid `+of+`)`)
		check.ErrorIf(t, len(tables) != 0, "analytics.%s reads %q, which its callers may not", function, tables)
	}
}
