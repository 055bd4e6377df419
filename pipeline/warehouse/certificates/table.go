package certificates

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
)

// leafSize is the length of the digest of a record in bytes.
const leafSize = 16

// PartSize is how many records a part has at most.
const PartSize = 1000

// Record is the digest of one record in one table.
type Record struct {
	Key string
	// Deleted is the tombstone; nil if there is none.
	Deleted *time.Time
	Leaf    [leafSize]byte
	// Call, Run and ChangedAt say what wrote the row last. Stored records and elements have none.
	Call, DetailCall, Run int64
	ChangedAt             time.Time
}

// Same reports whether two records have the same tombstone and values.
func (r *Record) Same(other *Record) bool { return r.Leaf == other.Leaf && r.SameTombstone(other) }

// SameTombstone reports whether two records have the same tombstone.
func (r *Record) SameTombstone(other *Record) bool {
	if r.Deleted == nil || other.Deleted == nil {
		return r.Deleted == other.Deleted
	}
	return r.Deleted.Equal(*other.Deleted)
}

// Part is a range of the records of a table, in the order of keys.
type Part struct {
	Number  int
	Records []Record
}

func (p *Part) columns() ([]string, []*time.Time, []byte) {
	keys, deleted, leaves := []string{}, []*time.Time{}, []byte{}
	for i := range p.Records {
		r := &p.Records[i]
		keys, deleted, leaves = append(keys, r.Key), append(deleted, r.Deleted), append(leaves, r.Leaf[:]...)
	}
	return keys, deleted, leaves
}

// Sum adds up the digest of a table: SHA-256 over each record in the order of keys. Of each it
// takes the length of the key in four bytes, the key, the tombstone in microseconds of Unix time in
// eight bytes (zero for none) and the 16 bytes of the record; the largest byte comes first.
type Sum struct {
	hash hash.Hash
	Rows int64
}

// NewSum begins a digest.
func NewSum() *Sum { return &Sum{hash: sha256.New()} }

// Add adds records.
func (s *Sum) Add(records []Record) {
	var head [12]byte
	for i := range records {
		r := &records[i]
		binary.BigEndian.PutUint32(head[:4], uint32(len(r.Key))) //nolint:gosec // a key has no gigabytes
		s.hash.Write(head[:4])
		s.hash.Write([]byte(r.Key))
		deleted := int64(0)
		if r.Deleted != nil {
			deleted = r.Deleted.UnixMicro()
		}
		binary.BigEndian.PutUint64(head[4:], uint64(deleted))
		s.hash.Write(head[4:])
		s.hash.Write(r.Leaf[:])
		s.Rows++
	}
}

// Digest is the digest of what was added.
func (s *Sum) Digest() string { return hex.EncodeToString(s.hash.Sum(nil)) }

// Table is one table of a resource, as a certificate names it.
type Table struct {
	// Name has the schema: inventory.bills_line_items.
	Name string `json:"name"`
	// Key is the column of the record's key, Order those of the positions of elements; empty for
	// records.
	Key   string   `json:"key"`
	Order []string `json:"order"`
	// Columns are those that the digests are made of. Tombstones says that the table has them, and
	// Single that its rows name the call of a single record.
	Columns    []string `json:"columns"`
	Tombstones bool     `json:"tombstones"`
	Single     bool     `json:"single"`
	Rows       int64    `json:"records"`
	Digest     string   `json:"digest"`
}

// Elements reports whether the rows are elements of records.
func (t *Table) Elements() bool { return len(t.Order) > 0 }

const sqlColumns = `
SELECT a.attname::text FROM pg_catalog.pg_attribute a
WHERE a.attrelid = to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`

// ownColumns are bookkeeping columns, which the digest of a record leaves out: they move without a
// change of the record.
var ownColumns = map[string]bool{ //nolint:gochecknoglobals // a constant table
	"organization_id": true, "_call_id": true, "_raw_position": true, "_run_id": true, "_first_seen_at": true, "_changed_at": true,
	"_detail_state": true, "_detail_hash": true, "_detail_call_id": true, "_detail_raw_position": true, "_detail_at": true,
	"_deleted_at": true, "_payload_hash": true,
}

// TablesOf describes the tables of a list as they are in the database, that of its records first. A
// table that is not there has no columns.
func TablesOf(ctx context.Context, view View, stream pipeline.Stream) ([]Table, error) {
	in := stream.Resource.SchemaName(stream.Service)
	var tables []Table
	declared := stream.Resource.Tables()
	for i := range declared {
		table := Table{Name: in + "." + declared[i].Name, Key: "_parent_id", Order: []string{}, Columns: []string{}}
		if i == 0 {
			table.Key = stream.Resource.Columns[0].ColumnName()
		}
		columns, err := columnsOf(ctx, view, table.Name)
		if err != nil {
			return nil, err
		}
		for _, column := range columns {
			switch {
			case i > 0 && (column == "_parent_position" || column == "_position"):
				table.Order = append(table.Order, column)
			case column == "_deleted_at":
				table.Tombstones = true
			case column == "_detail_call_id":
				table.Single = true
			}
			if !ownColumns[column] {
				table.Columns = append(table.Columns, column)
			}
		}
		tables = append(tables, table)
	}
	return tables, nil
}

