package cli

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"sluice/cmd/sluice/cli/why"
	"sluice/sandbox"
)

const addressOfBills = "/streams/" + sandbox.DefaultOrganizationID + "/inventory.bills"

func TestPageOfAStream(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 312, Records: 60})
	s.configured("resources:\n  inventory.items: {enabled: false}\n")
	s.sync(codeFine, "inventory.bills")
	s.failedRun()
	b := s.desk()

	page, command := decodedPage[[]why.Explanation](b, addressOfBills+"?format=json"), decoded[[]why.Explanation](s, codeFine, "status", "--why", "inventory.bills")
	same(t, "the command and its page", command, page)
	errorIf(t, len(page) != 2, "the document explains %d streams, want bills and their details", len(page))
	html := b.says(addressOfBills, "Within its bound", "the bound is 50 min", "15 m, the declared interval", "newest first, down to the watermark",
		": 2 runs, 1 failed", "failed: unavailable", harmfulEscaped, "/inventory.bills.sweep", "/inventory.bills.details", "Run now")
	if len(html) > 80<<10 {
		t.Errorf("the page has %d bytes", len(html))
	}
	b.says(addressOfBills+".details", "It runs every 1 h")
	b.says("/streams/"+sandbox.DefaultOrganizationID+"/inventory.items", "has this stream disabled")
	for _, address := range []string{"/streams/nobody/inventory.bills", "/streams/" + sandbox.DefaultOrganizationID + "/bills", addressOfBills + ".nothing"} {
		b.get(http.StatusNotFound, address)
	}

	s.exec(`UPDATE sluice.streams SET watermark = clock_timestamp() - interval '3 hours', state = 'retrying', reason = $1
		WHERE service = 'inventory' AND resource = 'bills'`, "unavailable: "+harmful)
	b.says(addressOfBills, "Late: complete up to 3 h ago, the bound is 50 min. Now: retrying: unavailable: "+harmfulEscaped)
}

// TestRunNow asks for a run, and of what cannot run.
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
		t.Fatal("bills are due before a request")
	}
	operator := s.desk()
	done := operator.posts(addressOfBills+"/run", url.Values{})
	if after, isDue := due(); after != before+1 || !isDue {
		t.Errorf("%d requests, %d before; due: %t", after, before, isDue)
	}
	s.exec(`UPDATE sluice.streams SET enabled = false WHERE service = 'inventory' AND resource = 'bills'`)
	refused := operator.posts(addressOfBills+"/run", url.Values{})
	was, _ := done.Before.(map[string]any)
	is, _ := done.After.(map[string]any)
	if done.Who != anOperator || done.What != "sync" || done.Target != "inventory.bills" || done.Organization != sandbox.DefaultOrganizationID ||
		done.Failed != "" || was["requested"] != float64(before) || is["requested"] != float64(before+1) {
		t.Errorf("recorded is %+v", done)
	}
	operator.same("/actions", "runs", "--actions")
	operator.same("/actions?before=2", "runs", "--actions", "--before", "2")
	if o := s.run("runs", "--actions"); o.code != codeFine || !strings.Contains(o.stdout, "inventory.bills") || !strings.Contains(o.stdout, refused.Failed) {
		t.Errorf("actions: exit code %d, want 0 and the error of the refused one\n%s%s", o.code, o.stdout, o.stderr)
	}
	if refused.Failed == "" || refused.Target != "inventory.bills" || refused.After != nil {
		t.Errorf("the refused request is recorded as %+v", refused)
	}
}
