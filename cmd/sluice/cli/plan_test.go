package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"sluice/migrations"
	"sluice/pipeline/warehouse/warehousetest"
	"sluice/sandbox"
)

// planned is the part of the plan command's document that these tests read.
type planned struct {
	Streams []struct {
		Service  string `json:"service"`
		Resource string `json:"resource"`
		Calls    *int   `json:"calls"`
		Later    int    `json:"calls_later"`
		Basis    string `json:"basis"`
		Assume   string `json:"assume"`
	} `json:"streams"`
	Services []struct {
		Service   string `json:"service"`
		Spent     int    `json:"spent"`
		Calls     int    `json:"calls"`
		Remaining *int   `json:"remaining"`
		Unknown   int    `json:"unknown_streams"`
		Fits      bool   `json:"fits"`
	} `json:"services"`
	Fits bool `json:"fits"`
}

func (s *fixture) foresee(code int, args ...string) planned {
	s.t.Helper()
	return decoded[planned](s, code, append([]string{"plan"}, args...)...)
}

func (p planned) calls() map[string]int {
	calls := make(map[string]int)
	for i := range p.Streams {
		if s := &p.Streams[i]; s.Calls != nil {
			calls[s.Service+"."+s.Resource] = *s.Calls
		}
	}
	return calls
}

// TestPlan: before anything was read, plan says what to assume. After two syncs, runs shows the
// forecast of the second.
func TestPlan(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 83, Records: 5}).narrow()
	for _, stream := range s.foresee(codeFine).Streams {
		exported := stream.Resource == "conversations"
		errorIf(t, (stream.Calls != nil) != exported || exported == (stream.Assume != ""), "before anything was read: %+v", stream)
	}
	calls := s.foresee(codeFine, "--assume=inventory.bills=3000", "--assume=inventory.bills.details=40").calls()
	if list, details := calls["inventory.bills"], calls["inventory.bills.details"]; list < 15 || details != 40 {
		t.Errorf("3,000 bills and 40 of their single records take %d and %d calls, want at least 15 and 40", list, details)
	}
	s.sync(codeFine, "chart_of_accounts")
	for _, service := range s.foresee(codeFine).Services {
		spent := one[int](s, "SELECT count(*) FROM sluice.calls WHERE service = $1", service.Service)
		errorIf(t, service.Spent != spent, "%s: %d spent, want %d", service.Service, service.Spent, spent)
	}
	s.sync(codeFine, "chart_of_accounts")
	type forecast struct {
		Calls    int    `json:"calls"`
		Forecast *int   `json:"forecast_calls"`
		Basis    string `json:"forecast_basis"`
	}
	s.exec("UPDATE sluice.runs SET forecast_calls = forecast_calls + 2 WHERE id = (SELECT max(id) FROM sluice.runs WHERE resource = 'chart_of_accounts')")
	runs := decoded[[]forecast](s, codeFine, "runs", "chart_of_accounts")
	if len(runs) != 2 || runs[1].Forecast != nil || runs[0].Forecast == nil || *runs[0].Forecast != runs[0].Calls+2 || runs[0].Basis != "assumed" {
		t.Errorf("runs shows %+v", runs)
	}
	s.prints(codeFine, fmt.Sprintf("%d -2", runs[0].Calls+2), "runs", "chart_of_accounts") // the error of the forecast
}

// TestPlanAssumptions: a figure that no stream of the plan has, or that is not a number, is refused.
func TestPlanAssumptions(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 84, Records: 30}).narrow()
	for args, want := range map[string]string{
		"--assume inventory.bills":     "number of rows",
		"--assume inventory.bills=-1":  "number of rows",
		"--assume bills=2":             "no figure of a stream",
		"--assume chat.conversation=3": "no figure of a stream",
	} {
		s.complains(codeUsage, want, append([]string{"plan"}, strings.Fields(args)...)...)
	}
	s.prints(codeFine, "", "plan", "--assume", "inventory.bills=1", "bills")
}

