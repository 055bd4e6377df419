package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/bounded"
	"sluice/pipeline/engine"
	"sluice/pipeline/engine/config"
	"sluice/pipeline/engine/metrics"
	"sluice/pipeline/notifications"
)

// mostSenders is how many connections the receiver of callbacks has at once: those in flight, some
// that wait, and some that upstream leaves open.
const mostSenders = 256

func (c *cli) serveNotifications() *cobra.Command {
	var listen string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Receive callbacks, and do nothing else, until told to stop",
		Long: `Receive callbacks at notifications.listen, and do nothing else, until SIGTERM or SIGINT.
This process can stand in a network of its own: it makes no call upstream, needs neither
upstream's secrets nor the sealing key, and its role of the database may be one that can
do nothing but store callbacks (sluice.grant_receiver). As sluice serve, it reads secrets
again at SIGHUP and when their files change.

A callback is answered with 200 only when it is stored. /healthz, /readyz and /metrics are
on the address listen, as those of sluice serve.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			signal.Ignore(syscall.SIGPIPE) // as in serve
			again := make(chan os.Signal, 1)
			signal.Notify(again, syscall.SIGHUP) // which otherwise ends the process
			defer signal.Stop(again)
			options := c.options()
			options.Quiet, options.Purpose = false, config.ForReceiver
			return c.receive(cmd.Context(), options, listen, again)
		},
	}
	cmd.Flags().StringVar(&listen, "listen", "", "address for health and metrics (default: listen of the configuration)")
	return cmd
}

// receive opens no warehouse: the role may not be allowed to read it.
func (c *cli) receive(ctx context.Context, options engine.Options, listen string, again <-chan os.Signal) error {
	a, err := engine.Load(options)
	if err != nil {
		return err
	}
	if a.Config.Notifications.Listen == "" {
		return usage("notifications.listen is missing in the configuration: it is the address at which callbacks are received")
	}
	if listen == "" {
		listen = a.Config.Listen
	}
	if err := a.OpenDatabase(ctx); err != nil {
		return err
	}
	a.WarnExposed(ctx)
	unfollow := followSecrets(ctx, a, again)
	defer unfollow()
	return errors.Join(c.receiveUntil(ctx, a, listen), a.Close(ctx))
}

func (c *cli) receiveUntil(ctx context.Context, a *engine.App, listen string) error {
	callbacks := callbackMetrics(a)
	receiver, err := openListener(ctx, a, callbacks)
	if err != nil {
		return err
	}
	status, err := listenForStatus(ctx, a, listen)
	if err != nil {
		return errors.Join(err, receiver.stop(ctx))
	}
	status.show(statusPages(receiver.receiver.Ping, metrics.ReceiverRegistry(build(), callbacks)))
	a.Log.InfoContext(ctx, "serving", "listen", status.address)
	select {
	case <-ctx.Done():
		a.Log.InfoContext(ctx, "stopping")
	case err = <-status.failed:
		err = fmt.Errorf("serve health and metrics: %w", err)
	case err = <-receiver.failed:
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), receiverStopLimit)
	defer cancel()
	return errors.Join(err, receiver.stop(stop), status.server.Shutdown(stop))
}

// receiverStopLimit is longer than a callback takes.
const receiverStopLimit = 10 * time.Second

// receiverListener is a receiver that listens.
type receiverListener struct {
	receiver *engine.Receiver
	server   *http.Server
	// failed receives why the listener ended by itself.
	failed <-chan error
}

// openListener starts to receive callbacks at notifications.listen.
func openListener(ctx context.Context, a *engine.App, callbacks *metrics.Callbacks) (*receiverListener, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", a.Config.Notifications.Listen)
	if err != nil {
		return nil, fmt.Errorf("listen for callbacks: %w: %w", errEnvironment, err)
	}
	receiver, err := a.OpenReceiver(ctx, func(o notifications.Observation) {
		callbacks.Observe(o.Organization, o.Dialect, string(o.Verdict), o.Took)
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("receive callbacks: %w: %w", errEnvironment, err), listener.Close())
	}
	server := bounded.Server(receiver, a.Log)
	failed := make(chan error, 1)
	go func() {
		if err := server.Serve(bounded.Limit(listener, mostSenders)); !errors.Is(err, http.ErrServerClosed) {
			failed <- fmt.Errorf("receive callbacks: %w", err)
		}
	}()
	a.Log.InfoContext(ctx, "receiving callbacks", "listen", listener.Addr().String(), "public_url", a.Config.Notifications.PublicURL)
	return &receiverListener{receiver: receiver, server: server, failed: failed}, nil
}

// stop answers the callbacks in flight, and ends. A nil listener has nothing to stop.
func (r *receiverListener) stop(ctx context.Context) error {
	if r == nil {
		return nil
	}
	err := r.server.Shutdown(ctx)
	r.receiver.Close()
	if err != nil {
		return fmt.Errorf("stop receiving callbacks: %w", err)
	}
	return nil
}

// callbackMetrics are the metrics of a process that receives callbacks.
func callbackMetrics(a *engine.App) *metrics.Callbacks {
	organizations := slices.Sorted(maps.Keys(a.Notifications().Organizations))
	return metrics.NewCallbacks(organizations, []string{notifications.Watch, notifications.Rule, notifications.Test}, string(notifications.Taken))
}
