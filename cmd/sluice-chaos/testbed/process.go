package testbed

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"sluice/cmd/sluice-chaos/postgres"
	"sluice/sandbox"
)

// Switches that only the test binary of cmd/sluice/cli knows: to be the program, with another
// minute and another clock.
const (
	asProgram  = "SLUICE_TEST_AS_PROGRAM=1"
	withMinute = "SLUICE_TEST_MINUTE="
	withClock  = "SLUICE_TEST_CLOCK="
)

// Start describes a process to start.
type Start struct {
	// Name is its application name in the database, and the name of its log.
	Name string
	// Config is the path of its configuration and Postgres the address of the proxy before the
	// server. Database is one made by Fresh, or empty for the testbed's own.
	Config, Postgres, Database string
	// Clock is the error of its clock.
	Clock time.Duration
	// Receiver gives it the role of a receiver, and of all secrets only that of notifications.
	Receiver bool
	// Program is another test binary than the testbed's; "" for none.
	Program string
	// Args are the command and its arguments.
	Args []string
}

// Process is sluice as a process of its own.
type Process struct {
	Name string
	// Receiver says that it only receives callbacks.
	Receiver bool
	// Done is closed at its end, Code says how it ended: -1 by a signal.
	Done chan struct{}
	Code int

	cmd *exec.Cmd
	log string
	// asked says that it received a SIGTERM.
	asked atomic.Bool

	mu sync.Mutex
	// listens is where it receives callbacks; "" before it said so.
	listens string
}

// Run starts a process.
func (g *Bed) Run(start Start) (*Process, error) {
	p := &Process{Name: start.Name, Receiver: start.Receiver, Done: make(chan struct{}), log: filepath.Join(g.folder, start.Name+".log")}
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the log of %s: %w", start.Name, err)
	}
	defer func() { _ = log.Close() }() // the process has its own handle
	args := append([]string{"--config", start.Config}, start.Args...)
	p.cmd = exec.Command(cmp.Or(start.Program, g.options.Program), args...) //nolint:gosec,noctx // the program under test; its caller ends it
	role, secrets := postgres.Receiver, []string{asProgram, "CHAOS_HOOK_SECRET=" + hookSecret}
	if !start.Receiver {
		role = postgres.Owner
		secrets = append(secrets, "SLUICE_ENCRYPTION_KEY="+key, "CHAOS_CLIENT_SECRET="+sandbox.ClientSecret, "CHAOS_REFRESH_TOKEN="+sandbox.RefreshToken)
	}
	p.cmd.Env = slices.Concat(os.Environ(), secrets, []string{
		"SLUICE_DATABASE_URL=" + postgres.Through(start.Postgres, role, cmp.Or(start.Database, postgres.Database), start.Name),
	})
	if g.options.Minute > 0 {
		p.cmd.Env = append(p.cmd.Env, withMinute+g.options.Minute.String())
	}
	if start.Clock != 0 {
		p.cmd.Env = append(p.cmd.Env, withClock+start.Clock.String())
	}
	p.cmd.Stdout, p.cmd.Stderr = log, log
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s (go test -c builds it): %w", g.options.Program, err)
	}
	go func() {
		defer close(p.Done)
		if err := p.cmd.Wait(); err != nil {
			p.Code = -1
			if exited, ok := errors.AsType[*exec.ExitError](err); ok {
				p.Code = exited.ExitCode()
			}
		}
	}()
	return p, nil
}

// Kill ends the process like kill -9, and waits for its end. It reports whether the process was
// alive.
func (p *Process) Kill() bool {
	alive := p.Alive()
	_ = p.cmd.Process.Kill() // it may have ended just now
	<-p.Done
	return alive
}

// Alive reports whether it has not ended yet.
func (p *Process) Alive() bool {
	select {
	case <-p.Done:
		return false
	default:
		return true
	}
}

// Signal sends a signal; an ended process gets none.
func (p *Process) Signal(signal syscall.Signal) {
	if signal == syscall.SIGTERM {
		p.asked.Store(true)
	}
	_ = p.cmd.Process.Signal(signal)
}

// Requested reports whether it was asked to end.
func (p *Process) Requested() bool { return p.asked.Load() }

// Wait waits for the end. If the context ends first, the process prints its stacks and ends, and
// the error quotes them.
func (p *Process) Wait(ctx context.Context) error {
	select {
	case <-p.Done:
		return nil
	case <-ctx.Done():
		p.Signal(syscall.SIGQUIT) // Go's runtime prints the stacks of all goroutines and exits
		dying := time.NewTimer(dyingWords)
		defer dying.Stop()
		select {
		case <-p.Done:
		case <-dying.C:
			p.Kill()
		}
		return fmt.Errorf("%s did not end in time: %w; it said:\n%s", p.Name, context.Cause(ctx), p.Log())
	}
}

// dyingWords bounds the time for printing the stacks.
const dyingWords = 10 * time.Second

// Log returns the output of the process.
func (p *Process) Log() string {
	text, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// Receives returns the address at which it receives callbacks; "" if it has not said so yet.
func (p *Process) Receives() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listens != "" {
		return p.listens
	}
	for line := range strings.Lines(p.Log()) {
		var said struct {
			Message string `json:"message"`
			Listen  string `json:"listen"`
		}
		if json.Unmarshal([]byte(line), &said) == nil && said.Message == "receiving callbacks" {
			p.listens = said.Listen
		}
	}
	return p.listens
}
