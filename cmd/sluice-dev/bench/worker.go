package bench

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"sluice/cmd/sluice-dev/harness"
	"sluice/connectors"
	"sluice/pipeline"
	"sluice/pipeline/engine"
	"sluice/schema"
)

// workerRole as the first argument makes bench a worker.
const workerRole = "worker"

// How long a worker may read, and how long its workers may take to stop.
const (
	readLimit = time.Hour
	stopLimit = 30 * time.Second
)

// run copies streams into the warehouse, all if none is named, in a worker of its own. It returns
// the peak memory of the process in bytes, the last line of its output.
func (w *warehouse) run(ctx context.Context, streams ...string) (float64, error) {
	p, err := w.worker(streams...)
	if err != nil {
		return 0, err
	}
	if err := p.Succeed(ctx); err != nil {
		return 0, err
	}
	output := strings.TrimSpace(p.Log())
	return strconv.ParseFloat(output[strings.LastIndexByte(output, '\n')+1:], 64)
}

// worker starts the process of a worker.
func (w *warehouse) worker(args ...string) (*harness.Process, error) {
	config := harness.Config{Upstream: w.world.address, Settings: "log: {level: error}\n"}
	path := filepath.Join(w.folder, w.name+".yaml")
	if err := config.Write(path); err != nil {
		return nil, err
	}
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	w.made++
	name := fmt.Sprintf("worker-%d", w.made)
	return harness.Start(name, filepath.Join(w.folder, name+".log"), config.Environment(w.postgres.URL(w.name)), program,
		append([]string{"bench", workerRole, "-config", path}, args...)...)
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
	a, err := engine.Open(ctx, engine.Options{
		Catalogue: catalogue(*minute > 0), ConfigPath: *config, LookupEnv: os.LookupEnv, ReadFile: os.ReadFile, Now: time.Now, LogTo: os.Stderr,
		Minute: *minute,
	})
	if err != nil {
		return err
	}
	selected, err := a.Select(flags.Args(), "")
	if err == nil {
		if *lists {
			selected = slices.DeleteFunc(selected, func(s pipeline.Stream) bool { return s.Work != pipeline.WorkList })
		}
		err = read(ctx, a, selected, *minute > 0, *prepare)
	}
	if err = errors.Join(err, a.Close(context.WithoutCancel(ctx))); err != nil {
		return err
	}
	peak, err := harness.Peak()
	fmt.Fprintln(stdout, peak)
	return err
}

// read lets the queue work streams until each has done what was asked. At the limit that is never:
// it reads until the context ends.
func read(ctx context.Context, a *engine.App, selected []pipeline.Stream, limited, prepare bool) error {
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
			return err
		}
	}
	if prepare {
		if _, err := a.DB.Pool().Exec(ctx, sqlBegin, lists, far); err != nil {
			return fmt.Errorf("begin the runs: %w", err)
		}
	}
	queue, err := a.StartQueue(context.WithoutCancel(ctx), false)
	if err != nil {
		return err
	}
	if err = queue.Insert(ctx, keys); err == nil {
		err = harness.Wait(ctx, readLimit, "the streams are not done", func(ctx context.Context) (bool, error) {
			if limited {
				return false, nil
			}
			return ended(ctx, a, keys)
		})
		if limited && ctx.Err() != nil {
			err = nil // it was told to stop
		}
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopLimit)
	defer cancel()
	return errors.Join(err, queue.Stop(stop))
}

// ended reports whether every stream has done what was asked, which must be a clean run.
func ended(ctx context.Context, a *engine.App, keys []pipeline.Key) (bool, error) {
	found, err := a.DB.Streams(ctx, "")
	if err != nil {
		return false, err
	}
	for i := range found {
		s := &found[i]
		if !slices.Contains(keys, pipeline.Key{Organization: s.Organization, Service: s.Service, Resource: s.Resource}) {
			continue
		}
		if s.Done < s.Requested || s.LastRun == nil {
			return false, nil
		}
		run, err := a.DB.RunProgress(ctx, *s.LastRun)
		if err != nil {
			return false, err
		}
		if run.Outcome != string(pipeline.OutcomeDone) || run.Quarantined > 0 {
			return false, fmt.Errorf("the run of %s ended %s with %d records in quarantine: %s", s.Resource, run.Outcome, run.Quarantined, run.Note)
		}
	}
	return true, nil
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
