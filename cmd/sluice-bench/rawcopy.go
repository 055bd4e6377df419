package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"sluice/cmd/sluice-bench/baseline"
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

// rawCopy brings what is in tables back by raw COPY, and takes the time.
func (w *warehouse) rawCopy(ctx context.Context, names []string) (baseline.Copied, error) {
	var result baseline.Copied
	quotedNames := make([]string, len(names))
	for i, name := range names {
		quotedNames[i] = quoted(strings.Split(name, ".")...)
	}
	err := w.do(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		var err error
		result, err = baseline.RawCopy(ctx, conn, w.stage.folder, quotedNames)
		return err //nolint:wrapcheck // it says what failed
	})
	return result, err
}
