package warehousetest_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/warehousetest"
)

func TestMain(m *testing.M) { os.Exit(warehousetest.Run(m)) }

func count(t *testing.T, conn *pgx.Conn, query string, args ...any) int {
	t.Helper()
	var n int
	err := conn.QueryRow(t.Context(), query, args...).Scan(&n)
	check.FatalIf(t, err != nil, "%s: %v", query, err)
	return n
}

func TestEachTestHasItsOwnEmptyDatabase(t *testing.T) {
	t.Parallel()
	var names sync.Map
	t.Run("group", func(t *testing.T) {
		for i := range 8 {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				conn := warehousetest.Connect(t, warehousetest.New(t))
				check.ErrorIf(t, count(t, conn, "select count(*) from pg_tables where schemaname = 'public'") != 0, "a new database holds tables")
				if _, err := conn.Exec(t.Context(), "create table mine (n int)"); err != nil {
					t.Error(err)
				}
				var name string
				check.Must(t, conn.QueryRow(t.Context(), "select current_database()").Scan(&name))
				_, taken := names.LoadOrStore(name, true)
				check.ErrorIf(t, taken, "database %s was given twice", name)
				check.ErrorIf(t, !strings.HasPrefix(name, "sluice_test_"), "database %s does not say whose it is", name)
			})
		}
	})
	conn := warehousetest.Connect(t, warehousetest.New(t))
	names.Range(func(name, _ any) bool {
		check.ErrorIf(t, count(t, conn, "select count(*) from pg_database where datname = $1", name) != 0, "database %v outlives its test", name)
		return true
	})
}

func TestTemplateIsMadeOnceAndCopied(t *testing.T) {
	t.Parallel()
	var migrations atomic.Int32
	migrate := func(ctx context.Context, url string) error {
		migrations.Add(1)
		conn, err := pgx.Connect(ctx, url)
		if err != nil {
			return fmt.Errorf("connecting: %w", err)
		}
		_, err = conn.Exec(ctx, "create table bills (id text primary key); insert into bills values ('b-1')")
		return errors.Join(err, conn.Close(ctx))
	}
	t.Run("group", func(t *testing.T) {
		for i := range 8 {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				conn := warehousetest.Connect(t, warehousetest.Template(t, "bills", migrate))
				if _, err := conn.Exec(t.Context(), "insert into bills values ('b-2')"); err != nil {
					t.Error(err)
				}
				check.ErrorIf(t, count(t, conn, "select count(*) from bills") != 2, "not its own bill and the template's")
			})
		}
	})
	check.ErrorIf(t, migrations.Load() != 1, "migrated %d times, want once", migrations.Load())
}

// TestFailures runs this test binary again in an environment without a server: the inner test must
// fail, not be skipped, and name the command that helps.
func TestFailures(t *testing.T) {
	if os.Getenv("WAREHOUSETEST_CHILD") != "" {
		warehousetest.New(t)
		return
	}
	t.Parallel()
	for name, test := range map[string]struct {
		env  []string
		want []string
		not  string
	}{
		"forced container without its image": {
			env:  []string{"SLUICE_TEST_POSTGRES=container", "SLUICE_TEST_POSTGRES_IMAGE=registry.invalid/none:0"},
			want: []string{"no Postgres for the tests"},
		},
		"given server does not answer": {
			env:  []string{"SLUICE_TEST_DATABASE_URL=postgres://u:geheim@localhost:1/x?connect_timeout=1"},
			want: []string{"the server of SLUICE_TEST_DATABASE_URL"},
			not:  "geheim",
		},
		"given server is no URL": {
			env:  []string{"SLUICE_TEST_DATABASE_URL=mysql://u:geheim@h/x"},
			want: []string{"must have the form postgres://"},
			not:  "geheim",
		},
		"unknown mode": {
			env:  []string{"SLUICE_TEST_POSTGRES=perhaps"},
			want: []string{`"perhaps"`, "container, local or auto"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestFailures$")
			child.Env = append(os.Environ(), "WAREHOUSETEST_CHILD=1", "SLUICE_TEST_POSTGRES=auto", "SLUICE_TEST_DATABASE_URL=", "SLUICE_TEST_TEMPLATES=")
			child.Env = append(child.Env, test.env...)
			out, err := child.CombinedOutput()
			_, failed := errors.AsType[*exec.ExitError](err)
			check.FatalIf(t, !failed, "the test did not fail: %v\n%s", err, out)
			for _, want := range test.want {
				check.ErrorIf(t, !strings.Contains(string(out), want), "the output lacks %q:\n%s", want, out)
			}
			check.ErrorIf(t, test.not != "" && strings.Contains(string(out), test.not), "the output gives %q away", test.not)
		})
	}
}

