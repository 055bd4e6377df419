// Command sluice copies the business records of organizations from a suite of accounting,
// invoicing, billing, inventory and chat services into a Postgres warehouse and keeps the two
// equal.
//
// It opens what a process has around it and hands it to package cli.
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

// memoryLimit is what the process keeps below, in bytes, where collecting garbage more often can do
// that: without it one answer of 30 MB takes up to 170. GOMEMLIMIT in the environment replaces it.
const memoryLimit = 96 << 20

func main() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := cli.Main(ctx, os.Args[1:], cli.Env{
		Stdout: os.Stdout, Stderr: os.Stderr, LookupEnv: os.LookupEnv, ReadFile: os.ReadFile, Now: time.Now,
	})
	stop()
	os.Exit(code)
}