// TestPlanFits: a plan that needs more than the day has left ends with the budget's exit code, and
// the tables fit a terminal.
func TestPlanFits(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 85, Records: 30, Plan: "free"})
	// A free plan has 1,000 calls a day: 600,000 rows without a time are 3,001 pages, read twice.
	p := s.foresee(codeBudget, "inventory.taxes", "--assume", "inventory.taxes=600000")
	errorIf(t, p.Fits || p.calls()["inventory.taxes"] != 6002, "it fits: %+v", p)
	o := s.run("plan", "--assume", "accounting.chart_of_accounts=100000,inventory.bills=20000,accounting.contact_persons.parents=1000,inventory.taxes=600000")
	for line := range strings.Lines(o.stdout) {
		n := utf8.RuneCountInString(strings.TrimRight(line, "\n"))
		errorIf(t, n > 120, "%d columns: %s", n, line)
	}
	o.prints(t, codeBudget, "unknown", "assumed", "declared", "It does not fit")
	errorIf(t, slices.Contains(strings.Fields(o.stdout), "-1"), "a negative figure:\n%s", o.stdout)
}

// TestMigratePlan: what is pending comes in its order, in words and as JSON with its text; nothing
// is changed.
func TestMigratePlan(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 97, Records: 20})
	s.prints(codeFine, "Nothing is pending.", "migrate", "--plan")
	s.exec(`DELETE FROM sluice.schema_version WHERE version_id IN (118, 120)`)
	s.exec(`DELETE FROM sluice.views WHERE name = 'calendar'`)
	const state = `SELECT md5(string_agg(t, '|' ORDER BY t)) FROM (SELECT v::text AS t FROM sluice.schema_version v UNION ALL SELECT v::text FROM sluice.views v
		UNION ALL SELECT c.oid || c.relname || coalesce(c.relacl::text, '') FROM pg_class c) AS a`
	before := one[string](s, state)
	s.prints(codeFine, "Pending are 3 transactions. Nothing was changed.\n\n00118_privacy.sql\n00120_lake.sql\nviews/calendar.sql\n", "migrate", "--plan")
	outlook := decoded[migrations.Outlook](s, codeFine, "migrate", "--plan")
	if len(outlook.Steps) != 3 || outlook.Steps[0].File != "00118_privacy.sql" || !strings.Contains(outlook.Steps[0].SQL, "CREATE INDEX erasures_subject") ||
		outlook.Program.Program != migrations.Version() {
		t.Fatalf("as JSON: %+v", outlook)
	}
	same(t, "looking changed the database", before, one[string](s, state))
	s.prints(codeUsage, "", "migrate", "--plan", "--accept", "x")
	s.complains(codeUsage, "--roles", "migrate", "--role-prefix", "other_")
}

// TestMigratePlanOfAnEmptyDatabase: everything is pending, and looking makes nothing.
func TestMigratePlanOfAnEmptyDatabase(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 97, Records: 20})
	url := warehousetest.New(t)
	s.environment["SLUICE_DATABASE_URL"] = url
	o := s.run("migrate", "--plan")
	o.prints(t, codeFine, "The database is at version 0", "00101_streams.sql", "views/bills.sql", "the queue's 8, ")
	var made int
	must(t, warehousetest.Connect(t, url).QueryRow(t.Context(), `SELECT count(*) FROM pg_namespace WHERE nspname IN ('sluice', 'river')`).Scan(&made))
	errorIf(t, made != 0, "looking made schemas")
}

func lists(columns string) string {
	text := "\ncustom:\n"
	for _, name := range []string{"things", "wares"} {
		text += fmt.Sprintf("  - {service: inventory, name: %s, doc: An item as the user sees it., path: /items, key: items, id: item_id, scope: items, "+
			"cursor: {kind: full_scan, modified: last_modified_time}%s}\n", name, columns)
	}
	return text
}

