// Package testbed is the environment of processes under test: a durable Postgres of their own and
// the sandbox behind real HTTP. Each process has a proxy on either side and a configuration, and
// upstream tells of its changes through a public address. It is also the judge. Once no stream has
// work left, upstream and the warehouse must be equal, upstream must have seen no call beyond its
// limits, and the inbox must have every callback that was answered with 2xx.
//
// It knows no schedule and breaks nothing by itself: programs above it do. Start reading at Open,
// then judge.go.
package testbed

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"sluice/cmd/sluice-chaos/postgres"
	"sluice/cmd/sluice-chaos/proxy"
	"sluice/connectors"
	"sluice/sandbox"
)

// Options describe the testbed.
type Options struct {
	// Program is the test binary of cmd/sluice/cli (go test -c): the program itself, with an
	// adjustable minute and clock.
	Program string
	// Seed and Records fix the world upstream.
	Seed    int64
	Records int
	// Minute is the length of a minute of the limits, for upstream and for sluice; zero means 60
	// seconds.
	Minute time.Duration
	// Latency is the delay of upstream's answers.
	Latency time.Duration
	// Workers is the number of streams that one process reads at once.
	Workers int
	// Fleeting turns off durability of commits, for trials that never stop the server.
	Fleeting bool
	// Bare leaves the database without tables: the program under test migrates it.
	Bare bool
	// Callbacks is what goes wrong with callbacks on their way.
	Callbacks sandbox.Chaos
	// Small is the size in MiB of a data volume that can be filled; zero for none. See
	// postgres.Server.Fillable.
	Small int
	// Log receives lines for people.
	Log io.Writer
}

// key seals tokens on this testbed; it opens nothing else.
const key = "c3Rvcm0tZ3JvdW5kLXN0b3JtLWdyb3VuZC1zdG9ybTE="

// Plan is the plan of the organization, PerMinute and AtOnce its limits: docs/upstream.md U40 and
// U41.
const (
	Plan      = "premium"
	PerMinute = 100
	AtOnce    = 10
)

// Bed is an open testbed. It is safe for concurrent use.
type Bed struct {
	World    *sandbox.Server
	Postgres *postgres.Server
	// Public is the address that upstream sends callbacks to. Run of the world sends them.
	Public *proxy.Proxy

	options   Options
	folder    string
	upstream  *http.Server
	address   string
	serving   sync.WaitGroup
	arrived   atomic.Int64
	callbacks *callbacks
	// guest marks a testbed that uses the Postgres of another one.
	guest bool
	// Tap sees each request, also for tokens; it may be replaced while nothing runs. Nil lets all
	// pass.
	Tap Tap
	// Receiver connects the public address to a process that receives callbacks; it may be replaced
	// while nothing runs. Nil reaches none.
	Receiver func(ctx context.Context) (net.Conn, error)
}

// Tap decides at the arrival of a request whether upstream gets it. The returned function decides,
// after upstream's work, whether the caller gets the answer.
type Tap func(r *http.Request) (heard bool, answered func() bool)

// Open opens a testbed: an empty migrated database, and a world.
func Open(ctx context.Context, options Options) (_ *Bed, err error) {
	g := &Bed{options: options}
	defer func() {
		if err != nil {
			err = errors.Join(err, g.Close(ctx))
		}
	}()
	if err := g.openWorld(ctx); err != nil {
		return nil, err
	}
	if g.Postgres, err = postgres.Open(ctx, g.folder, options.Small, !options.Fleeting, options.Bare); err != nil {
		return nil, err
	}
	return g, nil
}

// Beside opens another testbed on the same Postgres, with an equal world of its own, for trials
// side by side in databases that Fresh makes. It must be closed first.
func (g *Bed) Beside(ctx context.Context) (*Bed, error) {
	beside := &Bed{options: g.options, Postgres: g.Postgres, guest: true}
	if err := beside.openWorld(ctx); err != nil {
		return nil, errors.Join(err, beside.Close(ctx))
	}
	return beside, nil
}

// openWorld makes a folder and a world behind HTTP.
func (g *Bed) openWorld(ctx context.Context) error {
	// A user's folder for temporary files does not do: the account of a server started by root
	// cannot enter it.
	folder, err := os.MkdirTemp("", "sluice-chaos-")
	if err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	g.folder = folder
	if err := os.Chmod(g.folder, 0o711); err != nil { //nolint:gosec // that account passes through it
		return fmt.Errorf("open the folder for Postgres: %w", err)
	}
	g.callbacks = newCallbacks()
	if g.Public, err = proxy.Listen(ctx, g.reach, nil); err != nil {
		return err
	}
	g.World, err = sandbox.New(sandbox.Options{
		Seed: g.options.Seed, Records: g.options.Records, Plan: Plan, Now: time.Now, PageLatency: g.options.Latency,
		LatencyJitter: g.options.Latency / 2, Limits: sandbox.Limits{Minute: g.options.Minute},
		Poster: g.callbacks, Chaos: g.options.Callbacks, Webhooks: rules(g.publicURL()),
	})
	if err != nil {
		return fmt.Errorf("open the sandbox: %w", err)
	}
	return g.serve(ctx)
}

