package cli

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"sluice/connectors"
	"sluice/pipeline"
	"sluice/pipeline/planning"
	"sluice/pipeline/warehouse/calls"
	"sluice/pipeline/warehouse/quarantine"
	"sluice/pipeline/warehouse/streams"
	"sluice/sandbox"
	"sluice/schema"
)

// TestCommands runs every command that shows something, as text and as JSON.
func TestCommands(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 81, Records: 200})
	must(t, s.world.SetFaults([]sandbox.Fault{{Path: "/inventory/v1/bills", Kind: "poison"}}))
	s.sync(codeFine)
	must(t, s.world.SetFaults(nil))

	entries := decoded[[]quarantine.Entry](s, codeFine, "quarantine", "list")
	fatalIf(t, len(entries) != 2, "%d entries in quarantine, want the two of the page: %+v", len(entries), entries)
	at := slices.IndexFunc(entries, func(e quarantine.Entry) bool { return e.Record != "" })
	named := strconv.FormatInt(entries[at].ID, 10)

	for command, want := range map[string][]string{
		"status":                      {"inventory.bills", "idle", "calls in the last 24 h of 7,500", "parents, oldest"},
		"runs --limit 100":            {"accounting.chart_of_accounts", "done"},
		"runs inventory.bills":        {"inventory.bills"},
		"check":                       {"ok", "Sandbox Trading", "accounting", "inventory", "chat", "reachable and up to date"},
		"resources":                   {"inventory.credit_notes", "full scan", "SvcInventory.bills.READ"},
		"resources catalogue":         {"journals", "off", "SvcBooks.accountants.READ"},
		"quarantine list":             {named, "date"},
		"quarantine show " + named:    {"not a value", "inventory.bills", entries[at].Record},
		"quarantine list items --all": {"Nothing is in quarantine"},
		"budget":                      {"CEILING", "inventory"},
		"version":                     {"sluice 0.0.0-dev", "schema "},
		"version --licenses":          {"github.com/riverqueue/river v", "Mozilla Public License"},
		"migrate":                     {"up to date"},
	} {
		s.run(strings.Fields(command)...).prints(t, codeFine, want...)
		document := decoded[any](s, codeFine, strings.Fields(command)...)
		errorIf(t, document == nil, "%s --json prints nothing", command)
	}
	s.prints(codeFine, "credit_notes_line_items_serial_numbers", "dictionary") // a table of arrays inside arrays
	s.jsonIsTrue()
}

// jsonIsTrue compares the JSON documents with the tables.
func (s *fixture) jsonIsTrue() {
	s.t.Helper()
	status := decoded[statusView](s, codeFine, "status")
	errorIf(s.t, len(status.Budgets) != 5, "status has %d budgets, want those of the five services", len(status.Budgets))
	for _, r := range resources() {
		at := slices.IndexFunc(status.Streams, func(stream streamView) bool { return stream.Service == r.service && stream.Resource == r.name })
		errorIf(s.t, at < 0 || status.Streams[at].Watermark == nil, "status does not show that %s.%s was read", r.service, r.name)
	}
	for _, stream := range status.Streams {
		// A first sync runs no sweep and no look: it reads lists whole anyway.
		besides := strings.HasSuffix(stream.Resource, ".sweep") || strings.HasSuffix(stream.Resource, ".look")
		errorIf(s.t, stream.Enabled && (stream.State != "idle" || stream.Run != nil || (stream.LastDoneAt == nil) != besides),
			"status shows %+v", stream)
		details := strings.HasSuffix(stream.Resource, ".details")
		errorIf(s.t, details != (stream.Details != nil), "status shows the backlog of %s.%s: %v", stream.Service, stream.Resource, stream.Details)
		persons := stream.Enabled && stream.Resource == "contact_persons"
		if persons && (stream.Parents == nil || stream.Parents.Parents == 0 || stream.Parents.Read != stream.Parents.Parents || stream.Parents.Oldest == nil) {
			s.t.Errorf("status shows how far round %s.%s is: %+v", stream.Service, stream.Resource, stream.Parents)
		}
	}
	runs := decoded[[]streams.Run](s, codeFine, "runs", "vendor_payments", "--limit", "1")
	want := one[int64](s, `SELECT count(*) FROM accounting.vendor_payments`)
	errorIf(s.t, len(runs) != 1 || runs[0].Inserted != want || want == 0, "runs shows %+v, the table has %d rows", runs, want)
	views := decoded[[]resourceView](s, codeFine, "resources")
	for i, r := range resources() {
		errorIf(s.t, !slices.ContainsFunc(views, func(v resourceView) bool { return v.Resource == r.service+"."+r.name && v.Path == r.path }),
			"resources do not show %s at %s, the %d. one", r.name, r.path, i+1)
	}
}

