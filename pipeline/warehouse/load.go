package warehouse

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/capabilities"
	"sluice/pipeline/warehouse/erasures"
	"sluice/pipeline/warehouse/hints"
	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/quarantine"
	"sluice/pipeline/warehouse/rows"
	"sluice/pipeline/warehouse/streams"
	"sluice/pipeline/warehouse/streams/backfills"
	"sluice/pipeline/warehouse/tombstones"
	"sluice/schema/record"
)

// Load implements sync.Store. One transaction holds the records, the rejected records, drift,
// counts, the position, the end of the run and the job's outcome (invariant 2). First that is one
// transaction for all batches. If the server refuses it, each batch gets a transaction of its own,
// and those before the refused one stay loaded. Load returns pipeline.ErrLostClaim, and writes
// nothing, if the claim is no longer valid (invariant 6). After an error that may have come after
// the commit, claim the stream again: the claim holds the position.
func (db *DB) Load(ctx context.Context, batches ...pipeline.Batch) (pipeline.Loaded, error) {
	loaded, err := db.loadTogether(ctx, batches)
	// A batch locks its rows in key order, several batches in one transaction do not. So they can
	// deadlock with a batch of single records.
	if !postgres.Refused(err) || len(batches) == 1 && !postgres.Deadlocked(err) {
		return loaded, err
	}
	var sum pipeline.Loaded
	for i := range batches {
		loaded, err := db.loadTogether(ctx, batches[i:i+1])
		for tries := 1; postgres.Deadlocked(err) && tries < deadlockTries; tries++ {
			loaded, err = db.loadTogether(ctx, batches[i:i+1])
		}
		if err != nil {
			return sum, err
		}
		sum.Add(loaded)
	}
	return sum, nil
}

// deadlockTries is how often a batch is loaded by itself when the server ends its transaction to
// resolve a deadlock. The other transaction may wake up later than this one comes back, which then
// takes the same row again and is ended again.
const deadlockTries = 3

// loadTogether loads batches in one transaction.
func (db *DB) loadTogether(ctx context.Context, batches []pipeline.Batch) (pipeline.Loaded, error) {
	var sum pipeline.Loaded
	var done []*loadingBatch
	err := db.inTx(ctx, "loading "+batches[0].Claim.Stream.String(), func(tx pgx.Tx) error {
		for i := range batches {
			l := &loadingBatch{db: db, tx: tx, batch: batches[i]}
			if err := l.load(ctx); err != nil {
				return err
			}
			sum.Add(l.loaded)
			done = append(done, l)
		}
		return nil
	})
	if err != nil {
		return pipeline.Loaded{}, err
	}
	db.observe(ctx, done)
	return sum, nil
}

// loadingBatch is one batch while it is loaded.
type loadingBatch struct {
	db    *DB
	tx    pgx.Tx
	batch pipeline.Batch
	// row is the row of the stream, locked; evidence is the evidence of absence of the batch's
	// records, locked, too.
	row      streams.Locked
	evidence tombstones.Evidence
	// result and rejected say what became of the records; loaded is what the caller gets of it.
	result   rows.Result
	rejected []rows.Rejected
	loaded   pipeline.Loaded
	// told is when the first callbacks came of what the batch read and found changed; unannounced
	// is how many of its changes no callback told of.
	told        []time.Time
	unannounced int
	// imported says that the records were not read by a call of ours.
	imported bool
}

