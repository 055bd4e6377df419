package lineage

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
	"sluice/schema"
)

// Numbered is a record that carries a number which people use, such as that of a bill.
type Numbered struct {
	Record string `db:"record" json:"record"`
	// Column has the number.
	Column string `db:"column" json:"column"`
}

const (
	// mostNumbered bounds the records that one number finds, numberLimit the search: the columns
	// have no index.
	mostNumbered = 20
	numberLimit  = 2 * time.Second
)

// Numbered returns records of a list by a number that they carry: 20 at most. Numbers are the
// columns of identifiers whose names end in _number.
func (t *Tracer) Numbered(ctx context.Context, stream pipeline.Stream, number string) ([]Numbered, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, numberLimit, fmt.Errorf("the search took more than %s", numberLimit))
	defer cancel()
	r := stream.Resource
	table := pgx.Identifier{r.SchemaName(stream.Service), r.Name}.Sanitize()
	id := pgx.Identifier{r.Columns[0].ColumnName()}.Sanitize()
	var selects []string
	for i := range r.Columns {
		c := &r.Columns[i]
		if c.Kind != schema.KindID || !strings.HasSuffix(c.ColumnName(), "_number") {
			continue
		}
		column := pgx.Identifier{c.ColumnName()}.Sanitize()
		selects = append(selects, fmt.Sprintf(`(SELECT %s AS record, '%s' AS column FROM %s WHERE organization_id = $1 AND %s = $2 LIMIT %d)`,
			id, c.ColumnName(), table, column, mostNumbered))
	}
	if len(selects) == 0 {
		return nil, nil
	}
	sql := fmt.Sprintf("%s ORDER BY 1, 2 LIMIT %d", strings.Join(selects, " UNION "), mostNumbered)
	found, err := postgres.Read[Numbered](ctx, t.pool, "the records of a number", sql, stream.Organization, number)
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return found, err
}
