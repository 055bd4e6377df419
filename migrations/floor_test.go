package migrations_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"sluice/migrations"
	"sluice/pipeline/warehouse/warehousetest"
	"sluice/schema"
)

// next is the number of the file that follows the released ones.
func next() int64 { return migrations.Version() + 1 }

// released returns the released files, and further ones by name and text.
func released(t *testing.T, further map[string]string) fstest.MapFS {
	t.Helper()
	files := fstest.MapFS{}
	names, err := fs.Glob(migrations.FS, "*.sql")
	must(t, err)
	for _, name := range names {
		text, err := fs.ReadFile(migrations.FS, name)
		must(t, err)
		files[name] = &fstest.MapFile{Data: text}
	}
	for name, text := range further {
		files[name] = &fstest.MapFile{Data: []byte("-- +goose Up\n" + text)}
	}
	return files
}

// byNewer returns a database that a newer program has migrated by a further file.
func byNewer(t *testing.T, text string) string {
	t.Helper()
	url := migrated(t)
	files := released(t, map[string]string{fmt.Sprintf("%05d_next.sql", next()): text})
	must(t, migrations.Migrate(t.Context(), url, migrations.Upgraded(migrations.Options{}, files)))
	return url
}

// TestTheProgramBeforeWorksOnANewerDatabase: to the program of one version before, nothing is
// pending, and its migrate changes nothing: no view goes back to its older text.
func TestTheProgramBeforeWorksOnANewerDatabase(t *testing.T) {
	t.Parallel()
	url := byNewer(t, `ALTER TABLE inventory.bills ADD COLUMN later bigint;`)
	run(t, url, `INSERT INTO sluice.columns (schema_name, table_name, column_name, place, kind, class, is_assumed, wire, sentence)
		VALUES ('inventory', 'bills', 'later', 99, 'int', 'plain', false, 'later', 'A newer one.') RETURNING 'made'`,
		`UPDATE sluice.views SET digest = '\x00' WHERE name = 'bills' RETURNING 'changed'`)
	before := append(catalogue(t, url), list(t, url, `SELECT v::text FROM sluice.views v UNION ALL SELECT c::text FROM sluice.columns c ORDER BY 1`)...)
	for what, look := range map[string]func() (bool, error){
		"migrations": func() (bool, error) { return migrations.Pending(t.Context(), url) },
		"views":      func() (bool, error) { return migrations.PendingViews(t.Context(), url, migrations.History{}) },
	} {
		if pending, err := look(); err != nil || pending {
			t.Errorf("%s are pending: %t, %v", what, pending, err)
		}
	}
	var log bytes.Buffer
	must(t, migrations.Migrate(t.Context(), url, migrations.Options{Log: slog.New(slog.NewTextHandler(&log, nil))}))
	if !strings.Contains(log.String(), "nothing to migrate: a newer version did it") {
		t.Errorf("it does not say why it does nothing:\n%s", &log)
	}
	if changed, err := migrations.Declare(t.Context(), url, []schema.Service{}); err != nil || changed != 0 {
		t.Errorf("it declared %d columns, %v", changed, err)
	}
	after := append(catalogue(t, url), list(t, url, `SELECT v::text FROM sluice.views v UNION ALL SELECT c::text FROM sluice.columns c ORDER BY 1`)...)
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("changed by the older program (-before +after):\n%s", diff)
	}
}

// TestAFloorAboveAProgramRefusesIt: a migration that contracts raises the floor, and programs below
// it neither start nor migrate; the error says which version is needed.
func TestAFloorAboveAProgramRefusesIt(t *testing.T) {
	t.Parallel()
	for what, test := range map[string]struct{ raise, needs string }{
		"program": {fmt.Sprintf(`SELECT sluice.raise_floor(%d)`, next()), fmt.Sprintf("needs a program of version %d or above, this one is of version %d", next(), next()-1)},
		"queue":   {`SELECT sluice.raise_floor(0, 99)`, "needs a program whose queue is of version 99 or above, that of this one is of version 8"},
	} {
		url := byNewer(t, test.raise+";\nALTER TABLE inventory.bills DROP COLUMN status CASCADE;")
		before := catalogue(t, url)
		_, pending := migrations.Pending(t.Context(), url)
		_, views := migrations.PendingViews(t.Context(), url, migrations.History{})
		_, declare := migrations.Declare(t.Context(), url, []schema.Service{})
		for call, err := range map[string]error{
			"Migrate": migrations.Migrate(t.Context(), url, migrations.Options{}), "Pending": pending, "PendingViews": views, "Declare": declare,
		} {
			if !errors.Is(err, migrations.ErrNewer) || !strings.Contains(err.Error(), test.needs) {
				t.Errorf("the floor of the %s: %s = %v, want %q", what, call, err, test.needs)
			}
		}
		if diff := cmp.Diff(before, catalogue(t, url)); diff != "" {
			t.Errorf("changed:\n%s", diff)
		}
	}
}

