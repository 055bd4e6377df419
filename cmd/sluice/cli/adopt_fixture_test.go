package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/warehousetest"
)

// foreignRecord is one version of a record as another program has it.
type foreignRecord struct {
	record    map[string]json.RawMessage
	extracted time.Time
	deleted   bool
	sync      int
}

// foreignStreams are the versions by resource, as inventory.bills.
type foreignStreams map[string][]foreignRecord

// keyOfForeign are the keys of the resources, written down here.
func keyOfForeign() map[string]string {
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
	conn, err := pgx.Connect(t.Context(), url)
	must(t, err)
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	other.conn = conn
	return &other
}

// truths are all records upstream has now, by resource.
func (s *fixture) truths() map[string][]map[string]json.RawMessage {
	s.t.Helper()
	found := map[string][]map[string]json.RawMessage{}
	for name := range keyOfForeign() {
		service, resource, _ := strings.Cut(name, ".")
		for text := range s.world.Truth(service, resource) {
			var record map[string]json.RawMessage
			must(s.t, json.Unmarshal(text, &record))
			found[name] = append(found[name], record)
		}
		if len(found[name]) == 0 {
			s.t.Fatalf("upstream has no %s", name)
		}
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

// layout writes the records of another program in one of the ways in which they lie about, and
// gives the flags with which they are adopted.
type layout struct {
	name  string
	write func(s *fixture, streams foreignStreams) []string
}

func layouts() []layout {
	return []layout{
		{"airbyte raw", airbyteRaw},
		{"airbyte before version 2", airbyteOld},
		{"airbyte direct load", airbyteTyped},
		{"fivetran", fivetranTables},
		{"singer target", singerTables},
		{"singer messages", singerMessages},
		{"jsonl", jsonlFiles},
	}
}

func text(t *testing.T, value any) string {
	t.Helper()
	out, err := json.Marshal(value)
	must(t, err)
	return string(out)
}

func airbyteRaw(s *fixture, streams foreignStreams) []string {
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
	return []string{"--from", "airbyte", "--schema", "airbyte_internal"}
}

func airbyteOld(s *fixture, streams foreignStreams) []string {
	s.exec(`CREATE SCHEMA old`)
	for name, records := range streams {
		_, resource, _ := strings.Cut(name, ".")
		table := pgx.Identifier{"old", "_airbyte_raw_" + resource}.Sanitize()
		s.exec(`CREATE TABLE ` + table + ` (_airbyte_ab_id varchar PRIMARY KEY, _airbyte_data jsonb, _airbyte_emitted_at timestamptz)`)
		batch := new(pgx.Batch)
		for _, r := range records {
			data := r.record
			if r.deleted {
				data = withKey(data, "_ab_cdc_deleted_at", `"2026-01-01T00:00:00Z"`)
			}
			batch.Queue(`INSERT INTO `+table+` VALUES (gen_random_uuid()::text, $1, $2)`, text(s.t, data), r.extracted)
		}
		must(s.t, s.conn.SendBatch(s.t.Context(), batch).Close())
	}
	return []string{"--from", "airbyte"}
}

func airbyteTyped(s *fixture, streams foreignStreams) []string {
	s.exec(`CREATE SCHEMA books`)
	for name, records := range streams {
		_, resource, _ := strings.Cut(name, ".")
		s.typedTable("books", resource, records, `_airbyte_raw_id varchar, _airbyte_extracted_at timestamptz, _airbyte_meta jsonb,
			_airbyte_generation_id bigint, _ab_cdc_deleted_at text`, func(r foreignRecord) map[string]any {
			ours := map[string]any{
				"_airbyte_raw_id": "x", "_airbyte_extracted_at": r.extracted, "_airbyte_meta": map[string]any{"sync_id": r.sync}, "_airbyte_generation_id": 0,
			}
			if r.deleted {
				ours["_ab_cdc_deleted_at"] = "2026-01-01T00:00:00Z"
			}
			return ours
		})
	}
	return []string{"--from", "airbyte", "--schema", "books"}
}

// fivetranTables has its names in the singular, and one that no rule finds.
func fivetranTables(s *fixture, streams foreignStreams) []string {
	s.exec(`CREATE SCHEMA zbooks`)
	singular := map[string]string{
		"chart_of_accounts": "chart_of_account", "vendor_payments": "supplier_payment", "items": "item", "bills": "bill", "credit_notes": "credit_note",
	}
	for name, records := range streams {
		_, resource, _ := strings.Cut(name, ".")
		records = flattened(s.t, records, "_")
		s.typedTable("zbooks", singular[resource], records, `_fivetran_synced timestamp, _fivetran_deleted boolean`, func(r foreignRecord) map[string]any {
			return map[string]any{"_fivetran_synced": r.extracted.UTC().Format("2006-01-02T15:04:05.999999"), "_fivetran_deleted": r.deleted}
		})
	}
	s.exec(`CREATE TABLE zbooks.bill_line_item (bill_id text, _fivetran_index integer, rate numeric, _fivetran_synced timestamp)`)
	return []string{"--from", "fivetran", "--map", "supplier_payment=accounting.vendor_payments"}
}

func singerTables(s *fixture, streams foreignStreams) []string {
	s.exec(`CREATE SCHEMA melty`)
	for name, records := range streams {
		_, resource, _ := strings.Cut(name, ".")
		s.typedTable("melty", resource, flattened(s.t, records, "__"), `_sdc_extracted_at timestamp, _sdc_received_at timestamp, _sdc_batched_at timestamp,
			_sdc_deleted_at timestamp, _sdc_sequence bigint, _sdc_table_version bigint`, func(r foreignRecord) map[string]any {
			at := r.extracted.UTC().Format("2006-01-02T15:04:05.999999")
			ours := map[string]any{"_sdc_extracted_at": at, "_sdc_received_at": at, "_sdc_batched_at": at, "_sdc_sequence": r.extracted.UnixMilli()}
			if r.deleted {
				ours["_sdc_deleted_at"] = at
			}
			return ours
		})
	}
	s.exec(`CREATE TABLE melty.bills__line_items (_sdc_source_key_bill_id text, _sdc_level_0_id bigint, _sdc_sequence bigint, rate numeric)`)
	return []string{"--from", "singer", "--schema", "melty"}
}

func singerMessages(s *fixture, streams foreignStreams) []string {
	folder := s.t.TempDir()
	var lines []string
	for name, records := range streams {
		_, resource, _ := strings.Cut(name, ".")
		lines = append(lines, fmt.Sprintf(`{"type":"SCHEMA","stream":%q,"schema":{"type":"object"},"key_properties":[%q]}`, resource, keyOfForeign()[name]))
		for _, r := range records {
			record := r.record
			if r.deleted {
				record = withKey(record, "_sdc_deleted_at", `"2026-01-01T00:00:00Z"`)
			}
			lines = append(lines, text(s.t, map[string]any{"type": "RECORD", "stream": resource, "record": record, "time_extracted": r.extracted.UTC()}))
		}
	}
	lines = append(lines, `{"type":"STATE","value":{"bookmarks":{"bills":{"last_modified_time":"2031-01-01T00:00:00Z"}}}}`)
	must(s.t, os.WriteFile(filepath.Join(folder, "tap.jsonl"), []byte(strings.Join(lines, "\n")), 0o600))
	return []string{"--from", "singer", "--files", folder}
}

// jsonlFiles has no word for deleted records: they are left out here.
func jsonlFiles(s *fixture, streams foreignStreams) []string {
	folder := s.t.TempDir()
	for name, records := range streams {
		var lines []string
		for _, r := range records {
			if !r.deleted {
				lines = append(lines, text(s.t, map[string]any{"extracted_at": r.extracted.UTC(), "record": r.record}))
			}
		}
		must(s.t, os.WriteFile(filepath.Join(folder, name+".jsonl"), []byte(strings.Join(lines, "\n")+"\n"), 0o600))
	}
	return []string{"--from", "jsonl", "--files", folder}
}

// flattened takes objects apart, as programs do that have a column for each value.
func flattened(t *testing.T, records []foreignRecord, between string) []foreignRecord {
	t.Helper()
	flat := make([]foreignRecord, len(records))
	for i, r := range records {
		flat[i] = r
		flat[i].record = map[string]json.RawMessage{}
		for key, value := range r.record {
			var object map[string]json.RawMessage
			if json.Unmarshal(value, &object) != nil || object == nil {
				flat[i].record[key] = value
				continue
			}
			for inner, value := range object {
				flat[i].record[key+between+inner] = value
			}
		}
	}
	return flat
}

// typedTable makes a table with a column for each key, of the type of its values.
func (s *fixture) typedTable(schema, name string, records []foreignRecord, ours string, meta func(foreignRecord) map[string]any) {
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
				kind = "text"
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
	for name, key := range keyOfForeign() {
		service, resource, _ := strings.Cut(name, ".")
		live := fmt.Sprintf(`(SELECT organization_id, %s FROM %s WHERE _deleted_at IS NULL)`, key, name)
		rows, err := s.conn.Query(s.t.Context(), `SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
			WHERE c.relkind = 'r' AND n.nspname = $1 AND (c.relname = $2 OR starts_with(c.relname, $2 || '_')) AND c.relname NOT LIKE '%\_history'`, service, resource)
		must(s.t, err)
		tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
		must(s.t, err)
		for _, table := range tables {
			full := pgx.Identifier{service, table}.Sanitize()
			of := key
			if table != resource {
				of = "_parent_id"
			}
			rows, err := s.conn.Query(s.t.Context(), fmt.Sprintf(`SELECT (SELECT string_agg(e.key || '=' || e.value, ' ' ORDER BY e.key)
				FROM jsonb_each_text(to_jsonb(t)) e WHERE NOT starts_with(e.key, '_') OR e.key IN ('_parent_id', '_position', '_parent_position'))
				FROM %s AS t WHERE (t.organization_id, t.%s) IN %s ORDER BY 1`, full, of, live))
			must(s.t, err)
			found[service+"."+table], err = pgx.CollectRows(rows, pgx.RowTo[string])
			must(s.t, err)
		}
	}
	return found
}

// adopted runs adopt, checks its exit code, and gives its result.
func (s *fixture) adopted(code int, args ...string) adoptView {
	s.t.Helper()
	o := s.run(append([]string{"--json", "adopt"}, args...)...)
	var result adoptView
	if err := json.Unmarshal([]byte(o.stdout), &result); err != nil || o.code != code {
		s.t.Fatalf("adopt %q ended with %d, want %d (%v)\n%s\n%s", args, o.code, code, err, o.stdout, o.stderr)
	}
	return result
}
