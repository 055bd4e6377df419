package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/pipeline/lineage/importer"
	"sluice/sandbox"
)

// plant makes what another program has of two states of upstream: all of the present state but for
// holes, in two syncs, with duplicates, stale versions, records that were deleted, and other shapes.
func plant(t *testing.T, before, now map[string][]map[string]json.RawMessage, last time.Time) exportedStreams {
	t.Helper()
	streams := exportedStreams{}
	first := last.Add(-72 * time.Hour)
	for name, records := range now {
		stale := map[string]map[string]json.RawMessage{}
		key := keyOfExported()[name]
		for _, record := range before[name] {
			stale[string(record[key])] = record
		}
		for i, record := range records {
			one := exportedRecord{record: record, extracted: last.Add(time.Duration(i) * time.Millisecond), sync: 2}
			add := func(r exportedRecord) { streams[name] = append(streams[name], r) }
			switch i % 20 {
			case 3: // a hole
				continue
			case 5: // it was read twice, and came in the wrong order
				add(one)
				if old, known := stale[string(record[key])]; known {
					add(exportedRecord{record: old, extracted: first, sync: 1})
				}
				continue
			case 7: // as a list shows it
				if _, has := record["line_items"]; has {
					one.record = without(record, "line_items")
				}
			case 9: // numbers as text, and a key that no declaration has
				for _, amount := range []string{"total", "sub_total", "amount", "rate"} {
					if value, has := record[amount]; has && value[0] != '"' && value[0] != 'n' {
						one.record = withKey(one.record, amount, `"`+string(value)+`"`)
					}
				}
				one.record = withKey(one.record, "x_surprise", `"?"`)
			case 11: // it is deleted, the other program believes
				one.deleted = true
			case 13: // it does not fit
				if i == 13 && name != "accounting.chart_of_accounts" { // of which there are few
					one.record = withKey(one.record, modifiedOfExported(name), `"the day before yesterday"`)
					one.misfit = true
				}
			}
			add(one)
		}
	}
	return streams
}

// modifiedOfExported is a time of a record.
func modifiedOfExported(name string) string {
	if name == "inventory.items" || name == "inventory.bills" || name == "inventory.credit_notes" || name == "accounting.vendor_payments" {
		return "last_modified_time"
	}
	return "created_time"
}

// markerOfExported is the array that only single records have, written down here.
func markerOfExported(name string) string {
	return map[string]string{
		"accounting.chart_of_accounts": "custom_fields", "accounting.vendor_payments": "bills", "inventory.items": "locations",
		"inventory.bills": "line_items", "inventory.credit_notes": "line_items",
	}[name]
}

// TestImportedWarehouseEqualsSyncedOne: imported lines and one sync are the warehouse that was
// synced from the beginning, field for field, for fewer calls. The recipes of docs/importing.md
// print the same records from the tables of both programs, so only one of the forms is synced.
func TestImportedWarehouseEqualsSyncedOne(t *testing.T) {
	t.Parallel()
	// All forms ask one upstream for access tokens: its limit on them, ten in ten minutes, is
	// short.
	limits := sandbox.Limits{Off: true, Minute: time.Second}
	s := newFixture(t, sandbox.Options{Seed: 143, Records: 220, HeadersOnly: true, Limits: limits}).narrow()
	s.environment[withMinute] = "5s" // the sync from the beginning takes more calls than a minute allows
	names := []string{"items", "bills", "credit_notes", "vendor_payments", "chart_of_accounts"}
	before := s.truths()
	change := func(seed int64, edits int) {
		sure(s.world.Change(sandbox.Change{Seed: seed, Inserts: 3, Edits: edits, Deletes: 2, Resources: names}))(t)
	}
	change(1, 25)
	streams := plant(t, before, s.truths(), time.Now().Add(-time.Hour))
	change(2, 3) // since the other program's last sync
	s.sync(codeFine)
	s.equal()
	want, spent := s.fields(), s.calls()
	imports := func(t *testing.T, l layout) (*fixture, importedState, int64) {
		t.Helper()
		b := s.secondWarehouse(t)
		saved := b.importsPlanted(l, streams)
		same(t, "calls of the import", 0, b.calls())
		b.counts(0, "runs of imports made calls, or are not done", `SELECT count(*) FROM sluice.runs WHERE class = 'import' AND (calls <> 0 OR outcome <> 'done')`)
		return b, b.importedState(), saved
	}
	first := layouts()[0]
	b, state, saved := imports(t, first)
	b.syncsAfterImport(want, spent, saved)
	for _, l := range layouts()[1:] {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			_, other, _ := imports(t, l)
			if diff := cmp.Diff(state, other); diff != "" {
				t.Errorf("-%s +%s\n%s", first.name, l.name, firstOf(diff))
			}
		})
	}
}

// importedState is what a sync finds after an import.
type importedState struct {
	Fields  map[string][]string
	Details []string
}

