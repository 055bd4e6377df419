package cli

import (
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/connectors"
	"sluice/pipeline"
	"sluice/pipeline/planning"
	"sluice/pipeline/warehouse/calls"
	"sluice/schema"
)

// TestWords checks how a list is read and what a run costs, for each kind of cursor. The figures
// are those of docs/decisions/0007-paging-by-number and of docs/upstream.md U80, U82 and U86.
func TestWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cursor      schema.Cursor
		paging      schema.Paging
		words, cost string
	}{
		{schema.Since{}, schema.PagingNumber, "filter: modified since", "1, or 1.1 per 200 changed"},
		{schema.NewestFirst{}, schema.PagingNumber, "sort: newest first", "1, or 1.1 per 200 changed"},
		{schema.FullScan{}, schema.PagingNumber, "full scan", "1, or 2 per 200 records"},
		{schema.FullScan{Created: "created_time"}, schema.PagingNumber, "full scan", "1, or 1.1 per 200 records"},
		{schema.FullScan{}, schema.PagingToken, "full scan", "1, or 2 per 100 records"},
		{schema.FullScan{}, schema.PagingWhole, "full scan", "1"},
		{schema.Export{}, schema.PagingNumber, "export", "1"},
		{schema.Snapshot{}, schema.PagingWhole, "snapshot", "1"},
		{schema.PerParent{List: schema.FullScan{}}, schema.PagingWhole, "per parent: full scan", "1, for each parent"},
		{schema.PerParent{List: schema.Export{}}, schema.PagingNumber, "per parent: export", "1, for each parent"},
	} {
		if words, cost := cursorWords(c.cursor), costWords(c.cursor, c.paging, schema.EnvelopeCoded); words != c.words || cost != c.cost {
			t.Errorf("%T, paging %d: %q costs %q, want %q and %q", c.cursor, c.paging, words, cost, c.words, c.cost)
		}
	}
}

// TestResourceViews checks resources of which different things are shown.
func TestResourceViews(t *testing.T) {
	t.Parallel()
	scopes := sure(newScopeWriter("Acme"))(t)
	views := make(map[string]resourceView)
	for _, view := range resourceViews(connectors.All(), scopes) {
		views[view.Resource] = view
		if strings.Contains(view.Cursor, "unknown") || view.Cost == "" || view.Every == "" || view.Doc == "" {
			t.Errorf("%s: something is missing: %+v", view.Resource, view)
		}
	}
	expenses := views["accounting.expenses"]
	if !expenses.Optional || !expenses.PathAssumed || !slices.Contains(expenses.rows()[0], any("/books/v3/expenses (assumed)")) {
		t.Errorf("expenses are off by default and their path is assumed: %+v", expenses)
	}
	bills := views["inventory.bills"]
	if d := bills.Details; bills.PathAssumed || d == nil || d.Stream != "inventory.bills.details" || !d.PathAssumed || d.Cost != "1 per new or changed" {
		t.Errorf("bills have details under a path that is assumed: %+v", bills)
	}
	if d := views["inventory.items"].Details; d == nil || d.Path != "/inventory/v1/itemdetails" || d.Cost != "1 per 100 new or changed" {
		t.Errorf("the details of items are read many at once: %+v", d)
	}
	if modules := views["accounting.custom_module_records"]; modules.Scope != "AcmeBooks.custommodules.ALL" ||
		strings.Join(modules.Parents, "") != "services.accounting.custom_modules of the configuration" {
		t.Errorf("custom modules: %+v", modules)
	}
	if history := "invoicing.currencies_history"; !strings.Contains(strings.Join(views["invoicing.currencies"].Tables, " "), history) {
		t.Errorf("%s is not among the tables of currencies: %v", history, views["invoicing.currencies"].Tables)
	}
}

func TestBudgetLine(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 3, 12, 0, 0, 0, time.UTC)
	of := func(limits pipeline.Limits, spent calls.Day) *serviceDay {
		return &serviceDay{Organization: "o", Service: "shop", DayLeft: planning.LeftOf(limits, &spent), Day: spent}
	}
	const limited = "o shop: 800 calls spent, 200 left of 1,000; 400 in the last hour, at this pace nothing is left at 2026-03-03 12:30 UTC"
	if line := budgetLine(of(pipeline.Limits{Daily: 1000}, calls.Day{At: now, Spent: 800, LastHour: 400}), time.UTC); line != limited {
		t.Errorf("said %q, want %q", line, limited)
	}
	if line := budgetLine(of(pipeline.Limits{}, calls.Day{At: now, Spent: 3, LastHour: 3}), time.UTC); line != "o shop: 3 calls spent; 3 in the last hour" {
		t.Errorf("said %q", line)
	}
}
