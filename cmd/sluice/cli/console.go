package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/bounded"
	"sluice/cmd/sluice/console"
	"sluice/cmd/sluice/console/access"
	"sluice/pipeline/engine"
	"sluice/pipeline/engine/config"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/actions"
	"sluice/pipeline/warehouse/tombstones"
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

It starts at any time. Without tables it shows what is left to do until rows are there,
and without a database that it waits for one. Then the pages appear by themselves.

On this machine's own address it asks for no name. On another one it needs console.auth.`,
		Example: "  sluice console",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return c.console(cmd.Context(), listen) },
	}
	cmd.Flags().StringVar(&listen, "listen", "", "address of the pages (default: console.listen of the configuration, then "+consoleAddress+")")
	return cmd
}

const (
	// consoleAddress is where the console is unless the configuration or a flag says otherwise.
	consoleAddress = "127.0.0.1:9467"
	// mostWatchers is how many connections the console has at once. A page that is open holds one.
	mostWatchers = 512
	// liveEvery is how often a page that is watched is made again.
	liveEvery = 2 * time.Second
	// consoleStopLimit is longer than a page takes.
	consoleStopLimit = 10 * time.Second
)

// consoleListener is a console that listens.
type consoleListener struct {
	url      string
	listener net.Listener
	server   *http.Server
	// current is what requests get.
	current atomic.Pointer[offeredConsole]
	// failed receives why the listener ended by itself.
	failed chan error
}

// offeredConsole is a console, and the handler that lets people in.
type offeredConsole struct {
	console *console.Console
	handler http.Handler
}

// listenForConsole listens, and serves nothing yet.
func listenForConsole(ctx context.Context, a *engine.App, listen string) (*consoleListener, error) {
	settings := a.Config.Console
	if err := settings.Permits(listen); err != nil {
		return nil, usage("%s %w", listen, err)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", listen)
	if err != nil {
		return nil, fmt.Errorf("listen for the console: %w: %w", errEnvironment, err)
	}
	l := &consoleListener{url: "http://" + listener.Addr().String() + "/", listener: listener, failed: make(chan error, 1)}
	l.server = bounded.Server(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { l.current.Load().handler.ServeHTTP(w, r) }), a.Log)
	if settings.PublicURL != "" {
		l.url = settings.PublicURL + "/"
	}
	return l, nil
}

// offerPages offers all pages from now on, and records for analytics.explain_url where they are.
func (c *cli) offerPages(ctx context.Context, a *engine.App, l *consoleListener) error {
	shown, handler, err := c.consoleOf(a)
	if err != nil {
		return err
	}
	switch err := actions.SetConsoleAddress(ctx, a.DB.Pool(), strings.TrimSuffix(l.url, "/")); {
	case errors.Is(err, actions.ErrOnlyReads):
		a.Log.InfoContext(ctx, "the console only looks: its role of the database writes nothing")
	case err != nil:
		a.Log.WarnContext(ctx, "the address of the console could not be recorded", "error", err)
	}
	l.offer(&offeredConsole{console: shown, handler: handler})
	return nil
}

// offer replaces what requests get. Those who watch a page connect again, and get the new one.
func (l *consoleListener) offer(next *offeredConsole) {
	if before := l.current.Swap(next); before != nil {
		before.console.Close()
	}
}

// serve answers requests with what is offered.
func (l *consoleListener) serve() {
	go func() {
		if err := l.server.Serve(bounded.Limit(l.listener, mostWatchers)); !errors.Is(err, http.ErrServerClosed) {
			l.failed <- fmt.Errorf("serve the console: %w", err)
		}
	}()
}

// stop ends the console. A nil listener has nothing to stop.
func (l *consoleListener) stop(ctx context.Context) error {
	if l == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, consoleStopLimit)
	defer cancel()
	l.current.Load().console.Close()
	if err := l.server.Shutdown(ctx); err != nil {
		return fmt.Errorf("stop the console: %w", err)
	}
	return nil
}

// consoleOf makes the console of an app, and the handler that lets people in.
func (c *cli) consoleOf(a *engine.App) (*console.Console, http.Handler, error) {
	door, err := c.consoleDoor(a)
	if err != nil {
		return nil, nil, err
	}
	p := &pages{cli: c, app: a}
	options := c.consoleOptions(a, door)
	options.Routes, options.Actions = p.routes(), p.actions()
	options.Record, options.Recorded = p.record, p.recorded
	shown := console.New(options)
	return shown, door.Handler(shown), nil
}

// consoleDoor makes what lets people in. It needs no database.
func (c *cli) consoleDoor(a *engine.App) (*access.Access, error) {
	options := access.Options{Settings: a.Config.Console, ClientSecret: a.ConsoleSecret, Log: a.Log, Now: c.env.Now}
	var err error
	if options.Settings.Auth == config.AuthOIDC {
		if options.Key, err = a.ConsoleKey(); err != nil {
			return nil, err
		}
	}
	door, err := access.New(options)
	if err != nil {
		return nil, fmt.Errorf("console.auth: %w", err)
	}
	return door, nil
}

