package migrations

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline/warehouse/postgres"
	"sluice/schema/ddl"
)

// History says of which tables the past can be read: Migrate makes their views in schema as_of and
// their functions in schema history, and drops those of other tables.
type History struct {
	// Tables are the tables of records whose versions the configuration keeps, as inventory.bills.
	Tables []string
	// Organizations are those of the configuration. Of other organizations, the versions that the
	// database keeps count.
	Organizations []string
}

const (
	sqlKept = `SELECT DISTINCT in_schema || '.' || resource FROM history.periods WHERE versions AND ended_at IS NULL AND organization_id <> ALL ($1)`

	// A table that got columns has them at the end, so that its view can be replaced.
	sqlPastTables = `
SELECT t.schema, t.name, array_agg(t.column_name ORDER BY t.column_number),
	array_agg(pg_catalog.format_type(c.atttypid, c.atttypmod)
		|| CASE WHEN c.attcollation IN (0, y.typcollation) THEN '' ELSE ' COLLATE ' || c.attcollation::regcollation END ORDER BY t.column_number),
	coalesce((
	SELECT a.attname::text FROM pg_catalog.pg_index i JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
	WHERE i.indrelid = t.whole AND i.indisprimary AND a.attname <> 'organization_id' LIMIT 1), '')
FROM sluice.table_columns t JOIN pg_catalog.pg_attribute c ON (c.attrelid, c.attnum) = (t.whole, t.column_number)
JOIN pg_catalog.pg_type y ON y.oid = c.atttypid
GROUP BY t.whole, t.schema, t.name ORDER BY t.schema, t.name`

	// The statements that drop the views and functions of the owner that have one of the names,
	// functions first: they read views, and no view reads a function. What others built stays.
	sqlDropped = `
WITH ours AS (
	SELECT o.role FROM sluice.owner o
), named AS (
	SELECT to_regnamespace(split_part(n.whole, '.', 1)) AS schema, split_part(n.whole, '.', 2) AS name FROM unnest($1::text[]) AS n (whole)
), objects AS (
	SELECT 'FUNCTION' AS kind, p.oid::regprocedure::text AS what
	FROM named n JOIN pg_catalog.pg_proc p ON p.pronamespace = n.schema AND p.proname = n.name
	WHERE p.proowner = (SELECT role FROM ours)
	UNION ALL
	SELECT 'VIEW', c.oid::regclass::text FROM named n JOIN pg_catalog.pg_class c ON c.relnamespace = n.schema AND c.relname = n.name
	WHERE c.relkind = 'v' AND c.relowner = (SELECT role FROM ours)
)
SELECT 'DROP ' || kind || ' ' || string_agg(what, ', ' ORDER BY what) FROM objects GROUP BY kind ORDER BY kind`

	sqlForget = `DELETE FROM sluice.views WHERE name = ANY ($1)`

	dependentObjects = "2BP01" // dependent_objects_still_exist
	maxName          = 63      // bytes; a longer name has no view: history.as_of reads the table
)

// ErrDependents says that others built on views or functions that Migrate would drop.
var ErrDependents = errors.New("the configuration no longer asks for history: true, and others use views or functions that were made for it: " +
	"drop what depends on them, or set history: true again, and run sluice migrate again")

// pastTable is a table as it is in the database.
type pastTable struct {
	schema, name string
	// types are those of the columns, as a list of columns has them.
	columns, types []string
	key            string
	// resource is the table of the record that a row belongs to.
	resource string
}

// isLog says that the table has former values: it only grows.
func (t *pastTable) isLog() bool {
	return slices.Contains(t.columns, "_seen_at") && t.name == t.resource+"_history"
}

// past says that the table is one of records, of arrays, or of former values.
func (t *pastTable) past() bool {
	return t.resource != "" && (slices.Contains(t.columns, "_raw_position") || slices.Contains(t.columns, "_parent_id") || t.isLog())
}

