package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/cmd/sluice/console"
	"sluice/sandbox"
)

// TestBackfillPages asks for a backfill on a page, and pauses, resumes and cancels it there.
func TestBackfillPages(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 94, Records: 2400, Limits: sandbox.Limits{Off: true}}).narrow()
	s.sync(codeFine, "inventory.bills", "accounting.vendor_payments")
	d := s.desk()
	bills := len(s.truth("inventory.bills"))
	d.says("/backfills", "No backfill is open.", "No backfill is over yet.")
	d.sameDocument("/backfills", codeFine, nil, "backfill", "list")

	// A page of bills has 200, and the call after a full page finds the end.
	const wanted = "/backfills/new?resource=inventory.bills&first=&last="
	cost := fmt.Sprintf("It takes %d calls, and fits", bills/200+1)
	d.says(wanted, cost, "measured", `value="inventory.bills"`, ">Start</button>")
	d.sameDocument(wanted, codeFine, []string{"done_seconds"}, "backfill", "inventory.bills", "--dry-run")
	d.says("/backfills/new?resource=accounting.vendor_payments&first=2025-01-15&last=2025-03-10", "date from 2025-01-15 to 2025-03-10", "2025-03-10")
	for query, want := range map[string]string{
		"resource=inventory.bills&first=yesterday":                   "is no day",
		"resource=inventory.bills&last=2026-01-31":                   "from below only",
		"resource=inventory.bills&org=nobody":                        "nobody",
		"resource=" + url.QueryEscape(harmful):                       "is no list that is copied",
		"resource=inventory.bills&first=" + url.QueryEscape(harmful): "is no day",
	} {
		if page := d.says("/backfills/new?"+query, want, `class="sentence bad"`); strings.Contains(page, ">Start<") {
			t.Errorf("%s can be started:\n%s", query, page)
		}
	}

	calls := s.arrivals.total()
	form := url.Values{"resource": {"inventory.bills"}}
	deed := d.posts("/backfills", form)
	id := one[int64](s, `SELECT id FROM sluice.backfills WHERE state = 'queued' AND resource = 'bills' AND column_name = ''`)
	if diff := cmp.Diff(console.Deed{
		Who: "ann", What: "backfill", Target: "inventory.bills", Organization: sandbox.DefaultOrganizationID, After: startedBackfills{[]int64{id}},
	}, deed); diff != "" {
		t.Errorf("started (-want +got):\n%s", diff)
	}
	if deed = d.posts("/backfills", form); !strings.Contains(deed.Failed, fmt.Sprintf("has backfill %d, which is queued", id)) || deed.After != nil {
		t.Errorf("a second one: %+v", deed)
	}
	d.says(wanted, "has backfill", `class="sentence bad"`)

	page := fmt.Sprintf("/backfills/%d", id)
	for _, step := range []struct{ verb, before, after string }{
		{"pause", "queued", "paused"}, {"resume", "paused", "queued"}, {"pause", "queued", "paused"}, {"cancel", "paused", "cancelled"},
	} {
		deed := d.posts(page+"/"+step.verb, url.Values{"from": {page}})
		if diff := cmp.Diff(console.Deed{
			Who: "ann", What: "backfill " + step.verb, Target: fmt.Sprint(id), Organization: sandbox.DefaultOrganizationID,
			Before: stateOfBackfill{step.before}, After: stateOfBackfill{step.after},
		}, deed); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.verb, diff)
		}
		if state := one[string](s, `SELECT state FROM sluice.backfills WHERE id = $1`, id); state != step.after {
			t.Errorf("after %s it is %s, want %s", step.verb, state, step.after)
		}
		timely := []string{"done_at"}
		d.sameDocument("/backfills", codeFine, timely, "backfill", "list")
		d.sameDocument(page, codeFine, timely, "backfill", "show", fmt.Sprint(id))
		if step.after == "paused" {
			d.says("/backfills", "1 backfill open, of which 1 paused", ">Resume</button>", page)
			d.refusesViewers([]string{"/backfills", page, wanted}, []string{"/backfills", page + "/pause", page + "/resume", page + "/cancel"})
		}
	}
	if deed = d.posts(page+"/resume", url.Values{}); !strings.Contains(deed.Failed, "is cancelled; it would have to be") {
		t.Errorf("resume of a cancelled one: %+v", deed)
	}
	if deed = d.posts("/backfills/x/pause", url.Values{}); !strings.Contains(deed.Failed, "is no number of a backfill") {
		t.Errorf("pause of none: %+v", deed)
	}
	if s.arrivals.total() != calls {
		t.Error("the pages made calls")
	}
	s.exec(`UPDATE sluice.backfills SET note = $1, requested_by = $1`, harmful)
	d.says("/backfills", "&lt;script&gt;alert(1)")
	d.says(page, "&lt;script&gt;alert(1)", "was cancelled after 0 calls")
	for _, none := range []string{"/backfills/99", "/backfills/x"} {
		if status, _ := d.ask(none, nil); status != http.StatusNotFound {
			t.Errorf("%s: status %d, want 404", none, status)
		}
	}
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
	evidence := d.says(page, "40 records of inventory.bills are in neither of two scans", "Second scan", "First scan", "Earlier scan", "No look at this list has ended.",
		fmt.Sprintf("<bdi>%d</bdi>", len(all)), fmt.Sprintf("<bdi>%d</bdi>", len(all)-40), "Accept: they are gone")
	for _, id := range all[:5] {
		if !strings.Contains(evidence, "/r/inventory.bills/"+id) {
			t.Errorf("the evidence lacks the row %s:\n%s", id, evidence)
		}
	}
	d.sameDocument("/tombstones", codeFine, nil, "tombstones", "list")
	d.sameDocument("/tombstones?list=inventory.bills&state=deleted", codeFine, nil, "tombstones", "list", "inventory.bills", "--state", "deleted")
	d.sameDocument(page, codeFine, nil, "tombstones", "review", run)
	var shown struct {
		Scans []struct{ Received int }  `json:"scans"`
		Rows  []struct{ Record string } `json:"rows"`
	}
	o := s.run("tombstones", "review", run, "--json")
	must(t, json.Unmarshal([]byte(o.stdout), &shown))
	if len(shown.Scans) != 3 || shown.Scans[0].Received != len(all)-40 || shown.Scans[1].Received != len(all)-40 || shown.Scans[2].Received != len(all) || len(shown.Rows) != 5 {
		t.Errorf("the evidence is %+v, want scans with %d, %d and %d records, and five rows", shown, len(all)-40, len(all)-40, len(all))
	}
	if o := s.run("tombstones", "review", run); o.code != codeFine || !strings.Contains(o.stdout, "40 records of") || !strings.Contains(o.stdout, all[4]) {
		t.Errorf("review of a run: %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	d.refusesViewers([]string{"/tombstones", page}, []string{page + "/accept", page + "/reject"})

	deed := d.posts(page+"/reject", url.Values{})
	want := console.Deed{
		Who: "ann", What: "tombstones reject", Target: run + " of inventory.bills", Organization: sandbox.DefaultOrganizationID, Before: toReview{40},
		After: &decided{Records: 40},
	}
	if diff := s.differs(want, deed, run); diff != "" {
		t.Errorf("rejected (-want +got):\n%s", diff)
	}
	if n := one[int](s, `SELECT count(*) FROM sluice.tombstones`); n != 0 || len(s.ids(resource, dead)) != 0 {
		t.Errorf("%d pieces of evidence are left, and %d rows have tombstones", n, len(s.ids(resource, dead)))
	}
	if deed = d.posts(page+"/accept", url.Values{}); !strings.Contains(deed.Failed, "no deletion of run "+run+" needs review") {
		t.Errorf("accepted what was rejected: %+v", deed)
	}
	for _, none := range []string{page, "/tombstones/review/x"} {
		if status, _ := d.ask(none, nil); status != http.StatusNotFound {
			t.Errorf("%s: status %d, want 404", none, status)
		}
	}

	run = hold()
	deed = d.posts("/tombstones/review/"+run+"/accept", url.Values{})
	want.What, want.Target = "tombstones accept", run+" of inventory.bills"
	if diff := s.differs(want, deed, run); diff != "" {
		t.Errorf("accepted (-want +got):\n%s", diff)
	}
	if n := len(s.ids(resource, dead)); n != 40 {
		t.Errorf("%d rows have tombstones, want 40", n)
	}
	s.truthful(resource)
	d.says("/tombstones?state=deleted", "No deletion needs review.", "deleted, by the person", "a second scan")
	s.exec(`INSERT INTO sluice.tombstones (organization_id, service, resource, record_id, state, suspected_run_id, suspected_first_call, suspected_last_call, suspected_clock)
		VALUES ($1, 'inventory', 'bills', $2, 'suspected', 1, 1, 1, now())`, sandbox.DefaultOrganizationID, harmful)
	d.says("/tombstones", "&lt;script&gt;alert(1)", "/r/inventory.bills/%3Cscript%3E")
}

// differs compares deeds about bills; what was decided belongs to a run.
func (s *fixture) differs(want, got console.Deed, run string) string {
	s.t.Helper()
	decision := *want.After.(*decided)
	decision.Organization, decision.Service, decision.Resource = sandbox.DefaultOrganizationID, "inventory", "bills"
	_, err := fmt.Sscan(run, &decision.Run)
	must(s.t, err)
	want.After = &decision
	return cmp.Diff(want, got)
}
