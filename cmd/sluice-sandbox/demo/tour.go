package demo

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/jackc/pgx/v5"
)

// Question is a query of an analyst, with a sentence that says what it counts.
type Question struct{ Text, Counts, SQL string }

// Questions are the questions of the tour: five of docs/analysts/questions.md, whose answers a test
// holds against books that close.
func Questions() []Question {
	return []Question{
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

// tour says how upstream counted the calls, and asks the database questions.
func (s *Stage) tour(ctx context.Context) error {
	judge := s.Upstream.World.Stats()
	if err := s.say("\nThe upstream counted for itself: %d calls, at most %d in any 60 s (100 allowed), at most %d at once (10 allowed).",
		judge.Calls, judge.Worst60s, judge.WorstConcurrent); err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, s.postgres.URL())
	if err != nil {
		return fmt.Errorf("connect to the database: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	for _, q := range Questions() {
		if err := s.ask(ctx, conn, q); err != nil {
			return err
		}
	}
	if err := s.title("Look yourself"); err != nil {
		return err
	}
	return s.say("%s\n(with sluice-sandbox demo --keep, which stays up). Views, tables and columns carry comments: \\d+ analytics.bills\n"+
		"docs/analysts/questions.md has thirty questions with their queries, docs/analysts/README.md a tutorial.",
		s.postgres.PsqlCommand("postgres"))
}

// ask shows a query with the first rows of its result.
func (s *Stage) ask(ctx context.Context, conn *pgx.Conn, q Question) error {
	if err := s.title(q.Text); err != nil {
		return err
	}
	if err := s.say("%s\n\n%s;\n", q.Counts, q.SQL); err != nil {
		return err
	}
	results, err := conn.PgConn().Exec(ctx, q.SQL).ReadAll()
	if err != nil {
		return fmt.Errorf("ask the database: %w", err)
	}
	var head []string
	for _, field := range results[0].FieldDescriptions {
		head = append(head, field.Name)
	}
	const shown = 5
	found := results[0].Rows
	rows := make([][]string, min(len(found), shown))
	for i, values := range found[:len(rows)] {
		for _, value := range values {
			rows[i] = append(rows[i], string(value))
		}
	}
	if err := s.table(head, rows); err != nil || len(found) <= shown {
		return err
	}
	return s.say("and %d more rows", len(found)-shown)
}

// table shows rows in columns.
func (s *Stage) table(head []string, rows [][]string) error {
	columns := tabwriter.NewWriter(s.options.Stdout, 0, 0, 2, ' ', tabwriter.StripEscape)
	_, err := fmt.Fprintln(columns, strings.ToUpper(strings.Join(head, "\t")))
	for _, row := range rows {
		if err == nil {
			_, err = fmt.Fprintln(columns, strings.Join(row, "\t"))
		}
	}
	if err == nil {
		err = columns.Flush()
	}
	if err != nil {
		return fmt.Errorf("show a table: %w", err)
	}
	return nil
}
