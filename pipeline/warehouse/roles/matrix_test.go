package roles_test

import (
	"cmp"
	"context"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	difference "github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"sluice/pipeline/check"
)

// sqlMatrix gives what each role may do with each object of the owner: r reads, a adds, w changes,
// d deletes, D truncates, x refers, t has triggers, U uses, C creates, X executes. $1 are the roles
// in the order of the columns.
const sqlMatrix = `
WITH objects AS (
	SELECT n.nspname::text AS schema, 'schema' AS kind, '' AS name, n.oid, NULL::text AS signature FROM pg_namespace n
	WHERE n.nspname IN (SELECT name FROM sluice.service_schemas UNION ALL VALUES ('sluice'), ('river'), ('history'), ('as_of'), ('analytics'), ('notifications'), ('lake'))
), all_objects AS (
	SELECT schema, kind, name, oid FROM objects
	UNION ALL
	SELECT o.schema, CASE c.relkind WHEN 'S' THEN 'sequences' WHEN 'v' THEN 'views' ELSE 'tables' END,
		CASE WHEN c.relispartition THEN (SELECT p.inhparent::regclass::text FROM pg_inherits p WHERE p.inhrelid = c.oid LIMIT 1) || ' (blocks)' ELSE c.relname::text END, c.oid
	FROM objects o JOIN pg_class c ON c.relnamespace = o.oid AND c.relkind IN ('r', 'p', 'v', 'S')
	UNION ALL
	SELECT o.schema, 'functions', p.proname::text, p.oid FROM objects o JOIN pg_proc p ON p.pronamespace = o.oid
)
SELECT o.schema, o.kind, o.name, ARRAY(SELECT concat(
	CASE WHEN o.kind = 'schema' AND has_schema_privilege(r.name, o.oid, 'USAGE') THEN 'U' END, CASE WHEN o.kind = 'schema' AND has_schema_privilege(r.name, o.oid, 'CREATE') THEN 'C' END,
	CASE WHEN o.kind = 'functions' AND has_function_privilege(r.name, o.oid, 'EXECUTE') THEN 'X' END,
	CASE WHEN o.kind = 'sequences' AND has_sequence_privilege(r.name, o.oid, 'SELECT') THEN 'r' END, CASE WHEN o.kind = 'sequences' AND has_sequence_privilege(r.name, o.oid, 'UPDATE') THEN 'w' END,
	CASE WHEN o.kind = 'sequences' AND has_sequence_privilege(r.name, o.oid, 'USAGE') THEN 'U' END,
	(SELECT string_agg(CASE WHEN has_any_column_privilege(r.name, o.oid, v.right) OR has_table_privilege(r.name, o.oid, v.right) THEN v.letter END, '' ORDER BY v.n)
		FROM (VALUES (1, 'SELECT', 'r'), (2, 'INSERT', 'a'), (3, 'UPDATE', 'w')) AS v (n, "right", letter) WHERE o.kind IN ('tables', 'views')),
	(SELECT string_agg(CASE WHEN has_table_privilege(r.name, o.oid, v.right) THEN v.letter END, '' ORDER BY v.n)
		FROM (VALUES (1, 'DELETE', 'd'), (2, 'TRUNCATE', 'D'), (3, 'REFERENCES', 'x'), (4, 'TRIGGER', 't')) AS v (n, "right", letter) WHERE o.kind IN ('tables', 'views'))
) FROM unnest($1::text[]) WITH ORDINALITY AS r (name, n) ORDER BY r.n) AS rights
FROM all_objects o ORDER BY o.schema, o.kind, o.name`

// object is one object, and what each role may do with it.
type object struct {
	Schema, Kind, Name string
	Rights             []string
}

// row is a row of the matrix.
type row struct{ schemas, objects, rights string }

// matrix is the table of securing.md, as the catalogue has it.
func matrix(t *testing.T, f *fixture) string {
	t.Helper()
	groups := f.names.Readers
	rows := check.Sure(f.Superuser.Query(context.Background(), sqlMatrix, []string{
		f.names.Owner, f.names.Worker, f.names.Receiver, f.names.Publisher, f.names.Console, groups.Masked, groups.Personal, groups.Raw,
	}))(f)
	objects := check.Sure(pgx.CollectRows(rows, pgx.RowToStructByPos[object]))(f)
	byKind := map[string][]object{}
	for _, o := range objects {
		byKind[o.Kind+" "+o.Schema] = append(byKind[o.Kind+" "+o.Schema], o)
	}
	var table []row
	for _, key := range slices.Sorted(maps.Keys(byKind)) {
		table = append(table, grouped(byKind[key])...)
	}
	return written(merged(table))
}

// grouped puts objects with equal rights into one row; the largest group of several is "all
// others".
func grouped(objects []object) []row {
	groups := map[string][]string{}
	for _, o := range objects {
		rights := strings.Join(o.Rights, " | ")
		if !slices.Contains(groups[rights], o.Name) {
			groups[rights] = append(groups[rights], o.Name)
		}
	}
	keys := slices.SortedFunc(maps.Keys(groups), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(groups[b]), len(groups[a])), cmp.Compare(a, b))
	})
	var rows []row
	for i, rights := range keys {
		names := "`" + strings.Join(groups[rights], "`, `") + "`"
		switch kind := objects[0].Kind; {
		case kind == "schema":
			names = "the schema"
		case i == 0 && len(keys) == 1:
			names = "all " + kind
		case i == 0:
			names = "all other " + kind
		default:
			names = kind + " " + names
		}
		rows = append(rows, row{schemas: "`" + objects[0].Schema + "`", objects: names, rights: rights})
	}
	return rows
}

// merged puts schemas with equal rows together.
func merged(rows []row) []row {
	var all []row
	for _, r := range rows {
		at := slices.IndexFunc(all, func(o row) bool { return o.objects == r.objects && o.rights == r.rights })
		if at >= 0 {
			all[at].schemas += ", " + r.schemas
			continue
		}
		all = append(all, r)
	}
	return all
}

func written(rows []row) string {
	var text strings.Builder
	text.WriteString("| Schemas | Objects | owner | worker | receiver | publisher | console | reader | reader_personal | reader_raw |\n")
	text.WriteString("|---|---|---|---|---|---|---|---|---|---|\n")
	for _, r := range rows {
		text.WriteString("| " + r.schemas + " | " + r.objects + " |")
		for right := range strings.SplitSeq(r.rights, " | ") {
			text.WriteString(" " + cmp.Or(right, "–") + " |")
		}
		text.WriteString("\n")
	}
	return text.String()
}

// TestRights compares the matrix of docs/securing.md with the catalogue, where the roles were made
// by this program and nothing else. If it differs, the test prints the matrix.
func TestRights(t *testing.T) {
	f := open(t)
	f.whole()
	page := check.Sure(os.ReadFile("../../../docs/securing.md"))(f)
	_, told, found := strings.Cut(string(page), "<!-- rights -->\n")
	told, _, ended := strings.Cut(told, "<!-- end of rights -->")
	got := matrix(t, f)
	if want := strings.Trim(told, "\n") + "\n"; !found || !ended || got != want {
		t.Errorf("docs/securing.md (-) and the catalogue (+) differ:\n%s\nThe matrix is:\n%s", difference.Diff(want, got), got)
	}
	// One right too much is found.
	f.Administers("GRANT UPDATE (sealed) ON sluice.tokens TO console_@")
	check.ErrorIf(t, matrix(t, f) == got, "a right more is not seen")
}
