package migrations_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/pipeline/warehouse/warehousetest"
)

// TestPayablesAddUp: whatever part of the single records is loaded, lines, taxes, ages and activity
// add up to the headers, each application is there once, and today's ageing is that of the day.
func TestPayablesAddUp(t *testing.T) {
	t.Parallel()
	const unload = `WITH off AS (
			UPDATE inventory.bills SET _detail_state = 'pending' WHERE %s RETURNING organization_id, bill_id
		), line AS (DELETE FROM inventory.bills_line_items l USING off WHERE (l.organization_id, l._parent_id) = (off.organization_id, off.bill_id)
		), tax AS (DELETE FROM inventory.bills_taxes l USING off WHERE (l.organization_id, l._parent_id) = (off.organization_id, off.bill_id)
		), paid AS (DELETE FROM inventory.bills_payments l USING off WHERE (l.organization_id, l._parent_id) = (off.organization_id, off.bill_id)
		) DELETE FROM inventory.bills_vendor_credits l USING off WHERE (l.organization_id, l._parent_id) = (off.organization_id, off.bill_id) RETURNING 'done'`
	for loaded, bills := range map[string]string{"all": "false", "a part": "bill_id IN ('1', '9', '11')", "none": "true"} {
		url := ledger(t)
		list(t, url, strings.ReplaceAll(unload, "%s", bills))
		keysAreUnique(t, url)
		for what, ask := range map[string]string{
			"lines": `SELECT 'differs: ' || h.organization_id FROM (SELECT organization_id, sum(net_base) AS net, sum(gross_base) AS gross FROM analytics.bills WHERE is_posted GROUP BY 1) AS h
				JOIN (SELECT organization_id, sum(net_base) AS net, sum(gross_base) AS gross FROM analytics.spend_lines WHERE source = 'bill' GROUP BY 1) AS l USING (organization_id)
				WHERE (h.net, round(h.gross, 6)) IS DISTINCT FROM (l.net, round(l.gross, 6))`,
			"taxes": `SELECT 'differs: ' || organization_id FROM (SELECT organization_id, sum(tax_base) AS tax FROM analytics.bills WHERE is_posted GROUP BY 1) AS h
				LEFT JOIN (SELECT organization_id, sum(tax_base) AS sum FROM analytics.bill_taxes WHERE line_kind <> 'reverse charge' GROUP BY 1) AS l USING (organization_id) WHERE h.tax <> coalesce(l.sum, 0)`,
			"ages": `SELECT 'differs: ' || vendor_id FROM analytics.ap_ageing WHERE open_base <> not_due_base + days_1_to_30_base + days_31_to_60_base
				+ days_61_to_90_base + over_90_days_base + no_due_date_base`,
			"all ages": `SELECT 'differs: ' || organization_id FROM (SELECT organization_id, sum(open_base) AS a FROM analytics.ap_ageing GROUP BY 1) AS a
				JOIN (SELECT organization_id, sum(open_base) AS b FROM analytics.bills WHERE is_posted GROUP BY 1) AS b USING (organization_id) WHERE a <> b`,
			"ages on a day": `SELECT 'differs: ' || a.vendor_id FROM analytics.organizations AS o JOIN analytics.ap_ageing AS a USING (organization_id)
				LEFT JOIN LATERAL analytics.ap_ageing_on(o.today) AS d ON (d.organization_id, d.vendor_id, d.currency_code) = (a.organization_id, a.vendor_id, a.currency_code)
				WHERE (a.bills, a.open, a.open_base, a.days_1_to_30_base, a.over_90_days_base) IS DISTINCT FROM (d.bills, d.open, d.open_base, d.days_1_to_30_base, d.over_90_days_base)`,
			"closings": `SELECT concat_ws(' ', 'differs:', a.vendor_id, a.month) FROM analytics.ap_activity AS a JOIN analytics.ap_activity AS n
				ON (n.organization_id, n.vendor_id, n.month) = (a.organization_id, a.vendor_id, (a.month + interval '1 month')::date)
				WHERE n.opening <> a.closing OR a.opening + a.billed - a.paid - a.credited - a.undated <> a.closing`,
			"last closings": `SELECT 'differs: ' || organization_id FROM analytics.organizations AS o
				JOIN LATERAL (SELECT sum(closing) AS closing FROM analytics.ap_activity AS a WHERE a.organization_id = o.organization_id AND month = date_trunc('month', o.today::timestamp)::date) AS a ON true
				JOIN (SELECT organization_id, sum(open_base) AS open FROM analytics.bills WHERE is_posted GROUP BY 1) AS b USING (organization_id) WHERE closing <> open`,
			"applications": `SELECT concat_ws(' ', bill_payment_id, count(*)) FROM analytics.applications GROUP BY organization_id, bill_payment_id HAVING count(*) > 1`,
		} {
			if got := list(t, url, ask); len(got) != 0 {
				t.Errorf("%s of the single records: %s: %q", loaded, what, got)
			}
		}
	}
}

