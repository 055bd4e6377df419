package cells

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"golang.org/x/sync/errgroup"

	"sluice/pipeline/warehouse/changes"
	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/streams"
)

// ErrNotEqual says that a copy is not what was copied. Nothing of it stays.
var ErrNotEqual = errors.New("the copy differs")

const (
	// Triggers of cells refuse rows of an organization that is not at home; those of a move are let
	// in.
	sqlMoving = `SET LOCAL sluice.moving = 'on'`

	// One call of each block of the call log.
	sqlBlocks = `SELECT max(c.id) FROM sluice.calls c WHERE c.organization_id = $1 GROUP BY c.id / 1000000000 ORDER BY 1`

	sqlBehind = `
SELECT s.name::text AS name, CASE WHEN s.of_calls THEN $1::bigint ELSE $2::bigint END AS last FROM sluice.number_sequences() s
WHERE s.last < CASE WHEN s.of_calls THEN $1::bigint ELSE $2::bigint END ORDER BY 1`

	sqlDrawBehind = `SELECT sluice.draw_behind($1::text::regclass, $2)`
)

// tally is what an organization has of a table: how many rows, and the sum of a digest of each,
// which does not depend on their order.
type tally struct {
	Rows   int64
	Digest string
}

// follow lets the target draw numbers behind all of the source: of two calls of the organization
// the larger one stays the later one. Blocks of the call log are made before. Each sequence moves
// in a transaction of its own, since sessions that draw from several could deadlock with it.
func (m *Move) follow(ctx context.Context) error {
	numbers, err := m.From.Numbers(ctx)
	if err != nil {
		return err
	}
	blocks, err := postgres.ReadAll(ctx, m.From.pool, m.From.what("the blocks of its calls"), pgx.RowTo[int64], sqlBlocks, m.Organization)
	if err != nil {
		return err
	}
	if err := m.To.addBlocks(ctx, append(blocks, numbers.Calls, numbers.Calls+block)...); err != nil {
		return err
	}
	type sequence struct {
		Name string `db:"name"`
		Last int64  `db:"last"`
	}
	behind, err := postgres.Read[sequence](ctx, m.To.pool, m.To.what("its numbers"), sqlBehind, numbers.Calls, numbers.Others)
	if err != nil {
		return err
	}
	for _, s := range behind {
		if _, err := m.To.pool.Exec(ctx, sqlDrawBehind, s.Name, s.Last); err != nil {
			return postgres.Fail(m.To.what("moving "+s.Name+" on"), err)
		}
	}
	return nil
}

// copyRows copies all rows of the organization in one transaction of the target, out of one
// snapshot of the source, and compares them before it commits. The target then says that they
// arrived.
func (m *Move) copyRows(ctx context.Context) error {
	source, err := m.From.tables(ctx)
	if err != nil {
		return err
	}
	target, err := m.To.tables(ctx)
	if err != nil {
		return err
	}
	tables, err := common(source, target)
	if err != nil {
		return err
	}
	if err := m.follow(ctx); err != nil {
		return err
	}
	from, err := m.From.pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return postgres.Fail(m.From.what("reading its rows"), err)
	}
	defer postgres.Rollback(ctx, from)
	return postgres.InTx(ctx, m.To.pool, m.To.what("writing rows"), func(to pgx.Tx) error {
		if _, err := to.Exec(ctx, sqlMoving); err != nil {
			return postgres.Fail(m.To.what("writing rows"), err)
		}
		var rows int64
		for i := range tables {
			copied, err := m.copyTable(ctx, from, to, &tables[i])
			if err != nil {
				return err
			}
			rows += copied
			m.tell(Copying, tables[i].full(), rows)
		}
		for i := range tables {
			if err := m.compare(ctx, from, to, &tables[i]); err != nil {
				return err
			}
			m.tell(Comparing, tables[i].full(), rows)
		}
		if err := streams.Arrive(ctx, to, m.Organization); err != nil {
			return err
		}
		for i := range tables {
			if t := &tables[i]; t.Record != "" {
				if err := changes.WriteTable(ctx, to, m.Organization, t.full(), t.Record); err != nil {
					return err
				}
			}
		}
		return m.turn(ctx, to, Arriving, Arrived, rows)
	})
}

// copyTable copies the rows of one table as the server writes them, and gives their number.
func (m *Move) copyTable(ctx context.Context, from, to pgx.Tx, t *table) (int64, error) {
	reader, writer := io.Pipe()
	var group errgroup.Group
	group.Go(func() error {
		sql := fmt.Sprintf("COPY (SELECT %s FROM %s WHERE %s) TO STDOUT (FORMAT binary)", t.list(), t.sql(), t.of(m.Organization))
		_, err := from.Conn().PgConn().CopyTo(ctx, writer, sql)
		writer.CloseWithError(err)
		return postgres.Fail(m.From.what("reading "+t.full()), err)
	})
	tag, err := postgres.CopyFrom(ctx, to.Conn().PgConn(), reader, fmt.Sprintf("COPY %s (%s) FROM STDIN (FORMAT binary)", t.sql(), t.list()))
	reader.CloseWithError(io.ErrClosedPipe)
	if reading := group.Wait(); reading != nil && (err == nil || !errors.Is(reading, io.ErrClosedPipe)) {
		return 0, reading
	}
	if taken, ok := errors.AsType[*pgconn.PgError](err); ok && taken.Code == codeTaken {
		return 0, fmt.Errorf("%w organization %s: cell %s has a row of %s with the key of one that moves, as it drew the same numbers before "+
			"it joined the fleet: give up with --cancel (%w)", ErrElsewhere, m.Organization, m.To.Name, t.full(), err)
	}
	return tag.RowsAffected(), postgres.Fail(m.To.what("writing "+t.full()), err)
}

// codeTaken is unique_violation (PostgreSQL, appendix A, error codes).
const codeTaken = "23505"

// compare holds the rows of a table in the target against those of the source.
func (m *Move) compare(ctx context.Context, from, to pgx.Tx, t *table) error {
	var was, is tally
	var group errgroup.Group
	group.Go(func() error { return m.tally(ctx, m.From, from, t, &was) })
	group.Go(func() error { return m.tally(ctx, m.To, to, t, &is) })
	if err := group.Wait(); err != nil {
		return err
	}
	if was != is {
		return fmt.Errorf("%w: of %s cell %s has %d rows (digest %s) and cell %s %d (digest %s)", ErrNotEqual, t.full(),
			m.From.Name, was.Rows, was.Digest, m.To.Name, is.Rows, is.Digest)
	}
	return nil
}

func (m *Move) tally(ctx context.Context, d *Database, tx pgx.Tx, t *table, into *tally) error {
	err := tx.QueryRow(ctx, fmt.Sprintf("SELECT count(*), coalesce(sum(hashtextextended(ROW(%s)::text, 0)), 0)::text FROM %s WHERE %s",
		t.list(), t.sql(), t.of(m.Organization))).Scan(&into.Rows, &into.Digest)
	return postgres.Fail(d.what("summing "+t.full()), err)
}
