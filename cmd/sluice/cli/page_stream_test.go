package cli

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/cmd/sluice/cli/why"
	"sluice/sandbox"
)

const addressOfBills = "/streams/" + sandbox.DefaultOrganizationID + "/inventory.bills"

func TestPageOfAStream(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 312, Records: 60})
	s.append("resources:\n  inventory.items: {enabled: false}\n")
	s.sync(codeFine, "inventory.bills")
	s.failedRun()
	b := s.browse(true)

	var page, command []why.Explanation
	b.document(&page, addressOfBills+"?format=json")
	s.document(&command, "status", "--why", "inventory.bills")
	if diff := cmp.Diff(command, page); diff != "" || len(page) != 2 {
		t.Errorf("the document explains %d streams, want bills and their details (-command +page):\n%s", len(page), diff)
	}
	html := b.page(addressOfBills, "Within its bound", "the bound is 50 min", "15 m, the declared interval", "newest first, down to the watermark",
		": 2 runs, 1 failed", "failed: unavailable", hostileEscaped, "/inventory.bills.sweep", "/inventory.bills.details", "Run now")
	if len(html) > 80<<10 {
		t.Errorf("the page has %d bytes", len(html))
	}
	b.page(addressOfBills+".details", "It runs every 1 h")
	b.page("/streams/"+sandbox.DefaultOrganizationID+"/inventory.items", "has this stream disabled")
	for _, address := range []string{"/streams/nobody/inventory.bills", "/streams/" + sandbox.DefaultOrganizationID + "/bills", addressOfBills + ".nothing"} {
		b.ask(http.MethodGet, address, nil, http.StatusNotFound)
	}

	s.exec(`UPDATE sluice.streams SET watermark = clock_timestamp() - interval '3 hours', state = 'retrying', reason = $1
		WHERE service = 'inventory' AND resource = 'bills'`, "unavailable: "+hostileText)
	b.page(addressOfBills, "Late: complete up to 3 h ago, the bound is 50 min. Now: retrying: unavailable: "+hostileEscaped)
}

// TestRunNow asks for a run, as an operator, as a viewer, and of what cannot run.
func TestRunNow(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 313, Records: 60})
	s.sync(codeFine, "inventory.bills")
	due := func() (int64, bool) {
		const bills = ` FROM sluice.streams WHERE service = 'inventory' AND resource = 'bills'`
		return one[int64](s, `SELECT requested_gen`+bills), one[bool](s, `SELECT next_due_at <= clock_timestamp()`+bills)
	}
	before, isDue := due()
	if isDue {
		t.Fatal("bills are due before anybody asked")
	}
	viewer := s.browse(false)
	viewer.ask(http.MethodPost, addressOfBills+"/run", nil, http.StatusForbidden)
	if html := viewer.page(addressOfBills); containsButton(html) {
		t.Errorf("a viewer sees a button:\n%s", html)
	}
	if after, isDue := due(); after != before || isDue {
		t.Error("a viewer has asked for a run")
	}

	operator := s.browse(true)
	operator.ask(http.MethodPost, addressOfBills+"/run", nil, http.StatusSeeOther)
	if after, isDue := due(); after != before+1 || !isDue {
		t.Errorf("%d requests, %d before; due: %t", after, before, isDue)
	}
	s.exec(`UPDATE sluice.streams SET enabled = false WHERE service = 'inventory' AND resource = 'bills'`)
	operator.ask(http.MethodPost, addressOfBills+"/run", nil, http.StatusSeeOther)
	if len(operator.deeds) != 2 {
		t.Fatalf("recorded are %+v, want a deed and a failure", operator.deeds)
	}
	done, refused := operator.deeds[0], operator.deeds[1]
	was, is := done.Before.(requested).Requested, done.After.(requested).Requested
	if done.Who != "ann" || done.What != "sync" || done.Target != "inventory.bills" || done.Organization != sandbox.DefaultOrganizationID ||
		done.Failed != "" || was != before || is != before+1 {
		t.Errorf("recorded is %+v", done)
	}
	if refused.Failed == "" || refused.Target != "inventory.bills" || refused.After != nil {
		t.Errorf("the refused request is recorded as %+v", refused)
	}
}
