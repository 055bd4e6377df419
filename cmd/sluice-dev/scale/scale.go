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

func parse(args []string, log io.Writer) (scenario, error) {
	s := scenario{Tick: 15 * time.Second, Backfill: 40, LongEvery: 10}
	flags := flag.NewFlagSet("sluice-dev scale", flag.ContinueOnError)
	flags.SetOutput(log)
	flags.IntVar(&s.Organizations, "organizations", 1000, "organizations, of 20 streams each")
	flags.IntVar(&s.Days, "days", 7, "virtual days")
	flags.Uint64Var(&s.Seed, "seed", 1, "the same seed gives the same simulation")
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
	server, err := harness.StartServer(ctx, harness.ServerOptions{})
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
	sim.each(0, 24*time.Hour, func(context.Context) error {
		fmt.Fprintf(stderr, "%s: %s of virtual time, %d calls\n", time.Since(start).Round(time.Second), sim.now, sim.counts.granted)
		return nil
	})
	if err := sim.run(ctx); err != nil {
		return err
	}
	v := sim.judge()
	fmt.Fprintf(stdout, "%+v\n%d calls in %s\n\n| What | Allowed | Measured |\n|---|---|---|\n%s",
		s, sim.counts.granted, time.Since(start).Round(time.Second), v.table)
	for _, broken := range v.Broken[:min(len(v.Broken), 20)] {
		fmt.Fprintln(stdout, "BROKEN:", broken)
	}
	if len(v.Broken) > 0 {
		return fmt.Errorf("%d things do not hold", len(v.Broken))
	}
	return nil
}
