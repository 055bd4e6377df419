// Command sluice-scale simulates a fleet in virtual time: many organizations and streams, for days,
// with outages, killed processes and other clients that spend the same allowance. make scale runs
// it; docs/simulation.md has its table and explains it.
//
// The deciding parts are real: the functions of the call log and the statements of the schedule, on
// a real Postgres with a virtual clock. The rest is simulated: upstream, which is the judge, and
// the workers, which wait and return as packages budget and jobs do. It fetches and loads nothing.
//
// Start reading at simulation.run, then chunk.go; package upstream is the judge.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"sluice/cmd/sluice-scale/virtual"
	"sluice/pipeline/warehouse/calls"
	"sluice/pipeline/warehouse/postgres/local"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := simulate(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "sluice-scale:", err)
		os.Exit(1)
	}
}

// usual returns the scenario of docs/simulation.md.
func usual() scenario {
	return scenario{Organizations: 1000, Days: 7, Processes: 8, Workers: 8, Tick: 15 * time.Second, Backfill: 40, LongEvery: 10, Seed: 1}
}

func parse(args []string) (scenario, time.Duration, error) {
	s, limit := usual(), time.Duration(0)
	flags := flag.NewFlagSet("sluice-scale", flag.ContinueOnError)
	flags.IntVar(&s.Organizations, "organizations", s.Organizations, "organizations, of 20 streams each")
	flags.IntVar(&s.Days, "days", s.Days, "virtual days")
	flags.IntVar(&s.Processes, "processes", s.Processes, "processes that work")
	flags.IntVar(&s.Workers, "workers", s.Workers, "chunks that a process works at once")
	flags.IntVar(&s.Backfill, "backfill", s.Backfill, "calls of each organization's backfill")
	flags.IntVar(&s.LongEvery, "long-every", s.LongEvery, "one in so many organizations has a backfill of days")
	flags.DurationVar(&limit, "limit", 0, "end after so long, and judge the virtual time that has passed; 0: no limit")
	flags.BoolVar(&s.Adaptive, "adaptive", s.Adaptive, "learn the intervals of incremental streams")
	flags.Uint64Var(&s.Seed, "seed", s.Seed, "the same seed gives the same simulation")
	if err := flags.Parse(args); err != nil {
		return s, 0, fmt.Errorf("read the flags: %w", err)
	}
	if min(s.Organizations, s.Days, s.Processes, s.Workers, s.Backfill, s.LongEvery) < 1 || flags.NArg() > 0 {
		return s, 0, errors.New("all figures have to be positive, and there are no arguments: see -help")
	}
	return s, limit, nil
}

// simulate runs a scenario on a private Postgres and prints the verdict.
func simulate(ctx context.Context, args []string, out, log io.Writer) (err error) {
	s, limit, err := parse(args)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	server, err := local.Start(ctx, local.Options{Log: log})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop(context.WithoutCancel(ctx))) }()
	db, err := virtual.Open(ctx, server.URL(), calls.DefaultRules())
	if err != nil {
		return err
	}
	defer db.Pool.Close()
	sim, err := newSimulation(s, db)
	if err != nil {
		return err
	}
	start := time.Now()
	if limit > 0 {
		sim.stop = func() bool { return time.Since(start) > limit }
	}
	err = sim.run(ctx, func(hour int) {
		_, _ = fmt.Fprintf(log, "%s: day %d, %02d:00, %d calls\n", // an error of progress is ignored
			time.Since(start).Round(time.Second), hour/24+1, hour%24, sim.counts.granted)
	})
	if err != nil {
		return err
	}
	took := time.Since(start)
	v := sim.judge()
	if _, err := fmt.Fprintf(out, "%+v\n%s of virtual time, %d calls in %s: %.0f calls a second\n\n",
		s, sim.end, sim.counts.granted, took.Round(time.Second), float64(sim.counts.granted)/took.Seconds()); err != nil {
		return err
	}
	if err := v.table(out); err != nil {
		return err
	}
	left, err := db.Sizes(ctx)
	if err != nil {
		return err
	}
	each := int64(max(1, sim.counts.granted))
	if _, err := fmt.Fprintf(out, "for each call: %d bytes of call log, %d written ahead; spent %.1f MB, live calls %.1f MB\n",
		left.Calls/each, left.Ahead/each, float64(left.Spent)/1e6, float64(left.Live)/1e6); err != nil {
		return err
	}
	for _, broken := range v.Broken[:min(len(v.Broken), 20)] {
		if _, err := fmt.Fprintln(out, "BROKEN:", broken); err != nil {
			return err
		}
	}
	if len(v.Broken) > 0 {
		return fmt.Errorf("%d things do not hold", len(v.Broken))
	}
	return nil
}
