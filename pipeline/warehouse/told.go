package warehouse

import (
	"context"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/channels"
	"sluice/pipeline/warehouse/hints"
	"sluice/pipeline/warehouse/streams"
)

// Observer is told what became of change notifications, after the transaction is committed.
type Observer interface {
	// Answered says that a change of which a hint told is in the warehouse, and how long after the
	// first callback.
	Answered(took time.Duration)
	// Unannounced says that a scheduled run of a list found changes of which no callback told.
	Unannounced(list pipeline.Key, changes int)
}

// observe tells the observer what committed batches did.
func (db *DB) observe(ctx context.Context, done []*loadingBatch) {
	if db.observer == nil {
		return
	}
	var told []time.Time
	for _, l := range done {
		told = append(told, l.told...)
		if l.unannounced > 0 {
			db.observer.Unannounced(l.batch.Claim.Stream.ListKey(), l.unannounced)
		}
	}
	var now time.Time
	if len(told) == 0 || db.pool.QueryRow(ctx, `SELECT clock_timestamp()`).Scan(&now) != nil {
		return // what was committed stays, only a figure is missing
	}
	for _, at := range told {
		db.observer.Answered(now.Sub(at))
	}
}

// Telling is how change notifications arrive.
type Telling struct {
	Channels []channels.Channel
	Gaps     []channels.GapSum
	// Callbacks are the last ones of each channel, and the last test callback of each organization.
	Callbacks []hints.Told
	Shares    []streams.Announced
}

// Telling reads how change notifications of all organizations arrive.
func (db *DB) Telling(ctx context.Context) (Telling, error) {
	var t Telling
	var err error
	store := channels.New(db.pool)
	if t.Channels, err = store.Channels(ctx, ""); err == nil {
		t.Gaps, err = store.GapSums(ctx)
	}
	if err == nil {
		t.Callbacks, err = hints.NewInbox(db.pool).LastTold(ctx)
	}
	if err == nil {
		t.Shares, err = db.Announced(ctx)
	}
	return t, err
}
