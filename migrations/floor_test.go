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

	"github.com/jackc/pgx/v5"

	"sluice/migrations"
	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/warehousetest"
	"sluice/schema"
)

// next is the number of the file that follows the released ones.
func next() int64 { return migrations.Version() + 1 }

// released returns the released files, and further ones by name and text.
func released(t *testing.T, further map[string]string) fstest.MapFS {
	t.Helper()
	files := fstest.MapFS{}
	names := check.Sure(fs.Glob(migrations.FS, "*.sql"))(t)
	for _, name := range names {
		text := check.Sure(fs.ReadFile(migrations.FS, name))(t)
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
	check.Must(t, migrations.Migrate(t.Context(), url, migrations.Upgraded(migrations.Options{}, files)))
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
		pending, err := look()
		check.ErrorIf(t, err != nil || pending, "%s are pending: %t, %v", what, pending, err)
	}
	var log bytes.Buffer
	check.Must(t, migrations.Migrate(t.Context(), url, migrations.Options{Log: slog.New(slog.NewTextHandler(&log, nil))}))
	check.ErrorIf(t, !strings.Contains(log.String(), "nothing to migrate: a newer version did it"),
		"it does not say why it does nothing:\n%s", &log)
	changed, err := migrations.Declare(t.Context(), url, []schema.Service{})
	check.ErrorIf(t, err != nil || changed != 0, "it declared %d columns, %v", changed, err)
	after := append(catalogue(t, url), list(t, url, `SELECT v::text FROM sluice.views v UNION ALL SELECT c::text FROM sluice.columns c ORDER BY 1`)...)
	check.Same(t, "changed by the older program", before, after)
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
			check.ErrorIf(t, !errors.Is(err, migrations.ErrNewer) || !strings.Contains(err.Error(), test.needs),
				"the floor of the %s: %s = %v, want %q", what, call, err, test.needs)
		}
		check.Same(t, "changed", before, catalogue(t, url))
	}
}

// leave ends a connection, and waits until the server has ended its session, too.
func leave(t *testing.T, url string, conn *pgx.Conn) {
	t.Helper()
	session := fmt.Sprintf(`SELECT count(*)::text FROM pg_stat_activity WHERE pid = %d`, conn.PgConn().PID())
	check.Must(t, conn.Close(t.Context()))
	for list(t, url, session)[0] != "0" {
		check.Must(t, t.Context().Err())
	}
}

// TestAContractWaitsForTheEndOfOlderProcesses: while a process below the new floor is at work, the
// file is refused and names it, and so does the outlook. Processes at the floor stop nothing.
func TestAContractWaitsForTheEndOfOlderProcesses(t *testing.T) {
	url := parallel(t)
	files := released(t, map[string]string{fmt.Sprintf("%05d_contract.sql", next()): fmt.Sprintf(
		"-- sluice:contract\nSELECT sluice.raise_floor(%d);\nALTER TABLE inventory.bills DROP COLUMN status CASCADE;\n", next())})
	opts := migrations.Upgraded(migrations.Options{}, files)
	atWork(t, url, "current", next())
	old, dumb := atWork(t, url, "old", next()-1), atWork(t, url, "dumb", nil)
	err := migrations.Migrate(t.Context(), url, opts)
	for _, want := range []string{fmt.Sprintf("%05d_contract.sql", next()), fmt.Sprintf("old, of version %d, since 20", next()-1), "dumb, of a version before the floor"} {
		check.ErrorIf(t, !errors.Is(err, migrations.ErrBelow) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "current"),
			"Migrate = %v, want %s", err, want)
	}
	leave(t, url, dumb)
	outlook, err := migrations.Foresee(t.Context(), url, opts)
	check.ErrorIf(t, err != nil || len(outlook.Steps) != 1 || !outlook.Steps[0].Contracts || len(outlook.Steps[0].Below) != 1,
		"the outlook is %+v, %v", outlook.Steps, err)
	leave(t, url, old)
	check.Must(t, migrations.Migrate(t.Context(), url, opts))
	check.FailsWith(t, check.Failure(migrations.Pending(t.Context(), url)), migrations.ErrNewer)
}