// TestAContractWaitsForTheEndOfOlderProcesses: while a process below the new floor is at work, the
// file is refused and names it, and so does the outlook. Processes at the floor stop nothing.
func TestAContractWaitsForTheEndOfOlderProcesses(t *testing.T) {
	t.Parallel()
	url := migrated(t)
	files := released(t, map[string]string{fmt.Sprintf("%05d_contract.sql", next()): fmt.Sprintf(
		"-- sluice:contract\nSELECT sluice.raise_floor(%d);\nALTER TABLE inventory.bills DROP COLUMN status CASCADE;\n", next())})
	opts := migrations.Upgraded(migrations.Options{}, files)
	atWork(t, url, "current", next())
	old, dumb := atWork(t, url, "old", next()-1), atWork(t, url, "dumb", nil)
	err := migrations.Migrate(t.Context(), url, opts)
	for _, want := range []string{fmt.Sprintf("%05d_contract.sql", next()), fmt.Sprintf("old, of version %d, since 20", next()-1), "dumb, of a version before the floor"} {
		if !errors.Is(err, migrations.ErrBelow) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "current") {
			t.Errorf("Migrate = %v, want %s", err, want)
		}
	}
	must(t, dumb.Close(t.Context()))
	outlook, err := migrations.Foresee(t.Context(), url, opts)
	if err != nil || len(outlook.Steps) != 1 || !outlook.Steps[0].Contracts || len(outlook.Steps[0].Below) != 1 {
		t.Errorf("the outlook is %+v, %v", outlook.Steps, err)
	}
	must(t, old.Close(t.Context()))
	must(t, migrations.Migrate(t.Context(), url, opts))
	if _, err := migrations.Pending(t.Context(), url); !errors.Is(err, migrations.ErrNewer) {
		t.Errorf("Pending = %v, want ErrNewer", err)
	}
}

// TestTheFloorOnlyRises, and only by the role that owns the tables.
func TestTheFloorOnlyRises(t *testing.T) {
	t.Parallel()
	url := migrated(t)
	role, worker := warehousetest.Worker(t, url)
	must(t, migrations.GrantWorker(t.Context(), url, role))
	run(t, url, `SELECT sluice.raise_floor(400, 9)::text`, `SELECT sluice.raise_floor(3)::text`)
	if got := list(t, worker, `SELECT program || ' ' || queue FROM sluice.floor`); got[0] != "400 9" {
		t.Errorf("the floor is %q", got)
	}
	conn := warehousetest.Connect(t, worker)
	for _, sql := range []string{
		`SELECT sluice.raise_floor(99)`, `UPDATE sluice.floor SET program = 99`,
		`INSERT INTO sluice.migration_steps (version_id, step, name) VALUES (99, 1, 'x')`,
	} {
		if _, err := conn.Exec(t.Context(), sql); err == nil {
			t.Errorf("the worker may: %s", sql)
		}
	}
}

// TestTheVersionOfTheQueueIsPinned: River promises nothing about older clients on newer tables, its
// change log says it version by version. So a new one is a decision.
func TestTheVersionOfTheQueueIsPinned(t *testing.T) {
	t.Parallel()
	if got := list(t, migrated(t), `SELECT max(version) || ' ' || queue FROM river.river_migration, sluice.floor GROUP BY queue`); got[0] != "8 8" {
		t.Errorf("the queue's version and its floor are %q, known are 8 and 8: read River's change log. If a client of the version before works on the new "+
			"tables, write that into docs/decisions/0005-migrations.md and the new version here; if not, raise the floor by a migration", got)
	}
}
