// Command sluice copies the business records of organizations into a Postgres warehouse and keeps
// the two equal. The records are those of a suite of accounting, invoicing, billing, inventory and
// chat services.
//
// It collects the environment of the process and hands it to package cli.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"sluice/cmd/sluice/cli"
)

// memoryLimit is the memory in bytes below which the process stays, if more frequent garbage
// collection can achieve that. Without it one answer of 30 MB takes up to 170 MB. GOMEMLIMIT in the
// environment replaces it.
const memoryLimit = 96 << 20

func main() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := cli.Main(ctx, os.Args[1:], cli.Env{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, LookupEnv: os.LookupEnv, ReadFile: os.ReadFile, Now: time.Now,
	})
	stop()
	os.Exit(code)
}
