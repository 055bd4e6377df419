package migrations_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/migrations"
	"sluice/pipeline/warehouse/warehousetest"
	"sluice/schema"
)

// sqlWritten lists all objects outside of Postgres' own schemas and all rows of the two tables, each
// with the transaction that wrote it last.
const sqlWritten = `
SELECT concat_ws(' ', 'schema', nspname, xmin) FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema$)'
UNION ALL SELECT concat_ws(' ', relkind, c.oid::regclass, c.xmin) FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname !~ '^(pg_|information_schema$)'
UNION ALL SELECT concat_ws(' ', 'function', p.oid::regprocedure, p.xmin) FROM pg_proc p JOIN pg_namespace n ON n.oid = pronamespace WHERE nspname !~ '^(pg_|information_schema$)'
UNION ALL SELECT concat_ws(' ', 'row', h, h.xmin) FROM sluice.housekeeping h
UNION ALL SELECT concat_ws(' ', 'row', v, v.xmin) FROM sluice.schema_version v
ORDER BY 1`

// TestADatabaseOfADevelopmentVersionIsLeftAlone: no file brings such a database to the present
// tables. It is refused in one sentence that says what to do, and nothing in it is written.
func TestADatabaseOfADevelopmentVersionIsLeftAlone(t *testing.T) {
	t.Parallel()
	dump, err := os.ReadFile("testdata/development/dump.sql")
	must(t, err)
	url := warehousetest.New(t)
	script(t, url, string(dump))
	before := list(t, url, sqlWritten)
	if len(before) < 60 {
		t.Fatalf("the dump has %d objects and rows", len(before))
	}
	_, pending := migrations.Pending(t.Context(), url)
	_, views := migrations.PendingViews(t.Context(), url, migrations.History{})
	_, declare := migrations.Declare(t.Context(), url, []schema.Service{})
	_, outlook := migrations.Foresee(t.Context(), url, migrations.Options{})
	for call, err := range map[string]error{
		"Migrate": migrations.Migrate(t.Context(), url, migrations.Options{}), "Pending": pending, "PendingViews": views, "Declare": declare, "Foresee": outlook,
	} {
		if !errors.Is(err, migrations.ErrDevelopment) || !strings.Contains(err.Error(), "into a new database") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s = %v, want ErrDevelopment", call, err)
		}
	}
	if diff := cmp.Diff(before, list(t, url, sqlWritten)); diff != "" {
		t.Errorf("written (-before +after):\n%s", diff)
	}
}