// TestAPlanBesideAReader: each table of a plan is a transaction. A table that a reader locks is
// left, named with the reader, and a new plan has it alone.
func TestAPlanBesideAReader(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 98, Records: 20})
	plain := sure(os.ReadFile(s.config))(t)
	s.configured(lists(""))
	s.accept()
	must(t, os.WriteFile(s.config, plain, 0o600))
	s.configured(lists(", columns: [{wire: rate, kind: decimal, doc: What it costs.}]"))
	sql, id := s.plan()
	fatalIf(t, strings.Count(sql, "ADD COLUMN") != 2, "the plan is\n%s", sql)
	s.exec("BEGIN")
	s.exec("SELECT FROM custom.things")
	holder := fmt.Sprintf("custom.things: pid %d, role", s.conn.PgConn().PID())
	s.run("migrate", "--accept", id, "--wait", "1s").complains(t, codeEnvironment, "1 of 2 tables are done, left: custom.things", holder)
	s.exec("COMMIT")
	left, id := s.plan()
	errorIf(t, strings.Contains(left, "wares") || !strings.Contains(left, "things"), "what is left is not the table that was held:\n%s", left)
	s.prints(codeFine, "", "migrate", "--accept", id)
	s.counts(2, "tables have the column", `SELECT count(*) FROM information_schema.columns WHERE table_schema = 'custom' AND column_name = 'rate'`)
}

// TestMigrateMakesAndDropsWhatHistoryNeeds: the configuration decides. Before it was migrated, check
// and migrate --plan say so; what others built on it is not dropped, and is named.
func TestMigrateMakesAndDropsWhatHistoryNeeds(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 99, Records: 20}).narrow()
	s.runs(codeFine, "migrate")
	s.configured("  inventory.bills: {history: true}\n")
	const warning = "views: a warning: those in the database are not those of this version and configuration: run sluice migrate"
	s.prints(codeFine, warning, "check")
	s.run("migrate", "--plan").prints(t, codeFine, "\nas_of.bills\n", "\nhistory.inventory_bills_as_of\n")
	s.runs(codeFine, "migrate")
	s.run("check").lacks(t, codeFine, warning)
	s.sync(codeFine, "bills")
	past, bills := one[int](s, `SELECT count(*) FROM history.inventory_bills_as_of(clock_timestamp())`), one[int](s, `SELECT count(*) FROM inventory.bills`)
	errorIf(t, past != bills || bills == 0, "the function has %d of %d bills", past, bills)
	status := decoded[statusView](s, codeFine, "status")
	if versions := one[int64](s, `SELECT count(*) FROM history.versions`); len(status.Histories) != 1 || status.Histories[0].Count != versions || status.Histories[0].Since == nil {
		t.Errorf("status says %+v, want %d versions", status.Histories, versions)
	}
	s.prints(codeFine, "KNOWN SINCE", "status")
	s.exec(`CREATE VIEW public.hers AS SELECT bill_id FROM as_of.bills`)
	s.rewrite("inventory.bills: {history: true}", "inventory.bills: {history: false}")
	s.prints(codeFine, "\nviews and functions of a history that is over\n", "migrate", "--plan")
	s.run("migrate").complains(t, codeEnvironment, "hers depends on view as_of.bills", "drop what depends on them")
	s.exec(`DROP VIEW public.hers`)
	s.runs(codeFine, "migrate")
	s.counts(1, "views of schema as_of are left", `SELECT count(*) FROM pg_class WHERE relnamespace = 'as_of'::regnamespace`)
	errorIf(t, one[int](s, `SELECT count(*) FROM history.versions`) == 0, "the versions are gone, too")
}

// backfilled is the part of a backfill's document that these tests read.
type backfilled struct {
	ID          int64      `json:"id"`
	State       string     `json:"state"`
	StreamState string     `json:"stream_state"`
	Windows     int        `json:"windows"`
	WindowsDone int        `json:"windows_done"`
	Forecast    *int       `json:"forecast_calls"`
	Basis       string     `json:"forecast_basis"`
	Calls       int        `json:"calls"`
	CallsLeft   *int       `json:"calls_left"`
	DoneAt      *time.Time `json:"done_at"`
	Received    int        `json:"received"`
	Inserted    int        `json:"inserted"`
	Updated     int        `json:"updated"`
	Unchanged   int        `json:"unchanged"`
	Runs        []int64    `json:"runs"`
}

func (s *fixture) backfills(code int, args ...string) []backfilled {
	s.t.Helper()
	return decoded[[]backfilled](s, code, append([]string{"backfill"}, args...)...)
}

