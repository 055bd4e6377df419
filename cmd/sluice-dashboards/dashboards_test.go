package main

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
)

const (
	repository = "../../"
	runbooks   = "docs/operations/runbooks/"
)

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(repository + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestDashboardsAreCurrent: what is stored is what the program writes.
func TestDashboardsAreCurrent(t *testing.T) {
	t.Parallel()
	for name, board := range files() {
		text, err := board.text()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(read(t, "deploy/grafana/"+name), string(text)); diff != "" {
			t.Errorf("%s is not current: run make dashboards (-stored +now):\n%s", name, diff)
		}
	}
}

// TestPanels: panels do not overlap, fit into Grafana's 24 columns, and use variables of the
// dashboard.
func TestPanels(t *testing.T) {
	t.Parallel()
	variable := regexp.MustCompile(`\$(\w+)`)
	for name, board := range files() {
		there := []string{"__rate_interval"}
		for _, v := range board.Templating.List {
			there = append(there, v.Name)
		}
		taken := map[[2]int]string{}
		for _, p := range board.Panels {
			if p.Title == "" || (p.Type != "row" && len(p.Targets) == 0) {
				t.Errorf("%s: panel %d has no title, or asks for nothing", name, p.ID)
			}
			for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
				for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
					if other := taken[[2]int{x, y}]; other != "" || x >= 24 {
						t.Fatalf("%s: panel %q lies over %q, or ends beyond column 24", name, p.Title, other)
					}
					taken[[2]int{x, y}] = p.Title
				}
			}
			for _, q := range p.Targets {
				for _, used := range variable.FindAllStringSubmatch(q.Expr, -1) {
					if !slices.Contains(there, used[1]) {
						t.Errorf("%s, panel %q: there is no variable %s", name, p.Title, used[1])
					}
				}
			}
		}
	}
}

// ruleFile is a file of rules.
type ruleFile struct {
	Groups []struct {
		Rules []alert `yaml:"rules"`
	} `yaml:"groups"`
}

type alert struct {
	Name        string            `yaml:"alert"`
	Expr        string            `yaml:"expr"`
	For         string            `yaml:"for"`
	Labels      map[string]string `yaml:"labels"`
	Annotations map[string]string `yaml:"annotations"`
}

func alerts(t *testing.T) []alert {
	t.Helper()
	var parsed ruleFile
	if err := yaml.Unmarshal([]byte(read(t, "deploy/prometheus/sluice.rules.yaml")), &parsed); err != nil {
		t.Fatal(err)
	}
	var all []alert
	for _, group := range parsed.Groups {
		all = append(all, group.Rules...)
	}
	if len(all) < 14 {
		t.Fatalf("%d alerts: not all were read", len(all))
	}
	return all
}

// queries returns all expressions by what they are of.
func queries(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, a := range alerts(t) {
		all[a.Name] = a.Expr
	}
	for name, board := range files() {
		for _, p := range board.Panels {
			for _, q := range p.Targets {
				all[name+", "+p.Title+" "+q.RefID] = q.Expr
			}
		}
		for _, v := range board.Templating.List {
			all[name+", variable "+v.Name] = v.Query
		}
	}
	return all
}

// TestMetricsAreDeclared: each metric in an alert or a dashboard is one that the program exports. A
// query of another name is no error in Prometheus: it finds nothing.
func TestMetricsAreDeclared(t *testing.T) {
	t.Parallel()
	declared := map[string]bool{}
	for name := range strings.FieldsSeq(transcribed) {
		declared[name] = true
	}
	metric := regexp.MustCompile(`\bsluice_[a-z0-9_]+`)
	part := regexp.MustCompile(`_(bucket|count|sum)$`)
	used := map[string]bool{}
	for of, expr := range queries(t) {
		for _, name := range metric.FindAllString(expr, -1) {
			whole := part.ReplaceAllString(name, "")
			used[name], used[whole] = true, true
			if !declared[name] && !declared[whole] {
				t.Errorf("%s asks for %s, which the program does not export", of, name)
			}
		}
	}
	for name := range declared {
		if !used[name] {
			t.Errorf("%s is in no alert and no dashboard", name)
		}
	}
}

