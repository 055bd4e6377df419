//go:build e2e

package cli

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"sluice/pipeline/engine"
	"sluice/sandbox"
)

// TestExportOfEverything: every table and view of a warehouse that was synced has as many rows in
// each format as in the database, and the tables of a day have those of the day.
func TestExportOfEverything(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 95, Records: 500, Limits: sandbox.Limits{Off: true}}).narrow()
	s.configured("  inventory.bills: {history: true}\n")
	s.runs(codeFine, "migrate")
	s.sync(codeFine)
	for format, rowsOf := range map[string]func(content []byte) int64{
		"csv": func(content []byte) int64 {
			rows := sure(csv.NewReader(bytes.NewReader(content)).ReadAll())(t)
			return int64(len(rows) - 1)
		},
		"jsonl": func(content []byte) int64 { return int64(bytes.Count(content, []byte("\n"))) },
		"parquet": func(content []byte) int64 {
			file := sure(parquet.OpenFile(bytes.NewReader(content), int64(len(content))))(t)
			return file.NumRows()
		},
	} {
		folder := t.TempDir()
		made := decoded[engine.Export](s, codeFine, "export", "*", "--to", folder, "--format", format)
		filled := 0
		for _, table := range made.Tables {
			content := sure(os.ReadFile(filepath.Join(folder, table.File)))(t)
			want := one[int64](s, `SELECT count(*) FROM `+table.Name)
			if got := rowsOf(content); got != want || table.Rows != want {
				t.Errorf("%s has %d rows, the manifest says %d, want %d", table.File, got, table.Rows, want)
			}
			if want > 0 {
				filled++
			}
		}
		if len(made.Tables) < 150 || filled < 40 {
			t.Errorf("%s: %d tables, %d of them with rows: this shows too little", format, len(made.Tables), filled)
		}
	}
	today := one[string](s, `SELECT to_char(o.today, 'YYYY-MM-DD') FROM analytics.organizations o`)
	o := s.run("export", "as_of.inventory_bills", "--as-of", today, "--format", "jsonl")
	if bills := one[int](s, `SELECT count(*) FROM inventory.bills`); o.code != codeFine || strings.Count(o.stdout, "\n") != bills {
		t.Errorf("exit code %d, %d of %d bills as of %s\n%s", o.code, strings.Count(o.stdout, "\n"), bills, today, o.stderr)
	}
}

// TestExportIsKilled: a process that is killed leaves no file that looks whole, and the next one
// writes all of them. One that is asked to end cleans up.
func TestExportIsKilled(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 96, Records: 60, Limits: sandbox.Limits{Off: true}}).narrow()
	s.sync(codeFine)
	s.exec(`CREATE VIEW analytics.slow AS SELECT '1'::text AS organization_id, pg_sleep(600)::text AS slept`)
	for name, end := range map[string]func(p *process){
		"killed": func(p *process) { p.kill() },
		"asked to end": func(p *process) {
			p.terminate()
			p.ends(codeFailed, patience)
		},
	} {
		folder := filepath.Join(t.TempDir(), "export")
		p := s.start("export", "accounting.*", "analytics.slow", "inventory.*", "--to", folder)
		s.waitUntil("the slow view is exported", func() bool { return len(partial(folder, "analytics.slow")) == 1 })
		end(p)
		entries := sure(os.ReadDir(folder))(t)
		left := partial(folder, "")
		if len(left) != len(entries) || (name == "killed") != (len(left) > 10) {
			t.Errorf("%s: %d of %d files look whole", name, len(entries)-len(left), len(entries))
		}
		made := decoded[engine.Export](s, codeFine, "export", "accounting.*", "inventory.*", "--to", folder)
		if _, err := os.Stat(filepath.Join(folder, "export.json")); err != nil || len(made.Tables) < 80 {
			t.Errorf("%s, and then: %v, %d tables", name, err, len(made.Tables))
		}
	}
}

// partial are the files of a table that are not whole.
func partial(folder, table string) []string {
	found, _ := filepath.Glob(filepath.Join(folder, table+"*.partial")) // the pattern is one
	return found
}
