package migrations_test

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/migrations"
	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/warehousetest"
)

// script executes statements in a session of their own.
func script(t *testing.T, url, sql string) {
	t.Helper()
	check.Must(t, check.Failure(warehousetest.Connect(t, url).PgConn().Exec(t.Context(), sql).ReadAll()))
}

// nameOf returns the name of a database.
func nameOf(t *testing.T, address string) string {
	t.Helper()
	parsed := check.Sure(url.Parse(address))(t)
	return strings.TrimPrefix(parsed.Path, "/")
}

// TestSchemasOfOthers: another role created one of our schemas first. Its owner could replace what
// the program creates in it.
func TestSchemasOfOthers(t *testing.T) {
	t.Parallel()
	owner := warehousetest.Owner(t)
	role, stranger := warehousetest.Worker(t, owner)
	script(t, warehousetest.Admin(t, nameOf(t, owner)), `GRANT CREATE ON DATABASE `+nameOf(t, owner)+` TO `+role)
	ours := append([]string{"sluice", "river", "history", "analytics", "notifications", "lake"}, list(t, migrated(t), `SELECT name FROM sluice.service_schemas`)...)
	check.FatalIf(t, len(ours) < 10, "only these schemas are known: %q", ours)
	for _, schema := range ours {
		script(t, stranger, `CREATE SCHEMA `+schema+`; GRANT ALL ON SCHEMA `+schema+` TO PUBLIC`)
		err := migrations.Migrate(t.Context(), owner, migrations.Options{})
		check.ErrorIf(t, !errors.Is(err, migrations.ErrOthers) || !strings.Contains(err.Error(), schema+" of role "+role),
			"schema %s: %v", schema, err)
		script(t, stranger, `DROP SCHEMA `+schema)
	}
	check.Must(t, migrations.Migrate(t.Context(), owner, migrations.Options{}))
	script(t, stranger, `CREATE SCHEMA custom; GRANT ALL ON SCHEMA custom TO PUBLIC`)
	err := migrations.Execute(t.Context(), owner, migrations.Options{}, func(context.Context) (string, error) {
		return `CREATE SCHEMA IF NOT EXISTS custom; CREATE TABLE custom.things (thing_id text)`, nil
	})
	check.ErrorIf(t, !errors.Is(err, migrations.ErrOthers), "a plan: %v", err)
	script(t, stranger, `DROP SCHEMA custom`)
}

// TestOneRoleMigrates: the owner of the tables could not use objects that another role creates,
// even a superuser.
func TestOneRoleMigrates(t *testing.T) {
	t.Parallel()
	owner := warehousetest.Owner(t)
	check.Must(t, migrations.Migrate(t.Context(), owner, migrations.Options{}))
	admin := warehousetest.Admin(t, nameOf(t, owner))
	check.FailsWith(t, migrations.Migrate(t.Context(), admin, migrations.Options{}), migrations.ErrNotOwner)
	parsed := check.Sure(pgx.ParseConfig(owner))(t)
	acting := check.Sure(url.Parse(admin))(t)
	query := acting.Query()
	query.Set("role", parsed.User)
	acting.RawQuery = query.Encode()
	check.Must(t, migrations.Migrate(t.Context(), acting.String(), migrations.Options{})) // in the role of the owner
}

// TestFunctionsOfOthersInOurSchemas: they stay as they are, and stop no migration.
func TestFunctionsOfOthersInOurSchemas(t *testing.T) {
	url := parallel(t)
	role, stranger := warehousetest.Worker(t, url)
	opts := migrations.Options{History: migrations.History{Tables: []string{"inventory.taxes"}}}
	check.Must(t, migrations.Migrate(t.Context(), url, opts))
	script(t, url, `DROP FUNCTION history.inventory_taxes_as_of; GRANT CREATE, USAGE ON SCHEMA history TO `+role+`; CREATE SCHEMA hers AUTHORIZATION `+role)
	script(t, stranger, `CREATE FUNCTION history.mine() RETURNS integer LANGUAGE plpgsql AS 'BEGIN RETURN 1; END';
		CREATE TABLE hers.t (a integer); CREATE FUNCTION history.hers_t_as_of() RETURNS SETOF hers.t LANGUAGE sql AS 'SELECT * FROM hers.t';
		CREATE FUNCTION history.inventory_taxes_as_of(integer) RETURNS integer LANGUAGE sql AS 'SELECT 1'`)
	check.Must(t, migrations.Migrate(t.Context(), url, opts))
	got := list(t, url, `SELECT concat_ws(' ', oid::regprocedure, proconfig) FROM pg_proc WHERE proowner = '`+role+`'::regrole ORDER BY 1`)
	want := "history.hers_t_as_of(), history.inventory_taxes_as_of(integer), history.mine()"
	check.ErrorIf(t, strings.Join(got, ", ") != want, "functions of others are %q, want %q", got, want)
	made := list(t, url, `SELECT count(*)::text FROM pg_proc WHERE pronamespace = 'history'::regnamespace AND proname = 'inventory_taxes_as_of'`)
	check.ErrorIf(t, made[0] != "2", "the function of the table was not made beside another of its name: %s", made)
	check.Must(t, migrations.Migrate(t.Context(), url, migrations.Options{}))
	after := list(t, url, `SELECT concat_ws(' ', oid::regprocedure, proconfig) FROM pg_proc WHERE proowner = '`+role+`'::regrole ORDER BY 1`)
	check.ErrorIf(t, len(after) != 3, "when its history was over, of the functions of others only %q were left", after)
}

