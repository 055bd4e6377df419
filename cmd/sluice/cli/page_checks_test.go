package cli

import (
	"net/http"
	"strings"
	"testing"

	"sluice/sandbox"
)

// TestPagesOfChecks looks at verifications and rebuilds before and after a row is edited by hand.
func TestPagesOfChecks(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 94, Records: 10, Limits: sandbox.Limits{Off: true}}).narrow()
	s.sync(codeFine)
	s.visited(anOperator, false, func(v *desk) {
		v.says("/checks", "Nothing was verified yet", "No table was rebuilt")
	})
	s.runs(codeFine, "verify --local")
	s.visited(aViewer, false, func(v *desk) {
		v.same("/checks", "verify", "list")
		v.says("/checks", "found no violation", "All views that must be empty were empty", `href="/checks/1"`)
	})
	bill := one[string](s, `UPDATE inventory.bills SET vendor_name = vendor_name || ' Ltd' WHERE bill_id = (SELECT min(bill_id) FROM inventory.bills) RETURNING bill_id`)
	s.exec(`INSERT INTO sluice.findings (verification_id, number, severity, source, code, organization_id, service, resource, record_id, path, detail) VALUES
		(1, 1, 'violation', 'check', 'check_sums', $1, 'inventory', 'bills', '<script>x</script>', '', 'one'),
		(1, 2, 'violation', 'check', 'check_sums', $1, 'inventory', 'bills', '2', '', 'two')`, sandbox.DefaultOrganizationID)
	s.visited(aViewer, false, func(v *desk) {
		v.says("/checks", "check_sums", `"><bdi>2</bdi></td><td><bdi>one<`)
		v.same("/checks/1", "verify", "show", "1")
		v.says("/checks/1", "&lt;script&gt;x")
	})
	s.runs(codeFailed, "verify --local")
	s.runs(codeFine, "rebuild inventory.bills")
	s.visited(aViewer, false, func(v *desk) {
		v.says("/checks", "found ", "violation", "done", `href="/streams/`+sandbox.DefaultOrganizationID+"/inventory.bills")
		v.says("/checks/2", "vendor_name", `href="/r/inventory.bills/`+bill+"?org="+sandbox.DefaultOrganizationID)
	})
}

// TestPagesOfSettings looks at organizations, configuration and health, of which nothing shows a
// secret.
func TestPagesOfSettings(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 95, Records: 5}).narrow()
	s.configured("console: {auth: header, operators: [" + anOperator + "], trusted_proxies: [192.0.2.0/24]}\n")
	s.sync(codeFine)
	s.visited(aViewer, false, func(v *desk) {
		v.same("/organizations", "organizations")
		v.says("/organizations", "Upstream lets in 1 organization.", "${SANDBOX_REFRESH_TOKEN}", plan, "let in", sandbox.DefaultOrganizationID)
		v.says("/configuration", "organizations[0].credentials.client_secret", "secret, from ${SANDBOX_CLIENT_SECRET}", "secret, from ${SLUICE_DATABASE_URL}", "inventory.bills")
		v.says("/configuration?q=bills", "No setting matches", "inventory.bills")
		v.says("/health", "configuration", "reachable and up to date", "32 bytes")
		v.same("/configuration", "config")
		v.same("/health", "check", "--offline")
		for _, page := range []string{"/organizations", "/configuration", "/health"} {
			for name, secret := range s.environment {
				for _, page := range []string{page, page + "?format=json"} {
					if strings.Contains(v.get(http.StatusOK, page), secret) {
						t.Errorf("%s shows %s", page, name)
					}
				}
			}
		}
	})
	s.exec(`UPDATE sluice.streams SET state = 'denied', reason = '<b>no</b> consent' WHERE service = 'inventory' AND resource = 'bills'`)
	s.exec(`ALTER TABLE inventory.items DROP COLUMN rate CASCADE`)
	s.visited(anOperator, false, func(v *desk) {
		v.says("/organizations", "Upstream denies streams of 1 of 1 organization", "1 stream denied: &lt;b&gt;no&lt;/b&gt; consent")
		v.says("/health", "check failed", "inventory.items", "rate")
	})
}
