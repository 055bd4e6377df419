package sync

import (
	"context"
	"fmt"

	"sluice/pipeline"
	"sluice/pipeline/sync/scan"
)

// ask asks how many records the list has. If upstream answers a page instead, a reading of the whole
// list takes it as its first one. A run that reads what changed does not: nothing was filtered. A
// refusal ends no run: the list is then read as if there were no counts.
func (p pages) ask(ctx context.Context, unfinished *pipeline.Scan) (pipeline.Batch, error) {
	request, asked := p.request(unfinished), p.runner.Now()
	page, err := p.runner.Source.Page(ctx, request)
	unfinished.Counting = false
	switch {
	case pipeline.KindOf(err) == pipeline.Unexpected:
		unfinished.Spent++
		return pipeline.Batch{Claim: p.claim, Observed: []pipeline.Verdict{scan.Uncounted(err)}}, nil
	case err != nil:
		return pipeline.Batch{}, err
	}
	unfinished.Spent++
	scan.Begin(unfinished, page.Date, asked)
	if page.Counted || !unfinished.Bound.IsZero() {
		page.Turn.End()
		batch := pipeline.Batch{Claim: p.claim, Call: page.Call}
		if page.Counted {
			scan.Counted(unfinished, page, p.runner.Rules)
		} else {
			batch.Observed = []pipeline.Verdict{scan.Uncounted(nil)}
		}
		return batch, nil
	}
	batch, err := p.take(ctx, unfinished, request, page)
	batch.Observed = append(batch.Observed, scan.Uncounted(nil))
	return batch, err
}

// judge ends a whole reading by comparing it with the count, or begins another one.
func (p pages) judge(ctx context.Context, unfinished *pipeline.Scan) (pipeline.Batch, error) {
	if err := p.writeBehind.Flush(); err != nil {
		return pipeline.Batch{}, err
	}
	seen, err := p.runner.Ranks.Seen(ctx, p.claim, *unfinished.Count)
	if err != nil {
		return pipeline.Batch{}, fmt.Errorf("count the records of %s: %w", p.claim.Stream, err)
	}
	batch := pipeline.Batch{Claim: p.claim, Count: unfinished.Count}
	batch.End, batch.Observed = scan.Judge(unfinished, seen, &p.claim, p.runner.Rules)
	prove(unfinished, p.claim.Stream, batch.End)
	return batch, nil
}
