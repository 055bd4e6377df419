package cli

import (
	"context"
	"fmt"
	"html"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/engine"
	"sluice/pipeline/outside"
	"sluice/pipeline/warehouse/warehousetest"
	"sluice/sandbox"
)

// crowd adds to a fleet of $1 runs and $2 records in quarantine, spread over its streams, the
// newest last.
const crowd = `
INSERT INTO sluice.runs (organization_id, service, resource, class, gen, started_at, ended_at, outcome, kind, note, chunks, calls, pages, received, inserted, updated, watermark_before)
SELECT s.organization_id, s.service, s.resource, 'incremental', n, at, at + interval '20 seconds',
	CASE WHEN n % 40 = 0 THEN 'failed' WHEN n % 25 = 0 THEN 'provisional' ELSE 'done' END, CASE WHEN n % 40 = 0 THEN 'unavailable' END, '', 1, 2, 2, 150, 3, 7, at
FROM (SELECT *, row_number() OVER () AS place, count(*) OVER () AS streams FROM sluice.streams) AS s,
	LATERAL generate_series(1, $1::integer / s.streams) AS n, LATERAL (SELECT now() - interval '34 days' * (1 - n * s.streams::float8 / $1) - s.place * interval '1 second') AS a (at)
WHERE $2::integer > 0 ORDER BY at;
INSERT INTO sluice.quarantine (organization_id, service, resource, record_hash, record_id, raw, code, path, detail, first_seen_at, last_seen_at, run_id)
SELECT s.organization_id, s.service, s.resource, sha256(n::text::bytea), n::text,
	convert_to(format('{"id": "%1$s", "name": "Sandbox Trading %1$s", "notes": "%2$s", "lines": [{"rate": "much"}]}', n, repeat('x', 300)), 'UTF8'),
	(ARRAY['bad_number', 'bad_time', 'wrong_type', 'no_id'])[1 + n % 4], 'field_' || n % 7, 'a number is declared',
	now() - n * interval '20 seconds', now() - n * interval '10 seconds', s.last_run_id
FROM generate_series(1, $2::integer) AS n
	JOIN (SELECT *, row_number() OVER () AS place, count(*) OVER () AS lists FROM sluice.streams WHERE resource !~ '\.') AS s ON s.place = 1 + n % s.lists
WHERE $1::integer > 0;
UPDATE sluice.streams s SET last_run_id = (SELECT max(id) FROM sluice.runs r
	WHERE (r.organization_id, r.service, r.resource) = (s.organization_id, s.service, s.resource)) WHERE $1::integer + $2::integer > 0;
VACUUM ANALYZE`

// pageShown is a page of the console as it was answered.
type pageShown struct {
	pattern, address string
	bytes            int
	took             time.Duration
}

// fleetConsole is the console of a fleet.
type fleetConsole struct {
	tb      testing.TB
	handler http.Handler
	pages   *pages
}

// crowded opens the console of a fleet of 2,000 streams with so many calls for each service, runs,
// and records in quarantine.
func crowded(tb testing.TB, calls, runs, records int) *fleetConsole {
	tb.Helper()
	app, conn := fleetOf(tb, fleetOf2000)
	run := func(sql string, args ...any) {
		if !strings.Contains(sql, "$1") {
			args = nil
		}
		_, err := conn.Exec(tb.Context(), sql, args...)
		fatalIf(tb, err != nil, "%v\n%s", err, sql)
	}
	// Autovacuum, analyzing one of these tables meanwhile, would keep the VACUUM at the end from
	// showing that pages are visible to all: counts would then read rows, not indexes.
	for _, table := range []string{"calls_0", "spent", "runs", "quarantine", "hints"} {
		run("ALTER TABLE sluice." + table + " SET (autovacuum_enabled = off)")
	}
	for sql := range strings.SplitSeq(fleet, ";") {
		run(sql, calls)
	}
	for sql := range strings.SplitSeq(crowd, ";") {
		run(sql, runs, records)
	}
	var streams int
	err := conn.QueryRow(tb.Context(), `SELECT count(*) FROM sluice.streams WHERE enabled`).Scan(&streams)
	fatalIf(tb, err != nil || streams < 2000 || streams > 2100, "the fleet has %d streams (error %v)", streams, err)
	return consoleOfFleet(tb, app)
}

// fleetOf2000 is how many organizations have 2,000 streams.
const fleetOf2000 = 192

func consoleOfFleet(tb testing.TB, app *engine.App) *fleetConsole {
	tb.Helper()
	c := &cli{env: Env{Stdout: io.Discard, Stderr: io.Discard, ReadFile: os.ReadFile, LookupEnv: os.LookupEnv, Now: time.Now, scrub: outside.NewScrubber()}}
	shown, handler, err := c.consoleOf(app)
	must(tb, err)
	tb.Cleanup(shown.Close)
	return &fleetConsole{tb: tb, handler: handler, pages: &pages{cli: c, app: app}}
}

