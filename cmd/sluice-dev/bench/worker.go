package bench

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"sluice/cmd/sluice-dev/harness"
	"sluice/connectors"
	"sluice/pipeline"
	"sluice/pipeline/budget"
	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse/streams"
	"sluice/schema"
)

// workerRole as the first argument makes bench a worker.
const workerRole = "worker"

const stopLimit = 30 * time.Second

// worked is a worker's report at its end: its runs, its peak memory in bytes, and the time of each
// decision whether a call may leave.
type worked struct {
	Runs      []streams.Run   `json:"runs"`
	Peak      int64           `json:"peak"`
	Decisions []time.Duration `json:"decisions"`
}

// sync copies streams into the warehouse, all if none is named, in a worker of its own. It returns
// the time from start to end of the process.
func (w *warehouse) sync(ctx context.Context, u *world, streams ...string) (worked, time.Duration, error) {
	if err := w.execute(ctx, "CHECKPOINT"); err != nil {
		return worked{}, 0, err
	}
	began := time.Now()
	p, err := w.worker(u, streams...)
	if err != nil {
		return worked{}, 0, err
	}
	report, err := reportOf(ctx, p)
	return report, time.Since(began), err
}

// worker starts the process of a worker.
func (w *warehouse) worker(u *world, args ...string) (*harness.Process, error) {
	config, environment, err := w.configure(harness.Config{Upstream: u.address})
	if err != nil {
		return nil, err
	}
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	w.made++
	name := fmt.Sprintf("worker-%d", w.made)
	return harness.Start(name, filepath.Join(w.folder, name+".log"), environment, program,
		append([]string{"bench", workerRole, "-config", config}, args...)...)
}

// reportOf waits for the end of a worker and reads its report, the last line of its output.
func reportOf(ctx context.Context, p *harness.Process) (worked, error) {
	var report worked
	if err := p.Succeed(ctx); err != nil {
		return report, err
	}
	output := strings.TrimSpace(p.Log())
	if err := json.Unmarshal([]byte(output[strings.LastIndexByte(output, '\n')+1:]), &report); err != nil {
		return report, fmt.Errorf("read the report of a worker: %w: %s", err, output)
	}
	return report, nil
}

// work runs a worker, wired like the program's commands. Without a minute it copies streams once,
// without the declared limits; the configuration has no key for that, on purpose. With a minute it
// keeps the limits and reads until it is told to stop.
func work(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet(workerRole, flag.ContinueOnError)
	config := flags.String("config", "", "configuration file")
	minute := flags.Duration("minute", 0, "read at the limit, with a minute of this length")
	prepare := flags.Bool("prepare", false, "put the streams behind their hundredth page first")
	lists := flags.Bool("lists", false, "of what is named, copy the lists alone")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var timed timedLedger
	a, err := engine.Open(ctx, engine.Options{
		Catalogue: catalogue(*minute > 0), ConfigPath: *config, LookupEnv: os.LookupEnv, ReadFile: os.ReadFile, Now: time.Now, LogTo: os.Stderr,
		Minute: *minute,
		Ledger: func(l budget.Ledger) budget.Ledger {
			timed.Ledger = l
			return &timed
		},
	})
	if err != nil {
		return err
	}
	var report worked
	selected, err := a.Select(flags.Args(), "")
	if err == nil {
		if *lists {
			selected = slices.DeleteFunc(selected, func(s pipeline.Stream) bool { return s.Work != pipeline.WorkList })
		}
		report.Runs, err = read(ctx, a, selected, *minute > 0, *prepare)
	}
	if err = errors.Join(err, a.Close(context.WithoutCancel(ctx))); err != nil {
		return err
	}
	report.Decisions = timed.took
	if report.Peak, err = harness.Peak(); err != nil {
		return err
	}
	return json.NewEncoder(stdout).Encode(report)
}

