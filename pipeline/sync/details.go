package sync

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"sluice/pipeline"
	"sluice/pipeline/sync/scan"
	"sluice/schema/record"
)

// maxUnknown bounds how many identifiers in a row may be unknown upstream before the run leaves the
// rest to the next run. Such calls bring nothing, and where the path is wrong all of them are
// unknown.
const maxUnknown = 20

// CodeUnreadable is the quarantine's code for a single record whose answer could not be read.
const CodeUnreadable = "unreadable_answer"

// details reads single records: those of rows whose list record was a header, or those of which
// change notifications told. It moves no watermark, which belongs to the list (invariant 1).
type details struct {
	*chunk

	// most is how many identifiers a call takes, batched says that it takes several by declaration.
	// suspects is the number of identifiers at the head of the queue among which one caused an
	// unreadable answer.
	most, suspects int
	batched        bool
	queue          []string
	left           int
	// rejectedRecords counts, in a row, single identifiers whose answer could not be read.
	rejectedRecords int
}

func newDetails(c *chunk) *details {
	resource := c.claim.Stream.Resource
	return &details{
		chunk: c, most: max(resource.SinglesAtOnce(), 1),
		batched: resource.Details != nil && resource.Details.Batch != nil,
	}
}

func (d *details) step(ctx context.Context, unfinished *pipeline.Scan) (pipeline.Batch, error) {
	if err := d.fill(ctx, unfinished.Done); err != nil {
		return pipeline.Batch{}, err
	}
	if unfinished.Total == 0 {
		unfinished.Total = d.left
	}
	// What is added to the backlog during the run is left to the next run.
	if len(d.queue) == 0 || unfinished.Done >= unfinished.Total || unfinished.Stuck >= maxUnknown || d.spent(unfinished) {
		return pipeline.Batch{Claim: d.claim, End: d.end(unfinished)}, nil
	}
	ids := d.queue[:min(d.size(), len(d.queue))]
	control, err := d.control(ctx, ids)
	if err != nil {
		return pipeline.Batch{}, err
	}
	ids, all := withControl(ids, control, d.most)
	asked := d.runner.Now()
	page, err := d.runner.Source.Details(ctx, d.request(unfinished), all)
	unfinished.Spent++
	if err != nil {
		return d.skipUnreadable(unfinished, ids, control, err)
	}
	scan.Begin(unfinished, page.Date, asked)
	unfinished.Stuck += len(ids)
	if len(page.Records) > 0 {
		unfinished.Stuck = 0
	}
	d.rejectedRecords, d.suspects = 0, max(d.suspects-len(ids), 0)
	d.through(unfinished, ids)
	return d.complete(ctx, page, all, control)
}

// end ends the run. Hints that are left do not wait for the interval: upstream told of them.
func (d *details) end(unfinished *pipeline.Scan) *pipeline.End {
	end := endOf(unfinished, "details fetched", d.left)
	if d.claim.Stream.Work == pipeline.WorkHinted && d.left > 0 {
		end.Again = pipeline.AgainHinted
	}
	return end
}

// size is how many identifiers the next call is given: half of the suspects, until the faulty one
// is alone. The call after it takes one again, which shows whether it was the only faulty one.
func (d *details) size() int {
	switch {
	case d.suspects > 1:
		return d.suspects / 2
	case d.suspects == 1 || d.rejectedRecords > 0:
		return 1
	default:
		return d.most
	}
}

// fill takes as many identifiers from the backlog as the chunk can still ask for when the queue is
// empty, since the database puts the whole backlog in order each time. A chunk goes on at the place
// where the one before it stopped, and each run begins at another place. So short ones reach every
// place, too.
func (d *details) fill(ctx context.Context, done int) error {
	if len(d.queue) > 0 {
		return nil
	}
	ids, left, err := d.runner.Backlog.Pending(ctx, d.claim.Stream, int(d.claim.Run)+done, d.most*(d.room()+1))
	if err != nil {
		return fmt.Errorf("backlog of %s: %w", d.claim.Stream, err)
	}
	d.queue, d.left = ids, left
	return nil
}

