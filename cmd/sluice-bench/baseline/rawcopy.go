package baseline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// Copied is a raw COPY of what is in tables.
type Copied struct {
	Took time.Duration
	// Rows are those of all tables, children included.
	Rows int64
}

// RawCopy writes the rows of tables, quoted, into files in a folder, empties the tables, and takes the time of bringing the
// same rows back by COPY in its binary format, which is the faster one, in one transaction: no HTTP, no decoding, no look at
// what is there. Keys, foreign keys and indexes are the same.
func RawCopy(ctx context.Context, conn *pgx.Conn, folder string, names []string) (_ Copied, err error) {
	var result Copied
	files := make([]*os.File, 0, len(names))
	defer func() {
		for _, file := range files {
			err = errors.Join(err, file.Close(), os.Remove(file.Name()))
		}
	}()
	for _, name := range names {
		file, err := os.CreateTemp(folder, "copy-")
		if err != nil {
			return result, fmt.Errorf("make a file: %w", err)
		}
		files = append(files, file)
		tag, err := conn.PgConn().CopyTo(ctx, file, "COPY "+name+" TO STDOUT (FORMAT binary)")
		if err != nil {
			return result, fmt.Errorf("copy %s out: %w", name, err)
		}
		result.Rows += tag.RowsAffected()
	}
	// In a transaction of its own: one that empties a table may skip the log.
	if err := Empty(ctx, conn, names...); err != nil {
		return result, err
	}
	began := time.Now()
	back, err := copyBack(ctx, conn, names, files)
	result.Took = time.Since(began)
	if err == nil && back != result.Rows {
		err = fmt.Errorf("%d rows were copied out of %v and %d back", result.Rows, names, back)
	}
	return result, err
}

// Empty empties tables, quoted, and writes out what earlier work left, which would be paid for by what is measured next.
func Empty(ctx context.Context, conn *pgx.Conn, names ...string) error {
	if _, err := conn.Exec(ctx, "TRUNCATE "+strings.Join(names, ", ")); err != nil {
		return fmt.Errorf("empty the tables: %w", err)
	}
	return Checkpoint(ctx, conn)
}

// Checkpoint writes out what earlier work left.
func Checkpoint(ctx context.Context, conn *pgx.Conn) error {
	if _, err := conn.Exec(ctx, "CHECKPOINT"); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

func copyBack(ctx context.Context, conn *pgx.Conn, names []string, files []*os.File) (int64, error) {
	var rows int64
	err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		for i, file := range files {
			if _, err := file.Seek(0, io.SeekStart); err != nil {
				return fmt.Errorf("rewind: %w", err)
			}
			tag, err := tx.Conn().PgConn().CopyFrom(ctx, file, "COPY "+names[i]+" FROM STDIN (FORMAT binary)")
			if err != nil {
				return fmt.Errorf("copy into %s: %w", names[i], err)
			}
			rows += tag.RowsAffected()
		}
		return nil
	})
	if err != nil {
		return rows, fmt.Errorf("copy back: %w", err)
	}
	return rows, nil
}
