package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/streams"
)

// errLostJob says that this worker may no longer complete the job: River rescued it, or another
// worker works it. The transaction that gets the error rolls back.
var errLostJob = errors.New("the job is no longer running in this process")

// worker works jobs.
type worker struct {
	river.WorkerDefaults[Args]

	queue *Queue
}

// Timeout bounds one chunk.
func (w *worker) Timeout(job *river.Job[Args]) time.Duration {
	if stream, ok := w.queue.options.Stream(job.Args.key()); ok {
		if stream.Resource.Exported() {
			return exportTimeout
		}
	}
	return chunkTimeout
}

// NextRetry returns the instant of the next attempt of a failed chunk. Only errors count; attempts
// lost to killed workers do not.
func (w *worker) NextRetry(job *river.Job[Args]) time.Time {
	retries := w.queue.options.Retries
	if len(retries) == 0 {
		return w.queue.options.Now()
	}
	return w.queue.options.Now().Add(jitter(retries[min(len(job.Errors), len(retries)-1)]))
}

// working counts the attempts at each job that this process works: two, if the first one hangs and
// was given up.
type working struct {
	mu   sync.Mutex
	jobs map[int64]int
}

// begin adds a job, and returns what removes it.
func (w *working) begin(id int64) func() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.jobs == nil {
		w.jobs = map[int64]int{}
	}
	w.jobs[id]++
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.jobs[id]--; w.jobs[id] == 0 {
			delete(w.jobs, id)
		}
	}
}

func (w *working) ids() []int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.AppendSeq([]int64{}, maps.Keys(w.jobs))
}

// Work claims the stream and reads one chunk. The chunk's last transaction completes the job, so a
// nil return only tells River what is already true.
func (w *worker) Work(ctx context.Context, job *river.Job[Args]) error {
	end := w.queue.working.begin(job.ID)
	defer end()
	stream, ok := w.queue.options.Stream(job.Args.key())
	if !ok {
		return w.leave(job)
	}
	claim, err := w.queue.options.Store.Claim(ctx, stream, pipeline.ClassOf(stream))
	if errors.Is(err, pipeline.ErrNotRequested) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("claim %s: %w", stream, err)
	}
	settle := func(ctx context.Context, tx pgx.Tx, more bool) error { return w.complete(ctx, tx, job, more) }
	ended := func(error) {}
	if trace := w.queue.options.Trace; trace != nil {
		ctx, ended = trace(ctx, claim, job.ID)
	}
	err = w.chunk(ctx, claim, settle)
	ended(err)
	if err != nil {
		return w.fate(ctx, job, claim, err)
	}
	return nil
}

func (w *worker) chunk(ctx context.Context, claim pipeline.Claim, settle pipeline.Settle) error {
	if ready := w.queue.options.Ready; ready != nil {
		if err := ready(ctx, claim.Stream); err != nil {
			return err
		}
	}
	return w.queue.options.Runner.Chunk(ctx, claim, settle)
}

// leave snoozes a job whose stream this process does not know: another process on the same database
// may have a configuration with it. After an hour it cancels the job.
func (w *worker) leave(job *river.Job[Args]) error {
	if w.queue.options.Now().Sub(job.CreatedAt) < strangerPatience {
		return river.JobSnooze(strangerWait)
	}
	return river.JobCancel(fmt.Errorf("%s is in no configuration that runs on this database", job.Args.key()))
}

// How long a job of an unknown stream is snoozed, and after what age it is cancelled.
const (
	strangerWait     = 10 * time.Second
	strangerPatience = time.Hour
)

// complete completes the job inside the chunk's last transaction (invariant 2). JobCompleteTx
// reports no error for a job that is no longer running, so state and attempt are checked.
func (w *worker) complete(ctx context.Context, tx pgx.Tx, job *river.Job[Args], more bool) error {
	done, err := river.JobCompleteTx[*riverpgxv5.Driver](ctx, tx, job)
	if err != nil {
		return fmt.Errorf("complete the job: %w", err)
	}
	if done.State != rivertype.JobStateCompleted || done.Attempt != job.Attempt {
		return errLostJob
	}
	if !more {
		if more, err = streams.AskedAgain(ctx, tx, job.Args.key()); err != nil {
			return err
		}
	}
	if !more {
		return nil
	}
	_, err = w.queue.client.InsertTx(ctx, tx, job.Args, nil)
	return postgres.Fail("queue the next chunk", err)
}

