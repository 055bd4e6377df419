package enginetest_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"sluice/pipeline"
)

// TestMetricsOfNotifications: what the database has of channels, gaps, hints and runs, and what the
// process counted, is in /metrics; what the configuration no longer names is not.
func TestMetricsOfNotifications(t *testing.T) {
	t.Parallel()
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
