package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"sluice/cmd/sluice/cli/view"
)

const megabyte = 1 << 20

// measureMemory copies all resources of a small and a large company and prints the
// peak memory of both: it should not depend on the size.
func measureMemory(ctx context.Context, s *stage, p plan, out io.Writer) error {
	if err := say(out, "\nPeak memory of a first sync of all resources, 8 streams at once"); err != nil {
		return err
	}
	var (
		rows  [][]string
		peaks [2]int64
	)
	for i, size := range p.Sizes {
		result, err := s.syncCompany(ctx, size)
		if err != nil {
			return err
		}
		read, written, calls := result.sum()
		peaks[i] = result.peak
		rows = append(rows, []string{
			view.Count(size), view.Count(read), view.Count(written), view.Count(calls), seconds(result.process), seconds(result.cpu),
			rate(written, result.process), fmt.Sprintf("%.1f", float64(result.peak)/megabyte),
		})
	}
	header := []string{"COMPANY", "READ", "WRITTEN", "CALLS", "SECONDS", "CPU S", "WRITTEN/S", "PEAK MB"}
	if err := (view.Printer{Out: out}).Table(header, rows); err != nil {
		return err
	}
	return say(out, "%s records take %.2f times the memory of %s.", view.Count(p.Sizes[1]), float64(peaks[1])/float64(peaks[0]),
		view.Count(p.Sizes[0]))
}

func (s *stage) syncCompany(ctx context.Context, size int) (_ *synced, err error) {
	upstream, err := s.upstream(ctx, size)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, upstream.Stop()) }()
	w, err := s.fresh(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.drop(ctx)) }()
	return w.sync(ctx, upstream, "")
}
