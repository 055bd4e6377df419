// Command sluice copies the business records of organizations from a suite of
// accounting, invoicing, billing, inventory and chat services into a Postgres
// warehouse and keeps the two equal.
//
// This package is wiring: one file per command, and Main, which tests can start.
// What is copied is declared in connectors, how is in pipeline. Start reading at
// Main, then sync.go.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"sluice/cmd/sluice/heap"
	"sluice/cmd/sluice/show"
	"sluice/pipeline/outside"
)

func main() {
	heap.Steady(os.LookupEnv)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := Main(ctx, os.Args[1:], Env{
		Stdout: os.Stdout, Stderr: os.Stderr, LookupEnv: os.LookupEnv, ReadFile: os.ReadFile, Now: time.Now,
	})
	stop()
	os.Exit(code)
}

// Env is what a process has around it.
type Env struct {
	Stdout, Stderr io.Writer
	LookupEnv      func(string) (string, bool)
	ReadFile       func(string) ([]byte, error)
	Now            func() time.Time
	// Retries are the waits between the attempts of a chunk that failed; nil means
	// the usual patience.
	Retries []time.Duration
	// Minute is how long the minute of the limits is, for tests; zero means a minute.
	Minute time.Duration

	// scrub knows the secrets in force; Main makes it.
	scrub *outside.Scrubber
}

// Main runs one command line and gives its exit code: 0 fine, 1 something
// failed, 2 usage or configuration, 3 database or upstream out of reach, 4 stopped
// by the budget with work left.
//
// Whatever it prints leaves through outlets, which know the secrets in force (promise 10); a panic does, too.
func Main(ctx context.Context, args []string, env Env) (code int) { //nolint:nonamedreturns // what is deferred decides about it
	env.scrub = outside.NewScrubber()
	stdout, stderr := show.NewOutlet(env.Stdout, env.scrub), show.NewOutlet(env.Stderr, env.scrub)
	env.Stdout, env.Stderr = stdout, stderr
	defer func() {
		if value := recover(); value != nil {
			_, _ = fmt.Fprintf(stderr, "sluice: panic: %v\n\n%s\n", value, debug.Stack()) // where else could it be said
			code = codeFailed
		}
		if err := errors.Join(stdout.Flush(), stderr.Flush()); err != nil && code == codeFine {
			code = codeFailed
		}
	}()
	root := newRoot(env) //nolint:contextcheck // each command gets cobra's context
	root.SetArgs(args)
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	return conclude(env.Stderr, root.ExecuteContext(ctx))
}
