package cli

import (
	"context"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/engine"
	"sluice/pipeline/engine/metrics"
	"sluice/sandbox"
)

// metricsOf reads /metrics of an application.
func metricsOf(t *testing.T, app *engine.App) string {
	t.Helper()
	registry := metrics.Registry(app.Metrics(build(), nil))
	answer := httptest.NewRecorder()
	statusPages(app.DB.Pool().Ping, registry).ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if answer.Code != http.StatusOK {
		t.Fatalf("/metrics: %d %s", answer.Code, answer.Body)
	}
	return answer.Body.String()
}

// TestMetricsOfNotifications: what the database has of channels, gaps, hints and runs, and what the
// process counted, is in /metrics; what the configuration no longer names is not.
func TestMetricsOfNotifications(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 84, Records: 20}).narrow()
	s.configured("  inventory.items: {notified: {every: 6h}}\n")
	s.notified("http://127.0.0.1:1")
	app, err := engine.Open(t.Context(), (&cli{env: s.env(&buffer{}, t.Output()), config: s.config}).options())
	must(t, err)
	defer func() { must(t, app.Close(context.WithoutCancel(t.Context()))) }()
	const business = `organization="` + businessKey + `"`
	lines := func() []string {
		text := metricsOf(t, app)
		return regexp.MustCompile(`(?m)^sluice_(channel|hint|notifications|stream_told|stream_missed).*$`).FindAllString(text, -1)
	}
	nothing := []string{
		`sluice_channel_gap_seconds_total{module="",` + business + `} 0`,
		`sluice_channel_gap_seconds_total{module="Deals",` + business + `} 0`,
		`sluice_channel_gap_seconds_total{module="Products",` + business + `} 0`,
		`sluice_hint_to_row_seconds_count 0`,
		`sluice_hints_waiting{` + business + `,resource="items",service="inventory"} 0`,
		`sluice_stream_missed_total{` + business + `,resource="items",service="inventory"} 0`,
	}
	wantLines(t, lines(), nothing)

	s.exec(`INSERT INTO sluice.channels (organization_id, module, channel_id, wanted, state, expires_at)
		SELECT $1, m, 1, '', 'active', timestamptz '2030-01-02 03:04:05Z' FROM unnest('{Products,Leads}'::text[]) AS m`, businessKey)
	s.exec(`INSERT INTO sluice.channel_gaps (organization_id, channel, opened_at, closed_at, reason)
		SELECT $1, m, now() - interval '1 day', now() - interval '1 day' + n * interval '1 second', ''
		FROM (VALUES ('', 20.5), ('Products', 60), ('Products', 30), ('Leads', 7)) AS g (m, n)`, businessKey)
	s.exec(`INSERT INTO sluice.callbacks (organization_id, dialect, digest, received_at, repeated_at, module, operation, ids, bytes)
		SELECT $1, d, m::bytea, r, r + interval '0', m, '', '{}', 1 FROM (VALUES ('watch', 'Products', timestamptz '2026-05-01Z'), ('test', '', timestamptz '2026-05-02Z'),
			('watch', 'Leads', timestamptz '2026-05-03Z'), ('rule', 'inventory.bills', timestamptz '2026-05-04Z')) AS c (d, m, r)`, businessKey)
	s.exec(`INSERT INTO sluice.hints (organization_id, service, resource, record_id, first_at, last_at, due_at, read_at)
		SELECT $1, 'inventory', r, n, now(), clock_timestamp(), now(), t FROM (VALUES ('items', '1', NULL), ('items', '2', NULL), ('items', '3', now()), ('bills', '4', NULL))
			AS h (r, n, t)`, businessKey)
	// A first sync and a run of an earlier day do not count.
	s.exec(`INSERT INTO sluice.runs (organization_id, service, resource, class, gen, started_at, ended_at, outcome, watermark_before, inserted, updated, unannounced)
		SELECT $1, 'inventory', r, '', 0, now() - ago, now(), 'done', b, i, u, n FROM (VALUES
			('items', interval '2 days', now(), 100, 100, 100), ('items', interval '1 hour', NULL, 50, 0, 0), ('items', interval '1 hour', now(), 3, 5, 2),
			('items.hinted', interval '1 minute', NULL, 2, 10, 0), ('bills', interval '1 minute', now(), 9, 9, 9)) AS v (r, ago, b, i, u, n)`, businessKey)
	app.Hints.Answered(3 * time.Second)
	app.Hints.Answered(61 * time.Second)
	app.Hints.Unannounced(pipeline.Key{Organization: businessKey, Service: "inventory", Resource: "items"}, 2)
	app.Hints.Unannounced(pipeline.Key{Organization: businessKey, Service: "inventory", Resource: "items"}, 1)
	wantLines(t, lines(), []string{
		`sluice_channel_expires_timestamp_seconds{module="Products",` + business + `} 1.893553445e+09`,
		`sluice_channel_gap_seconds_total{module="",` + business + `} 20.5`,
		`sluice_channel_gap_seconds_total{module="Deals",` + business + `} 0`,
		`sluice_channel_gap_seconds_total{module="Products",` + business + `} 90`,
		`sluice_channel_last_told_timestamp_seconds{module="Products",` + business + `} 1.7775936e+09`,
		`sluice_hint_to_row_seconds_bucket{le="2.5"} 0`, `sluice_hint_to_row_seconds_bucket{le="5"} 1`,
		`sluice_hint_to_row_seconds_bucket{le="60"} 1`, `sluice_hint_to_row_seconds_bucket{le="120"} 2`,
		`sluice_hint_to_row_seconds_sum 64`, `sluice_hint_to_row_seconds_count 2`,
		`sluice_hints_waiting{` + business + `,resource="bills",service="inventory"} 1`,
		`sluice_hints_waiting{` + business + `,resource="items",service="inventory"} 2`,
		`sluice_notifications_self_test_timestamp_seconds{` + business + `} 1.77768e+09`,
		`sluice_stream_missed_total{` + business + `,resource="items",service="inventory"} 3`,
		`sluice_stream_told_ratio{` + business + `,resource="items",service="inventory"} 0.9`,
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
		if !wanted[line] && !strings.HasPrefix(line, "sluice_hint_to_row_seconds") {
			t.Errorf("/metrics has %s", line)
		}
	}
	for _, line := range want {
		if !shown[line] {
			t.Errorf("/metrics lacks %s", line)
		}
	}
}
