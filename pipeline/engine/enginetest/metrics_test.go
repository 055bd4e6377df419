package enginetest_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/pipeline/engine/metrics"
	"sluice/pipeline/notifications"
	"sluice/sandbox"
)

// TestMetricsOfNotifications: what the database has of channels, gaps, hints and runs, and what the
// process counted, is in /metrics; what the configuration no longer names is not.
func TestMetricsOfNotifications(t *testing.T) {
	f := measured(t, 84)
	lines := func() []string {
		return regexp.MustCompile(`(?m)^sluice_(channel|hint|notifications|stream_told|stream_missed).*$`).FindAllString(f.metrics(nil), -1)
	}
	nothing := []string{
		`sluice_channel_gap_seconds_total{module="",` + businessLabel + `} 0`,
		`sluice_channel_gap_seconds_total{module="Deals",` + businessLabel + `} 0`,
		`sluice_channel_gap_seconds_total{module="Products",` + businessLabel + `} 0`,
		`sluice_hint_to_row_seconds_count 0`,
		`sluice_hints_waiting{` + businessLabel + `,resource="items",service="inventory"} 0`,
		`sluice_stream_missed_total{` + businessLabel + `,resource="items",service="inventory"} 0`,
	}
	wantLines(t, lines(), nothing)

	f.exec(`INSERT INTO sluice.channels (organization_id, module, channel_id, wanted, state, expires_at)
		SELECT $1, m, 1, '', 'active', timestamptz '2030-01-02 03:04:05Z' FROM unnest('{Products,Leads}'::text[]) AS m`, businessKey)
	f.exec(`INSERT INTO sluice.channel_gaps (organization_id, channel, opened_at, closed_at, reason)
		SELECT $1, m, now() - interval '1 day', now() - interval '1 day' + n * interval '1 second', ''
		FROM (VALUES ('', 20.5), ('Products', 60), ('Products', 30), ('Leads', 7)) AS g (m, n)`, businessKey)
	f.exec(`INSERT INTO sluice.callbacks (organization_id, dialect, digest, received_at, repeated_at, module, operation, ids, bytes)
		SELECT $1, d, m::bytea, r, r + interval '0', m, '', '{}', 1 FROM (VALUES ('watch', 'Products', timestamptz '2026-05-01Z'), ('test', '', timestamptz '2026-05-02Z'),
			('watch', 'Leads', timestamptz '2026-05-03Z'), ('rule', 'inventory.bills', timestamptz '2026-05-04Z')) AS c (d, m, r)`, businessKey)
	f.exec(`INSERT INTO sluice.hints (organization_id, service, resource, record_id, first_at, last_at, due_at, read_at)
		SELECT $1, 'inventory', r, n, now(), clock_timestamp(), now(), t FROM (VALUES ('items', '1', NULL), ('items', '2', NULL), ('items', '3', now()), ('bills', '4', NULL))
			AS h (r, n, t)`, businessKey)
	// A first sync and a run of an earlier day do not count.
	f.exec(`INSERT INTO sluice.runs (organization_id, service, resource, class, gen, started_at, ended_at, outcome, watermark_before, inserted, updated, unannounced)
		SELECT $1, 'inventory', r, '', 0, now() - ago, now(), 'done', b, i, u, n FROM (VALUES
			('items', interval '2 days', now(), 100, 100, 100), ('items', interval '1 hour', NULL, 50, 0, 0), ('items', interval '1 hour', now(), 3, 5, 2),
			('items.hinted', interval '1 minute', NULL, 2, 10, 0), ('bills', interval '1 minute', now(), 9, 9, 9)) AS v (r, ago, b, i, u, n)`, businessKey)
	f.app.Hints.Answered(3 * time.Second)
	f.app.Hints.Answered(61 * time.Second)
	f.app.Hints.Unannounced(pipeline.Key{Organization: businessKey, Service: "inventory", Resource: "items"}, 2)
	f.app.Hints.Unannounced(pipeline.Key{Organization: businessKey, Service: "inventory", Resource: "items"}, 1)
	wantLines(t, lines(), []string{
		`sluice_channel_expires_timestamp_seconds{module="Products",` + businessLabel + `} 1.893553445e+09`,
		`sluice_channel_gap_seconds_total{module="",` + businessLabel + `} 20.5`,
		`sluice_channel_gap_seconds_total{module="Deals",` + businessLabel + `} 0`,
		`sluice_channel_gap_seconds_total{module="Products",` + businessLabel + `} 90`,
		`sluice_channel_last_told_timestamp_seconds{module="Products",` + businessLabel + `} 1.7775936e+09`,
		`sluice_hint_to_row_seconds_bucket{le="2.5"} 0`, `sluice_hint_to_row_seconds_bucket{le="5"} 1`,
		`sluice_hint_to_row_seconds_bucket{le="60"} 1`, `sluice_hint_to_row_seconds_bucket{le="120"} 2`,
		`sluice_hint_to_row_seconds_sum 64`, `sluice_hint_to_row_seconds_count 2`,
		`sluice_hints_waiting{` + businessLabel + `,resource="bills",service="inventory"} 1`,
		`sluice_hints_waiting{` + businessLabel + `,resource="items",service="inventory"} 2`,
		`sluice_notifications_self_test_timestamp_seconds{` + businessLabel + `} 1.77768e+09`,
		`sluice_stream_missed_total{` + businessLabel + `,resource="items",service="inventory"} 3`,
		`sluice_stream_told_ratio{` + businessLabel + `,resource="items",service="inventory"} 0.9`,
	})
}

