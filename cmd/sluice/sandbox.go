package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sluice/sandbox"
)

// sandboxFlags are the choices of the sandbox command.
type sandboxFlags struct {
	listen  string
	options sandbox.Options
	noLimit bool
}

func (c *cli) sandboxCommand() *cobra.Command {
	flags := sandboxFlags{}
	cmd := &cobra.Command{
		Use:   "sandbox",
		Short: "Serve a simulated upstream to try things against",
		Long: `Serve a simulated upstream: the lists, single records, exports and token endpoint
of a made-up company, over real HTTP, with tokens, limits and faults. It is not
the real service and holds nobody's data. The page at / says what it can do; paths
under /_sandbox/ change the company, count calls and set faults.`,
		Example: "  sluice sandbox --records 20000 --seed 7 --plan premium",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.serveSandbox(cmd.Context(), flags)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.listen, "listen", "127.0.0.1:8086", "address to listen on")
	f.Int64Var(&flags.options.Seed, "seed", 1, "seed of the company: the same seed and size give the same records")
	f.IntVar(&flags.options.Records, "records", 1000, "number of records, over all resources")
	f.StringVar(&flags.options.Plan, "plan", "free", "the organization's plan, which sets the limits")
	f.StringVar(&flags.options.TimeZone, "time-zone", "Asia/Kolkata", "the organization's time zone")
	f.DurationVar(&flags.options.PageLatency, "latency", 0, "wait before each answer, such as 150ms")
	f.BoolVar(&flags.options.HeadersOnly, "headers-only", false, "leave lines and the like out of lists, as live services do")
	f.BoolVar(&flags.noLimit, "no-limits", false, "enforce no limits")
	f.StringSliceVar(&flags.options.Networks, "networks", nil, "chat networks, each with channels and chats of its own: partners,suppliers")
	f.StringSliceVar(&flags.options.CustomModules, "modules", nil, "custom modules of the accounting service: cm_vehicles,cm_visits")
	return cmd
}

// serveSandbox serves until the context ends.
func (c *cli) serveSandbox(ctx context.Context, flags sandboxFlags) error {
	flags.options.Now = c.env.Now
	flags.options.Limits.Off = flags.noLimit
	upstream, err := startSandbox(ctx, flags.listen, flags.options)
	if err != nil {
		return err
	}
	if c.json {
		err = c.printer().Document(upstream)
	} else {
		err = c.printer().Line("%s", upstream.text())
	}
	<-ctx.Done()
	return errors.Join(err, upstream.stop(ctx))
}

// runningSandbox is a sandbox that listens.
type runningSandbox struct {
	URL          string `json:"url"`
	Organization string `json:"organization_id"`
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
	RefreshToken string `json:"refresh_token"`

	// Networks and Modules are the parents that only a configuration can name.
	Networks []string `json:"networks,omitempty"`
	Modules  []string `json:"custom_modules,omitempty"`

	world  *sandbox.Server
	server *http.Server
	failed chan error
}

func startSandbox(ctx context.Context, listen string, options sandbox.Options) (*runningSandbox, error) {
	world, err := sandbox.New(options)
	if err != nil {
		return nil, usage("%w", err)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", listen)
	if err != nil {
		return nil, fmt.Errorf("listen for the sandbox: %w: %w", errEnvironment, err)
	}
	running := &runningSandbox{
		URL:          "http://" + listener.Addr().String(),
		Organization: sandbox.DefaultOrganizationID,
		ClientID:     sandbox.ClientID,
		ClientSecret: sandbox.ClientSecret,
		RefreshToken: sandbox.RefreshToken,
		Networks:     options.Networks,
		Modules:      options.CustomModules,
		world:        world,
		server:       &http.Server{Handler: world, ReadHeaderTimeout: 10 * time.Second},
		failed:       make(chan error, 1),
	}
	go func() { running.failed <- running.server.Serve(listener) }()
	return running, nil
}

func (r *runningSandbox) stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if err := r.server.Shutdown(ctx); err != nil {
		_ = r.server.Close() // open connections are of no value any more
	}
	if err := <-r.failed; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve the sandbox: %w", err)
	}
	return nil
}

// config is a configuration for the sandbox, with every service that it plays, its
// secrets left to the environment. Document 2 knows figures of the free plan alone
// for invoicing, and document 1 no plans at all.
func (r *runningSandbox) config(plan string) string {
	return fmt.Sprintf(`vendor:
  name: Svc
  api_url: %[1]s
  chat_url: %[1]s
  auth_url: %[1]s
organizations:
  - name: Sandbox Trading
    id: "%[2]s"
    data_center: com
    time_zone: Asia/Kolkata
    credentials:
      client_id: %[3]s
      client_secret: ${SANDBOX_CLIENT_SECRET}
      refresh_token: ${SANDBOX_REFRESH_TOKEN}
    services:
      accounting: {plan: %[4]s%[5]s}
      inventory: {plan: %[4]s}
      chat: {plan: free%[6]s}
      invoicing: {plan: free}
      billing: {plan: paid}
`, r.URL, r.Organization, r.ClientID, plan, listOf("custom_modules", r.Modules), listOf("networks", r.Networks))
}

// listOf writes a list of the configuration; nothing where there is none.
func listOf(key string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	quoted := make([]string, 0, len(names))
	for _, name := range names {
		quoted = append(quoted, strconv.Quote(name))
	}
	return ", " + key + ": [" + strings.Join(quoted, ", ") + "]"
}

// text is what a person needs to point sluice at it. The credentials are those of
// a made-up company and open nothing else.
func (r *runningSandbox) text() string {
	return fmt.Sprintf(`The sandbox answers at %s (Ctrl-C ends it).

A configuration for it:

%s
and its secrets (of a made-up company, they open nothing else):

export SANDBOX_CLIENT_SECRET=%s
export SANDBOX_REFRESH_TOKEN=%s
export SLUICE_ENCRYPTION_KEY=$(head -c 32 /dev/urandom | base64)`, r.URL, r.config("free"), r.ClientSecret, r.RefreshToken)
}
