package cli

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/sandbox"
)

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
		if !strings.Contains(evidence, "/r/inventory.bills/"+id) {
			t.Errorf("the evidence lacks the row %s:\n%s", id, evidence)
		}
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
	if o := s.run("tombstones", "review", run); o.code != codeFine || !strings.Contains(o.stdout, "40 records of") || !strings.Contains(o.stdout, all[4]) {
		t.Errorf("review of a run: %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	s.exec(`INSERT INTO sluice.runs (organization_id, service, resource, class, gen, ended_at, outcome, received, note)
		VALUES ($1, 'inventory', 'bills.look', 'sweep', 0, now(), 'done', 77, $2)`, sandbox.DefaultOrganizationID, harmful)
	d.says(page, "<bdi>Look</bdi>", `<td class="number "><bdi>77</bdi>`)

	did := d.posts(page+"/reject", url.Values{})
	want := deed{
		Who: anOperator, What: "tombstones reject", Target: run + " of inventory.bills", Organization: sandbox.DefaultOrganizationID, Before: stateOf(t, toReview{40}),
	}
	if diff := s.differs(want, did, run); diff != "" {
		t.Errorf("rejected (-want +got):\n%s", diff)
	}
	if n := one[int](s, `SELECT count(*) FROM sluice.tombstones`); n != 0 || len(s.ids(resource, dead)) != 0 {
		t.Errorf("%d pieces of evidence are left, and %d rows have tombstones", n, len(s.ids(resource, dead)))
	}
	if did = d.posts(page+"/accept", url.Values{}); !strings.Contains(did.Failed, "no deletion of run "+run+" needs review") {
		t.Errorf("accepted what was rejected: %+v", did)
	}
	d.get(http.StatusNotFound, page)

	run = hold()
	did = d.posts("/tombstones/review/"+run+"/accept", url.Values{})
	want.What, want.Target = "tombstones accept", run+" of inventory.bills"
	if diff := s.differs(want, did, run); diff != "" {
		t.Errorf("accepted (-want +got):\n%s", diff)
	}
	if n := len(s.ids(resource, dead)); n != 40 {
		t.Errorf("%d rows have tombstones, want 40", n)
	}
	s.truthful(resource)
	d.says("/tombstones?state=deleted", "No deletion needs review.", "deleted, by the person", "a second scan")
}

// differs compares deeds about bills; what was decided belongs to a run.
func (s *fixture) differs(want, got deed, run string) string {
	s.t.Helper()
	decision := decided{Records: 40}
	decision.Organization, decision.Service, decision.Resource = sandbox.DefaultOrganizationID, "inventory", "bills"
	sure(fmt.Sscan(run, &decision.Run))(s.t)
	want.After = stateOf(s.t, decision)
	return cmp.Diff(want, got)
}
