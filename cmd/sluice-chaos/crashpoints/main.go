// Command crashpoints kills a process of sluice at every place with a possible loss: before and
// after each statement that writes and each call of upstream. It finds the places by counting, on
// the lines to Postgres and to upstream, during an undisturbed run of a scenario. Each trial is
// then killed at one of them. The next process must make both sides equal, and repeat no more than
// the calls under way (invariants 1 to 6 and 8).
//
// make crashpoints tries each statement and each kind of call, make nightly all points. Start
// reading at run, then lanes.go, trial.go and cutter.go.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"syscall"
	"time"

	"sluice/cmd/sluice-chaos/testbed"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "crashpoints:", err)
		os.Exit(1)
	}
}

// choice holds the flags.
type choice struct {
	Program       string
	Each          bool
	Seed          uint64
	OneIn, Offset int
	Records       int
	Parallel      int
	Only, Results string
	At            *regexp.Regexp
	JSON          bool
}

func parse(args []string) (choice, error) {
	c := choice{Program: "bin/sluice.test", OneIn: 1, Records: 150, Parallel: 6}
	flags := flag.NewFlagSet("crashpoints", flag.ContinueOnError)
	flags.StringVar(&c.Program, "program", c.Program, "test binary of cmd/sluice/cli, made by go test -c")
	flags.BoolVar(&c.Each, "each", false, "try one point of each class: of each statement and each kind of call")
	flags.Uint64Var(&c.Seed, "seed", 0, "which points -each tries")
	flags.IntVar(&c.OneIn, "one-in", c.OneIn, "try one in so many points")
	flags.IntVar(&c.Offset, "offset", 0, "which of them: another number, other points")
	flags.IntVar(&c.Records, "records", c.Records, "records upstream")
	flags.IntVar(&c.Parallel, "parallel", c.Parallel, "trials side by side")
	flags.StringVar(&c.Only, "only", "", "only this scenario: first, edits, sweep, backfill, erase, text, callbacks or told")
	flags.Func("at", "only points whose name, as violations have it, matches this expression", func(text string) error {
		match, err := regexp.Compile(text)
		c.At = match
		return err
	})
	flags.StringVar(&c.Results, "results", "", "file that keeps what became of each trial; those in it are not tried again")
	flags.BoolVar(&c.JSON, "json", false, "print what was found as JSON, one scenario a line")
	if err := flags.Parse(args); err != nil {
		return c, fmt.Errorf("read the flags: %w", err)
	}
	known := c.Only == "" || slices.ContainsFunc(scenarios(), func(s scenario) bool { return s.Name == c.Only })
	if min(c.OneIn, c.Records, c.Parallel) < 1 || c.Offset < 0 || !known || flags.NArg() > 0 {
		return c, errors.New("figures are positive, -offset is not negative, -only names a scenario, and there are no arguments: see -help")
	}
	return c, nil
}

// trials returns the trials that the flags select.
func (c *choice) trials(passed counts) []trial {
	if c.Each {
		return passed.each(c.Seed)
	}
	var some []trial
	if c.At != nil {
		return slices.DeleteFunc(passed.all(), func(t trial) bool { return !c.At.MatchString(t.String()) })
	}
	for n, t := range passed.all() {
		if (n+c.Offset)%c.OneIn == 0 {
			some = append(some, t)
		}
	}
	return some
}

func run(ctx context.Context, args []string, out, log io.Writer) (err error) {
	c, err := parse(args)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	kept, err := openLedger(c.Results)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, kept.close()) }()
	const minute = 3 * time.Second
	side, err := openLanes(ctx, testbed.Options{
		Program: c.Program, Seed: 11, Records: c.Records, Minute: minute, Workers: 1, Fleeting: true, Log: log,
	}, c.Parallel)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, side.close(ctx)) }()
	chosen := slices.DeleteFunc(scenarios(), func(s scenario) bool { return c.Only != "" && c.Only != s.Name })
	passed, err := side.count(ctx, chosen)
	if err != nil {
		return err
	}
	trials := c.trials(passed)
	if err := side.tryAll(ctx, kept, trials, log); err != nil {
		return err
	}
	if c.Each { // classes that were missed are tried once more, at their first event
		if err := side.tryAll(ctx, kept, kept.missed(trials), log); err != nil {
			return err
		}
	}
	return report(out, c, passed, kept)
}

// report prints the findings. Broken invariants are an error, and so is a pass that proves too
// little.
func report(out io.Writer, c choice, passed counts, kept *ledger) error {
	var all Found
	names := append(slices.Sorted(maps.Keys(passed)), "")
	for _, name := range names {
		all = sum(name, passed, kept.done)
		if err := all.print(out, c.JSON); err != nil {
			return err
		}
	}
	for _, violation := range all.Violations {
		if _, err := fmt.Fprintf(out, "VIOLATION: %s\n", violation); err != nil {
			return fmt.Errorf("print: %w", err)
		}
	}
	switch {
	case len(all.Violations) > 0:
		return fmt.Errorf("%d violations", len(all.Violations))
	// Processes do some things at irregular times, so a quicker run may end before its point.
	case all.Tried > 10 && all.Hit*10 < all.Tried*8:
		return fmt.Errorf("%d of %d points were hit: that proves little", all.Hit, all.Tried)
	case c.Each && (all.Tried < all.Classes || all.Hit*10 < all.Tried*9):
		return fmt.Errorf("of %d classes and %d trials %d were hit: that proves little", all.Classes, all.Tried, all.Hit)
	}
	return nil
}