// TestBackfillMistakes: mistakes are reported before a call is spent.
func TestBackfillMistakes(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 92, Records: 50}).narrow()
	calls := s.arrivals.total()
	for args, want := range map[string]string{
		"":                       "requires at least 1 arg",
		"bills --from yesterday": "--from \"yesterday\" is no day",
		"bills --from 2026-02-01 --to 2026-01-31": "is behind --to",
		"bills --to 2026-01-31":                   "from below only",
		"credit_notes --from 2026-01-31":          "takes no filter by day",
		"conversations --from 2026-01-31":         "takes no filter by day",
		"bills.details":                           "name the list",
		"nothing":                                 "is no configured resource",
		"bills --wait --detach":                   "choose one",
		"show 7":                                  "there is no backfill 7",
		"pause 7":                                 "there is no backfill 7",
		"cancel seven":                            "is no number of a backfill",
	} {
		s.complains(codeUsage, want, append([]string{"backfill"}, strings.Fields(args)...)...)
	}
	n := one[int](s, `SELECT count(*) FROM sluice.backfills`)
	errorIf(t, n != 0 || s.arrivals.total() != calls, "%d backfills were opened and %d calls made by mistakes", n, s.arrivals.total()-calls)
}

// dryRun is the part of the document of --dry-run that these tests read.
type dryRun struct {
	Backfills []struct {
		Rows    *int     `json:"rows"`
		Calls   *int     `json:"calls"`
		Windows []window `json:"windows"`
	} `json:"backfills"`
	Services []struct {
		Ceiling     int      `json:"ceiling"`
		Today       int      `json:"calls_today"`
		Remaining   int      `json:"remaining"`
		DoneSeconds *float64 `json:"done_seconds"`
	} `json:"services"`
	Fits bool `json:"fits"`
}

// TestBackfillDryRun compares the forecast cost of a backfill with its real cost.
func TestBackfillDryRun(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 93, Records: 1500, Plan: "free"}).narrow()
	calls := s.arrivals.total()
	dry := func(code int, args ...string) dryRun {
		t.Helper()
		return decoded[dryRun](s, code, append([]string{"backfill", "--dry-run"}, args...)...)
	}
	if f := dry(codeFine, "inventory.bills"); f.Backfills[0].Calls != nil {
		t.Errorf("before anything was read: %+v", f)
	}
	windows := func() string {
		t.Helper()
		f := dry(codeFine, "accounting.vendor_payments", "--from", "2025-01-15", "--to", "2025-03-10")
		return fmt.Sprint(f.Backfills[0].Windows)
	}
	same(t, "three months of unknown size", "[{2025-01-15 2025-01-31} {2025-02-01 2025-02-28} {2025-03-01 2025-03-10}]", windows())
	errorIf(t, s.arrivals.total() != calls, "a dry run made calls")
	s.sync(codeFine)
	f := dry(codeFine, "inventory.bills")
	b := s.backfills(codeFine, "inventory.bills")
	if *f.Backfills[0].Calls != b[0].Calls || *f.Backfills[0].Rows != b[0].Received || b[0].Calls < 3 {
		t.Errorf("it was to cost %d calls for %d rows, and cost %+v", *f.Backfills[0].Calls, *f.Backfills[0].Rows, b[0])
	}
	o := s.run("backfill", "inventory.bills", "accounting.vendor_payments", "--from", "2020-01-01", "--dry-run")
	same(t, "three months of few payments", "[{2025-01-15 2025-03-10}]", windows())
	o.prints(t, codeFine, "750 of 1,500", "last_modified_time from 2020-01-01")
	// A free plan has 1,500 calls a day, of which backfills get half.
	s.exec(`INSERT INTO sluice.calls (organization_id, service, resource, class, shared, method, path, reserved_at, lease_until, finished_at, free_at)
		SELECT $1, 'inventory', 'bills', 'backfill', 'suite', 'GET', '/', at AS a, at AS b, at AS c, at AS d
		FROM (SELECT clock_timestamp() - interval '10 minutes' AS at FROM generate_series(1, 749)) AS n`, sandbox.DefaultOrganizationID)
	s.exec(`SELECT sluice.recount_calls()`)
	f = dry(codeBudget, "inventory.bills")
	errorIf(t, f.Fits || f.Services[0].Ceiling != 750 || *f.Services[0].DoneSeconds < 23*3600, "749 of 750 calls are spent: %+v", f)
}