// wantLines compares the lines of metrics with what they have to be. Of a histogram they may have
// more.
func wantLines(t *testing.T, got, want []string) {
	t.Helper()
	wanted, shown := make(map[string]bool), make(map[string]bool)
	for _, line := range want {
		wanted[line] = true
	}
	for _, line := range got {
		shown[line] = true
		check.ErrorIf(t, !wanted[line] && !strings.HasPrefix(line, "sluice_hint_to_row_seconds"), "/metrics has %s", line)
	}
	for _, line := range want {
		check.ErrorIf(t, !shown[line], "/metrics lacks %s", line)
	}
}

// measured is a fixture that watches two modules and has a receiver of events.
func measured(t *testing.T, seed int64) *fixture {
	t.Helper()
	f := newFixture(t, sandbox.Options{Seed: seed, Records: 3}, sixLists(), "  inventory.items: {notified: {every: 6h}}\n", single())
	f.config = strings.Replace(f.config, "    credentials:", `    notifications:
      secret: ${HOOK_SECRET}
      watch: [{module: Products, tells: [inventory.items]}, {module: Deals, operations: [create, edit]}]
    credentials:`, 1) + `notifications: {listen: "127.0.0.1:0", public_url: "http://127.0.0.1:1"}
events: [{name: x, url: "http://127.0.0.1:1", secret: "${EVENTS_SECRET}"}]
`
	others := f.options.LookupEnv
	f.options.LookupEnv = func(name string) (string, bool) {
		switch name {
		case "HOOK_SECRET":
			return "canaryOfTheHook0123", true
		case "EVENTS_SECRET":
			return "whsec_Y2FuYXJ5T2ZUaGVFdmVudHMtY2FuYXJ5T2ZUaGVFdmVudHM=", true
		}
		return others(name)
	}
	f.close()
	f.open()
	return f
}

// metrics returns the metrics of the engine, and of a receiver of callbacks if there is one.
func (f *fixture) metrics(callbacks *metrics.Callbacks) string {
	f.t.Helper()
	registry := metrics.Registry(f.app.Metrics(metrics.Build{Version: "1", Revision: "2", Go: "3"}, callbacks))
	answer := httptest.NewRecorder()
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	check.FatalIf(f.t, answer.Code != http.StatusOK, "/metrics: %d %s", answer.Code, answer.Body)
	return answer.Body.String()
}