func (s *fixture) importedState() importedState {
	s.t.Helper()
	return importedState{
		Fields:  s.fields(),
		Details: one[[]string](s, `SELECT array_agg(concat_ws(' ', bill_id, _detail_state) ORDER BY bill_id) FROM inventory.bills`),
	}
}

// syncsAfterImport syncs, and wants the fields of a warehouse that was synced from the beginning
// with so many calls.
func (s *fixture) syncsAfterImport(want map[string][]string, spent int, saved int64) {
	s.t.Helper()
	s.sync(codeFine)
	s.pass(8 * 24 * time.Hour) // what was deleted since is proven gone by a second sweep
	s.sync(codeFine)
	got := s.fields()
	for table := range want {
		if diff := cmp.Diff(want[table], got[table]); diff != "" {
			s.t.Errorf("%s (-synced from the beginning +imported):\n%s", table, firstOf(diff))
		}
	}
	s.equal()
	made := s.calls()
	s.t.Logf("calls: %d from the beginning, %d after the import, %d said to be saved", spent, made, saved)
	errorIf(s.t, int64(spent-made) < saved/2, "%d calls instead of %d: %d were said to be saved", made, spent, saved)
	found := s.verified(codeFine, "--local")
	errorIf(s.t, len(found.Findings) != 0, "verify finds %+v", found.Findings)
}

func firstOf(diff string) string {
	lines := strings.Split(diff, "\n")
	return strings.Join(lines[:min(len(lines), 40)], "\n")
}

// importsPlanted imports the file of each resource, compares the counts with what was planted, and
// returns the calls that are said to be saved.
func (s *fixture) importsPlanted(l layout, streams exportedStreams) int64 {
	s.t.Helper()
	var saved, rejected int64
	for name, file := range l.write(s, streams) {
		dry := s.imported(codeFine, file, "--dry-run")
		s.counts(0, "rows of a dry run", `SELECT count(*) FROM `+name)
		got := s.imported(codeFine, file)
		want := importer.Result{CallsSaved: got.CallsSaved}
		for _, r := range streams[name] {
			stale := r.sync == 1
			if r.deleted || stale && l.name != "lines" { // the recipes print the version that was read last
				continue
			}
			want.Lines++
			_, whole := r.record[markerOfExported(name)]
			switch {
			case stale:
				want.Superseded++
			case r.misfit:
				want.Rejected++
			case whole:
				want.WithDetails++
			}
		}
		want.Inserted = want.Lines - want.Superseded - want.Rejected
		diff := cmp.Diff(want, got.Result)
		errorIf(s.t, diff != "" || got.Resource != name, "%s as %s (-want +got):\n%s", name, got.Resource, diff)
		if d := dry.Result; d.Lines != got.Lines || d.WithDetails != got.WithDetails || d.Rejected != got.Rejected || d.CallsSaved != got.CallsSaved {
			s.t.Errorf("%s: a dry run says %+v, the import %+v", name, d, got.Result)
		}
		saved, rejected = saved+got.CallsSaved, rejected+want.Rejected
	}
	errorIf(s.t, saved == 0 || rejected == 0, "%d calls are saved, %d lines are rejected: want some of both", saved, rejected)
	if n := one[int64](s, `SELECT count(*) FROM sluice.quarantine WHERE state = 'open' AND detail ~ '\.jsonl, line [0-9]+: .'`); n != rejected {
		s.t.Errorf("%d records are in quarantine with file and line, want %d", n, rejected)
	}
	return saved
}

// exportedFiles is a fixture with a file of items and one of bills.
func exportedFiles(t *testing.T, seed int64) (*fixture, map[string]string, map[string][]map[string]json.RawMessage) {
	t.Helper()
	s := newFixture(t, sandbox.Options{Seed: seed, Records: 30, HeadersOnly: true, Limits: sandbox.Limits{Off: true}}).narrow()
	records, streams := s.truths(), exportedStreams{}
	for _, name := range []string{"inventory.items", "inventory.bills"} {
		for _, r := range records[name] {
			streams[name] = append(streams[name], exportedRecord{record: r})
		}
	}
	return s, plainLines(s, streams), records
}

