package sync

import (
	"context"
	"fmt"

	"sluice/pipeline"
	"sluice/pipeline/sync/scan"
)

// count asks how many records the list has, or what their columns sum up to. Where the number comes,
// the next question may be for the sums; where an answer with sums fails, for the number alone. A
// refusal ends no run: the list is then read as if there were no counts.
func (c *chunk) count(ctx context.Context, unfinished *pipeline.Scan) (pipeline.Batch, pipeline.Request, pipeline.Page, error) {
	request, asked := c.request(unfinished), c.runner.Now()
	batch := pipeline.Batch{Claim: c.claim}
	page, err := c.runner.Source.Page(ctx, request)
	switch {
	case err == nil:
		batch.Call = page.Call
		scan.Begin(unfinished, page.Date, asked)
	case pipeline.KindOf(err) != pipeline.Unexpected:
		return batch, request, page, err
	}
	unfinished.Spent++
	unfinished.Counting, unfinished.Summing = false, false
	if page.Counted {
		page.Turn.End()
		scan.Counted(unfinished, page, c.runner.Rules)
	}
	switch {
	case !page.Counted || request.Sums && len(page.Tally.Sums) == 0:
		batch.Observed = []pipeline.Verdict{scan.Uncounted(request, err)}
		unfinished.Counting = request.Sums && unfinished.Count == nil
	case !request.Sums && scan.Sums(&c.claim):
		unfinished.Counting, unfinished.Summing = true, true
	}
	return batch, request, page, nil
}

// ask asks for the count of the list. If upstream answers a page instead, a reading of the whole
// list takes it as its first one. A run that reads what changed does not: nothing was filtered.
func (p pages) ask(ctx context.Context, unfinished *pipeline.Scan) (pipeline.Batch, error) {
	batch, request, page, err := p.count(ctx, unfinished)
	if err != nil || page.Counted || page.Call == 0 || request.Sums || !unfinished.Bound.IsZero() {
		page.Turn.End()
		return batch, err
	}
	taken, err := p.take(ctx, unfinished, request, page)
	taken.Observed = append(taken.Observed, batch.Observed...)
	return taken, err
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
	halved := 0
	if scan.Doubtful(unfinished.Count, seen) && !unfinished.Differed { // else it was asked
		if halved, err = p.halves(ctx, unfinished); err != nil {
			return pipeline.Batch{}, err
		}
	}
	batch := pipeline.Batch{Claim: p.claim, Count: unfinished.Count}
	batch.End, batch.Observed = scan.Judge(unfinished, seen, halved, &p.claim, p.runner.Rules)
	prove(unfinished, p.claim.Stream, batch.End)
	return batch, nil
}

// halves asks how many records the two halves of the list have, before a day and from it on. It is 0
// where no filter tells that. If a half has as many as the list, the filter may be none; then nothing
// may be listed in a hundred years.
func (p pages) halves(ctx context.Context, unfinished *pipeline.Scan) (int, error) {
	const century = 100
	if scan.AxisOf(&p.claim) != pipeline.AxisDay {
		return 0, nil
	}
	cut, _, err := p.runner.Ranks.Halve(ctx, p.claim.Stream, pipeline.AxisDay, pipeline.Part{})
	if err != nil || cut.IsZero() {
		return 0, err
	}
	early := p.request(unfinished)
	early.Page, early.Counts, early.Sums = 1, true, false
	late, none := early, early
	early.To, late.From, none.From = cut.AddDate(0, 0, -1), cut, cut.AddDate(century, 0, 0)
	records := 0
	for _, part := range []pipeline.Request{early, late} {
		n, err := p.counted(ctx, unfinished, part)
		if err != nil || n < 0 {
			return 0, err
		}
		if n == unfinished.Count.Records {
			if none, err := p.counted(ctx, unfinished, none); err != nil || none != 0 {
				return 0, err
			}
		}
		records += n
	}
	return records, nil
}

// counted is how many records upstream counts, -1 if it does not say.
func (p pages) counted(ctx context.Context, unfinished *pipeline.Scan, request pipeline.Request) (int, error) {
	page, err := p.runner.Source.Page(ctx, request)
	page.Turn.End()
	switch unfinished.Spent++; {
	case pipeline.KindOf(err) == pipeline.Unexpected, err == nil && !page.Counted:
		return -1, nil
	default:
		return page.Tally.Records, err
	}
}
