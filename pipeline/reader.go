package pipeline

import (
	"context"
	"fmt"

	"sluice/schema"
)

// reader is one way of reading. The ways are a closed set: a list by pages, an
// export, one of these for each parent, and single records.
type reader interface {
	// step asks upstream at most once, as the scan says, takes the answer into the
	// scan and gives the unit to load with it.
	step(ctx context.Context, scan *Scan) (Unit, error)
}

// reader chooses the way by the stream's declaration.
func (c *chunk) reader() (reader, error) {
	stream := c.claim.Stream
	_, perParent := stream.Resource.Cursor.(schema.PerParent)
	if c.runner.Backlog == nil && (perParent || stream.Work == WorkDetails) {
		return nil, fmt.Errorf("prepare %s: nobody says what it reads next: the runner has no backlog", stream)
	}
	if stream.Work == WorkDetails {
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

// listCursor is how the list is read, or that of each parent.
func listCursor(resource *schema.Resource) schema.Cursor {
	if parents, ok := resource.Cursor.(schema.PerParent); ok {
		return parents.List
	}
	return resource.Cursor
}

// pages reads a list page by page, or what comes in one answer as its only page.
type pages struct{ *chunk }

func (p pages) step(ctx context.Context, scan *Scan) (Unit, error) {
	ask := p.ask(scan)
	page, err := p.runner.Source.Page(ctx, ask)
	if err != nil {
		return Unit{}, err
	}
	scan.Spent++
	begin(scan, page.Date, p.runner.Now())
	unit := p.unit(page, scan.Parent)
	unit.End = scan.advance(p.look(&unit, page, ask, scan.Mode), p.runner.Rules)
	return unit, nil
}

// export streams one body. Groups are loaded as they come: each row is true by
// itself. That the body was whole is known only at its end, and only then does
// the mark move.
type export struct{ *chunk }

func (e export) step(ctx context.Context, scan *Scan) (Unit, error) {
	scan.Seen = 0
	scan.Spent++
	call := int64(0)
	err := e.runner.Source.Export(ctx, e.ask(scan), func(page Page) error {
		if call != 0 && call != page.Call {
			scan.Spent++ // the body went on in another one
		}
		call = page.Call
		begin(scan, page.Date, e.runner.Now())
		scan.Seen += int64(len(page.Records))
		if len(page.Records) == 0 {
			return nil
		}
		unit := e.unit(page, scan.Parent)
		unit.Position = Position{Mark: e.position.Mark, Scan: scan}
		_, err := e.runner.Store.Load(ctx, unit)
		return err
	})
	if err != nil {
		return Unit{}, err
	}
	end := &End{Outcome: OutcomeDone}
	// Of one parent nobody knows whether its list was ever more than empty.
	if scan.Seen == 0 && !e.position.Mark.IsZero() && scan.Parent == "" {
		end = &End{Outcome: OutcomeProvisional, Note: "the export came back empty after one that was not"}
	}
	return Unit{Claim: e.claim, End: end}, nil
}
