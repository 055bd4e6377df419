package cli

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"sluice/sandbox"
)

// TestHarmfulTexts: whatever upstream or a person wrote into a name, a title, a key, an identifier,
// a reason or an error stands on every page as a text, and not as a script. It does not turn the
// text around it either. Each page in the list has to show such a text.
func TestHarmfulTexts(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 318, Records: 20, Limits: sandbox.Limits{Off: true}}).narrow()
	s.sync(codeFine)
	const org = sandbox.DefaultOrganizationID
	s.exec(`UPDATE sluice.organizations SET name = $1, is_active = false`, harmful)
	s.exec(`UPDATE sluice.streams SET state = 'retrying', reason = $1 WHERE resource = 'bills'`, "unavailable: "+harmful)
	run := one[string](s, `INSERT INTO sluice.runs (organization_id, service, resource, class, gen, ended_at, outcome, note)
		VALUES ($1, 'inventory', 'bills', 'incremental', 0, now(), 'failed', $2) RETURNING id::text`, org, harmful)
	s.exec(`INSERT INTO sluice.calls (organization_id, service, resource, class, shared, run_id, method, path, reserved_at, lease_until, finished_at, free_at, kind, detail)
		SELECT $1, 'inventory', $2, 'backfill', 'suite', $3, 'GET', '/' || $2, began, lease, ended, free, 'unavailable', $2
		FROM (SELECT now() AS began, now() AS lease, now() AS ended, now() AS free) AS c`, org, harmful, run)
	s.exec(`INSERT INTO sluice.drift (organization_id, service, resource, path, kind, seen) VALUES ($1, 'inventory', 'bills', $2, 'value: ' || $2, 3)`, org, harmful)
	entry := one[string](s, `INSERT INTO sluice.quarantine (organization_id, service, resource, record_hash, record_id, raw, code, path, detail)
		VALUES ($1, 'inventory', 'bills', '\x01', $2, convert_to('{"' || $2 || '": "' || $2 || '"}', 'UTF8'), 'wrong_type', $2, $2) RETURNING id::text`, org, harmful)
	s.exec(`INSERT INTO sluice.tombstones (organization_id, service, resource, record_id, state, suspected_run_id, suspected_first_call, suspected_last_call, suspected_clock)
		VALUES ($1, 'inventory', 'bills', $2, 'suspected', 1, 1, 1, now())`, org, harmful)
	check := one[string](s, `INSERT INTO sluice.verifications (ended_at, scope, calls_allowed, outcome, note, violations) VALUES (now(), $1, 0, 'found', $1, 1) RETURNING id::text`, harmful)
	s.exec(`INSERT INTO sluice.findings (verification_id, number, severity, source, code, organization_id, service, resource, record_id, path, detail)
		VALUES ($1, 1, 'violation', 'check', $2, $3, 'inventory', 'bills', $2, $2, $2)`, check, harmful, org)
	s.exec(`INSERT INTO sluice.actions (actor, action, target, before, after, outcome, error) VALUES ($1, $1, $1, jsonb_build_object($1::text, $1::text), jsonb_build_object($1::text, $1::text), 'failed', $1)`, harmful)
	d := s.desk()
	d.posts("/backfills", url.Values{"resource": {"inventory.bills"}})
	s.exec(`UPDATE sluice.backfills SET note = $1, requested_by = $1`, harmful)
	s.exec(`UPDATE inventory.bills SET vendor_name = $1, bill_number = $1, notes = $1`, harmful)
	bill := one[string](s, `SELECT min(bill_id) FROM inventory.bills`)

	shows := map[string]bool{
		"/": true, "/streams/" + org + "/inventory.bills": true, "/budget?service=inventory": true, "/runs": true, "/runs/" + run: true,
		"/quarantine": true, "/quarantine/entries?stream=inventory.bills": true, "/quarantine/" + entry: true, "/tombstones": true,
		"/drift/inventory.bills": true, "/checks": true, "/checks/" + check: true, "/organizations": true, "/actions": true,
		"/r/inventory.bills/" + bill: true, "/backfills": true, "/backfills/1": true,
	}
	addresses := []string{"/backfills/new?resource=%3Cscript%3Ealert(1)%3C/script%3E%E2%80%AEgnp", "/dictionary?q=%3Cscript%3Ealert(1)%3C/script%3E%E2%80%AEgnp"}
	for _, route := range (&pages{cli: &cli{}, app: d.app}).routes() {
		if route.Nav != "" {
			addresses = append(addresses, strings.TrimSuffix(route.Pattern, "{$}"))
		}
	}
	for n := range 30 {
		addresses = append(addresses, "/questions/"+strconv.Itoa(n+1))
	}
	for address := range shows {
		addresses = append(addresses, address)
	}
	for _, address := range addresses {
		page := d.get(http.StatusOK, address)
		onlyTexts(t, address, page)
		if shows[address] && !strings.Contains(page, harmfulEscaped) {
			t.Errorf("%s does not show the text that this test is about\n%s", address, page)
		}
	}
	for _, address := range []string{"/r/inventory.bills/%3Cscript%3E", "/streams/%3Cscript%3E%E2%80%AE/x", "/%3Cscript%3E%E2%80%AE"} {
		onlyTexts(t, address, d.get(http.StatusNotFound, address))
	}
}
