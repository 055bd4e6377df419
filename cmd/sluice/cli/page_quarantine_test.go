package cli

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/pipeline/warehouse/actions"
	"sluice/sandbox"
)

// piled are entries of four causes: three bills with bad lines, one that is no UTF-8, an item that
// fits by now, and one with a name that attacks.
const piled = `
INSERT INTO sluice.quarantine (organization_id, service, resource, record_hash, record_id, raw, code, path, detail, first_seen_at, last_seen_at)
SELECT $1, 'inventory', 'bills', sha256(i::text::bytea), 'b' || i, convert_to('{"bill_id": "b' || i || '", "line_items": [{"rate": 1}, {"rate": "much"}]}', 'UTF8'),
	'bad_number', 'line_items[' || i % 2 || '].rate', 'a number is declared', clock_timestamp() - interval '3 days', clock_timestamp() - interval '2 days'
FROM generate_series(1, 3) i`

const attacked = `
INSERT INTO sluice.quarantine (organization_id, service, resource, record_hash, record_id, raw, code, path, detail, first_seen_at, last_seen_at) VALUES
	($1, 'inventory', 'bills', '\x02', '', '\xff7b', 'no_id', '', 'it has no identifier', clock_timestamp() - interval '5 days', clock_timestamp()),
	($1, 'inventory', 'items', '\x03', '73', '{"item_id": "73", "rate": 12.5}', 'bad_number', 'rate', 'a number is declared', clock_timestamp() - interval '5 days', clock_timestamp()),
	($1, 'inventory', 'items', '\x04', E'<script>x</script>\u202E', '{"item_id": "74", "name": "<script>y</script>", "rate": "<much>"}', 'wrong_type', 'rate',
		'text came', clock_timestamp(), clock_timestamp())`

func (s *fixture) pile() {
	s.t.Helper()
	s.exec(piled, sandbox.DefaultOrganizationID)
	s.exec(attacked, sandbox.DefaultOrganizationID)
}

func (s *fixture) entry(record string) string {
	s.t.Helper()
	return fmt.Sprint(one[int64](s, `SELECT id FROM sluice.quarantine WHERE record_id = $1`, record))
}

func causeOf(stream, code, field string) url.Values {
	return url.Values{"org": {sandbox.DefaultOrganizationID}, "stream": {stream}, "code": {code}, "field": {field}}
}

// TestPagesOfQuarantine looks at the causes, at the entries of one, and at records, as an operator
// and as a viewer.
func TestPagesOfQuarantine(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 96, Records: 10})
	s.visited(anOperator, false, func(v *desk) {
		v.says("/quarantine", "Nothing is in quarantine.")
		s.pile()
		v.same("/quarantine", "quarantine", "causes")
		v.same("/quarantine?stream=inventory.bills", "quarantine", "causes", "inventory.bills")
		v.says("/quarantine", "6 records of 4 causes in quarantine; 1 cause of the last day.")
		html := v.get(http.StatusOK, "/quarantine")
		fresh, largest, other := strings.Index(html, "<code>wrong_type"), strings.Index(html, "<code>line_items[].rate"), strings.Index(html, "<code>no_id")
		errorIf(t, fresh < 0 || fresh > largest || largest > other,
			"the new cause is at %d, the largest at %d, another at %d", fresh, largest, other)

		lines := causeOf("inventory.bills", "bad_number", "line_items[].rate")
		v.same("/quarantine/entries?"+lines.Encode(), "quarantine", "list", "inventory.bills", "--code", "bad_number", "--field", "line_items[].rate")
		v.says("/quarantine/entries?"+lines.Encode(), "3 records in quarantine, inventory.bills, bad_number in line_items[].rate.", "Retry all 3", "Accept all 3", "line_items[1].rate")
		v.says("/quarantine/entries?stream=inventory.items", "2 records in quarantine, inventory.items.", "&lt;script&gt;x", "<bdi>")
		html = v.get(http.StatusOK, "/quarantine/entries?stream=inventory.items")
		errorIf(t, strings.Contains(html, "Retry all"), "entries of several causes can be decided about at once")

		b1, attack := s.entry("b1"), s.entry("<script>x</script>\u202E")
		v.same("/quarantine/"+b1, "quarantine", "show", b1)
		v.says("/quarantine/"+b1, "bad_number in line_items[1].rate: a number is declared.", `<mark>      &#34;rate&#34;: &#34;much&#34;</mark>`,
			"inventory.bills_line_items", "decimal (numeric)", "text of 4 characters", "Price of one unit")
		v.says("/quarantine/"+attack, "&lt;script&gt;y&lt;/script&gt;", "&lt;much&gt;")
		html = v.get(http.StatusOK, "/quarantine/"+attack)
		errorIf(t, strings.Contains(html, "<script>x") || strings.Contains(html, "<script>y"), "a record puts elements into the page\n%s", html)
		v.says("/quarantine/"+s.entry(""), "The record as a whole does not fit", "�{")
	})
	s.visited(aViewer, false, func(v *desk) {
		attack := s.entry("<script>x</script>\u202E")
		for _, page := range []string{"/quarantine/" + attack, "/quarantine/" + attack + "?format=json"} {
			html := v.get(http.StatusOK, page)
			if strings.Contains(html, "much") || strings.Contains(html, "<form class=\"act\"") || !strings.Contains(html, "text of 6 characters") ||
				!strings.Contains(html, hiddenValue) {
				t.Errorf("%s shows a viewer what it should not, or not what it should:\n%s", page, html)
			}
		}
		shown := decodedPage[wholeEntry](v, "/quarantine/"+s.entry("")+"?format=json")
		errorIf(t, shown.RawBase64 != nil || shown.Raw != "2 bytes that are no JSON", "bytes that are no JSON are shown to a viewer: %+v", shown)
		lines := causeOf("inventory.bills", "bad_number", "line_items[].rate")
		v.says("/quarantine/entries?"+lines.Encode(), "3 records", hiddenValue)
	})
	// The configuration can show values of records to viewers, too.
	s.visited(aViewer, true, func(v *desk) { v.says("/quarantine/"+s.entry("b1"), "much") })
}