// load loads a batch, step by step. All transactions take locks in the same order: list, stream,
// evidence, rows. The recorded counts cover the rows written, the end is judged by what was
// recorded, and the job is settled last.
func (l *loadingBatch) load(ctx context.Context) error {
	for _, step := range []func(context.Context) error{
		l.takeTurn,        // streams of one list write one after the other
		l.lockClaim,       // a worker that lost its claim writes nothing from here on (invariant 6)
		l.refuseErased,    // whatever upstream shows
		l.lockEvidence,    // before any row: a verdict about tombstones locks evidence first, too
		l.writeRows,       // and finds out which records are new and which Postgres refuses
		l.record,          // evidence, quarantine, drift, capabilities, counts; and the position, unless the run ends
		l.storeRejected,   // whole, before the position passes them (invariant 4)
		l.arrive,          // judges the end by all results of the run, this batch included, and sets its position (invariant 1)
		l.concludeAbsence, // needs the rows as they are now; may add a note to the end (invariant 7)
		l.concludeCount,   // needs the rows as they are now, too
		l.endRun,          // with the final position and that note
		l.settleJob,       // last: if the job cannot be settled, nothing was written (invariant 2)
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (l *loadingBatch) takeTurn(ctx context.Context) error {
	return backfills.TakeTurn(ctx, l.tx, l.batch)
}

func (l *loadingBatch) lockClaim(ctx context.Context) error {
	var err error
	l.row, err = streams.LockClaimed(ctx, l.tx, l.batch.Claim, l.batch.Call)
	return err
}

// refuseErased takes records out of the batch that were erased. A record that was asked for by its
// identifier does not exist then.
func (l *loadingBatch) refuseErased(ctx context.Context) error {
	if !l.row.Erased {
		return nil
	}
	batch, stream := &l.batch, l.batch.Claim.Stream
	ids := make([]string, 0, len(batch.Records)+len(batch.Rejected))
	for i := range batch.Records {
		ids = append(ids, batch.Records[i].ID)
	}
	for i := range batch.Rejected {
		ids = append(ids, batch.Rejected[i].ID)
	}
	refused, err := erasures.Refused(ctx, l.tx, stream.ListKey(), ids)
	if err != nil || len(refused) == 0 {
		return postgres.Fail("loading records of "+stream.String(), err)
	}
	batch.Records = slices.DeleteFunc(slices.Clone(batch.Records), func(r record.Record) bool { return refused[r.ID] })
	batch.Rejected = slices.DeleteFunc(slices.Clone(batch.Rejected), func(r pipeline.RejectedRecord) bool { return refused[r.ID] })
	if batch.Details {
		batch.Missing = slices.AppendSeq(slices.Clip(batch.Missing), maps.Keys(refused))
	}
	return nil
}

func (l *loadingBatch) lockEvidence(ctx context.Context) error {
	var err error
	l.evidence, err = lockEvidence(ctx, l.tx, l.batch, l.row)
	return err
}

func (l *loadingBatch) writeRows(ctx context.Context) error {
	batch, stream := &l.batch, l.batch.Claim.Stream
	err := holdRows(ctx, l.tx, *batch)
	if err == nil && len(batch.Records) > 0 {
		var read time.Time
		if batch.Listed && stream.Resource.Swept() {
			read = l.row.ListRead
		}
		l.result, l.rejected, err = l.db.loader(stream).LoadBisect(ctx, l.tx, rows.Batch{
			Organization: stream.Organization, Run: batch.Claim.Run, Call: batch.Call, RequestedAt: l.row.RequestedAt, ListsRead: l.row.Listed,
			Read: read, Details: batch.Details, Imported: l.imported, History: l.row.History, Records: batch.Records,
		})
	}
	if err != nil {
		return postgres.Fail("loading records of "+stream.String(), err)
	}
	l.loaded = pipeline.Loaded{
		Inserted: l.result.Inserted, Updated: l.result.Updated, Unchanged: l.result.Unchanged, Superseded: l.result.Superseded,
		Rejected: len(l.rejected), Silent: l.result.Silent, Rollbacks: l.result.Rollbacks,
	}
	return nil
}

// record queues what the batch reports and its results as statements, and sends them together.
func (l *loadingBatch) record(ctx context.Context) error {
	batch, stream, queue := l.batch, l.batch.Claim.Stream, new(pgx.Batch)
	if l.row.Suspects && len(batch.Records) > 0 { // also those without a call, such as a retried entry of a rebuild
		quarantine.QueueRelease(queue, batch)
	}
	if scan := batch.Position.Scan; scan != nil && scan.Mode == pipeline.ModeExport && batch.Call != 0 {
		l.db.QueueUnderWay(queue, batch.Call)
	}
	tombstones.QueueSighting(queue, batch)
	capabilities.QueueObserved(queue, batch)
	capabilities.QueueLate(queue, stream, l.result.Late)
	quarantine.Queue(queue, &batch, &l.loaded.MissingKeys)
	if err := l.queueBacklog(queue); err != nil {
		return err
	}
	streams.QueueCount(queue, batch, l.loaded, quarantine.QueueDrift(queue, batch))
	if err := l.countUnannounced(ctx, queue); err != nil {
		return err
	}
	if batch.End == nil {
		if err := streams.QueueAdvance(queue, batch); err != nil {
			return err
		}
	}
	return postgres.Fail("recording progress of "+stream.String(), l.tx.SendBatch(ctx, queue).Close())
}

// countUnannounced counts the changes of which no notification told, where notifications may
// replace scheduled runs. A first sync counts nothing: it reads what there was before.
func (l *loadingBatch) countUnannounced(ctx context.Context, queue *pgx.Batch) error {
	batch, changed := l.batch, l.loaded.Inserted+l.loaded.Updated
	list := batch.Listed && batch.Claim.Stream.Work == pipeline.WorkList
	if !l.row.Told || !list || changed == 0 || l.row.Position.Watermark.IsZero() {
		return nil
	}
	var err error
	l.unannounced, err = hints.Unannounced(ctx, l.tx, batch, l.row.Position.ScannedUntil)
	if err != nil || l.unannounced == 0 {
		return err
	}
	streams.QueueUnannounced(queue, batch.Claim.Run, l.unannounced)
	return nil
}

func (l *loadingBatch) storeRejected(ctx context.Context) error {
	return quarantine.Store(ctx, l.tx, l.batch, l.rejected)
}

// arrive writes the position at the end of a run, which depends on all results of the run.
func (l *loadingBatch) arrive(ctx context.Context) error {
	if l.batch.End == nil {
		return nil
	}
	if err := quarantine.Judge(ctx, l.tx, &l.batch, l.row, l.db.rules); err != nil {
		return err
	}
	batch := new(pgx.Batch)
	if err := streams.QueueAdvance(batch, l.batch); err != nil {
		return err
	}
	return postgres.Fail("recording the end of a run of "+l.batch.Claim.Stream.String(), l.tx.SendBatch(ctx, batch).Close())
}

func (l *loadingBatch) concludeAbsence(ctx context.Context) error {
	return l.db.concludeAbsence(ctx, l.tx, &l.batch, l.evidence, l.row)
}

func (l *loadingBatch) concludeCount(ctx context.Context) error {
	return l.db.concludeCount(ctx, l.tx, l.batch, l.row.Erased)
}

func (l *loadingBatch) endRun(ctx context.Context) error {
	given := l.batch.End
	if given == nil {
		return nil
	}
	end := streams.Ending{State: pipeline.StateIdle, Outcome: given.Outcome, Note: given.Note, Proof: given.Proof, Again: given.Again}
	if given.Outcome == pipeline.OutcomeFailed {
		end.State, end.Reason = pipeline.StateFailed, given.Note
	}
	if l.batch.Claim.Stream.Work == pipeline.WorkList && given.Outcome == pipeline.OutcomeDone {
		queue := new(pgx.Batch)
		hints.QueueListRead(queue, l.batch.Claim, &l.told)
		if err := l.tx.SendBatch(ctx, queue).Close(); err != nil {
			return postgres.Fail("settling what was told of "+l.batch.Claim.Stream.String(), err)
		}
	}
	return l.db.endRun(ctx, l.tx, l.batch.Claim, end)
}

func (l *loadingBatch) settleJob(ctx context.Context) error {
	if l.batch.Complete == nil {
		return nil
	}
	return complete(ctx, l.tx, l.batch.Claim, l.batch.Complete)
}

// Unchanged implements sync.UnchangedFinder. It reads the rows as they are now, without a lock. If
// a writer changes a row meanwhile, it writes a later version than the one that was read; the next
// read of the list finds it.
func (db *DB) Unchanged(ctx context.Context, stream pipeline.Stream, records []record.Record) error {
	op := "looking at rows of " + stream.String()
	conn, err := db.pool.Acquire(ctx)
	if err != nil {
		return postgres.Fail(op, err)
	}
	defer conn.Release()
	return postgres.Fail(op, db.loader(stream).Unchanged(ctx, conn.Conn(), stream.Organization, records))
}

// Refusals implements sync.Store.
func (db *DB) Refusals(ctx context.Context, claim pipeline.Claim) (pipeline.Refusals, error) {
	return streams.Rejections(ctx, db.pool, claim)
}
