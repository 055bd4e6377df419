// Command sluice copies the business records of organizations from a suite of
// accounting, invoicing, billing, inventory and chat services into a Postgres
// warehouse and keeps the two equal.
//
// It opens what a process has around it and hands it to package cli.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"sluice/cmd/sluice/cli"
	"sluice/cmd/sluice/heap"
)

func main() {
	heap.Steady(os.LookupEnv)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := cli.Main(ctx, os.Args[1:], cli.Env{
		Stdout: os.Stdout, Stderr: os.Stderr, LookupEnv: os.LookupEnv, ReadFile: os.ReadFile, Now: time.Now,
	})
	stop()
	os.Exit(code)
}
