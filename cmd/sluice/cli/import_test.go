package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"sluice/pipeline/engine"
	"sluice/pipeline/files"
	"sluice/pipeline/lineage/importer"
	"sluice/pipeline/warehouse/warehousetest"
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
			diff := cmp.Diff(state, other)
			errorIf(t, diff != "", "-%s +%s\n%s", first.name, l.name, firstOf(diff))
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
		diff := cmp.Diff(want[table], got[table])
		errorIf(s.t, diff != "", "%s (-synced from the beginning +imported):\n%s", table, firstOf(diff))
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
	n := one[int64](s, `SELECT count(*) FROM sluice.quarantine WHERE state = 'open' AND detail ~ '\.jsonl, line [0-9]+: .'`)
	errorIf(s.t, n != rejected, "%d records are in quarantine with file and line, want %d", n, rejected)
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
	got = s.imported(codeFine, plainLines(s, lines)["inventory.items"])
	errorIf(t, got.Updated != 1, "a line that was modified later: %+v", got)
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
	o.prints(t, codeFine, "imported from standard input, lines 1 to "+bills)
	o.lacks(t, codeFine, "not in the call log")
	s.counts(0, "calls are counted", `SELECT (SELECT count(*) FROM sluice.calls) + (SELECT count(*) FROM sluice.spent)`)
	s.counts(1, "sweeps that are due", `SELECT count(*) FROM sluice.streams WHERE resource = 'bills.sweep' AND next_due_at <= clock_timestamp()`)
}

// exportedRecord is one version of a record as another program has it.
type exportedRecord struct {
	record    map[string]json.RawMessage
	extracted time.Time
	sync      int
	// deleted says that the other program knows the record as deleted, misfit that it does not fit
	// its declaration.
	deleted, misfit bool
}

// exportedStreams are the versions by resource, as inventory.bills.
type exportedStreams map[string][]exportedRecord

// keyOfExported are the keys of the resources, written down here.
func keyOfExported() map[string]string {
	return map[string]string{
		"accounting.chart_of_accounts": "account_id", "accounting.vendor_payments": "payment_id",
		"inventory.items": "item_id", "inventory.bills": "bill_id", "inventory.credit_notes": "creditnote_id",
	}
}

// secondWarehouse is the fixture with another database behind the same upstream.
func (s *fixture) secondWarehouse(t *testing.T) *fixture {
	t.Helper()
	other := *s
	other.t = t
	other.environment = maps.Clone(s.environment)
	url := warehousetest.Template(t, "migrated", migrated)
	other.environment["SLUICE_DATABASE_URL"] = url
	conn := sure(pgx.Connect(t.Context(), url))(t)
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	other.conn = conn
	return &other
}

// truths are all records upstream has now, by resource.
func (s *fixture) truths() map[string][]map[string]json.RawMessage {
	s.t.Helper()
	found := map[string][]map[string]json.RawMessage{}
	for name := range keyOfExported() {
		service, resource, _ := strings.Cut(name, ".")
		for text := range s.world.Truth(service, resource) {
			var record map[string]json.RawMessage
			must(s.t, json.Unmarshal(text, &record))
			found[name] = append(found[name], record)
		}
		fatalIf(s.t, len(found[name]) == 0, "upstream has no %s", name)
	}
	return found
}

// without is a record without some keys.
func without(record map[string]json.RawMessage, keys ...string) map[string]json.RawMessage {
	other := maps.Clone(record)
	for _, key := range keys {
		delete(other, key)
	}
	return other
}

// with is a record with another value.
func withKey(record map[string]json.RawMessage, key, value string) map[string]json.RawMessage {
	other := maps.Clone(record)
	other[key] = json.RawMessage(value)
	return other
}

// layout writes the records of another program in one of its forms, and returns the file of each
// resource, with one record per line.
type layout struct {
	name  string
	write func(s *fixture, streams exportedStreams) map[string]string
}

