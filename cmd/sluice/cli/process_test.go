package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime/debug"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"sluice/cmd/sluice-dev/harness"
	sandboxcli "sluice/cmd/sluice-sandbox/cli"
	"sluice/pipeline/warehouse/warehousetest"
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

func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may have ended meanwhile
	<-p.done
}

func (p *process) terminate() {
	p.t.Helper()
	must(p.t, p.cmd.Process.Signal(syscall.SIGTERM))
}

// stops ends a process that serves, as a service manager does.
func (p *process) stops() {
	p.t.Helper()
	p.terminate()
	p.ends(codeFine, patience)
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
	fatalIf(p.t, p.code != code, "the process ended with %d, want %d\n%s\n%s", p.code, code, p.stdout.String(), p.stderr.String())
}

// asProgram makes the test binary the program itself: tests that kill or signal processes start it
// so.
const asProgram = "SLUICE_TEST_AS_PROGRAM"

// asSandbox makes the test binary the program sluice-sandbox.
const asSandbox = "SLUICE_TEST_AS_SANDBOX"

// withMinute is the length of the minute of the limits in such a process, withClock the error of
// its clock. Package cmd/sluice-dev/harness sets them, too.
const (
	withMinute = "SLUICE_TEST_MINUTE"
	withClock  = "SLUICE_TEST_CLOCK"
	// withPeak names the file into which such a process writes its peak memory in bytes when it
	// ends; withHaste makes its retries quick.
	withPeak  = "SLUICE_TEST_PEAK"
	withHaste = "SLUICE_TEST_HASTE"
)

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Exit(program())
	}
	if os.Getenv(asSandbox) != "" {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		code := sandboxcli.Main(ctx, os.Args[1:], os.Stdout, os.Stderr)
		stop()
		os.Exit(code)
	}
	// The judges' data becomes garbage at once: fewer collections save the tests a tenth of the
	// processor time.
	debug.SetGCPercent(300)
	os.Exit(warehousetest.Run(m))
}

// clockJump is how far the clock of such a process jumps at a signal: ahead at SIGUSR1, back at
// SIGUSR2.
const clockJump = 10 * time.Minute

// program is main with another minute and another clock.
func program() int {
	env := Env{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, LookupEnv: os.LookupEnv, ReadFile: os.ReadFile, Now: time.Now}
	var off time.Duration
	for name, d := range map[string]*time.Duration{withMinute: &env.Minute, withClock: &off} {
		if text := os.Getenv(name); text != "" {
			var err error
			if *d, err = time.ParseDuration(text); err != nil {
				fmt.Fprintln(os.Stderr, err)
				return codeUsage
			}
		}
	}
	var jumped atomic.Int64
	env.Now = func() time.Time { return time.Now().Add(off + time.Duration(jumped.Load())) }
	jumps := make(chan os.Signal, 1)
	signal.Notify(jumps, syscall.SIGUSR1, syscall.SIGUSR2)
	go func() {
		for direction := range jumps {
			step := clockJump
			if direction == syscall.SIGUSR2 {
				step = -step
			}
			jumped.Add(int64(step))
		}
	}()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if os.Getenv(withHaste) != "" {
		env.Retries = quick()
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(96 << 20) // as main does
	}
	code := Main(ctx, os.Args[1:], env)
	if file := os.Getenv(withPeak); file != "" {
		used, err := harness.Peak()
		if err = errors.Join(err, os.WriteFile(file, []byte(strconv.FormatInt(used, 10)), 0o600)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return codeUsage
		}
	}
	return code
}

// patience is how long a condition may take while no call arrives: while calls arrive, the fleet
// works, however slow the machine.
const patience = 2 * time.Minute

func (s *fixture) until(what, condition string, args ...any) {
	s.t.Helper()
	s.waitUntil(what, func() bool { return one[bool](s, condition, args...) })
}

func (s *fixture) wait(what string, reached <-chan struct{}) {
	s.t.Helper()
	s.waitUntil(what, func() bool {
		select {
		case <-reached:
			return true
		default:
			return false
		}
	})
}

func (s *fixture) waitUntil(what string, holds func() bool) {
	s.t.Helper()
	const atMost = 6 * patience
	began := time.Now()
	seen, moved := s.arrivals.total(), began
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for !holds() {
		now := <-ticker.C
		if total := s.arrivals.total(); total != seen {
			seen, moved = total, now
		}
		if now.Sub(moved) > patience || now.Sub(began) > atMost {
			s.t.Fatalf("it did not come true within %s that %s\n%s", now.Sub(began).Round(time.Second), what, s.situation())
		}
	}
}

func (s *fixture) situation() string {
	s.t.Helper()
	return one[string](s, `SELECT concat_ws(E'\n',
		(SELECT string_agg(format('session %s %s %s, waits for %s %s, behind %s: %s', pid, state, now() - xact_start,
			wait_event_type, wait_event, pg_blocking_pids(pid), left(query, 120)), E'\n') FROM pg_stat_activity WHERE xact_start IS NOT NULL),
		(SELECT string_agg(format('stream %s %s until %s', resource, state, wait_until), E'\n') FROM sluice.streams WHERE state <> 'idle'),
		(SELECT string_agg(format('job %s %s, due %s, tried by %s', id, state, scheduled_at, attempted_by[array_upper(attempted_by, 1)]), E'\n')
			FROM river.river_job WHERE state <> 'completed'),
		(SELECT string_agg(format('run %s of %s, %s, began %s, ended %s: %s %s', r.id, r.resource, r.class, r.started_at, r.ended_at, r.outcome, r.note), E'\n')
			FROM (SELECT * FROM sluice.runs ORDER BY id DESC LIMIT 12) AS r),
		(SELECT string_agg(format('leader %s until %s', leader_id, expires_at), E'\n') FROM river.river_leader),
		'now ' || clock_timestamp())`)
}
