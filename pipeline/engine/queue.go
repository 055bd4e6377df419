package engine

import (
	"context"
	"errors"
	"fmt"
	gosync "sync"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/migrations"
	"sluice/pipeline"
	"sluice/pipeline/jobs"
	"sluice/pipeline/sync"
	"sluice/pipeline/warehouse/actions"
	changelog "sluice/pipeline/warehouse/changes"
	"sluice/pipeline/warehouse/hints"
	"sluice/pipeline/warehouse/quarantine"
	"sluice/pipeline/warehouse/receivers"
)

// Queue is this process's part of the queue, started.
type Queue struct {
	*jobs.Queue

	stopping chan struct{}
	// told is the work that keeps notifications alive, endTold ends it.
	told    gosync.WaitGroup
	endTold context.CancelFunc
	// ahead returns the receivers of events that can be told something; nil if there are none.
	ahead func(context.Context) ([]string, error)
}

// StartQueue begins to work jobs in this process. With schedule it also ticks.
func (a *App) StartQueue(ctx context.Context, schedule bool) (*Queue, error) {
	client, err := a.Client()
	if err != nil {
		return nil, err
	}
	retries := a.options.Retries
	if retries == nil {
		retries = jobs.DefaultRetries()
	}
	if err := a.noteLeftOut(ctx); err != nil {
		return nil, err
	}
	if err := a.renew(ctx); err != nil {
		return nil, err
	}
	stopping := make(chan struct{})
	var store jobs.Store = a.DB
	var runner jobs.Runner = &sync.Runner{
		Source: sync.LeavingOut(client), Store: a.traces.Loads(observedLoads{a.DB, a.Log}),
		Backlog: a.DB, Ranks: a.DB, Unchanged: a.DB, Allowance: a.Allowance, CountEvery: a.CountEvery,
		Now: a.options.Now, Rules: a.rules(), Prefetch: ahead, Stopping: stopping,
	}
	if schedule { // commands without a schedule show the results of runs themselves
		store, runner = loggedSettlements{Store: store, log: a.Log}, loggedRuns{Runner: runner, app: a}
	}
	events, err := a.events(ctx, stopping)
	if err != nil {
		return nil, fmt.Errorf("prepare the receivers of events: %w", err)
	}
	queue, err := jobs.New(ctx, jobs.Options{
		Pool:     a.DB.Sessions(),
		Store:    store,
		Stream:   a.Stream,
		Ready:    a.forecasting(a.zoned(a.Identities(client).Ready)),
		Trace:    a.traces.Chunks(),
		Runner:   runner,
		Workers:  a.Config.Workers,
		Program:  migrations.Version(),
		Schedule: schedule,
		Hinted:   func(ctx context.Context, tx pgx.Tx) ([]Key, error) { return a.DB.RequestHinted(ctx, tx, a.answer) },
		Notice:   a.NoticeAfterClose,
		Prune:    a.retention,
		Events:   events,
		Retries:  retries,
		Logger:   a.Log,
		Now:      a.options.Now,
		Scrub:    a.options.Scrub,
	})
	if err != nil {
		return nil, fmt.Errorf("prepare the queue: %w", err)
	}
	if err := queue.Start(ctx); err != nil {
		return nil, fmt.Errorf("start the queue: %w", err)
	}
	started := &Queue{Queue: queue, stopping: stopping}
	if events != nil {
		started.ahead = events.Ahead
	}
	ctx, started.endTold = context.WithCancel(ctx)
	if told := a.Told(client); schedule && told != nil {
		told.loop(ctx, &started.told)
	}
	return started, nil
}

// rules returns the figures of reading, with the configuration's choices.
func (a *App) rules() pipeline.Rules {
	rules := pipeline.DefaultRules()
	rules.MaxRejected = a.Config.Quarantine.MaxShare
	return rules
}

// ahead returns how many pages of a list are prefetched: together with the page under way, as many
// as the plan allows at once.
func ahead(stream pipeline.Stream) int {
	if atOnce := stream.Org.Limits[stream.Service.Name].Concurrent; atOnce > 0 {
		return atOnce - 1
	}
	return pipeline.DefaultRules().Prefetch
}

// Stop ends chunks at their next page and then the queue.
func (q *Queue) Stop(ctx context.Context) error {
	close(q.stopping)
	q.endTold()
	q.told.Wait()
	return q.Queue.Stop(ctx)
}

// WakeBackfills queues the open backfills that this process knows, so that they go on even if no
// process schedules.
func (a *App) WakeBackfills(ctx context.Context, queue *Queue) error {
	open, err := a.DB.OpenStreams(ctx)
	if err != nil {
		return fmt.Errorf("look for open backfills: %w", err)
	}
	var keys []Key
	for _, key := range open {
		if _, known := a.Stream(key); known {
			keys = append(keys, key)
		}
	}
	return queue.Insert(ctx, keys)
}

// retention deletes notes, rejected records and rows of gone records that are older than the
// configured retention, and runs Rezone.
func (a *App) retention(ctx context.Context) error {
	const day = 24 * time.Hour
	_, err := a.DB.PruneCalls(ctx, int(a.Config.Retention.Calls/day))
	if a.Config.Retention.Runs > 0 {
		_, failed := actions.Prune(ctx, a.DB.Pool(), a.Config.Retention.Runs)
		err = errors.Join(err, a.DB.PruneRuns(ctx, a.Config.Retention.Runs), failed)
	}
	err = errors.Join(err, a.DB.PruneQuarantine(ctx, quarantine.Ages(a.Config.Retention.Quarantine)))
	if a.Config.Retention.Tombstoned > 0 {
		err = errors.Join(err, a.DB.PruneGone(ctx, a.Config.Retention.Tombstoned))
	}
	if a.Config.Retention.Raw > 0 {
		err = errors.Join(err, a.DB.PruneRaw(ctx, a.Config.Retention.Raw))
	}
	if a.Config.Retention.History > 0 {
		err = errors.Join(err, a.DB.PruneHistory(ctx, a.Config.Retention.History))
	}
	err = errors.Join(err, a.DB.RenewChanges(ctx), changelog.Prune(ctx, a.DB.Pool(), a.Config.Retention.Changes))
	err = errors.Join(err, hints.NewInbox(a.DB.Pool()).Prune(ctx, a.Config.Notifications.Keep), receivers.Forget(ctx, a.DB.Pool(), receivers.Kept))
	return errors.Join(err, a.Rezone(ctx))
}
