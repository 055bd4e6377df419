package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse/warehousetest"
	"sluice/sandbox"
)

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

// fleetOf opens the program with so many organizations.
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
	if err := os.WriteFile(config, []byte(text.String()), 0o600); err != nil {
		tb.Fatal(err)
	}
	environment := map[string]string{
		"SLUICE_ENCRYPTION_KEY": testKey, "SLUICE_DATABASE_URL": url,
		"SANDBOX_CLIENT_SECRET": sandbox.ClientSecret, "SANDBOX_REFRESH_TOKEN": sandbox.RefreshToken,
	}
	env := Env{Stdout: io.Discard, Stderr: tb.Output(), ReadFile: os.ReadFile, Now: time.Now, LookupEnv: func(name string) (string, bool) {
		value, ok := environment[name]
		return value, ok
	}}
	app, err := engine.Open(tb.Context(), (&cli{env: env, config: config}).options())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := app.Close(context.WithoutCancel(tb.Context())); err != nil {
			tb.Error(err)
		}
	})
	return app, warehousetest.Connect(tb, url)
}
