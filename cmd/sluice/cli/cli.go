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
	"io"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/migrations"
	"sluice/pipeline/engine"
	"sluice/pipeline/engine/config"
	"sluice/pipeline/outside"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/postgres"
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

// The exit codes.
const (
	codeFine        = 0
	codeFailed      = 1
	codeUsage       = 2
	codeEnvironment = 3
	codeBudget      = 4
)

// exitError carries an exit code. A silent one prints nothing more.
type exitError struct {
	code   int
	err    error
	silent bool
}

// Error implements error.
func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

// Unwrap gives the cause.
func (e *exitError) Unwrap() error { return e.err }

// usage makes an error of the command line.
func usage(format string, args ...any) error {
	return &exitError{code: codeUsage, err: fmt.Errorf(format, args...)}
}

// exit gives an exit code without a further message.
func exit(code int) error {
	if code == codeFine {
		return nil
	}
	return &exitError{code: code, silent: true}
}

// exitIf gives the exit code of a failure, without a further message, if there was one.
func exitIf(failed bool) error {
	if failed {
		return exit(codeFailed)
	}
	return nil
}

// codeOf finds the exit code of an error.
func codeOf(err error) int {
	var coded *exitError
	var mistakes *config.Error
	switch {
	case err == nil:
		return codeFine
	case errors.As(err, &coded):
		return coded.code
	case errors.As(err, &mistakes), errors.Is(err, engine.ErrUsage), isUsage(err):
		return codeUsage
	case errors.Is(err, engine.ErrNotMigrated), errors.Is(err, migrations.ErrNewer), errors.Is(err, migrations.ErrDevelopment),
		errors.Is(err, migrations.ErrBelow), errors.Is(err, migrations.ErrOthers), errors.Is(err, migrations.ErrNotOwner),
		errors.Is(err, migrations.ErrDependents),
		errors.Is(err, errEnvironment), errors.Is(err, warehouse.ErrUnreachable),
		errors.Is(err, warehouse.ErrSharedSessions), errors.Is(err, postgres.ErrTooOld), postgres.Unreachable(err), postgres.Busy(err):
		return codeEnvironment
	default:
		return codeFailed
	}
}

// errEnvironment marks errors of the environment: the database or upstream.
var errEnvironment = errors.New("environment")

// isUsage recognizes cobra's own errors about flags and arguments, which have no type.
func isUsage(err error) bool {
	for _, start := range []string{
		"unknown command", "unknown flag", "unknown shorthand", "invalid argument", "accepts ", "requires ", "flag needs", "if any flags in the group",
	} {
		if strings.HasPrefix(err.Error(), start) {
			return true
		}
	}
	return false
}

// conclude prints the error of a command for people and gives the exit code.
func conclude(stderr io.Writer, command *cobra.Command, err error) int {
	code := codeOf(err)
	var coded *exitError
	if err == nil || errors.As(err, &coded) && coded.silent {
		return code
	}
	_, _ = fmt.Fprintln(stderr, "sluice: "+err.Error()) // there is no other place to report it
	if code == codeUsage && isUsage(err) {
		what := "its arguments and flags"
		if !command.HasParent() {
			what = "the commands and their flags"
		}
		_, _ = fmt.Fprintf(stderr, "Run '%s --help' for %s.\n", command.CommandPath(), what)
	}
	return code
}
