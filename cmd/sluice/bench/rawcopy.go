package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/connectors"
)

// archive is where sluice keeps the records as they came.
const archive = "sluice.raw_records"

// tables are those of a stream, parents before children.
func tables(stream string) ([]string, error) {
	for _, service := range connectors.All() {
		for i := range service.Resources {
			if service.Name+"."+service.Resources[i].Name != stream {
				continue
			}
			var names []string
			for _, table := range service.Resources[i].Tables() {
				names = append(names, service.Name+"."+table.Name)
			}
			return names, nil
		}
	}
	return nil, fmt.Errorf("no resource %q is declared", stream)
}

// copied is a raw COPY of what a sync has loaded.
type copied struct {
	took time.Duration
	// rows are those of all tables, children included.
	rows int64
}

// rawCopy writes the rows of tables into files, empties the tables, and takes the
// time of bringing the same rows back by COPY in its binary format, which is the
// faster one, in one transaction: no HTTP, no decoding, no look at what is there.
// Keys, foreign keys and indexes are the same.
func (w *warehouse) rawCopy(ctx context.Context, names []string) (_ copied, err error) {
	var result copied
	files := make([]*os.File, 0, len(names))
	defer func() {
		for _, file := range files {
			err = errors.Join(err, file.Close(), os.Remove(file.Name()))
		}
	}()
	err = w.do(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		quotedNames := make([]string, len(names))
		for i, name := range names {
			quotedNames[i] = quoted(strings.Split(name, ".")...)
			file, err := os.CreateTemp(w.stage.folder, "copy-")
			if err != nil {
				return fmt.Errorf("make a file: %w", err)
			}
			files = append(files, file)
			tag, err := conn.PgConn().CopyTo(ctx, file, "COPY "+quotedNames[i]+" TO STDOUT (FORMAT binary)")
			if err != nil {
				return fmt.Errorf("copy %s out: %w", name, err)
			}
			result.rows += tag.RowsAffected()
		}
		// In a transaction of its own: one that empties a table may skip the log.
		if _, err := conn.Exec(ctx, "TRUNCATE "+strings.Join(quotedNames, ", ")); err != nil {
			return fmt.Errorf("empty the tables: %w", err)
		}
		if err := checkpoint(ctx, conn); err != nil {
			return err
		}
		began := time.Now()
		back, err := copyBack(ctx, conn, quotedNames, files)
		result.took = time.Since(began)
		if err == nil && back != result.rows {
			err = fmt.Errorf("%d rows were copied out of %v and %d back", result.rows, names, back)
		}
		return err
	})
	return result, err
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
	return rows, err
}
