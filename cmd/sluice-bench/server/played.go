// Package server starts the upstream that benchmarks read from: sluice sandbox, as a process of its own.
package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"syscall"
)

// Sandbox is a running sandbox, as the command describes itself with --json.
type Sandbox struct {
	URL          string `json:"url"`
	Organization string `json:"organization_id"`
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
	RefreshToken string `json:"refresh_token"`

	process *exec.Cmd
}

// Start starts the sandbox of a program with flags, and waits until it says where it listens. The end of the context ends it, too.
func Start(ctx context.Context, program string, log io.Writer, flags ...string) (*Sandbox, error) {
	args := append([]string{"sandbox", "--listen", "127.0.0.1:0", "--json"}, flags...)
	cmd := exec.CommandContext(ctx, program, args...) //nolint:gosec // the program under test
	cmd.Stderr = log
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	said, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("prepare the sandbox: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the sandbox (make build builds %s): %w", program, err)
	}
	running := &Sandbox{process: cmd}
	if err := json.NewDecoder(said).Decode(running); err != nil {
		return nil, errors.Join(fmt.Errorf("read where the sandbox listens: %w", err), running.Stop())
	}
	return running, nil
}

// Stop ends it and waits for its end.
func (s *Sandbox) Stop() error {
	if err := s.process.Process.Signal(syscall.SIGTERM); err != nil {
		return fmt.Errorf("end the sandbox: %w", err)
	}
	if err := s.process.Wait(); err != nil {
		return fmt.Errorf("the sandbox did not end well: %w", err)
	}
	return nil
}
