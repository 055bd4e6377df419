//go:build e2e

package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

const repository = "../../../"

// watcher is a real Prometheus with the rules of deploy, which scrapes every second.
type watcher struct {
	s       *fixture
	address string
	log     buffer
}

// watched starts Prometheus for a process. No alert has to last, so that a test need not wait.
// Sooner are thresholds of time with what takes their place.
func (s *fixture) watched(target string, sooner map[string]string) *watcher {
	s.t.Helper()
	text, err := os.ReadFile(repository + "deploy/prometheus/sluice.rules.yaml")
	must(s.t, err)
	rules := regexp.MustCompile(`(?m)^(\s+for: )\w+$`).ReplaceAllString(string(text), "${1}0s")
	for threshold, sooner := range sooner {
		if strings.Count(rules, threshold) != 1 {
			s.t.Fatalf("the rules have %q %d times, want once", threshold, strings.Count(rules, threshold))
		}
		rules = strings.Replace(rules, threshold, sooner, 1)
	}
	dir := s.t.TempDir()
	must(s.t, os.WriteFile(filepath.Join(dir, "rules.yaml"), []byte(rules), 0o600))
	must(s.t, os.WriteFile(filepath.Join(dir, "prometheus.yaml"), fmt.Appendf(nil, `
global: {scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s}
rule_files: [rules.yaml]
scrape_configs:
  - job_name: sluice
    static_configs: [{targets: [%q]}]
`, target), 0o600))
	found, err := exec.CommandContext(s.t.Context(), repository+".ci/monitoring", "tool", "prometheus").Output()
	if err != nil {
		s.t.Fatalf("there is no prometheus: .ci/monitoring says why: %v", err)
	}
	w := &watcher{s: s}
	cmd := exec.CommandContext(s.t.Context(), strings.TrimSpace(string(found)),
		"--config.file="+filepath.Join(dir, "prometheus.yaml"), "--storage.tsdb.path="+filepath.Join(dir, "data"), "--web.listen-address=127.0.0.1:0")
	cmd.Stderr = &w.log
	must(s.t, cmd.Start())
	s.t.Cleanup(func() {
		_ = cmd.Process.Kill() // with the test its data goes, too
		_ = cmd.Wait()
	})
	listening := regexp.MustCompile(`msg="Listening on" address=(\S+)`)
	s.waitUntil("Prometheus listens", func() bool {
		said := listening.FindStringSubmatch(w.log.String())
		if said != nil {
			w.address = said[1]
		}
		return said != nil
	})
	return w
}

// asks sends an instant query and returns the labels of its answer.
func (w *watcher) asks(query string) []map[string]string {
	w.s.t.Helper()
	code, text := get(w.s.t, "http://"+w.address+"/api/v1/query?query="+url.QueryEscape(query))
	if code == http.StatusServiceUnavailable { // it starts
		return nil
	}
	var answer struct {
		Data struct {
			Result []struct {
				Metric map[string]string `json:"metric"`
			} `json:"result"`
		} `json:"data"`
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil || code != http.StatusOK {
		w.s.t.Fatalf("%s: %d %s", query, code, text)
	}
	var all []map[string]string
	for _, r := range answer.Data.Result {
		all = append(all, r.Metric)
	}
	return all
}

// firing returns the alerts that fire, each with the stream or what else it is about.
func (w *watcher) firing() map[string]bool {
	w.s.t.Helper()
	all := map[string]bool{}
	for _, l := range w.asks(`ALERTS{alertstate="firing"}`) {
		text := l["alertname"]
		for _, label := range []string{"service", "resource", "module"} {
			if l[label] != "" {
				text += " " + l[label]
			}
		}
		all[text] = true
	}
	return all
}

// fires waits until all of these alerts fire.
func (w *watcher) fires(alerts ...string) { w.s.t.Helper(); w.becomes(true, alerts) }

// ends waits until none of these alerts fires.
func (w *watcher) ends(alerts ...string) { w.s.t.Helper(); w.becomes(false, alerts) }

func (w *watcher) becomes(fires bool, alerts []string) {
	w.s.t.Helper()
	began := time.Now()
	for _, alert := range alerts {
		var firing map[string]bool
		w.s.waitUntil(fmt.Sprintf("%s fires: %t", alert, fires), func() bool {
			firing = w.firing()
			return firing[alert] == fires
		})
	}
	w.s.t.Logf("%q fire: %t, after %s", alerts, fires, time.Since(began).Round(time.Second))
}

// quiet waits until no alert fires but these, with figures of some scrapes.
func (w *watcher) quiet(but ...string) {
	w.s.t.Helper()
	w.s.waitUntil("no other alert fires", func() bool {
		firing := w.firing()
		for _, alert := range but {
			delete(firing, alert)
		}
		return len(firing) == 0 && len(w.asks(`count_over_time(sluice_stream_bound_seconds[1m]) >= 4`)) > 0
	})
}

// dashboards asks each query of the dashboards, as Grafana would. Each has to find something, but
// those of these panels: a join over labels that never meet finds nothing, and says so nowhere.
func (w *watcher) dashboards(empty ...string) {
	w.s.t.Helper()
	variables := strings.NewReplacer("$__rate_interval", "1m", "$job", ".*", "$organization", businessKey)
	asked := 0
	for _, name := range []string{"fleet", "organization"} {
		text, err := os.ReadFile(repository + "deploy/grafana/" + name + ".json")
		must(w.s.t, err)
		var board struct {
			Panels []struct {
				Title   string `json:"title"`
				Targets []struct {
					Expr string `json:"expr"`
				} `json:"targets"`
			} `json:"panels"`
		}
		must(w.s.t, json.Unmarshal(text, &board))
		for _, p := range board.Panels {
			for _, q := range p.Targets {
				asked++
				if expr := variables.Replace(q.Expr); len(w.asks(expr)) == 0 && !slices.Contains(empty, p.Title) {
					w.s.t.Errorf("%s, panel %q finds nothing: %s", name, p.Title, expr)
				}
			}
		}
	}
	if asked < 60 {
		w.s.t.Errorf("%d queries were asked: the dashboards have more", asked)
	}
}
