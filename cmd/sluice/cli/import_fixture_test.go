package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse/warehousetest"
)

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

func (s *fixture) imported(code int, args ...string) engine.Imported {
	s.t.Helper()
	return decoded[engine.Imported](s, code, append([]string{"import"}, args...)...)
}