// fate turns the kind of an error into what happens to stream and job. It changes this stream only
// (invariant 9): the gate and the token, which streams share, are closed by their own packages.
func (w *worker) fate(ctx context.Context, job *river.Job[Args], claim pipeline.Claim, cause error) error {
	if ctx.Err() != nil {
		// After a soft stop River gives the attempt back; a remote cancel ends the job. This worker
		// writes nothing more.
		return fmt.Errorf("stopped: %w", context.Cause(ctx))
	}
	if errors.Is(cause, pipeline.ErrLostClaim) || errors.Is(cause, errLostJob) {
		// Another worker has the stream and completes its job. Any result but success would change
		// the state of the job that the other worker works.
		return nil
	}
	now := w.queue.options.Now()
	until := time.Time{}
	if failure, ok := errors.AsType[*pipeline.Error](cause); ok {
		until = failure.Until
	}
	switch pipeline.KindOf(cause) {
	case pipeline.Exhausted:
		if until.Before(now) {
			until = now.Add(time.Hour)
		}
		return w.snooze(ctx, claim, cause, pipeline.StateWaiting, until)
	case pipeline.Throttled, pipeline.Crowded:
		if until.Before(now) {
			until = now.Add(jitter(crowdedWait))
		}
		return w.snooze(ctx, claim, cause, pipeline.StateRetrying, until)
	case pipeline.Denied:
		return w.end(ctx, job, claim, cause, pipeline.StateDenied)
	case pipeline.Unavailable, pipeline.Unexpected, pipeline.Expired, 0:
		patience := len(w.queue.options.Retries)
		early := until.After(now)
		if early && snoozes(job) < patience {
			return w.snooze(ctx, claim, cause, pipeline.StateRetrying, until)
		}
		if early || pipeline.Lasting(cause) || len(job.Errors) >= patience {
			return w.end(ctx, job, claim, cause, pipeline.StateFailed)
		}
		return w.retry(ctx, claim, cause)
	default:
		return w.retry(ctx, claim, cause)
	}
}

// snoozes returns how often the job was snoozed without spending an attempt. It limits how long
// upstream can keep a run open by naming one later instant after the other.
func snoozes(job *river.Job[Args]) int {
	var counted struct {
		Snoozes int `json:"snoozes"` // River's own count
	}
	if err := json.Unmarshal(job.Metadata, &counted); err != nil {
		return 0
	}
	return counted.Snoozes
}

// crowdedWait is how long a stream pauses whose call the gate refused without an instant.
const crowdedWait = 20 * time.Second

// snooze records the state and snoozes the job without spending an attempt.
func (w *worker) snooze(ctx context.Context, claim pipeline.Claim, cause error, state pipeline.State, until time.Time) error {
	if err := w.settle(ctx, claim, cause, pipeline.Settlement{State: state, Until: until}); err != nil {
		return err
	}
	return river.JobSnooze(max(time.Second, jitterUp(until.Sub(w.queue.options.Now()))))
}

// retry leaves the run open and lets River repeat the job.
func (w *worker) retry(ctx context.Context, claim pipeline.Claim, cause error) error {
	if err := w.settle(ctx, claim, cause, pipeline.Settlement{State: pipeline.StateRetrying}); err != nil {
		return err
	}
	return cause
}

// end closes the run and completes the job in one transaction. The next run follows on schedule or
// at the operator's request.
func (w *worker) end(ctx context.Context, job *river.Job[Args], claim pipeline.Claim, cause error, state pipeline.State) error {
	return w.settle(ctx, claim, cause, pipeline.Settlement{
		State:    state,
		EndRun:   true,
		Complete: func(ctx context.Context, tx pgx.Tx) error { return w.complete(ctx, tx, job, false) },
	})
}

func (w *worker) settle(ctx context.Context, claim pipeline.Claim, cause error, settlement pipeline.Settlement) error {
	settlement.Kind = pipeline.KindOf(cause)
	settlement.Reason = w.queue.options.Scrub.Error(cause)
	err := w.queue.options.Store.Settle(ctx, claim, settlement)
	if errors.Is(err, pipeline.ErrLostClaim) || errors.Is(err, errLostJob) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("record why %s stopped (%w): %w", claim.Stream, cause, err)
	}
	return nil
}

// jitter changes a wait by up to a tenth in either direction, so that processes do not try again at
// the same time.
func jitter(d time.Duration) time.Duration {
	return d - d/10 + rand.N(d/5+1)
}

// jitterUp lengthens a wait by at most five seconds. It never shortens it, because a call before
// its end would be refused.
func jitterUp(d time.Duration) time.Duration {
	return d + rand.N(5*time.Second)
}
