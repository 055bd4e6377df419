// Command sluice-dashboards writes the Grafana dashboards of deploy/grafana: one of the fleet, one
// of an organization. make dashboards runs it. What both show is written once, and a figure that is
// renamed is renamed in one place.
//
// Start reading at fleet; panel.go has what a panel is made of.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "sluice-dashboards:", err)
		os.Exit(1)
	}
}

// files returns the dashboards by the names of their files.
func files() map[string]dashboard {
	return map[string]dashboard{"fleet.json": fleet(), "organization.json": organization()}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("sluice-dashboards", flag.ContinueOnError)
	folder := flags.String("out", "deploy/grafana", "the folder that gets the dashboards")
	rules := flags.Bool("rules", false, "write no file; print each query as a rule, for promtool check rules")
	if err := flags.Parse(args); err != nil {
		return fmt.Errorf("read the flags: %w", err)
	}
	if *rules {
		return printRules(out)
	}
	for name, board := range files() {
		text, err := board.text()
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(*folder, name), text, 0o644); err != nil { //nolint:gosec // a file of the repository
			return fmt.Errorf("write a dashboard: %w", err)
		}
	}
	return nil
}

// text is the dashboard as Grafana imports it.
func (d *dashboard) text() ([]byte, error) {
	text, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write %s as JSON: %w", d.Title, err)
	}
	return append(text, '\n'), nil
}

// printRules prints the queries as a file of rules: the one form of an expression that promtool
// parses without a server.
func printRules(out io.Writer) error {
	if _, err := fmt.Fprint(out, "groups:\n  - name: dashboards\n    rules:\n"); err != nil {
		return fmt.Errorf("print the rules: %w", err)
	}
	boards := files()
	for _, name := range slices.Sorted(maps.Keys(boards)) {
		for _, p := range boards[name].Panels {
			for _, t := range p.Targets {
				record := fmt.Sprintf("dashboard:%s:%d_%s", strings.TrimSuffix(name, ".json"), p.ID, t.RefID)
				if _, err := fmt.Fprintf(out, "      - record: %s\n        expr: %q\n", record, plain(t.Expr)); err != nil {
					return fmt.Errorf("print the rules: %w", err)
				}
			}
		}
	}
	return nil
}

// plain replaces what Grafana replaces before it asks Prometheus.
func plain(expr string) string {
	return strings.NewReplacer("$__rate_interval", "5m", "$__range", "24h", "$job", ".*", "$organization", "acme").Replace(expr)
}
