package migrations_test

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"sluice/migrations"
	"sluice/pipeline/warehouse/warehousetest"
)

// lastDay gives the calls of the day before the last call: what is behind it has no hour that is over
// and not yet summed up.
const lastDay = `(SELECT max(reserved_at) AS at FROM sluice.calls) AS last,
	sluice.day_spent('o', 'shop', last.at, last.at - interval '24 hours', NULL, '24 hours')`

// TestTheLogIsCountedAnew: if the log was edited, or its counts were lost, it is counted as if each
// call had been counted at once: calls under way, calls of the day, calls without a reported end.
// New calls are counted after them.
func TestTheLogIsCountedAnew(t *testing.T) {
	t.Parallel()
	url := migrated(t)
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
		if diff := cmp.Diff(step.want, list(t, url, step.query)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", strings.Fields(step.query)[1], diff)
		}
	}
}

// reserved counts the calls that a service gets of a hundred a day with these shares. Shares that
// are empty are left out. It asks a hundred times.
func reserved(t *testing.T, url, service, class, shares string) string {
	t.Helper()
	return list(t, url, `SELECT count(*)::text FROM generate_series(1, 100) AS page, LATERAL sluice.reserve_call('o', '`+service+`', 'things', '`+class+`', 0,
		'GET', '/things', page, 'suite', 0, 0, 100, '2 minutes', '1 minute', '24 hours'`+shares+`) WHERE refused = ''`)[0]
}

// TestSharesOfFiveClasses: a process of the version before names no share of hinted calls. Then
// their floor is 0 and their ceiling 1, and the floors of the others are kept.
func TestSharesOfFiveClasses(t *testing.T) {
	t.Parallel()
	url := migrated(t)
	const five, six = `, '{0.4,0,0,0,0.02}', '{1,0.4,0.4,0.5,1}'`, `, '{0.4,0,0,0,0.02,0.05}', '{1,0.4,0.4,0.5,1,0.3}'`
	for service, test := range map[string]struct{ class, shares, want string }{
		"told, by five":     {"hinted", five, "58"},
		"lists, by five":    {"incremental", five, "98"},
		"told, by six":      {"hinted", six, "30"},
		"lists, by six":     {"incremental", six, "93"},
		"told, by default":  {"hinted", "", "100"},
		"lists, by default": {"incremental", "", "100"},
	} {
		if got := reserved(t, url, service, test.class, test.shares); got != test.want {
			t.Errorf("%s: %s of 100 calls, want %s", service, got, test.want)
		}
	}
	// A reservation that began before the upgrade asks the new function. 42 calls are kept for the
	// others.
	for left, want := range map[string]string{"0": "false", "42": "false", "43": "true"} {
		got := list(t, url, `SELECT (sluice.class_available_at('o', 'shop', 4, '{0.4,0,0,0,0.02}', 100, `+left+`, `+left+`,
			NULL, now(), now() - interval '24 hours', NULL, '24 hours') = now())::text`)
		if got[0] != want {
			t.Errorf("with %s calls left, a backfill may call at once is %s, want %s", left, got[0], want)
		}
	}
}

// before returns the files of an earlier version of the program, those that come before a file.
func before(t *testing.T, file string) migrations.Options {
	t.Helper()
	files := fstest.MapFS{}
	names, err := fs.Glob(migrations.FS, "*.sql")
	must(t, err)
	for _, name := range names {
		text, err := fs.ReadFile(migrations.FS, name)
		must(t, err)
		if name < file {
			files[name] = &fstest.MapFile{Data: text}
		}
	}
	return migrations.Upgraded(migrations.Options{}, files)
}

// TestCountsOutliveTheSixthClass: an upgrade to hinted calls keeps what is counted. A worker of the
// version before goes on in its session, and keeps its rights.
func TestCountsOutliveTheSixthClass(t *testing.T) {
	t.Parallel()
	owner := warehousetest.Owner(t)
	role, worker := warehousetest.Worker(t, owner)
	must(t, migrations.Migrate(t.Context(), owner, before(t, "00017")))
	script(t, owner, `SELECT sluice.grant_worker('`+role+`')`)
	run(t, owner, `INSERT INTO sluice.calls (organization_id, service, resource, class, shared, method, path, reserved_at, lease_until, finished_at, free_at)
		SELECT 'o', 'shop', 'things', class, 'suite', 'GET', '/things', at AS reserved, at AS lease, at AS finished, at AS free
		FROM unnest(ARRAY['sweep', 'sweep', 'details', 'backfill', 'probe']) WITH ORDINALITY AS v (class, hours),
			LATERAL (VALUES (now() - hours * interval '3 hours')) AS a (at) RETURNING 'made'`,
		`SELECT concat(sluice.recount_calls())`)

	session := warehousetest.Connect(t, worker)
	asks := func(conn *pgx.Conn, sql, want string) {
		t.Helper()
		var got string
		if err := conn.QueryRow(t.Context(), sql).Scan(&got); err != nil || got != want {
			t.Errorf("%s: %q (%v), want %q", strings.Fields(sql)[1], got, err, want)
		}
	}
	const (
		reserve = `SELECT refused FROM sluice.reserve_call('o', 'shop', 'things', 'backfill', 0, 'GET', '/things', 1, 'suite', 0, 0, 10,
			'2 minutes', '1 minute', '24 hours', '{0.2,0,0,0,0.1}', '{1,1,1,0.5,1}')`
		day = `SELECT concat_ws(' ', sum(calls), sum(incremental), sum(details), sum(sweep), sum(backfill), sum(probe))
			FROM ` + lastDay
		counts = `SELECT concat_ws(' ', span, began_at, reserved, calls, incremental, details, sweep, backfill, probe) FROM sluice.spent ORDER BY 1`
	)
	asks(session, reserve, "")
	asks(session, day, "6 0 1 2 2 1")
	counted := list(t, owner, counts)
	must(t, migrations.Migrate(t.Context(), owner, migrations.Options{}))
	if diff := cmp.Diff(counted, list(t, owner, counts)); diff != "" || len(counted) != 11 {
		t.Errorf("%d minutes and hours are counted, want 6 and 5; by the upgrade (-before +after):\n%s", len(counted), diff)
	}
	asks(session, day, "6 0 1 2 2 1")
	asks(session, reserve, "")
	asks(session, day, "7 0 1 2 3 1")
	const told = `SELECT refused FROM sluice.reserve_call('o', 'shop', 'things', 'hinted', 0, 'GET', '/things', 1, 'suite', 0, 0, 10,
		'2 minutes', '1 minute', '24 hours', '{0.1,0,0,0,0,0.1}', '{1,1,1,0.5,1,0.1}')`
	next := warehousetest.Connect(t, worker)
	asks(next, told, "")
	asks(next, told, "class")
	asks(next, `SELECT concat_ws(' ', sum(calls), sum(backfill), sum(hinted)) FROM `+lastDay,
		"8 3 1")
	granted := list(t, owner, `SELECT a.grantee::regrole::text FROM pg_proc, aclexplode(proacl) AS a WHERE oid = 'sluice.day_spent'::regproc`)
	if !slices.Contains(granted, role) {
		t.Errorf("sluice.day_spent is granted to %q, not to the worker %s", granted, role)
	}
}
