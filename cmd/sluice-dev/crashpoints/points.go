// Package crashpoints kills a process of sluice at every place with a possible loss: before and
// after each statement that writes and each call of upstream. It finds the places by counting, on
// the lines to Postgres and to upstream, during an undisturbed run of a scenario. Each trial is
// then killed at one of them. The next process must make both sides equal, and repeat no more than
// the calls under way (invariants 1 to 6 and 8).
//
// make crashpoints tries one point in twenty, make nightly all. Start reading at Run, then trial.go
// and cutter.go.
package crashpoints

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"regexp"
	"slices"
	"sync"
	"time"

	"sluice/cmd/sluice-dev/harness"
	"sluice/cmd/sluice-dev/harness/proxy"
)

// choice holds the flags.
type choice struct {
	program       string
	oneIn, offset int
	records       int
	parallel      int
	only          string
	at            *regexp.Regexp
}

func parse(args []string, log io.Writer) (choice, error) {
	var c choice
	flags := flag.NewFlagSet("sluice-dev crashpoints", flag.ContinueOnError)
	flags.SetOutput(log)
	flags.StringVar(&c.program, "program", "bin/sluice.test", "test binary of cmd/sluice/cli, made by go test -c")
	flags.IntVar(&c.oneIn, "one-in", 1, "try one in so many points")
	flags.IntVar(&c.offset, "offset", 0, "which of them: another number, other points")
	flags.IntVar(&c.records, "records", 150, "records upstream")
	flags.IntVar(&c.parallel, "parallel", 6, "trials side by side")
	flags.StringVar(&c.only, "only", "", "only this scenario: first, edits, sweep, backfill, erase, callbacks or told")
	flags.Func("at", "only points whose name, as violations have it, matches this expression", func(text string) error {
		var err error
		c.at, err = regexp.Compile(text)
		return err
	})
	if err := flags.Parse(args); err != nil {
		return c, err
	}
	known := c.only == "" || slices.ContainsFunc(scenarios(), func(s scenario) bool { return s.name == c.only })
	if min(c.oneIn, c.records, c.parallel) < 1 || c.offset < 0 || !known || flags.NArg() > 0 {
		return c, errors.New("figures are positive, -offset is not negative, -only names a scenario, and there are no arguments: see -help")
	}
	return c, nil
}

// trial is a scenario with a kill at a point.
type trial struct {
	Scenario string
	point
}

// String names a trial as violations do.
func (t trial) String() string {
	return fmt.Sprintf("%s, killed %s %s %d (%s)", t.Scenario, t.Moment, t.Edge, t.Number, t.What)
}

// counts holds how often each class passes in an undisturbed run, by scenario.
type counts map[string]map[class]int

// all returns all points, in an order that is the same for the same counts: scenario by scenario,
// the calls first.
func (c counts) all() []trial {
	var trials []trial
	for _, sc := range scenarios() {
		for _, what := range sortedClasses(c[sc.name]) {
			for n := range c[sc.name][what] {
				trials = append(trials, trial{sc.name, point{what, before, n + 1}}, trial{sc.name, point{what, after, n + 1}})
			}
		}
	}
	return trials
}

func sortedClasses[T any](of map[class]T) []class {
	classes := make([]class, 0, len(of))
	for what := range of {
		classes = append(classes, what)
	}
	slices.SortFunc(classes, func(a, b class) int { return cmp.Or(cmp.Compare(a.Edge, b.Edge), cmp.Compare(a.What, b.What)) })
	return classes
}

// chosen returns the trials that the flags select.
func (c *choice) chosen(passed counts) []trial {
	var some []trial
	for n, t := range passed.all() {
		if c.at != nil && c.at.MatchString(t.String()) || c.at == nil && (n+c.offset)%c.oneIn == 0 {
			some = append(some, t)
		}
	}
	return some
}

// Run tries the points.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	c, err := parse(args, stderr)
	if err != nil {
		return err
	}
	const minute = 3 * time.Second
	options := harness.Options{Program: c.program, Seed: 11, Records: c.records, Minute: minute, Workers: 1, Fleeting: true}
	lanes, err := openLanes(ctx, options, c.parallel)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lanes.close(ctx)) }()
	passed, err := lanes.count(ctx, slices.DeleteFunc(scenarios(), func(s scenario) bool { return c.only != "" && c.only != s.name }))
	if err != nil {
		return err
	}
	results := make(map[trial]result)
	if err := lanes.tryAll(ctx, results, c.chosen(passed), stderr); err != nil {
		return err
	}
	return report(stdout, passed, results)
}

// result is the result of a trial: the process was killed at the point, and had not ended before;
// broken invariants.
type result struct {
	hit        bool
	violations []string
}

