// Package scale simulates a fleet in virtual time: many organizations and streams, for days, with
// outages and other clients that spend the same allowance. make scale runs it; docs/simulation.md has
// its table and explains it.
//
// The deciding parts are real: the functions of the call log and the statements of the schedule, on
// a real Postgres with a virtual clock. The rest is simulated: upstream, which is the judge and
// counts arrivals for itself, and the workers, which wait and return as packages budget and jobs do.
// It fetches and loads nothing.
//
// Start reading at simulation.run, then chunk.go; upstream.go has the judge.
package scale

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"time"

	"sluice/cmd/sluice-dev/harness"
	"sluice/pipeline/warehouse/calls"
)

// usual returns the scenario of docs/simulation.md.
func usual() scenario {
	return scenario{Organizations: 1000, Days: 7, Workers: 64, Tick: 15 * time.Second, Backfill: 40, LongEvery: 10, Seed: 1}
}

func parse(args []string, log io.Writer) (scenario, error) {
	s := usual()
	flags := flag.NewFlagSet("sluice-dev scale", flag.ContinueOnError)
	flags.SetOutput(log)
	flags.IntVar(&s.Organizations, "organizations", s.Organizations, "organizations, of 20 streams each")
	flags.IntVar(&s.Days, "days", s.Days, "virtual days")
	flags.Uint64Var(&s.Seed, "seed", s.Seed, "the same seed gives the same simulation")
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	if min(s.Organizations, s.Days) < 1 || flags.NArg() > 0 {
		return s, errors.New("all figures have to be positive, and there are no arguments: see -help")
	}
	return s, nil
}

// Run simulates a scenario on a private Postgres and prints the verdict.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	s, err := parse(args, stderr)
	if err != nil {
		return err
	}
	server, err := harness.StartServer(ctx, harness.ServerOptions{Log: stderr})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop(ctx)) }()
	db, err := openDatabase(ctx, server.URL(""), calls.DefaultRules())
	if err != nil {
		return err
	}
	defer db.Pool.Close()
	sim, err := newSimulation(s, db)
	if err != nil {
		return err
	}
	start := time.Now()
	err = sim.run(ctx, func(hour int) {
		_, _ = fmt.Fprintf(stderr, "%s: day %d, %02d:00, %d calls\n", // an error of progress is ignored
			time.Since(start).Round(time.Second), hour/24+1, hour%24, sim.counts.granted)
	})
	if err != nil {
		return err
	}
	took := time.Since(start)
	v := sim.judge()
	fmt.Fprintf(stdout, "%+v\n%s of virtual time, %d calls in %s: %.0f calls a second\n\n",
		s, sim.end, sim.counts.granted, took.Round(time.Second), float64(sim.counts.granted)/took.Seconds())
	v.table(stdout)
	for _, broken := range v.Broken[:min(len(v.Broken), 20)] {
		fmt.Fprintln(stdout, "BROKEN:", broken)
	}
	if len(v.Broken) > 0 {
		return fmt.Errorf("%d things do not hold", len(v.Broken))
	}
	return nil
}
