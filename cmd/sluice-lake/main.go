// Command sluice-lake publishes the tables of the warehouse as Iceberg tables, in a folder or in a
// bucket of the S3 API, and keeps them equal to the warehouse.
//
// It is a module of its own, so that what it needs for that stays out of sluice. It reads the same
// configuration, asks upstream nothing, and writes nothing in the warehouse but the catalog of the
// lake. Start reading at run, then package publish.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"sluice/cmd/sluice-lake/catalog"
	"sluice/cmd/sluice-lake/publish"
	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/engine"
	"sluice/pipeline/engine/config"
	"sluice/pipeline/outside"
	"sluice/pipeline/warehouse/postgres"
)

// memoryLimit is the memory in bytes below which the process stays, if more frequent garbage
// collection can achieve that. GOMEMLIMIT in the environment replaces it.
const memoryLimit = 220 << 20

// Exit codes, as those of sluice.
const (
	codeFailed      = 1
	codeUsage       = 2
	codeEnvironment = 3
)

func main() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], env{stdout: os.Stdout, stderr: os.Stderr, lookupEnv: os.LookupEnv, readFile: os.ReadFile})
	stop()
	os.Exit(code)
}

// env is the environment of a process.
type env struct {
	stdout, stderr io.Writer
	lookupEnv      func(string) (string, bool)
	readFile       func(string) ([]byte, error)
	scrub          *outside.Scrubber
}

// run runs one command line and gives its exit code. All output passes outlets, which know the
// secrets in force (invariant 10).
func run(ctx context.Context, args []string, e env) int {
	e.scrub = outside.NewScrubber()
	stdout, stderr := view.NewOutlet(e.stdout, e.scrub), view.NewOutlet(e.stderr, e.scrub)
	e.stdout, e.stderr = stdout, stderr
	root := newRoot(e) //nolint:contextcheck // each command gets cobra's context
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err != nil && !errors.Is(err, errFailed) {
		_, _ = fmt.Fprintln(stderr, "sluice-lake: "+err.Error()) // there is no other place to report it
	}
	code := codeOf(err)
	if flushed := errors.Join(stdout.Flush(), stderr.Flush()); flushed != nil && code == 0 {
		code = codeFailed
	}
	return code
}

var (
	// errFailed says that the result says what failed.
	errFailed = errors.New("failed")
	errUsage  = errors.New("usage")
)

func codeOf(err error) int {
	var mistakes *config.Error
	switch {
	case err == nil:
		return 0
	case errors.As(err, &mistakes), errors.Is(err, engine.ErrUsage), errors.Is(err, errUsage):
		return codeUsage
	case errors.Is(err, engine.ErrNotMigrated), errors.Is(err, catalog.ErrBusy), errors.Is(err, publish.ErrCopy),
		postgres.Unreachable(err), postgres.Busy(err):
		return codeEnvironment
	default:
		return codeFailed
	}
}
