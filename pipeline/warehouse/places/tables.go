package places

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"sluice/pipeline/warehouse/postgres"
)

// table is a table of the program that has columns which can hold a text.
type table struct {
	schema, name string
	family       Family
	// pages are those of the table and of its long values when it was last vacuumed or analyzed.
	pages int64
	// columns can hold a text; all has every column.
	columns []Column
	all     []string
	// key is the column of the identifier of the record that a row is of, in tables of rows and
	// arrays.
	key string
	// root is the name of the table of the record, in the same schema: that of the array's record
	// for an array.
	root string
}

// Tables of other roles are left out, and so are partitions, whose parents are searched. A column
// of another role's type is left out as well: its output would execute a function of that role.
const sqlTables = `
WITH ours AS MATERIALIZED (
	SELECT t.oid, n.nspname::text AS schema, t.relname::text AS name, s.name IS NOT NULL AS copied,
		t.relpages::bigint + coalesce((SELECT l.relpages FROM pg_catalog.pg_class l WHERE l.oid = t.reltoastrelid), 0) AS pages,
		coalesce((SELECT array_agg(k.attname::text ORDER BY k.attnum) FROM pg_catalog.pg_index i
			JOIN pg_catalog.pg_attribute k ON k.attrelid = i.indrelid AND k.attnum = ANY (i.indkey)
			WHERE i.indrelid = t.oid AND i.indisprimary AND k.attname <> 'organization_id'), '{}') AS key,
		coalesce((SELECT max(p.relname::text) FROM pg_catalog.pg_constraint f JOIN pg_catalog.pg_class p ON p.oid = f.confrelid
			WHERE f.conrelid = t.oid AND f.contype = 'f' AND p.relnamespace = t.relnamespace), '') AS parent
	FROM pg_catalog.pg_class t JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace LEFT JOIN sluice.service_schemas s ON s.name = n.nspname
	WHERE t.relkind IN ('r', 'p', 'm') AND NOT t.relispartition AND t.relowner = (SELECT o.role FROM sluice.owner o)
		AND (s.name IS NOT NULL OR n.nspname IN ('sluice', 'history', 'as_of', 'analytics', 'notifications', 'river'))
)
SELECT o.schema, o.name, o.pages, o.copied, a.attname::text, y.typname::text, o.key, o.parent
FROM ours o JOIN pg_catalog.pg_attribute a ON a.attrelid = o.oid AND a.attnum > 0 AND NOT a.attisdropped
JOIN pg_catalog.pg_type y ON y.oid = a.atttypid AND y.typnamespace = 'pg_catalog'::regnamespace
ORDER BY 1, 2, a.attnum`

// tables reads the catalog. Tables come in the order of their families.
func tables(ctx context.Context, from postgres.Querier) ([]*table, error) {
	rows, _ := from.Query(ctx, sqlTables)
	var all []*table
	parents := map[string]string{}
	var in, name, column, typ, parent string
	var pages int64
	var copied bool
	var key []string
	_, err := pgx.ForEachRow(rows, []any{&in, &name, &pages, &copied, &column, &typ, &key, &parent}, func() error {
		if n := len(all); n == 0 || all[n-1].schema != in || all[n-1].name != name {
			t := &table{schema: in, name: name, pages: pages, family: familyOf(in, name)}
			if copied {
				t.family, t.root = Rows, name
				if len(key) == 1 {
					t.key = key[0]
				}
				parents[in+"."+name] = parent
			}
			all = append(all, t)
		}
		t := all[len(all)-1]
		t.all = append(t.all, column)
		if copied && column == "_parent_id" {
			t.family, t.key = Arrays, column
		}
		if slices.Contains(Types(), typ) {
			t.columns = append(t.columns, Column{Name: column, Type: typ})
		}
		return nil
	})
	if err != nil {
		return nil, postgres.Fail("looking for the tables", err)
	}
	for _, t := range all {
		for t.family == Arrays && parents[t.schema+"."+t.root] != "" {
			t.root = parents[t.schema+"."+t.root]
		}
	}
	all = slices.DeleteFunc(all, func(t *table) bool { return len(t.columns) == 0 })
	order := Families()
	slices.SortStableFunc(all, func(a, b *table) int {
		return cmp.Compare(slices.Index(order, a.family), slices.Index(order, b.family))
	})
	return all, nil
}

func (t *table) has(columns ...string) bool {
	for _, column := range columns {
		if !slices.Contains(t.all, column) {
			return false
		}
	}
	return true
}

func (t *table) holdsRecords() bool { return t.family == Rows || t.family == Arrays }

// Family is a closed set: the kinds of places, as an operator thinks of them.
type Family string

// The families, in the order in which they are searched. A value moves from a row to a version, and
// never back, so what moves during the search is found in one of the two.
const (
	Rows          Family = "rows"
	Arrays        Family = "arrays of rows"
	Quarantine    Family = "quarantine"
	RawRecords    Family = "raw records"
	Versions      Family = "versions"
	Days          Family = "values by day"
	Drift         Family = "drift and keys"
	Changes       Family = "change log"
	Notifications Family = "notifications"
	Calls         Family = "calls"
	Runs          Family = "runs and streams"
	Closings      Family = "closed periods"
	Actions       Family = "actions of operators"
	Jobs          Family = "jobs"
	Other         Family = "other notes"
	// Statistics are values that Postgres keeps for its planner until the table is analyzed again.
	// The table of such a place is the one that they are of, and the count that of its columns.
	Statistics Family = "statistics of the planner"
)

