// Command sluice-pins records what the program does, as text files, and compares two recordings.
//
// It is for changes that must change nothing: moves, renames and merges of packages. Record before,
// record afterwards, compare. It knows the program from outside only: it runs bin/sluice as
// processes, with a Postgres and simulated upstreams of its own, and imports nothing of this
// module. So it works the same whatever the packages are called.
//
// A recording holds only what comes out the same each time. What does not is masked by one list,
// masks.go, with the reason of each mask.
//
// Start reading at record.go, which lists the pins, then journey.go, which says what the program is
// put through.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// errDifferent ends a comparison that found something.
var errDifferent = errors.New("the recordings differ")

const usage = `sluice-pins records what the program does, and compares two recordings.

  sluice-pins record -out DIR [-sluice bin/sluice] [-simulation ./pipeline/simulation] [-only PART,PART]
  sluice-pins compare -old DIR -new DIR
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	switch {
	case err == nil:
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	default:
		fmt.Fprintln(os.Stderr, "sluice-pins:", err)
		os.Exit(1)
	}
}

// run runs one command line.
func run(ctx context.Context, args []string, out, log io.Writer) error {
	if len(args) == 0 {
		_, _ = io.WriteString(log, usage) // the error of writing it would say less
		return flag.ErrHelp
	}
	flags := flag.NewFlagSet("sluice-pins "+args[0], flag.ContinueOnError)
	flags.SetOutput(log)
	switch args[0] {
	case "record":
		o := options{log: log}
		flags.StringVar(&o.out, "out", "", "folder to write the recording into; what an earlier recording left there is removed")
		flags.StringVar(&o.sluice, "sluice", "bin/sluice", "the program")
		flags.StringVar(&o.configs, "configs", "pipeline/engine/config/testdata,cmd/sluice-pins/testdata/config",
			"folders with the configurations that are tried; of two with one name the later counts")
		flags.StringVar(&o.simulated, "simulation", "./pipeline/simulation", "package whose tests simulate schedules; empty leaves the traces out")
		flags.IntVar(&o.seeds, "seeds", 10_000, "how many schedules of the simulation are traced")
		flags.StringVar(&o.only, "only", "", "record only these parts, with commas: "+partNames())
		flags.BoolVar(&o.verbose, "v", false, "say each step")
		if err := flags.Parse(args[1:]); err != nil {
			return fmt.Errorf("read the flags: %w", err)
		}
		return record(ctx, o)
	case "compare":
		before := flags.String("old", "", "folder of the recording before")
		after := flags.String("new", "", "folder of the recording afterwards")
		lines := flags.Int("lines", 20, "how many differing lines of each pin are printed")
		if err := flags.Parse(args[1:]); err != nil {
			return fmt.Errorf("read the flags: %w", err)
		}
		return compare(*before, *after, *lines, out)
	default:
		_, _ = io.WriteString(log, usage) // the error of writing it would say less
		return flag.ErrHelp
	}
}
