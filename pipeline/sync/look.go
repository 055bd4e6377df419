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
	switch {
	case unfinished.Counting:
		return l.count(ctx, unfinished)
	case len(unfinished.Look.Search) > 0:
		return l.search(ctx, unfinished)
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

// glance holds upstream's count and sums against the rows of a list that has no filter, and reads the
// pages that differ. What that does not settle, and a list that fits a page, the same run reads whole.
func (p pages) glance(ctx context.Context, unfinished *pipeline.Scan) (pipeline.Batch, error) {
	batch, asked := pipeline.Batch{Claim: p.claim}, unfinished.Counting
	if unfinished.Look == nil {
		rows, most, err := p.runner.Ranks.Extent(ctx, p.claim.Stream)
		if err != nil {
			return batch, fmt.Errorf("ranks of %s: %w", p.claim.Stream, err)
		}
		if rows > p.runner.Rules.PerPage {
			scan.BeginLook(unfinished, rows, most)
		}
	}
	if unfinished.Look != nil {
		var err error
		if batch, err = look(p).step(ctx, unfinished); err != nil {
			return batch, err
		}
	}
	switch {
	case !scan.Stands(unfinished, batch.End):
		scan.ReadWhole(unfinished, p.claim, p.runner.Rules)
		batch.End = nil
	case asked && batch.End != nil:
		batch.Count = unfinished.Count
	}
	return batch, nil
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

// count compares what upstream counts with the rows. That tells whether there is anything to look
// for, and how.
func (l look) count(ctx context.Context, unfinished *pipeline.Scan) (pipeline.Batch, error) {
	batch, _, page, err := l.chunk.count(ctx, unfinished)
	page.Turn.End()
	if err != nil || unfinished.Count == nil || unfinished.Counting {
		return batch, err
	}
	known, err := l.runner.Ranks.Known(ctx, l.claim, *unfinished.Count)
	if err != nil {
		return pipeline.Batch{}, fmt.Errorf("count the rows of %s: %w", l.claim.Stream, err)
	}
	batch.End = scan.Search(unfinished, known, &l.claim)
	return batch, nil
}

// search halves the part of the list in which upstream and the rows differ, or reads it if it fits a
// page.
func (l look) search(ctx context.Context, unfinished *pipeline.Scan) (pipeline.Batch, error) {
	stream, axis, part := l.claim.Stream, scan.AxisOf(&l.claim), scan.NextPart(unfinished)
	request := l.request(unfinished)
	request.Page, request.PerPage = 1, l.runner.Rules.PerPage
	fits, cut, rows := scan.Fits(part, request.PerPage), part.From, pipeline.Tally{}
	if !fits {
		var err error
		if cut, rows, err = l.runner.Ranks.Halve(ctx, stream, axis, part); err != nil {
			return pipeline.Batch{}, fmt.Errorf("halve a part of %s: %w", stream, err)
		}
		request.Counts, request.Sums = true, len(part.Listed.Sums) > 0
	}
	switch axis {
	case pipeline.AxisDay:
		if request.From = cut; fits && !part.To.IsZero() {
			request.To = part.To.AddDate(0, 0, -1)
		}
	case pipeline.AxisModified:
		request.Since, request.Sort, request.Order = cut, stream.Resource.Modified(), "A"
	case pipeline.AxisNone:
	}
	batch := pipeline.Batch{Claim: l.claim}
	if !fits && cut.IsZero() {
		batch.End = scan.Undivided()
		return batch, nil
	}
	page, err := l.runner.Source.Page(ctx, request)
	if refused := pipeline.KindOf(err) == pipeline.Unexpected; err != nil && !refused {
		return pipeline.Batch{}, err
	} else if unfinished.Spent++; refused {
		batch.End = scan.Undivided()
		return batch, nil
	}
	switch {
	case fits && axis == pipeline.AxisModified && (page.Sort != request.Sort || page.Order != request.Order):
		page.Turn.End() // the filter has no upper bound: without the order, the part may be on any page
		batch.End = scan.Undivided()
		return batch, nil
	case fits:
		batch, err = l.batch(ctx, page, "")
		batch.Listed = true
		doubt(unfinished, &batch)
		batch.End = scan.ReadPart(unfinished)
		return batch, err
	}
	page.Turn.End()
	batch.Call, batch.End = page.Call, scan.Halve(unfinished, cut, rows, page)
	return batch, nil
}