// Families returns all families, in their order.
func Families() []Family {
	return []Family{
		Rows, Arrays, Quarantine, RawRecords, Versions, Days, Drift, Changes, Notifications, Calls, Runs, Closings, Actions, Jobs,
		Other, Statistics,
	}
}

// familyOf returns the family of a table that holds no records. A table that is not named here is
// searched as well: it is among the other notes.
func familyOf(schema, name string) Family {
	switch schema {
	case "notifications":
		return Notifications
	case "river":
		return Jobs
	case "history":
		return familyOfHistory(name)
	case "sluice":
		return familyOfNotes(name)
	default:
		return Other
	}
}

func familyOfHistory(name string) Family {
	switch name {
	case "versions":
		return Versions
	case "days":
		return Days
	default:
		return Other
	}
}

func familyOfNotes(name string) Family {
	begins := func(beginnings ...string) bool {
		for _, beginning := range beginnings {
			if strings.HasPrefix(name, beginning) {
				return true
			}
		}
		return false
	}
	switch {
	case name == "quarantine":
		return Quarantine
	case name == "raw_records":
		return RawRecords
	case begins("drift", "keys"):
		return Drift
	case begins("change"):
		return Changes
	case begins("callback", "hint", "channel", "event_"):
		return Notifications
	case name == "calls" || name == "live_calls":
		return Calls
	case begins("runs", "streams", "parents", "backfill", "sightings", "rebuilds", "imports"):
		return Runs
	case begins("clos", "after_close"):
		return Closings
	case name == "actions":
		return Actions
	default:
		return Other
	}
}

// Statistics of partitions are looked at, too. Their values are arrays of any type; those of
// another role's types are left out, as in tables.
const sqlStatistics = `
SELECT s.schemaname::text, s.tablename::text, s.attname::text, s.values FROM (
	SELECT s.schemaname, s.tablename, s.attname,
		concat_ws(chr(31), s.most_common_vals::text, s.histogram_bounds::text, s.most_common_elems::text) AS values
	FROM pg_catalog.pg_class t JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
	JOIN pg_catalog.pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
	JOIN pg_catalog.pg_type y ON y.oid = a.atttypid AND y.typnamespace = 'pg_catalog'::regnamespace AND y.typname = ANY ($1)
	JOIN pg_catalog.pg_stats s ON s.schemaname = n.nspname AND s.tablename = t.relname AND s.attname = a.attname
	WHERE t.relowner = (SELECT o.role FROM sluice.owner o)
		AND (n.nspname IN ('sluice', 'history', 'as_of', 'analytics', 'notifications', 'river')
			OR n.nspname IN (SELECT v.name FROM sluice.service_schemas v))
) AS s WHERE %s`

// statistics searches what Postgres keeps of the values of columns. It says of no row whose it is.
func (s *search) statistics(ctx context.Context) error {
	const op = "searching the statistics of the planner"
	tx, err := s.conn.BeginTx(ctx, pgx.TxOptions{BeginQuery: sqlBegin})
	if err != nil {
		return postgres.Fail(op, err)
	}
	defer postgres.Rollback(ctx, tx)
	column := Column{Name: "values", Type: "text"}
	rows, _ := tx.Query(ctx, fmt.Sprintf(sqlStatistics, Candidates([]Column{column})), pgx.QueryExecModeDescribeExec, Types())
	var t table
	var name string
	var values pgtype.DriverBytes
	_, err = pgx.ForEachRow(rows, []any{&t.schema, &t.name, &name, &values}, func() error {
		if column.Holds(s.Needle, values) {
			t.family = Statistics
			s.place(&t, Column{Name: name}, "").Count = 1
		}
		return nil
	})
	return postgres.Fail(op, err)
}

// Record is a record that a place names.
type Record struct {
	Organization string `json:"organization"`
	// Resource is service and resource, as inventory.bills.
	Resource string `json:"resource"`
	ID       string `json:"id"`
	// In are the families of the places that name it.
	In []Family `json:"in"`
}

// MoreRecords says that a resource of an organization has more records than are listed.
type MoreRecords struct {
	Organization string `json:"organization"`
	Resource     string `json:"resource"`
}

// listed are the records of one resource of one organization: those with the smallest identifiers,
// in their order. So the list is the same whatever order rows are read in, and its size is bounded.
type listed struct {
	records []Record
	more    bool
}

// note notes that a place names a record. A record that was dropped does not come back: those with
// smaller identifiers stay.
func (l *listed) note(r Record, family Family, limit int) {
	at, found := slices.BinarySearchFunc(l.records, r.ID, func(known Record, id string) int { return cmp.Compare(known.ID, id) })
	if !found {
		if at == limit {
			l.more = true
			return
		}
		l.records = slices.Insert(l.records, at, r)
		if len(l.records) > limit {
			l.records, l.more = l.records[:limit], true
		}
	}
	if in := &l.records[at].In; !slices.Contains(*in, family) {
		*in = append(*in, family)
	}
}
