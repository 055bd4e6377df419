package readers_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/migrations"
	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/readers"
	"sluice/pipeline/warehouse/warehousetest"
)

func TestMain(m *testing.M) { os.Exit(warehousetest.Run(m)) }

// fixture is a migrated database of a role that is no superuser. Roles belong to the server, so
// each test has groups and readers of its own names.
type fixture struct {
	*testing.T
	*warehousetest.Roles

	pool   *pgxpool.Pool // of the owner
	groups readers.Groups
}

func open(t *testing.T) *fixture {
	t.Helper()
	t.Parallel()
	f := &fixture{T: t, Roles: warehousetest.OwnRoles(t)}
	f.groups = readers.Groups{Masked: "masked_" + f.Suffix, Personal: "personal_" + f.Suffix, Raw: "raw_" + f.Suffix}
	check.Must(f, migrations.Migrate(t.Context(), f.URL, migrations.Options{}))
	f.pool = warehousetest.Pool(t, f.URL)
	return f
}

func (f *fixture) look() readers.State {
	f.Helper()
	return check.Sure(readers.Look(f.Context(), f.pool, f.groups))(f)
}

func (f *fixture) apply() []readers.Lack {
	f.Helper()
	return check.Sure(readers.Apply(f.Context(), f.pool, f.groups))(f)
}

// whats are the findings in words, with @ for the names of this test.
func (f *fixture) whats(findings []readers.Finding) []string {
	said := []string{}
	for _, finding := range findings {
		said = append(said, strings.ReplaceAll(finding.What+" > "+finding.Remedy, f.Suffix, "@"))
	}
	return said
}

// mayRead says whether a role has the right to read a table, and to use its schema.
func (f *fixture) mayRead(role, table string) bool {
	f.Helper()
	var may bool
	check.Must(f, f.Superuser.QueryRow(f.Context(), `SELECT has_table_privilege($1, $2::text, 'SELECT') AND has_schema_privilege($1, split_part($2, '.', 1), 'USAGE')`, role, table).Scan(&may))
	return may
}

// TestGroupsAreMade: the owner that may not make roles gets the statements for an administrator,
// and gives the rights itself once the roles are there. What is made later is covered, and a second
// time nothing is left to do.
func TestGroupsAreMade(t *testing.T) {
	f := open(t)
	if state := f.look(); state.Begun() || state.SQL() == "" || len(state.Findings) != 0 {
		t.Errorf("before anything was done: %+v", state)
	}
	_, err := readers.Apply(t.Context(), f.pool, f.groups)
	want := "CREATE ROLE masked_@ NOLOGIN;\nCREATE ROLE personal_@ NOLOGIN;\nCREATE ROLE raw_@ NOLOGIN;\nGRANT masked_@ TO personal_@;\nGRANT personal_@ TO raw_@;\n"
	want = strings.ReplaceAll(want, "@", f.Suffix)
	check.FatalIf(t, !errors.Is(err, readers.ErrRights) || !strings.HasSuffix(err.Error(), want),
		"an owner that may not make roles: %v\nwant it to end with\n%s", err, want)
	check.ErrorIf(t, f.look().Begun(), "something was done nevertheless")
	f.Administers(want)
	done := f.apply()
	check.ErrorIf(t, len(done) < 8, "only this was done: %+v", done)
	state := f.look()
	check.ErrorIf(t, !state.Begun() || len(state.Lacks) != 0 || len(f.apply()) != 0, "after that the groups lack %+v", state.Lacks)
	// Later objects, as migrations and plans make them.
	for _, statement := range []string{
		"CREATE VIEW analytics.later AS SELECT 1 AS one", "CREATE TABLE inventory.later (a text)", "CREATE TABLE custom.later (a text)", "CREATE TABLE history.later (a text)",
		"CREATE TABLE sluice.later (a text)",
	} {
		check.Must(f, check.Failure(f.pool.Exec(t.Context(), statement)))
	}
	check.Must(f, migrations.Migrate(t.Context(), f.URL, migrations.Options{History: migrations.History{Tables: []string{"inventory.bills"}}}))
	for table, may := range map[string][3]bool{
		"analytics.bills": {true, true, true}, "analytics.later": {true, true, true}, "analytics.readers": {false, false, false},
		"inventory.bills": {false, false, true}, "inventory.later": {false, false, true}, "custom.later": {false, false, true},
		"history.versions": {false, false, true}, "as_of.bills": {false, false, true}, "as_of.inventory_bills": {false, false, true}, "history.later": {false, false, true}, "notifications.events": {false, false, true},
		"sluice.organizations": {false, false, true}, "sluice.raw_records": {false, false, true}, "sluice.tombstones": {false, false, true},
		"sluice.later": {false, false, false}, "sluice.tokens": {false, false, false}, "sluice.callbacks": {false, false, false}, "sluice.reader_key": {false, false, false},
		"sluice.viewer": {false, false, false}, "sluice.visible_organizations": {false, false, false},
	} {
		for i, group := range []string{f.groups.Masked, f.groups.Personal, f.groups.Raw} {
			check.ErrorIf(t, f.mayRead(group, table) != may[i], "%s may read %s: %t, want %t", group, table, !may[i], may[i])
		}
	}
	state = f.look()
	check.ErrorIf(t, len(state.Lacks) != 0, "after later objects the groups lack %+v", state.Lacks)
	// A view that was made by something that took the rights away is named, and given again.
	f.Administers("REVOKE SELECT ON analytics.bills FROM masked_@")
	check.Same(t, "statements", "GRANT SELECT ON TABLE analytics.bills TO "+f.groups.Masked+";\n", f.look().SQL())
	f.apply()
	check.ErrorIf(t, !f.mayRead(f.groups.Masked, "analytics.bills"), "the view was not given again")
}

