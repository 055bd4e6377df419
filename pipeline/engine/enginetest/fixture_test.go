package enginetest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/connectors"
	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse/streams"
	"sluice/pipeline/warehouse/warehousetest"
	"sluice/sandbox"
	"sluice/sandbox/oracle"
)

// fixture is an engine that is open: on a database of its own and a simulated upstream behind HTTP.
type fixture struct {
	t     *testing.T
	world *sandbox.Server
	conn  *pgx.Conn
	app   *engine.App

	options engine.Options
	// config is the text of the configuration. It is read when the engine opens.
	config string
}

// organization is an organization of a test: the key of its rows and its id upstream.
type organization struct{ key, id, dataCenter string }

// single is the only organization of most tests.
func single() organization {
	return organization{key: sandbox.DefaultOrganizationID, id: sandbox.DefaultOrganizationID}
}

// sixLists are lists with every kind of cursor that the small services have.
func sixLists() []string {
	return []string{
		"accounting.chart_of_accounts", "accounting.vendor_payments", "inventory.items", "inventory.bills", "inventory.credit_notes", "chat.conversations",
	}
}

// newFixture copies the lists of the organizations. The options need neither a clock nor a plan;
// more are further settings of resources.
func newFixture(t *testing.T, options sandbox.Options, lists []string, more string, organizations ...organization) *fixture {
	t.Helper()
	t.Parallel()
	const plan = "premium" // accounting and inventory have it, and its days outlast every test
	options.Now, options.Plan = time.Now, plan
	world := check.Sure(sandbox.New(options))(t)
	upstream := httptest.NewServer(world)
	t.Cleanup(upstream.Close)
	url := warehousetest.Migrated(t)
	environment := map[string]string{
		"SLUICE_DATABASE_URL": url, "SLUICE_ENCRYPTION_KEY": "ZTJlLXRlc3Qta2V5LWUyZS10ZXN0LWtleS1lMmUtMDE=", "SECRET": sandbox.ClientSecret,
	}
	var text strings.Builder
	fmt.Fprintf(&text, "database: {url: \"${SLUICE_DATABASE_URL}\"}\nvendor: {name: Svc, api_url: %[1]q, chat_url: %[1]q, auth_url: %[1]q}\norganizations:\n", upstream.URL)
	for i, o := range organizations {
		token := fmt.Sprintf("TOKEN_%d", i)
		environment[token] = sandbox.RefreshTokenFor(o.id, o.dataCenter)
		fmt.Fprintf(&text, "  - name: \"number %d\"\n    id: %q\n    key: %q\n    data_center: com\n", i, o.id, o.key)
		fmt.Fprintf(&text, "    credentials: {client_id: %q, client_secret: \"${SECRET}\", refresh_token: \"${%s}\"}\n", sandbox.ClientID, token)
		if o.dataCenter != "" {
			fmt.Fprintf(&text, "    addresses: {api_url: %[1]q, chat_url: %[1]q, auth_url: %[1]q}\n", upstream.URL+"/dc/"+o.dataCenter)
		}
		modules := ""
		if len(options.CustomModules) > 0 {
			modules = fmt.Sprintf(", custom_modules: [%s]", strings.Join(options.CustomModules, ", "))
		}
		fmt.Fprintf(&text, "    services: {accounting: {plan: %[1]s%[2]s}, inventory: {plan: %[1]s}, chat: {plan: free}}\n", plan, modules)
	}
	text.WriteString("resources:\n" + more)
	for _, service := range connectors.All() {
		for r := range service.Resources {
			name := service.Name + "." + service.Resources[r].Name
			if slices.Contains([]string{"accounting", "inventory", "chat"}, service.Name) && !slices.Contains(lists, name) {
				fmt.Fprintf(&text, "  %s: {enabled: false}\n", name)
			}
		}
	}
	f := &fixture{t: t, world: world, conn: warehousetest.Connect(t, url), options: engine.Options{
		Catalogue: connectors.All(), ConfigPath: "config.yaml", Now: time.Now, LogTo: io.Discard, Retries: []time.Duration{time.Millisecond, time.Millisecond},
		LookupEnv: func(name string) (string, bool) {
			value, set := environment[name]
			return value, set
		},
	}, config: text.String()}
	f.options.ReadFile = func(string) ([]byte, error) { return []byte(f.config), nil }
	f.open()
	t.Cleanup(f.close)
	return f
}

// open opens the engine, as a command does; close ends its sessions.
func (f *fixture) open() {
	f.t.Helper()
	app := check.Sure(engine.Open(f.t.Context(), f.options))(f.t)
	f.app = app
}

func (f *fixture) close() {
	f.t.Helper()
	check.Must(f.t, f.app.Close(context.WithoutCancel(f.t.Context())))
}

