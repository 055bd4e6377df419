package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

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
		Cheapest *struct {
			EverySeconds float64 `json:"every_seconds"`
			FreshSeconds float64 `json:"fresh_within_seconds"`
		} `json:"cheapest"`
	} `json:"streams"`
	Services []struct {
		Service   string `json:"service"`
		Spent     int    `json:"spent"`
		Calls     int    `json:"calls"`
		Remaining *int   `json:"remaining"`
		Unknown   int    `json:"unknown_streams"`
		Fits      bool   `json:"fits"`
	} `json:"services"`
	Config []string `json:"config"`
	Fits   bool     `json:"fits"`
}

// foresee runs the plan command and checks its exit code.
func (s *fixture) foresee(code int, args ...string) planned {
	s.t.Helper()
	o := s.run(append([]string{"plan", "--json"}, args...)...)
	var p planned
	if err := json.Unmarshal([]byte(o.stdout), &p); err != nil || o.code != code {
		s.t.Fatalf("plan ended with %d, want %d (%v)\n%s\n%s", o.code, code, err, o.stdout, o.stderr)
	}
	return p
}

// calls are the calls that the plan expects, by stream.
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
		if exported := stream.Resource == "conversations"; (stream.Calls != nil) != exported || exported == (stream.Assume != "") {
			t.Errorf("before anything was read: %+v", stream)
		}
	}
	calls := s.foresee(codeFine, "--assume=inventory.bills=3000", "--assume=inventory.bills.details=40").calls()
	if list, details := calls["inventory.bills"], calls["inventory.bills.details"]; list < 15 || details != 40 {
		t.Errorf("3,000 bills and 40 of their single records take %d and %d calls, want at least 15 and 40", list, details)
	}
	s.sync(codeFine, "chart_of_accounts")
	for _, service := range s.foresee(codeFine).Services {
		if spent := one[int](s, "SELECT count(*) FROM sluice.calls WHERE service = $1", service.Service); service.Spent != spent {
			t.Errorf("%s: %d spent, want %d", service.Service, service.Spent, spent)
		}
	}
	s.sync(codeFine, "chart_of_accounts")
	var runs []struct {
		Calls    int    `json:"calls"`
		Forecast *int   `json:"forecast_calls"`
		Basis    string `json:"forecast_basis"`
	}
	s.exec("UPDATE sluice.runs SET forecast_calls = forecast_calls + 2 WHERE id = (SELECT max(id) FROM sluice.runs WHERE resource = 'chart_of_accounts')")
	s.document(&runs, "runs", "chart_of_accounts")
	if len(runs) != 2 || runs[1].Forecast != nil || runs[0].Forecast == nil || *runs[0].Forecast != runs[0].Calls+2 || runs[0].Basis != "assumed" {
		t.Errorf("runs shows %+v", runs)
	}
	if text := s.run("runs", "chart_of_accounts").stdout; !strings.Contains(text, fmt.Sprintf("%d -2", runs[0].Calls+2)) {
		t.Errorf("runs shows no error of the forecast:\n%s", text)
	}
}

// TestPlanFreshness asks for a freshness, pastes the lines of the plan into the configuration, and
// asks again.
func TestPlanFreshness(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 84, Records: 30}).narrow()
	args := []string{"inventory.bills", "inventory.items", "--assume", "inventory.bills=20000,inventory.items=900", "--assume", "inventory.bills.changes=480"}
	p := s.foresee(codeFine, append(args, "--freshness", "6h,inventory.bills=15m")...)
	if len(p.Config) != 3 || p.Config[0] != "resources:" || !strings.HasPrefix(p.Config[1], "  inventory.items: {every: 5h") &&
		!strings.HasPrefix(p.Config[2], "  inventory.items: {every: 5h") {
		t.Errorf("to paste: %q", p.Config)
	}
	for i := range p.Streams {
		if stream := &p.Streams[i]; stream.Resource == "bills" && (stream.Cheapest == nil || stream.Cheapest.FreshSeconds > (15*time.Minute).Seconds()) {
			t.Errorf("bills within 15m: %+v", stream.Cheapest)
		}
	}
	for args, want := range map[string]string{
		"--freshness soon":                 "--freshness soon",
		"--freshness 10s":                  "from 1m",
		"--freshness taxes=1h":             "no such list",
		"--assume inventory.bills":         "number of rows",
		"--assume inventory.bills=-1":      "number of rows",
		"--assume bills=2":                 "no figure of a stream",
		"--assume chat.conversation=3":     "no figure of a stream",
		"--assume inventory.bills=1 bills": "",
	} {
		o := s.run(append([]string{"plan"}, strings.Fields(args)...)...)
		if wantCode := codeUsage; want != "" && (o.code != wantCode || !strings.Contains(o.stderr, want)) || want == "" && o.code != codeFine {
			t.Errorf("plan %s: %d, %s", args, o.code, o.stderr)
		}
	}
}

// TestPlanFits: a plan that needs more than the day has left ends with the budget's exit code, and
// the tables fit a terminal.
func TestPlanFits(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 85, Records: 30, Plan: "free"})
	// A free plan has 1,000 calls a day: 600,000 rows without a time are 3,001 pages, read twice.
	p := s.foresee(codeBudget, "inventory.taxes", "--assume", "inventory.taxes=600000")
	if p.Fits || p.calls()["inventory.taxes"] != 6002 {
		t.Errorf("it fits: %+v", p)
	}
	o := s.run("plan", "--freshness", "1h", "--assume", "accounting.chart_of_accounts=100000,inventory.bills=20000,accounting.contact_persons.parents=1000")
	for line := range strings.Lines(o.stdout) {
		if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > 120 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	for _, want := range []string{"unknown", "assumed", "declared", "resources:", "It does not fit"} {
		if !strings.Contains(o.stdout, want) {
			t.Errorf("the text has no %q:\n%s", want, o.stdout)
		}
	}
	if o.code != codeBudget {
		t.Errorf("exit code %d", o.code)
	}
	if slices.Contains(strings.Fields(o.stdout), "-1") {
		t.Errorf("a negative figure:\n%s", o.stdout)
	}
}
