// Package jobs inserts the jobs of due streams, works them, and decides what each kind of error
// means for the queue. River stores jobs only: schedules, watermarks, scans and fences are in
// sluice's own tables (docs/decisions/0006-jobs).
//
// It never reads and never loads. A job claims its stream, lets package sync read one bounded
// chunk, and is completed in the chunk's last transaction.
//
// Start reading at New, then worker.Work.
package jobs

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"sluice/pipeline"
	"sluice/pipeline/outside"
)

// riverSchema is the Postgres schema of River's tables.
const riverSchema = "river"

// queueStreams is the queue of all streams: budgets, not queues, decide how they share the calls.
const queueStreams = "streams"

// Args are the arguments of a job: the stream whose next chunk it carries. They are identifiers
// only, never a secret (invariant 10: jobs are stored and shown in clear).
type Args struct {
	Organization string `json:"organization" river:"unique"`
	Service      string `json:"service"      river:"unique"`
	Resource     string `json:"resource"     river:"unique"`
}

// Kind names the job kind in River's tables.
func (Args) Kind() string { return "stream" }

// InsertOpts makes a job unique among unfinished jobs only: a finished run must never block the
// next one.
func (a Args) InsertOpts() river.InsertOpts {
	return river.InsertOpts{
		Queue:       queueStreams,
		Priority:    priorityOf(a),
		MaxAttempts: maxAttempts,
		UniqueOpts: river.UniqueOpts{
			ByArgs: true,
			ByState: []rivertype.JobState{
				rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable,
				rivertype.JobStateRunning, rivertype.JobStateScheduled,
			},
		},
	}
}

// priorityOf gives the chunks of backfills a lower priority than all others: the next free worker
// takes the scheduled chunks first.
func priorityOf(a Args) int {
	if strings.HasSuffix(a.Resource, "."+string(pipeline.WorkBackfill)) {
		return river.PriorityDefault + 1
	}
	return river.PriorityDefault
}

// maxAttempts is out of reach on purpose. A killed worker costs an attempt without an error, so
// Retries limits how often a chunk may fail.
const maxAttempts = 1000

// Store is what the queue needs of the warehouse.
type Store interface {
	// Claim claims the stream and returns its position.
	Claim(ctx context.Context, stream pipeline.Stream, class pipeline.Class) (pipeline.Claim, error)
	// Settle records why a chunk stopped before its end.
	Settle(ctx context.Context, claim pipeline.Claim, settlement pipeline.Settlement) error
	// TakeDue takes at most limit due streams and moves their due time on.
	TakeDue(ctx context.Context, tx pgx.Tx, limit int) ([]pipeline.Key, error)
}

// Runner reads chunks.
type Runner interface {
	// Chunk reads one chunk from the claim's position on and completes the job in its last
	// transaction.
	Chunk(ctx context.Context, claim pipeline.Claim, settle pipeline.Settle) error
}

// Options configure a Queue.
type Options struct {
	Pool  *pgxpool.Pool
	Store Store
	// Stream resolves a key to its stream; false if this process does not know it.
	Stream func(pipeline.Key) (pipeline.Stream, bool)
	Runner Runner
	// Ready is called before each chunk and fails if the stream may not be read. Its error is
	// treated as an error of the chunk. Nil means that every stream is ready.
	Ready func(ctx context.Context, stream pipeline.Stream) error
	// Trace is called when a chunk begins. It returns the context of the chunk, and what is called
	// with the chunk's error when it ends. Nil means that chunks are not traced.
	Trace func(ctx context.Context, claim pipeline.Claim, job int64) (context.Context, func(error))
	// Workers is how many jobs this process works at once.
	Workers int
	// Program is the version of the program as the floor of a database counts it; zero for none.
	Program int64
	// Schedule makes this process tick.
	Schedule bool
	// Hinted returns the streams of which change notifications told, whose jobs the same
	// transaction inserts. A process that schedules calls it twice a second. Nil means that none
	// are received.
	Hinted func(ctx context.Context, tx pgx.Tx) ([]pipeline.Key, error)
	// Notice looks for changes in closed periods; a process that schedules calls it once a minute.
	Notice func(ctx context.Context) error
	// Prune deletes notes that are older than their retention. Each process that schedules calls it
	// every ten minutes; several may do so at once. Nil means that nothing is pruned.
	Prune func(ctx context.Context) error
	// Events are delivered by this process, too; nil if the configuration has no receivers.
	Events *Events
	// Retries are the waits between attempts of a chunk that failed; after the last one the run
	// ends as failed.
	Retries []time.Duration
	Logger  *slog.Logger
	Now     func() time.Time
	// Scrub removes secrets from stored error texts; nil knows no secret.
	Scrub *outside.Scrubber
}

// DefaultRetries are the usual waits, about a minute and a half in all.
func DefaultRetries() []time.Duration {
	return []time.Duration{time.Second, 5 * time.Second, 20 * time.Second, time.Minute}
}

// Queue is this process's part of the queue.
type Queue struct {
	options Options
	client  *river.Client[pgx.Tx]
	process *process
	working working
	stop    context.CancelFunc
	loops   sync.WaitGroup
}

