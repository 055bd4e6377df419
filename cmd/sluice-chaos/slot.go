package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"sluice/cmd/sluice-chaos/proxy"
	"sluice/cmd/sluice-chaos/testbed"
)

// slot is the place of one process: its proxies and its configuration outlive the process. A
// service manager keeps it filled.
type slot struct {
	number int
	bed    *testbed.Bed
	// receiver says that the process only receives callbacks. It makes no call: http is nil.
	receiver bool
	// config has everything, before is that of an older version.
	config, before string
	database, http *proxy.Proxy
	managing       sync.WaitGroup
	cut            cut

	mu      sync.Mutex
	process *testbed.Process
	// program is another program than the testbed's; "" for none.
	program string
	starts  int
	olders  int
	clock   time.Duration
	older   bool
	// isOlder says that the process in the slot is of an older version.
	isOlder bool
	ending  bool
	// exits counts the exit codes of processes that ended without a kill.
	exits map[int]int
	// refused counts the starts that ended because of the version of the database.
	refused int
	bad     []string
}

// restartAfter is the pause of a service manager before it restarts a process that ended by itself.
const restartAfter = 200 * time.Millisecond

// mostBad bounds the wrong ends that a slot keeps: each start may end in the same way.
const mostBad = 10

func newSlot(ctx context.Context, g *testbed.Bed, number int) (*slot, error) {
	s := &slot{number: number, bed: g, exits: make(map[int]int)}
	var err error
	if s.database, err = proxy.Listen(ctx, g.Postgres.Dial, nil); err != nil {
		return nil, err
	}
	if s.http, err = proxy.Listen(ctx, g.DialUpstream, nil); err != nil {
		return nil, errors.Join(err, s.database.Close())
	}
	if s.config, err = g.Configure("slot"+strconv.Itoa(number), s.http.Address()); err != nil {
		return nil, errors.Join(err, s.close())
	}
	if s.before, err = g.Configure("before"+strconv.Itoa(number), s.http.Address(), testbed.Older()...); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// newReceiver makes a slot for a process that only receives callbacks.
func newReceiver(ctx context.Context, g *testbed.Bed, number int) (*slot, error) {
	s := &slot{number: number, bed: g, receiver: true, exits: make(map[int]int)}
	s.cut.kill = func() bool { return s.current().Kill() }
	var err error
	if s.database, err = proxy.Listen(ctx, g.Postgres.Dial, s.cut.tap); err != nil {
		return nil, err
	}
	if s.config, err = g.Configure("receiver"+strconv.Itoa(number), g.Address()); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *slot) close() error {
	if s.http == nil {
		return s.database.Close()
	}
	return errors.Join(s.database.Close(), s.http.Close())
}

// manage keeps a process of sluice serve in the slot until end.
func (s *slot) manage(ctx context.Context) error {
	if err := s.start(); err != nil {
		return err
	}
	s.managing.Go(func() {
		for {
			p := s.current()
			<-p.Done
			s.note(p)
			wait := time.NewTimer(restartAfter)
			select {
			case <-wait.C:
			case <-ctx.Done():
			}
			wait.Stop()
			s.mu.Lock()
			ending := s.ending
			s.mu.Unlock()
			if ending || ctx.Err() != nil {
				return
			}
			if err := s.start(); err != nil {
				s.mu.Lock()
				s.bad = append(s.bad, err.Error())
				s.mu.Unlock()
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
	config := s.config
	if s.older {
		s.olders++
		config = s.before
	}
	name, args := "chaos", []string{"serve"}
	if s.receiver {
		name, args = "receiver", []string{"notifications", "serve"}
	}
	p, err := s.bed.Run(testbed.Start{
		Name: fmt.Sprintf("%s-%d-%d", name, s.number, s.starts), Config: config, Postgres: s.database.Address(), Clock: s.clock, Receiver: s.receiver,
		Program: s.program,
		Args:    append(args, "--listen", "127.0.0.1:0", "--log-level", "info"), // so that it logs when it serves, and where it receives
	})
	if err != nil {
		return err
	}
	s.process, s.clock, s.isOlder, s.older = p, 0, s.older, false
	return nil
}

// note stores how a process ended without a kill, and its output if that end is always wrong.
func (s *slot) note(p *testbed.Process) {
	said := p.Log()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, word := range []string{"panic: ", "fatal error: ", "DATA RACE"} {
		if at := strings.Index(said, word); at >= 0 {
			s.bad = append(s.bad, fmt.Sprintf("%s: %s", p.Name, said[at:min(len(said), at+2000)]))
		}
	}
	if p.Code >= 0 {
		s.exits[p.Code]++
	}
	if refusedByVersion(p.Code, said) {
		s.refused++
	}
	if wrong := wrongEnd(p.Code, p.Requested(), said); wrong != "" && len(s.bad) < mostBad {
		s.bad = append(s.bad, fmt.Sprintf("%s %s: %s", p.Name, wrong, lastLines(said)))
	}
}

// refusedByVersion reports whether a start ended because the tables are of another version. Without
// an answer of the database it ends with the same code.
func refusedByVersion(code int, said string) bool {
	const environment = 3
	return code == environment &&
		(strings.Contains(said, "a newer version of the program migrated the database") || strings.Contains(said, "the database is not migrated"))
}

// wrongEnd returns what is wrong about the end of a serve, or "". A serve may end well on request,
// and with 3 if it finds no database at its start. A working one outlives the database.
func wrongEnd(code int, asked bool, said string) string {
	const fine, environment = 0, 3
	switch {
	case code < 0: // killed
		return ""
	case code == fine && !asked:
		return "ended without a request"
	case code == environment && strings.Contains(said, `"message":"serving"`):
		return "ended for want of a database that it had"
	case code != fine && code != environment:
		return fmt.Sprintf("ended with %d", code)
	}
	return ""
}

// lastLines returns the lines that explain the end of a process.
func lastLines(said string) string {
	const most = 8
	lines := strings.Split(strings.TrimSpace(said), "\n")
	return strings.Join(lines[max(0, len(lines)-most):], "\n")
}

// current returns the process in the slot.
func (s *slot) current() *testbed.Process {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.process
}

// next sets the clock error of the next process, and whether it is an older version.
func (s *slot) next(clock time.Duration, older bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clock, s.older = clock, older
}

// install sets the program of all later processes in the slot, and returns the present process.
func (s *slot) install(program string) *testbed.Process {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.program = program
	return s.process
}

// installed returns the program of the slot; "" for the testbed's.
func (s *slot) installed() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.program
}

// retire ends the process in the slot if it is an older version; a newer one follows.
func (s *slot) retire() {
	s.mu.Lock()
	p, older := s.process, s.isOlder || s.older
	s.older = false
	s.mu.Unlock()
	if older {
		p.Signal(syscall.SIGCONT)
		p.Signal(syscall.SIGTERM)
	}
}

// end asks the process to end, as a service manager does, and returns what was wrong about its end.
func (s *slot) end(ctx context.Context) string {
	s.mu.Lock()
	s.ending = true
	p := s.process
	s.mu.Unlock()
	p.Signal(syscall.SIGCONT)
	p.Signal(syscall.SIGTERM)
	err := p.Wait(ctx)
	s.managing.Wait()
	last := s.current()
	if last != p { // the manager was quicker
		last.Signal(syscall.SIGTERM)
		err = last.Wait(ctx)
	}
	switch {
	case err != nil:
		return err.Error()
	case last.Code != 0:
		return fmt.Sprintf("%s ended with %d while all is well: %s", last.Name, last.Code, last.Log())
	}
	return ""
}

// kill ends the process in the slot, for good.
func (s *slot) kill() {
	s.mu.Lock()
	s.ending = true
	p := s.process
	s.mu.Unlock()
	if p != nil {
		p.Kill()
	}
	s.managing.Wait()
	if last := s.current(); last != nil {
		last.Kill()
	}
}