// report prints the findings. Broken invariants are an error, and so is a pass that proves too
// little.
func report(stdout io.Writer, passed counts, results map[trial]result) error {
	classes := make(map[class]bool)
	for _, count := range passed {
		for what := range count {
			classes[what] = true
		}
	}
	hit, violations := 0, 0
	for t, r := range results {
		if r.hit {
			hit++
		}
		for _, violation := range r.violations {
			violations++
			fmt.Fprintf(stdout, "VIOLATION: %s: %s\n", t, violation)
		}
	}
	tried := len(results)
	fmt.Fprintf(stdout, "%d points of %d kinds of statements and calls: %d tried, %d hit, %d violations\n",
		len(passed.all()), len(classes), tried, hit, violations)
	switch {
	case violations > 0:
		return fmt.Errorf("%d violations", violations)
	// Processes do some things at irregular times, so a quicker run may end before its point.
	case tried > 10 && hit*10 < tried*8:
		return fmt.Errorf("of %d classes and %d trials %d were hit: that proves little", len(classes), tried, hit)
	}
	return nil
}

// lanes run trials side by side: a trial waits more than it works.
type lanes []*lane

// openLanes opens so many lanes on one Postgres.
func openLanes(ctx context.Context, options harness.Options, count int) (_ lanes, err error) {
	var ls lanes
	defer func() {
		if err != nil {
			err = errors.Join(err, ls.close(ctx))
		}
	}()
	for n := range count {
		l := &lane{number: n}
		if n == 0 {
			l.bed, err = harness.Open(ctx, options)
		} else {
			l.bed, err = ls[0].bed.Beside(ctx)
		}
		if err != nil {
			return nil, err
		}
		l.bed.Receiver = l.reach
		ls = append(ls, l)
		if l.direct, err = proxy.Listen(ctx, l.bed.Postgres.Dial, nil); err != nil {
			return nil, err
		}
	}
	return ls, nil
}

// close closes the lanes, the one with the server last.
func (ls lanes) close(ctx context.Context) error {
	var errs []error
	for _, l := range slices.Backward(ls) {
		if l.direct != nil {
			errs = append(errs, l.direct.Close())
		}
		errs = append(errs, l.bed.Close(ctx))
	}
	return errors.Join(errs...)
}

// do runs pieces of work, each on a free lane, until one fails.
func (ls lanes) do(ctx context.Context, pieces int, work func(ctx context.Context, l *lane, piece int) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var mu sync.Mutex
	next := 0
	var working sync.WaitGroup
	for _, l := range ls {
		working.Go(func() {
			for ctx.Err() == nil {
				mu.Lock()
				piece := next
				next++
				mu.Unlock()
				if piece >= pieces {
					return
				}
				if err := work(ctx, l, piece); err != nil {
					stop(err)
				}
			}
		})
	}
	working.Wait()
	return context.Cause(ctx)
}

// count runs the scenarios undisturbed, and returns the events. Each must leave both sides equal.
func (ls lanes) count(ctx context.Context, chosen []scenario) (counts, error) {
	var mu sync.Mutex
	passed := make(counts)
	err := ls.do(ctx, len(chosen), func(ctx context.Context, l *lane, piece int) error {
		sc := chosen[piece]
		if err := l.prepare(ctx, sc); err != nil {
			return fmt.Errorf("scenario %s: %w", sc.name, err)
		}
		c, violations, err := l.try(ctx, sc, point{})
		if err != nil {
			return fmt.Errorf("scenario %s: %w", sc.name, err)
		}
		if len(violations) > 0 {
			return fmt.Errorf("scenario %s, without a kill: %s", sc.name, violations)
		}
		mu.Lock()
		defer mu.Unlock()
		passed[sc.name] = c.seen
		return nil
	})
	return passed, err
}

// tryAll runs trials, and reports its progress now and then.
func (ls lanes) tryAll(ctx context.Context, results map[trial]result, trials []trial, log io.Writer) error {
	byName := make(map[string]scenario)
	for _, sc := range scenarios() {
		byName[sc.name] = sc
	}
	var mu sync.Mutex
	return ls.do(ctx, len(trials), func(ctx context.Context, l *lane, piece int) error {
		t := trials[piece]
		c, violations, err := l.try(ctx, byName[t.Scenario], t.point)
		if err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
		mu.Lock()
		defer mu.Unlock()
		results[t] = result{c.hit, violations}
		if n := len(results); n%50 == 0 {
			_, _ = fmt.Fprintf(log, "%d of %d points\n", n, len(trials)) // an error of progress is ignored
		}
		return nil
	})
}
