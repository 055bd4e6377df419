package cells

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/postgres"
)

// ErrTables says that two cells have other tables or columns than each other.
var ErrTables = errors.New("the tables of the cells differ")

// table is one whose rows move with an organization.
type table struct {
	Schema string `db:"schema_name"`
	Name   string `db:"table_name"`
	// Columns are those that a copy gives, with their types, ordered by name.
	Columns []string `db:"columns"`
	Types   []string `db:"types"`
	// Parent names the table of schema sluice that the rows belong to, for one without
	// organizations; Link is its column, and Linked the parent's.
	Parent string `db:"parent"`
	Link   string `db:"link"`
	Linked string `db:"linked"`
	// Record is the column with the keys of the records that a table of a service holds; "" of
	// others.
	Record string `db:"record"`
	// Copied says that the rows move. Others are the cell's, and are dropped with the organization.
	Copied bool `db:"copied"`
	// Parts are the tables of the same schema that the rows are stored in: itself, or partitions.
	Parts []string `db:"parts"`
}

// What the catalog says. Of schema sluice these stay: homes, what the cell did and saw itself
// (changes, actions, verifications), and what its configuration makes anew (channels, wants). The
// last ones are dropped with the organization.
const sqlTables = `
WITH own AS (
	SELECT c.oid, n.nspname, c.relname,
		EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'organization_id' AND NOT a.attisdropped) AS keyed
	FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
	WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition
		AND (n.nspname IN ('sluice', 'history', 'notifications') OR n.nspname IN (SELECT s.name FROM sluice.service_schemas s))
		AND c.relowner = (SELECT k.relowner FROM pg_class k WHERE k.oid = 'sluice.cell'::regclass)
		AND NOT (n.nspname = 'sluice' AND c.relname IN ('homes', 'changes', 'actions', 'verified_streams', 'findings'))
), linked AS (
	SELECT o.oid, o.nspname, o.relname, o.keyed, p.relname AS parent, fa.attname AS link, pa.attname AS linked
	FROM own o
	LEFT JOIN LATERAL (
		SELECT f.conrelid, f.confrelid, f.conkey, f.confkey FROM pg_constraint f
		WHERE f.conrelid = o.oid AND f.contype = 'f' AND cardinality(f.conkey) = 1 LIMIT 1
	) f ON NOT o.keyed
	LEFT JOIN own p ON p.oid = f.confrelid AND p.keyed
	LEFT JOIN pg_attribute fa ON fa.attrelid = f.conrelid AND fa.attnum = f.conkey[1]
	LEFT JOIN pg_attribute pa ON pa.attrelid = f.confrelid AND pa.attnum = f.confkey[1]
)
SELECT l.nspname AS schema_name, l.relname AS table_name, c.columns, c.types,
	coalesce(l.parent, '') AS parent, CASE WHEN l.parent IS NULL THEN '' ELSE l.link END AS link,
	CASE WHEN l.parent IS NULL THEN '' ELSE l.linked END AS linked,
	CASE WHEN l.nspname IN ('sluice', 'history', 'notifications') OR '_parent_id' = ANY (c.columns) THEN '' ELSE coalesce(k.attname, '') END AS record,
	NOT (l.nspname = 'sluice' AND l.relname IN ('channels', 'wantable', 'wants')) AS copied,
	coalesce((SELECT array_agg(p.relname::text ORDER BY p.relname) FROM pg_inherits i JOIN pg_class p ON p.oid = i.inhrelid WHERE i.inhparent = l.oid),
		ARRAY[l.relname::text]) AS parts
FROM linked l
CROSS JOIN LATERAL (
	SELECT array_agg(a.attname::text ORDER BY a.attname) AS columns, array_agg(format_type(a.atttypid, a.atttypmod) ORDER BY a.attname) AS types
	FROM pg_attribute a WHERE a.attrelid = l.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
) c
LEFT JOIN LATERAL (
	SELECT a.attname FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
	WHERE i.indrelid = l.oid AND i.indisprimary AND a.attname <> 'organization_id' LIMIT 1
) k ON true
WHERE l.keyed OR l.parent IS NOT NULL
ORDER BY l.nspname, l.relname`