func columnsOf(ctx context.Context, view View, table string) ([]string, error) {
	rows, err := view.tx.Query(ctx, sqlColumns, quoted(table))
	if err != nil {
		return nil, postgres.Fail("reading the columns of "+table, err)
	}
	columns, err := pgx.CollectRows(rows, pgx.RowTo[string])
	return columns, postgres.Fail("reading the columns of "+table, err)
}

// Lacks returns which of its columns the table in the database does not have any more.
func (t *Table) Lacks(ctx context.Context, view View) ([]string, error) {
	have, err := columnsOf(ctx, view, t.Name)
	if err != nil {
		return nil, err
	}
	has := map[string]bool{}
	for _, column := range have {
		has[column] = true
	}
	var lacks []string
	for _, column := range append(append([]string{t.Key}, t.Order...), t.Columns...) {
		if !has[column] {
			lacks = append(lacks, column)
		}
	}
	return lacks, nil
}

// Range is a range of keys: behind After and up to Upto; an empty Upto has no end.
type Range struct{ After, Upto string }

// Next returns the key of the record that ends a part of PartSize records behind a key; empty if
// there are fewer records.
func (t *Table) Next(ctx context.Context, view View, organization, after string) (string, error) {
	key := pgx.Identifier{t.Key}.Sanitize()
	sql := fmt.Sprintf(`SELECT %[2]s FROM %[1]s WHERE organization_id = $1 AND %[2]s > $2 ORDER BY %[2]s OFFSET $3 LIMIT 1`, quoted(t.Name), key)
	rows, err := view.tx.Query(ctx, sql, organization, after, PartSize-1)
	if err != nil {
		return "", postgres.Fail("reading "+t.Name, err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(found) == 0 {
		return "", postgres.Fail("reading "+t.Name, err)
	}
	return found[0], nil
}

// Part reads the records of a range.
func (t *Table) Part(ctx context.Context, view View, organization string, of Range) ([]Record, error) {
	rows, err := view.tx.Query(ctx, t.sql(), organization, of.After, of.Upto)
	if err != nil {
		return nil, postgres.Fail("reading "+t.Name, err)
	}
	found, err := pgx.CollectRows(rows, func(at pgx.CollectableRow) (Record, error) {
		var (
			r    Record
			leaf []byte
		)
		err := at.Scan(&r.Key, &r.Deleted, &leaf, &r.Call, &r.DetailCall, &r.Run, &r.ChangedAt)
		if err == nil {
			r.Leaf = [leafSize]byte(leaf[:leafSize])
		}
		return r, err
	})
	return found, postgres.Fail("reading "+t.Name, err)
}

// sql reads the digests of a range. The text of a row of values is one for equal values: its
// spelling depends on nothing but the settings of Within.
func (t *Table) sql() string {
	var columns []string
	for _, column := range t.Columns {
		columns = append(columns, "t."+pgx.Identifier{column}.Sanitize())
	}
	key, deleted, detail := "t."+pgx.Identifier{t.Key}.Sanitize(), "NULL::timestamptz", "0::bigint"
	if t.Tombstones {
		deleted = "t._deleted_at"
	}
	if t.Single {
		detail = "coalesce(t._detail_call_id, 0)"
	}
	text := "ROW(" + strings.Join(columns, ", ") + ")::text"
	const where = ` WHERE t.organization_id = $1 AND %[3]s > $2 AND ($3 = '' OR %[3]s <= $3)`
	if !t.Elements() {
		return fmt.Sprintf(`SELECT %[3]s, %[4]s, sha256(convert_to(%[2]s, 'UTF8')), t._call_id, %[5]s, t._run_id, t._changed_at FROM %[1]s AS t`+where+
			` ORDER BY %[3]s`, quoted(t.Name), text, key, deleted, detail)
	}
	var order []string
	for _, column := range t.Order {
		order = append(order, "t."+pgx.Identifier{column}.Sanitize())
	}
	return fmt.Sprintf(`SELECT %[3]s, max(%[4]s), sha256(convert_to(string_agg(%[2]s, E'\n' ORDER BY %[5]s), 'UTF8')), 0::bigint, 0::bigint, 0::bigint,
	'epoch'::timestamptz FROM %[1]s AS t`+where+` GROUP BY %[3]s ORDER BY %[3]s`,
		quoted(t.Name), text, key, deleted, strings.Join(order, ", "))
}

// quoted is the name of a table with its schema, for a statement.
func quoted(table string) string {
	schema, name, _ := strings.Cut(table, ".")
	return pgx.Identifier{schema, name}.Sanitize()
}
