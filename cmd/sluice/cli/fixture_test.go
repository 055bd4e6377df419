package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"sluice/cmd/sluice-sandbox/server"
	"sluice/migrations"
	"sluice/pipeline/warehouse/warehousetest"
	"sluice/sandbox"
	"sluice/sandbox/oracle"
)

// fixture is the environment of an end-to-end test: a database of its own, a simulated upstream
// behind real HTTP, and a configuration for both.
type fixture struct {
	t           *testing.T
	conn        *pgx.Conn
	world       *sandbox.Server
	arrivals    *arrivals
	upstream    *httptest.Server
	config      string
	environment map[string]string
}

// testKey seals tokens; it opens nothing else.
const testKey = "ZTJlLXRlc3Qta2V5LWUyZS10ZXN0LWtleS1lMmUtMDE="

// plan is known to accounting and inventory, and its days outlast every test.
const plan = "premium"

func migrated(ctx context.Context, url string) error {
	return migrations.Migrate(ctx, url, migrations.Options{})
}

// newFixture opens a fixture. The options need neither a clock nor a plan.
func newFixture(t *testing.T, options sandbox.Options) *fixture {
	t.Helper()
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Plan == "" {
		options.Plan = plan
	}
	world := sure(sandbox.New(options))(t)
	s := &fixture{t: t, world: world, arrivals: &arrivals{next: world}}
	s.upstream = listening(t, s.arrivals)
	url := warehousetest.Template(t, "migrated", migrated)
	s.environment = map[string]string{
		"SLUICE_ENCRYPTION_KEY": testKey,
		"SLUICE_DATABASE_URL":   url,
		"SANDBOX_CLIENT_SECRET": sandbox.ClientSecret,
		"SANDBOX_REFRESH_TOKEN": sandbox.RefreshToken,
	}
	s.config = filepath.Join(t.TempDir(), "config.yaml")
	must(t, os.WriteFile(s.config, []byte(s.configuration(options)), 0o600))
	s.conn = sure(pgx.Connect(t.Context(), url))(t)
	t.Cleanup(func() { _ = s.conn.Close(context.WithoutCancel(t.Context())) })
	return s
}

// listening serves upstream on an address of its own.
func listening(t *testing.T, upstream http.Handler) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(upstream)
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // connections break on purpose
	server.Start()
	t.Cleanup(server.Close)
	return server
}