func (f *fleetConsole) get(address string) (string, time.Duration) {
	f.tb.Helper()
	request := httptest.NewRequestWithContext(f.tb.Context(), http.MethodGet, address, http.NoBody)
	request.Host, request.RemoteAddr = "localhost", "127.0.0.1:4000"
	answer := httptest.NewRecorder()
	began := time.Now()
	f.handler.ServeHTTP(answer, request)
	took := time.Since(began)
	errorIf(f.tb, answer.Code != http.StatusOK, "%s: status %d\n%s", address, answer.Code, answer.Body)
	return answer.Body.String(), took
}

var hrefs = regexp.MustCompile(` href="([^"#]+)`)

// addressesEach is how many addresses of a pattern are opened; the heaviest one counts.
const addressesEach = 3

func (f *fleetConsole) crawl() []pageShown {
	f.tb.Helper()
	mux := http.NewServeMux()
	for _, route := range f.pages.routes() {
		mux.Handle(route.Pattern, http.NotFoundHandler())
	}
	heaviest := map[string]pageShown{}
	seen := map[string]bool{}
	opened := map[string]int{"": addressesEach} // what is no page has no pattern
	todo := []string{"/"}
	for len(todo) > 0 {
		address := todo[0]
		todo = todo[1:]
		request := httptest.NewRequestWithContext(f.tb.Context(), http.MethodGet, address, http.NoBody)
		_, pattern := mux.Handler(request)
		if seen[address] || opened[pattern] == addressesEach {
			continue
		}
		seen[address] = true
		opened[pattern]++
		f.get(address) // a first one prepares statements
		text, took := f.get(address)
		if len(text) > heaviest[pattern].bytes {
			heaviest[pattern] = pageShown{pattern: pattern, address: address, bytes: len(text), took: took}
		}
		for _, found := range hrefs.FindAllStringSubmatch(text, -1) {
			if to, err := url.Parse(html.UnescapeString(found[1])); err == nil && to.Host == "" && to.Scheme == "" {
				todo = append(todo, request.URL.ResolveReference(to).RequestURI())
			}
		}
	}
	return slices.SortedFunc(maps.Values(heaviest), func(a, b pageShown) int { return strings.Compare(a.pattern, b.pattern) })
}

// mostBytes is what a page may weigh.
const mostBytes = 80 << 10

// TestPagesStaySmall opens one page of each kind at 2,000 streams.
func TestPagesStaySmall(t *testing.T) {
	t.Parallel()
	shown := crowded(t, 50, 20_000, 10_000).crawl()
	for _, page := range shown {
		t.Logf("%-30s %6d bytes %8s %s", page.pattern, page.bytes, page.took.Round(time.Millisecond), page.address)
		errorIf(t, page.bytes > mostBytes, "%s weighs %d bytes, at most %d are allowed", page.address, page.bytes, mostBytes)
	}
	errorIf(t, len(shown) < 2, "only %d pages were opened", len(shown))
}

// BenchmarkConsole makes each page of the console at 2,000 streams, 1,000,000 runs and 100,000
// records in quarantine; with -short at a hundredth of the runs and records. The goal is 150 ms
// (docs/performance.md). What else runs on the machine is in median-ms, and hardly in least-ms.
func BenchmarkConsole(b *testing.B) {
	calls, runs, records := 1000, 1_000_000, 100_000
	if testing.Short() {
		calls, runs, records = 50, 10_000, 1000
	}
	f := crowded(b, calls, runs, records)
	for _, page := range f.crawl() {
		b.Run(strings.Trim(page.pattern, "/")+"/", func(b *testing.B) {
			var all []time.Duration
			for b.Loop() {
				_, took := f.get(page.address)
				all = append(all, took)
			}
			slices.Sort(all)
			b.ReportMetric(all[0].Seconds()*1e3, "least-ms")
			b.ReportMetric(all[len(all)/2].Seconds()*1e3, "median-ms")
			b.ReportMetric(float64(page.bytes)/(1<<10), "KB")
		})
	}
}