// Which table refers to which: rows of the second have to be there first.
const sqlReferences = `
SELECT DISTINCT fn.nspname || '.' || f.relname, tn.nspname || '.' || t.relname
FROM pg_constraint k JOIN pg_class f ON f.oid = k.conrelid JOIN pg_namespace fn ON fn.oid = f.relnamespace
	JOIN pg_class t ON t.oid = k.confrelid JOIN pg_namespace tn ON tn.oid = t.relnamespace
WHERE k.contype = 'f' AND k.conparentid = 0 AND f.oid <> t.oid ORDER BY 1, 2`

func (t *table) full() string { return t.Schema + "." + t.Name }

func (t *table) sql() string { return pgx.Identifier{t.Schema, t.Name}.Sanitize() }

// list names the columns, for statements.
func (t *table) list() string {
	quoted := make([]string, len(t.Columns))
	for i, column := range t.Columns {
		quoted[i] = pgx.Identifier{column}.Sanitize()
	}
	return strings.Join(quoted, ", ")
}

// of is the condition that rows are an organization's. Copying takes no arguments, so the key is
// written as a literal.
func (t *table) of(organization string) string {
	key := "'" + strings.ReplaceAll(organization, "'", "''") + "'" // standard_conforming_strings is on, as in any supported server
	if t.Parent == "" {
		return "organization_id = " + key
	}
	return fmt.Sprintf("%s IN (SELECT p.%s FROM %s p WHERE p.organization_id = %s)",
		pgx.Identifier{t.Link}.Sanitize(), pgx.Identifier{t.Linked}.Sanitize(), pgx.Identifier{"sluice", t.Parent}.Sanitize(), key)
}

// tables returns the tables whose rows belong to organizations, those first that others refer to.
func (d *Database) tables(ctx context.Context) ([]table, error) {
	all, err := postgres.Read[table](ctx, d.pool, d.what("the tables"), sqlTables)
	if err != nil {
		return nil, err
	}
	type reference struct{ From, To string }
	references, err := postgres.ReadAll(ctx, d.pool, d.what("the references between tables"), pgx.RowToStructByPos[reference], sqlReferences)
	if err != nil {
		return nil, err
	}
	to := make(map[string][]string)
	for _, r := range references {
		to[r.From] = append(to[r.From], r.To)
	}
	return ordered(all, to), nil
}

// ordered puts each table behind those that it refers to.
func ordered(all []table, to map[string][]string) []table {
	byName := make(map[string]*table, len(all))
	for i := range all {
		byName[all[i].full()] = &all[i]
	}
	sorted, seen := make([]table, 0, len(all)), make(map[string]bool, len(all))
	var visit func(t *table)
	visit = func(t *table) {
		if seen[t.full()] {
			return
		}
		seen[t.full()] = true
		for _, name := range to[t.full()] {
			if other := byName[name]; other != nil {
				visit(other)
			}
		}
		sorted = append(sorted, *t)
	}
	for i := range all {
		visit(&all[i])
	}
	return sorted
}

// SameTables returns ErrTables, with what differs, if rows cannot move between two cells.
func SameTables(ctx context.Context, a, b *Database) error {
	source, err := a.tables(ctx)
	if err != nil {
		return err
	}
	target, err := b.tables(ctx)
	if err == nil {
		_, err = common(source, target)
	}
	return err
}

// common returns the tables of the source, if those of the target are the same.
func common(source, target []table) ([]table, error) {
	of := make(map[string]*table, len(target))
	for i := range target {
		of[target[i].full()] = &target[i]
	}
	var copied []table
	for i := range source {
		t := &source[i]
		if !t.Copied {
			continue
		}
		other := of[t.full()]
		if other == nil {
			return nil, fmt.Errorf("%w: the target has no table %s: run sluice fleet migrate, and give both cells the same custom resources",
				ErrTables, t.full())
		}
		if !slices.Equal(t.Columns, other.Columns) || !slices.Equal(t.Types, other.Types) {
			return nil, fmt.Errorf("%w: %s has the columns %s in the source and %s in the target: run sluice fleet migrate", ErrTables, t.full(),
				described(t), described(other))
		}
		copied = append(copied, *t)
	}
	return copied, nil
}

func described(t *table) string {
	words := make([]string, len(t.Columns))
	for i := range t.Columns {
		words[i] = t.Columns[i] + " " + t.Types[i]
	}
	return strings.Join(words, ", ")
}
