package erasures_test

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sluice/migrations"
	"sluice/pipeline/warehouse/erasures"
	"sluice/pipeline/warehouse/places"
	"sluice/pipeline/warehouse/warehousetest"
)

func TestMain(m *testing.M) { os.Exit(warehousetest.Run(m)) }

// ours are the columns of the program's own tables that can hold a text and never hold one from
// outside: keys and numbers of records, names of the configuration, and words of the program.
const ours = `
history.periods: filled_to in_schema key_column modified_column arrays daily time_zone
history.versions: began ended
notifications.events: module operation
sluice.actions: actor action outcome
sluice.after_close_notices: table_name kind
sluice.backfills: column_name forecast_basis requested_by state scan
sluice.budgets: shared
sluice.callbacks: dialect digest module operation ids
sluice.calls: class shared method kind
sluice.capabilities: capability verdict value source evidence
sluice.change_log: timeline
sluice.changes: table_name op record_ids
sluice.channel_gaps: channel
sluice.channels: module wanted state code path
sluice.checks: name severity means
sluice.closed_records: table_name currency_code figures
sluice.closing_sums: table_name currency_code figures
sluice.closings: period time_zone digest lacks
sluice.columns: schema_name table_name column_name kind class wire sentence
sluice.console_address: address
sluice.erased_records: record_hash
sluice.erased_values: value_hash
sluice.erasure_salt: salt
sluice.erasures: subject_hash asked_by note places rewritten digest
sluice.event_receivers: name state cursor acknowledged
sluice.findings: severity source code
sluice.hints: operation
sluice.housekeeping: work
sluice.imports: file
sluice.last_timeline: timeline
sluice.left_out: path how key_fingerprint
sluice.live_calls: shared class
sluice.migration_steps: name
sluice.organizations: name time_zone time_zone_before
sluice.parents: parent_id
sluice.processes: name
sluice.quarantine: record_hash code state weighed weighed_by_list
sluice.reader_key: token_key
sluice.rebuilds: scope declaration last_key outcome
sluice.runs: class outcome kind proof forecast_basis
sluice.service_schemas: name
sluice.sightings: ids
sluice.spent: span
sluice.streams: scan state planned zone
sluice.tokens: credential sealed refresh scopes
sluice.tombstones: state proof decided_by
sluice.verifications: scope outcome
sluice.views: name digest`

// TestEveryColumnForTextsIsListed: a column that a migration adds is either one out of which texts
// are erased, or one that holds none from outside.
func TestEveryColumnForTextsIsListed(t *testing.T) {
	t.Parallel()
	url := warehousetest.Template(t, "migrated", func(ctx context.Context, url string) error { return migrations.Migrate(ctx, url, migrations.Options{}) })
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	own := map[string][]string{}
	for line := range strings.Lines(strings.TrimSpace(ours)) {
		table, columns, _ := strings.Cut(strings.TrimSpace(line), ": ")
		own[table] = strings.Fields(columns)
	}
	rows, err := conn.Query(t.Context(), `SELECT n.nspname || '.' || c.relname, a.attname::text
		FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_type y ON y.oid = a.atttypid
		WHERE c.relkind IN ('r', 'p') AND n.nspname IN ('sluice', 'history', 'notifications') AND a.attnum > 0 AND NOT a.attisdropped
			AND y.typname = ANY ($1) AND a.attname NOT IN ('organization_id', 'service', 'resource', 'record_id') AND c.relname !~ '^calls_[01]$' ORDER BY 1, 2`, places.Types())
	if err != nil {
		t.Fatal(err)
	}
	var table, column string
	noted := erasures.Noted()
	_, err = pgx.ForEachRow(rows, []any{&table, &column}, func() error {
		erased, kept := slices.Contains(noted[table], column), slices.Contains(own[table], column)
		if erased == kept {
			t.Errorf("%s.%s is listed: texts are erased from it: %t; it holds none from outside: %t", table, column, erased, kept)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