// happened is a warehouse in which everything that a metric shows happened at least once. Figures
// that no clock moves are whole; the test writes down what they come to.
func (f *fixture) happened() {
	f.t.Helper()
	of := func(sql string, args ...any) { f.exec(sql, append([]any{businessKey}, args...)...) }
	of(`UPDATE sluice.streams SET every = '10 minutes' WHERE organization_id = $1`)
	of(`UPDATE sluice.streams SET state = 'failed', failures = 2, watermark = '2026-05-01Z', last_done_at = '2026-05-02Z'
		WHERE (organization_id, service, resource) = ($1, 'inventory', 'items')`)
	of(`UPDATE sluice.streams SET counted_at = '2026-05-03Z', counted = 12, counted_ours = 10, agreed_at = '2026-05-02Z'
		WHERE (organization_id, service, resource) = ($1, 'inventory', 'items')`)
	of(`UPDATE sluice.streams SET counted_at = '2026-05-03Z', counted = 7 WHERE (organization_id, service, resource) = ($1, 'inventory', 'bills')`)
	of(`UPDATE sluice.streams SET enabled = false, state = 'denied' WHERE (organization_id, service, resource) = ($1, 'inventory', 'credit_notes')`)
	of(`INSERT INTO sluice.lateness (organization_id, service, resource, records, peak) VALUES ($1, 'inventory', 'bills', 1, '1 hour')`)
	// Of ten records two went to quarantine; a third is there, and one is decided.
	of(`WITH ended AS (INSERT INTO sluice.runs (organization_id, service, resource, class, gen, ended_at, outcome, received, quarantined)
			VALUES ($1, 'inventory', 'bills', 'incremental', 0, now(), 'done', 10, 2) RETURNING id)
		UPDATE sluice.streams SET last_run_id = (SELECT id FROM ended) WHERE (organization_id, service, resource) = ($1, 'inventory', 'bills')`)
	of(`INSERT INTO sluice.quarantine (organization_id, service, resource, record_hash, raw, code, state)
		SELECT $1, 'inventory', 'bills', n::text::bytea, '', 'x', CASE n WHEN 4 THEN 'resolved' ELSE 'open' END FROM generate_series(1, 4) AS n`)
	of(`INSERT INTO sluice.streams (organization_id, service, resource, every) VALUES ($1, 'inventory', 'items.backfill', '1 day'), ($1, 'inventory', 'bills.backfill', '1 day')`)
	of(`INSERT INTO sluice.backfills (organization_id, service, resource, windows, state, scan, ended_at) VALUES
		($1, 'inventory', 'items', 4, 'done', '{}', now()), ($1, 'inventory', 'items', 8, 'failed', '{"windows": {"at": 2}}', now()),
		($1, 'inventory', 'bills', 5, 'running', '{}', NULL)`)
	of(`UPDATE sluice.streams SET scan = '{"windows": {"at": 4}}' WHERE (organization_id, resource) = ($1, 'bills.backfill')`)
	of(`INSERT INTO sluice.tombstones (organization_id, service, resource, record_id, state, suspected_run_id, suspected_first_call, suspected_last_call,
			suspected_clock, proof, proof_run_id, proof_at, deleted_at)
		SELECT $1, 'inventory', 'items', n::text, CASE n WHEN 3 THEN 'deleted' ELSE 'needs_review' END, 1, 1, 1, now(), 'scan', 1,
			timestamptz '2026-05-03Z' + n * interval '1 day', now() FROM generate_series(1, 3) AS n`)
	f.exec(`INSERT INTO sluice.verifications (calls_allowed) VALUES (0), (0)`)
	of(`INSERT INTO sluice.verified_streams (verification_id, organization_id, service, resource, violations) VALUES (1, $1, 'inventory', 'items', 9),
		(2, $1, 'inventory', 'items', 6), (1, $1, 'inventory', 'bills', 0)`)
	of(`INSERT INTO sluice.closings (organization_id, period, first_day, last_day, time_zone) VALUES ($1, '2025-10', '2025-10-01', '2025-10-31', 'UTC')`)
	f.spent(of)
	f.exec(`UPDATE sluice.housekeeping SET at = '2026-05-06Z' WHERE work = 'tick'`)
	f.exec(`INSERT INTO river.river_job (kind, args, queue, state, max_attempts, priority, scheduled_at) SELECT 'stream', '{}', 'streams', v::river.river_job_state, 9, 1, at
		FROM (VALUES ('available', timestamptz '2026-05-08Z'), ('retryable', '2026-05-07Z'), ('scheduled', '2100-01-01Z')) AS j (v, at)`)
	f.exec(`INSERT INTO sluice.tokens (credential, died_young) VALUES ('x', 4)`)
	f.exec(`UPDATE lake.last_publication SET published_at = now(), cursor = sluice.new_changes_cursor()`)
	f.told(of)
}

