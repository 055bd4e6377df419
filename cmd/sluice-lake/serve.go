package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice-lake/publish"
	"sluice/cmd/sluice-lake/rest"
	"sluice/cmd/sluice/cli/bounded"
	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/engine/config"
)

const (
	// tokenVariable has what readers of the catalog show.
	tokenVariable = "SLUICE_LAKE_TOKEN" //nolint:gosec // the name of a variable
	leastToken    = 16
	// mostReaders is how many connections readers have at once.
	mostReaders = 64
	// leaving is the time that requests under way have when the process is to end.
	leaving = 10 * time.Second
)

func (c *commands) serveCommand() *cobra.Command {
	listen := "127.0.0.1:9468"
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Tell readers by Iceberg's REST protocol where the tables are",
		Long: `Answer readers by Iceberg's REST protocol, until interrupted: which tables the lake has, and the
metadata of each. Readers need no right to the database then. Nothing can be changed by it, and it
hands out no keys of the storage.

Readers show the token in ` + tokenVariable + `: Authorization: Bearer …. Without a token only
this machine is listened to. A proxy in front has to end TLS.`,
		Example: "  sluice-lake serve\n  sluice-lake serve --listen 0.0.0.0:9468",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			token, _ := c.lookupEnv(tokenVariable)
			switch {
			case token == "" && config.Reachable(listen):
				return fmt.Errorf("%w: other machines reach %s: set %s to what readers have to show, or listen at 127.0.0.1", errUsage, listen, tokenVariable)
			case token != "" && len(token) < leastToken:
				return fmt.Errorf("%w: %s has to have at least %d characters", errUsage, tokenVariable, leastToken)
			}
			c.scrub.Keep(token)
			return c.with(cmd.Context(), func(ctx context.Context, p *publish.Publisher, _ config.Lake) error {
				options := rest.Options{Pool: p.Pool, Store: p.Store, Token: token, Log: p.Log}
				if p.Catalog != nil {
					options.Pool = p.Catalog
				}
				return c.serve(ctx, listen, rest.New(options), p.Log)
			})
		},
	}
	cmd.Flags().StringVar(&listen, "listen", listen, "the address to listen at")
	return cmd
}

// serve answers until the context ends, and then lets those finish that have begun.
func (c *commands) serve(ctx context.Context, listen string, handler http.Handler, log *slog.Logger) error {
	var of net.ListenConfig
	listener, err := of.Listen(ctx, "tcp", listen)
	if err != nil {
		return fmt.Errorf("listening at %s: %w", listen, err)
	}
	server := bounded.Server(handler, log)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(bounded.Limit(listener, mostReaders)) }()
	address := "http://" + listener.Addr().String()
	if err := c.show(struct {
		Address string `json:"address"`
	}{address}, view.Line("The catalog of the lake is at %s until the program is interrupted.", address)); err != nil {
		return errors.Join(err, server.Close())
	}
	select {
	case err := <-ended:
		return fmt.Errorf("answering readers: %w", err)
	case <-ctx.Done():
	}
	soon, stop := context.WithTimeout(context.WithoutCancel(ctx), leaving)
	defer stop()
	if err := server.Shutdown(soon); err != nil {
		return errors.Join(fmt.Errorf("some readers got no answer: %w", err), server.Close())
	}
	return nil
}