// TestDecidingInTheConsole retries and accepts entries one by one, and causes.
func TestDecidingInTheConsole(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 97, Records: 10})
	s.pile()
	s.visited(anOperator, false, func(v *desk) {
		// One entry: it fits now; another does not; one is accepted, with a reason.
		fits, attack := s.entry("73"), s.entry("<script>x</script>\u202E")
		done := v.post(http.StatusSeeOther, "/quarantine/"+fits+"/retry", nil)
		if to := done; !strings.HasPrefix(to, "/quarantine/"+fits+"?done=") {
			t.Errorf("after a retry comes %s", to)
		}
		if d := v.last(); d.Action != "quarantine retry" || d.Target != fits || d.Outcome != actions.Done || d.Actor != anOperator || d.Organization != sandbox.DefaultOrganizationID {
			t.Errorf("recorded: %+v", d)
		}
		same(t, "the rate is", "12.5", one[string](s, `SELECT rate::text FROM inventory.items WHERE item_id = '73'`))
		v.says(done, "<b>Done</b>", "The record is loaded.", "Closed: the record was loaded since")
		v.post(http.StatusSeeOther, "/quarantine/"+attack+"/retry", nil)
		if d := v.last(); d.Outcome != actions.Failed || !strings.Contains(string(d.Error), "still does not fit") || strings.Contains(string(d.Error), "much") {
			t.Errorf("what does not fit is recorded as %+v", d)
		}
		v.post(http.StatusSeeOther, "/quarantine/"+attack+"/accept", url.Values{"note": {" "}})
		d := v.last()
		errorIf(t, !strings.Contains(string(d.Error), "reason") || s.state(attack) != "open", "accepted without a reason: %+v", d)
		v.post(http.StatusSeeOther, "/quarantine/"+attack+"/accept", url.Values{"note": {"a test"}})
		if d := v.last(); d.Action != "quarantine accept" || d.Outcome != actions.Done || s.state(attack) != "resolved" {
			t.Errorf("accepted: %+v, state %s", d, s.state(attack))
		}
		v.post(http.StatusSeeOther, "/quarantine/"+attack+"/accept", url.Values{"note": {"again"}})
		d = v.last()
		errorIf(t, string(d.Error) != noOpenEntry, "accepted twice: %+v", d)
		v.post(http.StatusSeeOther, "/quarantine/99999/retry", nil)
		d = v.last()
		errorIf(t, d.Outcome != actions.Failed, "an entry that is not there: %+v", d)

		// A cause: two of three fit now.
		s.exec(`UPDATE sluice.quarantine SET raw = convert_to('{"bill_id": "' || record_id || '", "line_items": [{"rate": 1}]}', 'UTF8') WHERE record_id IN ('b1', 'b2')`)
		lines := causeOf("inventory.bills", "bad_number", "line_items[].rate")
		to := v.post(http.StatusSeeOther, "/quarantine/retry", lines)
		errorIf(t, !strings.HasPrefix(to, "/quarantine/entries?") || strings.Contains(to, "before="), "after a retry that left one comes %s", to)
		v.says(to, "2 loaded, 1 refused again, 0 left to try.", "1 record in quarantine")
		s.counts(2, "bills are loaded", `SELECT count(*) FROM inventory.bills WHERE bill_id IN ('b1', 'b2', 'b3')`)
		lines.Set("note", "drafts")
		to = v.post(http.StatusSeeOther, "/quarantine/accept", lines)
		errorIf(t, !strings.HasPrefix(to, "/quarantine?done="), "after all are accepted comes %s", to)
		lines.Del("field") // names no cause: all fields of a code
		v.post(http.StatusSeeOther, "/quarantine/accept", lines)
		d = v.last()
		errorIf(t, d.Outcome != actions.Failed, "something that is no cause is accepted: %+v", d)
		same(t, "entries that are open", "no_id", one[string](s, `SELECT string_agg(code, ' ') FROM sluice.quarantine WHERE state = 'open'`))
	})
}

