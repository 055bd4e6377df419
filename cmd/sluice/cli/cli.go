// Package cli holds the commands of sluice: one file per command, and Main, which the program and
// the tests call. It deals with flags, texts and exit codes. The work of the commands is in package
// engine (pipeline/engine), and connectors declares what is copied. command.go has what several
// commands share. Each command gives its result to package view, which prints it for people or for
// programs.
//
// Start reading at Main, then sync.go.
package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/outside"
)

// Main runs one command line and gives its exit code. 0 is fine, 1 a failure, 2 a mistake in usage
// or configuration. 3 is a database or upstream out of reach, 4 a stop by the budget with work
// left.
//
// All output, also of a panic, passes outlets, which know the secrets in force (invariant 10).
func Main(ctx context.Context, args []string, env Env) (code int) { //nolint:nonamedreturns // what is deferred decides about it
	env.scrub = outside.NewScrubber()
	stdout, stderr := view.NewOutlet(env.Stdout, env.scrub), view.NewOutlet(env.Stderr, env.scrub)
	env.Stdout, env.Stderr = stdout, stderr
	defer func() {
		if value := recover(); value != nil {
			_, _ = fmt.Fprintf(stderr, "sluice: panic: %v\n\n%s\n", value, debug.Stack()) // there is no other place to report it
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
	command, err := root.ExecuteContextC(ctx)
	return conclude(env.Stderr, command, err)
}

// Commands returns the whole tree of commands, none of which can run: manual pages and completions
// are made from it.
func Commands() *cobra.Command { return newRoot(Env{}) }