const transcribed = `sluice_build_info sluice_stream_interval_seconds sluice_stream_bound_seconds sluice_budget_limit_calls
	sluice_budget_spent_calls sluice_budget_external_calls sluice_budget_kept_calls sluice_budget_exhausted_timestamp_seconds
	sluice_refusals_24h sluice_oldest_job_timestamp_seconds sluice_last_tick_timestamp_seconds sluice_call_duration_seconds
	sluice_backfill_progress_ratio sluice_backfill_failed sluice_tombstones_held sluice_tombstones_held_since_timestamp_seconds
	sluice_verify_findings sluice_stream_watermark_timestamp_seconds sluice_stream_last_done_timestamp_seconds sluice_stream_state
	sluice_stream_failures sluice_stream_quarantined_records sluice_stream_quarantine_alarm sluice_tokens_died_young sluice_calls_24h
	sluice_callbacks_total sluice_callback_seconds sluice_channel_expires_timestamp_seconds sluice_channel_last_told_timestamp_seconds
	sluice_channel_gap_seconds_total sluice_notifications_self_test_timestamp_seconds sluice_hints_waiting sluice_hint_to_row_seconds
	sluice_stream_told_ratio sluice_stream_missed_total sluice_database_up`

// TestAlertsHaveRunbooks: each alert has a runbook, a line in the table of the alerts and tests of
// when it fires and when it does not; and each runbook has its alert.
func TestAlertsHaveRunbooks(t *testing.T) {
	t.Parallel()
	page := read(t, "docs/operations/alert.md")
	tests := read(t, "deploy/prometheus/sluice.test.yaml") + read(t, "deploy/prometheus/sluice.days.test.yaml")
	var named []string
	for _, a := range alerts(t) {
		named = append(named, a.Name+".md")
		if want := runbooks + a.Name + ".md"; a.Annotations["runbook_url"] != want {
			t.Errorf("%s: its runbook is %q, want %s", a.Name, a.Annotations["runbook_url"], want)
		}
		severity := a.Labels["severity"]
		if severity != "critical" && severity != "warning" || a.Annotations["summary"] == "" || a.Annotations["description"] == "" {
			t.Errorf("%s: severity %q, annotations %v", a.Name, severity, a.Annotations)
		}
		if row := "| [" + a.Name + "](runbooks/" + a.Name + ".md) | " + severity + " | "; !strings.Contains(page, row) {
			t.Errorf("docs/operations/alert.md has no line %s", row)
		}
		book := read(t, runbooks+a.Name+".md")
		want := []string{
			"# " + a.Name + "\n", "Severity: " + severity + ".", "\n## It means\n", "\n## Look\n", "```sh\nsluice ", "\n## Do\n", "\n## It ends\n",
		}
		for _, part := range want {
			if !strings.Contains(book, part) {
				t.Errorf("the runbook of %s lacks %q", a.Name, part)
			}
		}
		fires := strings.Count(tests, "alertname: "+a.Name+"\n        exp_alerts:")
		silent := strings.Count(tests, "alertname: "+a.Name+"\n") - fires
		if fires < 1 || silent < 3 { // before, after, and where all is well
			t.Errorf("%s: the tests see it %d times, and do not see it %d times", a.Name, fires, silent)
		}
	}
	files, err := filepath.Glob(repository + runbooks + "*.md")
	if err != nil {
		t.Fatal(err)
	}
	written := map[string]bool{}
	for _, file := range files {
		written[filepath.Base(file)] = true
	}
	slices.Sort(named)
	if got := slices.Sorted(maps.Keys(written)); !slices.Equal(got, named) {
		t.Errorf("runbooks %q, alerts %q", got, named)
	}
}