func layouts() []layout {
	return []layout{{"airbyte", airbyteTables}, {"singer", singerTables}, {"lines", plainLines}}
}

func text(t *testing.T, value any) string {
	t.Helper()
	out := sure(json.Marshal(value))(t)
	return string(out)
}

// airbyteTables makes raw tables of Airbyte, and copies them as docs/importing.md does.
func airbyteTables(s *fixture, streams exportedStreams) map[string]string {
	s.exec(`CREATE SCHEMA airbyte_internal`)
	for name, records := range streams {
		_, resource, _ := strings.Cut(name, ".")
		table := pgx.Identifier{"airbyte_internal", "books_raw__stream_" + resource}.Sanitize()
		s.exec(`CREATE TABLE ` + table + ` (_airbyte_raw_id varchar PRIMARY KEY, _airbyte_data jsonb, _airbyte_extracted_at timestamptz,
			_airbyte_loaded_at timestamptz, _airbyte_meta jsonb)`)
		batch := new(pgx.Batch)
		for _, r := range records {
			data := r.record
			if r.deleted {
				data = withKey(data, "_ab_cdc_deleted_at", `"2026-01-01T00:00:00Z"`)
			}
			batch.Queue(`INSERT INTO `+table+` VALUES (gen_random_uuid()::text, $1, $2, $2, jsonb_build_object('sync_id', $3::int, 'changes', '[]'::jsonb))`,
				text(s.t, data), r.extracted, r.sync)
		}
		must(s.t, s.conn.SendBatch(s.t.Context(), batch).Close())
	}
	return s.copied(streams, "airbyte_internal.")
}

// singerTables makes tables of a Singer target, and copies them as docs/importing.md does.
func singerTables(s *fixture, streams exportedStreams) map[string]string {
	s.exec(`CREATE SCHEMA melty`)
	for name, records := range streams {
		_, resource, _ := strings.Cut(name, ".")
		s.typedTable("melty", resource, records, `_sdc_extracted_at timestamp, _sdc_received_at timestamp, _sdc_batched_at timestamp,
			_sdc_deleted_at timestamp, _sdc_sequence bigint, _sdc_table_version bigint`, func(r exportedRecord) map[string]any {
			at := r.extracted.UTC().Format("2006-01-02T15:04:05.999999")
			ours := map[string]any{"_sdc_extracted_at": at, "_sdc_received_at": at, "_sdc_batched_at": at, "_sdc_sequence": r.extracted.UnixMilli()}
			if r.deleted {
				ours["_sdc_deleted_at"] = at
			}
			return ours
		})
	}
	return s.copied(streams, "melty.")
}

// copied runs the statement of docs/importing.md that reads from a schema, for each resource.
func (s *fixture) copied(streams exportedStreams, schema string) map[string]string {
	s.t.Helper()
	page := sure(os.ReadFile("../../../docs/importing.md"))(s.t)
	var recipe string
	for _, one := range statementsIn("docs/importing.md", string(page)) {
		if strings.HasPrefix(one.sql, "COPY ") && strings.Contains(one.sql, schema) {
			recipe = one.sql
		}
	}
	fatalIf(s.t, recipe == "", "docs/importing.md copies nothing out of %s", schema)
	files := map[string]string{}
	for name := range streams {
		_, resource, _ := strings.Cut(name, ".")
		files[name] = filepath.Join(s.t.TempDir(), name+".jsonl")
		file := sure(os.Create(files[name]))(s.t)
		sql := strings.NewReplacer("bill_id", keyOfExported()[name], "bills", resource).Replace(recipe)
		_, err := s.conn.PgConn().CopyTo(s.t.Context(), file, sql)
		must(s.t, errors.Join(err, file.Close()))
	}
	return files
}

