package warehouse

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/channels"
	"sluice/pipeline/warehouse/hints"
	"sluice/pipeline/warehouse/postgres"
)

// hintsAtOnce is how many hints one tick takes.
const hintsAtOnce = 5000

// HintAnswer says how the hints of a resource are answered: by single records (WorkHinted) or by
// the list (WorkList), after a pause where the list ran just now. Deletions is what finds
// deletions: a look, a sweep or the list. Parents says that hints name parents, whose lists are
// read. Unknown says that this process does not know the resource.
type HintAnswer struct {
	Work, Deletions       pipeline.Work
	Pause, DeletionsPause time.Duration
	Parents, Unknown      bool
}

// RequestHinted requests runs of the streams that answer the hints whose pause is over. It returns
// the streams, whose jobs the caller inserts in the same transaction. A stream that is being
// written to is left to the next time.
func (db *DB) RequestHinted(ctx context.Context, tx pgx.Tx, answer func(hints.Due) HintAnswer) ([]pipeline.Key, error) {
	due, err := hints.TakeDue(ctx, tx, hintsAtOnce)
	if err != nil || len(due) == 0 {
		return nil, err
	}
	queue := new(pgx.Batch)
	wanted := make(requests, len(due))
	for i := range due {
		d := &due[i]
		given := answer(*d)
		if given.Unknown {
			hints.QueueStrangers(queue, d)
			continue
		}
		if given.Parents {
			wanted.parents(queue, d, given)
			continue
		}
		wanted.reads(queue, d, given)
		wanted.looks(queue, d, given)
	}
	asked, mayRun, err := db.RequestTold(ctx, tx, slices.Collect(maps.Keys(wanted)))
	if err != nil {
		return nil, err
	}
	for _, key := range asked {
		for _, settle := range wanted[key] {
			settle()
		}
	}
	return mayRun, postgres.Fail("answering hints", tx.SendBatch(ctx, queue).Close())
}

// requests are the streams whose runs are requested, each with what to note about its hints then.
type requests map[pipeline.Key][]func()

func (r requests) add(list pipeline.Key, work pipeline.Work, settle func()) {
	if work != pipeline.WorkList {
		list.Resource += "." + string(work)
	}
	r[list] = append(r[list], settle)
}

// reads answers what changed.
func (r requests) reads(queue *pgx.Batch, d *hints.Due, given HintAnswer) {
	switch {
	case len(d.Records) == 0 && !d.List:
	case given.Work == pipeline.WorkList && given.Pause > 0:
		hints.QueueList(queue, d.Key, d.Records, given.Pause)
	case given.Work == pipeline.WorkList:
		r.add(d.Key, pipeline.WorkList, func() { hints.QueueList(queue, d.Key, d.Records, 0) })
	default:
		r.add(d.Key, given.Work, func() { hints.QueueRequested(queue, d.Key, d.Records) })
	}
}

// parents answers what changed under parents, also if it is said to be gone: each parent has a list
// of its own, so that a run over the lists of all stands for none of them.
func (r requests) parents(queue *pgx.Batch, d *hints.Due, given HintAnswer) {
	if told := slices.Concat(d.Records, d.Deleted); len(told) > 0 {
		r.add(d.Key, given.Work, func() { hints.QueueRequested(queue, d.Key, told) })
	}
	all := []string{""}
	switch {
	case !d.List:
	case given.Pause > 0:
		hints.QueuePostpone(queue, d.Key, all, given.Pause)
	default:
		r.add(d.Key, pipeline.WorkList, func() { hints.QueueRequested(queue, d.Key, all) })
	}
}

// looks answers what is said to be gone. The look finds that out by itself: a hint is no evidence
// (invariant 7).
func (r requests) looks(queue *pgx.Batch, d *hints.Due, given HintAnswer) {
	switch {
	case len(d.Deleted) == 0:
	case given.DeletionsPause > 0:
		hints.QueuePostpone(queue, d.Key, d.Deleted, given.DeletionsPause)
	default:
		r.add(d.Key, given.Deletions, func() { hints.QueueLooked(queue, d.Key, d.Deleted) })
	}
}

// CloseGap notes that notifications of a channel arrive again, all of an organization if it is "".
// If a gap was open, the lists of which nothing could be told are read, and looks for deletions are
// due, in the same transaction.
func (db *DB) CloseGap(ctx context.Context, organization, channel string, lists, looks []pipeline.Stream) error {
	op := "closing a gap of notifications of " + organization
	return db.inTx(ctx, op, func(tx pgx.Tx) error {
		closed, err := channels.CloseGap(ctx, tx, organization, channel)
		if err != nil || !closed {
			return err
		}
		queue, targets := new(pgx.Batch), make(map[hints.Target]string, len(lists))
		for _, list := range lists {
			targets[hints.Target{Service: list.Service.Name, Resource: list.Resource.Name}] = ""
		}
		hints.QueueRemind(queue, organization, targets)
		for _, look := range looks {
			db.QueueDue(queue, pipeline.Occasion{Event: pipeline.Hinted}, look.Key())
		}
		return postgres.Fail(op, tx.SendBatch(ctx, queue).Close())
	})
}