func pastTables(ctx context.Context, q session) ([]pastTable, error) {
	tables, err := postgres.Collect(ctx, q, "looking of which tables there can be a past", func(row pgx.CollectableRow) (pastTable, error) {
		var t pastTable
		err := row.Scan(&t.schema, &t.name, &t.columns, &t.types, &t.key)
		return t, err
	}, sqlPastTables)
	if err != nil {
		return nil, err
	}
	for i := range tables {
		t := &tables[i]
		for k := range tables { // of several, the longest name
			r := &tables[k]
			if r.schema == t.schema && slices.Contains(r.columns, "_raw_position") && (r.name == t.name || strings.HasPrefix(t.name, r.name+"_")) &&
				len(r.name) > len(t.resource) {
				t.resource = r.name
			}
		}
	}
	return slices.DeleteFunc(tables, func(t pastTable) bool { return !t.past() }), nil
}

// function is history.<schema>_<table>_as_of.
func (t *pastTable) function() viewFile {
	name, table := "history."+t.schema+"_"+t.name+"_as_of", pgx.Identifier{t.schema, t.name}.Sanitize()
	//nolint:unqueryvet,dupword // the rows of a table, whole; arguments of one type
	return newView(name, fmt.Sprintf(`CREATE OR REPLACE FUNCTION %[1]s(
	at timestamptz, organization text DEFAULT NULL, record text DEFAULT NULL, by_upstream boolean DEFAULT false)
RETURNS SETOF %[2]s LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS 'SELECT * FROM history.as_of(NULL::%[2]s, $1, $2, $3, $4)';
COMMENT ON FUNCTION %[1]s(timestamptz, text, text, boolean) IS %[3]s`,
		name, table, ddl.Literal("The rows that "+t.schema+"."+t.name+" held at an instant, those with a tombstone left out.")))
}

// view is as_of.<schema>_<table>. Organization and key are columns of the versions themselves, so a
// condition on them is an index look-up. It names the columns of a record, since a table whose row type
// a view uses takes no column with a value (Postgres 17.12).
func (t *pastTable) view() viewFile {
	name, table := "as_of."+t.schema+"_"+t.name, pgx.Identifier{t.schema, t.name}.Sanitize()
	columns, read := make([]string, len(t.columns)), make([]string, len(t.columns))
	for i, column := range t.columns {
		quoted := pgx.Identifier{column}.Sanitize()
		read[i] = quoted + " " + t.types[i]
		switch {
		case t.isLog():
			columns[i] = "r." + quoted
		case column == "organization_id":
			columns[i] = "v.organization_id"
		case t.name == t.resource && column == t.key, t.name != t.resource && column == "_parent_id":
			columns[i] = "v.record_id AS " + quoted
		default:
			columns[i] = "r." + quoted
		}
	}
	of := ddl.Literal(t.schema) + ", " + ddl.Literal(t.resource)
	versions := "JOIN history.versions AS v ON v.service = e.service AND v.resource = " + ddl.Literal(t.resource) +
		" AND v.organization_id = e.organization_id AND v.valid_from <= e.at AND e.at < v.valid_to\n"
	var from string
	record := "CROSS JOIN LATERAL jsonb_to_record(%s) AS r(" + strings.Join(read, ", ") + ")"
	switch {
	case t.isLog():
		from = "JOIN " + table + " AS r ON r.organization_id = e.organization_id AND r._seen_at <= e.at"
	case t.name == t.resource:
		from = versions + fmt.Sprintf(record, "v.record")
	default:
		from = versions + "CROSS JOIN LATERAL jsonb_array_elements(v.arrays -> " + ddl.Literal(t.name) + ") AS i (element)\n" +
			fmt.Sprintf(record, "i.element")
	}
	return newView(name, fmt.Sprintf("CREATE OR REPLACE VIEW %[1]s AS SELECT %[2]s\nFROM as_of.ends(%[3]s) AS e\n%[4]s\n"+
		"WHERE (SELECT as_of.is_answerable(%[3]s));\nCOMMENT ON VIEW %[1]s IS %[5]s",
		name, strings.Join(columns, ", "), of, from, ddl.Literal("The rows that "+t.schema+"."+t.name+
			" had at the end of the day of this session (setting sluice.as_of), those with a tombstone left out; columns as there.")))
}

