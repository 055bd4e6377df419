package chaos

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"syscall"
	"time"

	"sluice/cmd/sluice-dev/harness"
	"sluice/cmd/sluice-dev/harness/proxy"
)

// slot is the place of one process: its proxies outlive the process. A service manager keeps it
// filled.
type slot struct {
	number int
	bed    *harness.Bed
	// receiver says that the process only receives callbacks. It makes no call: http is nil.
	receiver       bool
	database, http *proxy.Proxy
	managing       sync.WaitGroup

	mu      sync.Mutex
	process *harness.Process
	// program is another program than the bed's; "" for none.
	program string
	starts  int
	// clock is the clock error of the next process.
	clock  time.Duration
	ending bool
	// refused counts the starts that ended because of the version of the database.
	refused int
	bad     []string
}

// restartAfter is the pause of a service manager before it restarts a process that ended by itself.
const restartAfter = 200 * time.Millisecond

// mostBad bounds the wrong ends that a slot keeps: each start may end in the same way.
const mostBad = 10

func newSlot(ctx context.Context, b *harness.Bed, number int, receiver bool) (*slot, error) {
	s := &slot{number: number, bed: b, receiver: receiver}
	var err error
	if s.database, err = proxy.Listen(ctx, b.Postgres.Dial, nil); err != nil || receiver {
		return s, err
	}
	if s.http, err = proxy.Listen(ctx, b.DialUpstream, nil); err != nil {
		return nil, errors.Join(err, s.database.Close())
	}
	return s, nil
}

func (s *slot) close() error {
	if s.http == nil {
		return s.database.Close()
	}
	return errors.Join(s.database.Close(), s.http.Close())
}

// heal ends the faults of its lines.
func (s *slot) heal() {
	s.database.Heal()
	if s.http != nil {
		s.http.Heal()
	}
}

// launch describes a process of the slot, with a name of its own.
func (s *slot) launch(name string, args ...string) harness.Launch {
	l := harness.Launch{Name: name, Postgres: s.database.Address(), Receiver: s.receiver, Program: s.program, Args: args}
	if s.http != nil {
		l.Upstream = s.http.Address()
	}
	return l
}

// manage keeps a process in the slot until its end is wanted.
func (s *slot) manage(ctx context.Context) error {
	if err := s.start(); err != nil {
		return err
	}
	s.managing.Go(func() {
		for {
			p := s.current()
			<-p.Done
			s.note(p)
			harness.Sleep(ctx, restartAfter)
			ending := false
			s.change(func(s *slot) { ending = s.ending })
			if ending || ctx.Err() != nil {
				return
			}
			if err := s.start(); err != nil {
				s.change(func(s *slot) { s.bad = append(s.bad, err.Error()) })
				return
			}
		}
	})
	return nil
}

func (s *slot) start() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.starts++
	name, args := "chaos", []string{"serve"}
	if s.receiver {
		name, args = "receiver", []string{"notifications", "serve"}
	}
	// At this level it logs when it serves, and where it receives.
	l := s.launch(fmt.Sprintf("%s-%d-%d", name, s.number, s.starts), append(args, "--listen", "127.0.0.1:0", "--log-level", "info")...)
	l.Clock, s.clock = s.clock, 0
	p, err := s.bed.Start(l)
	if err == nil {
		s.process = p
	}
	return err
}

// note stores how a process ended without a kill, and its output if that end is always wrong.
func (s *slot) note(p *harness.Process) {
	output := p.Log()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, word := range []string{"panic: ", "fatal error: ", "DATA RACE"} {
		if at := strings.Index(output, word); at >= 0 {
			s.bad = append(s.bad, fmt.Sprintf("%s: %s", p.Name, output[at:min(len(output), at+2000)]))
		}
	}
	if refusedByVersion(p.Code, output) {
		s.refused++
	}
	if wrong := wrongEnd(p.Code, p.Terminated.Load(), output); wrong != "" && len(s.bad) < mostBad {
		s.bad = append(s.bad, fmt.Sprintf("%s %s: %s", p.Name, wrong, p.LastLines()))
	}
}

// environment is the exit code of a program that lacks something of its environment.
const environment = 3

// refusedByVersion reports whether a start ended because the tables are of another version. Without
// an answer of the database it ends with the same code.
func refusedByVersion(code int, output string) bool {
	return code == environment &&
		(strings.Contains(output, "a newer version of the program migrated the database") || strings.Contains(output, "the database is not migrated"))
}

// wrongEnd returns what is wrong about the end of a serve, or "". It may end with 0 when it is told
// to, and with 3 if the database is unavailable at its start. A working one outlives the database.
func wrongEnd(code int, terminated bool, output string) string {
	switch {
	case code < 0: // killed
		return ""
	case code == 0 && !terminated:
		return "ended without a request"
	case code == environment && strings.Contains(output, `"message":"serving"`):
		return "ended for want of a database that it had"
	case code != 0 && code != environment:
		return fmt.Sprintf("ended with %d", code)
	}
	return ""
}

// current returns the process in the slot.
func (s *slot) current() *harness.Process { return s.change(func(*slot) {}) }

// change changes the slot, and returns the process in it.
func (s *slot) change(how func(*slot)) *harness.Process {
	s.mu.Lock()
	defer s.mu.Unlock()
	how(s)
	return s.process
}

// skew sets the clock error of the next process.
func (s *slot) skew(clock time.Duration) { s.change(func(s *slot) { s.clock = clock }) }

// install sets the program of all later processes in the slot, and returns the present process.
func (s *slot) install(program string) *harness.Process {
	return s.change(func(s *slot) { s.program = program })
}

// last says that no process follows the present one, and returns it.
func (s *slot) last() *harness.Process { return s.change(func(s *slot) { s.ending = true }) }

// end tells the process to end, as a service manager does, and returns what was wrong about its
// end.
func (s *slot) end(ctx context.Context) error {
	p := s.last()
	p.Signal(syscall.SIGCONT)
	err := p.Stop(ctx)
	s.managing.Wait()
	if last := s.current(); last != p { // the manager was quicker
		return last.Stop(ctx)
	}
	return err
}

// kill ends the process in the slot, for good.
func (s *slot) kill() {
	if p := s.last(); p != nil {
		p.Kill()
	}
	s.managing.Wait()
	if p := s.current(); p != nil {
		p.Kill()
	}
}
