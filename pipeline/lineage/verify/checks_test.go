package verify_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/contents"
	"sluice/pipeline/warehouse/verifications"
)

// ours are the columns that sluice adds to every table.
const ours = `_content_hash, _call_id, _raw_position, _run_id, _first_seen_at, _changed_at`

// bill returns statements that insert one bill: its own columns, then lines, taxes, payments and
// credits, each as a list of amounts.
func bill(id, columns, values string, lines, taxes, payments, credits []string) string {
	b := `INSERT INTO inventory.bills (organization_id, bill_id, ` + columns + `, _detail_state, ` + ours + `)
		VALUES ('1', '` + id + `', ` + values + `, 'current', '\x00', 0, 0, 1, now(), now());`
	for _, array := range []struct {
		table, column string
		amounts       []string
	}{
		{"bills_line_items", "item_total", lines}, {"bills_taxes", "tax_amount", taxes}, {"bills_payments", "amount", payments},
		{"bills_vendor_credits", "amount", credits},
	} {
		for i, amount := range array.amounts {
			b += `INSERT INTO inventory.` + array.table + ` (organization_id, _parent_id, _position, ` + array.column + `)
				VALUES ('1', '` + id + `', ` + string(rune('0'+i)) + `, ` + amount + `);`
		}
	}
	return b
}

// with makes a list of amounts.
func with(amounts ...string) []string { return amounts }

const sums = "status, sub_total, tax_total, balance, price_precision"

// keeps turns the history of the orders on and writes one version of each.
const keeps = `INSERT INTO history.periods (organization_id, service, resource, asked_at, began_at, in_schema, key_column, modified_column, arrays,
		versions, daily, time_zone)
	VALUES ('1', 'shop', 'orders', now(), clock_timestamp(), 'shop', 'order_id', 'edited', '{orders_lines,orders_lines_taxes,orders_labels}', true, '{}', 'UTC');
	SELECT history.write_versions('1', 'shop', 'orders', '{7,8,9}');`

