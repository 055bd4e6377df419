// Command points kills a process of sluice at the places where it leaves something done or not done: before and after each
// statement that writes, and before and after each call of upstream. The places are not chosen but counted, on the lines to
// Postgres and to upstream, while a scenario runs undisturbed; then one trial after the other is killed at one of them. The next
// process has to bring both sides together, and to repeat no more than the calls under way (promises 1 to 6 and 8).
//
// make storm tries some of them, make soak all. Start reading at run, then trial.go and cutter.go.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"sluice/cmd/sluice/storm/ground"
	"sluice/cmd/sluice/storm/proxy"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "points:", err)
		os.Exit(1)
	}
}

// choice is what the flags say.
type choice struct {
	Program       string
	OneIn, Offset int
	Records       int
	Only          string
	JSON          bool
}

func parse(args []string) (choice, error) {
	c := choice{Program: "bin/sluice.test", OneIn: 1, Records: 150}
	flags := flag.NewFlagSet("points", flag.ContinueOnError)
	flags.StringVar(&c.Program, "program", c.Program, "test binary of cmd/sluice, made by go test -c")
	flags.IntVar(&c.OneIn, "one-in", c.OneIn, "try one in so many points")
	flags.IntVar(&c.Offset, "offset", 0, "which of them: another number, other points")
	flags.IntVar(&c.Records, "records", c.Records, "records upstream")
	flags.StringVar(&c.Only, "only", "", "only this scenario: first, edits, sweep or backfill")
	flags.BoolVar(&c.JSON, "json", false, "print what was found as JSON, one scenario a line")
	if err := flags.Parse(args); err != nil {
		return c, fmt.Errorf("read the flags: %w", err)
	}
	known := c.Only == "" || slices.ContainsFunc(scenarios(), func(s scenario) bool { return s.Name == c.Only })
	if min(c.OneIn, c.Records) < 1 || c.Offset < 0 || !known || flags.NArg() > 0 {
		return c, errors.New("-one-in and -records are positive, -offset is not negative, -only names a scenario, and there are no arguments: see -help")
	}
	return c, nil
}

// Found is what was found in one scenario.
type Found struct {
	Scenario string `json:"scenario"`
	// Statements that write and Calls of the undisturbed run: each is two points. Distinct are the statements' texts.
	Statements int `json:"statements"`
	Calls      int `json:"calls"`
	Distinct   int `json:"distinct_statements"`
	// Tried are the trials, Hit those that were killed at their point, At the distinct statements among them.
	Tried   int     `json:"tried"`
	Hit     int     `json:"hit"`
	At      int     `json:"distinct_hit"`
	Seconds float64 `json:"seconds"`
	// Violations are broken promises, with the point.
	Violations []string `json:"violations"`
}

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	c, err := parse(args)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	const minute = 3 * time.Second
	g, err := ground.Open(ctx, ground.Options{Program: c.Program, Seed: 11, Records: c.Records, Minute: minute, Workers: 1, Log: os.Stderr})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close(ctx)) }()
	direct, err := proxy.Listen(ctx, g.Postgres.Dial, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, direct.Close()) }()
	b := &bench{ground: g, direct: direct}
	broken := 0
	for _, sc := range scenarios() {
		if c.Only != "" && c.Only != sc.Name {
			continue
		}
		found, err := b.all(ctx, sc, c)
		if err != nil {
			return fmt.Errorf("scenario %s: %w", sc.Name, err)
		}
		broken += len(found.Violations)
		if err := found.print(out, c.JSON); err != nil {
			return err
		}
	}
	if broken > 0 {
		return fmt.Errorf("%d violations", broken)
	}
	return nil
}

// all tries the points of a scenario.
func (b *bench) all(ctx context.Context, sc scenario, c choice) (Found, error) {
	began := time.Now()
	found := Found{Scenario: sc.Name, Violations: []string{}}
	if err := b.prepare(ctx, sc); err != nil {
		return found, err
	}
	whole, err := b.try(ctx, sc, point{})
	if err != nil {
		return found, err
	}
	found.note(point{Number: 0}, whole)
	found.Statements, found.Calls, found.Distinct = whole.statements, whole.calls, len(whole.distinct)
	at := map[string]bool{}
	for n, p := range pointsOf(whole) {
		if (n+c.Offset)%c.OneIn != 0 {
			continue
		}
		o, err := b.try(ctx, sc, p)
		if err != nil {
			return found, fmt.Errorf("%s %s %d: %w", p.Moment, p.Edge, p.Number, err)
		}
		found.Tried++
		if o.hit != "" {
			found.Hit++
			at[o.hit] = true
		}
		found.note(p, o)
	}
	delete(at, string(toUpstream))
	found.At, found.Seconds = len(at), time.Since(began).Seconds()
	// Processes poll, so the last points may lie behind the end of a quicker run.
	if found.Tried > 10 && found.Hit*10 < found.Tried*8 {
		found.Violations = append(found.Violations, fmt.Sprintf("%d of %d points were hit: that proves little", found.Hit, found.Tried))
	}
	return found, nil
}

// pointsOf are all points of an undisturbed run, the calls first.
func pointsOf(whole outcome) []point {
	var points []point
	for _, line := range []struct {
		edge  edge
		count int
	}{{toUpstream, whole.calls}, {toPostgres, whole.statements}} {
		for n := range line.count {
			points = append(points, point{line.edge, before, n + 1}, point{line.edge, after, n + 1})
		}
	}
	return points
}

func (f *Found) note(at point, o outcome) {
	for _, violation := range o.verdict.Violations {
		f.Violations = append(f.Violations, fmt.Sprintf("killed %s %s %d (%s): %s", at.Moment, at.Edge, at.Number, o.hit, violation))
	}
}

func (f *Found) print(out io.Writer, asJSON bool) error {
	if asJSON {
		if err := json.NewEncoder(out).Encode(f); err != nil {
			return fmt.Errorf("print: %w", err)
		}
		return nil
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%-9s %d statements that write (%d distinct) and %d calls: ", f.Scenario, f.Statements, f.Distinct, f.Calls)
	fmt.Fprintf(&text, "%d of %d points tried, %d hit, at %d distinct statements, %.0f s, %d violations\n",
		f.Tried, 2*(f.Statements+f.Calls), f.Hit, f.At, f.Seconds, len(f.Violations))
	for _, violation := range f.Violations {
		fmt.Fprintf(&text, "VIOLATION: %s\n", violation)
	}
	if _, err := io.WriteString(out, text.String()); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}