func (s *fixture) state(entry string) string {
	s.t.Helper()
	return one[string](s, `SELECT state FROM sluice.quarantine WHERE id = $1::bigint`, entry)
}

// TestAClickIsBounded accepts a cause of more entries than one click decides about: the next click
// goes on where it ended.
func TestAClickIsBounded(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 98, Records: 10})
	s.exec(`INSERT INTO sluice.quarantine (organization_id, service, resource, record_hash, raw, code, path)
SELECT $1, 'inventory', 'bills', sha256(i::text::bytea), '{}', 'no_id', 'bill_id' FROM generate_series(1, 1002) i`, sandbox.DefaultOrganizationID)
	s.visited(anOperator, false, func(v *desk) {
		cause := causeOf("inventory.bills", "no_id", "bill_id")
		v.says("/quarantine/entries?"+cause.Encode(), "1,002 records in quarantine", "Accept the newest 1,000 of 1,002", "Older ones: 902")
		cause.Set("note", "drafts")
		to := v.post(http.StatusSeeOther, "/quarantine/accept", cause)
		third := one[string](s, `SELECT id::text FROM sluice.quarantine q ORDER BY q.id OFFSET 2 LIMIT 1`)
		errorIf(t, !strings.Contains(to, "before="+third+"&"), "the next click goes on at %s, want before %s", to, third)
		v.says(to, "1,000 accepted, 0 closed already, 2 left to try.", "2 records in quarantine before entry "+third, "Accept all 2")
		cause.Set("before", third)
		v.post(http.StatusSeeOther, "/quarantine/accept", cause)
		s.counts(0, "entries are open", `SELECT count(*) FROM sluice.quarantine WHERE state = 'open'`)
	})
}

// TestPagesOfDrift looks at keys that no declaration knows, and at those that are gone.
func TestPagesOfDrift(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 99, Records: 10})
	s.visited(anOperator, false, func(v *desk) { v.says("/drift", "Everything that came is declared.") })
	s.exec(`INSERT INTO sluice.drift (organization_id, service, resource, path, kind, seen) VALUES
		($1, 'inventory', 'bills', 'surprise', 'string', 1234),
		($1, 'inventory', 'bills', 'surprise', 'number', 3),
		($1, 'inventory', 'bills', 'line_items[].novel', 'number', 2),
		($1, 'inventory', 'bills', '<script>k</script>', 'number', 1),
		($1, 'inventory', 'items', 'item_type', 'value: consumable', 7)`, sandbox.DefaultOrganizationID)
	s.exec(`INSERT INTO sluice.keys (organization_id, service, resource, path, came_run, lacking_run, lacking, lacking_since, lacking_at, sometimes)
		VALUES ($1, 'inventory', 'items.sweep', 'rate', 7, 8, 4321, '2026-11-01', '2026-11-08', false)`, sandbox.DefaultOrganizationID)
	bills := "/drift/inventory.bills?org=" + sandbox.DefaultOrganizationID
	s.visited(anOperator, false, func(v *desk) {
		v.same("/drift", "drift")
		v.same(bills, "drift", "inventory.bills", "--org", sandbox.DefaultOrganizationID)
		v.says("/drift", "1 declared key gone, 3 unknown keys, 1 unknown value in 2 resources.", "1,234", "4,321")
		v.says(bills, "line_items[].novel", "1,234", "string", "kept in the column _extra, under surprise", "No declared key is gone.", "&lt;script&gt;k")
		v.says("/drift/inventory.items?org="+sandbox.DefaultOrganizationID, "Declared keys that are gone", "value: consumable", "4,321")
		v.says("/drift/inventory.credit_notes", "Everything that came is declared.")
		v.get(http.StatusNotFound, "/drift/nothing")
	})
}

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
					errorIf(t, strings.Contains(v.get(http.StatusOK, page), secret), "%s shows %s", page, name)
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

