package cli

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/warehouse/calls"
	"sluice/sandbox"
	"sluice/schema"
)

// question is a query of an analyst, with a sentence that says what it counts.
type question struct{ text, counts, sql string }

// questions are the questions of the tour. They concern one organization, whose amounts have one
// base currency; docs/querying.md says what makes such queries wrong.
func questions() []question {
	const own = "organization_id = '" + sandbox.DefaultOrganizationID + "'"
	return []question{
		{
			"Whom do we owe most?",
			"Open balances in the base currency, of bills that are posted and not deleted; a vendor is its identifier, not its name.",
			`SELECT vendor_id, max(vendor_name) AS vendor, count(*) AS bills, round(sum(balance * exchange_rate), 2) AS open_base,
  count(*) FILTER (WHERE exchange_rate IS NULL) AS without_rate, min(due_date) AS first_due
FROM inventory.bills
WHERE ` + own + ` AND balance > 0 AND status NOT IN ('draft', 'void') AND _deleted_at IS NULL
GROUP BY vendor_id ORDER BY open_base DESC NULLS LAST, vendor_id LIMIT 5`,
		},
		{
			"What was most money spent on?",
			"Lines before tax, in the base currency, of posted bills whose lines are loaded. Lines carry the name of an item and no identifier.",
			`SELECT l.name, sum(l.quantity) AS quantity, round(sum(l.item_total * b.exchange_rate), 2) AS net_base,
  count(*) FILTER (WHERE b.exchange_rate IS NULL) AS without_rate
FROM inventory.bills b
JOIN inventory.bills_line_items l ON (l.organization_id, l._parent_id) = (b.organization_id, b.bill_id)
WHERE b.` + own + ` AND b.status NOT IN ('draft', 'void') AND b._deleted_at IS NULL
  AND b._detail_state IN ('current', 'none_needed')
GROUP BY l.name ORDER BY net_base DESC NULLS LAST, l.name LIMIT 5`,
		},
		{
			"What did we pay in 2025, by quarter?",
			"Payments to vendors in the base currency, by the day of the payment; what came back as a refund is not taken off.",
			`SELECT extract(quarter FROM date) AS quarter, count(*) AS payments, round(sum(amount * exchange_rate), 2) AS paid_base,
  count(*) FILTER (WHERE exchange_rate IS NULL) AS without_rate
FROM accounting.vendor_payments
WHERE ` + own + ` AND date BETWEEN '2025-01-01' AND '2025-12-31' AND _deleted_at IS NULL
GROUP BY quarter ORDER BY quarter`,
		},
		{
			"What is a unit of foreign money worth, and since when?",
			"Rates in the base currency as upstream's list of currencies gave them; documents carry rates of their own.",
			`SELECT c.currency_code, h.exchange_rate, h.effective_date
FROM invoicing.currencies_history h
JOIN invoicing.currencies c USING (organization_id, currency_id)
WHERE c.` + own + ` AND NOT c.is_base_currency AND c._deleted_at IS NULL
ORDER BY c.currency_code, h.effective_date LIMIT 5`,
		},
		{
			"Whom can we talk to at our vendors?",
			"Contact persons that were read so far, of vendors that were paid.",
			`SELECT p.vendor_id, max(p.vendor_name) AS vendor, c.first_name, c.last_name, c.email
FROM accounting.contact_persons c
JOIN accounting.vendor_payments p ON (p.organization_id, p.vendor_id) = (c.organization_id, c.contact_id)
WHERE c.` + own + ` AND c._deleted_at IS NULL AND p._deleted_at IS NULL
GROUP BY p.vendor_id, c.contact_person_id, c.first_name, c.last_name, c.email
ORDER BY p.vendor_id, c.contact_person_id LIMIT 5`,
		},
		{
			"Lists under parents: how far round is it?",
			"Contacts, custom modules and networks, each of which has a list of its own to be read by a call.",
			`SELECT service || '.' || resource AS list, count(*) AS parents, count(read_at) AS read_so_far
FROM sluice.parents
WHERE ` + own + ` AND active
GROUP BY list ORDER BY list`,
		},
		{
			"Single records: which rows have what their list left out?",
			"Base currency adjustments by what is known of their accounts, which only the single record carries.",
			`SELECT _detail_state, count(*) AS adjustments
FROM accounting.base_currency_adjustments
WHERE ` + own + ` AND _deleted_at IS NULL
GROUP BY _detail_state ORDER BY _detail_state`,
		},
	}
}

