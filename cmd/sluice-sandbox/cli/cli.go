// Package cli holds the commands of sluice-sandbox.
package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice-sandbox/demo"
	"sluice/cmd/sluice-sandbox/server"
)

// The exit codes, as sluice has them.
const (
	codeFine        = 0
	codeFailed      = 1
	codeUsage       = 2
	codeEnvironment = 3
)

// Main runs one command line and returns its exit code. 0 is fine, 1 a failure, 2 a wrong command
// line. 3 says that the machine lacks something: an address, Postgres, the program sluice.
func Main(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := Commands(stdout, stderr) //nolint:contextcheck // each command gets cobra's context
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	command, err := root.ExecuteContextC(ctx)
	code := codeOf(err)
	if err != nil {
		_, _ = fmt.Fprintln(stderr, "sluice-sandbox: "+err.Error()) // there is no other place to report it
	}
	if code == codeUsage && !errors.Is(err, server.ErrUsage) {
		_, _ = fmt.Fprintf(stderr, "Run '%s --help'.\n", command.CommandPath())
	}
	return code
}

// Commands returns the tree of commands.
func Commands(stdout, stderr io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:   "sluice-sandbox",
		Short: "Serve a simulated upstream, run a private Postgres, and show sluice on both",
		Long: `sluice-sandbox has what a try of sluice needs: a simulated upstream ('serve'), a
private Postgres ('postgres'), and a demo of both ('demo'). Nothing of it touches a
real account.

Exit codes: 0 fine, 1 something failed, 2 usage, 3 an address, Postgres or sluice is
missing on this machine.`,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(serveCommand(stdout), postgresCommand(stdout, stderr), demoCommand(stdout, stderr))
	return root
}

// errEnvironment marks what this machine lacks.
var errEnvironment = errors.New("environment")

// codeOf returns the exit code of an error.
func codeOf(err error) int {
	switch {
	case err == nil:
		return codeFine
	case errors.Is(err, server.ErrUsage), isUsage(err):
		return codeUsage
	case errors.Is(err, server.ErrListen), errors.Is(err, demo.ErrNoPostgres), errors.Is(err, demo.ErrNoSluice), errors.Is(err, errEnvironment):
		return codeEnvironment
	default:
		return codeFailed
	}
}

// isUsage recognizes cobra's own errors about flags and arguments, which have no type.
func isUsage(err error) bool {
	for _, start := range []string{"unknown command", "unknown flag", "unknown shorthand", "invalid argument", "accepts ", "flag needs"} {
		if strings.HasPrefix(err.Error(), start) {
			return true
		}
	}
	return false
}

// show prints a result: the document for programs, or the text for people.
func show(out io.Writer, asJSON bool, document any, text string) error {
	if !asJSON {
		_, err := fmt.Fprintln(out, text)
		return err
	}
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(document)
}
