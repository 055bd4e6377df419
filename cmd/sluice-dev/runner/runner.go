// Package runner runs a command with one Postgres for all tests that it starts: sluice-dev test go
// test ./... . Package warehousetest chooses the server, which ends with the command. Without it
// each test binary starts a server of its own.
//
// The Makefile runs the tests by it; docs/decisions/0021-tests says why.
package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"sluice/pipeline/warehouse/warehousetest"
)

// endLimit bounds the end of the server.
const endLimit = time.Minute

// ExitError is the end of the command with an exit code of its own.
type ExitError int

// Error implements error.
func (e ExitError) Error() string { return fmt.Sprintf("the command ended with %d", int(e)) }

// Run runs the command.
func Run(ctx context.Context, args []string, _, _ io.Writer) error {
	if len(args) == 0 {
		return errors.New("usage: sluice-dev test COMMAND [ARGUMENT]")
	}
	// An interrupt at the terminal reaches the command, too, which decides what to do. A request to
	// end is forwarded.
	ctx = context.WithoutCancel(ctx)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM)
	end, err := warehousetest.Share(ctx)
	if err != nil {
		return fmt.Errorf("no Postgres for the tests: %w", err)
	}
	err = runCommand(args, signals)
	ctx, cancel := context.WithTimeout(ctx, endLimit)
	defer cancel()
	if stopped := end(ctx); stopped != nil {
		err = errors.Join(err, fmt.Errorf("end Postgres: %w", stopped))
	}
	return err
}

func runCommand(args []string, signals <-chan os.Signal) error {
	cmd := exec.Command(args[0], args[1:]...) //nolint:gosec,noctx // running what it is told to is its purpose; it decides about its end
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	for {
		select {
		case s := <-signals:
			_ = cmd.Process.Signal(s) // it may have ended in this moment
		case err := <-done:
			if exited, ok := errors.AsType[*exec.ExitError](err); ok {
				return ExitError(max(1, exited.ExitCode()))
			}
			return err
		}
	}
}
