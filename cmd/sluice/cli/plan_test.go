package cli

import (
	"fmt"
	"slices"
	"strings"
	"testing"
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

// foresee runs the plan command and checks its exit code.
func (s *fixture) foresee(code int, args ...string) planned {
	s.t.Helper()
	return decoded[planned](s, code, append([]string{"plan"}, args...)...)
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
	if text := s.run("runs", "chart_of_accounts").stdout; !strings.Contains(text, fmt.Sprintf("%d -2", runs[0].Calls+2)) {
		t.Errorf("runs shows no error of the forecast:\n%s", text)
	}
}

// TestPlanAssumptions: a figure that no stream of the plan has, or that is not a number, is refused.
func TestPlanAssumptions(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 84, Records: 30}).narrow()
	for args, want := range map[string]string{
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
	o := s.run("plan", "--assume", "accounting.chart_of_accounts=100000,inventory.bills=20000,accounting.contact_persons.parents=1000,inventory.taxes=600000")
	for line := range strings.Lines(o.stdout) {
		if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > 120 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	for _, want := range []string{"unknown", "assumed", "declared", "It does not fit"} {
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
