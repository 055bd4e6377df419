package cli

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

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
		if fresh < 0 || fresh > largest || largest > other {
			t.Errorf("the new cause is at %d, the largest at %d, another at %d", fresh, largest, other)
		}

		lines := causeOf("inventory.bills", "bad_number", "line_items[].rate")
		v.same("/quarantine/entries?"+lines.Encode(), "quarantine", "list", "inventory.bills", "--code", "bad_number", "--field", "line_items[].rate")
		v.says("/quarantine/entries?"+lines.Encode(), "3 records in quarantine, inventory.bills, bad_number in line_items[].rate.", "Retry all 3", "Accept all 3", "line_items[1].rate")
		v.says("/quarantine/entries?stream=inventory.items", "2 records in quarantine, inventory.items.", "&lt;script&gt;x", "<bdi>")
		if html := v.get(http.StatusOK, "/quarantine/entries?stream=inventory.items"); strings.Contains(html, "Retry all") {
			t.Error("entries of several causes can be decided about at once")
		}

		b1, attack := s.entry("b1"), s.entry("<script>x</script>\u202E")
		v.same("/quarantine/"+b1, "quarantine", "show", b1)
		v.says("/quarantine/"+b1, "bad_number in line_items[1].rate: a number is declared.", `<mark>      &#34;rate&#34;: &#34;much&#34;</mark>`,
			"inventory.bills_line_items", "decimal (numeric)", "text of 4 characters", "Price of one unit")
		v.says("/quarantine/"+attack, "&lt;script&gt;y&lt;/script&gt;", "&lt;much&gt;")
		if html := v.get(http.StatusOK, "/quarantine/"+attack); strings.Contains(html, "<script>x") || strings.Contains(html, "<script>y") {
			t.Errorf("a record puts elements into the page\n%s", html)
		}
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
		if shown.RawBase64 != nil || shown.Raw != "2 bytes that are no JSON" {
			t.Errorf("bytes that are no JSON are shown to a viewer: %+v", shown)
		}
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
		if rate := one[string](s, `SELECT rate::text FROM inventory.items WHERE item_id = '73'`); rate != "12.5" {
			t.Errorf("the rate is %s", rate)
		}
		v.says(done, "<b>Done</b>", "The record is loaded.", "Closed: the record was loaded since")
		v.post(http.StatusSeeOther, "/quarantine/"+attack+"/retry", nil)
		if d := v.last(); d.Outcome != actions.Failed || !strings.Contains(string(d.Error), "still does not fit") || strings.Contains(string(d.Error), "much") {
			t.Errorf("what does not fit is recorded as %+v", d)
		}
		v.post(http.StatusSeeOther, "/quarantine/"+attack+"/accept", url.Values{"note": {" "}})
		if d := v.last(); !strings.Contains(string(d.Error), "reason") || s.state(attack) != "open" {
			t.Errorf("accepted without a reason: %+v", d)
		}
		v.post(http.StatusSeeOther, "/quarantine/"+attack+"/accept", url.Values{"note": {"a test"}})
		if d := v.last(); d.Action != "quarantine accept" || d.Outcome != actions.Done || s.state(attack) != "resolved" {
			t.Errorf("accepted: %+v, state %s", d, s.state(attack))
		}
		v.post(http.StatusSeeOther, "/quarantine/"+attack+"/accept", url.Values{"note": {"again"}})
		if d := v.last(); string(d.Error) != noOpenEntry {
			t.Errorf("accepted twice: %+v", d)
		}
		v.post(http.StatusSeeOther, "/quarantine/99999/retry", nil)
		if d := v.last(); d.Outcome != actions.Failed {
			t.Errorf("an entry that is not there: %+v", d)
		}

		// A cause: two of three fit now.
		s.exec(`UPDATE sluice.quarantine SET raw = convert_to('{"bill_id": "' || record_id || '", "line_items": [{"rate": 1}]}', 'UTF8') WHERE record_id IN ('b1', 'b2')`)
		lines := causeOf("inventory.bills", "bad_number", "line_items[].rate")
		to := v.post(http.StatusSeeOther, "/quarantine/retry", lines)
		if !strings.HasPrefix(to, "/quarantine/entries?") || strings.Contains(to, "before=") {
			t.Errorf("after a retry that left one comes %s", to)
		}
		v.says(to, "2 loaded, 1 refused again, 0 left to try.", "1 record in quarantine")
		s.counts(2, "bills are loaded", `SELECT count(*) FROM inventory.bills WHERE bill_id IN ('b1', 'b2', 'b3')`)
		lines.Set("note", "drafts")
		if to := v.post(http.StatusSeeOther, "/quarantine/accept", lines); !strings.HasPrefix(to, "/quarantine?done=") {
			t.Errorf("after all are accepted comes %s", to)
		}
		lines.Del("field") // names no cause: all fields of a code
		v.post(http.StatusSeeOther, "/quarantine/accept", lines)
		if d := v.last(); d.Outcome != actions.Failed {
			t.Errorf("something that is no cause is accepted: %+v", d)
		}
		if left := one[string](s, `SELECT string_agg(code, ' ') FROM sluice.quarantine WHERE state = 'open'`); left != "no_id" {
			t.Errorf("open are %s", left)
		}
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
		if !strings.Contains(to, "before="+third+"&") {
			t.Errorf("the next click goes on at %s, want before %s", to, third)
		}
		v.says(to, "1,000 accepted, 0 closed already, 2 left to try.", "2 records in quarantine before entry "+third, "Accept all 2")
		cause.Set("before", third)
		v.post(http.StatusSeeOther, "/quarantine/accept", cause)
		s.counts(0, "entries are open", `SELECT count(*) FROM sluice.quarantine WHERE state = 'open'`)
	})
}
