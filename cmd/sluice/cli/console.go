package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/console"
	"sluice/pipeline/engine"
)

func (c *cli) consoleCommand() *cobra.Command {
	var listen string
	cmd := &cobra.Command{
		Use:   "console",
		Short: "Show everything in a browser, and do nothing else, until told to stop",
		Long: `Offer the pages of the console at console.listen until SIGTERM or SIGINT: whether
everything is fresh, what the budget is spent on, what needs a person, and where each
number comes from. It makes no call upstream and needs none of upstream's secrets.
'sluice serve' offers the same pages if the configuration has console.listen.

On this machine's own address it asks for no name. On another one it needs console.auth.`,
		Args: cobra.NoArgs,
		RunE: c.offlineWork(func(ctx context.Context, a *engine.App, _ []string) error {
			return c.console(ctx, a, listen)
		}),
	}
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:9466", "address of the pages")
	return cmd
}

// console offers the pages until the context ends.
func (c *cli) console(ctx context.Context, a *engine.App, listen string) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", listen)
	if err != nil {
		return fmt.Errorf("listen for the console: %w: %w", errEnvironment, err)
	}
	shown, err := c.consoleOf(a)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer shown.Close()
	server := boundedServer(shown, a.Log)
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(limit(listener, mostWatchers)) }()
	if err := c.printer().Line("The console is at http://%s/. Ctrl-C ends it.", listener.Addr()); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
	case err = <-failed:
		err = fmt.Errorf("serve the console: %w", err)
	}
	shown.Close()
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), consoleStopLimit)
	defer cancel()
	return errors.Join(err, server.Shutdown(stop))
}

const (
	// mostWatchers is how many connections the console has at once. A page that is open holds one.
	mostWatchers = 512
	// liveEvery is how often a page that is watched is made again.
	liveEvery = 2 * time.Second
	// consoleStopLimit is longer than a page takes.
	consoleStopLimit = 10 * time.Second
)

// consoleOf makes the console of an app.
func (c *cli) consoleOf(a *engine.App) (*console.Console, error) {
	p := &pages{cli: c, app: a}
	return console.New(console.Options{
		Routes:      p.routes(),
		Actions:     p.actions(),
		User:        func(context.Context) console.User { return console.User{Name: "local", Operator: true} },
		Record:      p.record,
		Recorded:    p.recorded,
		Unreachable: func(err error) bool { return codeOf(err) == codeEnvironment },
		Scrub:       func(err error) string { return string(c.env.scrub.Error(err)) },
		Every:       liveEvery,
		Version:     version,
		Log:         a.Log,
		Now:         c.env.Now,
	})
}

// pages are the pages of the console: each calls what a command calls, and shows what it returns.
type pages struct {
	cli *cli
	app *engine.App
}

// routes are all pages, in the order of the navigation.
func (p *pages) routes() []console.Route {
	return []console.Route{
		{Pattern: "/{$}", Nav: "Streams", Page: p.streams},
		{Pattern: "/r/{resource}/{id...}", Page: p.explainRecord},
	}
}

// actions are what operators can do.
func (p *pages) actions() []console.Action { return nil }

// record writes what a person did.
func (p *pages) record(ctx context.Context, d console.Deed) (int64, error) { return 0, nil }

func (p *pages) recorded(ctx context.Context, id int64) (console.Deed, error) {
	return console.Deed{}, console.ErrNotFound
}
