package cli

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/sandbox"
)

// TestBackfillPages asks for a backfill on a page, and pauses, resumes and cancels it there.
func TestBackfillPages(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 94, Records: 900, Limits: sandbox.Limits{Off: true}}).narrow()
	s.sync(codeFine, "inventory.bills", "accounting.vendor_payments")
	d := s.desk()
	bills := len(s.truth("inventory.bills"))
	d.says("/backfills", "No backfill is open.", "No backfill is over yet.")
	d.same("/backfills", "backfill", "list")

	// A page of bills has 200, and the call after a full page finds the end.
	const wanted = "/backfills/new?resource=inventory.bills&first=&last="
	cost := fmt.Sprintf("It takes %d calls, and fits", bills/200+1)
	d.says(wanted, cost, "measured", `value="inventory.bills"`, ">Start</button>")
	d.same(wanted, "backfill", "inventory.bills", "--dry-run")
	d.says("/backfills/new?resource=accounting.vendor_payments&first=2025-01-15&last=2025-03-10", "date from 2025-01-15 to 2025-03-10")
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
	did := d.posts("/backfills", form)
	id := one[int64](s, `SELECT id FROM sluice.backfills WHERE state = 'queued' AND resource = 'bills' AND column_name = ''`)
	if diff := cmp.Diff(deed{
		Who: anOperator, What: "backfill", Target: "inventory.bills", Organization: sandbox.DefaultOrganizationID, After: stateOf(t, startedBackfills{[]int64{id}}),
	}, did); diff != "" {
		t.Errorf("started (-want +got):\n%s", diff)
	}
	if did = d.posts("/backfills", form); !strings.Contains(did.Failed, fmt.Sprintf("has backfill %d, which is queued", id)) || did.After != nil {
		t.Errorf("a second one: %+v", did)
	}
	d.says(wanted, "has backfill", `class="sentence bad"`)

	page := fmt.Sprintf("/backfills/%d", id)
	for _, step := range []struct{ verb, before, after string }{
		{"pause", "queued", "paused"}, {"resume", "paused", "queued"}, {"pause", "queued", "paused"}, {"cancel", "paused", "cancelled"},
	} {
		did := d.posts(page+"/"+step.verb, url.Values{})
		if diff := cmp.Diff(deed{
			Who: anOperator, What: "backfill " + step.verb, Target: fmt.Sprint(id), Organization: sandbox.DefaultOrganizationID,
			Before: stateOf(t, stateOfBackfill{step.before}), After: stateOf(t, stateOfBackfill{step.after}),
		}, did); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.verb, diff)
		}
		if state := one[string](s, `SELECT state FROM sluice.backfills WHERE id = $1`, id); state != step.after {
			t.Errorf("after %s it is %s, want %s", step.verb, state, step.after)
		}
		d.same("/backfills", "backfill", "list")
		d.same(page, "backfill", "show", fmt.Sprint(id))
		if step.after == "paused" {
			d.says("/backfills", "1 backfill open, of which 1 paused", ">Resume</button>", page)
		}
	}
	if did = d.posts(page+"/resume", url.Values{}); !strings.Contains(did.Failed, "is cancelled; it would have to be") {
		t.Errorf("resume of a cancelled one: %+v", did)
	}
	if did = d.posts("/backfills/x/pause", url.Values{}); !strings.Contains(did.Failed, "is no number of a backfill") {
		t.Errorf("pause of none: %+v", did)
	}
	if s.arrivals.total() != calls {
		t.Error("the pages made calls")
	}
	d.says(page, "is cancelled after 0 calls")
}
