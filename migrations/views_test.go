package migrations_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"sluice/migrations"
)

// TestViewsAreMadeAgainWhenTheirTextChanges: a view that did not change is not touched, one that
// gained a column is replaced with what depends on it in place, and none loses a column.
func TestViewsAreMadeAgainWhenTheirTextChanges(t *testing.T) {
	t.Parallel()
	url := migrated(t)
	text := func(columns string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(`CREATE OR REPLACE VIEW analytics.base AS SELECT ` + columns)}
	}
	views := fstest.MapFS{
		"views/above.sql": {Data: []byte(`CREATE OR REPLACE VIEW analytics.above AS SELECT one FROM analytics.base`)}, // reads a later file
		"views/base.sql":  text(`1 AS one`),
	}
	const made = `SELECT v.name || ' ' || v.applied_at || ' ' || c.xmin FROM sluice.views v
		JOIN pg_class c ON c.oid = to_regclass('analytics.' || v.name) ORDER BY v.name`
	must(t, migrations.Migrate(t.Context(), url, migrations.WithViews(migrations.Options{}, views)))
	first := list(t, url, made)
	must(t, migrations.Migrate(t.Context(), url, migrations.WithViews(migrations.Options{}, views)))
	if diff := cmp.Diff(first, list(t, url, made)); diff != "" {
		t.Errorf("views that did not change were made again (-want +got):\n%s", diff)
	}
	views["views/base.sql"] = text(`1 AS one, 2 AS two`)
	must(t, migrations.Migrate(t.Context(), url, migrations.WithViews(migrations.Options{}, views)))
	if got := list(t, url, `SELECT attname::text FROM pg_attribute WHERE attrelid = 'analytics.base'::regclass AND attnum > 0 ORDER BY attnum`); len(got) != 2 {
		t.Errorf("the view has the columns %q, want two", got)
	}
	views["views/base.sql"] = text(`2 AS two`)
	err := migrations.Migrate(t.Context(), url, migrations.WithViews(migrations.Options{}, views))
	if !errors.Is(err, migrations.ErrViewLosesColumns) {
		t.Errorf("a view lost a column: %v", err)
	}
	if got := list(t, url, `SELECT one::text FROM analytics.above`); len(got) != 1 || got[0] != "1" {
		t.Errorf("after the refusal: %q", got)
	}
	function := func(columns, row string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(`CREATE OR REPLACE FUNCTION analytics.before(number integer) RETURNS TABLE (` + columns + `)
			LANGUAGE sql STABLE BEGIN ATOMIC SELECT ` + row + ` FROM analytics.base WHERE one < number; END`)}
	}
	views["views/base.sql"] = text(`1 AS one, 2 AS two`)
	views["views/before.sql"] = function(`one integer`, `one`) // before its name, and reads the later one
	must(t, migrations.Migrate(t.Context(), url, migrations.WithViews(migrations.Options{}, views)))
	views["views/before.sql"] = function(`one integer`, `one + 1`)
	must(t, migrations.Migrate(t.Context(), url, migrations.WithViews(migrations.Options{}, views)))
	if got := list(t, url, `SELECT one::text FROM analytics.before(2)`); len(got) != 1 || got[0] != "2" {
		t.Errorf("the function that was replaced returns %q", got)
	}
	views["views/before.sql"] = function(`one integer, two integer`, `one, two`)
	err = migrations.Migrate(t.Context(), url, migrations.WithViews(migrations.Options{}, views))
	if !errors.Is(err, migrations.ErrViewLosesColumns) {
		t.Errorf("a function returns other columns: %v", err)
	}
	pending, err := migrations.PendingViews(t.Context(), migrated(t), migrations.History{})
	if err != nil || pending {
		t.Errorf("a migrated database lacks views: %t, %v", pending, err)
	}
	circle := fstest.MapFS{
		"views/a.sql": {Data: []byte(`CREATE OR REPLACE VIEW analytics.a AS SELECT * FROM analytics.b`)},
		"views/b.sql": {Data: []byte(`CREATE OR REPLACE VIEW analytics.b AS SELECT * FROM analytics.a`)},
	}
	if err := migrations.Migrate(t.Context(), url, migrations.WithViews(migrations.Options{}, circle)); err == nil {
		t.Error("views that read each other are made")
	}
}

// TestUnionsAreHidden: Postgres takes a bare union out of its view, barrier or not, so that a
// reader's function would be called for rows of other organizations.
func TestUnionsAreHidden(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("views/*.sql")
	must(t, err)
	if len(names) < 40 {
		t.Fatalf("only %d views", len(names))
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		must(t, err)
		if strings.Contains("\n"+string(text), "\nUNION") {
			t.Errorf("%s: select from the union in a subquery", name)
		}
	}
}
