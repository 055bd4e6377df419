package run

import (
	"context"
	"fmt"

	"sluice/pipeline"
	"sluice/pipeline/run/passes"
	"sluice/schema"
)

// reader is one way of reading. The ways are a closed set: a list by pages, an
// export, one of these for each parent, and single records.
type reader interface {
	// step asks upstream at most once, as the scan says, takes the answer into the
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

// pages reads a list page by page, or what comes in one answer as its only page.
type pages struct{ *chunk }

func (p pages) step(ctx context.Context, scan *pipeline.Scan) (pipeline.Unit, error) {
	ask := p.ask(scan)
	page, err := p.runner.Source.Page(ctx, ask)
	if err != nil {
		return pipeline.Unit{}, err
	}
	scan.Spent++
	passes.Begin(scan, page.Date, p.runner.Now())
	unit := p.unit(page, scan.Parent)
	unit.End = passes.Advance(scan, ask, page, &unit, p.runner.Rules)
	return unit, nil
}

// export streams one body. Groups are loaded as they come: each row is true by
// itself. That the body was whole is known only at its end, and only then does
// the mark move.
type export struct{ *chunk }

func (e export) step(ctx context.Context, scan *pipeline.Scan) (pipeline.Unit, error) {
	scan.Seen = 0
	scan.Spent++
	call := int64(0)
	err := e.runner.Source.Export(ctx, e.ask(scan), func(page pipeline.Page) error {
		if call != 0 && call != page.Call {
			scan.Spent++ // the body went on in another one
		}
		call = page.Call
		passes.Begin(scan, page.Date, e.runner.Now())
		scan.Seen += int64(len(page.Records))
		if len(page.Records) == 0 {
			return nil
		}
		unit := e.unit(page, scan.Parent)
		unit.Position = pipeline.Position{Mark: e.position.Mark, Scan: scan}
		_, err := e.runner.Store.Load(ctx, unit)
		return err
	})
	if err != nil {
		return pipeline.Unit{}, err
	}
	end := &pipeline.End{Outcome: pipeline.OutcomeDone}
	// Of one parent nobody knows whether its list was ever more than empty.
	if scan.Seen == 0 && !e.position.Mark.IsZero() && scan.Parent == "" {
		end = &pipeline.End{Outcome: pipeline.OutcomeProvisional, Note: "the export came back empty after one that was not"}
	}
	return pipeline.Unit{Claim: e.claim, End: end}, nil
}