// serve puts the sandbox behind HTTP.
func (g *Bed) serve(ctx context.Context) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen for the sandbox: %w", err)
	}
	g.address = listener.Addr().String()
	g.upstream = &http.Server{
		Handler: http.HandlerFunc(g.arrive), ReadHeaderTimeout: 10 * time.Second,
		ErrorLog: log.New(io.Discard, "", 0), // connections break on purpose
	}
	g.serving.Go(func() { _ = g.upstream.Serve(listener) }) // it ends by Close
	return nil
}

func (g *Bed) arrive(w http.ResponseWriter, r *http.Request) {
	if !strings.HasPrefix(r.URL.Path, "/oauth/") {
		g.arrived.Add(1)
	}
	if g.Tap == nil {
		g.World.ServeHTTP(w, r)
		return
	}
	heard, answered := g.Tap(r)
	if !heard {
		return
	}
	said := &answer{header: make(http.Header), code: http.StatusOK}
	g.World.ServeHTTP(said, r)
	if answered() {
		said.send(w)
	}
}

// Arrived returns the number of calls of services that arrived upstream.
func (g *Bed) Arrived() int64 { return g.arrived.Load() }

// Address returns the address of the sandbox, as host:port.
func (g *Bed) Address() string { return g.address }

// DialUpstream connects to the sandbox, for a proxy.
func (g *Bed) DialUpstream(ctx context.Context) (net.Conn, error) {
	return (&net.Dialer{}).DialContext(ctx, "tcp", g.address)
}

// Folder returns the folder of logs and configurations.
func (g *Bed) Folder() string { return g.folder }

// Close ends and removes everything, also after an interruption.
func (g *Bed) Close(ctx context.Context) error {
	var errs []error
	if g.upstream != nil {
		errs = append(errs, g.upstream.Close())
	}
	g.serving.Wait()
	if g.Public != nil {
		errs = append(errs, g.Public.Close())
	}
	if g.Postgres != nil && !g.guest {
		errs = append(errs, g.Postgres.Close(context.WithoutCancel(ctx)))
	}
	if g.folder != "" {
		errs = append(errs, os.RemoveAll(g.folder))
	}
	return errors.Join(errs...)
}

// Resources returns the copied resources, by service: lists with and without a filter, and an
// export.
func Resources() map[string][]string {
	return map[string][]string{
		"accounting": {"chart_of_accounts", "vendor_payments"},
		"inventory":  {"items", "bills", "credit_notes"},
		"chat":       {"conversations"},
	}
}

// Older returns what an older version does not know: a service, and a resource of another one.
func Older() []string { return []string{"chat", "inventory.credit_notes"} }

// Configure writes a configuration with the address of upstream, and returns its path. Services and
// resources may be omitted.
func (g *Bed) Configure(name, upstream string, without ...string) (string, error) {
	var text, services strings.Builder
	for _, line := range []string{"accounting: {plan: " + Plan + "}", "inventory: {plan: " + Plan + "}", "chat: {plan: free}"} {
		if service, _, _ := strings.Cut(line, ":"); !slices.Contains(without, service) {
			services.WriteString("      " + line + "\n")
		}
	}
	fmt.Fprintf(&text, `database:
  url: ${SLUICE_DATABASE_URL}
vendor: {name: Svc, api_url: "http://%[1]s", chat_url: "http://%[1]s", auth_url: "http://%[1]s"}
organizations:
  - name: chaos
    id: "%[2]s"
    data_center: com
    time_zone: Asia/Kolkata
    credentials: {client_id: %[3]s, client_secret: "${CHAOS_CLIENT_SECRET}", refresh_token: "${CHAOS_REFRESH_TOKEN}"}
    notifications:
      secret: ${CHAOS_HOOK_SECRET}
      watch: [{module: Products, tells: [inventory.items]}]
    services:
%[4]sworkers: %[5]d
log: {level: warn}
tombstones: {apart: 0s, max_rows: 100000}
schedule: {floor: 1m}
notifications: {listen: "127.0.0.1:0", public_url: "%[6]s", debounce: 500ms, hinted_per_minute: 100}
resources:
  inventory.items: {notified: {every: 6h}}
`, upstream, sandbox.DefaultOrganizationID, sandbox.ClientID, services.String(), max(g.options.Workers, 1), g.publicURL())
	kept := make(map[string]bool)
	for service, names := range Resources() {
		for _, name := range names {
			kept[service+"."+name] = !slices.Contains(without, service+"."+name)
		}
	}
	for _, service := range connectors.All() {
		for _, resource := range service.Resources {
			if full := service.Name + "." + resource.Name; len(Resources()[service.Name]) > 0 && !kept[full] {
				fmt.Fprintf(&text, "  %s: {enabled: false}\n", full)
			}
		}
	}
	path := filepath.Join(g.folder, name+".yaml")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		return "", fmt.Errorf("write the configuration: %w", err)
	}
	return path, nil
}
