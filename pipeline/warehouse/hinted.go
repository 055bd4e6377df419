package warehouse

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/hints"
	"sluice/pipeline/warehouse/postgres"
)

// hintsAtOnce is how many hints one tick takes.
const hintsAtOnce = 5000

// HintAnswer says how the hints of a resource are answered: by single records (WorkHinted) or by
// the list (WorkList), after a pause where the list ran just now. Unknown says that this process
// does not know the resource.
type HintAnswer struct {
	Work    pipeline.Work
	Pause   time.Duration
	Unknown bool
}

// RequestHinted requests runs of the streams that answer the hints whose pause is over, in the
// caller's transaction. A stream that is being written to is left to the next tick.
func (db *DB) RequestHinted(ctx context.Context, tx pgx.Tx, answer func(hints.Due) HintAnswer) error {
	due, err := hints.TakeDue(ctx, tx, hintsAtOnce)
	if err != nil || len(due) == 0 {
		return err
	}
	queue := new(pgx.Batch)
	var keys []pipeline.Key
	ask := make(map[pipeline.Key]func(), len(due))
	for i := range due {
		d := &due[i]
		switch given := answer(*d); {
		case given.Unknown:
			hints.QueuePostpone(queue, d)
		case given.Work == pipeline.WorkList && given.Pause > 0:
			hints.QueueList(queue, d.Key, d.Records, given.Pause)
		case given.Work == pipeline.WorkList:
			keys = append(keys, d.Key)
			ask[d.Key] = func() { hints.QueueList(queue, d.Key, d.Records, 0) }
		default:
			key := d.Key
			key.Resource += "." + string(pipeline.WorkHinted)
			keys = append(keys, key)
			ask[key] = func() { hints.QueueRequested(queue, d.Key, d.Records) }
		}
	}
	asked, err := db.RequestTold(ctx, tx, keys)
	if err != nil {
		return err
	}
	for _, key := range asked {
		ask[key]()
	}
	return postgres.Fail("answering hints", tx.SendBatch(ctx, queue).Close())
}
