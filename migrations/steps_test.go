package migrations_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

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
		same(t, fmt.Sprintf("%q", text), want, names)
		if n := strings.Count(strings.Join(texts, ""), "SELECT"); n != strings.Count(text, "SELECT") {
			t.Errorf("%q: %d statements are left: %q", text, n, texts)
		}
	}
}

// frozen holds the digest of each released file, as sha256sum prints it.
const frozen = "testdata/frozen.sum"

// TestReleasedFilesStayAsTheyAre: a database that has applied a file never sees a later change of
// it, so databases would differ for ever.
func TestReleasedFilesStayAsTheyAre(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(frozen)
	must(t, err)
	known := map[string]string{}
	for line := range strings.Lines(string(text)) {
		digest, name, found := strings.Cut(strings.TrimSpace(line), "  ")
		if !found {
			t.Fatalf("%s has the line %q, want what sha256sum prints", frozen, line)
		}
		known[name] = digest
	}
	names, err := fs.Glob(migrations.FS, "*.sql")
	must(t, err)
	next := fmt.Sprintf("%05d_….sql", len(names)+migrations.First)
	for n, name := range names {
		file, err := fs.ReadFile(migrations.FS, name)
		must(t, err)
		digest := fmt.Sprintf("%x", sha256.Sum256(file))
		switch known[name] {
		case digest:
		case "":
			t.Errorf("%s is new: once it is right, freeze it by the line\n%s  %s\nin %s", name, digest, name, frozen)
		default:
			t.Errorf("%s has changed, and databases have it as it was: restore it, and write what is to change into a new file, %s", name, next)
		}
		delete(known, name)
		if number := fmt.Sprintf("%05d_", n+migrations.First); !strings.HasPrefix(name, number) {
			t.Errorf("%s does not begin with %s: files are numbered without gaps", name, number)
		}
	}
	for name := range known {
		t.Errorf("%s is missing, and databases have it: restore it", name)
	}
}

// synthetic returns the files of the next version, which expands, and those of the one behind it,
// which contracts, by their names.
func synthetic(t *testing.T) (map[string]string, map[string]string) {
	t.Helper()
	read := func(name string) string {
		text, err := os.ReadFile("testdata/next/" + name + ".sql")
		must(t, err)
		_, behind, _ := strings.Cut(strings.ReplaceAll(string(text), "NEXT", fmt.Sprint(next())), "\n")
		return behind
	}
	first, second := fmt.Sprintf("%05d_expand.sql", next()), fmt.Sprintf("%05d_contract.sql", next()+1)
	expand := map[string]string{first: read("expand")}
	return expand, map[string]string{first: expand[first], second: read("contract")}
}

// atWork returns the session of a process of a version that is at work.
func atWork(t *testing.T, url, name string, program any) *pgx.Conn {
	t.Helper()
	conn := session(t, url, name)
	var number int32
	err := conn.QueryRow(t.Context(), `INSERT INTO sluice.processes (name, program, lock_pid) VALUES ($1, $2, pg_backend_pid()) RETURNING id::integer`, name, program).Scan(&number)
	must(t, err)
	_, err = conn.Exec(t.Context(), `SELECT pg_advisory_lock(20928, $1)`, number)
	must(t, err)
	return conn
}

// TestTheNextVersionComesGoesAndContracts: the next version adds columns and fills them while a
// process of this one works. It goes back to this one, and comes again. The version behind it takes
// columns away once no process of this one is left, and then this one is refused.
func TestTheNextVersionComesGoesAndContracts(t *testing.T) {
	t.Parallel()
	url := migrated(t)
	expand, contract := synthetic(t)
	past := migrations.Options{History: migrations.History{Tables: []string{"inventory.bills"}}} // its view reads the columns
	must(t, migrations.Migrate(t.Context(), url, past))
	coming := migrations.Upgraded(past, released(t, expand))
	contracting := migrations.Upgraded(past, released(t, contract))
	bill := func(id string) { // as this version writes it
		run(t, url, `INSERT INTO inventory.bills (organization_id, bill_id, `+own+`) VALUES ('o', '`+id+`', `+ownValues+`) RETURNING 'made'`)
	}
	bills := func(want ...string) {
		t.Helper()
		same(t, "bills", want, list(t, url, `SELECT bill_id || ' ' || _next_turn FROM inventory.bills ORDER BY 1`))
	}
	unchanged := func(what string, opts migrations.Options, want error) {
		t.Helper()
		before := catalogue(t, url)
		if err := migrations.Migrate(t.Context(), url, opts); !errors.Is(err, want) {
			t.Errorf("%s: Migrate = %v, want %v", what, err, want)
		}
		if diff := cmp.Diff(before, catalogue(t, url)); diff != "" {
			t.Errorf("%s: changed:\n%s", what, diff)
		}
	}

	bill("1")
	old := atWork(t, url, "old", next()-1)
	must(t, migrations.Migrate(t.Context(), url, coming))
	bill("2")
	bills("1 1", "2 0")

	unchanged("back to this version", migrations.Options{}, nil)
	if pending, err := migrations.Pending(t.Context(), url); err != nil || pending {
		t.Errorf("back to this version: pending is %t, %v", pending, err)
	}
	bill("3")
	unchanged("forth again", coming, nil)
	bills("1 1", "2 0", "3 0")

	unchanged("a contract beside this version", contracting, migrations.ErrBelow)
	must(t, old.Close(t.Context()))
	atWork(t, url, "new", next())
	must(t, migrations.Migrate(t.Context(), url, contracting))
	if left := list(t, url, `SELECT attrelid::regclass::text FROM pg_attribute WHERE attname = 'next_turn' AND NOT attisdropped AND attrelid = ANY ('{sluice.runs,sluice.streams}'::regclass[])`); len(left) > 0 {
		t.Errorf("the contract left columns of %q", left)
	}
	bills("1 1", "2 0", "3 0")
	unchanged("this version after the contract", migrations.Options{}, migrations.ErrNewer)
	unchanged("the next version after the contract", coming, nil)
}