// TestAnOwnerThatMakesRoles needs no administrator; another role than the owner is refused.
func TestAnOwnerThatMakesRoles(t *testing.T) {
	f := open(t)
	f.Administers("ALTER ROLE owner_@ CREATEROLE")
	f.apply()
	if state := f.look(); !state.Begun() || len(state.Lacks) != 0 {
		t.Errorf("the groups lack %+v", state.Lacks)
	}
	f.Administers("REVOKE SELECT ON analytics.bills FROM masked_@")
	role, worker := warehousetest.Worker(t, f.URL)
	check.Must(f, migrations.GrantWorker(t.Context(), f.URL, role))
	pool := warehousetest.Pool(t, worker)
	_, err := readers.Apply(t.Context(), pool, f.groups)
	check.ErrorIf(t, !errors.Is(err, readers.ErrRights) || !strings.Contains(err.Error(), f.Owner), "a worker applies them: %v", err)
	state := check.Sure(readers.Look(t.Context(), pool, f.groups))(f)
	check.ErrorIf(t, len(state.Lacks) != 1 || len(state.Readers) != 0, "the worker sees %+v", state)
	seen, err := readers.Allow(t.Context(), pool, f.groups.Masked, []string{"a"})
	check.ErrorIf(t, err != nil || !slices.Equal(seen, []string{"a"}), "the worker allows an organization: %q, %v", seen, err)
}

