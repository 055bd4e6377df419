package migrations_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
			('probe', interval '10 seconds', NULL, interval '3 minutes')
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
			`SELECT concat_ws(' ', sum(calls), sum(sweep), sum(details), sum(incremental), sum(backfill), sum(probe))
				FROM sluice.day_spent('o', 'shop', now(), now() - interval '24 hours', NULL, '24 hours')`,
			[]string{"4 1 1 1 0 1"},
		},
		{
			`SELECT concat_ws(' ', seen_bucket = date_trunc('minute', c.reserved_at), seen_place) FROM sluice.day_budgets, sluice.calls c WHERE c.id = 4`,
			[]string{"t 1"},
		},
		{
			`SELECT concat(call_id, refused) FROM sluice.reserve_call('o', 'shop', 'things', 'sweep', 0, 'GET', '/things', 1, 'suite', 3, 3, 5,
				'2 minutes', '1 minute', '24 hours')`,
			[]string{"6"},
		},
	} {
		if diff := cmp.Diff(step.want, list(t, url, step.query)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", strings.Fields(step.query)[1], diff)
		}
	}
}
