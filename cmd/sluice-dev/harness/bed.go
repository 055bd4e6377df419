// Package harness is the environment of processes under test: a private Postgres, the sandbox
// behind real HTTP, configurations, and processes that are started, killed and awaited. All
// subcommands that run the program use it.
//
// Bed puts them together for processes under attack. Each process has a proxy on either side, and
// upstream tells of its changes through a public address. It is also the judge: once no stream has
// work left, upstream and the warehouse must be equal, upstream must have seen no call beyond its
// limits, and the inbox must have every callback that was answered with 2xx.
//
// The harness has no schedule and breaks nothing by itself. Start reading at Open, then judge.go.
package harness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/cmd/sluice-dev/harness/proxy"
	"sluice/sandbox"
)

// Options describe the environment of processes under attack.
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
	// Small is the size in MiB of a data volume that can be filled; zero for none.
	Small int
}

// Database is the name of a bed's own database.
const Database = "chaos"

// Bed is an open environment. It is safe for concurrent use.
type Bed struct {
	World    *sandbox.Server
	Postgres *Server
	// Pool connects to the database beside the processes, without a proxy.
	Pool *pgxpool.Pool
	// Public is the address that upstream sends callbacks to. Run of the world sends them.
	Public *proxy.Proxy
	// Folder is that of logs and configurations.
	Folder string
	// Address is that of the sandbox, as host:port.
	Address string

	options   Options
	hangUp    func() error
	arrived   atomic.Int64
	callbacks *callbacks
	// guest marks a bed that uses the Postgres of another one.
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

// Open opens a bed: an empty migrated database, and a world.
func Open(ctx context.Context, options Options) (_ *Bed, err error) {
	b := &Bed{options: options}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.Close(ctx))
		}
	}()
	if err := b.openWorld(ctx); err != nil {
		return nil, err
	}
	b.Postgres, err = StartServer(ctx, ServerOptions{Dir: filepath.Join(b.Folder, "pg"), Durable: !options.Fleeting})
	if err != nil {
		return nil, err
	}
	switch {
	case options.Bare:
		err = b.Postgres.Create(ctx, Database, "")
	case options.Small > 0:
		err = errors.Join(b.Postgres.MakeEmpty(ctx), b.Postgres.CreateSmall(ctx, Database, options.Small))
	default:
		err = errors.Join(b.Postgres.MakeEmpty(ctx), b.Postgres.Create(ctx, Database, Empty))
	}
	if err != nil {
		return nil, err
	}
	if b.Pool, err = pgxpool.New(ctx, b.Postgres.URL(Database)); err != nil {
		return nil, fmt.Errorf("prepare connections: %w", err)
	}
	return b, nil
}

// Beside opens another bed on the same Postgres, with an equal world of its own, for trials side by
// side in databases that Fresh makes. It must be closed first.
func (b *Bed) Beside(ctx context.Context) (*Bed, error) {
	beside := &Bed{options: b.options, Postgres: b.Postgres, guest: true}
	if err := beside.openWorld(ctx); err != nil {
		return nil, errors.Join(err, beside.Close(ctx))
	}
	return beside, nil
}

// openWorld makes a folder and a world behind HTTP.
func (b *Bed) openWorld(ctx context.Context) error {
	// A user's folder for temporary files does not do: the account of a server started by root
	// cannot enter it.
	folder, err := os.MkdirTemp("", "sluice-dev-")
	if err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	b.Folder = folder
	if err := os.Chmod(folder, 0o711); err != nil { //nolint:gosec // that account passes through it
		return fmt.Errorf("open the folder for Postgres: %w", err)
	}
	b.callbacks = newCallbacks()
	if b.Public, err = proxy.Listen(ctx, b.reach, nil); err != nil {
		return err
	}
	b.World, err = sandbox.New(sandbox.Options{
		Seed: b.options.Seed, Records: b.options.Records, Plan: Plan, Now: time.Now, PageLatency: b.options.Latency,
		LatencyJitter: b.options.Latency / 2, Limits: sandbox.Limits{Minute: b.options.Minute},
		Poster: b.callbacks, Chaos: b.options.Callbacks, Webhooks: Rules(b.publicURL()),
	})
	if err != nil {
		return fmt.Errorf("open the sandbox: %w", err)
	}
	b.Address, b.hangUp, err = Listen(ctx, http.HandlerFunc(b.arrive))
	return err
}