// asOfName finds the views of schema as_of that a text reads.
var asOfName = regexp.MustCompile(`\bas_of\.\w+`)

// past are the views and functions of the past: those that are wanted, in the order in which they
// can be made, and the names of the others that this program knows.
type past struct {
	wanted []viewFile
	others []string
}

// ended returns the names of what was made and is not wanted any more. While versions of some table
// are kept, it returns none if another version of the program made views that this one does not
// know: these may read what this one would drop.
func (p *past) ended(made map[string][]byte) []string {
	var over []string
	for name := range made {
		switch {
		case !strings.Contains(name, "."), slices.ContainsFunc(p.wanted, func(f viewFile) bool { return f.name == name }):
		case len(p.wanted) > 0 && !slices.Contains(p.others, name):
			return nil
		default:
			over = append(over, name)
		}
	}
	slices.Sort(over)
	return over
}

// pastViews finds the views and functions of the past. Wanted are those of tables whose versions are
// kept, the views that read one of these, and whatever such a view reads.
func pastViews(ctx context.Context, q session, files []viewFile, kept History) (*past, error) {
	of, err := postgres.Collect(ctx, q, "looking of which tables versions are kept", pgx.RowTo[string], sqlKept,
		append([]string{}, kept.Organizations...))
	if err != nil {
		return nil, err
	}
	of = append(of, kept.Tables...)
	tables, err := pastTables(ctx, q)
	if err != nil {
		return nil, err
	}
	var all []viewFile
	wanted := make(map[string]bool)
	add := func(file viewFile, want bool) {
		if _, name, _ := strings.Cut(file.name, "."); len(name) <= maxName {
			all, wanted[file.name] = append(all, file), want
		}
	}
	for i := range tables {
		t := &tables[i]
		want := slices.Contains(of, t.schema+"."+t.resource)
		if !t.isLog() {
			add(t.function(), want)
		}
		// A view of schema analytics has the name in both.
		if !slices.ContainsFunc(files, func(f viewFile) bool { return f.name == t.schema+"_"+t.name }) {
			add(t.view(), want)
		}
	}
	reads := make(map[string][]string)
	for i := range files { // each after those that it reads
		if text := asOf(files[i].name, files[i].text); text != "" {
			name := "as_of." + files[i].name
			reads[name] = asOfName.FindAllString(sentences.ReplaceAllString(text, ""), -1)
			add(newView(name, text), slices.ContainsFunc(reads[name], func(read string) bool { return wanted[read] }))
		}
	}
	var found past
	for i := range slices.Backward(all) {
		for _, read := range reads[all[i].name] {
			wanted[read] = wanted[read] || wanted[all[i].name]
		}
	}
	for _, file := range all {
		if wanted[file.name] {
			found.wanted = append(found.wanted, file)
		} else {
			found.others = append(found.others, file.name)
		}
	}
	return &found, nil
}

// dropPast drops what was made for a history that is over, in one transaction. It returns
// ErrDependents, and drops nothing, if others built on it.
func dropPast(ctx context.Context, pool *pgxpool.Pool, work viewWork, others *beside) error {
	if len(work.drops) == 0 {
		return nil
	}
	err := others.try(ctx, "the views and functions of a history that is over", func(ctx context.Context) error {
		return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
			for i := range work.drops {
				if _, err := tx.Exec(ctx, work.drops[i]); err != nil {
					return err
				}
			}
			_, err := tx.Exec(ctx, sqlForget, work.ended)
			return err
		})
	})
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok && pg.Code == dependentObjects {
		return fmt.Errorf("%w: %s", ErrDependents, strings.ReplaceAll(cmp.Or(pg.Detail, pg.Message), "\n", "; "))
	}
	if err != nil {
		return fmt.Errorf("dropping the views and functions of a history that is over: %w", err)
	}
	others.log.InfoContext(ctx, "views and functions of the past dropped: their history is over", "dropped", len(work.ended))
	return nil
}
