package sync

import (
	"context"
	"fmt"

	"sluice/pipeline"
	"sluice/pipeline/sync/scan"
)

// look reads the pages of a list that show which rows are missing. Package scan says which pages
// these are. It moves no watermark and is no scan of the whole list.
type look struct{ *chunk }

func newLook(c *chunk) (reader, error) {
	if c.runner.Ranks == nil {
		return nil, fmt.Errorf("prepare %s: the runner has no ranks to say where rows stand", c.claim.Stream)
	}
	return look{c}, nil
}

func (l look) step(ctx context.Context, unfinished *pipeline.Scan) (pipeline.Batch, error) {
	stream := l.claim.Stream
	if unfinished.Look == nil {
		rows, most, err := l.runner.Ranks.Extent(ctx, stream)
		if err != nil {
			return pipeline.Batch{}, fmt.Errorf("ranks of %s: %w", stream, err)
		}
		if rows == 0 {
			return pipeline.Batch{Claim: l.claim, End: &pipeline.End{Outcome: pipeline.OutcomeDone}}, nil
		}
		scan.BeginLook(unfinished, rows, most)
	}
	scan.Aim(unfinished, l.runner.Rules)
	request, asked := l.request(unfinished), l.runner.Now()
	request.Sort, request.Order = stream.Resource.Created(), "A"
	page, err := l.runner.Source.Page(ctx, request)
	if err != nil {
		return pipeline.Batch{}, err
	}
	unfinished.Spent++
	scan.Begin(unfinished, page.Date, asked)
	batch, err := l.batch(ctx, page, "")
	if err != nil {
		return pipeline.Batch{}, err
	}
	batch.Listed = true
	doubt(unfinished, &batch)
	window, end := scan.WindowOf(unfinished, request, page, &batch)
	if end == nil {
		end, err = l.compare(ctx, unfinished, window, page.Call)
	}
	batch.End = end
	return batch, err
}

// compare holds the rows against a page.
func (l look) compare(ctx context.Context, unfinished *pipeline.Scan, window scan.Window, call int64) (*pipeline.End, error) {
	before, ids := 0, []string(nil)
	if !window.Empty() {
		var err error
		if before, ids, err = l.runner.Ranks.Between(ctx, l.claim.Stream, window.From.At, window.To.At); err != nil {
			return nil, fmt.Errorf("ranks of %s: %w", l.claim.Stream, err)
		}
	}
	return scan.Compare(unfinished, window, before, ids, call), nil
}