// spent are the calls of a day of the service inventory, and what upstream said about them.
func (f *fixture) spent(of func(string, ...any)) {
	of(`INSERT INTO sluice.spent (organization_id, service, span, began_at, reserved, calls, incremental, hinted)
		SELECT $1, 'inventory', 'minute', date_bin('1 minute', now(), 'epoch') - ago, 8, 8, 5, 3 FROM unnest('{20 minutes,50 minutes}'::interval[]) AS ago`)
	of(`INSERT INTO sluice.spent (organization_id, service, span, began_at, reserved, calls, sweep)
		SELECT $1, 'inventory', 'minute', date_bin('1 hour', now(), 'epoch') - interval '5 hours', 40, 40, 40`)
	of(`INSERT INTO sluice.spent (organization_id, service, span, began_at, reserved, calls, incremental, hinted, sweep)
		SELECT $1, 'inventory', 'hour', date_bin('1 hour', began_at, 'epoch') AS hour, sum(reserved), sum(calls), sum(incremental), sum(hinted), sum(sweep)
		FROM sluice.spent WHERE organization_id = $1 AND began_at < date_bin('1 hour', now(), 'epoch') GROUP BY hour`)
	of(`INSERT INTO sluice.day_budgets (organization_id, service, limit_seen, remaining_seen, reset_at, seen_bucket, seen_place)
		VALUES ($1, 'inventory', 7500, 32, now() + interval '20 hours', date_bin('1 minute', now(), 'epoch'), 0)`)
	of(`INSERT INTO sluice.calls (organization_id, service, resource, class, shared, method, path, reserved_at, lease_until, free_at, finished_at, kind)
		SELECT $1, 'inventory', 'items', 'incremental', 'suite', 'GET', '/', now() - ago, now() - ago, now() - ago, now(), k FROM (VALUES
			(interval '1 minute', NULL), ('3 hours', NULL), ('23 hours 59 minutes', 'exhausted'), ('12 hours', 'exhausted'), ('2 hours', 'unavailable'),
			('24 hours 1 minute', 'exhausted'), ('30 hours', NULL)) AS c (ago, k)`)
}

// told is what notifications told.
func (f *fixture) told(of func(string, ...any)) {
	of(`INSERT INTO sluice.channels (organization_id, module, channel_id, wanted, state, expires_at) VALUES ($1, 'Products', 1, '', 'active', now())`)
	of(`INSERT INTO sluice.callbacks (organization_id, dialect, digest, received_at, repeated_at, module, operation, ids, bytes)
		SELECT $1, d, m::bytea, now(), clock_timestamp(), m, '', '{}', 1 FROM (VALUES ('watch', 'Products'), ('test', '')) AS c (d, m)`)
	of(`INSERT INTO sluice.runs (organization_id, service, resource, class, gen, ended_at, outcome, updated, watermark_before)
		VALUES ($1, 'inventory', 'items', '', 0, now(), 'done', 2, now())`)
}

