package cli

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// process is the program as a process of its own.
type process struct {
	t              *testing.T
	arrivals       *arrivals
	cmd            *exec.Cmd
	stdout, stderr buffer
	// done is closed when the process has ended, with code set.
	done chan struct{}
	code int
}

// start starts the program, which ends with the test.
func (s *fixture) start(args ...string) *process {
	s.t.Helper()
	return s.startOn(nil, args...)
}

// startOn starts the program with this standard error; nil keeps what it writes there.
func (s *fixture) startOn(stderr io.Writer, args ...string) *process {
	s.t.Helper()
	self := sure(os.Executable())(s.t)
	p := &process{t: s.t, arrivals: s.arrivals, done: make(chan struct{})}
	p.cmd = exec.Command(self, append([]string{"--config", s.config}, args...)...)
	p.cmd.Env = append(os.Environ(), asProgram+"=1")
	for name, value := range s.environment {
		p.cmd.Env = append(p.cmd.Env, name+"="+value)
	}
	p.cmd.Stdout, p.cmd.Stderr = &p.stdout, &p.stderr
	if stderr != nil {
		p.cmd.Stderr = stderr
	}
	must(s.t, p.cmd.Start())
	go func() {
		defer close(p.done)
		var exited *exec.ExitError
		if err := p.cmd.Wait(); errors.As(err, &exited) {
			p.code = exited.ExitCode()
		} else if err != nil {
			p.code = -1
		}
	}()
	s.t.Cleanup(func() {
		select {
		case <-p.done:
		default:
			p.kill()
		}
	})
	return p
}

// kill ends the process as kill -9 does, and waits for its end.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may have ended meanwhile
	<-p.done
}

// terminate asks the process to end, as a service manager does.
func (p *process) terminate() {
	p.t.Helper()
	must(p.t, p.cmd.Process.Signal(syscall.SIGTERM))
}

// worksOff waits for the end of a process that has work. It may take as long as calls arrive, and a
// minute more for calls that wait for the next minute.
func (p *process) worksOff(code int) {
	p.t.Helper()
	const still = time.Minute + patience
	ticker := time.NewTicker(still)
	defer ticker.Stop()
	for seen := p.arrivals.total(); ; {
		select {
		case <-p.done:
			p.ends(code, still)
			return
		case <-ticker.C:
		}
		total := p.arrivals.total()
		if total == seen {
			p.kill()
			p.t.Fatalf("the process did not end, and made no call for %s\n%s\n%s", still, p.stdout.String(), p.stderr.String())
		}
		seen = total
	}
}

// ends waits for the end and checks the exit code.
func (p *process) ends(code int, within time.Duration) {
	p.t.Helper()
	deadline := time.NewTimer(within)
	defer deadline.Stop()
	select {
	case <-p.done:
	case <-deadline.C:
		p.kill()
		p.t.Fatalf("the process did not end within %s\n%s\n%s", within, p.stdout.String(), p.stderr.String())
	}
	if p.code != code {
		p.t.Fatalf("the process ended with %d, want %d\n%s\n%s", p.code, code, p.stdout.String(), p.stderr.String())
	}
}