// reconfigure opens the engine on another configuration. Before that it executes the plan that the
// configuration needs, and it returns that plan.
func (f *fixture) reconfigure(config string) engine.Plan {
	f.t.Helper()
	ctx := f.t.Context()
	f.config = config
	app := check.Sure(engine.Load(f.options))(f.t)
	check.Must(f.t, app.OpenDatabase(ctx))
	plan := check.Sure(app.Plan(ctx))(f.t)
	check.Must(f.t, app.Accept(ctx, plan.ID, time.Minute))
	check.Must(f.t, check.Failure(app.Declare(ctx)))
	f.close()
	f.open()
	return plan
}

// synced is a stream after a sync, and its last run.
type synced struct {
	streams.Status

	run streams.Run
}

// copies syncs the named streams, or all of them, each of which has to end well.
func (f *fixture) copies(names ...string) map[string]synced {
	f.t.Helper()
	results := f.sync("", names...)
	for name, r := range results {
		check.ErrorIf(f.t, r.State != "idle" || r.LastRun != nil && (r.run.Outcome != "done" || r.run.Quarantined > 0),
			"%s is %s (%s): %+v", name, r.State, r.Reason, r.run)
	}
	return results
}

// sync copies the named streams of one organization or of all, as the command of that name does:
// until each has ended or waits for another day.
func (f *fixture) sync(organization string, names ...string) map[string]synced {
	f.t.Helper()
	ctx := f.t.Context()
	selected := check.Sure(f.app.Select(names, organization))(f.t)
	sweeps := check.Sure(f.app.DueSweeps(ctx, selected))(f.t)
	queue := check.Sure(f.app.StartQueue(context.WithoutCancel(ctx), false))(f.t)
	results := map[string]synced{}
	for _, phase := range engine.Phases(append(selected, sweeps...)) {
		if len(phase) > 0 {
			f.phase(queue, phase, results)
		}
	}
	check.Must(f.t, errors.Join(f.app.Rezone(ctx), f.app.NoticeAfterClose(ctx), queue.FinishEvents(ctx)))
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	check.Must(f.t, queue.Stop(stop))
	return results
}

// phase works streams whose runs may be at work together.
func (f *fixture) phase(queue *engine.Queue, phase []pipeline.Stream, results map[string]synced) {
	f.t.Helper()
	ctx := f.t.Context()
	keys, names := make([]pipeline.Key, 0, len(phase)), make([]string, 0, len(phase))
	for _, stream := range phase {
		keys, names = append(keys, stream.Key()), append(names, stream.Key().String())
	}
	check.Must(f.t, f.app.DB.Request(ctx, keys))
	check.Must(f.t, queue.Insert(ctx, keys))
	f.until(`SELECT bool_and(served_gen >= requested_gen OR state = 'waiting') FROM sluice.streams
		WHERE organization_id || '/' || service || '.' || resource = ANY ($1)`, names)
	all := check.Sure(f.app.DB.Streams(ctx, ""))(f.t)
	for i := range all {
		s := &all[i]
		name := pipeline.Key{Organization: s.Organization, Service: s.Service, Resource: s.Resource}.String()
		if !slices.Contains(names, name) {
			continue
		}
		result := synced{Status: *s}
		if s.LastRun != nil {
			result.run = check.Sure(f.app.DB.RunProgress(ctx, *s.LastRun))(f.t)
		}
		results[name] = result
	}
}

// until waits for a condition on the database.
func (f *fixture) until(condition string, args ...any) {
	f.t.Helper()
	deadline := time.NewTimer(2 * time.Minute)
	defer deadline.Stop()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for !one[bool](f, condition, args...) {
		select {
		case <-ticker.C:
		case <-deadline.C:
			f.t.Fatalf("it did not come true within two minutes: %s", condition)
		}
	}
}

// one reads one value.
func one[T any](f *fixture, sql string, args ...any) T {
	f.t.Helper()
	var value T
	check.Must(f.t, f.conn.QueryRow(f.t.Context(), sql, args...).Scan(&value))
	return value
}

func (f *fixture) exec(sql string, args ...any) {
	f.t.Helper()
	check.Sure(f.conn.Exec(f.t.Context(), sql, args...))(f.t)
}

// calls counts the call log without the calls for tokens.
func (f *fixture) calls() int {
	f.t.Helper()
	return one[int](f, `SELECT count(*) FROM sluice.calls WHERE resource <> 'token'`)
}

// equal compares the rows of lists with upstream. It returns the number of rows whose record is
// gone, and of rows with keys that no column takes.
func (f *fixture) equal(o organization, lists ...string) (int, int) {
	f.t.Helper()
	gone, undeclared := 0, 0
	for _, name := range lists {
		service, list, _ := strings.Cut(name, ".")
		result := check.Sure(oracle.Compare(f.t.Context(), f.conn, service, list, o.key, f.world.TruthOf(o.id, o.dataCenter, service, list)))(f.t)
		if result.Different > 0 || result.Live == 0 || len(result.Unmapped) > 0 {
			f.t.Errorf("%s of %s: %d differences in %d records, no column for %v:\n%s", name, o.key, result.Different, result.Live, result.Unmapped,
				strings.Join(result.Differences, "\n"))
		}
		gone, undeclared = gone+result.Gone, undeclared+result.Undeclared
	}
	return gone, undeclared
}
