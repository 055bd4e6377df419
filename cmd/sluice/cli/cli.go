// Package cli is the commands of sluice: one file per command, and Main, which the program and
// tests start. It is flags, words and exit codes; what the commands do is in pipeline/engine, and
// what is copied is declared in connectors. What several commands share is in command.go; each
// gives its result to package view, which prints it for people or for programs.
//
// Start reading at Main, then sync.go.
package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/outside"
)

// Main runs one command line and gives its exit code: 0 fine, 1 something failed, 2 usage or
// configuration, 3 database or upstream out of reach, 4 stopped by the budget with work left.
//
// Whatever it prints leaves through outlets, which know the secrets in force (invariant 10); a
// panic does, too.
func Main(ctx context.Context, args []string, env Env) (code int) { //nolint:nonamedreturns // what is deferred decides about it
	env.scrub = outside.NewScrubber()
	stdout, stderr := view.NewOutlet(env.Stdout, env.scrub), view.NewOutlet(env.Stderr, env.scrub)
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
