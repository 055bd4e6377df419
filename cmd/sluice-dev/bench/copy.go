package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// rawCopy copies the rows of tables into files in a folder, empties the tables, and returns the time
// of loading the same rows by binary COPY, the faster form, in one transaction. It includes no HTTP,
// no decoding and no comparison with stored rows. Keys, foreign keys and indexes are the same.
func rawCopy(ctx context.Context, conn *pgx.Conn, folder string, names []string) (time.Duration, error) {
	folder, err := os.MkdirTemp(folder, "copy-")
	if err != nil {
		return 0, fmt.Errorf("make a folder: %w", err)
	}
	out, err := copyFiles(folder, names, os.Create, func(name string, file *os.File) (int64, error) {
		tag, err := conn.PgConn().CopyTo(ctx, file, "COPY "+name+" TO STDOUT (FORMAT binary)")
		return tag.RowsAffected(), err
	})
	if err == nil {
		// In a transaction of its own: one that empties a table may skip the log.
		err = emptyTables(ctx, conn, names...)
	}
	began, back := time.Now(), int64(0)
	if err == nil {
		err = pgx.BeginFunc(ctx, conn, func(pgx.Tx) error {
			var err error
			back, err = copyFiles(folder, names, os.Open, func(name string, file *os.File) (int64, error) {
				tag, err := conn.PgConn().CopyFrom(ctx, io.Reader(file), "COPY "+name+" FROM STDIN (FORMAT binary)")
				return tag.RowsAffected(), err
			})
			return err
		})
	}
	took := time.Since(began)
	if err == nil && back != out {
		err = fmt.Errorf("%d rows were copied out of %v and %d back", out, names, back)
	}
	return took, errors.Join(err, os.RemoveAll(folder))
}

// copyFiles opens a file for each table, copies its rows, and returns their number.
func copyFiles(
	folder string, names []string, open func(path string) (*os.File, error), each func(name string, file *os.File) (int64, error),
) (int64, error) {
	var rows int64
	for i, name := range names {
		file, err := open(filepath.Join(folder, strconv.Itoa(i)))
		if err != nil {
			return rows, fmt.Errorf("open a file: %w", err)
		}
		count, err := each(name, file)
		if err = errors.Join(err, file.Close()); err != nil {
			return rows, fmt.Errorf("copy %s: %w", name, err)
		}
		rows += count
	}
	return rows, nil
}

// emptyTables empties tables, quoted, and flushes earlier work, whose cost would fall on the next
// measurement.
func emptyTables(ctx context.Context, conn *pgx.Conn, names ...string) error {
	if _, err := conn.Exec(ctx, "TRUNCATE "+strings.Join(names, ", ")); err != nil {
		return fmt.Errorf("empty the tables: %w", err)
	}
	return checkpoint(ctx, conn)
}

func checkpoint(ctx context.Context, conn *pgx.Conn) error {
	if _, err := conn.Exec(ctx, "CHECKPOINT"); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}