// Listen serves a handler at an address of this machine, as host:port, until the returned function
// is called.
func Listen(ctx context.Context, handler http.Handler) (string, func() error, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("listen: %w", err)
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, ErrorLog: log.New(io.Discard, "", 0)} // connections break on purpose
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Serve(listener) // it ends by Close
	}()
	return listener.Addr().String(), func() error {
		err := server.Close()
		<-ended
		return err
	}, nil
}

// FreeAddress returns an address of this machine on which nothing listens.
func FreeAddress(ctx context.Context) (string, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("look for a free address: %w", err)
	}
	return listener.Addr().String(), listener.Close()
}

func (b *Bed) arrive(w http.ResponseWriter, r *http.Request) {
	if !strings.HasPrefix(r.URL.Path, "/oauth/") {
		b.arrived.Add(1)
	}
	if b.Tap == nil {
		b.World.ServeHTTP(w, r)
		return
	}
	heard, answered := b.Tap(r)
	if !heard {
		return
	}
	kept := httptest.NewRecorder()
	b.World.ServeHTTP(kept, r)
	if answered() {
		maps.Copy(w.Header(), kept.Header())
		w.WriteHeader(kept.Code)
		_, _ = kept.Body.WriteTo(w) // the caller may be gone
	}
}

// Arrived returns the number of calls of services that arrived upstream.
func (b *Bed) Arrived() int64 { return b.arrived.Load() }

// DialUpstream connects to the sandbox, for a proxy.
func (b *Bed) DialUpstream(ctx context.Context) (net.Conn, error) {
	return (&net.Dialer{}).DialContext(ctx, "tcp", b.Address)
}

// Close ends and removes everything, also after an interruption.
func (b *Bed) Close(ctx context.Context) error {
	var errs []error
	if b.hangUp != nil {
		errs = append(errs, b.hangUp())
	}
	if b.Public != nil {
		errs = append(errs, b.Public.Close())
	}
	if b.Pool != nil {
		b.Pool.Close()
	}
	if b.Postgres != nil && !b.guest {
		errs = append(errs, b.Postgres.Stop(ctx))
	}
	if b.Folder != "" {
		errs = append(errs, os.RemoveAll(b.Folder))
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

// Launch describes a process of sluice to start.
type Launch struct {
	// Name is its application name in the database, and the name of its log.
	Name string
	// Upstream and Postgres are the addresses of the proxies on either side; Upstream "" is the
	// sandbox itself. Database is one made by Fresh, or empty for the bed's own.
	Upstream, Postgres, Database string
	// Clock is the error of its clock.
	Clock time.Duration
	// Receiver gives it the role of a receiver, and of all secrets only that of notifications.
	Receiver bool
	// Program is another test binary than the bed's; "" for none.
	Program string
	// Args are the command and its arguments.
	Args []string
}

// Start starts a process.
func (b *Bed) Start(l Launch) (*Process, error) {
	config := Config{
		Upstream:      cmp.Or(l.Upstream, b.Address),
		Notifications: `{secret: "${HOOK_SECRET}", watch: [{module: Products, tells: [inventory.items]}]}`,
		Settings: fmt.Sprintf("workers: %d\nlog: {level: warn}\nschedule: {floor: 1m}\n"+
			"notifications: {listen: \"127.0.0.1:0\", public_url: \"%s\", debounce: 500ms, hinted_per_minute: 100}\n",
			max(b.options.Workers, 1), b.publicURL()),
		Resources: make(map[string]string),
	}
	for service, names := range Resources() {
		for _, name := range names {
			config.Resources[service+"."+name] = ""
		}
	}
	config.Resources["inventory.items"] = "notified: {every: 6h}"
	path := filepath.Join(b.Folder, l.Name+".yaml")
	if err := config.Write(path); err != nil {
		return nil, err
	}
	role := Owner
	if l.Receiver {
		role = Receiver
	}
	environment := config.Environment(Through(l.Postgres, role, cmp.Or(l.Database, Database), l.Name))
	if l.Receiver {
		environment = slices.DeleteFunc(environment, func(v string) bool {
			return !strings.HasPrefix(v, "HOOK_SECRET=") && !strings.HasPrefix(v, "SLUICE_DATABASE_URL=")
		})
	}
	environment = append(environment, AsProgram)
	if b.options.Minute > 0 {
		environment = append(environment, WithMinute+b.options.Minute.String())
	}
	if l.Clock != 0 {
		environment = append(environment, WithClock+l.Clock.String())
	}
	args := append([]string{"--config", path}, l.Args...)
	return Start(l.Name, filepath.Join(b.Folder, l.Name+".log"), environment, cmp.Or(l.Program, b.options.Program), args...)
}