// TestReadersSeeTheirOrganizations: a role that may see one organization gets no row of another in
// any view, and persons masked; one that may see none gets nothing. The catalog tells of columns,
// and has no rows of organizations.
func TestReadersSeeTheirOrganizations(t *testing.T) {
	t.Parallel()
	url := ledger(t)
	role, reader := warehousetest.Worker(t, url)
	run(t, url, `GRANT USAGE ON SCHEMA analytics TO `+role, `GRANT SELECT ON ALL TABLES IN SCHEMA analytics TO `+role, `REVOKE ALL ON analytics.readers FROM `+role)
	views := list(t, url, `SELECT name || CASE WHEN to_regclass('analytics.' || name) IS NOT NULL THEN '' WHEN name = 'rate_on' THEN '(''a'', ''INR'', ''2025-02-28'')' ELSE '(''2025-02-28'')' END
		FROM sluice.views WHERE name <> 'catalog' AND name NOT IN (SELECT proname FROM pg_proc WHERE pronamespace = 'analytics'::regnamespace AND proargnames[1] IS DISTINCT FROM 'day' AND proname <> 'rate_on')`)
	for _, view := range views {
		if got := list(t, reader, `SELECT to_jsonb(v)::text FROM analytics.`+view+` AS v`); len(got) != 0 {
			t.Errorf("without a right analytics.%s shows %q", view, got)
		}
	}
	run(t, url, `INSERT INTO analytics.readers (role, organization_id) VALUES ('`+role+`', 'b')`)
	for _, view := range views {
		if got := list(t, reader, `SELECT to_jsonb(v)::text FROM analytics.`+view+` AS v WHERE coalesce(to_jsonb(v) ->> 'organization_id', '') <> 'b'`); len(got) != 0 {
			t.Errorf("with the right to b analytics.%s shows %q", view, got)
		}
	}
	const contacts = `SELECT concat_ws(' ', contact_person_id, first_name, last_name, email, phone, length(email_token)) FROM analytics.contacts WHERE organization_id = 'a' ORDER BY service, contact_person_id`
	run(t, url, `INSERT INTO analytics.readers (role, organization_id) VALUES ('`+role+`', '*')`)
	want := []string{"cp1 A. L. ***@Mail.example 64", "cp2 B. ***@mail.example 64", "cp1 D. ***@mail.example 64"}
	if diff := cmp.Diff(want, list(t, reader, contacts)); diff != "" {
		t.Errorf("masked contacts (-want +got):\n%s", diff)
	}
	if got := list(t, reader, `SELECT vendor_id FROM analytics.vendors WHERE tax_numbers IS NOT NULL`); len(got) != 0 {
		t.Errorf("a masked reader sees tax numbers of %q", got)
	}
	if got := list(t, reader, `SELECT organization_id FROM analytics.bills GROUP BY 1 ORDER BY 1`); len(got) != 2 {
		t.Errorf("with the right to all the reader sees %q", got)
	}
	want = []string{"cp1 Ann Lee Ann@Mail.example 0123 64", "cp2 Bo  ann@mail.example  64", "cp1 Di di@mail.example 64"}
	if diff := cmp.Diff(want, list(t, url, contacts)); diff != "" {
		t.Errorf("contacts (-want +got):\n%s", diff)
	}
}
