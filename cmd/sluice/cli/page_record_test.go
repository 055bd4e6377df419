package cli

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/sandbox"
)

// TestRecordPage looks at a bill that changed, at one that is in quarantine under a name that
// attacks, at one that is gone, and at one that never was.
func TestRecordPage(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 93, Records: 40, HeadersOnly: true, Limits: sandbox.Limits{Off: true}}).narrow()
	s.sync(codeFine)
	changed := sure(s.world.Change(sandbox.Change{Seed: 3, Edits: 1, Resources: []string{"bills"}}))(t)
	bill := changed["bills"].Edited[0]
	s.sync(codeFine, "inventory.bills")
	gone := one[string](s, `UPDATE inventory.bills SET _deleted_at = '2026-03-01 10:00Z'
		WHERE bill_id = (SELECT min(bill_id) FROM inventory.bills WHERE bill_id <> $1) RETURNING bill_id`, bill)
	s.exec(`INSERT INTO sluice.tombstones (organization_id, service, resource, record_id, state, suspected_run_id, suspected_first_call, suspected_last_call,
			suspected_at, suspected_clock, proof, proof_run_id, proof_first_call, proof_last_call, proof_at, deleted_at, decided_by, decided_at)
		VALUES ($1, 'inventory', 'bills', $2, 'deleted', 4711, 1, 2, '2026-03-01 09:00Z', '2026-03-01 09:00Z', 'not_found', 4712, 3, 3,
			'2026-03-01 10:00Z', '2026-03-01 10:00Z', 'rule', '2026-03-01 10:00Z')`, sandbox.DefaultOrganizationID, gone)
	s.exec(`UPDATE inventory.bills SET notes = E'<script>alert(1)</script> \u202Egnp.exe' WHERE bill_id = $1`, bill)
	const hostile, dots = "<script>a/b</script>?#%2F", ".."
	s.exec(`INSERT INTO sluice.quarantine (organization_id, service, resource, record_hash, record_id, raw, code, path, detail)
		VALUES ($1, 'inventory', 'bills', '\x01', $2, '{}', 'bad_time', 'date', 'soon is no date'),
			($1, 'inventory', 'bills', '\x02', $3, '{}', 'bad_time', 'date', 'soon is no date')`, sandbox.DefaultOrganizationID, hostile, dots)

	command := s.explained("inventory.bills", bill)
	var modified []string
	for _, v := range command.Versions {
		if !v.Single {
			modified = append(modified, v.Modified)
		}
	}
	if len(modified) != 2 || modified[0] == modified[1] {
		t.Fatalf("the bill has list versions of %v, want two", modified)
	}
	page := "/r/inventory.bills/" + bill + "?org=" + sandbox.DefaultOrganizationID
	ofHostile := "/r/inventory.bills/" + url.PathEscape(hostile)
	before, after := strings.ReplaceAll(modified[1], "+", "&#43;"), strings.ReplaceAll(modified[0], "+", "&#43;")
	s.visited(anOperator, false, func(v *desk) {
		v.same(page+"&answers=all", "explain", "inventory.bills", bill)
		v.says(page, "The row is there since", "single record was brought by call", before, after, "/inventory/v1/bills/"+bill,
			"&lt;script&gt;alert(1)", `href="/dictionary/inventory/bills"`, "&#34;bill_id&#34;: &#34;"+bill+"&#34;")
		v.hides(page, "<script>alert", "\u202E")
		v.says(ofHostile, "did not fit", "bad_time", "soon is no date", "&lt;script&gt;a/b")
		v.hides(ofHostile, "<script>a")
		v.says("/r/inventory.bills/"+gone, "It is gone upstream", "upstream answered that there is no such record", "not found", `href="/runs/4711"`, "2026-03-01")
		if got := v.get(http.StatusNotFound, "/r/inventory.bills/no%2Fsuch"); !strings.Contains(got, "no/such not found: The record was never seen") || !strings.Contains(got, "complete up to") {
			t.Errorf("one that never was says\n%s", got)
		}
		v.get(http.StatusNotFound, "/r/inventory.unicorns/1")

		// What a person types: an identifier, a number, or what is neither. Dots are no path.
		number := one[string](s, `UPDATE inventory.bills SET bill_number = 'N 7' WHERE bill_id = $1 RETURNING bill_number`, bill)
		v.says("/r/inventory.bills/?id=+"+bill, "The row is there since")
		v.says("/r/inventory.bills/?id="+url.QueryEscape(number), "1 record with this number.", "<code>bill_number", `href="`+page+`"`)
		v.get(http.StatusNotFound, "/r/inventory.bills/?id=N+8")
		v.get(http.StatusNotFound, "/r/inventory.bills/N%207")
		v.get(http.StatusNotFound, "/r/inventory.bills/")
		v.get(http.StatusNotFound, "/r/chat.conversations/?id=7")
		v.says("/r/inventory.bills/?id="+dots, "did not fit")
		v.says("/quarantine/"+s.entry(dots), `href="/r/inventory.bills/?id=..&amp;org=`)
		v.get(http.StatusNotFound, "/r/inventory.bills/1?org=stranger")
	})
	s.visited(aViewer, false, func(v *desk) {
		v.says(page, "Operators see the values", "text of 18 characters", after)
		v.hides(page, "alert(1)", one[string](s, `SELECT vendor_name FROM inventory.bills WHERE bill_id = $1`, bill))
		v.says(ofHostile, "bad_time", hiddenValue)
		v.hides(ofHostile, "soon is no date")
		v.says(ofHostile+"?format=json", hiddenValue)
		v.hides(ofHostile+"?format=json", "soon is no date")
	})
	s.visited(aViewer, true, func(v *desk) { v.says(ofHostile, "soon is no date") })
}

func TestChangesOf(t *testing.T) {
	t.Parallel()
	got := changesOf(
		[]byte(`{"id": "1", "total": 10.0, "lines": [{"rate": 1}, {"rate": 2}], "tags": ["a"], "note": null, "old": true, "a.b": {}}`),
		[]byte(`{"total": 10.00, "id": "1", "lines": [{"rate": 1, "tax": "x"}], "tags": [], "note": "n", "a.b": {}}`))
	var told []string
	for _, c := range got {
		told = append(told, c.path+": "+string(c.before)+" > "+string(c.after))
	}
	want := []string{
		"total: 10.0 > 10.00", `lines[0].tax:  > "x"`, "tags:  > []", `note: null > "n"`,
		"lines[1].rate: 2 > ", `tags[0]: "a" > `, "old: true > ",
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}
