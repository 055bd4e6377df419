package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// Switches that only the test binary of cmd/sluice/cli knows: to be the program, with another
// minute and another clock.
const (
	AsProgram  = "SLUICE_TEST_AS_PROGRAM=1"
	WithMinute = "SLUICE_TEST_MINUTE="
	WithClock  = "SLUICE_TEST_CLOCK="
)

// Process is a program as a process of its own.
type Process struct {
	Name string
	// Done is closed at its end, Code says how it ended: -1 by a signal.
	Done chan struct{}
	Code int

	// Terminated says that it was told to end.
	Terminated atomic.Bool

	cmd *exec.Cmd
	log string
}

// Start starts a process with further variables in its environment. It prints into a file, to whose
// end it appends.
func Start(name, log string, environment []string, program string, args ...string) (*Process, error) {
	p := &Process{Name: name, Done: make(chan struct{}), log: log}
	file, err := os.OpenFile(log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the log of %s: %w", name, err)
	}
	defer func() { _ = file.Close() }()    // the process has its own handle
	p.cmd = exec.Command(program, args...) //nolint:gosec,noctx // the program under test; its caller ends it
	p.cmd.Env = append(os.Environ(), environment...)
	p.cmd.Stdout, p.cmd.Stderr = file, file
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s (make builds it): %w", program, err)
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
		p.Terminated.Store(true)
	}
	_ = p.cmd.Process.Signal(signal)
}

// Wait waits for the end. If the context ends first, the process prints its stacks and ends, and
// the error quotes them.
func (p *Process) Wait(ctx context.Context) error {
	const printing = 10 * time.Second
	select {
	case <-p.Done:
		return nil
	case <-ctx.Done():
		p.Signal(syscall.SIGQUIT) // Go's runtime prints the stacks of all goroutines and exits
		select {
		case <-p.Done:
		case <-time.After(printing):
			p.Kill()
		}
		return fmt.Errorf("%s did not end in time: %w; its output:\n%s", p.Name, context.Cause(ctx), p.Log())
	}
}

// Succeed waits for the end, which must be one with exit code 0.
func (p *Process) Succeed(ctx context.Context) error {
	if err := p.Wait(ctx); err != nil {
		return err
	}
	if p.Code != 0 {
		return fmt.Errorf("%s ended with %d: %s", p.Name, p.Code, p.Log())
	}
	return nil
}

// Stop tells the process to end, and waits for it.
func (p *Process) Stop(ctx context.Context) error {
	p.Signal(syscall.SIGTERM)
	return p.Succeed(ctx)
}

// Log returns the output of the process.
func (p *Process) Log() string {
	text, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// LastLines returns the lines that explain the end of a process.
func (p *Process) LastLines() string {
	const most = 8
	lines := strings.Split(strings.TrimSpace(p.Log()), "\n")
	return strings.Join(lines[max(0, len(lines)-most):], "\n")
}

// Receives returns the address at which it receives callbacks; "" if it has not logged it yet.
func (p *Process) Receives() string {
	var logged struct {
		Listen string `json:"listen"`
	}
	for line := range strings.Lines(p.Log()) {
		if strings.Contains(line, `"receiving callbacks"`) && json.Unmarshal([]byte(line), &logged) == nil {
			break
		}
	}
	return logged.Listen
}

// Peak returns the highest resident memory of this process so far, in bytes, as Linux says it.
//
// What a parent gets at the end of its child is useless. On Linux it includes the parent's memory at
// the start of the child, since both share it until the child's program begins (getrusage,
// ru_maxrss).
func Peak() (int64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, fmt.Errorf("read what memory this process took: %w", err)
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	figure, _, _ := strings.Cut(rest, " kB")
	kilobytes, err := strconv.ParseInt(strings.TrimSpace(figure), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read what memory this process took: %w", err)
	}
	return kilobytes << 10, nil
}
