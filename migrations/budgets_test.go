package migrations_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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

// TestSharesOfFiveClasses: a caller may name no share of hinted calls, as it is the last one. Then
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
	// So it is when the function is asked by itself. 42 calls are kept for the
	// others.
	for left, want := range map[string]string{"0": "false", "42": "false", "43": "true"} {
		got := list(t, url, `SELECT (sluice.class_available_at('o', 'shop', 4, '{0.4,0,0,0,0.02}', 100, `+left+`, `+left+`,
			NULL, now(), now() - interval '24 hours', NULL, '24 hours') = now())::text`)
		if got[0] != want {
			t.Errorf("with %s calls left, a backfill may call at once is %s, want %s", left, got[0], want)
		}
	}
}