// consoleOptions are those of any console of an app.
func (c *cli) consoleOptions(a *engine.App, door *access.Access) console.Options {
	return console.Options{
		SignOut:     door.SignOut(),
		Unreachable: func(err error) bool { return codeOf(err) == codeEnvironment },
		Scrub:       c.env.scrub.Error,
		Every:       liveEvery,
		Version:     version,
		Log:         a.Log,
		Now:         c.env.Now,
	}
}

// pages are the pages of the console: each calls what a command calls, and shows what it returns.
type pages struct {
	cli *cli
	app *engine.App
	// answers are those to the questions of analysts.
	answers recentAnswers
}

// routes are all pages, in the order of the navigation.
func (p *pages) routes() []console.Route {
	return []console.Route{
		{Pattern: "/{$}", Nav: "Streams", Page: p.streams},
		{Pattern: "/streams/{org}/{name}", Page: p.stream},
		{Pattern: "/budget", Nav: "Budget", Page: p.budget},
		{Pattern: "/runs", Nav: "Runs", Page: p.runs},
		{Pattern: "/runs/{id}", Page: numbered("id", "a run", p.run)},
		{Pattern: "/quarantine", Nav: "Quarantine", Page: p.quarantine},
		{Pattern: "/quarantine/entries", Page: p.quarantineEntries},
		{Pattern: "/quarantine/{id}", Page: numbered("id", "an entry", p.quarantineEntry)},
		{Pattern: "/tombstones", Nav: "Tombstones", Page: p.tombstones},
		{Pattern: "/tombstones/review/{run}", Page: numbered("run", "a run", p.review)},
		{Pattern: "/drift", Nav: "Drift", Page: p.drift},
		{Pattern: "/drift/{stream}", Page: p.driftOfStream},
		{Pattern: "/backfills", Nav: "Backfills", Page: p.backfills},
		{Pattern: "/backfills/new", Page: p.newBackfill},
		{Pattern: "/backfills/{id}", Page: numbered("id", "a backfill", p.backfill)},
		{Pattern: "/notifications", Nav: "Notifications", Page: p.notifications},
		{Pattern: "/notifications/callbacks", Page: p.callbacks},
		{Pattern: "/notifications/callbacks/{id}", Operators: true, Page: numbered("id", "a callback", p.callback)},
		{Pattern: "/checks", Nav: "Checks", Page: p.checks},
		{Pattern: "/checks/{id}", Page: numbered("id", "a verification", p.verification)},
		{Pattern: "/r/{resource}/{id...}", Page: p.explainRecord},
		{Pattern: "/questions", Nav: "Questions", Page: p.questions},
		{Pattern: "/questions/{n}", Page: p.question},
		{Pattern: "/dictionary", Nav: "Dictionary", Page: p.dictionary},
		{Pattern: "/dictionary/{service}", Page: p.tables},
		{Pattern: "/dictionary/{service}/{table}", Page: p.table},
		{Pattern: "/organizations", Nav: "Organizations", Page: p.organizations},
		{Pattern: "/configuration", Nav: "Configuration", Page: p.configuration},
		{Pattern: "/health", Nav: "Health", Page: p.health},
		{Pattern: "/actions", Nav: "Actions", Operators: true, Page: p.actionsPage},
	}
}

// actions are what operators can do.
func (p *pages) actions() []console.Action {
	return append(p.quarantineActions(), []console.Action{
		{Pattern: "/budget/reopen", Do: p.reopen},
		{Pattern: "/streams/{org}/{name}/run", Do: p.request},
		{Pattern: "/backfills", Do: p.startBackfill, Back: "/backfills"},
		p.backfillVerb("pause", pausable, (*warehouse.DB).Pause),
		p.backfillVerb("resume", changeable, resumed),
		p.backfillVerb("cancel", changeable, (*warehouse.DB).Cancel),
		{Pattern: "/notifications/{org}/check", Do: p.checkNotifications},
		p.decideTombstones("accept", tombstones.Accept),
		p.decideTombstones("reject", tombstones.Reject),
	}...)
}

// record writes what a person did.
func (p *pages) record(ctx context.Context, d console.Deed) (int64, error) {
	action := actions.Action{
		Actor: d.Who, Action: d.What, Target: d.Target, Organization: d.Organization, Outcome: actions.Done, Error: d.Failed,
	}
	if d.Failed != "" {
		action.Outcome = actions.Failed
	}
	var err error
	if action.Before, err = actions.State(d.Before); err != nil {
		return 0, fmt.Errorf("what was before: %w", err)
	}
	if action.After, err = actions.State(d.After); err != nil {
		return 0, fmt.Errorf("what is after: %w", err)
	}
	return actions.Write(ctx, p.app.DB.Pool(), &action)
}

// recorded reads what a person did.
func (p *pages) recorded(ctx context.Context, id int64) (console.Deed, error) {
	action, err := actions.Get(ctx, p.app.DB.Pool(), id)
	if err != nil {
		return console.Deed{}, err
	}
	return console.Deed{
		Who: action.Actor, What: action.Action, Target: action.Target, Organization: action.Organization,
		Before: action.Before, After: action.After, Failed: action.Error,
	}, nil
}
