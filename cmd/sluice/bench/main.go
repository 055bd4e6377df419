// Command bench measures sluice end to end against the sandbox without limits:
// one stream beside a raw COPY of the same rows, and the peak memory of a whole
// sync at two sizes. make bench runs it; docs/performance.md has its figures.
//
// Every party is a process of its own, so that time and memory are those of sluice
// alone: a durable private Postgres, the sandbox (sluice sandbox --no-limits), and
// for each sync a worker. The worker is this program again: it wires package app as
// the command sync does and takes the limits out of the declarations, for which the
// configuration has no key, on purpose.
//
// It never compares with figures of another run: what counts are the ratios inside
// one. Start reading at run, then stream.go and memory.go.
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
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// plan is what is measured.
type plan struct {
	// Program is the sluice to run the sandbox and the migrations with.
	Program string
	// Streams and Records of each are measured beside raw COPY, Repetitions times.
	Streams     []string
	Records     int
	Repetitions int
	// Sizes are the companies of the memory part, in records over all resources.
	Sizes [2]int
	// Profile is a file for the CPU profile of the first worker; "" for none.
	Profile string
}

func parse(args []string) (plan, error) {
	p := plan{
		Streams: []string{"inventory.items", "inventory.bills"}, Records: 50_000, Repetitions: 3, Sizes: [2]int{20_000, 500_000},
	}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	quick := flags.Bool("quick", false, "small sizes and one repetition: shows that it works, measures little")
	only := flags.String("stream", "", "measure this stream only, and no memory, such as inventory.items")
	flags.StringVar(&p.Program, "sluice", filepath.Join("bin", "sluice"), "the program, built")
	flags.IntVar(&p.Records, "records", p.Records, "records of each stream")
	flags.IntVar(&p.Repetitions, "repetitions", p.Repetitions, "repetitions of each stream, of which the median counts")
	flags.StringVar(&p.Profile, "cpuprofile", "", "file for a CPU profile of the first sync of the first stream")
	if err := flags.Parse(args); err != nil {
		return p, fmt.Errorf("read the flags: %w", err)
	}
	if *quick {
		p.Records, p.Repetitions, p.Sizes = 5_600, 1, [2]int{20_000, 40_000}
	}
	if *only != "" {
		p.Streams, p.Sizes = []string{*only}, [2]int{}
	}
	if p.Records < 1 || p.Repetitions < 1 || flags.NArg() > 0 {
		return p, errors.New("records and repetitions have to be positive, and there are no arguments: see -help")
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
	began := time.Now()
	s, err := openStage(ctx, p.Program, os.Stderr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close(ctx)) }()
	// Memory first: on Linux a child's peak counts what its parent held when it was
	// started, and the parent has held next to nothing so far.
	if p.Sizes[0] > 0 {
		if err := measureMemory(ctx, s, p, os.Stdout); err != nil {
			return err
		}
	}
	if err := measureStreams(ctx, s, p, os.Stdout); err != nil {
		return err
	}
	return say(os.Stdout, "\nAll of it took %.0f s.", time.Since(began).Seconds())
}

func say(out io.Writer, format string, args ...any) error {
	if _, err := fmt.Fprintf(out, format+"\n", args...); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}