// TestWhoSeesWhat: rows of organizations are given to roles, and their members see the same.
func TestWhoSeesWhat(t *testing.T) {
	f := open(t)
	f.Administers("ALTER ROLE owner_@ CREATEROLE")
	f.apply()
	f.Administers("CREATE ROLE team_@ NOLOGIN", "CREATE ROLE jane_@ LOGIN", "CREATE ROLE raw_reader_@ LOGIN", "GRANT masked_@ TO team_@", "GRANT team_@ TO jane_@",
		"GRANT raw_@ TO raw_reader_@")
	team, jane := "team_"+f.Suffix, "jane_"+f.Suffix
	for _, step := range []struct {
		does func(context.Context, *pgxpool.Pool, string, []string) ([]string, error)
		role string
		give []string
		want []string
	}{
		{readers.Allow, team, []string{"b", "a"}, []string{"a", "b"}},
		{readers.Allow, jane, []string{"c", "c"}, []string{"a", "b", "c"}},
		{readers.Deny, jane, []string{"a"}, []string{"a", "b", "c"}},
		{readers.Deny, team, []string{"a"}, []string{"b"}},
		{readers.Allow, team, []string{readers.All}, []string{"*", "b"}},
		{readers.Deny, team, []string{"b"}, []string{"*"}},
		{readers.Allow, team, []string{"b"}, []string{"*", "b"}},
		{readers.Deny, team, []string{readers.All}, []string{}},
		{readers.Allow, team, []string{"b"}, []string{"b"}},
	} {
		seen, err := step.does(t.Context(), f.pool, step.role, step.give)
		check.ErrorIf(t, err != nil || !slices.Equal(seen, step.want),
			"%s with %q sees %q, want %q, error %v", step.role, step.give, seen, step.want, err)
	}
	_, err := readers.Allow(t.Context(), f.pool, "none_"+f.Suffix, []string{"a"})
	check.ErrorIf(t, !errors.Is(err, readers.ErrNoRole), "a role that does not exist is allowed something: %v", err)
	timeouts := []string{"statement_timeout", "idle_in_transaction_session_timeout"}
	want := []readers.Reader{
		{Role: jane, Login: true, Group: f.groups.Masked, Organizations: []string{"b", "c"}, Unlimited: timeouts},
		{Role: "raw_reader_" + f.Suffix, Login: true, Group: f.groups.Raw, Organizations: []string{"*"}, Unlimited: timeouts},
		{Role: team, Group: f.groups.Masked, Organizations: []string{"b"}, Unlimited: timeouts},
	}
	state := f.look()
	check.Same(t, "readers", want, state.Readers)
	got := state.Groups[0]
	check.ErrorIf(t, !slices.Equal(got.Members, []string{team}) || !got.Exists, "the first group is %+v", got)
	for _, role := range []string{jane, "raw_reader_" + f.Suffix} {
		for _, statement := range readers.Recommended()[:2] { // the two timeouts
			f.Administers(strings.ReplaceAll(statement, "READER", role))
		}
	}
	f.Administers("ALTER ROLE jane_@ SET idle_in_transaction_session_timeout = 0")
	if state = f.look(); !slices.Equal(state.Readers[0].Unlimited, timeouts[1:]) || len(state.Readers[1].Unlimited) != 0 {
		t.Errorf("after the settings: %+v", state.Readers)
	}
}

