package engine

import (
	"context"
	"fmt"
	gosync "sync"

	"sluice/migrations"
	"sluice/pipeline"
	"sluice/pipeline/jobs"
	"sluice/pipeline/sync"
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
		Backlog: a.DB, Ranks: a.DB, Unchanged: a.DB, Allowance: a.Allowance,
		Now: a.options.Now, Rules: a.rules(), Prefetch: ahead, Stopping: stopping,
	}
	if schedule { // commands without a schedule show the results of runs themselves
		store, runner = loggedSettlements{Store: store, log: a.Log}, loggedRuns{Runner: runner, app: a}
	}
	runner, store = a.traces.Runs(runner, store)
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
		Hinted:   a.requestHinted,
		Replan:   a.replanner(),
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
	if err := q.Queue.Stop(ctx); err != nil {
		return fmt.Errorf("stop the queue: %w", err)
	}
	return nil
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
