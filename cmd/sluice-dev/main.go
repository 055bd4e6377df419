// Command sluice-dev is the program for those who build sluice. Each subcommand is a package of its
// own; sluice-dev help lists them.
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

	"sluice/cmd/sluice-dev/bench"
	"sluice/cmd/sluice-dev/chaos"
	"sluice/cmd/sluice-dev/crashpoints"
	"sluice/cmd/sluice-dev/declared"
	"sluice/cmd/sluice-dev/mutate"
	"sluice/cmd/sluice-dev/pins"
	"sluice/cmd/sluice-dev/runner"
	"sluice/cmd/sluice-dev/scale"
)

// command is one subcommand.
type command struct {
	name, short string
	run         func(ctx context.Context, args []string, stdout, stderr io.Writer) error
}

func commands() []command {
	return []command{
		{"bench", "measure the goals of docs/performance.md", bench.Run},
		{"chaos", "kill and disturb real processes by a plan, and judge what is left", chaos.Run},
		{"crashpoints", "kill a process before and after each statement that writes and each call", crashpoints.Run},
		{"coverage", "print what sluice does with every endpoint of the documents (docs/coverage.md)", declared.Coverage},
		{"draft", "print the migration that the declarations need, beyond the existing ones", declared.Draft},
		{"erd", "print the diagrams of all tables (docs/erd.md, docs/erd.dbml)", declared.ERD},
		{"mutate", "put deliberate bugs into the program, one at a time: the tests have to catch each", mutate.Run},
		{"pins", "write down what the program does today, to compare it with another version", pins.Run},
		{"rolling", "upgrade a working fleet process by process under kills, and roll it back", chaos.RunRolling},
		{"scale", "simulate a fleet of many organizations for days of virtual time", scale.Run},
		{"test", "run a command, such as go test ./..., with one Postgres for all tests", runner.Run},
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run runs a subcommand and returns the exit code: 0 if all is well, 1 if it failed, 2 after a wrong
// command line.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	for _, c := range commands() {
		if len(args) == 0 || c.name != args[0] {
			continue
		}
		err := c.run(ctx, args[1:], stdout, stderr)
		if errors.Is(err, flag.ErrHelp) || err == nil {
			return 0
		}
		if code, ok := errors.AsType[runner.ExitError](err); ok {
			return int(code)
		}
		fmt.Fprintf(stderr, "sluice-dev %s: %v\n", c.name, err)
		return 1
	}
	fmt.Fprintln(stderr, "usage: sluice-dev COMMAND [FLAG]...; sluice-dev COMMAND -help shows the flags of one")
	for _, c := range commands() {
		fmt.Fprintf(stderr, "  %-12s %s\n", c.name, c.short)
	}
	if len(args) == 1 && (args[0] == "help" || args[0] == "-help" || args[0] == "--help") {
		return 0
	}
	return 2
}
