package flow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"sluice/pipeline/upstream/body"
	"sluice/pipeline/warehouse/loader"
	"sluice/schema/normalize"
)

// Lines copies an export.
func (j *Job) Lines(ctx context.Context) (_ Counts, err error) {
	var counts Counts
	normalizer, err := normalize.New(j.Resource, time.UTC)
	if err != nil {
		return counts, fmt.Errorf("prepare: %w", err)
	}
	answer, err := open(ctx, new(http.Client), j.Page(1))
	if err != nil {
		return counts, err
	}
	defer func() { err = errors.Join(err, answer.Body.Close()) }()
	fields := make([]string, len(j.Resource.Columns))
	for i := range fields {
		fields[i] = j.Resource.Columns[i].Wire
	}
	rows, _, err := body.NewRows(answer.Body, fields)
	if err != nil {
		return counts, fmt.Errorf("read an export: %w", err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	groups := make(chan []normalize.Record, 1)
	go func() {
		defer close(groups)
		if err := readLines(ctx, rows, normalizer, groups); err != nil {
			cancel(err)
		}
	}()
	l := loader.New(j.Service, j.Resource)
	for records := range groups {
		if err := Load(ctx, j.Conn, l, records, j.Call, &counts); err != nil {
			return counts, err
		}
	}
	return counts, context.Cause(ctx) //nolint:wrapcheck // what fails says where
}

func readLines(ctx context.Context, rows *body.Rows, normalizer *normalize.Normalizer, groups chan<- []normalize.Record) error {
	for {
		records := make([]normalize.Record, 0, groupLines)
		for len(records) < groupLines {
			raw, err := rows.Next()
			if errors.Is(err, io.EOF) {
				return send(ctx, groups, records)
			}
			if err != nil {
				return fmt.Errorf("read a line: %w", err)
			}
			record, err := normalizer.Record(raw)
			if err != nil {
				return fmt.Errorf("read a line: %w", err)
			}
			records = append(records, record)
		}
		if err := send(ctx, groups, records); err != nil {
			return err
		}
	}
}