// TestTooMuchAndTooLittle: each finding names its remedy, and the remedies leave none.
func TestTooMuchAndTooLittle(t *testing.T) {
	f := open(t)
	f.Administers("ALTER ROLE owner_@ CREATEROLE")
	f.apply()
	f.Administers("CREATE ROLE old_@ NOLOGIN", `CREATE ROLE "it's_@" LOGIN`, "CREATE ROLE jane_@ LOGIN", "CREATE ROLE near_@ LOGIN", "CREATE ROLE fine_@ LOGIN", "CREATE ROLE all_@ LOGIN",
		"GRANT SELECT ON ALL TABLES IN SCHEMA analytics TO old_@", `GRANT old_@ TO "it's_@"`, "GRANT masked_@ TO jane_@, near_@, fine_@", "GRANT raw_@ TO all_@",
		"GRANT SELECT ON inventory.bills, inventory.items TO old_@", "GRANT SELECT (name) ON sluice.organizations TO jane_@", "GRANT owner_@ TO near_@", "GRANT INSERT ON analytics.readers TO jane_@",
		"GRANT SELECT, UPDATE ON inventory.bills TO all_@",
		`INSERT INTO analytics.readers VALUES ('fine_@', '*'), ('near_@', '*'), ('jane_@', 'x'), ('gone_@', '*')`,
		"ALTER ROLE fine_@ SET statement_timeout = '2min'", "ALTER ROLE fine_@ SET idle_in_transaction_session_timeout = '2min'", "ALTER ROLE all_@ SET statement_timeout = 1",
		"ALTER ROLE all_@ SET idle_in_transaction_session_timeout = 1", "ALTER ROLE near_@ SET statement_timeout = 1", "ALTER ROLE near_@ SET idle_in_transaction_session_timeout = 1")
	want := []string{
		"analytics.readers names the role gone_@, which does not exist: a role of that name would see the same > sluice readers deny gone_@ '*'",
		`reader "it's_@" may read 2 tables of schema inventory, such as bills, where nothing is masked or limited to organizations > REVOKE SELECT ON ALL TABLES IN SCHEMA inventory FROM old_@`,
		"reader all_@ may write to a table of schema inventory, such as bills > REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON ALL TABLES IN SCHEMA inventory FROM all_@",
		"reader jane_@ may read a table of schema sluice, such as organizations, where nothing is masked or limited to organizations > REVOKE SELECT ON ALL TABLES IN SCHEMA sluice FROM jane_@",
		"reader jane_@ may write to a table of schema analytics, such as readers > REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON ALL TABLES IN SCHEMA analytics FROM jane_@",
		"reader near_@ is a member of owner_@, which owns the tables, and may drop them > REVOKE owner_@ FROM near_@",
		`reader it's_@ sees no row in any view: no organization is allowed for it or for a role that it is a member of > sluice readers allow 'it'\''s_@' ORGANIZATION`,
		`reader it's_@ has no statement_timeout > ALTER ROLE "it's_@" SET statement_timeout = '5min'`,
		`reader it's_@ has no idle_in_transaction_session_timeout > ALTER ROLE "it's_@" SET idle_in_transaction_session_timeout = '1min'`,
		`reader jane_@ has no statement_timeout > ALTER ROLE "jane_@" SET statement_timeout = '5min'`,
		`reader jane_@ has no idle_in_transaction_session_timeout > ALTER ROLE "jane_@" SET idle_in_transaction_session_timeout = '1min'`,
	}
	state := f.look()
	check.Same(t, "findings", want, f.whats(state.Findings))
	for _, finding := range state.Findings {
		if !strings.HasPrefix(finding.Remedy, "sluice ") {
			f.Administers(finding.Remedy)
		}
	}
	for _, role := range []string{"gone_" + f.Suffix, "it's_" + f.Suffix} {
		check.Must(f, check.Failure(readers.Deny(t.Context(), f.pool, role, []string{readers.All})))
	}
	check.Must(f, check.Failure(readers.Allow(t.Context(), f.pool, "it's_"+f.Suffix, []string{"x"})))
	check.Empty(t, "after all remedies", f.whats(f.look().Findings))
}

func TestQuery(t *testing.T) {
	f := open(t)
	const values = `SELECT n, CASE WHEN n > 1 THEN 'text ' || n END AS said FROM generate_series(3, 1, -1) AS n ORDER BY n DESC`
	got, err := readers.Query(t.Context(), f.pool, values, time.Minute, 2)
	check.Must(f, err)
	if len(got.Columns) != 2 || got.Columns[0] != (readers.AnswerColumn{Name: "n", Number: true}) || got.Columns[1] != (readers.AnswerColumn{Name: "said"}) {
		t.Errorf("columns: %+v", got.Columns)
	}
	check.ErrorIf(t, !got.More || len(got.Rows) != 2 || *got.Rows[0][0] != "3" || *got.Rows[1][1] != "text 2", "two of three rows: %+v", got)
	if got, err = readers.Query(t.Context(), f.pool, values, time.Minute, 3); err != nil || got.More || len(got.Rows) != 3 || got.Rows[2][1] != nil {
		t.Errorf("all rows: %+v, %v", got, err)
	}
	_, err = readers.Query(t.Context(), f.pool, `SELECT pg_sleep(60)`, 20*time.Millisecond, 1)
	check.ErrorIf(t, !errors.Is(err, readers.ErrTooLong), "a long question: %v", err)
	for _, write := range []string{`SELECT setval('sluice.runs_id_seq', 4711)`, `SELECT 1; UPDATE sluice.runs SET note = 'x'`, `UPDATE sluice.runs SET note = 'x'`} {
		check.ErrorIf(t, check.Failure(readers.Query(t.Context(), f.pool, write, time.Minute, 1)) == nil, "%s was done", write)
	}
}