// TestTombstonePages: the evidence of a scan that missed too much at once, and both decisions.
func TestTombstonePages(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 92, Records: 600, Limits: sandbox.Limits{Off: true}}).narrow()
	s.configured(believing)
	const resource, sweep = "inventory.bills", "inventory.bills.sweep"
	s.sync(codeFine, resource)
	s.age()
	s.sync(codeFine, sweep)
	d := s.desk()
	d.says("/tombstones", "No deletion needs review.", "No whole list missed a row.")
	all := s.truth(resource)
	s.delete(resource, all[:40]...)
	hold := func() string {
		t.Helper()
		s.sync(codeFine, sweep)
		s.sync(codeFailed, sweep)
		run := one[int64](s, `SELECT max(proof_run_id) FROM sluice.tombstones WHERE state = 'needs_review'`)
		return fmt.Sprint(run)
	}
	run := hold()
	page := "/tombstones/review/" + run
	d.says("/tombstones", "40 deletions of 1 scan need review", page, "needs review", "/r/inventory.bills/"+all[39]+"?org="+sandbox.DefaultOrganizationID)
	evidence := d.says(page, "40 records of inventory.bills are in neither of two scans", "Second scan", "First scan", "Earlier scan",
		fmt.Sprintf("<bdi>%d</bdi>", len(all)), fmt.Sprintf("<bdi>%d</bdi>", len(all)-40), "Accept: they are gone")
	for _, id := range all[:5] {
		errorIf(t, !strings.Contains(evidence, "/r/inventory.bills/"+id), "the evidence lacks the row %s:\n%s", id, evidence)
	}
	d.same("/tombstones", "tombstones", "list")
	d.same("/tombstones?resource=inventory.bills&state=deleted", "tombstones", "list", "inventory.bills", "--state", "deleted")
	d.same(page, "tombstones", "review", run)
	shown := decoded[struct {
		Scans []struct {
			Received int `json:"received"`
		} `json:"scans"`
		Rows []struct {
			Record string `json:"record"`
		} `json:"rows"`
	}](s, codeFine, "tombstones", "review", run)
	if len(shown.Scans) != 3 || shown.Scans[0].Received != len(all)-40 || shown.Scans[1].Received != len(all)-40 || shown.Scans[2].Received != len(all) || len(shown.Rows) != 5 {
		t.Errorf("the evidence is %+v, want scans with %d, %d and %d records, and five rows", shown, len(all)-40, len(all)-40, len(all))
	}
	s.run("tombstones", "review", run).prints(t, codeFine, "40 records of", all[4])
	s.exec(`INSERT INTO sluice.runs (organization_id, service, resource, class, gen, ended_at, outcome, received, note)
		VALUES ($1, 'inventory', 'bills.look', 'sweep', 0, now(), 'done', 77, $2)`, sandbox.DefaultOrganizationID, harmful)
	d.says(page, "<bdi>Look</bdi>", `<td class="number "><bdi>77</bdi>`)

	did := d.posts(page+"/reject", url.Values{})
	want := deed{
		Who: anOperator, What: "tombstones reject", Target: run + " of inventory.bills", Organization: sandbox.DefaultOrganizationID, Before: stateOf(t, map[string]int64{"needs_review": 40}),
	}
	same(t, "rejected", "", s.differs(want, did, run))
	if n := one[int](s, `SELECT count(*) FROM sluice.tombstones`); n != 0 || len(s.ids(resource, dead)) != 0 {
		t.Errorf("%d pieces of evidence are left, and %d rows have tombstones", n, len(s.ids(resource, dead)))
	}
	did = d.posts(page+"/accept", url.Values{})
	errorIf(t, !strings.Contains(did.Failed, "no deletion of run "+run+" needs review"), "accepted what was rejected: %+v", did)
	d.get(http.StatusNotFound, page)

	run = hold()
	did = d.posts("/tombstones/review/"+run+"/accept", url.Values{})
	want.What, want.Target = "tombstones accept", run+" of inventory.bills"
	same(t, "accepted", "", s.differs(want, did, run))
	same(t, "rows have tombstones", 40, len(s.ids(resource, dead)))
	s.truthful(resource)
	d.says("/tombstones?state=deleted", "No deletion needs review.", "deleted, by the person", "a second scan")
}

func (s *fixture) differs(want, got deed, run string) string {
	s.t.Helper()
	decision := decided{Records: 40}
	decision.Organization, decision.Service, decision.Resource = sandbox.DefaultOrganizationID, "inventory", "bills"
	sure(fmt.Sscan(run, &decision.Run))(s.t)
	want.After = stateOf(s.t, decision)
	return cmp.Diff(want, got)
}