// New registers this process and prepares a client. Jobs are worked from Start on.
func New(ctx context.Context, options Options) (*Queue, error) {
	process, err := register(ctx, options.Pool, options.Program)
	if err != nil {
		return nil, err
	}
	q := &Queue{options: options, process: process}
	workers := river.NewWorkers()
	if err := river.AddWorkerSafely(workers, &worker{queue: q}); err != nil {
		return nil, fmt.Errorf("register the worker: %w", err)
	}
	if err := river.AddWorkerSafely(workers, &teller{queue: q}); err != nil {
		return nil, fmt.Errorf("register the worker of events: %w", err)
	}
	indexes, err := reindexed(ctx, options.Pool)
	if err != nil {
		process.close(ctx)
		return nil, err
	}
	q.client, err = river.NewClient(riverpgxv5.New(options.Pool), &river.Config{
		ID:                   clientOf(process.id),
		Schema:               riverSchema,
		Logger:               options.Logger,
		Queues:               queuesOf(&options),
		Workers:              workers,
		Middleware:           []rivertype.Middleware{&cleaner{logger: options.Logger, scrub: options.Scrub}},
		JobTimeout:           chunkTimeout,
		RescueStuckJobsAfter: exportTimeout + time.Minute,
		SoftStopTimeout:      softStop,
		MaxAttempts:          maxAttempts,
		ReindexerIndexNames:  indexes,
	})
	if err != nil {
		process.close(ctx)
		return nil, fmt.Errorf("prepare the queue: %w", err)
	}
	return q, nil
}

// sqlOwns says whether the role may rebuild the indexes of the queue.
const sqlOwns = `SELECT pg_catalog.pg_has_role(c.relowner, 'USAGE') FROM pg_catalog.pg_class c WHERE c.oid = 'river.river_job'::pg_catalog.regclass`

// reindexed returns the indexes that River rebuilds at night: River's default for the owner of the
// tables, none for a role without that right.
func reindexed(ctx context.Context, pool *pgxpool.Pool) ([]string, error) {
	var owns bool
	if err := pool.QueryRow(ctx, sqlOwns).Scan(&owns); err != nil {
		return nil, fmt.Errorf("look up the owner of the queue: %w", err)
	}
	if owns {
		return river.ReindexerIndexNamesDefault(), nil
	}
	return []string{}, nil
}

// The figures of the client. A chunk takes at most a minute of reading, the wait at the gate and
// one call. An export is one call of any size.
const (
	pollInterval  = 500 * time.Millisecond
	chunkTimeout  = 6 * time.Minute
	exportTimeout = time.Hour
	softStop      = 20 * time.Second
)

// Start works jobs and runs the periodic tasks until Stop.
func (q *Queue) Start(ctx context.Context) error {
	if err := q.client.Start(ctx); err != nil {
		return fmt.Errorf("start the queue: %w", err)
	}
	ctx, q.stop = context.WithCancel(ctx)
	q.loop(ctx, "beat", beatEvery, q.process.beat)
	q.loop(ctx, "reap", reapEvery, newReaper(q).reap)
	if q.options.Events != nil {
		q.loop(ctx, "events", eventsEvery, q.tell)
	}
	if q.options.Schedule {
		q.loop(ctx, "tick", tickEvery, q.Tick)
		if q.options.Hinted != nil {
			q.loop(ctx, "hint", hintEvery, q.Hint)
		}
		if q.options.Notice != nil {
			q.loop(ctx, "notice", noticeEvery, q.options.Notice)
		}
		if q.options.Prune != nil {
			q.loop(ctx, "prune", pruneEvery, q.options.Prune)
		}
	}
	return nil
}

// loop calls a task's work at once and then after every interval until the queue stops. It logs
// errors; the next turn tries again.
func (q *Queue) loop(ctx context.Context, task string, every time.Duration, work func(context.Context) error) {
	q.loops.Go(func() {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for {
			if err := work(ctx); err != nil && ctx.Err() == nil {
				q.options.Logger.WarnContext(ctx, "a periodic task of the queue failed", "task", task, "error", err)
			}
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
		}
	})
}

// Stop lets running chunks end at their next page. After the soft-stop time it cancels them, and
// their jobs go back to the queue without spending an attempt.
func (q *Queue) Stop(ctx context.Context) error {
	if q.stop != nil {
		q.stop()
	}
	q.loops.Wait()
	err := q.client.Stop(ctx)
	q.process.close(ctx)
	if err != nil {
		return fmt.Errorf("stop the queue: %w", err)
	}
	return nil
}

// Insert inserts a job for each stream. If a stream's job is snoozed or waits for a retry, Insert
// makes it available at once, because the caller requests the run now.
func (q *Queue) Insert(ctx context.Context, keys []pipeline.Key) error {
	for _, key := range keys {
		result, err := q.client.Insert(ctx, argsOf(key), nil)
		if err != nil {
			return fmt.Errorf("queue %s: %w", key, err)
		}
		waits := result.Job.State == rivertype.JobStateScheduled || result.Job.State == rivertype.JobStateRetryable
		if result.UniqueSkippedAsDuplicate && waits {
			if _, err := q.client.JobRetry(ctx, result.Job.ID); err != nil {
				return fmt.Errorf("wake %s: %w", key, err)
			}
		}
	}
	return nil
}

func argsOf(key pipeline.Key) Args {
	return Args{Organization: key.Organization, Service: key.Service, Resource: key.Resource}
}

func (a Args) key() pipeline.Key {
	return pipeline.Key{Organization: a.Organization, Service: a.Service, Resource: a.Resource}
}
