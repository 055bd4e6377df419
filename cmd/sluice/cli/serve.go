package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/bounded"
	"sluice/pipeline/engine"
	"sluice/pipeline/engine/metrics"
)

// mostConnections is how many connections the status pages have at once: they take file
// descriptors, which calls and the database need, too.
const mostConnections = 64

func (c *cli) serveCommand() *cobra.Command {
	var listen string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Work and schedule until told to stop",
		Long: `Work streams and pick due ones until SIGTERM or SIGINT. Running chunks end at
their next page. Any number of serve processes may share one database.

Each run that ends, waits or fails is a line in the log. If the configuration has
notifications.listen, it receives callbacks there, too, and with console.listen it
offers the console (sluice console). Then it starts also without tables and without a
database: the console shows what is left to do, and the work begins when it is done.

SIGHUP makes it read all secrets again, and so does a change of a file with a secret,
within a minute. Everything else of the configuration needs a restart.

/healthz says whether this process lives, /readyz whether it is at work and its
database answers, /metrics is for Prometheus.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			// If the reader of the log ends, the work goes on: without this, a write to the pipe
			// would end the process.
			signal.Ignore(syscall.SIGPIPE)
			again := make(chan os.Signal, 1)
			signal.Notify(again, syscall.SIGHUP) // which otherwise ends the process
			defer signal.Stop(again)
			options := c.options()
			options.Quiet = false
			a, err := engine.Load(options)
			if err != nil {
				return err
			}
			if listen == "" {
				listen = a.Config.Listen
			}
			err = errors.Join(c.serve(cmd.Context(), a, listen, again), a.Close(cmd.Context()))
			if cmd.Context().Err() != nil && errors.Is(err, context.Canceled) {
				return nil // it was stopped while it started and has no work to end
			}
			return err
		},
	}
	cmd.Flags().StringVar(&listen, "listen", "", "address for health and metrics (default: listen of the configuration)")
	return cmd
}

// followSecrets reads secrets again when they change, until the function that it returns is called.
func followSecrets(ctx context.Context, a *engine.App, again <-chan os.Signal) func() {
	ctx, end := context.WithCancel(ctx)
	var following sync.WaitGroup
	following.Go(func() { a.FollowSecrets(ctx, again) })
	return func() {
		end()
		following.Wait()
	}
}

// serve opens the database and works, until the context ends. With console.listen, the console
// waits for the database and its tables, and the work begins when they are there.
func (c *cli) serve(ctx context.Context, a *engine.App, listen string, again <-chan os.Signal) error {
	a.WarnExposed(ctx)
	status, err := listenForStatus(ctx, a, listen)
	if err != nil {
		return err
	}
	var shown *consoleListener
	var shownEnded <-chan error // nil waits for ever
	if a.Config.Console.Listen == "" {
		err = a.Reach(ctx)
	} else if shown, err = c.openWithConsole(ctx, a); err == nil {
		shownEnded = shown.failed
	}
	if err != nil {
		return errors.Join(err, status.server.Close())
	}
	unfollow := followSecrets(ctx, a, again)
	defer unfollow()
	var callbacks *metrics.Callbacks
	var receiver *receiverListener
	var ended <-chan error // of the receiver, as above
	if a.Config.Notifications.Listen != "" {
		callbacks = callbackMetrics(a)
		if receiver, err = openListener(ctx, a, callbacks); err != nil {
			return errors.Join(err, shown.stop(context.WithoutCancel(ctx)), status.server.Close())
		}
		ended = receiver.failed
	}
	queue, err := a.StartQueue(context.WithoutCancel(ctx), true)
	if err != nil {
		return errors.Join(err, shown.stop(context.WithoutCancel(ctx)), receiver.stop(context.WithoutCancel(ctx)), status.server.Close())
	}
	status.show(statusPages(a.DB.Pool().Ping, metrics.Registry(a.Metrics(build(), callbacks))))
	a.Log.InfoContext(ctx, "serving", "listen", status.address, "workers", a.Config.Workers, "streams", len(a.Streams()))

	select {
	case <-ctx.Done():
		a.Log.InfoContext(ctx, "stopping: running chunks end at their next page")
	case err = <-status.failed:
		err = fmt.Errorf("serve health and metrics: %w", err)
	case err = <-ended:
	case err = <-shownEnded:
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), queueStopLimit)
	defer cancel()
	return errors.Join(err, shown.stop(stop), receiver.stop(stop), queue.Stop(stop), status.server.Shutdown(stop))
}

// statusListener offers the status pages.
type statusListener struct {
	address string
	server  *http.Server
	pages   atomic.Pointer[http.Handler]
	// failed receives why the listener ended.
	failed chan error
}

// listenForStatus offers the status pages of a process that is not ready yet.
func listenForStatus(ctx context.Context, a *engine.App, listen string) (*statusListener, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", listen)
	if err != nil {
		return nil, fmt.Errorf("listen for health and metrics: %w: %w", errEnvironment, err)
	}
	s := &statusListener{address: listener.Addr().String(), failed: make(chan error, 1)}
	s.show(unreadyPages())
	s.server = bounded.Server(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*s.pages.Load()).ServeHTTP(w, r) }), a.Log)
	go func() { s.failed <- s.server.Serve(bounded.Limit(listener, mostConnections)) }()
	return s, nil
}

func (s *statusListener) show(pages http.Handler) { s.pages.Store(&pages) }

// unreadyPages are the status pages of a process that waits for its database.
func unreadyPages() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", lives)
	mux.HandleFunc("GET /", func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "sluice waits for its database", http.StatusServiceUnavailable)
	})
	return mux
}

// lives says that this process lives.
func lives(w http.ResponseWriter, _ *http.Request) {
	_, _ = fmt.Fprintln(w, "ok") // a failure means that the client has disconnected
}

// statusPages are read-only. They show counts and times, never values of records. Ping asks whether
// the database answers.
func statusPages(ping func(context.Context) error, registry *prometheus.Registry) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", lives)
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
		defer cancel()
		if err := ping(ctx); err != nil {
			http.Error(w, "the database does not answer", http.StatusServiceUnavailable)
			return
		}
		_, _ = fmt.Fprintln(w, "ready") // as in lives
	})
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	return mux
}

func (c *cli) healthCommand() *cobra.Command {
	var listen string
	cmd := &cobra.Command{
		Use:   "health",
		Short: "Ask a running serve whether it is healthy (for container health checks)",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return askHealth(cmd.Context(), listen)
		},
	}
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:9464", "address that serve listens on")
	return cmd
}

func askHealth(ctx context.Context, listen string) error {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return usage("--listen %q is no host:port: %w", listen, err)
	}
	if host == "" || host == "0.0.0.0" || host == "::" {
		host = "127.0.0.1"
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+"/healthz", nil)
	if err != nil {
		return fmt.Errorf("ask for health: %w", err)
	}
	answer, err := (&http.Client{}).Do(request)
	if err != nil {
		return fmt.Errorf("ask for health: %w: %w", errEnvironment, err)
	}
	defer func() { _ = answer.Body.Close() }() // only the status matters
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("serve says %s", answer.Status)
	}
	return nil
}
