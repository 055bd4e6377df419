package cli

import (
	"encoding/json"
	"fmt"
	"maps"
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

// made are the calls that upstream received, by stream, in the runs after one.
func (s *fixture) made(behind int64) map[string]int {
	s.t.Helper()
	rows, err := s.conn.Query(s.t.Context(), `SELECT r.service || '.' || r.resource, (SELECT count(*) FROM sluice.calls c WHERE c.run_id = r.id)
		FROM sluice.runs r WHERE r.id > $1`, behind)
	must(s.t, err)
	defer rows.Close()
	made := make(map[string]int)
	for rows.Next() {
		var name string
		var calls int
		must(s.t, rows.Scan(&name, &calls))
		made[name] += calls
	}
	must(s.t, rows.Err())
	return made
}

// count is how many records upstream has of a resource.
func (s *fixture) count(r resource) int {
	n := 0
	for range s.world.Truth(r.service, r.name) {
		n++
	}
	return n
}

// TestPlan compares the forecast of a first sync, for which only the sizes are assumed, with its
// real calls. Upstream is quiet, so they have to be equal. The second forecast uses what the first
// sync measured.
func TestPlan(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		options sandbox.Options
		// details are the rows of each list that are assumed to be headers. "" leaves it to the
		// forecast, which assumes that all are.
		details string
	}{
		"headers":    {options: sandbox.Options{Seed: 83, Records: 70, HeadersOnly: true}},
		"many pages": {options: sandbox.Options{Seed: 86, Records: 2400}, details: "0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newFixture(t, test.options).narrow()
			s.blind()
			first := s.foresee(codeFine, s.assumed(test.details)...)
			before := s.arrivals.total()
			s.sync(codeFine)
			s.came(first, 0)
			sum := 0
			for i := range first.Services {
				sum += first.Services[i].Calls
			}
			if arrived := s.arrivals.total() - before; arrived != sum || sum < 15 {
				t.Errorf("the services were to be called %d times (more than once a list, or nothing was forecast) and were %d times", sum, arrived)
			}

			second, last := s.foresee(codeFine), one[int64](s, "SELECT max(id) FROM sluice.runs")
			for i := range second.Services {
				if service := &second.Services[i]; service.Spent != first.Services[i].Calls {
					t.Errorf("%s: %d spent, want %d", service.Service, service.Spent, first.Services[i].Calls)
				}
			}
			s.sync(codeFine)
			s.came(second, last)
			s.kept(last)
		})
	}
}

// blind plans before anything was read: an export is one call, everything else is unknown.
func (s *fixture) blind() {
	s.t.Helper()
	p := s.foresee(codeFine)
	for i := range p.Streams {
		stream := &p.Streams[i]
		if exported := stream.Resource == "conversations"; (stream.Calls != nil) != exported || exported == (stream.Assume != "") {
			s.t.Errorf("before anything was read: %+v", stream)
		}
	}
}

// assumed are the flags with the number of upstream's records.
func (s *fixture) assumed(details string) []string {
	s.t.Helper()
	var flags []string
	for _, r := range resources() {
		if r.service == "chat" { // an export is one call
			continue
		}
		flags = append(flags, fmt.Sprintf("--assume=%s.%s=%d", r.service, r.name, s.count(r)))
		if r.name == "chart_of_accounts" { // its list is whole but in a sandbox that plays live services
			flags = append(flags, "--assume=accounting.chart_of_accounts.details=0")
		} else if details != "" {
			flags = append(flags, fmt.Sprintf("--assume=%s.%s.details=%s", r.service, r.name, details))
		}
	}
	return flags
}

// came compares a forecast with the runs after one.
func (s *fixture) came(forecast planned, behind int64) {
	s.t.Helper()
	if want, got := forecast.calls(), s.made(behind); !maps.Equal(want, got) {
		s.t.Errorf("it was to take\n%v and took\n%v", want, got)
	}
}

// kept checks the forecasts stored with the runs: none where nothing was known, and all of them
// right. The runs after last knew everything.
func (s *fixture) kept(last int64) {
	s.t.Helper()
	if wrong := one[int](s, "SELECT count(*) FROM sluice.runs r JOIN sluice.forecasts f ON f.run_id = r.id WHERE f.calls <> r.calls"); wrong != 0 {
		s.t.Errorf("%d runs were forecast wrongly", wrong)
	}
	if none := one[int](s, "SELECT count(*) FROM sluice.runs r WHERE id > $1 AND NOT EXISTS (SELECT FROM sluice.forecasts f WHERE f.run_id = r.id)", last); none != 0 {
		s.t.Errorf("%d of the second sync's runs have no forecast", none)
	}
	var runs []struct {
		Calls    int    `json:"calls"`
		Forecast *int   `json:"forecast_calls"`
		Basis    string `json:"forecast_basis"`
	}
	s.exec("UPDATE sluice.forecasts SET calls = calls + 2 WHERE run_id = (SELECT max(id) FROM sluice.runs WHERE resource = 'chart_of_accounts')")
	must(s.t, json.Unmarshal([]byte(s.run("runs", "chart_of_accounts", "--json").stdout), &runs))
	if len(runs) != 2 || runs[1].Forecast != nil || runs[0].Forecast == nil || *runs[0].Forecast != runs[0].Calls+2 || runs[0].Basis != "assumed" {
		s.t.Errorf("runs shows %+v", runs)
	}
	if text := s.run("runs", "chart_of_accounts").stdout; !strings.Contains(text, fmt.Sprintf("%d -2", runs[0].Calls+2)) {
		s.t.Errorf("runs shows no error of the forecast:\n%s", text)
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
