package migrations_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/migrations"
)

// steppedTables are the tables that the file of these tests alters, a step for each.
func steppedTables() []string {
	return []string{"inventory.bills", "inventory.items", "accounting.vendor_payments", "accounting.chart_of_accounts", "chat.conversations"}
}

// stepped returns options with a later file in steps. A step that is applied twice fails, and one
// that is left out shows in the catalogue.
func stepped(t *testing.T, opts migrations.Options) migrations.Options {
	t.Helper()
	var text strings.Builder
	for _, table := range steppedTables() {
		fmt.Fprintf(&text, "-- sluice:step %[1]s\nALTER TABLE %[1]s ADD COLUMN later bigint;\nCOMMENT ON COLUMN %[1]s.later IS 'A later one; with a semicolon.';\n", table)
	}
	files := released(t, map[string]string{
		fmt.Sprintf("%05d_steps.sql", next()): text.String(), fmt.Sprintf("%05d_behind.sql", next()+1): "ALTER TABLE sluice.runs ADD COLUMN behind bigint;",
	})
	return migrations.Upgraded(opts, files)
}

// signals closes what is registered for a text when the log says it.
type signals struct{ when func(line string) }

func (s signals) Write(p []byte) (int, error) {
	s.when(string(p))
	return len(p), nil
}

func logTo(when func(line string)) *slog.Logger {
	return slog.New(slog.NewTextHandler(signals{when}, nil))
}

// TestAKillAtEachStep: a migration ends while it waits for the table of each step in turn. The
// steps before it stay, later ones are not begun, and the next migration ends where an undisturbed
// one does.
func TestAKillAtEachStep(t *testing.T) {
	t.Parallel()
	whole := migrated(t)
	must(t, migrations.Migrate(t.Context(), whole, stepped(t, migrations.Options{})))
	want := append(catalogue(t, whole), list(t, whole, `SELECT version_id || ' ' || step || ' ' || name FROM sluice.migration_steps ORDER BY 1`)...)
	url := migrated(t)
	for n, table := range steppedTables() {
		holder := holds(t, url, table)
		ctx, kill := context.WithCancel(t.Context())
		var lines []string
		err := migrations.Migrate(ctx, url, stepped(t, migrations.Options{Log: logTo(func(line string) {
			lines = append(lines, line)
			if strings.Contains(line, "waits and lets other sessions proceed") {
				kill()
			}
		})}))
		if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), fmt.Sprintf("step %s (%d of 5)", table, n+1)) {
			t.Fatalf("step %d: Migrate = %v, want it canceled at %s\n%q", n+1, err, table, lines)
		}
		altered := list(t, url, `SELECT name FROM (SELECT schema || '.' || name AS name FROM sluice.table_columns WHERE column_name = 'later') AS a ORDER BY 1`)
		if diff := cmp.Diff(slices.Sorted(slices.Values(steppedTables()[:n])), slices.Clone(altered)); diff != "" && n+len(altered) > 0 {
			t.Errorf("killed at step %d, altered are (-want +got):\n%s", n+1, diff)
		}
		must(t, holder.Close(t.Context()))
	}
	must(t, migrations.Migrate(t.Context(), url, stepped(t, migrations.Options{})))
	got := append(catalogue(t, url), list(t, url, `SELECT version_id || ' ' || step || ' ' || name FROM sluice.migration_steps ORDER BY 1`)...)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-undisturbed +killed):\n%s", diff)
	}
}

// TestAStepDelaysNoOther: the session that holds one table is named with its step, and the tables
// of the steps before are free for readers while the migration waits.
func TestAStepDelaysNoOther(t *testing.T) {
	t.Parallel()
	url := migrated(t)
	holder := holds(t, url, "accounting.vendor_payments")
	read := session(t, url, "report")
	var failed error
	asked := 0
	err := migrations.Migrate(t.Context(), url, stepped(t, migrations.Options{Patience: 1, Log: logTo(func(line string) {
		if !strings.Contains(line, "waits and lets other sessions proceed") {
			return
		}
		asked++
		_, failed = read.Exec(t.Context(), `SET lock_timeout = '10s'; SELECT later FROM inventory.bills; SELECT later FROM inventory.items`)
	})}))
	for _, want := range []string{"step accounting.vendor_payments (3 of 5)", fmt.Sprintf("pid %d", holder.PgConn().PID()), `application "till"`, "run it again"} {
		if !errors.Is(err, migrations.ErrBlocked) || !strings.Contains(err.Error(), want) {
			t.Errorf("Migrate = %v, want %s", err, want)
		}
	}
	if failed != nil || asked == 0 {
		t.Errorf("a reader of the tables that are done, asked %d times: %v", asked, failed)
	}
}

func TestPartsOfFiles(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"-- +goose Up\nSELECT 1;\n": {""},
		"-- +goose Up\n-- Why.\n-- sluice:step a\nSELECT 1;\n-- sluice:step b\nSELECT 2;": {"a", "b"},
		"-- +goose Up\nSELECT 0;\n-- sluice:step a\nSELECT 1;\n":                          {"what stands before the steps", "a"},
	} {
		names, texts := migrations.PartsOf(text)
		if diff := cmp.Diff(want, names); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
		if n := strings.Count(strings.Join(texts, ""), "SELECT"); n != strings.Count(text, "SELECT") {
			t.Errorf("%q: %d statements are left: %q", text, n, texts)
		}
	}
}
