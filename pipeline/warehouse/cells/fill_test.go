package cells_test

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// column is what the catalog says of a column.
type column struct {
	Table, Name, Type string
	Key, Identity     bool
	// Parent is the table that a column of its own refers to, "" if none.
	Parent string
}

const sqlColumns = `
SELECT c.oid::regclass::text, a.attname::text, format_type(a.atttypid, a.atttypmod),
	EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisunique AND a.attnum = ANY (i.indkey)) OR EXISTS (
		SELECT FROM pg_constraint f WHERE f.conrelid = c.oid AND f.contype = 'f' AND a.attnum = ANY (f.conkey)),
	a.attidentity <> '' OR c.oid = 'sluice.calls'::regclass AND a.attname = 'id',
	coalesce((SELECT f.confrelid::regclass::text FROM pg_constraint f
		WHERE f.conrelid = c.oid AND f.contype = 'f' AND f.conkey = ARRAY[a.attnum] AND f.conparentid = 0), '')
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
	AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'river', 'lake', 'analytics', 'public')
ORDER BY 1, a.attnum`

// words are values of columns that not every value is allowed in.
var words = map[string]string{ //nolint:gochecknoglobals // a constant
	"sluice.runs.outcome": "'done'", "sluice.forecasts.basis": "'measured'", "sluice.streams.state": "'idle'",
	"sluice.backfills.forecast_basis": "'measured'", "sluice.backfills.state": "'done'", "sluice.spent.span": "'minute'",
	"sluice.rebuilds.outcome": "'done'", "sluice.rebuilds.scope": "'all'", "sluice.quarantine.weighed": "'passed'",
	"sluice.quarantine.state": "'open'", "sluice.tombstones.proof": "'scan'", "sluice.tombstones.decided_by": "'rule'",
	"sluice.tombstones.state": "'deleted'", "sluice.capabilities.verdict": "'yes'", "sluice.capabilities.source": "'probed'",
	"sluice.capabilities.capability": "'filter'", "history.periods.time_zone": "'Asia/Kolkata'", "history.versions.ended": "NULL",
	"history.versions.valid_to": "'infinity'", "history.versions.began": "'seen'", "sluice.callbacks.dialect": "'rule'",
	"sluice.channels.state": "'active'", "sluice.actions.outcome": "'done'", "sluice.actions.error": "NULL",
	"sluice.adoptions.source": "'jsonl'", "sluice.adoptions.outcome": "'done'", "sluice.certificates.verdict": "'complete'",
	"sluice.wants.outcome": "'gone'", "sluice.findings.severity": "'notice'", "sluice.findings.source": "'row'",
	"sluice.raw_looks.dropped_to": "'-infinity'",
	"sluice.certified_rows.keys":  "ARRAY['k']", "sluice.certified_rows.deleted": "ARRAY[NULL::timestamptz]",
	"sluice.certified_rows.leaves": `'\x000102030405060708090a0b0c0d0e0f'`,
	"sluice.changes.op":            "'new'",
}

// value is a valid value of a column in the n-th row of an organization. Rows of one number refer
// to each other.
func (c column) value(organization string, n int) string {
	word := words[c.Table+"."+c.Name]
	switch {
	case c.Name == "organization_id":
		return quoted(organization)
	case word != "":
		return word
	case c.Name == "_detail_state":
		return "'stale'"
	case c.Parent != "":
		return fmt.Sprintf("(SELECT p.id FROM %s p WHERE p.organization_id = %s ORDER BY p.id OFFSET %d LIMIT 1)", c.Parent, quoted(organization), n%rowsEach)
	}
	switch c.Type {
	case "text", "name":
		if c.Key {
			return fmt.Sprintf("'k%d'", n)
		}
		return quoted(fmt.Sprintf("%s %d: ünï \\N 'quoted' \t \"x\"\n", c.Name, n))
	case "text[]":
		return fmt.Sprintf(`ARRAY['a%d', NULL, 'b "c", {d}']`, n)
	case "bigint", "integer":
		return fmt.Sprint(n)
	case "bigint[]":
		return fmt.Sprintf("ARRAY[%d, 2]", n)
	case "numeric":
		return fmt.Sprintf("12345678901234567890.%d00", n)
	case "double precision":
		return fmt.Sprintf("0.1 + %d / 3.0::float8", n)
	case "boolean":
		return fmt.Sprint(n%2 == 0)
	case "jsonb":
		return fmt.Sprintf(`'{"n": %d.10, "text": "ü\"", "list": [null, {}]}'`, n)
	case "bytea":
		return fmt.Sprintf(`'\x00ff0a%06x'`, n)
	case "interval":
		return fmt.Sprintf("'1 month 2 days 03:04:05.%06d'", n)
	case "date":
		return "DATE '2026-02-28'"
	case "timestamp with time zone":
		return fmt.Sprintf("TIMESTAMPTZ '2026-05-06 07:08:09.123456+05:30' + %d * interval '1 microsecond'", n)
	case "timestamp with time zone[]":
		return "ARRAY[TIMESTAMPTZ '2026-05-06 07:08:09Z', NULL]"
	case "xid8":
		return fmt.Sprintf("'%d'", n)
	default:
		return "no value of type " + c.Type
	}
}

// rowsEach is how many rows each table gets for an organization.
const rowsEach = 3

// columns returns the columns of the tables, by table.
func (m *member) columns() map[string][]column {
	m.Helper()
	rows, err := m.pool.Query(m.Context(), sqlColumns)
	m.must(err)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[column])
	m.must(err)
	all := map[string][]column{}
	for _, c := range found {
		all[c.Table] = append(all[c.Table], c)
	}
	return all
}

// fill writes rows of an organization into each of the tables. Parents come first; triggers do not
// run, so that each table has just these rows. From is the number of the first row of a table.
func (m *member) fill(organization string, from int, tables []string) {
	m.Helper()
	all := m.columns()
	first := []string{"sluice.runs", "sluice.closings", "sluice.adoptions", "sluice.certificates", "sluice.erasures"}
	tables = slices.Clone(tables)
	slices.SortStableFunc(tables, func(a, b string) int { return slices.Index(append(first, a), a) - slices.Index(append(first, b), b) })
	tx, err := m.pool.Begin(m.Context())
	m.must(err)
	defer func() { _ = tx.Rollback(context.WithoutCancel(m.Context())) }() // after the commit it does nothing
	_, err = tx.Exec(m.Context(), `SET LOCAL session_replication_role = replica`)
	m.must(err)
	for _, table := range tables {
		var names, rows []string
		for n := from; n < from+rowsEach; n++ {
			names = nil
			var values []string
			for _, c := range all[table] {
				if c.Identity {
					continue
				}
				names = append(names, pgx.Identifier{c.Name}.Sanitize())
				values = append(values, c.value(organization, n))
			}
			rows = append(rows, "("+strings.Join(values, ", ")+")")
			if table == "sluice.organizations" {
				break // its only key
			}
		}
		sql := fmt.Sprintf("INSERT INTO %s (%s) VALUES %s", table, strings.Join(names, ", "), strings.Join(rows, ", "))
		if _, err := tx.Exec(m.Context(), sql); err != nil {
			m.Fatalf("%s: %v", sql, err)
		}
	}
	m.must(tx.Commit(m.Context()))
}
