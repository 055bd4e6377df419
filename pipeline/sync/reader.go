package sync

import (
	"context"
	"errors"
	"fmt"

	"sluice/pipeline"
	"sluice/pipeline/sync/scan"
	"sluice/schema"
)

// reader is one way of reading. The ways are a closed set: a list by pages, an export, one of these
// for each parent, single records, and a look for deletions.
type reader interface {
	// step takes at most one answer of upstream, the one that the scan asks for, into the scan and
	// gives the batch to load with it.
	step(ctx context.Context, scan *pipeline.Scan) (pipeline.Batch, error)
}

// reader chooses the way by the stream's declaration.
func (c *chunk) reader() (reader, error) {
	stream := c.claim.Stream
	_, perParent := stream.Resource.Cursor.(schema.PerParent)
	singles := stream.Work == pipeline.WorkDetails || stream.Work == pipeline.WorkHinted && stream.Resource.ToldByParent() == ""
	if c.runner.Backlog == nil && (perParent || singles) {
		return nil, fmt.Errorf("prepare %s: the runner has no backlog to say what it reads next", stream)
	}
	if singles {
		return newDetails(c), nil
	}
	if stream.Work == pipeline.WorkLook {
		return newLook(c)
	}
	var list reader = pages{c}
	if stream.Resource.Exported() {
		list = export{c}
	}
	if perParent {
		return &parents{chunk: c, list: list}, nil
	}
	return list, nil
}

// pages reads a list page by page; a list in one answer is one page. Where that is safe, further
// pages are under way meanwhile; step takes them in their order.
type pages struct{ *chunk }

func (p pages) step(ctx context.Context, unfinished *pipeline.Scan) (pipeline.Batch, error) {
	switch {
	case unfinished.Mode == pipeline.ModeLook:
		return p.glance(ctx, unfinished)
	case unfinished.Counting:
		return p.ask(ctx, unfinished)
	case unfinished.Count != nil && unfinished.Count.Read:
		return p.judge(ctx, unfinished)
	}
	request, asked := p.request(unfinished), p.runner.Now()
	most := min(scan.Prefetching(unfinished, request.Stream.Resource.Paging, p.mostPrefetched()), p.room())
	following := func(r pipeline.Request) pipeline.Request { return scan.Following(unfinished, r) }
	page, before, err := p.prefetched.Take(ctx, request, most, following)
	unfinished.Spent += p.prefetched.Wasted()
	p.reconsider(err, unfinished)
	switch {
	case pipeline.KindOf(err) == pipeline.Unexpected && !pipeline.Lasting(err) && scan.Retreat(unfinished):
		unfinished.Spent++
		return p.step(ctx, unfinished)
	case err != nil:
		return pipeline.Batch{}, err
	}
	unfinished.Spent++
	unfinished.Prefetched = unfinished.Prefetched || before
	scan.Begin(unfinished, page.Date, asked)
	return p.take(ctx, unfinished, request, page)
}

// take takes a page into the scan.
func (p pages) take(ctx context.Context, unfinished *pipeline.Scan, request pipeline.Request, page pipeline.Page) (pipeline.Batch, error) {
	batch, err := p.batch(ctx, page, unfinished.Parent)
	if err != nil {
		return pipeline.Batch{}, err
	}
	doubt(unfinished, &batch)
	scan.Unread(unfinished, p.claim.Stream, &batch)
	was := *unfinished
	batch.End = scan.Advance(unfinished, request, page, &batch, p.runner.Rules)
	batch.Listed = true
	batch.Observed = scan.Observed(&was, unfinished, &page, batch.End, p.claim.Capabilities)
	scan.Settle(unfinished, &batch)
	prove(unfinished, p.claim.Stream, batch.End)
	if batch.End != nil || !p.prefetched.Holds(p.request(unfinished)) {
		p.prefetched.Drop() // at once: calls that have not left yet are saved
	}
	return batch, nil
}

// reconsider takes the mark of a lasting error away where the list was read before: the declaration
// fitted it, so that an answer without the declared key may be a passing fault. It passes within
// one attempt; a key that lacks in the next one, too, has turned wrong.
func (c *chunk) reconsider(err error, scan *pipeline.Scan) {
	failure, ok := errors.AsType[*pipeline.Error](err)
	if ok && failure.Lasting && (!scan.Started.IsZero() || !c.claim.Position.Watermark.IsZero() && !c.claim.Failing) {
		failure.Lasting = false
	}
}

// export streams one body. Groups of records are loaded as they arrive: each row is true by itself.
// Only the end of the body shows that it was whole, and only then the watermark moves.
type export struct{ *chunk }

func (e export) step(ctx context.Context, unfinished *pipeline.Scan) (pipeline.Batch, error) {
	unfinished.Seen = 0
	unfinished.Spent++
	call, asked := int64(0), e.runner.Now()
	var flooded *pipeline.End
	err := e.runner.Source.Export(ctx, e.request(unfinished), func(page pipeline.Page) error {
		if call != 0 && call != page.Call {
			unfinished.Spent++ // the body went on in another call
		}
		call = page.Call
		scan.Begin(unfinished, page.Date, asked)
		unfinished.Seen += int64(len(page.Records))
		if len(page.Records) == 0 {
			return nil
		}
		batch, err := e.batch(ctx, page, unfinished.Parent)
		if err != nil {
			return err
		}
		doubt(unfinished, &batch)
		batch.Position = pipeline.Position{Watermark: e.position.Watermark, Scan: unfinished}
		loaded, err := e.runner.Store.Load(ctx, batch)
		if err != nil || len(batch.Rejected)+loaded.Rejected == 0 {
			return err
		}
		if flooded, err = e.flooded(ctx); flooded != nil {
			err = errFlooded // ends the call
		}
		return err
	})
	if flooded != nil && errors.Is(err, errFlooded) {
		return pipeline.Batch{Claim: e.claim, End: flooded}, nil
	}
	if err != nil {
		return pipeline.Batch{}, err
	}
	end := &pipeline.End{Outcome: pipeline.OutcomeDone, Proof: pipeline.ProofBody}
	// Under a parent, an empty export is plausible: whether that list ever had records is unknown.
	if unfinished.Seen == 0 && !e.position.Watermark.IsZero() && unfinished.Parent == "" {
		end = &pipeline.End{Outcome: pipeline.OutcomeProvisional, Note: "the export came back empty after one that was not"}
	}
	return pipeline.Batch{Claim: e.claim, End: end}, nil
}
