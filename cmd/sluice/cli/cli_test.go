package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
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