// plainLines writes all versions in the order in which they were planted, without deleted records.
func plainLines(s *fixture, streams exportedStreams) map[string]string {
	files := map[string]string{}
	for name, records := range streams {
		var lines []string
		for _, r := range records {
			if !r.deleted {
				lines = append(lines, text(s.t, r.record))
			}
		}
		files[name] = filepath.Join(s.t.TempDir(), name+".jsonl")
		must(s.t, os.WriteFile(files[name], []byte(strings.Join(lines, "\n")+"\n"), 0o600))
	}
	return files
}

func (s *fixture) typedTable(schema, name string, records []exportedRecord, ours string, meta func(exportedRecord) map[string]any) {
	s.t.Helper()
	kinds := map[string]string{}
	for _, r := range records {
		for key, value := range r.record {
			kind := "text"
			switch value[0] {
			case 'n':
				continue
			case '[', '{':
				kind = "jsonb"
			case 't', 'f':
				kind = "boolean"
			case '"':
			default:
				kind = "numeric"
			}
			if known := kinds[key]; known != "" && known != kind {
				kind = "jsonb" // values of several types
			}
			kinds[key] = kind
		}
	}
	columns := []string{ours}
	for _, key := range slices.Sorted(maps.Keys(kinds)) {
		columns = append(columns, pgx.Identifier{key}.Sanitize()+" "+kinds[key])
	}
	table := pgx.Identifier{schema, name}.Sanitize()
	s.exec(`CREATE TABLE ` + table + ` (` + strings.Join(columns, ", ") + `)`)
	batch := new(pgx.Batch)
	for _, r := range records {
		row := meta(r)
		for key, value := range r.record {
			row[key] = value
		}
		batch.Queue(`INSERT INTO `+table+` SELECT * FROM jsonb_populate_record(NULL::`+table+`, $1)`, text(s.t, row))
	}
	must(s.t, s.conn.SendBatch(s.t.Context(), batch).Close())
}

// fields are all values of the live rows of the resources, by table: columns of the program's own
// excepted, but for those that say where an element is.
func (s *fixture) fields() map[string][]string {
	s.t.Helper()
	found := map[string][]string{}
	for name, key := range keyOfExported() {
		service, resource, _ := strings.Cut(name, ".")
		live := fmt.Sprintf(`(SELECT organization_id, %s FROM %s WHERE _deleted_at IS NULL)`, key, name)
		rows, err := s.conn.Query(s.t.Context(), `SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
			WHERE c.relkind = 'r' AND n.nspname = $1 AND (c.relname = $2 OR starts_with(c.relname, $2 || '_')) AND c.relname NOT LIKE '%\_history'`, service, resource)
		must(s.t, err)
		tables := sure(pgx.CollectRows(rows, pgx.RowTo[string]))(s.t)
		for _, table := range tables {
			full := pgx.Identifier{service, table}.Sanitize()
			of := key
			if table != resource {
				of = "_parent_id"
			}
			rows := sure(s.conn.Query(s.t.Context(), fmt.Sprintf(`SELECT (SELECT string_agg(e.key || '=' || e.value, ' ' ORDER BY e.key)
				FROM jsonb_each_text(to_jsonb(t)) e WHERE NOT starts_with(e.key, '_') OR e.key IN ('_parent_id', '_position', '_parent_position'))
				FROM %s AS t WHERE (t.organization_id, t.%s) IN %s ORDER BY 1`, full, of, live)))(s.t)
			found[service+"."+table] = sure(pgx.CollectRows(rows, pgx.RowTo[string]))(s.t)
		}
	}
	return found
}

func (s *fixture) imported(code int, args ...string) engine.Imported {
	s.t.Helper()
	return decoded[engine.Imported](s, code, append([]string{"import"}, args...)...)
}

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
	s.run("export", "inventory.items", "inventory.bills*", "analytics.bills", "--to", again).
		prints(t, codeFine, "inventory.bills.parquet", sandbox.DefaultOrganizationID+":")
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
		o := s.run(append([]string{"export"}, strings.Fields(wrong.args)...)...)
		o.complains(s.t, codeUsage, wrong.says)
		same(s.t, wrong.args, "", o.stdout)
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