// TestRawRecordsOfATableOfAnotherRole: the program does not know which raw records its rows refer
// to, so none is deleted.
func TestRawRecordsOfATableOfAnotherRole(t *testing.T) {
	url := parallel(t)
	role, _ := warehousetest.Worker(t, url)
	script(t, url, `
		INSERT INTO sluice.streams (organization_id, service, resource, every) VALUES ('o', 'inventory', 'taxes', '1 hour');
		INSERT INTO sluice.raw_records (call_id, first_position, records, organization_id, service, resource, kept_at, record_count)
			VALUES (7, 0, '[{}]', 'o', 'inventory', 'taxes', '2020-01-01', 1);
		INSERT INTO inventory.taxes (organization_id, tax_id, _content_hash, _call_id, _raw_position, _run_id, _first_seen_at, _changed_at)
			VALUES ('o', '1', 'x', 7, 0, 1, now(), now());
		ALTER TABLE inventory.taxes OWNER TO `+role)
	look := func(when, want string) {
		t.Helper()
		dropped := list(t, url, `SELECT sluice.prune_raw('2 days')::text`)
		left := list(t, url, `SELECT count(*)::text FROM sluice.raw_records`)
		check.ErrorIf(t, dropped[0] != "0" || left[0] != want, "%s: %s were dropped, %s are left, want %s", when, dropped, left, want)
	}
	look("of another role", "1")
	script(t, url, `ALTER TABLE inventory.taxes OWNER TO CURRENT_USER; UPDATE sluice.raw_looks SET looked_at = '2020-01-01'`)
	look("ours again", "1")
	script(t, url, `DELETE FROM inventory.taxes; UPDATE sluice.raw_looks SET looked_at = '2020-01-01'`)
	dropped := list(t, url, `SELECT sluice.prune_raw('2 days')::text`)
	check.ErrorIf(t, dropped[0] != "1", "no row leads to it: %s were dropped", dropped)
}

// TestAutovacuumGivesWay: autovacuum gives way to a session that waits for a second, which no
// statement of a migration does. Its process is hidden from a role that is no superuser.
func TestAutovacuumGivesWay(t *testing.T) {
	t.Parallel()
	owner := warehousetest.Owner(t)
	name := nameOf(t, owner)
	admin := warehousetest.Admin(t, name)
	script(t, owner, `CREATE SCHEMA s; CREATE TABLE s.t (a int, b text) WITH (autovacuum_vacuum_threshold = 1, autovacuum_vacuum_scale_factor = 0,
			autovacuum_vacuum_cost_delay = 100, autovacuum_vacuum_cost_limit = 1);
		INSERT INTO s.t SELECT n, repeat('x', 100) FROM generate_series(1, 50000) AS n; DELETE FROM s.t WHERE a % 2 = 0`)
	script(t, admin, `ALTER SYSTEM SET autovacuum_naptime = '1s'`)
	script(t, admin, `SELECT pg_reload_conf()`)
	asUsual := sync.OnceFunc(func() { // all tests share the server
		conn, err := pgx.Connect(context.Background(), admin)
		if err != nil {
			t.Error(err)
			return
		}
		_, err = conn.Exec(context.Background(), `ALTER SYSTEM RESET autovacuum_naptime`)
		_, reload := conn.Exec(context.Background(), `SELECT pg_reload_conf()`)
		if err := errors.Join(err, reload, conn.Close(context.Background())); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(asUsual)
	const working = `SELECT count(*)::text FROM pg_locks l JOIN pg_stat_activity a USING (pid)
		WHERE a.backend_type = 'autovacuum worker' AND l.relation = 's.t'::regclass`
	limit := time.After(2 * time.Minute)
	for ticker := time.NewTicker(100 * time.Millisecond); list(t, admin, working)[0] == "0"; {
		select {
		case <-ticker.C:
		case <-limit:
			t.Fatal("autovacuum does not come")
		}
	}
	asUsual() // else autovacuum is back a second after it gave way
	connect := func() *pgx.Conn {
		config := check.Sure(pgx.ParseConfig(owner))(t)
		config.RuntimeParams["application_name"], config.RuntimeParams["lock_timeout"] = "sluice migrate", "250"
		conn := check.Sure(pgx.ConnectConfig(t.Context(), config))(t)
		t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
		return conn
	}
	looker, worker := connect(), connect()
	log := new(strings.Builder)
	options := migrations.Options{Patience: time.Minute, Log: slog.New(slog.NewTextHandler(log, nil))}
	check.Must(t, migrations.Beside(t.Context(), looker, options, func(ctx context.Context) error {
		_, err := worker.Exec(ctx, `ALTER TABLE s.t ADD COLUMN c int`)
		return err
	}))
	said := log.String()
	check.ErrorIf(t, said != "" && !strings.Contains(said, "(autovacuum)"), "it was behind autovacuum, and said %s", said)
}
