package demo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

// command prepares a command of sluice. When the context ends, the process gets the time that it
// needs to end by itself.
func (s *Stage) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, s.options.Sluice, args...) //nolint:gosec // the program under show
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = stopLimit
	// Settings of the person who looks would be those of another database.
	cmd.Env = slices.DeleteFunc(os.Environ(), func(variable string) bool { return strings.HasPrefix(variable, "SLUICE_") })
	cmd.Env = append(cmd.Env, s.options.Environment...)
	for name, value := range s.Environment {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.Stderr = s.options.Stderr
	return cmd
}

// show shows a command line and the end of what the command prints: all of it, or for sync the sum
// below the table, which repeats the progress. Codes are exit codes besides 0 that the command may
// end with.
func (s *Stage) show(ctx context.Context, line string, codes ...int) error {
	if err := s.say("$ sluice %s", line); err != nil {
		return err
	}
	cmd := s.command(ctx, strings.Fields(line)...)
	var output bytes.Buffer
	cmd.Stdout = &output
	err := cmd.Run()
	text := output.String()
	if at := theSum.FindStringIndex(text); at != nil {
		text = text[at[0]:]
	}
	if _, err := io.WriteString(s.options.Stdout, text); err != nil {
		return fmt.Errorf("show the output: %w", err)
	}
	var exited *exec.ExitError
	if err == nil || errors.As(err, &exited) && slices.Contains(codes, exited.ExitCode()) {
		return nil
	}
	if ctx.Err() != nil {
		return fmt.Errorf("interrupted: %w", context.Cause(ctx))
	}
	return fmt.Errorf("sluice %s: %w", line, err)
}

// theSum is the beginning of the sum that sync prints.
//
//nolint:gochecknoglobals // a constant
var theSum = regexp.MustCompile(`(?m)^[0-9,]+ records? read with `)

// service is a running "sluice serve".
type service struct {
	cmd   *exec.Cmd
	ended chan struct{}
	err   error // once it has ended
}

// serve starts "sluice serve", and returns when it receives callbacks.
func (s *Stage) serve(ctx context.Context) (*service, error) {
	command := s.command(context.WithoutCancel(ctx), "serve", "--listen", "127.0.0.1:0", "--log-level", "error")
	running := &service{cmd: command, ended: make(chan struct{})}
	if err := running.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start sluice serve: %w", err)
	}
	go func() {
		defer close(running.ended)
		running.err = running.cmd.Wait()
	}()
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	for {
		if connection, err := (&net.Dialer{}).DialContext(ctx, "tcp", s.hooks); err == nil {
			return running, connection.Close()
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(fmt.Errorf("interrupted: %w", context.Cause(ctx)), running.stop())
		case <-running.ended:
			return nil, fmt.Errorf("sluice serve ended: %w", running.err)
		case <-ticker.C:
		}
	}
}

// stop ends the process, and waits for its end.
func (r *service) stop() error {
	_ = r.cmd.Process.Signal(syscall.SIGTERM) // it may have ended by itself
	timer := time.NewTimer(stopLimit)
	defer timer.Stop()
	select {
	case <-r.ended:
	case <-timer.C:
		_ = r.cmd.Process.Kill() // as above
		<-r.ended
	}
	if r.err != nil {
		return fmt.Errorf("sluice serve: %w", r.err)
	}
	return nil
}

// pollEvery is the interval at which the demo looks whether something has happened.
const pollEvery = 200 * time.Millisecond