// TestEveryMetric: where everything happened once, /metrics has every declared metric with its
// type and its labels, no other, and the values that the tables say.
func TestEveryMetric(t *testing.T) {
	f := measured(t, 85)
	f.happened()
	f.exec(`INSERT INTO sluice.event_receivers (name, state, failures, last_error, cursor, delivered, failed)
		VALUES ('x', 'disabled', 1, 'it answered 410', sluice.new_changes_cursor(), 5, 2)`)
	text := f.metrics(nil)
	lines := strings.Split(text, "\n")
	for _, want := range figuresOfHappened() {
		check.ErrorIf(t, !slices.Contains(lines, want), "/metrics lacks %s", want)
	}
	for _, not := range []string{
		`sluice_stream_bound_seconds{` + businessLabel + `,resource="credit_notes"`, `sluice_stream_interval_seconds{` + businessLabel + `,resource="items.backfill"`,
		`sluice_stream_watermark_timestamp_seconds{` + businessLabel + `,resource="bills"`, `sluice_verify_findings{` + businessLabel + `,resource="credit_notes"`,
		`sluice_budget_external_calls{` + businessLabel + `,service="accounting"`, `sluice_budget_exhausted_timestamp_seconds{` + businessLabel + `,service="accounting"`,
		`sluice_tombstones_held{` + businessLabel + `,resource="items.`, `sluice_records_missing{` + businessLabel + `,resource="bills"`,
	} {
		check.ErrorIf(t, strings.Contains(text, not), "/metrics has %s", not)
	}
	// 32 calls are left, and 16 were made in the last hour.
	at, err := strconv.ParseFloat(valueOf(text, "sluice_budget_exhausted_timestamp_seconds{"+businessLabel+`,service="inventory"}`), 64)
	late := time.Since(time.UnixMilli(int64(at*1000))) + 2*time.Hour
	check.ErrorIf(t, err != nil || late < 0 || late > time.Hour, "the day ends at %v, %v away from in two hours (error %v)", at, late, err)

	client := check.Sure(f.app.Client())(t)
	stream := f.app.Streams()[0]
	check.Must(t, client.Check(t.Context(), stream.Org, stream.Service))
	callbacks := metrics.NewCallbacks([]string{businessKey}, []string{notifications.Watch}, string(notifications.Taken))
	callbacks.Observe(businessKey, "watch", "taken", time.Millisecond)
	declaredOnly(t, f.metrics(callbacks), stream.Service.Name)
}

const (
	businessKey   = sandbox.DefaultOrganizationID
	businessLabel = `organization="` + businessKey + `"`
)

// figuresOfHappened are lines of /metrics, by hand.
func figuresOfHappened() []string {
	items, bills := `{`+businessLabel+`,resource="items",service="inventory"}`, `{`+businessLabel+`,resource="bills",service="inventory"}`
	account := `{` + businessLabel + `,service="inventory"}`
	ofClass := func(metric, class string, value int) string {
		return fmt.Sprintf(`%s{class=%q,%s,service="inventory"} %d`, metric, class, businessLabel, value)
	}
	return []string{
		`sluice_database_up 1`, `sluice_tokens_died_young 4`, `sluice_lake_lag_seconds 0`,
		`sluice_events_disabled{receiver="x"} 1`, `sluice_events_lag_seconds{receiver="x"} 0`, `sluice_events_delivered_total{receiver="x"} 5`, `sluice_events_failed_total{receiver="x"} 2`,
		`sluice_last_tick_timestamp_seconds 1.7780256e+09`, `sluice_oldest_job_timestamp_seconds 1.778112e+09`,
		`sluice_stream_state{` + businessLabel + `,resource="items",service="inventory",state="failed"} 1`,
		`sluice_stream_state{` + businessLabel + `,resource="credit_notes",service="inventory",state="denied"} 1`,
		`sluice_stream_failures` + items + ` 2`,
		`sluice_stream_watermark_timestamp_seconds` + items + ` 1.7775936e+09`, `sluice_stream_last_done_timestamp_seconds` + items + ` 1.77768e+09`,
		`sluice_upstream_records` + items + ` 12`, `sluice_records_missing` + items + ` 2`, `sluice_count_agreed_timestamp_seconds` + items + ` 1.77768e+09`,
		`sluice_upstream_records` + bills + ` 7`,
		// Three intervals of ten minutes, a tick, a lag of five minutes; of an hour where records
		// came late.
		`sluice_stream_interval_seconds` + items + ` 600`, `sluice_stream_bound_seconds` + items + ` 2115`, `sluice_stream_bound_seconds` + bills + ` 5415`,
		`sluice_stream_quarantined_records` + bills + ` 3`, `sluice_stream_quarantine_alarm` + bills + ` 1`, `sluice_stream_quarantine_alarm` + items + ` 0`,
		`sluice_backfill_progress_ratio` + items + ` 0.25`, `sluice_backfill_failed` + items + ` 1`,
		`sluice_backfill_progress_ratio` + bills + ` 0.8`, `sluice_backfill_failed` + bills + ` 0`,
		`sluice_tombstones_held` + items + ` 2`, `sluice_tombstones_held_since_timestamp_seconds` + items + ` 1.7778528e+09`, `sluice_tombstones_held` + bills + ` 0`,
		`sluice_verify_findings` + items + ` 6`, `sluice_verify_findings` + bills + ` 0`,
		// Of 7,500 calls two fifths are kept for lists, a fiftieth for probes, a twentieth for
		// hints.
		`sluice_budget_limit_calls` + account + ` 7500`,
		ofClass("sluice_budget_spent_calls", "incremental", 10), ofClass("sluice_budget_spent_calls", "hinted", 6),
		ofClass("sluice_budget_spent_calls", "sweep", 40), ofClass("sluice_budget_spent_calls", "probe", 0),
		ofClass("sluice_budget_kept_calls", "incremental", 2990), ofClass("sluice_budget_kept_calls", "hinted", 369),
		ofClass("sluice_budget_kept_calls", "probe", 150), ofClass("sluice_budget_kept_calls", "sweep", 0),
		// Upstream counted 7,468, of which 16 were ours.
		`sluice_budget_external_calls` + account + ` 7452`,
		`sluice_calls_24h{class="incremental",resource="items",service="inventory"} 5`,
		`sluice_refusals_24h{kind="exhausted",` + businessLabel + `,service="inventory"} 2`,
		`sluice_refusals_24h{kind="unavailable",` + businessLabel + `,service="inventory"} 1`,
	}
}

