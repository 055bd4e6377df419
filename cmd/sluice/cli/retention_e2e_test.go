//go:build e2e

package cli

import (
	"strings"
	"testing"

	"sluice/sandbox"
)

// TestServeLetsGoWhatIsOld: serve deletes rows whose tombstone is older than retention.gone, and
// entries of the quarantine that were decided long ago. It keeps open ones, younger tombstones and
// live rows. Without the setting no row goes.
func TestServeLetsGoWhatIsOld(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 257, Records: 20, Limits: sandbox.Limits{Off: true}}).narrow()
	s.sync(codeFine)
	payments := one[[]string](s, `SELECT array_agg(payment_id ORDER BY payment_id) FROM accounting.vendor_payments`)
	for i, age := range []string{"49 hours", "40 hours"} {
		s.exec(`UPDATE accounting.vendor_payments SET _deleted_at = now() - $2::interval WHERE payment_id = $1`, payments[i], age)
		s.exec(`INSERT INTO sluice.tombstones (organization_id, service, resource, record_id, state, suspected_run_id, suspected_first_call, suspected_last_call,
				suspected_clock, proof, proof_run_id, deleted_at, decided_by, decided_at)
			SELECT organization_id, 'accounting', 'vendor_payments', payment_id, 'deleted', 1, 1, 1, _deleted_at, 'scan', 2, _deleted_at, 'rule', _deleted_at
			FROM accounting.vendor_payments WHERE payment_id = $1`, payments[i])
	}
	entries := func() {
		s.exec(`INSERT INTO sluice.quarantine (organization_id, service, resource, record_hash, raw, code, note, state, decided_at, last_seen_at)
			SELECT $1, 'inventory', 'bills', convert_to(k.note, 'UTF8'), 'x', 'bad', k.note, k.state, CASE k.state WHEN 'open' THEN NULL ELSE now() - interval '91 days' END,
				now() - interval '91 days'
			FROM (VALUES ('a', 'open'), ('b', 'retried'), ('c', 'resolved')) AS k (note, state) ON CONFLICT DO NOTHING`, sandbox.DefaultOrganizationID)
	}
	const kept = `SELECT (SELECT string_agg(note, '') FROM sluice.quarantine) = 'a' AND (SELECT count(*) FROM accounting.vendor_payments) = $1`
	entries()
	s.serveUntil("lets go of entries alone", kept, len(payments))
	entries()
	s.configured("retention: {gone: 48h}\n")
	s.serveUntil("lets go of a row, too", kept, len(payments)-1)
	if left := one[bool](s, `SELECT EXISTS (SELECT FROM accounting.vendor_payments WHERE payment_id = $1)`, payments[0]); left {
		t.Error("another row went than the one whose tombstone is old")
	}
	if o := s.run("tombstones", "show", payments[0]); o.code != codeFine || !strings.Contains(o.stdout, "as its tombstone was older than retention.gone") {
		t.Errorf("show: %d %s%s", o.code, o.stdout, o.stderr)
	}
	if o := s.run("explain", "accounting.vendor_payments", payments[0]); o.code != codeFine || !strings.Contains(o.stdout, "There is no row: it was deleted at") {
		t.Errorf("explain: %d %s%s", o.code, o.stdout, o.stderr)
	}
}
