//go:build e2e

package cli

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
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
			got := rowsOf(content)
			errorIf(t, got != want || table.Rows != want, "%s has %d rows, the manifest says %d, want %d", table.File, got, table.Rows, want)
			if want > 0 {
				filled++
			}
		}
		errorIf(t, len(made.Tables) < 150 || filled < 40,
			"%s: %d tables, %d of them with rows: this shows too little", format, len(made.Tables), filled)
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
		errorIf(t, len(left) != len(entries) || (name == "killed") != (len(left) > 10),
			"%s: %d of %d files look whole", name, len(entries)-len(left), len(entries))
		made := decoded[engine.Export](s, codeFine, "export", "accounting.*", "inventory.*", "--to", folder)
		_, err := os.Stat(filepath.Join(folder, "export.json"))
		errorIf(t, err != nil || len(made.Tables) < 80, "%s, and then: %v, %d tables", name, err, len(made.Tables))
	}
}

func partial(folder, table string) []string {
	found, _ := filepath.Glob(filepath.Join(folder, table+"*.partial")) // the pattern is one
	return found
}

// TestKilledImportLosesNothing: an import is killed within a batch. The same command, run again,
// makes all tables what they are without a kill.
func TestKilledImportLosesNothing(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 146, Records: 9_000, HeadersOnly: true, Limits: sandbox.Limits{Off: true}}).narrow()
	streams := exportedStreams{}
	for i, record := range s.truths()["inventory.items"] {
		streams["inventory.items"] = append(streams["inventory.items"], exportedRecord{record: record})
		if i == 700 {
			streams["inventory.items"][i].record = withKey(record, "last_modified_time", `"the day before yesterday"`)
		}
	}
	file := plainLines(s, streams)["inventory.items"]
	whole := s.secondWarehouse(t)
	want := whole.imported(codeFine, file)
	fatalIf(t, want.Lines < 1500, "%d lines make too few batches", want.Lines)
	s.exec(`CREATE FUNCTION public.hang() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN PERFORM pg_advisory_xact_lock(77); RETURN NULL; END$$;
		CREATE TRIGGER hang AFTER INSERT ON sluice.imports FOR EACH ROW WHEN (NEW.first_line > 1000) EXECUTE FUNCTION public.hang()`)
	conn := sure(pgx.Connect(t.Context(), s.environment["SLUICE_DATABASE_URL"]))(t)
	sure(conn.Exec(t.Context(), `SELECT pg_advisory_lock(77)`))(t)
	p := s.start("import", file)
	s.until("the import waits in its third batch", `SELECT count(*) > 0 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'`)
	p.kill()
	must(t, conn.Close(t.Context()))
	s.quiet() // the server may still commit what the process began
	s.exec(`DROP TRIGGER hang ON sluice.imports`)
	rows := one[int64](s, `SELECT count(*) FROM inventory.items`)
	stored := one[int64](s, `SELECT sum(inserted)::bigint FROM sluice.runs WHERE class = 'import' AND outcome = 'provisional'`)
	errorIf(t, stored != rows || rows < 900 || rows >= want.Inserted, "%d rows after the kill, the run says %d", rows, stored)
	s.counts(0, "runs are open", `SELECT count(*) FROM sluice.runs WHERE ended_at IS NULL`)
	found := s.verified(codeFine, "--local")
	errorIf(t, len(found.Findings) != 0, "after the kill verify finds %+v", found.Findings)
	got := s.imported(codeFine, file)
	if got.Lines != want.Lines || got.Inserted != want.Inserted-rows || got.Unchanged != rows || got.Rejected != want.Rejected || got.CallsSaved != want.CallsSaved {
		t.Errorf("after the kill: %+v, without one: %+v", got, want)
	}
	same(t, "rows without a kill and after one", whole.fields(), s.fields())
	s.counts(1, "records are in quarantine", `SELECT count(*) FROM sluice.quarantine WHERE state = 'open'`)
}
