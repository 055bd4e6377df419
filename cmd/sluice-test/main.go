// Command sluice-test runs a command with one Postgres for all tests that it starts: sluice-test go
// test ./... . Package warehousetest chooses the server, which ends with the command. Without
// sluice-test each test binary starts a server of its own.
//
// The Makefile runs the tests by it; docs/decisions/0021-tests says why.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"sluice/pipeline/warehouse/warehousetest"
)

// Exit codes, as those of the program.
const (
	codeFailed      = 1
	codeUsage       = 2
	codeEnvironment = 3
)

// endLimit bounds the end of the server.
const endLimit = time.Minute

func main() {
	os.Exit(run(os.Args[1:]))
}

// run runs the command and returns its exit code.
func run(args []string) int {
	if len(args) == 0 {
		return say(codeUsage, "usage: sluice-test COMMAND [ARGUMENT]...")
	}
	// An interrupt at the terminal reaches the command, too, which decides what to do. A request to
	// end is forwarded.
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	ctx := context.Background()
	end, err := warehousetest.Share(ctx)
	if err != nil {
		return say(codeEnvironment, "no Postgres for the tests:", err)
	}
	code := runCommand(ctx, args, signals)
	ctx, cancel := context.WithTimeout(ctx, endLimit)
	defer cancel()
	if err := end(ctx); err != nil {
		return max(code, say(codeFailed, "ending Postgres:", err))
	}
	return code
}

func runCommand(ctx context.Context, args []string, signals <-chan os.Signal) int {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...) //nolint:gosec // running what it is told to is its purpose
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		return say(codeUsage, err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	for {
		select {
		case s := <-signals:
			if s == syscall.SIGTERM {
				_ = cmd.Process.Signal(s) // it may have ended in this moment
			}
		case err := <-done:
			if exited, ok := errors.AsType[*exec.ExitError](err); ok {
				return max(codeFailed, exited.ExitCode())
			}
			if err != nil {
				return say(codeFailed, err)
			}
			return 0
		}
	}
}

func say(code int, words ...any) int {
	_, _ = fmt.Fprintln(os.Stderr, append([]any{"sluice-test:"}, words...)...) // no other place is left for it
	return code
}