// violations has for each check statements that break only what it checks, and the records that the
// check has to name; "" is a finding about no record.
var violations = map[string]struct { //nolint:gochecknoglobals // a table of cases
	sql  string
	want string
}{
	"orphans": {
		sql: `SET LOCAL session_replication_role = replica; INSERT INTO shop.orders_labels VALUES ('1', 'gone', 0, 'x'), ('1', '7', 9, 'x');
			INSERT INTO shop.orders_lines VALUES ('1', 'lost', 0, 1); INSERT INTO shop.orders_lines_taxes VALUES ('1', '7', 8, 0, 'x');
			CREATE TABLE shop.orders_loose (organization_id text, _parent_id text, _position integer)`,
		want: " 7 gone lost",
	},
	"rows_without_call": {
		sql:  `UPDATE shop.orders SET _call_id = 999999 WHERE order_id = '7'; UPDATE shop.orders SET _call_id = 0 WHERE order_id = '8'`,
		want: "7", // a call from before the log may have been
	},
	"rows_without_raw": {
		// 8 refers to a position after the end of its archive; 9 refers to a call that brought no
		// single record.
		sql:  `UPDATE shop.orders SET _raw_position = 7 WHERE order_id = '8'; UPDATE shop.orders SET _detail_call_id = 999, _detail_raw_position = 0 WHERE order_id = '9'`,
		want: "8 9",
	},
	"details_unproven": {sql: `UPDATE shop.orders SET _detail_state = 'current'; UPDATE shop.orders SET _detail_hash = '\x00', _detail_call_id = 1 WHERE order_id = '8'`, want: "7 9"},
	"watermarks_ahead": {sql: `UPDATE sluice.streams SET watermark = clock_timestamp() + interval '1 minute' WHERE resource = 'orders'`, want: ""},
	"watermarks_unproven": {
		sql: `UPDATE sluice.streams SET watermark = '2026-01-02', last_done_at = '2026-01-01' WHERE resource = 'orders';
			UPDATE sluice.streams SET watermark = '2026-01-01', last_done_at = '2026-01-02' WHERE resource = 'orders.details'`,
		want: "",
	},
	"runs_adrift": {
		sql:  `INSERT INTO sluice.runs (organization_id, service, resource, class, gen) VALUES ('1', 'shop', 'orders', 'sweep', 0)`,
		want: "",
	},
	"requests_overtaken": {sql: `UPDATE sluice.streams SET served_gen = requested_gen + 1 WHERE resource = 'orders'`, want: ""},
	"calls_unended": {
		sql: `UPDATE sluice.calls SET finished_at = NULL, reserved_at = now() - interval '1 hour', lease_until = now() - interval '55 minutes';
			UPDATE sluice.calls SET lease_until = now() + interval '1 minute' WHERE id <> (SELECT min(id) FROM sluice.calls)`,
		want: "",
	},
	"bill_lines": {
		sql: bill("sound", sums, `'open', 30.00, 3, 33, 2`, with("10", "20.01"), with("3"), nil, nil) + // rounding
			bill("wrong", sums, `'open', 30.00, 3, 33, 2`, with("10", "20.05"), with("3"), nil, nil) +
			bill("none", sums, `'open', 30.00, 3, 33, 2`, nil, with("3"), nil, nil) +
			bill("whole", sums, `'open', 3000, 0, 3000, 0`, with("1000", "2001"), nil, nil, nil) + // a currency without decimals
			bill("unknown", sums, `'open', 30.00, 3, 33, 2`, with("10", "NULL"), with("3"), nil, nil) +
			bill("header", sums, `'open', 30.00, 3, 33, 2`, nil, nil, nil, nil) + `UPDATE inventory.bills SET _detail_state = 'stale' WHERE bill_id = 'header';` +
			bill("discounted", sums+", _extra", `'open', 30.00, 3, 33, 2, '{"discount_amount": 5}'`, with("35"), with("3"), nil, nil) +
			bill("inclusive", sums+", _extra", `'open', 30.00, 3, 33, 2, '{"is_inclusive_tax": true}'`, with("33"), with("3"), nil, nil) +
			bill("exclusive", sums+", _extra", `'open', 30.00, 3, 33, 2, '{"is_inclusive_tax": false, "discount": 0}'`, with("33"), with("3"), nil, nil),
		want: "exclusive none wrong",
	},
	"bill_taxes": {
		sql: bill("sound", sums, `'open', 30, 3, 33, 2`, with("30"), with("1", "2.01"), nil, nil) +
			bill("wrong", sums, `'open', 30, 3, 33, 2`, with("30"), with("1", "2.5"), nil, nil) +
			bill("reversed", sums+", is_reverse_charge_applied", `'open', 30, 0, 30, 2, true`, with("30"), with("3"), nil, nil),
		want: "wrong",
	},
	"bill_balances": {
		sql: bill("sound", sums, `'paid', 30, 3, 0, 2`, with("30"), with("3"), with("20", "10"), with("3")) +
			bill("wrong", sums, `'partially_paid', 30, 3, 20, 2`, with("30"), with("3"), with("20"), nil) +
			bill("draft", sums, `'draft', 30, 3, 0, 2`, with("30"), with("3"), nil, nil),
		want: "wrong",
	},
	"payments_applied": {
		sql: `INSERT INTO accounting.vendor_payments (organization_id, payment_id, amount, _detail_state, ` + ours + `)
			SELECT '1', id, 100, state, '\x00', 0, 0, 1, now(), now()
			FROM (VALUES ('sound', 'current'), ('wrong', 'current'), ('stale', 'stale'), ('withheld', 'current')) AS v (id, state);
			INSERT INTO accounting.vendor_payments_bills (organization_id, _parent_id, _position, amount_applied, tax_amount_withheld) VALUES
			('1', 'sound', 0, 60, 0), ('1', 'sound', 1, 40, 0), ('1', 'wrong', 0, 60, 0), ('1', 'wrong', 1, 41, NULL), ('1', 'stale', 0, 200, 0),
			('1', 'withheld', 0, 110, 10)`,
		want: "wrong",
	},
	"credits_applied": {
		sql: `INSERT INTO inventory.credit_notes (organization_id, creditnote_id, total, balance, status, _detail_state, ` + ours + `)
			SELECT '1', id, 100, balance, 'open', 'current', '\x00', 0, 0, 1, now(), now()
			FROM (VALUES ('sound', 30), ('refunded', 0), ('wrong', 50)) AS v (id, balance);
			INSERT INTO inventory.credit_notes_invoices (organization_id, _parent_id, _position, amount) VALUES
			('1', 'sound', 0, 70), ('1', 'refunded', 0, 70), ('1', 'wrong', 0, 70)`,
		want: "wrong",
	},
	"history_open": {
		sql:  keeps + `DELETE FROM history.versions WHERE record_id = '8'; UPDATE shop.orders SET _deleted_at = now() WHERE order_id = '7'`,
		want: "7 8",
	},
	"history_differs": {
		sql: keeps + `INSERT INTO shop.orders_labels VALUES ('1', '7', 0, 'x'); UPDATE shop.orders SET rate = 99 WHERE order_id = '8';
			UPDATE shop.orders SET _call_id = 0`, // which says nothing about the record
		want: "7 8",
	},
	"history_overlaps": {
		sql: keeps + `UPDATE shop.orders SET rate = 99; SELECT history.write_versions('1', 'shop', 'orders', '{7,8,9}');
			UPDATE history.versions SET valid_to = valid_to + interval '1 minute' WHERE record_id = '7' AND ended = 'replaced';
			UPDATE history.versions v SET record = w.record FROM history.versions w WHERE v.record_id = '8' AND w.record_id = '8' AND w.ended IS NULL`,
		want: "7 8",
	},
	"opening_balances": {
		sql: `INSERT INTO accounting.opening_balances (organization_id, opening_balance_id, price_precision, ` + ours + `)
			SELECT '1', id, 2, '\x00', 0, 0, 1, now(), now() FROM unnest(ARRAY['sound', 'wrong']) AS id;
			INSERT INTO accounting.opening_balances_accounts (organization_id, _parent_id, _position, debit_or_credit, bcy_amount) VALUES
			('1', 'sound', 0, 'debit', 10), ('1', 'sound', 1, 'credit', 4), ('1', 'sound', 2, 'credit', 6.01),
			('1', 'wrong', 0, 'debit', 10), ('1', 'wrong', 1, 'credit', 4), ('1', 'wrong', 2, 'credit', 5)`,
		want: "wrong",
	},
}

