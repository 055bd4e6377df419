// Command sluice-sandbox is for a try of sluice, for tests, and for authors of other clients. It
// serves a simulated upstream, runs a private Postgres, and shows sluice on both. sluice itself
// contains none of this.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"sluice/cmd/sluice-sandbox/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := cli.Main(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