// TestImportRefuses: mistakes of the command line and of files.
func TestImportRefuses(t *testing.T) {
	t.Parallel()
	s, files, _ := exportedFiles(t, 144)
	for args, says := range map[string]string{
		"":                                      "accepts between 1 and 2 arg(s)",
		"-":                                     "name the resource after -",
		"none.jsonl bills":                      "no such file",
		files["inventory.bills"] + " nothing":   "no configured resource",
		files["inventory.bills"] + " inventory": "choose one of inventory.items, inventory.bills, ",
		files["inventory.bills"] + " items":     "has the key item_id",
		files["inventory.bills"] + " bills --org nobody":     "no configured organization",
		files["inventory.bills"] + " bills --map x=y":        "unknown flag",
		files["inventory.bills"] + " bills extra":            "accepts between 1 and 2 arg(s)",
		files["inventory.bills"] + " inventory.items --json": "has the key item_id",
	} {
		s.complains(codeUsage, says, append([]string{"import"}, strings.Fields(args)...)...)
	}
	s.counts(0, "rows that refused imports wrote", `SELECT (SELECT count(*) FROM sluice.imports) + (SELECT count(*) FROM sluice.quarantine) + (SELECT count(*) FROM sluice.runs)`)
	rest := sure(os.ReadFile(files["inventory.bills"]))(t)
	broken := filepath.Join(t.TempDir(), "bills.jsonl")
	must(t, os.WriteFile(broken, append([]byte(strings.Repeat("broken\n", 10)), rest...), 0o600))
	o := s.run("import", broken)
	o.says(t, codeFailed, "too many lines were rejected: 10 of the first", "sluice quarantine list inventory.bills")
	same(t, "rows of the lines that fit", strings.Count(string(rest), "\n"), one[int](s, `SELECT count(*) FROM inventory.bills`))
}

// TestImportKeepsNewerRows: a line that was not modified later changes nothing, whatever it says,
// and a line that was modified later replaces its row.
func TestImportKeepsNewerRows(t *testing.T) {
	t.Parallel()
	s, files, records := exportedFiles(t, 147)
	s.sync(codeFine, "items")
	want, watermark := s.fields()["inventory.items"], one[time.Time](s, `SELECT watermark FROM sluice.streams WHERE resource = 'items'`)
	lines := exportedStreams{}
	for i, r := range records["inventory.items"] {
		r = withKey(r, "name", `"another name of the same time"`)
		if i == 0 {
			r = withKey(r, "last_modified_time", `"2001-01-01T00:00:00+0000"`)
		}
		lines["inventory.items"] = append(lines["inventory.items"], exportedRecord{record: r})
	}
	got := s.imported(codeFine, plainLines(s, lines)["inventory.items"])
	errorIf(t, got.Superseded != got.Lines || got.Lines == 0, "lines that are not newer: %+v", got)
	same(t, "rows that are not older were written", want, s.fields()["inventory.items"])
	again := s.imported(codeFine, files["inventory.items"])
	errorIf(t, again.Inserted+again.Updated != 0, "the records that were synced: %+v", again)
	soon := time.Now().Add(time.Hour).UTC().Format(`"2006-01-02T15:04:05+0000"`)
	lines["inventory.items"] = []exportedRecord{{record: withKey(records["inventory.items"][0], "last_modified_time", soon)}}
	if got = s.imported(codeFine, plainLines(s, lines)["inventory.items"]); got.Updated != 1 {
		t.Errorf("a line that was modified later: %+v", got)
	}
	moved := one[time.Time](s, `SELECT watermark FROM sluice.streams WHERE resource = 'items'`)
	errorIf(t, !moved.Equal(watermark), "an import moved the watermark from %s to %s", watermark, moved)
}

// TestImportReadsStandardInput: - reads it, and explain says where an imported record is from.
// Budgets count nothing, and the sweep is due.
func TestImportReadsStandardInput(t *testing.T) {
	t.Parallel()
	s, files, records := exportedFiles(t, 145)
	text := sure(os.ReadFile(files["inventory.bills"]))(t)
	var stdout, stderr buffer
	env := s.env(&stdout, &stderr)
	env.Stdin = strings.NewReader(string(text))
	code := Main(t.Context(), []string{"--config", s.config, "import", "-", "bills"}, env)
	bills := strconv.Itoa(len(records["inventory.bills"]))
	for _, says := range []string{
		"inventory.bills: " + bills + " lines, " + bills + " inserted, 0 updated", "because the records have details: " + bills + ".",
	} {
		errorIf(t, code != codeFine || !strings.Contains(stdout.String(), says),
			"exit code %d, want %q\n%s%s", code, says, stdout.String(), stderr.String())
	}
	id := one[string](s, `SELECT bill_id FROM inventory.bills WHERE _detail_state = 'current' ORDER BY 1 LIMIT 1`)
	o := s.run("explain", "inventory.bills", id)
	if o.code != codeFine || !strings.Contains(o.stdout, "imported from standard input, lines 1 to "+bills) || strings.Contains(o.stdout, "not in the call log") {
		t.Errorf("explain does not say where the record is from (%d):\n%s%s", o.code, o.stdout, o.stderr)
	}
	s.counts(0, "calls are counted", `SELECT (SELECT count(*) FROM sluice.calls) + (SELECT count(*) FROM sluice.spent)`)
	s.counts(1, "sweeps that are due", `SELECT count(*) FROM sluice.streams WHERE resource = 'bills.sweep' AND next_due_at <= clock_timestamp()`)
}
