package migrations_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRunsAreKept: runs older than the given age are deleted, except for the last 400 of a stream,
// open ones, and those that a stream or an entry of the quarantine names. Verifications and
// processes of that age are deleted, too.
func TestRunsAreKept(t *testing.T) {
	t.Parallel()
	url := migrated(t)
	list(t, url, `WITH made AS (
		INSERT INTO sluice.runs (organization_id, service, resource, class, gen, started_at, ended_at, outcome)
		SELECT '1', 'shop', resource, 'sweep', 0, now() - ago, CASE WHEN n <> 7 THEN now() - ago END, CASE WHEN n <> 7 THEN 'done' END
		FROM (VALUES ('many', 500), ('few', 300)) AS s (resource, runs), LATERAL generate_series(1, runs) AS n,
			LATERAL (SELECT make_interval(days => CASE WHEN n <= 60 THEN 500 ELSE 100 END) AS ago) AS a
		ORDER BY resource DESC, n RETURNING id, resource
	) SELECT 'made' FROM made LIMIT 1`)
	list(t, url, `INSERT INTO sluice.streams (organization_id, service, resource, every, last_run_id)
		SELECT '1', 'shop', resource, '1 h', min(id) + 9 FROM sluice.runs GROUP BY resource RETURNING 'made'`)
	list(t, url, `INSERT INTO sluice.quarantine (organization_id, service, resource, record_hash, raw, code, run_id)
		SELECT '1', 'shop', 'many', '\x01', '', 'no_id', min(id) + 19 FROM sluice.runs WHERE resource = 'many' RETURNING 'made'`)
	list(t, url, `INSERT INTO sluice.verifications (started_at, calls_allowed) VALUES (now() - interval '500 days', 1), (now(), 2) RETURNING 'made'`)
	list(t, url, `INSERT INTO sluice.findings (verification_id, number, severity, source, code, organization_id, service, resource, detail)
		SELECT id, 1, 'notice', 'check', 'x', '', '', '', 'x' FROM sluice.verifications RETURNING 'made'`)
	list(t, url, `INSERT INTO sluice.processes (name, started_at, stopped_at) VALUES ('old', now() - interval '500 days', now() - interval '499 days'),
		('killed', now() - interval '500 days', NULL), ('new', now(), NULL) RETURNING 'made'`)
	for _, step := range []struct {
		query string
		want  []string
	}{
		{`SELECT sluice.prune_runs('400 days', 20)::text`, []string{"20"}},
		{`SELECT sluice.prune_runs('400 days')::text`, []string{"37"}}, // of 60 old ones, without the open one and the two that are named
		{`SELECT sluice.prune_runs('400 days')::text`, []string{"0"}},
		{`SELECT resource || ' ' || count(*) FROM sluice.runs GROUP BY resource ORDER BY 1`, []string{"few 300", "many 443"}},
		{`SELECT calls_allowed::text FROM sluice.verifications`, []string{"2"}},
		{`SELECT count(*)::text FROM sluice.findings`, []string{"1"}},
		{`SELECT name FROM sluice.processes`, []string{"new"}},
		{`SELECT sluice.prune_runs('840 hours')::text`, []string{"40"}}, // retention.runs is 840h at least; 403 of 443 stay: the last 400, and three as above
	} {
		if diff := cmp.Diff(step.want, list(t, url, step.query)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.query, diff)
		}
	}
}
