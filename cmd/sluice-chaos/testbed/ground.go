// Package testbed is what processes of sluice are tried on: a durable Postgres of their own, the sandbox behind real HTTP, for
// each process a proxy on either side, and a configuration. And it is the judge: once all is quiet, upstream and the warehouse
// have to be equal, and upstream has to have seen no call beyond its limits.
//
// It knows no schedule and breaks nothing by itself: programs above it do. Start reading at Open, then judge.go.
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
	"sluice/connectors"
	"sluice/sandbox"
)

// Options say what to open.
type Options struct {
	// Program is the test binary of cmd/sluice/cli (go test -c): it is the program itself, and takes another minute and another clock.
	Program string
	// Seed and Records fix the world upstream.
	Seed    int64
	Records int
	// Minute is how long the minute of the limits is, for upstream and for sluice; zero means a minute.
	Minute time.Duration
	// Latency is what upstream takes for an answer.
	Latency time.Duration
	// Workers is how many streams one process reads at once.
	Workers int
	// Fleeting spares the server what makes commits survive a power cut: for trials that never end it.
	Fleeting bool
	// Small asks for a data volume of so many MiB, which can be filled; zero for none. See postgres.Server.Fillable.
	Small int
	// Log gets lines for people.
	Log io.Writer
}

// Key seals tokens on this ground; it opens nothing else.
const key = "c3Rvcm0tZ3JvdW5kLXN0b3JtLWdyb3VuZC1zdG9ybTE="

// Plan is the plan of the organization, PerMinute and AtOnce its limits: docs/upstream.md U40 and U41.
const (
	Plan      = "premium"
	PerMinute = 100
	AtOnce    = 10
)

// Ground is an open ground. It is safe for concurrent use.
type Ground struct {
	World    *sandbox.Server
	Postgres *postgres.Server

	options  Options
	folder   string
	upstream *http.Server
	address  string
	serving  sync.WaitGroup
	arrived  atomic.Int64
	// guest is a ground beside another one, whose Postgres it uses.
	guest bool
	// Tap is asked about each request, also for tokens; it may be replaced while nothing runs. Nil lets all pass.
	Tap Tap
}

// Tap says when a request arrives whether upstream hears it; what it gives says, once upstream has done it, whether it is answered.
type Tap func(r *http.Request) (heard bool, answered func() bool)

// Open opens a ground: an empty migrated database, and a world.
func Open(ctx context.Context, options Options) (_ *Ground, err error) {
	g := &Ground{options: options}
	defer func() {
		if err != nil {
			err = errors.Join(err, g.Close(ctx))
		}
	}()
	if err := g.openWorld(ctx); err != nil {
		return nil, err
	}
	if g.Postgres, err = postgres.Open(ctx, g.folder, options.Small, !options.Fleeting); err != nil {
		return nil, err
	}
	return g, nil
}

// Beside opens another ground on the same Postgres, with an equal world of its own, for trials side by side in databases that
// Fresh makes. It has to be closed first.
func (g *Ground) Beside(ctx context.Context) (*Ground, error) {
	beside := &Ground{options: g.options, Postgres: g.Postgres, guest: true}
	if err := beside.openWorld(ctx); err != nil {
		return nil, errors.Join(err, beside.Close(ctx))
	}
	return beside, nil
}

// openWorld makes a folder and a world behind HTTP.
func (g *Ground) openWorld(ctx context.Context) error {
	// Not the folder for temporary files of a user: the account that a server of root runs as cannot enter it.
	folder, err := os.MkdirTemp("", "sluice-storm-")
	if err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	g.folder = folder
	if err := os.Chmod(g.folder, 0o711); err != nil { //nolint:gosec // that account passes through
		return fmt.Errorf("open the folder for Postgres: %w", err)
	}
	g.World, err = sandbox.New(sandbox.Options{
		Seed: g.options.Seed, Records: g.options.Records, Plan: Plan, Now: time.Now, PageLatency: g.options.Latency,
		LatencyJitter: g.options.Latency / 2, Limits: sandbox.Limits{Minute: g.options.Minute},
	})
	if err != nil {
		return fmt.Errorf("open the sandbox: %w", err)
	}
	return g.serve(ctx)
}

// serve puts the sandbox behind HTTP.
func (g *Ground) serve(ctx context.Context) error {
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

func (g *Ground) arrive(w http.ResponseWriter, r *http.Request) {
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

// Arrived returns how many calls of services have arrived upstream.
func (g *Ground) Arrived() int64 { return g.arrived.Load() }

// Address returns where the sandbox listens, as host:port.
func (g *Ground) Address() string { return g.address }

// DialUpstream connects to the sandbox, for a proxy.
func (g *Ground) DialUpstream(ctx context.Context) (net.Conn, error) {
	return (&net.Dialer{}).DialContext(ctx, "tcp", g.address)
}

// Folder returns where logs and configurations are.
func (g *Ground) Folder() string { return g.folder }

// Close ends and removes everything, also after an interruption.
func (g *Ground) Close(ctx context.Context) error {
	var errs []error
	if g.upstream != nil {
		errs = append(errs, g.upstream.Close())
	}
	g.serving.Wait()
	if g.Postgres != nil && !g.guest {
		errs = append(errs, g.Postgres.Close(context.WithoutCancel(ctx)))
	}
	if g.folder != "" {
		errs = append(errs, os.RemoveAll(g.folder))
	}
	return errors.Join(errs...)
}

// Resources returns those that are copied here, by service: lists with and without a filter, one that is an export.
func Resources() map[string][]string {
	return map[string][]string{
		"accounting": {"chart_of_accounts", "vendor_payments"},
		"inventory":  {"items", "bills", "credit_notes"},
		"chat":       {"conversations"},
	}
}

// Older returns what a program of before does not know: a service, and a resource of another one.
func Older() []string { return []string{"chat", "inventory.credit_notes"} }

// Configure writes a configuration whose upstream is at an address, and gives its path. Services and resources may be left out.
func (g *Ground) Configure(name, upstream string, without ...string) (string, error) {
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
  - name: storm
    id: "%[2]s"
    data_center: com
    time_zone: Asia/Kolkata
    credentials: {client_id: %[3]s, client_secret: "${STORM_CLIENT_SECRET}", refresh_token: "${STORM_REFRESH_TOKEN}"}
    services:
%[4]sworkers: %[5]d
log: {level: warn}
tombstones: {apart: 0s, max_rows: 100000}
resources:
`, upstream, sandbox.DefaultOrganizationID, sandbox.ClientID, services.String(), max(g.options.Workers, 1))
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
