package flow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"sluice/cmd/sluice-bench/dataset"
	"sluice/pipeline/upstream/body"
	"sluice/schema/record"
)

// Lines copies an export: one party cuts the body into lines, and the lanes take groups of them.
func (j *Job) Lines(ctx context.Context) (_ Counts, err error) {
	normalizer, err := record.New(j.Resource, time.UTC)
	if err != nil {
		return Counts{}, fmt.Errorf("prepare: %w", err)
	}
	answer, err := open(ctx, new(http.Client), j.Page(1))
	if err != nil {
		return Counts{}, err
	}
	defer func() { err = errors.Join(err, answer.Body.Close()) }()
	rows, _, err := body.NewRows(answer.Body, dataset.Fields(j.Resource))
	if err != nil {
		return Counts{}, fmt.Errorf("read an export: %w", err)
	}
	groups := make(chan [][]byte, 1)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(groups)
		return cut(ctx, rows, groups)
	})
	lanes := j.lanes()
	for i := range lanes {
		group.Go(func() error { return lanes[i].lines(ctx, normalizer, groups) })
	}
	err = group.Wait()
	return sum(lanes), err //nolint:wrapcheck // what fails says where
}

// cut gives lines in groups, each line as a record's bytes.
func cut(ctx context.Context, rows *body.Rows, groups chan<- [][]byte) error {
	for {
		lines := make([][]byte, 0, groupLines)
		for len(lines) < groupLines {
			line, err := rows.Next()
			if errors.Is(err, io.EOF) {
				return send(ctx, groups, lines)
			}
			if err != nil {
				return fmt.Errorf("read a line: %w", err)
			}
			lines = append(lines, line)
		}
		if err := send(ctx, groups, lines); err != nil {
			return err
		}
	}
}

// lines loads groups of lines until there are no more.
func (l *lane) lines(ctx context.Context, normalizer *record.Normalizer, groups <-chan [][]byte) error {
	for lines := range groups {
		for _, line := range lines {
			record, err := normalizer.Record(line)
			if err != nil {
				return fmt.Errorf("read a line: %w", err)
			}
			l.waiting = append(l.waiting, record)
		}
		if err := l.load(ctx); err != nil {
			return err
		}
	}
	return nil
}
