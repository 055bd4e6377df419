package cli

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/warehouse/calls"
	"sluice/schema"
)

// question is a query of an analyst, with a sentence that says what it counts.
type question struct{ text, counts, sql string }

// questions are the questions of the tour: five of docs/analysts/questions.md, whose answers a test
// holds against books that close.
func questions() []question {
	return []question{
		{
			"Whom do we owe most?",
			"Open amounts in the base currency, of bills that are posted and not deleted. A vendor is its identifier, not its name.",
			`SELECT organization_id, vendor_id, max(vendor_name) AS vendor_name, sum(bills) AS bills, sum(open_base) AS open_base,
  sum(bills_without_rate) AS bills_without_rate
FROM analytics.ap_ageing
GROUP BY organization_id, vendor_id
ORDER BY organization_id, open_base DESC NULLS LAST, vendor_id`,
		},
		{
			"What is due in the next 14 days?",
			"By the organization's own day. status says what upstream thought when it was read last.",
			`SELECT b.organization_id, b.due_date, b.bill_id, b.vendor_name, b.currency_code, b.open, b.open_base
FROM analytics.bills AS b
JOIN analytics.organizations AS o ON o.organization_id = b.organization_id
WHERE b.is_posted AND b.open > 0 AND b.due_date BETWEEN o.today AND o.today + 14
ORDER BY b.organization_id, b.due_date, b.bill_id`,
		},
		{
			"What did we spend, by account?",
			"Spend before tax and with tax, in the base currency. The row without an account is what no line shows yet, so the rows add up to all bills.",
			`SELECT organization_id, account_id, max(account_name) AS account_name, round(sum(net_base), 2) AS net_base,
  round(sum(gross_base) FILTER (WHERE line_kind = 'not loaded'), 2) AS not_loaded_gross_base
FROM analytics.spend_lines
WHERE source = 'bill'
GROUP BY organization_id, account_id
ORDER BY organization_id, account_id NULLS FIRST`,
		},
		{
			"What is in stock, and what is it worth?",
			"Quantities by the books, valued at today's purchase rate: an estimate. Items whose single record is not read have no stock yet.",
			`SELECT organization_id, location_id, max(location_name) AS location_name, sum(on_hand) AS on_hand, sum(value_at_purchase_rate) AS value_base
FROM analytics.stock
GROUP BY organization_id, location_id
ORDER BY organization_id, location_id`,
		},
		{
			"How old and how complete is what I see?",
			"How old the rows may be. When a row changed last says nothing about when it was looked at.",
			`SELECT organization_id, resource, state, complete_up_to, last_looked_at, next_look_at, in_quarantine, share_complete
FROM analytics.freshness
ORDER BY organization_id, resource`,
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
	return s.say("%s\n(with sluice demo --keep, which stays up). Views, tables and columns carry comments: \\d+ analytics.bills\n"+
		"docs/analysts/questions.md has thirty questions with their queries, docs/analysts/README.md a tutorial.",
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
	var records []string
	var arrays, elements int64
	for i := range s.app.Catalogue {
		for r := range s.app.Catalogue[i].Resources {
			for at, table := range tableNames(&s.app.Catalogue[i], &s.app.Catalogue[i].Resources[r]) {
				if at == 0 {
					records = append(records, table)
				} else {
					arrays, elements = arrays+1, elements+counts[table]
				}
			}
		}
	}
	sort.Strings(records)
	if err := s.show(view.Table(records, "TABLE  ROWS", func(table *string) view.Row { return view.Row{*table, counts[*table]} })); err != nil {
		return err
	}
	return s.say("and %s rows in %s tables of lines, taxes, payments and other arrays", view.Count(elements), view.Count(arrays))
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
	const shown = 5
	rows := make([]view.Row, min(len(found), shown))
	for i, values := range found[:len(rows)] {
		for _, value := range values {
			rows[i] = append(rows[i], value)
		}
	}
	if err := s.show(view.TableOf(strings.ToUpper(strings.Join(head, "  ")), rows)); err != nil || len(found) <= shown {
		return err
	}
	return s.say("and %s more", view.Plural(len(found)-shown, "row"))
}
