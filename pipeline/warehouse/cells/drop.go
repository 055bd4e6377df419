package cells

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"sluice/pipeline/warehouse/changes"
	"sluice/pipeline/warehouse/postgres"
)

// part is how many rows one transaction drops.
const part = 5000

const (
	sqlAny = `SELECT FROM %s t WHERE %s LIMIT 1`

	// The rows are looked up once and not again for each part: not every table has an index for it.
	// Another row may take the place of one that is gone, so each is asked whose it is.
	sqlPlaces = `DECLARE places CURSOR WITH HOLD FOR SELECT t.ctid FROM %s t WHERE %s`
	sqlDrop   = `DELETE FROM %s WHERE ctid = ANY ($1::tid[]) AND %s`
)

// drop removes the rows of an organization that is not at home in a cell, in parts. The log of
// changes tells of them. What is written for each call is not refused, and an answer may come while
// rows are dropped: so it ends once it finds none.
func (m *Move) drop(ctx context.Context, d *Database) error {
	tables, err := d.tables(ctx)
	if err != nil {
		return err
	}
	conn, err := postgres.Connect(ctx, d.pool)
	if err != nil {
		return postgres.Fail(d.what("dropping rows"), err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }() // what is dropped is committed
	for dropped, before := int64(0), int64(-1); dropped != before; {
		before = dropped
		for i := range slices.Backward(tables) { // rows that others refer to go last
			stored := tables[i]
			for _, stored.Name = range tables[i].Parts {
				if err := m.dropFrom(ctx, d, conn, &stored, &dropped); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// dropFrom removes the rows from one table, and adds their number to dropped.
func (m *Move) dropFrom(ctx context.Context, d *Database, conn *pgx.Conn, t *table, dropped *int64) error {
	what := d.what("dropping rows of " + t.full())
	if tag, err := conn.Exec(ctx, fmt.Sprintf(sqlAny, t.sql(), t.of(m.Organization))); err != nil || tag.RowsAffected() == 0 {
		return postgres.Fail(what, err)
	}
	if _, err := conn.Exec(ctx, fmt.Sprintf(sqlPlaces, t.sql(), t.of(m.Organization))); err != nil {
		return postgres.Fail(what, err)
	}
	for {
		rows, err := conn.Query(ctx, "FETCH "+strconv.Itoa(part)+" FROM places")
		if err != nil {
			return postgres.Fail(what, err)
		}
		places, err := pgx.CollectRows(rows, pgx.RowTo[pgtype.TID])
		if err != nil {
			return postgres.Fail(what, err)
		}
		if len(places) == 0 {
			_, err := conn.Exec(ctx, "CLOSE places")
			return postgres.Fail(what, err)
		}
		err = postgres.InTx(ctx, conn, what, func(tx pgx.Tx) error {
			gone, err := m.dropPart(ctx, tx, t, places)
			*dropped += gone
			return postgres.Fail(what, err)
		})
		if err != nil {
			return err
		}
		m.tell(Dropping, t.full(), *dropped)
	}
}

// dropPart removes rows at these places, and returns their number.
func (m *Move) dropPart(ctx context.Context, tx pgx.Tx, t *table, places []pgtype.TID) (int64, error) {
	sql := fmt.Sprintf(sqlDrop, t.sql(), t.of(m.Organization))
	if t.Record == "" {
		tag, err := tx.Exec(ctx, sql, places)
		return tag.RowsAffected(), err
	}
	rows, err := tx.Query(ctx, sql+" RETURNING "+pgx.Identifier{t.Record}.Sanitize(), places)
	if err != nil {
		return 0, err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	return int64(len(ids)), changes.Write(ctx, tx, m.Organization, t.full(), changes.Rewritten, ids)
}
