// Command atlimit measures how close to the permitted calls a minute large lists are read,
// by one process and by four, at several latencies of upstream, and how long the decision
// takes whether a call may leave. make bench runs it; docs/performance.md has its figures.
//
// Every party is a process of its own: a durable private Postgres, the sandbox, which
// enforces the limits and is the judge, and workers, which are this program again. What is
// read are lists beyond their hundredth page, by runs that move no mark: the state in
// which a large backfill is nearly all the time. A minute is ten seconds here, and
// everything that is measured in minutes is scaled with it, latencies too; with
// -true-minute it is a minute.
//
// Start reading at run, then one.go.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"sluice/cmd/sluice/cli/view"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	var err error
	if len(os.Args) > 1 && os.Args[1] == workerRole {
		err = work(ctx, os.Args[2:])
	} else {
		err = run(ctx, os.Args[1:])
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "atlimit:", err)
		os.Exit(1)
	}
}

// plan is what is measured.
type plan struct {
	// Program is the sluice to run the sandbox with.
	Program string
	// Minute is how long a minute is, Minutes how many of them are measured.
	Minute  time.Duration
	Minutes int
	// Tariff is the organization's plan upstream.
	Tariff string
	// Processes and Latencies (of a true minute) are gone through.
	Processes []int
	Latencies []time.Duration
	// Lists is how many lists are read side by side.
	Lists int
}

// scaled is a minute in the mode that has not the time.
const scaled = 10 * time.Second

func parse(args []string) (plan, error) {
	p := plan{
		Minute: scaled, Minutes: 4, Processes: []int{1, 4},
		Latencies: []time.Duration{100 * time.Millisecond, time.Second, 3 * time.Second},
	}
	flags := flag.NewFlagSet("atlimit", flag.ContinueOnError)
	flags.StringVar(&p.Program, "sluice", filepath.Join("bin", "sluice"), "the program, built")
	flags.StringVar(&p.Tariff, "plan", "premium", "plan of the organization: free allows 5 calls at once, the others 10")
	flags.IntVar(&p.Lists, "lists", len(streams()), "lists that are read side by side")
	quick := flags.Bool("quick", false, "a minute of two seconds, two of them, one latency: shows that it works, measures little")
	trueMinute := flags.Bool("true-minute", false, "three true minutes of four processes at 3 s")
	if err := flags.Parse(args); err != nil {
		return p, fmt.Errorf("read the flags: %w", err)
	}
	if *quick {
		p.Minute, p.Minutes, p.Latencies = 2*time.Second, 2, p.Latencies[:1]
	}
	if *trueMinute {
		p.Minute, p.Minutes, p.Processes, p.Latencies = time.Minute, 3, p.Processes[1:], p.Latencies[2:]
	}
	if flags.NArg() > 0 || *quick && *trueMinute {
		return p, errors.New("there are no arguments, and -quick has no true minute: see -help")
	}
	if p.Lists < 1 || p.Lists > len(streams()) {
		return p, fmt.Errorf("-lists %d: 1 to %d lists can be read", p.Lists, len(streams()))
	}
	return p, nil
}

// run measures everything and prints it.
func run(ctx context.Context, args []string) (err error) {
	p, err := parse(args)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	s, err := openStage(ctx, p)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close(ctx)) }()
	err = say(os.Stdout, "\nAt the limit: %d calls in a minute of %s, plan %s, %d minutes each, %d lists",
		perMinute, p.Minute, p.Tariff, p.Minutes, p.Lists)
	if err != nil {
		return err
	}
	var rows [][]string
	for _, latency := range p.Latencies {
		for _, processes := range p.Processes {
			m, err := s.measure(ctx, processes, latency)
			if err != nil {
				return err
			}
			rows = append(rows, m.row(latency, processes))
		}
	}
	header := []string{"LATENCY", "PROCESSES", "USED %", "CALLS", "WORST MINUTE", "WORST AT ONCE", "429", "DECISION P50 MS", "P99 MS", "DECISIONS"}
	if err := (view.Printer{Out: os.Stdout}).Table(header, rows); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return say(os.Stdout, `
USED is by the sandbox's count, from the first call to the one with which so many minutes' calls have been made, without the fence post.
WORST MINUTE, WORST AT ONCE and 429 are the sandbox's, which enforces %d and the plan's. Decisions include refusals.`, perMinute)
}

func say(out io.Writer, format string, args ...any) error {
	if _, err := fmt.Fprintf(out, format+"\n", args...); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}
