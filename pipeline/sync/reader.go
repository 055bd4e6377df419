package sync

import (
	"context"
	"errors"
	"fmt"

	"sluice/pipeline"
	"sluice/pipeline/sync/scan"
	"sluice/schema"
)

// reader is one way of reading. The ways are a closed set: a list by pages, an
// export, one of these for each parent, and single records.
type reader interface {
	// step takes one answer of upstream at most, the one that the scan asks for, into the
	// scan and gives the unit to load with it.
	step(ctx context.Context, scan *pipeline.Scan) (pipeline.Unit, error)
}

// reader chooses the way by the stream's declaration.
func (c *chunk) reader() (reader, error) {
	stream := c.claim.Stream
	_, perParent := stream.Resource.Cursor.(schema.PerParent)
	if c.runner.Backlog == nil && (perParent || stream.Work == pipeline.WorkDetails) {
		return nil, fmt.Errorf("prepare %s: nobody says what it reads next: the runner has no backlog", stream)
	}
	if stream.Work == pipeline.WorkDetails {
		return newDetails(c), nil
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

// pages reads a list page by page, or what comes in one answer as its only page. Where
// that is safe, further pages are under way meanwhile; they are taken in their order.
type pages struct{ *chunk }

func (p pages) step(ctx context.Context, unfinished *pipeline.Scan) (pipeline.Unit, error) {
	ask, asked := p.ask(unfinished), p.runner.Now()
	page, before, err := p.ahead.Take(ctx, ask, min(scan.Ahead(unfinished, ask.Stream.Resource.Paging, p.mostAhead()), p.room()))
	unfinished.Spent += p.ahead.Wasted()
	if err != nil {
		return pipeline.Unit{}, err
	}
	unfinished.Spent++
	unfinished.Ahead = unfinished.Ahead || before
	scan.Begin(unfinished, page.Date, asked)
	unit, err := p.unit(ctx, page, unfinished.Parent)
	if err != nil {
		return pipeline.Unit{}, err
	}
	doubt(unfinished, &unit)
	was := *unfinished
	unit.End = scan.Advance(unfinished, ask, page, &unit, p.runner.Rules)
	unit.Listed = true
	unit.Observed = scan.Observed(&was, unfinished, &page, unit.End, p.claim.Capabilities)
	prove(unfinished, p.claim.Stream, unit.End)
	if unit.End != nil || !p.ahead.Holds(p.ask(unfinished)) {
		p.ahead.Drop() // at once: what has not left yet need not leave any more
	}
	return unit, nil
}

// export streams one body. Groups are loaded as they come: each row is true by
// itself. That the body was whole is known only at its end, and only then does
// the mark move.
type export struct{ *chunk }

func (e export) step(ctx context.Context, unfinished *pipeline.Scan) (pipeline.Unit, error) {
	unfinished.Seen = 0
	unfinished.Spent++
	call, asked := int64(0), e.runner.Now()
	var flooded *pipeline.End
	err := e.runner.Source.Export(ctx, e.ask(unfinished), func(page pipeline.Page) error {
		if call != 0 && call != page.Call {
			unfinished.Spent++ // the body went on in another one
		}
		call = page.Call
		scan.Begin(unfinished, page.Date, asked)
		unfinished.Seen += int64(len(page.Records))
		if len(page.Records) == 0 {
			return nil
		}
		unit, err := e.unit(ctx, page, unfinished.Parent)
		if err != nil {
			return err
		}
		doubt(unfinished, &unit)
		unit.Position = pipeline.Position{Mark: e.position.Mark, Scan: unfinished}
		loaded, err := e.runner.Store.Load(ctx, unit)
		if err != nil || len(unit.Rejects)+loaded.Rejected == 0 {
			return err
		}
		if flooded, err = e.flooded(ctx); flooded != nil {
			err = errFlooded // which ends the call
		}
		return err
	})
	if flooded != nil && errors.Is(err, errFlooded) {
		return pipeline.Unit{Claim: e.claim, End: flooded}, nil
	}
	if err != nil {
		return pipeline.Unit{}, err
	}
	end := &pipeline.End{Outcome: pipeline.OutcomeDone}
	// Of one parent nobody knows whether its list was ever more than empty.
	if unfinished.Seen == 0 && !e.position.Mark.IsZero() && unfinished.Parent == "" {
		end = &pipeline.End{Outcome: pipeline.OutcomeProvisional, Note: "the export came back empty after one that was not"}
	}
	return pipeline.Unit{Claim: e.claim, End: end}, nil
}