// read lets the queue work streams until each has done what was asked, and gives their runs. At the
// limit that is never: it reads until the context ends.
func read(ctx context.Context, a *engine.App, selected []pipeline.Stream, limited, prepare bool) ([]streams.Run, error) {
	keys := make([]pipeline.Key, len(selected))
	var lists []string
	for i, stream := range selected {
		keys[i] = stream.Key()
		if stream.Work == pipeline.WorkList {
			lists = append(lists, keys[i].Service+"."+keys[i].Resource)
		}
	}
	if prepare || !limited {
		if err := a.DB.Request(ctx, keys); err != nil {
			return nil, err
		}
	}
	if prepare {
		if _, err := a.DB.Pool().Exec(ctx, sqlBegin, lists, far); err != nil {
			return nil, fmt.Errorf("begin the runs: %w", err)
		}
	}
	queue, err := a.StartQueue(context.WithoutCancel(ctx), false)
	if err != nil {
		return nil, err
	}
	var runs []streams.Run
	if err = queue.Insert(ctx, keys); err == nil {
		runs, err = wait(ctx, a, keys, limited)
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopLimit)
	defer cancel()
	return runs, errors.Join(err, queue.Stop(stop))
}

// wait returns the runs of streams once each has done what was asked; at the limit none, at the end
// of the context.
func wait(ctx context.Context, a *engine.App, keys []pipeline.Key, limited bool) ([]streams.Run, error) {
	if limited {
		<-ctx.Done()
		return nil, nil
	}
	var runs []streams.Run
	var err error
	if !harness.Until(ctx, func() bool {
		runs, err = ended(ctx, a, keys)
		return err != nil || runs != nil
	}) {
		return nil, fmt.Errorf("interrupted: %w", context.Cause(ctx))
	}
	return runs, err
}

// ended gives the runs once every stream has done what was asked, nil before.
func ended(ctx context.Context, a *engine.App, keys []pipeline.Key) ([]streams.Run, error) {
	found, err := a.DB.Streams(ctx, "")
	if err != nil {
		return nil, err
	}
	var runs []streams.Run
	for i := range found {
		s := &found[i]
		if !slices.Contains(keys, pipeline.Key{Organization: s.Organization, Service: s.Service, Resource: s.Resource}) {
			continue
		}
		if s.Done < s.Requested || s.LastRun == nil {
			return nil, nil // not yet
		}
		run, err := a.DB.RunProgress(ctx, *s.LastRun)
		if err != nil {
			return nil, err
		}
		if run.Outcome != string(pipeline.OutcomeDone) || run.Quarantined > 0 {
			return nil, fmt.Errorf("the run of %s ended %s with %d records in quarantine: %s", s.Resource, run.Outcome, run.Quarantined, run.Note)
		}
		runs = append(runs, run)
	}
	if len(runs) != len(keys) {
		return nil, fmt.Errorf("%d of %d streams are known", len(runs), len(keys))
	}
	return runs, nil
}

// catalogue is what a worker copies. Without limits the declarations have none: zero means
// unlimited. Calls are still counted and logged, one transaction each.
func catalogue(limited bool) []schema.Service {
	services := connectors.All()
	for i := range services {
		if limits := &services[i].Limits; !limited {
			limits.PerMinute = 0
			for name := range limits.Plans {
				limits.Plans[name] = schema.Plan{}
			}
		}
	}
	return services
}

// far is the position from which lists are read, with small pages: the line measures calls, not
// loading.
const far = `{"mode":"full","started":"0001-01-01T00:00:00Z","page":101,"per_page":10,"pass":1,"seen":0,"digest":0,
	"last_seen":0,"last_digest":0,"page_digest":0,"partial":true}`

// sqlBegin opens a run of each stream at that position.
const sqlBegin = `
WITH opened AS (
	INSERT INTO sluice.runs (organization_id, service, resource, class, gen)
	SELECT organization_id, service, resource, 'incremental', requested_gen FROM sluice.streams
	WHERE service || '.' || resource = ANY ($1) RETURNING id, organization_id, service, resource
)
UPDATE sluice.streams s SET run_id = o.id, scan = $2::jsonb FROM opened o
WHERE (s.organization_id, s.service, s.resource) = (o.organization_id, o.service, o.resource)`

// timedLedger measures the time of decisions.
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
	return decision, err
}
