package rules_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"sluice/pipeline/check"
	"sluice/pipeline/engine/metrics"
)

const (
	repository = "../../"
	runbooks   = "docs/operations/runbooks/"
)

func read(t *testing.T, name string) string {
	t.Helper()
	text := check.Sure(os.ReadFile(repository + name))(t)
	return string(text)
}

// dashboard is what the tests read of a dashboard of Grafana.
type dashboard struct {
	Templating struct {
		List []struct {
			Name  string `json:"name"`
			Query string `json:"query"`
		} `json:"list"`
	} `json:"templating"`
	Panels []struct {
		ID      int    `json:"id"`
		Type    string `json:"type"`
		Title   string `json:"title"`
		GridPos struct {
			X int `json:"x"`
			Y int `json:"y"`
			W int `json:"w"`
			H int `json:"h"`
		} `json:"gridPos"`
		Targets []struct {
			RefID string `json:"refId"`
			Expr  string `json:"expr"`
		} `json:"targets"`
	} `json:"panels"`
}

// dashboards returns the dashboards by the names of their files.
func dashboards(t *testing.T) map[string]dashboard {
	t.Helper()
	all := map[string]dashboard{}
	for _, name := range []string{"fleet.json", "organization.json"} {
		var board dashboard
		check.Must(t, json.Unmarshal([]byte(read(t, "deploy/grafana/"+name)), &board))
		check.FatalIf(t, len(board.Panels) < 20, "%s: %d panels: not all were read", name, len(board.Panels))
		all[name] = board
	}
	return all
}

// TestPanels: panels do not overlap, fit into Grafana's 24 columns, and use variables of the
// dashboard.
func TestPanels(t *testing.T) {
	t.Parallel()
	variable := regexp.MustCompile(`\$(\w+)`)
	for name, board := range dashboards(t) {
		there := []string{"__rate_interval", "__range"}
		for _, v := range board.Templating.List {
			there = append(there, v.Name)
		}
		taken := map[[2]int]string{}
		for _, p := range board.Panels {
			check.ErrorIf(t, p.Title == "" || (p.Type != "row" && len(p.Targets) == 0), "%s: panel %d has no title, or asks for nothing", name, p.ID)
			for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
				for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
					other := taken[[2]int{x, y}]
					check.FatalIf(t, other != "" || x >= 24, "%s: panel %q lies over %q, or ends beyond column 24", name, p.Title, other)
					taken[[2]int{x, y}] = p.Title
				}
			}
			for _, q := range p.Targets {
				for _, used := range variable.FindAllStringSubmatch(q.Expr, -1) {
					check.ErrorIf(t, !slices.Contains(there, used[1]), "%s, panel %q: there is no variable %s", name, p.Title, used[1])
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
	check.Must(t, yaml.Unmarshal([]byte(read(t, "deploy/prometheus/sluice.rules.yaml")), &parsed))
	var all []alert
	for _, group := range parsed.Groups {
		all = append(all, group.Rules...)
	}
	check.FatalIf(t, len(all) < 14, "%d alerts: not all were read", len(all))
	return all
}

// queries returns all expressions by what they are of.
func queries(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, a := range alerts(t) {
		all[a.Name] = a.Expr
	}
	for name, board := range dashboards(t) {
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

// selected finds a metric with its matchers, and the matchers' labels.
var (
	selected = regexp.MustCompile(`\bsluice_([a-z0-9_]+)(\{[^}]*\})?`)
	matcher  = regexp.MustCompile(`(\w+)\s*(?:=~|!~|!=|=)\s*"`)
	grouped  = regexp.MustCompile(`\b(?:by|on|without)\s*\(([^)]*)\)`)
)

// TestMetricsAreDeclared: each metric in an alert or a dashboard is one that the program exports,
// and has the labels that the query names. Another name is no error in Prometheus: the query finds
// nothing.
func TestMetricsAreDeclared(t *testing.T) {
	t.Parallel()
	declared := map[string]metrics.Metric{}
	for _, m := range metrics.Declared() {
		declared[m.Name] = m
		if m.Type == metrics.Histogram {
			m.Labels = append([]string{"le"}, m.Labels...)
			for _, part := range []string{"_bucket", "_count", "_sum"} {
				declared[m.Name+part] = m
			}
		}
	}
	used := map[string]bool{}
	for of, expr := range queries(t) {
		labels := []string{"job"} // Prometheus gives it to every figure
		for _, found := range selected.FindAllStringSubmatch(expr, -1) {
			m, exported := declared["sluice_"+found[1]]
			if !exported {
				t.Errorf("%s asks for sluice_%s, which the program does not export", of, found[1])
			}
			used[m.Name] = true
			labels = append(labels, m.Labels...)
			for _, label := range matcher.FindAllStringSubmatch(found[2], -1) {
				check.ErrorIf(t, label[1] != "job" && !slices.Contains(m.Labels, label[1]),
					"%s asks for the label %s, which %s does not have", of, label[1], m.Name)
			}
		}
		for _, found := range grouped.FindAllStringSubmatch(expr, -1) {
			for label := range strings.SplitSeq(found[1], ",") {
				if label = strings.TrimSpace(label); !slices.Contains(labels, label) {
					t.Errorf("%s groups by the label %s, which none of its metrics has", of, label)
				}
			}
		}
	}
	for _, m := range metrics.Declared() {
		check.ErrorIf(t, !used[m.Name], "%s is in no alert and no dashboard", m.Name)
	}
}

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
		check.ErrorIf(t, severity != "critical" && severity != "warning" || a.Annotations["summary"] == "" || a.Annotations["description"] == "",
			"%s: severity %q, annotations %v", a.Name, severity, a.Annotations)
		row := "| [" + a.Name + "](runbooks/" + a.Name + ".md) | " + severity + " | "
		check.ErrorIf(t, !strings.Contains(page, row), "docs/operations/alert.md has no line %s", row)
		book := read(t, runbooks+a.Name+".md")
		want := []string{
			"# " + a.Name + "\n", "Severity: " + severity + ".", "\n## It means\n", "\n## Look\n", "```sh\nsluice", "\n## Do\n", "\n## It ends\n",
		}
		for _, part := range want {
			check.ErrorIf(t, !strings.Contains(book, part), "the runbook of %s lacks %q", a.Name, part)
		}
		fires := strings.Count(tests, "alertname: "+a.Name+"\n        exp_alerts:")
		silent := strings.Count(tests, "alertname: "+a.Name+"\n") - fires
		if fires < 1 || silent < 3 { // before, after, and where all is well
			t.Errorf("%s: the tests see it %d times, and do not see it %d times", a.Name, fires, silent)
		}
	}
	files := check.Sure(filepath.Glob(repository + runbooks + "*.md"))(t)
	written := map[string]bool{}
	for _, file := range files {
		written[filepath.Base(file)] = true
	}
	slices.Sort(named)
	got := slices.Sorted(maps.Keys(written))
	check.ErrorIf(t, !slices.Equal(got, named), "runbooks %q, alerts %q", got, named)
}
