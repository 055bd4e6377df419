package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"sync"
	"time"

	"sluice/connectors"
	"sluice/pipeline"
	"sluice/pipeline/budget"
	"sluice/pipeline/engine"
)

// workerRole as the first argument makes this program a worker.
const workerRole = "worker"

const stopLimit = 30 * time.Second

// far is where the lists are read on from, and by which page size: small pages, for it is
// calls that are measured and not loading.
const far = `{"mode":"full","started":"0001-01-01T00:00:00Z","page":101,"per_page":10,"pass":1,"seen":0,"digest":0,
	"last_seen":0,"last_digest":0,"page_digest":0,"partial":true}`

// begin opens a run of each stream that stands there.
const begin = `
WITH opened AS (
	INSERT INTO sluice.runs (organization_id, service, resource, class, gen)
	SELECT organization_id, service, resource, 'incremental', wanted_gen FROM sluice.streams
	WHERE service || '.' || resource = ANY ($1) RETURNING id, organization_id, service, resource
)
UPDATE sluice.streams s SET run_id = o.id, scan = $2::jsonb FROM opened o
WHERE (s.organization_id, s.service, s.resource) = (o.organization_id, o.service, o.resource)`

// work reads lists until it is told to stop, and prints how long decisions took. It is wired
// as the command serve is.
func work(ctx context.Context, args []string) (err error) {
	flags := flag.NewFlagSet(workerRole, flag.ContinueOnError)
	config := flags.String("config", "", "configuration file")
	minute := flags.Duration("minute", time.Minute, "length of a minute")
	prepare := flags.Bool("prepare", false, "put the streams behind their hundredth page first")
	if err := flags.Parse(args); err != nil {
		return fmt.Errorf("read the flags: %w", err)
	}
	var timed timedLedger
	a, err := engine.Open(ctx, engine.Options{
		Catalogue: connectors.All(), ConfigPath: *config, LookupEnv: os.LookupEnv, ReadFile: os.ReadFile, Now: time.Now, LogTo: os.Stderr, Minute: *minute,
		Ledger: func(l budget.Ledger) budget.Ledger {
			timed.Ledger = l
			return &timed
		},
	})
	if err != nil {
		return err //nolint:wrapcheck // it says what failed
	}
	defer func() { err = errors.Join(err, a.Close(context.WithoutCancel(ctx))) }()
	streams, err := a.Select(flags.Args(), "")
	if err != nil {
		return err //nolint:wrapcheck // as above
	}
	var keys []pipeline.Key
	for _, stream := range streams {
		keys = append(keys, stream.Key())
	}
	if *prepare {
		if err := a.DB.Request(ctx, keys); err != nil {
			return err //nolint:wrapcheck // as above
		}
		if _, err := a.DB.Pool().Exec(ctx, begin, flags.Args(), far); err != nil {
			return fmt.Errorf("begin the runs: %w", err)
		}
	}
	queue, err := a.StartQueue(context.WithoutCancel(ctx), false)
	if err != nil {
		return err //nolint:wrapcheck // as above
	}
	if err := queue.Insert(ctx, keys); err != nil {
		return err //nolint:wrapcheck // as above
	}
	<-ctx.Done()
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopLimit)
	defer cancel()
	if err := queue.Stop(stop); err != nil {
		return err //nolint:wrapcheck // as above
	}
	if err := json.NewEncoder(os.Stdout).Encode(timed.took); err != nil {
		return fmt.Errorf("print the decisions: %w", err)
	}
	return nil
}

// timedLedger notes how long decisions take.
type timedLedger struct {
	budget.Ledger

	mu   sync.Mutex
	took []time.Duration
}

// Reserve implements budget.Ledger.
func (l *timedLedger) Reserve(ctx context.Context, call pipeline.Call, limits pipeline.Limits) (pipeline.Decision, error) {
	began := time.Now()
	decision, err := l.Ledger.Reserve(ctx, call, limits)
	took := time.Since(began)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.took = append(l.took, took)
	return decision, err //nolint:wrapcheck // the ledger's own
}
