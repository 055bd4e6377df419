package exports

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/files"
	"sluice/pipeline/warehouse/postgres"
)

// SchemaAsOf is the schema with everything as of a day.
const SchemaAsOf = "as_of"

// Relation is a table or a view that can be exported.
type Relation struct {
	Schema, Name string
	// View says that it is a view.
	View bool
	// Doc says what one row is.
	Doc     string
	Columns []Column
	// Key are the columns by which rows are ordered first; no two rows share them.
	Key []string
}

// Column is one column of a relation.
type Column struct {
	Name string
	// Type is the type of Postgres.
	Type string
	// collated says that the order of values depends on a collation.
	collated bool
}

// Full is the name with the schema.
func (r *Relation) Full() string { return r.Schema + "." + r.Name }

func (r *Relation) quoted() string { return pgx.Identifier{r.Schema, r.Name}.Sanitize() }

// organizationColumn says whose row it is.
const organizationColumn = "organization_id"

// HasOrganization reports whether rows say whose they are.
func (r *Relation) HasOrganization() bool {
	return slices.ContainsFunc(r.Columns, func(c Column) bool { return c.Name == organizationColumn })
}

// Of analytics only views: its tables say who reads what. The catalog of analysts says which tables
// are copied; its owner is that of all that is the program's, and objects of other roles are left
// out.
const sqlRelations = `
WITH ours AS (
	SELECT c.oid, n.nspname::text AS schema_name, c.relname::text AS table_name, c.relkind = 'v' AS is_view
	FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
	WHERE c.relkind IN ('r', 'v') AND c.relowner = (SELECT o.relowner FROM pg_catalog.pg_class o WHERE o.oid = 'analytics.catalog'::regclass)
		AND (n.nspname IN ('as_of', 'history') OR n.nspname = 'analytics' AND c.relkind = 'v'
			OR n.nspname IN (SELECT k.schema_name FROM analytics.catalog k WHERE k.schema_name <> 'analytics'))
		AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')
)
SELECT r.schema_name, r.table_name, r.is_view, coalesce(obj_description(r.oid, 'pg_class'), '') AS table_doc, a.attname::text AS name,
	format_type(a.atttypid, a.atttypmod) AS type, a.attcollation <> 0 AS collated,
	coalesce(array_position(i.indkey::smallint[], a.attnum), -1) AS key_place
FROM ours r
JOIN pg_catalog.pg_attribute a ON a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_catalog.pg_index i ON i.indrelid = r.oid AND i.indisprimary
ORDER BY r.schema_name COLLATE "C", r.table_name COLLATE "C", a.attnum`

// keyOf finds the key in the comment of a view.
var keyOf = regexp.MustCompile(`^One row for each .*?; key: \(?([a-z_, ]+)\)?\.`)

// Relations returns what the role may export, by name.
func (s *Source) Relations(ctx context.Context) ([]Relation, error) {
	type line struct {
		Schema   string `db:"schema_name"`
		Table    string `db:"table_name"`
		View     bool   `db:"is_view"`
		TableDoc string `db:"table_doc"`
		Name     string `db:"name"`
		Type     string `db:"type"`
		Collated bool   `db:"collated"`
		KeyPlace int    `db:"key_place"`
	}
	lines, err := postgres.Read[line](ctx, s.pool, "what can be exported", sqlRelations)
	if err != nil {
		return nil, failed("looking what can be exported", err)
	}
	var found []Relation
	places := map[string]int{}
	for i := range lines {
		l := &lines[i]
		if i == 0 || l.Schema != lines[i-1].Schema || l.Table != lines[i-1].Table {
			found = append(found, Relation{Schema: l.Schema, Name: l.Table, View: l.View, Doc: l.TableDoc})
		}
		r := &found[len(found)-1]
		r.Columns = append(r.Columns, Column{Name: l.Name, Type: l.Type, collated: l.Collated})
		if l.KeyPlace >= 0 {
			r.Key = append(r.Key, l.Name)
			places[r.Full()+"."+l.Name] = l.KeyPlace
		}
	}
	for i := range found {
		r := &found[i]
		if told := keyOf.FindStringSubmatch(r.Doc); r.View && told != nil {
			r.Key = strings.Split(told[1], ", ")
		}
		slices.SortStableFunc(r.Key, func(a, b string) int { return places[r.Full()+"."+a] - places[r.Full()+"."+b] })
	}
	return found, nil
}

// Order returns the columns by which rows are ordered: the key, and of a view all others behind it,
// since no index sees to it that its key is one.
func (r *Relation) Order() []string {
	order := slices.DeleteFunc(slices.Clone(r.Key), func(name string) bool { return r.column(name) == nil })
	if !r.View && len(order) > 0 {
		return order
	}
	for i := range r.Columns {
		if c := &r.Columns[i]; !slices.Contains(order, c.Name) && c.Type != "json" && c.Type != "xml" { // these have no order
			order = append(order, c.Name)
		}
	}
	return order
}

func (r *Relation) column(name string) *Column {
	for i := range r.Columns {
		if r.Columns[i].Name == name {
			return &r.Columns[i]
		}
	}
	return nil
}

// Kind is how the values of the column are in a file.
func (c *Column) Kind() files.Kind {
	switch {
	case strings.HasSuffix(c.Type, "[]"):
		return files.JSON
	case strings.HasPrefix(c.Type, "numeric"): // with or without digits
		return files.Decimal
	default:
		return cmp.Or(kinds[c.Type], files.Text)
	}
}

var kinds = map[string]files.Kind{
	"boolean": files.Bool, "smallint": files.Int, "integer": files.Int, "bigint": files.Int, "date": files.Date,
	"timestamp with time zone": files.Time, "bytea": files.Bytes, "json": files.JSON, "jsonb": files.JSON,
}
