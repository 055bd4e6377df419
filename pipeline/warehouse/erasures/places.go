package erasures

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/changes"
	"sluice/pipeline/warehouse/places"
	"sluice/pipeline/warehouse/raw/archive"
)

// place is a statement that erases a record from one table. $1 is the organization and $2 the key
// of the record; where resource is set, $3 is the service and $4 the resource.
type place struct {
	name     string
	resource bool
	sql      string
}

// The names of places in receipts: those that a search has, as far as it has them.
const (
	placeRows    = string(places.Rows)
	placeArrays  = string(places.Arrays)
	placeFormer  = "former values"
	placeArchive = string(places.RawRecords)
)

// others are the tables beside those of the resource and its raw records. What sluice.closings hold
// of a record names no person, and stays: amounts of a closed period. So do numbers of records in
// the log of changes and in the call log, until their retention.
//
// A callback that names several records stays without its body. Callbacks and events name a module
// and no resource: identifiers are unique in an organization.
var others = []place{ //nolint:gochecknoglobals // a table
	{string(places.Versions), true, `DELETE FROM history.versions WHERE (organization_id, service, resource, record_id) = ($1, $3, $4, $2)`},
	{string(places.Days), true, `DELETE FROM history.days WHERE (organization_id, service, resource, record_id) = ($1, $3, $4, $2)`},
	{string(places.Quarantine), true, `DELETE FROM sluice.quarantine WHERE (organization_id, service, resource, record_id) = ($1, $3, $4, $2)`},
	{"tombstones", true, `DELETE FROM sluice.tombstones WHERE (organization_id, service, resource, record_id) = ($1, $3, $4, $2)`},
	{"hints", true, `DELETE FROM sluice.hints WHERE (organization_id, service, resource, record_id) = ($1, $3, $4, $2)`},
	{"findings", true, `DELETE FROM sluice.findings WHERE (organization_id, service, resource, record_id) = ($1, $3, $4, $2)`},
	{"callbacks", false, `DELETE FROM sluice.callbacks WHERE organization_id = $1 AND ids = ARRAY[$2]`},
	{"callbacks", false, `UPDATE sluice.callbacks SET ids = array_remove(ids, $2), body = NULL WHERE organization_id = $1 AND $2 = ANY (ids)`},
	{"events", false, `DELETE FROM notifications.events WHERE organization_id = $1 AND record_id = $2`},
}

// everywhere erases a record from all places, and returns how much it found in each. The log of
// changes says that the row is gone, since copies that follow it have to erase it, too.
func everywhere(ctx context.Context, tx pgx.Tx, subject *Subject, erasure int64) (map[string]int64, error) {
	found := map[string]int64{}
	key := subject.key()
	if err := rows(ctx, tx, subject, found); err != nil {
		return nil, err
	}
	archived, err := archives(ctx, tx, subject)
	if err != nil {
		return nil, err
	}
	if archived > 0 {
		found[placeArchive] = archived
	}
	for _, p := range others {
		args := []any{key.Organization, subject.Record}
		if p.resource {
			args = append(args, key.Service, key.Resource)
		}
		done, err := tx.Exec(ctx, p.sql, args...)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		if n := done.RowsAffected(); n > 0 {
			found[p.name] += n
		}
	}
	if found[placeRows] == 0 {
		return found, nil
	}
	return found, changes.Note(ctx, tx, key.Organization, changes.TableOf(subject.Stream), changes.Deleted, []string{subject.Record},
		map[string]int64{"erasure": erasure})
}

// rows deletes the row of a record with its arrays, the innermost first, and the former values of
// its columns.
func rows(ctx context.Context, tx pgx.Tx, subject *Subject, found map[string]int64) error {
	resource := subject.Stream.Resource
	key := resource.Columns[0].ColumnName()
	type target struct{ place, table, column string }
	targets := []target{{placeRows, resource.Name, key}}
	for _, table := range resource.Tables()[1:] {
		targets = append(targets, target{placeArrays, table.Name, "_parent_id"})
	}
	slices.Reverse(targets)
	if len(resource.History) > 0 {
		targets = append(targets, target{placeFormer, resource.HistoryTable(), key})
	}
	for _, t := range targets {
		done, err := tx.Exec(ctx, fmt.Sprintf(`DELETE FROM %s WHERE organization_id = $1 AND %s = $2`,
			pgx.Identifier{resource.SchemaName(subject.Stream.Service), t.table}.Sanitize(), pgx.Identifier{t.column}.Sanitize()),
			subject.Stream.Organization, subject.Record)
		if err != nil {
			return fmt.Errorf("%s: %w", t.place, err)
		}
		if n := done.RowsAffected(); n > 0 {
			found[t.place] += n
		}
	}
	return nil
}

const (
	// sqlCandidates gives archives that may hold the record: its identifier, or one with letters or
	// digits in the form \u00xx, which JSON allows.
	sqlCandidates = `
SELECT call_id, first_position, records FROM sluice.raw_records
WHERE (organization_id, service, resource) = ($1, $2, $3)
	AND (position($4 IN records) > 0 OR position('\u00' IN records) > 0 AND records ~* '\\u00(3[0-9]|[4-7][0-9a-f])')
ORDER BY call_id, first_position`

	// Postgres judges the table by its pages, and nearly all of it is in those of long values.
	sqlInParallel = `SET LOCAL min_parallel_table_scan_size = 0; SET LOCAL parallel_setup_cost = 0; SET LOCAL parallel_tuple_cost = 0`

	sqlRewrite = `UPDATE sluice.raw_records SET records = $3 WHERE call_id = $1 AND first_position = $2`
)

// rewritten is an archive without the record.
type rewritten struct {
	call     int64
	position int32
	text     []byte
}

// archives takes the record out of the archives of its resource, and returns how many raw records
// that were. Other records keep their bytes.
func archives(ctx context.Context, tx pgx.Tx, subject *Subject) (int64, error) {
	key := subject.key()
	if _, err := tx.Exec(ctx, sqlInParallel); err != nil {
		return 0, fmt.Errorf("raw records: %w", err)
	}
	found, _ := tx.Query(ctx, sqlCandidates, key.Organization, key.Service, key.Resource, subject.own())
	var (
		next  rewritten
		all   []rewritten
		count int64
	)
	_, err := pgx.ForEachRow(found, []any{&next.call, &next.position, &next.text}, func() error {
		text, erased, err := archive.Rewrite(next.text, func(record []byte) []byte {
			if subject.Is(record) {
				return []byte(archive.Erased)
			}
			return record
		})
		if err != nil {
			return fmt.Errorf("call %d: %w", next.call, err)
		}
		if erased > 0 {
			all, count = append(all, rewritten{call: next.call, position: next.position, text: text}), count+int64(erased)
		}
		next.text = nil
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("raw records: %w", err)
	}
	for _, a := range all {
		if _, err := tx.Exec(ctx, sqlRewrite, a.call, a.position, string(a.text)); err != nil {
			return 0, fmt.Errorf("raw records: %w", err)
		}
	}
	return count, nil
}