// TestGivenServer runs the database tests again on a server that the environment names, and checks
// what they leave there. Other tests make and drop databases there, too, so a role of its own
// identifies theirs.
func TestGivenServer(t *testing.T) {
	t.Parallel()
	given := check.Sure(url.Parse(warehousetest.New(t)))(t)
	conn := warehousetest.Connect(t, given.String())
	role := strings.Replace(strings.TrimPrefix(given.Path, "/"), "sluice_test_", "given_", 1)
	check.Must(t, check.Failure(conn.Exec(t.Context(), "create role "+role+" superuser login password 'canary'")))
	given.User = url.UserPassword(role, "canary")
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^(TestEachTestHasItsOwnEmptyDatabase|TestTemplateIsMadeOnceAndCopied)$")
	child.Env = append(os.Environ(), "SLUICE_TEST_POSTGRES=auto", "SLUICE_TEST_DATABASE_URL="+given.String(), "SLUICE_TEST_TEMPLATES=")
	out, err := child.CombinedOutput()
	check.FatalIf(t, err != nil, "%v\n%s", err, out)
	check.ErrorIf(t, count(t, conn, "select count(*) from pg_database where datdba = $1::regrole", role) != 0,
		"databases are left on the given server")
	if _, err := conn.Exec(t.Context(), "drop role "+role); err != nil {
		t.Error(err)
	}
}

// TestProcessesShareTemplates runs this test binary several times inside Share. One of the
// processes makes the template, and the end leaves no template on a server that runs on.
func TestProcessesShareTemplates(t *testing.T) {
	const children, key = 4, "shared"
	if os.Getenv("WAREHOUSETEST_CHILD") != "" {
		conn := warehousetest.Connect(t, warehousetest.Template(t, key, func(ctx context.Context, url string) error {
			_, _ = fmt.Println("made")
			conn, err := pgx.Connect(ctx, url)
			if err != nil {
				return fmt.Errorf("connecting: %w", err)
			}
			_, err = conn.Exec(ctx, "create table bills (id text primary key); insert into bills values ('b-1')")
			return errors.Join(err, conn.Close(ctx))
		}))
		check.ErrorIf(t, count(t, conn, "select count(*) from bills") != 1, "the copy has not one bill")
		return
	}
	given := warehousetest.New(t)
	for name, value := range map[string]string{"WAREHOUSETEST_CHILD": "1", "SLUICE_TEST_POSTGRES": "auto", "SLUICE_TEST_DATABASE_URL": given} {
		t.Setenv(name, value)
	}
	t.Setenv("SLUICE_TEST_TEMPLATES", "") // and back after Share has set it
	end := check.Sure(warehousetest.Share(t.Context()))(t)
	prefix := os.Getenv("SLUICE_TEST_TEMPLATES")
	said := make([]string, children)
	var group sync.WaitGroup
	for i := range said {
		group.Go(func() {
			out, err := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestProcessesShareTemplates$").CombinedOutput()
			if said[i] = string(out); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	group.Wait()
	all := strings.Join(said, "")
	check.ErrorIf(t, strings.Count(all, "made") != 1, "not one of %d processes made the template:\n%s", children, all)
	conn := warehousetest.Connect(t, given)
	templates := "select count(*) from pg_database where starts_with(datname, $1)"
	check.ErrorIf(t, count(t, conn, templates, prefix) != 1, "not one template is there")
	if err := end(t.Context()); err != nil {
		t.Error(err)
	}
	check.ErrorIf(t, count(t, conn, templates, prefix) != 0, "templates are left")
}
