package cli

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sluice/pipeline/engine"
	"sluice/pipeline/files"
	"sluice/sandbox"
)

// TestExport: tables go to a folder with a manifest, or one to standard output
// byte by byte. Equal rows give equal bytes, and no file is replaced unasked.
func TestExport(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 94, Records: 60, Limits: sandbox.Limits{Off: true}}).narrow()
	s.configured("  inventory.bills: {history: true}\n")
	s.runs(codeFine, "migrate") // it writes what is declared of columns
	s.sync(codeFine)
	const name = "שלום\u202e \x1b[2J, \"x\""
	bill := one[string](s, `SELECT bill_id FROM inventory.bills ORDER BY bill_id COLLATE "C" LIMIT 1`)
	s.exec(`UPDATE inventory.bills SET vendor_name = $2 WHERE bill_id = $1`, bill, name)

	o := s.run("export", "inventory.bills", "--org", sandbox.DefaultOrganizationID)
	if first := strings.Split(o.stdout, "\r\n"); o.code != codeFine || o.stderr != "" || !strings.HasPrefix(first[0], "organization_id,bill_id,bill_number,") ||
		!strings.HasPrefix(first[1], sandbox.DefaultOrganizationID+","+bill+",") || !strings.Contains(first[1], `,"`+strings.ReplaceAll(name, `"`, `""`)+`",`) {
		t.Errorf("exit code %d\n%.2000q\n%s", o.code, o.stdout, o.stderr)
	}

	folder := filepath.Join(t.TempDir(), "bills")
	made := decoded[engine.Export](s, codeFine, "export", "inventory.bills*", "analytics.bills", "inventory.items", "--to", folder)
	var names []string
	for _, table := range made.Tables {
		names = append(names, table.Name)
		content := sure(os.ReadFile(filepath.Join(folder, table.File)))(t)
		sum := sha256.Sum256(content)
		if rows := one[int64](s, `SELECT count(*) FROM `+table.Name); table.Rows != rows || table.Bytes != int64(len(content)) || table.SHA256 != hex.EncodeToString(sum[:]) {
			t.Errorf("%+v, and there are %d rows and %d bytes", table, rows, len(content))
		}
	}
	if !slices.Equal(names[:2], []string{"analytics.bills", "inventory.bills"}) || names[len(names)-1] != "inventory.items" || len(names) < 8 ||
		made.Format != "parquet" || made.Snapshot.IsZero() || len(made.Cuts) != 1 || len(made.Freshness) < 6 {
		t.Errorf("manifest: %+v", made)
	}
	var stored engine.Export
	content := sure(os.ReadFile(filepath.Join(folder, "export.json")))(t)
	must(t, json.Unmarshal(content, &stored))
	errorIf(t, len(stored.Tables) != len(made.Tables) || stored.Snapshot != made.Snapshot, "stored: %+v", stored)

	again := filepath.Join(t.TempDir(), "again")
	s.prints(codeUsage, "", "export", "inventory.items", "inventory.bills*", "bills*", "--to", again)
	if o := s.run("export", "inventory.items", "inventory.bills*", "analytics.bills", "--to", again); o.code != codeFine || !strings.Contains(o.stdout, "inventory.bills.parquet") ||
		!strings.Contains(o.stdout, sandbox.DefaultOrganizationID+":") {
		t.Errorf("exit code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	for _, table := range made.Tables {
		one := sure(os.ReadFile(filepath.Join(folder, table.File)))(t)
		two := sure(os.ReadFile(filepath.Join(again, table.File)))(t)
		errorIf(t, !bytes.Equal(one, two), "%s has other bytes the second time", table.File)
	}
	s.complains(codeUsage, "--replace", "export", "inventory.items", "--to", folder)
	s.runs(codeFine, "export inventory.items --replace --format jsonl --to "+folder)
	s.listsExports()
	s.refusesExports(folder)
}

func (s *fixture) listsExports() {
	s.t.Helper()
	listed := decoded[[]exportableView](s, codeFine, "export")
	names := map[string]bool{}
	for _, e := range listed {
		names[e.Name] = true
	}
	if !names["inventory.bills"] || !names["analytics.bills"] || !names["as_of.bills"] || !names["history.versions"] || names["sluice.calls"] || names["sluice.raw_records"] {
		s.t.Errorf("%d can be exported: %v", len(listed), names)
	}
	s.run("export").prints(s.t, codeFine, "ONE ROW", "inventory.bills_line_items")
}

// refusesExports: what makes no sense is a mistake of the command line, and no file is left behind.
func (s *fixture) refusesExports(folder string) {
	s.t.Helper()
	before := sure(os.ReadDir(folder))(s.t)
	for _, wrong := range []struct{ args, says string }{
		{"inventory.bills inventory.items", "name a folder"},
		{"--to " + folder + " --replace", "name the tables"},
		{"inventory.bills --format parquet", "not for standard output"},
		{"inventory.bills --to - --format parquet", "not for standard output"},
		{"inventory.bills --replace", "--replace is for files"},
		{"inventory.bills --json", "--to"},
		{"inventory.bills --format xml", "parquet, csv or jsonl"},
		{"nothing --replace --to " + folder, "sluice export lists them"},
		{"as_of.bills --as-of yesterday --replace --to " + folder, "2026-10-31"},
	} {
		if o := s.run(append([]string{"export"}, strings.Fields(wrong.args)...)...); o.code != codeUsage || o.stdout != "" || !strings.Contains(o.stderr, wrong.says) {
			s.t.Errorf("%s: exit code %d, want %q\n%s%s", wrong.args, o.code, wrong.says, o.stdout, o.stderr)
		}
	}
	app := s.opened()
	for _, wrong := range []struct{ name, day, organization, says string }{
		{"bills", "", "", "analytics.bills and inventory.bills"},
		{"nothing", "", "", "sluice export lists them"},
		{"sluice.calls", "", "", "sluice export lists them"},
		{"sluice.*", "", "", "sluice export lists them"},
		{"river.river_job", "", "", "sluice export lists them"},
		{"inventory.bill?", "", "", "only *"},
		{"as_of.bills", "", "", "--as-of"},
		{"as_of.*", "", "", "--as-of"},
		{"inventory.bills", "2026-10-31", "", "rows of now"},
		{"analytics.catalog", "", sandbox.DefaultOrganizationID, "leave out --org"},
		{"inventory.bills", "", "nothing", "no configured organization"},
	} {
		_, err := app.Export(s.t.Context(), engine.ExportOptions{
			Names: []string{wrong.name}, Day: wrong.day, Organization: wrong.organization, Format: files.Parquet, Folder: folder, Replace: true,
		})
		errorIf(s.t, !errors.Is(err, engine.ErrUsage) || !strings.Contains(err.Error(), wrong.says),
			"%+v: %v, want a mistake of usage with %q", wrong, err, wrong.says)
	}
	s.exec(`UPDATE inventory.items SET rate = 'NaN'`)
	s.complains(codeFailed, `rate has "NaN"`, "export", "inventory.bills", "inventory.items", "--replace", "--to", folder)
	after := sure(os.ReadDir(folder))(s.t)
	errorIf(s.t, len(after) != len(before), "%d files are left, and there were %d: %v", len(after), len(before), after)
}