// TestHelp runs every command with --help.
func TestHelp(t *testing.T) {
	t.Parallel()
	s := &fixture{t: t, config: "nowhere.yaml"} // help needs neither a configuration nor a database
	var walk func(cmd *cobra.Command, path []string)
	walk = func(cmd *cobra.Command, path []string) {
		o := s.run(append(slices.Clone(path), "--help")...)
		errorIf(t, o.code != codeFine || !strings.Contains(o.stdout, "Usage:") || cmd.Short == "" || len(o.stdout) < 100,
			"help of %q: exit code %d\n%s%s", path, o.code, o.stdout, o.stderr)
		for _, child := range cmd.Commands() {
			walk(child, append(slices.Clone(path), child.Name()))
		}
	}
	walk(newRoot(s.env(&buffer{}, &buffer{})), nil)
}

// TestMetricsPageIsCurrent fails when a metric changed and its page did not.
func TestMetricsPageIsCurrent(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Records: 10})
	stored := sure(os.ReadFile("../../../docs/metrics.md"))(t)
	o := s.run("metrics")
	o.prints(t, codeFine, "")
	same(t, "docs/metrics.md, which make dictionary writes", string(stored), o.stdout)
}

// TestGroupsOfCommands: help shows every command in its group, and no other command.
func TestGroupsOfCommands(t *testing.T) {
	t.Parallel()
	var out buffer
	code := Main(t.Context(), []string{"--help"}, Env{Stdout: &out, Stderr: &out, LookupEnv: os.LookupEnv, ReadFile: os.ReadFile})
	fatalIf(t, code != codeFine, "exit code %d\n%s", code, out.String())
	shown := sections(out.String())
	for group, commands := range map[string]string{
		"Run": "sync serve backfill plan import", "Inspect": "status runs budget explain find export drift close read console", "Repair": "verify rebuild quarantine tombstones erase",
		"Set up":   "init config check authorize migrate resources organizations readers keys redact notifications events",
		"Generate": "dictionary metrics",
		"Other":    "completion health help version",
	} {
		want := strings.Fields(commands)
		slices.Sort(want)
		got := shown[group]
		errorIf(t, !slices.Equal(got, want), "help shows under %s: %q, want %q", group, got, want)
		delete(shown, group)
	}
	delete(shown, "Usage")
	delete(shown, "Flags")
	errorIf(t, len(shown) > 0, "help has further sections: %q", shown)
}

// sections are the first words of the lines below each heading of a help text. It begins with the
// heading Usage.
func sections(help string) map[string][]string {
	_, help, _ = strings.Cut(help, "\nUsage:\n")
	words := map[string][]string{}
	heading := "Usage"
	for line := range strings.Lines(help) {
		switch title, found := strings.CutSuffix(strings.TrimRight(line, "\n"), ":"); {
		case found && !strings.HasPrefix(line, " "):
			heading = title
		case strings.HasPrefix(line, "  "):
			words[heading] = append(words[heading], strings.Fields(line)[0])
		}
	}
	return words
}

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
		errorIf(t, strings.Contains(view.Cursor, "unknown") || view.Cost == "" || view.Every == "" || view.Doc == "",
			"%s: something is missing: %+v", view.Resource, view)
	}
	expenses := views["accounting.expenses"]
	errorIf(t, !expenses.Optional || !expenses.PathAssumed || !slices.Contains(expenses.rows()[0], any("/books/v3/expenses (assumed)")),
		"expenses are off by default and their path is assumed: %+v", expenses)
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
	same(t, "said", limited, budgetLine(of(pipeline.Limits{Daily: 1000}, calls.Day{At: now, Spent: 800, LastHour: 400}), time.UTC))
	const free = "o shop: 3 calls spent; 3 in the last hour"
	same(t, "said", free, budgetLine(of(pipeline.Limits{}, calls.Day{At: now, Spent: 3, LastHour: 3}), time.UTC))
}
