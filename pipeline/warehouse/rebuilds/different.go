package rebuilds

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/changes"
)

// logDifferent logs the records of keys that have other values or elements than before.
func logDifferent(ctx context.Context, tx pgx.Tx, stream pipeline.Stream, keys []string, before map[string]string) error {
	after, err := digests(ctx, tx, stream, keys)
	if err != nil {
		return err
	}
	var different []string
	for _, key := range keys {
		if after[key] != before[key] {
			different = append(different, key)
		}
	}
	return changes.Write(ctx, tx, stream.Organization, changes.TableOf(stream), changes.Rewritten, different)
}

// digests returns a digest of what readers see of each record: values, unknown keys, tombstone and
// elements. A row that is written anew because of its hash alone keeps it.
func digests(ctx context.Context, tx pgx.Tx, stream pipeline.Stream, keys []string) (map[string]string, error) {
	rows, err := tx.Query(ctx, sqlDigests(stream), stream.Organization, keys)
	if err != nil {
		return nil, fmt.Errorf("comparing rows of %s: %w", stream, err)
	}
	found := make(map[string]string, len(keys))
	var key, digest string
	_, err = pgx.ForEachRow(rows, []any{&key, &digest}, func() error {
		found[key] = digest
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("comparing rows of %s: %w", stream, err)
	}
	return found, nil
}

// sqlDigests looks up each key separately, as the loader does and for the same reason.
func sqlDigests(stream pipeline.Stream) string {
	tables := stream.Resource.Tables()
	in := stream.Resource.SchemaName(stream.Service)
	var values []string
	for _, column := range tables[0].Columns {
		values = append(values, "t."+pgx.Identifier{column.ColumnName()}.Sanitize())
	}
	parts := []string{"ROW(" + strings.Join(values, ", ") + ", t._extra, t._deleted_at)::text"}
	for _, table := range tables[1:] {
		order := "c._position"
		if table.Depth() > 1 {
			order = "c._parent_position, c._position"
		}
		parts = append(parts, fmt.Sprintf("(SELECT string_agg(c::text, ';' ORDER BY %s) FROM %s AS c "+
			"WHERE c.organization_id = $1 AND c._parent_id = k.id)",
			order, pgx.Identifier{in, table.Name}.Sanitize()))
	}
	return fmt.Sprintf(`SELECT k.id, f.digest FROM unnest($2::text[]) AS k (id) CROSS JOIN LATERAL
(SELECT encode(sha256(convert_to(concat_ws('|', %s), 'UTF8')), 'hex') AS digest
FROM %s AS t WHERE t.organization_id = $1 AND t.%s = k.id OFFSET 0) AS f`,
		strings.Join(parts, ", "), pgx.Identifier{in, tables[0].Name}.Sanitize(), pgx.Identifier{tables[0].Columns[0].ColumnName()}.Sanitize())
}
