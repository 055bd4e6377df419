// Package bench measures sluice against its goals and prints one table: each line, its goal, its
// measurement, met or missed. make bench runs it; docs/performance.md has the lines and the last
// recorded run.
//
// Ratios have both sides in one run, in turn, and the median of several rounds counts. The program
// is processes of its own beside a durable private Postgres: workers, which are this program again.
// Upstream is the sandbox in this process.
//
// Start reading at lines in table.go, then loader.go, memory.go, limit.go and calls.go.
package bench

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// plan is the extent of a measurement.
type plan struct {
	quick  bool
	only   []string // the first words of the names of lines
	rounds int
	// loaded are the numbers of records of the loader's lines.
	loaded map[string]int
	// companies are the sizes of the organizations whose lists are copied at once for the line of
	// memory.
	companies []int
	// minute is the length of a minute of the limit, minutes the number of them.
	minute  time.Duration
	minutes int
	// large and small are the records of the lists whose calls are counted, changes the numbers of
	// records that change, gone that of deletions, single that of single records.
	large, small int
	changes      []int
	gone, single int
	// processes are the numbers of processes that share the limit.
	processes []int
}

func parse(args []string, log io.Writer) (plan, error) {
	p := plan{
		rounds: 3, loaded: map[string]int{nameItems: 50_000, nameBills: 10_000}, companies: []int{20_000, 500_000},
		minute: 10 * time.Second, minutes: 4, processes: []int{1, 4},
		large: 50_400, small: 1_000, changes: []int{1, 50, 1_000}, gone: 50, single: 400,
	}
	flags := flag.NewFlagSet("sluice-dev bench", flag.ContinueOnError)
	flags.SetOutput(log)
	only := flags.String("only", "loader,memory,details,limit,calls", "the lines to measure, by the first words of their names")
	flags.BoolVar(&p.quick, "quick", false, "small sizes and one round: shows that it works, measures nothing")
	if err := flags.Parse(args); err != nil {
		return p, err
	}
	if flags.NArg() > 0 {
		return p, errors.New("there are no arguments: see -help")
	}
	if p.quick {
		p.rounds, p.loaded, p.companies = 1, map[string]int{nameItems: 2_000, nameBills: 500}, []int{2_000}
		p.minute, p.minutes, p.processes = 2*time.Second, 2, p.processes[:1]
		p.large, p.small, p.changes, p.gone, p.single = 1_000, 100, []int{1, 10, 250}, 10, 100
	}
	p.only = strings.Split(*only, ",")
	for _, word := range p.only {
		if !slices.ContainsFunc(parts, func(part part) bool { return part.line == word }) {
			return p, fmt.Errorf("no line begins with %q: see docs/performance.md", word)
		}
	}
	return p, nil
}

// part measures the lines whose names begin with a word.
type part struct {
	line    string
	measure func(context.Context, *stage, *plan, *table) error
}

var parts = []part{
	{"loader", measureLoader}, {"memory", measureMemory}, {"details", measureDetails}, {"limit", measureLimit}, {"calls", measureCalls},
}

// Run measures the requested lines and prints them. As a worker, which it starts itself, it copies.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if len(args) > 0 && args[0] == workerRole {
		// As the program does. The harness itself has no limit: it keeps all records of the loader's
		// lines in memory, far above it, and would measure the garbage collector.
		debug.SetMemoryLimit(96 << 20)
		return work(ctx, args[1:], stdout)
	}
	p, err := parse(args, stderr)
	if err != nil {
		return err
	}
	t := &table{lines: lines()}
	return onStage(ctx, func(s *stage) error {
		if t.machine, err = s.machine(ctx, &p); err != nil {
			return err
		}
		for _, part := range parts {
			if slices.Contains(p.only, part.line) {
				fmt.Fprintf(stderr, "measuring: %s\n", part.line)
				if err := part.measure(ctx, s, &p, t); err != nil {
					return err
				}
			}
		}
		return t.print(stdout)
	})
}
