// Command bench measures sluice end to end against the sandbox without limits:
// one stream beside a raw COPY of the same rows, and the peak memory of a whole
// sync at two sizes. make bench runs it; docs/performance.md has its figures.
//
// Every party is a process of its own, so that time and memory are those of sluice
// alone: a durable private Postgres, the sandbox (sluice sandbox --no-limits), and
// for each sync a worker. The worker is this program again: it wires package engine as
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
	"slices"
	"strings"
	"syscall"
	"time"

	"sluice/cmd/sluice-bench/flow"
	"sluice/cmd/sluice-bench/ratios"
	"sluice/cmd/sluice/heap"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	heap.Steady(os.LookupEnv) // as the program does; the rivals have it, too
	var err error
	role := ""
	if len(os.Args) > 1 {
		role = os.Args[1]
	}
	switch role {
	case workerRole:
		err = work(ctx, os.Args[2:])
	case flow.ServerRole:
		err = flow.ServeMain(ctx)
	case flow.FlowRole:
		err = flow.Main(ctx, os.Args[2:])
	default:
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
	// Ratios are measured first, if they say anything about how much.
	Ratios ratios.Options
	// Profile is a file for the CPU profile of the first worker; "" for none.
	Profile string
}

// minimum is the least that is measured: records of a list.
const minimum = 500

func parse(args []string) (plan, error) {
	p := plan{
		Streams: []string{"inventory.items", "inventory.bills"}, Records: 20_000, Repetitions: 3, Sizes: [2]int{20_000, 200_000},
		Ratios: ratios.Options{
			Items: 50_000, Bills: 10_000, Pages: 200_000, Lines: 1_000_000, Sizes: []int{20_000, 500_000},
			Growth: [2]int{100_000, 500_000}, Repetitions: 3,
		},
	}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	quick := flags.Bool("quick", false, "small sizes and one repetition: shows that it works, measures little")
	only := flags.String("stream", "", "measure this stream only, and no memory, such as inventory.items")
	part := flags.String("part", "all", "what is measured: ratios (the table), run (whole runs of sluice), or all")
	lines := flags.String("only", "", "of the ratios only these parts, with commas between: "+strings.Join(ratios.Parts, ", "))
	percent := flags.Int("percent", 100, "size of the table of ratios in percent of the usual") //nolint:mnd // all of it
	huge := flags.Bool("huge", false, "memory and growth with 5,000,000 records, too: some minutes more")
	flags.StringVar(&p.Program, "sluice", filepath.Join("bin", "sluice"), "the program, built")
	flags.IntVar(&p.Records, "records", p.Records, "records of each stream")
	flags.IntVar(&p.Repetitions, "repetitions", p.Repetitions, "repetitions of each stream, of which the median counts")
	flags.StringVar(&p.Profile, "cpuprofile", "", "file for a CPU profile of the first sync of the first stream, or of the last flow of the table")
	if err := flags.Parse(args); err != nil {
		return p, fmt.Errorf("read the flags: %w", err)
	}
	if *quick {
		p.Records, p.Repetitions, p.Sizes = 1_000, 1, [2]int{2_000, 4_000}
		p.Ratios.Items, p.Ratios.Bills, p.Ratios.Pages, p.Ratios.Lines = 2_000, 500, 2_000, 10_000
		p.Ratios.Sizes, p.Ratios.Growth, p.Ratios.Repetitions = []int{1_000, 2_000}, [2]int{5_000, 10_000}, 1
	}
	if *lines != "" {
		p.Ratios.Only = strings.Split(*lines, ",")
	}
	for _, name := range p.Ratios.Only {
		if !slices.Contains(ratios.Parts, name) {
			return p, fmt.Errorf("there are no ratios of %q: see -help", name)
		}
	}
	if *percent < 1 {
		return p, errors.New("percent has to be positive: see -help")
	}
	r := &p.Ratios
	for _, size := range []*int{&r.Items, &r.Bills, &r.Pages, &r.Lines, &r.Sizes[1], &r.Growth[0], &r.Growth[1]} {
		*size = max(*size/100**percent, minimum)
	}
	if *huge {
		p.Ratios.Sizes, p.Ratios.Growth[1] = append(p.Ratios.Sizes, 5_000_000), 5_000_000
	}
	if *only != "" {
		p.Streams, p.Sizes = []string{*only}, [2]int{}
	}
	switch *part {
	case "all":
	case "ratios":
		p.Streams, p.Sizes = nil, [2]int{}
	case "run":
		p.Ratios = ratios.Options{}
	default:
		return p, fmt.Errorf("there is no part %q: see -help", *part)
	}
	if *only != "" {
		p.Ratios = ratios.Options{}
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
	if p.Sizes[0] > 0 {
		if err := measureMemory(ctx, s, p, os.Stdout); err != nil {
			return err
		}
	}
	p.Ratios.Profile = p.Profile
	if err := s.ratios(ctx, p.Ratios, os.Stdout); err != nil {
		return err
	}
	if len(p.Streams) > 0 {
		if err := measureStreams(ctx, s, p, os.Stdout); err != nil {
			return err
		}
	}
	return say(os.Stdout, "\nAll of it took %.0f s.", time.Since(began).Seconds())
}

// ratios measures the table of ratios in a database of its own.
func (s *stage) ratios(ctx context.Context, o ratios.Options, out io.Writer) (err error) {
	if o.Repetitions == 0 {
		return nil
	}
	w, err := s.fresh(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.drop(ctx)) }()
	if o.Program, err = os.Executable(); err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	o.Database, o.Folder, o.Log = w.url, s.folder, s.log
	o.Psql = strings.Fields(s.postgres.PsqlCommand(w.name))[0]
	if err := say(out, "\nThe loader and what brings it records (medians of %d)", o.Repetitions); err != nil {
		return err
	}
	return ratios.Measure(ctx, o, out)
}

func say(out io.Writer, format string, args ...any) error {
	if _, err := fmt.Fprintf(out, format+"\n", args...); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}