// fleet is what the control tables of a fleet hold after a day: for each organization, calls of a
// day of 2,500 with a few refusals, counts of each minute, open entries, hints and runs. With at
// most 50 calls only the first ten organizations have a count of each minute, the others one of
// each hour. VACUUM does what the server does by itself after some time.
const fleet = `
INSERT INTO sluice.calls (organization_id, service, resource, class, shared, method, path, reserved_at, lease_until, free_at, finished_at, kind)
SELECT s.organization_id, s.service, s.resource, 'incremental', 'suite', 'GET', '/', at, a.at, at, a.at, CASE WHEN n % 50 = 0 THEN 'throttled' END
FROM generate_series(1, $1::integer) AS n CROSS JOIN (
	SELECT organization_id, service, min(resource) AS resource FROM sluice.streams GROUP BY organization_id, service
) AS s CROSS JOIN LATERAL (SELECT now() - interval '24 hours' * (1 - n::float8 / $1)) AS a (at);
INSERT INTO sluice.spent (organization_id, service, span, began_at, reserved, calls, incremental)
SELECT o.organization_id, o.service, 'minute', date_bin('1 minute', now(), 'epoch') - n * interval '1 minute', 2, 2, 2
FROM (SELECT DISTINCT organization_id, service FROM sluice.streams) AS o, generate_series(0, 2880) AS n
	WHERE $1::integer > 50 OR $1::integer > 0 AND (n % 60 = 0 OR length(o.organization_id) = 5);
INSERT INTO sluice.spent (organization_id, service, span, began_at, reserved, calls, incremental)
SELECT organization_id, service, 'hour', date_bin('1 hour', began_at, 'epoch') AS hour, sum(reserved), sum(calls), sum(incremental)
FROM sluice.spent WHERE $1::integer > 0 AND began_at < date_bin('1 hour', now(), 'epoch') GROUP BY organization_id, service, hour;
INSERT INTO sluice.day_budgets (organization_id, service, limit_seen, remaining_seen, reset_at, seen_bucket, seen_place)
SELECT DISTINCT organization_id, service, 2500, 100, now() + interval '5 hours', date_bin('1 minute', now(), 'epoch'), 1 FROM sluice.streams WHERE $1::integer > 0;
INSERT INTO sluice.runs (organization_id, service, resource, class, gen, ended_at, outcome, received, watermark_before)
SELECT organization_id, service, resource, 'incremental', 0, now(), 'done', 100, now() FROM sluice.streams, generate_series(1, least($1::integer, 40));
UPDATE sluice.streams s SET watermark = now(), last_run_id = (SELECT max(id) FROM sluice.runs r
	WHERE (r.organization_id, r.service, r.resource) = (s.organization_id, s.service, s.resource)) WHERE $1::integer > 0;
INSERT INTO sluice.quarantine (organization_id, service, resource, record_hash, raw, code)
SELECT organization_id, service, resource, n::text::bytea, '', 'x' FROM sluice.streams, generate_series(1, 5) AS n WHERE $1::integer > 0;
INSERT INTO sluice.hints (organization_id, service, resource, record_id, first_at, last_at, due_at, read_at)
SELECT organization_id, service, resource, n::text, now(), clock_timestamp(), now(), CASE WHEN n % 10 > 0 THEN now() END
FROM sluice.streams, generate_series(1, 20) AS n WHERE $1::integer > 0 AND resource !~ '\.';
INSERT INTO sluice.verifications (calls_allowed) SELECT 0 FROM generate_series(1, 30) WHERE $1::integer > 0;
INSERT INTO sluice.verified_streams (verification_id, organization_id, service, resource)
SELECT v.id, organization_id, service, resource FROM sluice.verifications v, sluice.streams WHERE $1::integer > 0 AND resource !~ '\.';
VACUUM ANALYZE`

func fleetOf(tb testing.TB, organizations int) (*engine.App, *pgx.Conn) {
	tb.Helper()
	url := warehousetest.Template(tb, "migrated", migrated)
	var text strings.Builder
	text.WriteString("database:\n  url: ${SLUICE_DATABASE_URL}\nvendor: {name: Sandbox, api_url: \"http://127.0.0.1:1\", chat_url: \"http://127.0.0.1:1\"," +
		" auth_url: \"http://127.0.0.1:1\"}\norganizations:\n")
	for n := range organizations {
		fmt.Fprintf(&text, "  - {name: Fleet %[1]d, id: \"6001%[1]d\", data_center: com, time_zone: UTC, credentials: {client_id: c%[1]d, "+
			"client_secret: \"${SANDBOX_CLIENT_SECRET}\", refresh_token: \"${SANDBOX_REFRESH_TOKEN}\"}, services: {%[2]schat: {plan: standard}}}\n",
			n, []string{"inventory: {plan: premium}, ", ""}[n%2])
	}
	config := filepath.Join(tb.TempDir(), "config.yaml")
	must(tb, os.WriteFile(config, []byte(text.String()), 0o600))
	environment := map[string]string{
		"SLUICE_ENCRYPTION_KEY": testKey, "SLUICE_DATABASE_URL": url,
		"SANDBOX_CLIENT_SECRET": sandbox.ClientSecret, "SANDBOX_REFRESH_TOKEN": sandbox.RefreshToken,
	}
	env := Env{Stdout: io.Discard, Stderr: tb.Output(), ReadFile: os.ReadFile, Now: time.Now, LookupEnv: func(name string) (string, bool) {
		value, ok := environment[name]
		return value, ok
	}}
	app := sure(engine.Open(tb.Context(), (&cli{env: env, config: config}).options()))(tb)
	tb.Cleanup(func() {
		err := app.Close(context.WithoutCancel(tb.Context()))
		errorIf(tb, err != nil, "%v", err)
	})
	return app, warehousetest.Connect(tb, url)
}