// tour shows the results of the two syncs.
func (s *demoStage) tour(ctx context.Context, first, second *syncResult) error {
	for _, step := range []func(context.Context) error{s.showTables, s.showCalls} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	if err := s.compare(first, second); err != nil {
		return err
	}
	for _, q := range questions() {
		if err := s.ask(ctx, q); err != nil {
			return err
		}
	}
	if err := s.title("Look yourself"); err != nil {
		return err
	}
	return s.say("%s\n(with sluice demo --keep, which stays up). Tables and columns carry comments: \\d+ inventory.bills\n"+
		"docs/querying.md has more questions, and what makes a plausible answer wrong.",
		s.postgres.PsqlCommand("postgres"))
}

func (s *demoStage) showTables(ctx context.Context) error {
	if err := s.title("Rows per table"); err != nil {
		return err
	}
	tables := tablesOf(s.app.Catalogue)
	counts, err := s.app.DB.TableCounts(ctx, tables)
	if err != nil {
		return fmt.Errorf("count rows: %w", err)
	}
	sort.Strings(tables)
	return s.show(view.Table(tables, "TABLE  ROWS", func(table *string) view.Row { return view.Row{*table, counts[*table]} }))
}

// tablesOf names every table of the services, with its schema.
func tablesOf(services []schema.Service) []string {
	var tables []string
	for i := range services {
		for r := range services[i].Resources {
			tables = append(tables, tableNames(&services[i], &services[i].Resources[r])...)
		}
	}
	return tables
}

func (s *demoStage) showCalls(ctx context.Context) error {
	if err := s.title("Calls spent (the call log: sluice.calls)"); err != nil {
		return err
	}
	spent, err := s.app.DB.Spent(ctx, s.upstream.Organization)
	if err != nil {
		return fmt.Errorf("read the call log: %w", err)
	}
	if err := s.show(view.Table(spent, "SERVICE  RESOURCE  CLASS  CALLS  RECORDS", func(c *calls.Spent) view.Row {
		return view.Row{c.Service, c.Resource, c.Class, c.Calls, c.Records}
	})); err != nil {
		return err
	}
	judge := s.upstream.world.Stats()
	return s.say("The upstream counted for itself: %d calls, at most %d in any 60 s (100 allowed), at most %d at once (10 allowed).",
		judge.Calls, judge.Worst60s, judge.WorstConcurrent)
}

func (s *demoStage) compare(first, second *syncResult) error {
	a, b := first.sum(), second.sum()
	if err := s.title("What the second run cost against the first"); err != nil {
		return err
	}
	row := func(name string, r streamResult, seconds float64) view.Row {
		return view.Row{name, r.Calls, r.Received, r.Inserted + r.Updated, view.Seconds(seconds)}
	}
	return s.show(view.TableOf("RUN  CALLS  RECORDS READ  ROWS WRITTEN  TIME", []view.Row{
		row("first", a, first.Seconds), row("second", b, second.Seconds),
	}))
}

// ask shows a query with its result.
func (s *demoStage) ask(ctx context.Context, q question) error {
	if err := s.title(q.text); err != nil {
		return err
	}
	if err := s.say("%s\n\n%s;\n", q.counts, q.sql); err != nil {
		return err
	}
	head, found, err := s.app.DB.Query(ctx, q.sql)
	if err != nil {
		return fmt.Errorf("ask the database: %w", err)
	}
	rows := make([]view.Row, len(found))
	for i, values := range found {
		for _, value := range values {
			rows[i] = append(rows[i], value)
		}
	}
	return s.show(view.TableOf(strings.ToUpper(strings.Join(head, "  ")), rows))
}