func (s *fixture) configuration(options sandbox.Options) string {
	running := server.Running{
		URL: s.upstream.URL, Organization: sandbox.DefaultOrganizationID, ClientID: sandbox.ClientID, Vendor: options.Vendor,
	}
	return "database:\n  url: ${SLUICE_DATABASE_URL}\n" + running.Config(options.Plan)
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// sure gives the value of a call that may not fail.
func sure[T any](value T, err error) func(testing.TB) T {
	return func(tb testing.TB) T {
		tb.Helper()
		must(tb, err)
		return value
	}
}

// same wants two values to be equal.
func same[T any](tb testing.TB, what string, want, got T, options ...cmp.Option) {
	tb.Helper()
	diff := cmp.Diff(want, got, options...)
	errorIf(tb, diff != "", "%s (-want +got):\n%s", what, diff)
}

// errorIf fails the test where something is not as it should be, and says what.
func errorIf(tb testing.TB, wrong bool, format string, args ...any) {
	tb.Helper()
	if wrong {
		tb.Errorf(format, args...)
	}
}

// fatalIf is errorIf for what makes the rest of the test senseless.
func fatalIf(tb testing.TB, wrong bool, format string, args ...any) {
	tb.Helper()
	if wrong {
		tb.Fatalf(format, args...)
	}
}

// outcome is the result of a command line.
type outcome struct {
	args           []string
	code           int
	stdout, stderr string
}

// prints wants an exit code, and texts on standard output.
func (o outcome) prints(tb testing.TB, code int, texts ...string) {
	tb.Helper()
	o.has(tb, o.stdout, code, texts)
}

// complains is prints for standard error.
func (o outcome) complains(tb testing.TB, code int, texts ...string) {
	tb.Helper()
	o.has(tb, o.stderr, code, texts)
}

// says is prints for both.
func (o outcome) says(tb testing.TB, code int, texts ...string) {
	tb.Helper()
	o.has(tb, o.stdout+o.stderr, code, texts)
}

// lacks wants an exit code, and that no text is on standard output.
func (o outcome) lacks(tb testing.TB, code int, texts ...string) {
	tb.Helper()
	for _, text := range texts {
		errorIf(tb, o.code != code || strings.Contains(o.stdout, text),
			"%q: exit code %d, want %d and not %q\n%s%s", o.args, o.code, code, text, o.stdout, o.stderr)
	}
}

func (o outcome) has(tb testing.TB, said string, code int, texts []string) {
	tb.Helper()
	for _, text := range texts {
		errorIf(tb, o.code != code || !strings.Contains(said, text),
			"%q: exit code %d, want %d and %q\n%s%s", o.args, o.code, code, text, o.stdout, o.stderr)
	}
}

func quick() []time.Duration {
	return []time.Duration{time.Millisecond, time.Millisecond}
}

// run executes a command line in this process.
func (s *fixture) run(args ...string) outcome {
	s.t.Helper()
	return s.runContext(s.t.Context(), args...)
}

func (s *fixture) runContext(ctx context.Context, args ...string) outcome {
	var stdout, stderr buffer
	code := Main(ctx, append([]string{"--config", s.config}, args...), s.env(&stdout, &stderr))
	return outcome{args: args, code: code, stdout: stdout.String(), stderr: stderr.String()}
}

func (s *fixture) env(stdout, stderr io.Writer) Env {
	minute, _ := time.ParseDuration(s.environment[withMinute]) // none: the usual one
	return Env{
		Stdout: stdout, Stderr: stderr, ReadFile: os.ReadFile, Now: time.Now, Retries: quick(), Minute: minute,
		LookupEnv: func(name string) (string, bool) {
			value, ok := s.environment[name]
			return value, ok
		},
	}
}

// sync runs sync, checks its exit code, and gives its result.
func (s *fixture) sync(code int, args ...string) syncResult {
	s.t.Helper()
	return s.synced(code, s.run(append([]string{"sync", "--json"}, args...)...))
}

func (s *fixture) synced(code int, o outcome) syncResult {
	s.t.Helper()
	var result syncResult
	err := json.Unmarshal([]byte(o.stdout), &result)
	fatalIf(s.t, err != nil || o.code != code, "sync ended with %d, want %d (%v)\n%s\n%s", o.code, code, err, o.stdout, o.stderr)
	return result
}

// decoded runs a command with --json, which has to end with a code, and reads what it prints.
func decoded[T any](s *fixture, code int, args ...string) T {
	s.t.Helper()
	var shown T
	o := s.run(append([]string{"--json"}, args...)...)
	err := json.Unmarshal([]byte(o.stdout), &shown)
	fatalIf(s.t, err != nil || o.code != code, "%q ended with %d, want %d (%v)\n%s\n%s", args, o.code, code, err, o.stdout, o.stderr)
	return shown
}

func (s *fixture) exec(sql string, args ...any) {
	s.t.Helper()
	sure(s.conn.Exec(s.t.Context(), sql, args...))(s.t)
}

func one[T any](s *fixture, sql string, args ...any) T {
	s.t.Helper()
	var value T
	must(s.t, s.conn.QueryRow(s.t.Context(), sql, args...).Scan(&value))
	return value
}

func (s *fixture) prints(code int, text string, args ...string) {
	s.t.Helper()
	s.run(args...).prints(s.t, code, text)
}

// complains is prints for standard error.
func (s *fixture) complains(code int, text string, args ...string) {
	s.t.Helper()
	s.run(args...).complains(s.t, code, text)
}

// counts reads a number, and says of what there are more or fewer.
func (s *fixture) counts(want int, what, sql string, args ...any) {
	s.t.Helper()
	same(s.t, what, want, one[int](s, sql, args...))
}

func (s *fixture) pass(d time.Duration) {
	s.t.Helper()
	warehousetest.Pass(s.t, s.conn, d)
}

// afterAMinute puts a minute between the calls so far and the later ones, as the limits see it, and
// moves nothing else.
func (s *fixture) afterAMinute() {
	s.t.Helper()
	s.exec(`UPDATE sluice.calls SET reserved_at = reserved_at - interval '1 minute', free_at = free_at - interval '1 minute'`)
	s.exec(`SELECT sluice.recount_calls()`)
}

// calls counts the call log without the calls for tokens.
func (s *fixture) calls() int {
	s.t.Helper()
	return one[int](s, `SELECT count(*) FROM sluice.calls WHERE resource <> 'token'`)
}

// quiet waits until no other session is connected to the database: then every session of an ended
// process has reported what it did.
func (s *fixture) quiet() {
	s.t.Helper()
	s.until("all sessions have ended", `SELECT count(*) = 0 FROM pg_stat_activity
		WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`)
}

// narrow leaves only the resources of resources(): for tests that count calls, and for those in
// which a minute's calls have to suffice.
func (s *fixture) narrow() *fixture {
	s.t.Helper()
	text := sure(os.ReadFile(s.config))(s.t)
	narrowed := strings.NewReplacer("      invoicing: {plan: free}\n", "", "      billing: {plan: paid}\n", "").Replace(string(text)) + "resources:\n"
	for _, r := range wideResources() {
		if !slices.ContainsFunc(resources(), func(kept resource) bool { return kept.service == r.service && kept.name == r.name }) {
			narrowed += fmt.Sprintf("  %s.%s: {enabled: false}\n", r.service, r.name)
		}
	}
	must(s.t, os.WriteFile(s.config, []byte(narrowed), 0o600))
	return s
}

func (s *fixture) rewrite(old, replacement string) {
	s.t.Helper()
	text := sure(os.ReadFile(s.config))(s.t)
	fatalIf(s.t, !strings.Contains(string(text), old), "the configuration lacks %q", old)
	must(s.t, os.WriteFile(s.config, []byte(strings.ReplaceAll(string(text), old, replacement)), 0o600))
}

// resource is one of the six that most tests copy, with its list upstream.
type resource struct{ service, name, path string }

// resources are written down here, not taken from the program.
func resources() []resource {
	return []resource{
		{"accounting", "chart_of_accounts", "/books/v3/chartofaccounts"},
		{"accounting", "vendor_payments", "/books/v3/vendorpayments"},
		{"inventory", "items", "/inventory/v1/items"},
		{"inventory", "bills", "/inventory/v1/bills"},
		{"inventory", "credit_notes", "/inventory/v1/creditnotes"},
		{"chat", "conversations", "/maintenanceapi/v2/chats"},
	}
}

// equal compares the warehouse, or the part of some streams, with upstream. It gives the number of
// rows whose record is gone, and of rows with keys that no column takes.
func (s *fixture) equal(only ...string) (int, int) {
	s.t.Helper()
	return s.equalOf(business{key: sandbox.DefaultOrganizationID, id: sandbox.DefaultOrganizationID}, only...)
}

// equalOf is equal for an organization.
func (s *fixture) equalOf(o business, only ...string) (int, int) {
	s.t.Helper()
	gone, undeclared := 0, 0
	for _, r := range resources() {
		if len(only) > 0 && only[0] != r.service+"."+r.name {
			continue
		}
		result, err := oracle.Compare(s.t.Context(), s.conn, r.service, r.name, o.key, s.world.TruthOf(o.id, o.dataCenter, r.service, r.name))
		must(s.t, err)
		if result.Different > 0 {
			s.t.Errorf("%s.%s of %s: %d differences in %d records:\n%s", r.service, r.name, o.key, result.Different, result.Live,
				strings.Join(result.Differences, "\n"))
		}
		for key, n := range result.Unmapped {
			s.t.Errorf("%s: no column and no table takes the key %s (%d times)", r.service, key, n)
		}
		errorIf(s.t, result.Live == 0, "%s.%s: upstream has no record, so nothing was compared", r.service, r.name)
		gone, undeclared = gone+result.Gone, undeclared+result.Undeclared
	}
	return gone, undeclared
}

// buffer is a bytes.Buffer for several writers.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
