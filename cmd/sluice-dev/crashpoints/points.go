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
	"maps"
	"regexp"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"sluice/cmd/sluice-dev/harness"
	"sluice/cmd/sluice-dev/harness/proxy"
)

// choice holds the flags.
type choice struct {
	oneIn, offset int
	only          string
	at            *regexp.Regexp
}

func parse(args []string, log io.Writer) (choice, error) {
	var c choice
	flags := flag.NewFlagSet("sluice-dev crashpoints", flag.ContinueOnError)
	flags.SetOutput(log)
	flags.IntVar(&c.oneIn, "one-in", 1, "try one in so many points")
	flags.IntVar(&c.offset, "offset", 0, "which of them: another number, other points")
	flags.StringVar(&c.only, "only", "", "only this scenario: first, edits, sweep, backfill, erase, callbacks or told")
	flags.Func("at", "only points whose name, as violations have it, matches this expression", func(text string) error {
		var err error
		c.at, err = regexp.Compile(text)
		return err
	})
	if err := flags.Parse(args); err != nil {
		return c, err
	}
	if c.oneIn < 1 || c.offset < 0 || len(c.undisturbed()) == 0 || flags.NArg() > 0 {
		return c, errors.New("-one-in is positive, -offset is not negative, -only names a scenario, and there are no arguments: see -help")
	}
	return c, nil
}

// undisturbed returns the scenarios that the flags select, without a kill.
func (c *choice) undisturbed() []trial {
	var all []trial
	for _, sc := range scenarios() {
		if c.only == "" || c.only == sc.name {
			all = append(all, trial{Scenario: sc.name})
		}
	}
	return all
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
		classes := slices.SortedFunc(maps.Keys(c[sc.name]), func(a, b class) int {
			return cmp.Or(cmp.Compare(a.Edge, b.Edge), cmp.Compare(a.What, b.What))
		})
		for _, what := range classes {
			for n := range c[sc.name][what] {
				trials = append(trials, trial{sc.name, point{what, before, n + 1}}, trial{sc.name, point{what, after, n + 1}})
			}
		}
	}
	return trials
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
	lanes, err := openLanes(ctx)
	defer func() { err = errors.Join(err, lanes.close(ctx)) }()
	if err != nil {
		return err
	}
	passed := make(counts)
	err = lanes.tryAll(ctx, c.undisturbed(), func(t trial, r result) error {
		passed[t.Scenario] = r.seen
		if len(r.violations) > 0 {
			return fmt.Errorf("scenario %s, without a kill: %s", t.Scenario, r.violations)
		}
		return nil
	})
	if err != nil {
		return err
	}
	results := make(map[trial]result)
	trials := c.chosen(passed)
	err = lanes.tryAll(ctx, trials, func(t trial, r result) error {
		results[t] = r
		if n := len(results); n%50 == 0 {
			_, _ = fmt.Fprintf(stderr, "%d of %d points\n", n, len(trials)) // an error of progress is ignored
		}
		return nil
	})
	if err != nil {
		return err
	}
	return report(stdout, len(passed.all()), results)
}

// result is the result of a trial: the process was killed at the point, and had not ended before;
// the events that passed; broken invariants.
type result struct {
	hit        bool
	seen       map[class]int
	violations []string
}

// report prints the findings. Broken invariants are an error, and so is a pass that proves too
// little.
func report(stdout io.Writer, points int, results map[trial]result) error {
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
	fmt.Fprintf(stdout, "%d points: %d tried, %d hit, %d violations\n", points, tried, hit, violations)
	switch {
	case violations > 0:
		return fmt.Errorf("%d violations", violations)
	// Processes do some things at irregular times, so a quicker run may end before its point.
	case tried > 10 && hit*10 < tried*8:
		return fmt.Errorf("of %d trials %d were hit: that proves little", tried, hit)
	}
	return nil
}

// lanes run trials side by side: a trial waits more than it works.
type lanes []*lane

// side is the number of trials side by side.
const side = 6

// openLanes opens lanes on one Postgres, and returns with an error those that it opened.
func openLanes(ctx context.Context) (lanes, error) {
	options := harness.Options{Program: "bin/sluice.test", Seed: 11, Records: 150, Minute: 3 * time.Second, Fleeting: true}
	first, err := harness.Open(ctx, options)
	if err != nil {
		return nil, err
	}
	ls := lanes{{bed: first}}
	for n := 1; n < side; n++ {
		beside, err := first.Beside(ctx)
		if err != nil {
			return ls, err
		}
		ls = append(ls, &lane{number: n, bed: beside})
	}
	for _, l := range ls {
		l.bed.Receiver = l.reach
		if l.direct, err = proxy.Listen(ctx, first.Postgres.Dial, nil); err != nil {
			return ls, err
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

// tryAll plays trials, each on a free lane, and notes their results one at a time, until one fails.
func (ls lanes) tryAll(ctx context.Context, trials []trial, note func(trial, result) error) error {
	free := make(chan *lane, len(ls))
	for _, l := range ls {
		free <- l
	}
	var mu sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	for _, t := range trials {
		l := <-free
		group.Go(func() error {
			defer func() { free <- l }()
			r, err := l.try(ctx, t)
			if err != nil {
				return fmt.Errorf("%s: %w", t, err)
			}
			mu.Lock()
			defer mu.Unlock()
			return note(t, r)
		})
	}
	return group.Wait()
}
