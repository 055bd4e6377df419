package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime/pprof"
	"time"

	"sluice/cmd/sluice-bench/peak"
	"sluice/connectors"
	"sluice/pipeline"
	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse/report"
	"sluice/schema"
)

// workerRole as the first argument makes this program a worker.
const workerRole = "worker"

const (
	pollEvery = 20 * time.Millisecond
	stopLimit = 30 * time.Second
)

// worked is what a worker says at its end: its runs, and the most memory that it had resident, in bytes.
type worked struct {
	Runs []report.Run `json:"runs"`
	Peak int64        `json:"peak"`
}

// work copies the streams that args name, all if none is named, and prints their
// runs: what the command sync does, without its limits and its progress.
func work(ctx context.Context, args []string) (err error) {
	flags := flag.NewFlagSet(workerRole, flag.ContinueOnError)
	config := flags.String("config", "", "configuration file")
	profile := flags.String("cpuprofile", "", "file for a CPU profile")
	if err := flags.Parse(args); err != nil {
		return fmt.Errorf("read the flags: %w", err)
	}
	a, err := engine.Open(ctx, engine.Options{
		Catalogue: connectors.All(), ConfigPath: *config, LookupEnv: os.LookupEnv, ReadFile: os.ReadFile, Now: time.Now, LogTo: os.Stderr,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close(ctx)) }()
	for i := range a.Catalogue {
		unlimited(&a.Catalogue[i])
	}
	if *profile != "" {
		file, err := os.Create(*profile)
		if err != nil {
			return fmt.Errorf("create the profile: %w", err)
		}
		if err := pprof.StartCPUProfile(file); err != nil {
			return fmt.Errorf("start the profile: %w", err)
		}
		defer func() {
			pprof.StopCPUProfile()
			err = errors.Join(err, file.Close())
		}()
	}
	runs, err := sync(ctx, a, flags.Args())
	if err != nil {
		return err
	}
	most, err := peak.Self()
	if err != nil {
		return err //nolint:wrapcheck // it says what failed
	}
	if err := json.NewEncoder(os.Stdout).Encode(worked{Runs: runs, Peak: most}); err != nil {
		return fmt.Errorf("print the runs: %w", err)
	}
	return nil
}

// unlimited takes the limits out of a declaration: zero means not limited. Calls
// are still counted and logged, one transaction each, as in any run.
func unlimited(service *schema.Service) {
	service.Limits.PerMinute = 0
	for name := range service.Limits.Plans {
		service.Limits.Plans[name] = schema.Plan{}
	}
}

// sync asks for the streams and works the queue until they have ended.
func sync(ctx context.Context, a *engine.App, names []string) (_ []report.Run, err error) {
	streams, err := a.Select(names, "")
	if err != nil {
		return nil, err
	}
	keys := make([]pipeline.Key, len(streams))
	for i, stream := range streams {
		keys[i] = stream.Key()
	}
	queue, err := a.StartQueue(context.WithoutCancel(ctx), false)
	if err != nil {
		return nil, err
	}
	defer func() {
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopLimit)
		defer cancel()
		err = errors.Join(err, queue.Stop(stop))
	}()
	if err := a.DB.Request(ctx, keys); err != nil {
		return nil, err
	}
	if err := queue.Insert(ctx, keys); err != nil {
		return nil, err
	}
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	for {
		runs, err := ended(ctx, a, keys)
		if err != nil || runs != nil {
			return runs, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("interrupted: %w", context.Cause(ctx))
		case <-ticker.C:
		}
	}
}

// ended gives the runs once every stream has done what was asked, nil before.
func ended(ctx context.Context, a *engine.App, keys []pipeline.Key) ([]report.Run, error) {
	rows, err := a.Report.Streams(ctx, "")
	if err != nil {
		return nil, err
	}
	state := make(map[pipeline.Key]report.Stream, len(rows))
	for i := range rows {
		s := rows[i]
		state[pipeline.Key{Organization: s.Organization, Service: s.Service, Resource: s.Resource}] = s
	}
	runs := make([]report.Run, 0, len(keys))
	for _, key := range keys {
		stream := state[key]
		if stream.Done < stream.Wanted || stream.LastRun == nil {
			return nil, nil // not yet
		}
		run, err := a.Report.RunProgress(ctx, *stream.LastRun)
		if err != nil {
			return nil, err
		}
		if run.Outcome != string(pipeline.OutcomeDone) || run.Quarantined > 0 {
			return nil, fmt.Errorf("the run of %s ended %s with %d records in quarantine: %s", key, run.Outcome, run.Quarantined, run.Note)
		}
		runs = append(runs, run)
	}
	return runs, nil
}