// TestTheFloorOnlyRises, and only by the role that owns the tables.
func TestTheFloorOnlyRises(t *testing.T) {
	url := parallel(t)
	role, worker := warehousetest.Worker(t, url)
	check.Must(t, migrations.GrantWorker(t.Context(), url, role))
	run(t, url, `SELECT sluice.raise_floor(400, 9)::text`, `SELECT sluice.raise_floor(3)::text`)
	got := list(t, worker, `SELECT program || ' ' || queue FROM sluice.floor`)
	check.ErrorIf(t, got[0] != "400 9", "the floor is %q", got)
	conn := warehousetest.Connect(t, worker)
	for _, sql := range []string{
		`SELECT sluice.raise_floor(99)`, `UPDATE sluice.floor SET program = 99`,
	} {
		check.ErrorIf(t, check.Failure(conn.Exec(t.Context(), sql)) == nil, "the worker may: %s", sql)
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

// lastDay gives the calls of the day before the last call: what is behind it has no hour that is over
// and not yet summed up.
const lastDay = `(SELECT max(reserved_at) AS at FROM sluice.calls) AS last,
	sluice.day_spent('o', 'shop', last.at, last.at - interval '24 hours', NULL, '24 hours')`

// TestTheLogIsCountedAnew: if the log was edited, or its counts were lost, it is counted as if each
// call had been counted at once: calls under way, calls of the day, calls without a reported end.
// New calls are counted after them.
func TestTheLogIsCountedAnew(t *testing.T) {
	url := parallel(t)
	list(t, url, `INSERT INTO sluice.calls (organization_id, service, resource, class, shared, method, path, reserved_at, lease_until, finished_at, free_at)
		SELECT 'o', 'shop', 'things', class, 'suite', 'GET', '/things', now() - ago, now() - ago + '2 minutes', now() - ago + ended, now() - ago + free
		FROM (VALUES
			('sweep', interval '40 days', interval '1 second', interval '61 seconds'),
			('sweep', interval '23 hours', interval '1 second', interval '61 seconds'),
			('details', interval '3 hours', NULL, interval '3 minutes'),
			('incremental', interval '30 seconds', interval '1 second', interval '61 seconds'),
			('probe', interval '10 seconds', NULL, interval '3 minutes'),
			('hinted', interval '5 hours', interval '1 second', interval '61 seconds')
		) AS v (class, ago, ended, free) RETURNING 'made'`)
	list(t, url, `INSERT INTO sluice.day_budgets (organization_id, service, limit_seen, remaining_seen, reset_at, seen_call, seen_at)
		VALUES ('o', 'shop', 1000, 500, now() + interval '1 hour', 4, now()) RETURNING 'made'`)
	// In this order: the last one adds a call.
	for _, step := range []struct {
		query string
		want  []string
	}{
		{`SELECT concat('counted', sluice.recount_calls())`, []string{"counted"}},
		{
			`SELECT id || coalesce('ended' || (finished_at IS NOT NULL), '') FROM sluice.live_calls ORDER BY id`,
			[]string{"4endedtrue", "5endedfalse"},
		},
		{
			`SELECT concat_ws(' ', sum(calls), sum(sweep), sum(details), sum(incremental), sum(backfill), sum(probe), sum(hinted))
				FROM ` + lastDay,
			[]string{"5 1 1 1 0 1 1"},
		},
		{
			`SELECT concat_ws(' ', seen_bucket = date_trunc('minute', c.reserved_at), seen_place) FROM sluice.day_budgets, sluice.calls c WHERE c.id = 4`,
			[]string{"t 1"},
		},
		{
			`SELECT concat(call_id, refused) FROM sluice.reserve_call('o', 'shop', 'things', 'sweep', 0, 'GET', '/things', 1, 'suite', 3, 3, 6,
				'2 minutes', '1 minute', '24 hours')`,
			[]string{"7"},
		},
	} {
		check.Same(t, strings.Fields(step.query)[1], step.want, list(t, url, step.query))
	}
}

// reserved counts the calls that a service gets of a hundred a day with these shares. Shares that
// are empty are left out. It asks a hundred times.
func reserved(t *testing.T, url, service, class, shares string) string {
	t.Helper()
	return list(t, url, `SELECT count(*)::text FROM generate_series(1, 100) AS page, LATERAL sluice.reserve_call('o', '`+service+`', 'things', '`+class+`', 0,
		'GET', '/things', page, 'suite', 0, 0, 100, '2 minutes', '1 minute', '24 hours'`+shares+`) WHERE refused = ''`)[0]
}

// TestSharesOfFiveClasses: a caller may name no share of hinted calls, as it is the last one. Then
// their floor is 0 and their ceiling 1, and the floors of the others are kept.
func TestSharesOfFiveClasses(t *testing.T) {
	url := parallel(t)
	const five, six = `, '{0.4,0,0,0,0.02}', '{1,0.4,0.4,0.5,1}'`, `, '{0.4,0,0,0,0.02,0.05}', '{1,0.4,0.4,0.5,1,0.3}'`
	for service, test := range map[string]struct{ class, shares, want string }{
		"told, by five":     {"hinted", five, "58"},
		"lists, by five":    {"incremental", five, "98"},
		"told, by six":      {"hinted", six, "30"},
		"lists, by six":     {"incremental", six, "93"},
		"told, by default":  {"hinted", "", "100"},
		"lists, by default": {"incremental", "", "100"},
	} {
		got := reserved(t, url, service, test.class, test.shares)
		check.ErrorIf(t, got != test.want, "%s: %s of 100 calls, want %s", service, got, test.want)
	}
	// So it is when the function is asked by itself. 42 calls are kept for the
	// others.
	for left, want := range map[string]string{"0": "false", "42": "false", "43": "true"} {
		got := list(t, url, `SELECT (sluice.class_available_at('o', 'shop', 4, '{0.4,0,0,0,0.02}', 100, `+left+`, `+left+`,
			NULL, now(), now() - interval '24 hours', NULL, '24 hours') = now())::text`)
		check.ErrorIf(t, got[0] != want, "with %s calls left, a backfill may call at once is %s, want %s", left, got[0], want)
	}
}