// TestEachCheckFindsWhatItIsFor breaks what each check checks, and expects a finding of that check
// only.
func TestEachCheckFindsWhatItIsFor(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.load(pipeline.WorkList, first, `{"order_id":"8"}`)
	h.load(pipeline.WorkList, `{"order_id":"9"}`)
	checks, err := verifications.New(h.db.Pool()).Checks(t.Context(), verifications.Scope{})
	h.must(err)
	for i := range checks {
		c := &checks[i]
		if c.Found != 0 || len(c.Findings) != 0 || !strings.HasSuffix(c.Means, ".") {
			t.Errorf("%s in a sound warehouse: %d rows %+v; it means %q", c.Name, c.Found, c.Findings, c.Means)
		}
		if _, tried := violations[c.Name]; !tried {
			t.Errorf("no test breaks what %s checks", c.Name)
		}
		h.after(violations[c.Name].sql, func(view contents.View) {
			rows, err := view.Query(t.Context(), `SELECT record_id FROM `+pgx.Identifier{"sluice", "check_" + c.Name}.Sanitize()+` WHERE detail <> ''`)
			h.must(err)
			got, err := pgx.CollectRows(rows, pgx.RowTo[string])
			h.must(err)
			slices.Sort(got)
			if strings.Join(got, " ") != violations[c.Name].want || len(got) == 0 {
				t.Errorf("%s finds %q, want %q", c.Name, got, violations[c.Name].want)
			}
		})
	}
	if len(checks) != len(violations) {
		t.Errorf("%d checks are registered, %d are tried", len(checks), len(violations))
	}
}

// TestChecksAreNarrowed: checks are narrowed by organization and resource. Streams of single
// records belong to their resource.
func TestChecksAreNarrowed(t *testing.T) {
	t.Parallel()
	h := open(t)
	_, err := h.db.Pool().Exec(t.Context(), `UPDATE sluice.streams SET watermark = '2026-01-02', last_done_at = '2026-01-01'`)
	h.must(err)
	for _, c := range []struct {
		scope verifications.Scope
		want  int64
	}{
		{verifications.Scope{}, 2},
		{verifications.Scope{Organization: "1"}, 2},
		{verifications.Scope{Organization: "2"}, 0},
		{verifications.Scope{Resources: []string{"shop.orders"}}, 2},
		{verifications.Scope{Resources: []string{"shop.others"}}, 0},
	} {
		checks, err := verifications.New(h.db.Pool()).Checks(t.Context(), c.scope)
		h.must(err)
		at := slices.IndexFunc(checks, func(check verifications.Check) bool { return check.Name == "watermarks_unproven" })
		if checks[at].Found != c.want || int64(len(checks[at].Findings)) != c.want {
			t.Errorf("%+v: %d found, want %d", c.scope, checks[at].Found, c.want)
		}
		for _, f := range checks[at].Findings {
			if f.Severity != verifications.Violation || f.Source != verifications.SourceCheck || f.Code != "watermarks_unproven" || f.Service != "shop" || f.Detail == "" {
				t.Errorf("a finding: %+v", f)
			}
		}
	}
}