// through takes the first identifiers of the queue as done, whatever the result.
func (d *details) through(scan *pipeline.Scan, ids []string) {
	d.queue = d.queue[len(ids):]
	d.left -= len(ids)
	scan.Done += len(ids)
}

// complete makes the batch of an answer: records, those that do not fit, and the identifiers that
// upstream does not know.
func (d *details) complete(ctx context.Context, page pipeline.Page, ids []string, control string) (pipeline.Batch, error) {
	batch, err := d.batch(ctx, page, "")
	if err != nil {
		return batch, err
	}
	// Where lists show whole records, a single record is loaded as one of a list.
	batch.Details, batch.Unknown = d.claim.Stream.Resource.Details != nil, page.Unknown
	if d.batched {
		batch.Unknown = believable(&batch, control)
	}
	answered := make(map[string]bool, len(ids))
	for i := range batch.Records {
		answered[batch.Records[i].ID] = true
	}
	for i := range batch.Rejected {
		if len(ids) == 1 {
			batch.Rejected[i].ID = ids[0]
		}
		answered[batch.Rejected[i].ID] = true
	}
	for _, id := range ids {
		if !answered[id] {
			batch.Missing = append(batch.Missing, id)
		}
	}
	return batch, nil
}

// skipUnreadable finds the identifier whose answer cannot be read and goes on without it: one
// poisoned record must not hold up the others. Several in a row point at the service, not at a
// record: they stop the run, as does any other error.
func (d *details) skipUnreadable(scan *pipeline.Scan, ids []string, control string, err error) (pipeline.Batch, error) {
	failure, ok := errors.AsType[*pipeline.Error](err)
	if !ok || failure.Kind != pipeline.Unexpected {
		return pipeline.Batch{}, err
	}
	batch := pipeline.Batch{Claim: d.claim, Details: d.claim.Stream.Resource.Details != nil}
	if len(ids) > 1 || control != "" { // the next calls go without a control, which may be the faulty one
		d.suspects = len(ids)
		return batch, nil
	}
	if d.rejectedRecords++; d.rejectedRecords >= maxRejected {
		return pipeline.Batch{}, err
	}
	// There is no record to keep, so the raw text says that (invariant 4).
	batch.Rejected = []pipeline.RejectedRecord{{
		Raw: []byte("no record " + ids[0] + ": " + failure.Error()), ID: ids[0], Code: CodeUnreadable, Detail: failure.Text(),
	}}
	scan.Failed++
	scan.Note = failure.Text()
	d.suspects = 0
	d.through(scan, ids)
	return batch, nil
}

// control gives the identifier that rides along with a call for several records, if a scan missed
// some of them; "" if none does. A path that answers emptily proves nothing, so the answer has to
// show a record that upstream knows (invariant 7). While a faulty record is looked for, there is no
// control.
func (d *details) control(ctx context.Context, ids []string) (string, error) {
	if d.most < 2 || d.suspects > 0 {
		return "", nil
	}
	control, err := d.runner.Backlog.Control(ctx, d.claim.Stream, ids)
	if err != nil {
		return "", fmt.Errorf("control of %s: %w", d.claim.Stream, err)
	}
	return control, nil
}

// withControl gives the identifiers of a call that takes at most so many, without and with the
// control. The control comes last: an answer that is cut short lacks it.
//
//nolint:nonamedreturns // the names say which is which
func withControl(ids []string, control string, most int) (without, with []string) {
	if control == "" {
		return ids, ids
	}
	ids = ids[:min(len(ids), most-1)]
	return ids, append(slices.Clone(ids), control)
}

// believable says that an answer is upstream's word about the records that it leaves out: it shows
// the control, and each of its records has an identifier.
func believable(batch *pipeline.Batch, control string) bool {
	nameless := slices.ContainsFunc(batch.Rejected, func(r pipeline.RejectedRecord) bool { return r.ID == "" })
	return !nameless && slices.ContainsFunc(batch.Records, func(r record.Record) bool { return r.ID == control })
}
