package rebuild

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/postgres/ctid"
	"sluice/pipeline/warehouse/rows/copybinary"
)

var (
	// errRefused says that a value has no binary form, or that the database refuses it: the other way finds out which.
	errRefused = errors.New("a value was refused")
	// errMoved says that somebody wrote to the rows meanwhile, past the locks of their streams.
	errMoved = errors.New("rows were written by something else meanwhile: sluice rebuild goes on where it stopped")
)

// split tells rows that can be taken out whole from those with elements that their records do not carry: those have to stay.
func (r *Rows) split(ctx context.Context, tx pgx.Tx, rows []*row) ([]*row, []*row, error) {
	stay := map[string]bool{}
	for i := range r.table.sql.Children {
		child := &r.table.sql.Children[i]
		var keys []string
		for _, row := range rows {
			if !carried(row, child.Index) {
				keys = append(keys, row.key)
			}
		}
		if len(keys) == 0 {
			continue
		}
		found, err := tx.Query(ctx, `SELECT k.id FROM unnest($2::text[]) AS k (id) WHERE EXISTS (SELECT FROM `+r.table.children[child.Index-1]+
			` AS c WHERE c.organization_id = $1 AND c._parent_id = k.id)`, r.stream.Organization, keys)
		if err != nil {
			return nil, nil, fmt.Errorf("looking for elements that stay: %w", err)
		}
		var key string
		if _, err := pgx.ForEachRow(found, []any{&key}, func() error { stay[key] = true; return nil }); err != nil {
			return nil, nil, fmt.Errorf("looking for elements that stay: %w", err)
		}
	}
	if len(stay) == 0 {
		return rows, nil, nil
	}
	var whole, others []*row
	for _, row := range rows {
		if stay[row.key] {
			others = append(others, row)
		} else {
			whole = append(whole, row)
		}
	}
	return whole, others, nil
}

func carried(row *row, table int) bool {
	for _, v := range row.inOrder() {
		if v.record.Carries[table] {
			return true
		}
	}
	return false
}

// exchange takes rows out with their elements and puts them back: rows that are deleted cost the server little, and COPY is the
// quickest way in. Both are one transaction: whoever reads the table sees the one or the other, and no row is removed (promise 7). Fields
// that no record carries are put back as they were.
func (r *Rows) exchange(ctx context.Context, tx pgx.Tx, l *layout, rows []*row) error {
	if len(rows) == 0 {
		return nil
	}
	savepoint, err := tx.Begin(ctx)
	if err != nil {
		return fmt.Errorf("opening a savepoint: %w", err)
	}
	err = r.keep(ctx, savepoint, l, rows)
	if err == nil {
		err = r.takeOut(ctx, savepoint, rows)
	}
	if err == nil {
		err = r.putBack(ctx, savepoint, l, rows)
	}
	if err == nil {
		err = savepoint.Commit(ctx)
	}
	if err == nil {
		return nil
	}
	if undo := savepoint.Rollback(ctx); undo != nil {
		return fmt.Errorf("rolling back to the savepoint: %w; after: %s", undo, err.Error())
	}
	if answer, ok := errors.AsType[*pgconn.PgError](err); ok && len(answer.Code) == 5 {
		switch answer.Code[:2] {
		case "22", "23", "54": // a value, a constraint, a limit
			return errRefused
		}
	}
	return fmt.Errorf("rewriting rows: %w", err)
}

// takeOut deletes rows; their elements go first, which is quicker than one by one behind each.
func (r *Rows) takeOut(ctx context.Context, tx pgx.Tx, rows []*row) error {
	keys, places := make([]string, len(rows)), make([]ctid.TID, len(rows))
	for i, row := range rows {
		keys[i], places[i] = row.key, row.at
	}
	for _, child := range slices.Backward(r.table.sql.Children) {
		if _, err := tx.Exec(ctx, child.Remove, pgx.QueryExecModeExec, r.stream.Organization, keys); err != nil {
			return err
		}
	}
	result := tx.Conn().PgConn().ExecParams(ctx, `DELETE FROM `+r.table.name+` AS t WHERE t.ctid = ANY ($1)`,
		[][]byte{ctid.Array(places)}, []uint32{ctid.ArrayOID}, nil, nil).Read()
	if result.Err == nil && result.CommandTag.RowsAffected() != int64(len(rows)) {
		return errMoved
	}
	return result.Err
}

// putBack copies rows and the elements that their records carry.
func (r *Rows) putBack(ctx context.Context, tx pgx.Tx, l *layout, rows []*row) error {
	names := make([]string, len(l.columns))
	for i, name := range l.columns {
		names[i] = pgx.Identifier{name}.Sanitize()
	}
	put := &putting{Rows: r, layout: l, tables: r.stream.Resource.Tables()}
	elements := make([]int, len(r.table.sql.Children))
	for _, row := range rows {
		for c := range elements {
			elements[c] += len(row.record.Tables[r.table.sql.Children[c].Index])
		}
	}
	reader := copybinary.NewReader(rows, func(buf []byte, row *row) ([]byte, error) {
		if row.encoded != nil {
			return append(buf, row.encoded...), nil
		}
		if err := put.renew(row, row.fields); err != nil {
			return buf, err
		}
		return put.row(buf, row, row.fields)
	})
	conn := tx.Conn().PgConn()
	if err := send(ctx, conn, `COPY `+r.table.name+` (`+strings.Join(names, ", ")+`) FROM STDIN WITH (FORMAT binary)`, reader, len(rows)); err != nil {
		return err
	}
	for i := range r.table.sql.Children {
		if elements[i] == 0 {
			continue
		}
		child := &r.table.sql.Children[i]
		reader := copybinary.NewReader(rows, func(buf []byte, row *row) ([]byte, error) { return put.elements(buf, child, row.record) })
		if err := send(ctx, conn, child.InsertBinary, reader, elements[i]); err != nil {
			return err
		}
	}
	return nil
}

// failing is a stream of rows that says why it ended.
type failing interface {
	io.Reader
	Err() error
}

// send copies so many rows. A value without a binary form is as good as refused.
func send(ctx context.Context, conn *pgconn.PgConn, sql string, reader failing, rows int) error {
	tag, err := postgres.CopyFrom(ctx, conn, reader, sql)
	switch {
	case errors.Is(reader.Err(), copybinary.ErrText):
		return errRefused
	case reader.Err() != nil:
		return reader.Err()
	case err == nil && tag.RowsAffected() != int64(rows):
		return fmt.Errorf("%d rows sent, %s taken", rows, strconv.FormatInt(tag.RowsAffected(), 10))
	}
	return err
}
