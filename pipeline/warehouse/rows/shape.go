package rows

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// shape is what a Loader knows about its tables.
type shape int32

const (
	// unseen: nobody has looked yet.
	unseen shape = iota
	// drafted: the columns have the types, and the keys the collation, that migrations are drafted with, so that values can be
	// sent in the binary format and keys compare as their bytes do.
	drafted
	// other: the database has to judge by itself.
	other
)

// What is written to a table of another role has its triggers executed, with our rights. Temporary ones are of this session.
const sqlShape = `
SELECT count(a.attname), coalesce(min(w.relation) FILTER (WHERE c.relpersistence <> 't' AND c.relowner <> (SELECT o.role FROM sluice.owner o)), '')
FROM unnest($1::text[], $2::text[], $3::oid[], $4::bool[]) AS w (relation, name, type, key)
JOIN pg_class c ON c.oid = to_regclass(w.relation)
LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = w.name AND NOT a.attisdropped
	AND a.atttypid = w.type AND (NOT w.key OR a.attcollation = '"C"'::regcollation)`

// look finds out, once for all loads, what the tables are like.
func (l *Loader) look(ctx context.Context, tx interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}) (shape, error) {
	if seen := shape(l.shape.Load()); seen != unseen {
		return seen, nil
	}
	expected := l.sql.Expected
	var relations, names []string
	var types []uint32
	var keys []bool
	for _, column := range expected {
		relations, names = append(relations, column.Relation), append(names, column.Name)
		types, keys = append(types, column.Type), append(keys, column.Key)
	}
	var found int
	var foreign string
	if err := tx.QueryRow(ctx, sqlShape, relations, names, types, keys).Scan(&found, &foreign); err != nil {
		return unseen, fmt.Errorf("look at the tables of %s: %w", l.sql.Name, err)
	}
	if foreign != "" {
		return unseen, fmt.Errorf("look at the tables of %s: %s belongs to another role than the program's tables: sluice check", l.sql.Name, foreign)
	}
	seen := other
	if found == len(expected) {
		seen = drafted
	}
	l.shape.Store(int32(seen))
	return seen, nil
}