// valueOf is the value of a line of metrics.
func valueOf(text, line string) string {
	_, rest, _ := strings.Cut(text, "\n"+line+" ")
	value, _, _ := strings.Cut(rest, "\n")
	return value
}

// declaredOnly compares the metrics with their declarations: names, types, labels and the rules of
// Prometheus for names.
func declaredOnly(t *testing.T, text, called string) {
	t.Helper()
	want, labels := map[string]string{}, map[string][]string{}
	for _, m := range metrics.Declared() {
		want[m.Name], labels[m.Name] = string(m.Type), slices.Sorted(slices.Values(m.Labels))
	}
	shown := map[string]string{}
	for _, found := range regexp.MustCompile(`(?m)^# TYPE (sluice_\S+) (\S+)$`).FindAllStringSubmatch(text, -1) {
		shown[found[1]] = found[2]
	}
	check.ErrorIf(t, !maps.Equal(shown, want), "/metrics shows\n%v\ndeclared are\n%v", shown, want)
	name := regexp.MustCompile(`(\w+)="`)
	for _, found := range regexp.MustCompile(`(?m)^(sluice_\w+?)(?:_bucket|_sum|_count)?(?:\{(.*)\})? \S+$`).FindAllStringSubmatch(text, -1) {
		metric := found[1]
		if _, is := want[metric]; !is {
			metric = strings.Split(found[0], "{")[0] // a name that ends like a part of a histogram
		}
		var has []string
		for _, label := range name.FindAllStringSubmatch(found[2], -1) {
			if label[1] != "le" {
				has = append(has, label[1])
			}
		}
		if slices.Sort(has); !slices.Equal(has, labels[metric]) {
			t.Errorf("%s has the labels %v, declared are %v", found[0], has, labels[metric])
		}
	}
	fine := `sluice_call_duration_seconds_count{kind="ok",service="` + called + `"} 1`
	check.ErrorIf(t, !strings.Contains(text, fine), "/metrics lacks %s", fine)
	problems := check.Sure(promlint.New(strings.NewReader(text)).Lint())(t)
	for _, problem := range problems {
		check.ErrorIf(t, strings.HasPrefix(problem.Metric, "sluice_"), "%s: %s", problem.Metric, problem.Text)
	}
}
