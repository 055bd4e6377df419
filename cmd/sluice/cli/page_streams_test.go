package cli

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/cmd/sluice/cli/why"
	"sluice/cmd/sluice/console"
	"sluice/pipeline/warehouse/calls"
	"sluice/pipeline/warehouse/streams"
	"sluice/sandbox"
)

// TestSentenceOfTheStreams: the worst comes first, in the sentence and in the order of the lines.
func TestSentenceOfTheStreams(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	stream := func(resource string, hoursOld float64, change func(*streamView)) streamView {
		at := now.Add(-time.Duration(hoursOld * float64(time.Hour)))
		s := streamView{Status: streams.Status{Service: "inventory", Resource: resource, Enabled: true, State: "idle", Watermark: &at}, BoundSeconds: 3600}
		if change != nil {
			change(&s)
		}
		return s
	}
	fresh, late, later := stream("items", 0.5, nil), stream("bills", 2, nil), stream("taxes", 5, func(s *streamView) { s.BoundSeconds = 7200 })
	never := stream("locations", 0, func(s *streamView) { s.Watermark = nil })
	denied := stream("items.details", 0, func(s *streamView) { s.Watermark, s.State = nil, "denied" })
	alarming := stream("credit_notes", 0.25, func(s *streamView) { s.Withheld = 3 })
	off := stream("composite_items", 99, func(s *streamView) { s.Enabled = false })
	backfill := stream("bills.backfill", 99, nil)
	for _, c := range []struct {
		shown    []streamView
		sentence string
		mood     console.Mood
		order    []string
	}{
		{nil, "No stream is registered yet: sluice serve or sluice sync registers them.", console.Plain, nil},
		{[]streamView{fresh, off, backfill}, "No list is late: 1 list, the oldest 30 min old.", console.Good, []string{"items"}},
		{[]streamView{fresh, never}, "Never complete yet: 1 of 2 lists. Their first runs go on.", console.Warn, []string{"locations", "items"}},
		{[]streamView{fresh, never, alarming}, "No list is late; the quarantine alarms for 1 stream.", console.Bad, []string{"locations", "items", "credit_notes"}},
		{
			[]streamView{alarming, late, later, fresh}, "Late against their own bounds: 2 of 4 lists; the oldest is 5 h old.", console.Bad,
			[]string{"taxes", "bills", "items", "credit_notes"}, // 2.5 bounds, 2 bounds, half of one, a quarter
		},
		{[]streamView{late, denied}, "Upstream denies 1 stream. Late: 1 of 1 list.", console.Bad, []string{"bills", "items.details"}},
	} {
		lines := latestFirst(c.shown, now, func(s *streams.Status) string {
			if s.Withheld > 0 {
				return "ALARM"
			}
			return ""
		})
		sentence, mood := sentenceOf(lines)
		var order []string
		for i := range lines {
			order = append(order, lines[i].Resource)
		}
		errorIf(t, sentence != c.sentence || mood != c.mood || !cmp.Equal(order, c.order),
			"%q %q %q\nwant %q %q %q", sentence, mood, order, c.sentence, c.mood, c.order)
	}
}

const addressOfBills = "/streams/" + sandbox.DefaultOrganizationID + "/inventory.bills"

func TestPageOfAStream(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 312, Records: 60})
	s.configured("resources:\n  inventory.items: {enabled: false}\n")
	s.sync(codeFine, "inventory.bills")
	s.failedRun()
	b := s.desk()

	page := decodedPage[[]why.Explanation](b, addressOfBills+"?format=json")
	command := decoded[[]why.Explanation](s, codeFine, "status", "--why", "inventory.bills")
	same(t, "the command and its page", command, page)
	errorIf(t, len(page) != 2, "the document explains %d streams, want bills and their details", len(page))
	html := b.says(addressOfBills, "Within its bound", "the bound is 50 min", "15 m, the declared interval", "newest first, down to the watermark",
		": 2 runs, 1 failed", "failed: unavailable", harmfulEscaped, "/inventory.bills.sweep", "/inventory.bills.details", "Run now")
	errorIf(t, len(html) > 80<<10, "the page has %d bytes", len(html))
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
	fatalIf(t, isDue, "bills are due before a request")
	operator := s.desk()
	done := operator.posts(addressOfBills+"/run", url.Values{})
	after, isDue := due()
	errorIf(t, after != before+1 || !isDue, "%d requests, %d before; due: %t", after, before, isDue)
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
	s.run("runs", "--actions").prints(t, codeFine, "inventory.bills", refused.Failed)
	errorIf(t, refused.Failed == "" || refused.Target != "inventory.bills" || refused.After != nil,
		"the refused request is recorded as %+v", refused)
}

// failedRun is a run that failed with a hostile note, between whose calls there were 40 seconds.
func (s *fixture) failedRun() int64 {
	s.t.Helper()
	id := one[int64](s, `INSERT INTO sluice.runs (organization_id, service, resource, class, gen, started_at, ended_at, outcome, kind, note, received,
			inserted, calls, chunks, quarantined)
		VALUES ($1, 'inventory', 'bills', 'incremental', 0, clock_timestamp() - interval '3 minutes', clock_timestamp() - interval '1 minute',
			'failed', 'unavailable', $2, 4321, 17, 2, 3, 1) RETURNING id`, sandbox.DefaultOrganizationID, harmful)
	s.exec(`UPDATE sluice.runs SET forecast_calls = 5, forecast_basis = 'measured', rows_before = 0 WHERE id = $1`, id)
	s.exec(`INSERT INTO sluice.calls (organization_id, service, resource, class, shared, run_id, method, path, reserved_at, lease_until, finished_at, free_at,
			status, code, kind, detail)
		SELECT $1, 'inventory', 'bills', 'incremental', 'suite', $2, 'GET', '/' || $3::text, c.at AS a, c.at AS b, c.at + interval '2 seconds', c.at AS c, status, code, kind, $3
		FROM (VALUES (clock_timestamp() - interval '170 seconds', 429, '44', 'throttled'), (clock_timestamp() - interval '128 seconds', 200, '0', NULL))
			AS c (at, status, code, kind)`, sandbox.DefaultOrganizationID, id, harmful)
	s.exec(`INSERT INTO sluice.quarantine (organization_id, service, resource, record_hash, record_id, raw, code, path, detail, run_id)
		VALUES ($1, 'inventory', 'bills', '\x01', '4711', '{}', 'wrong_type', 'lines[2].rate', $3, $2)`, sandbox.DefaultOrganizationID, id, harmful)
	return id
}

func TestPagesOfRuns(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 311, Records: 60})
	s.sync(codeFine, "inventory.items", "inventory.bills")
	failed := s.failedRun()
	b := s.viewersDesk()

	page, command := decodedPage[[]streams.Run](b, "/runs?format=json"), decoded[[]streams.Run](s, codeFine, "runs", "--limit", "40")
	same(t, "the command and its page", command, page)
	errorIf(t, len(page) < 3, "%d runs", len(page))
	b.says("/runs", "1 failed", "4,321", "failed: unavailable", harmfulEscaped, `href="/runs/`+strconv.FormatInt(failed, 10)+`"`,
		"5 -3") // two calls, five were expected
	var ids []int64
	for _, run := range decodedPage[[]streams.Run](b, "/runs?outcome=failed&stream=inventory.bills&format=json") {
		ids = append(ids, run.ID)
	}
	same(t, "failed runs of bills", []int64{failed}, ids)
	same(t, "the runs before the failed one", command[1:],
		decodedPage[[]streams.Run](b, "/runs?before="+strconv.FormatInt(failed, 10)+"&format=json"))
	b.says("/runs?stream=inventory.nothing", "No run matches")

	html := b.says("/runs/"+strconv.FormatInt(failed, 10), "This run of inventory.bills failed: 4,321 records read, 17 new and 0 changed, with 2 calls.",
		"5 -3 (measured)", "throttled (code 44)", "GET /"+harmfulEscaped, "wrong_type", "lines[2].rate", "4711", harmfulEscaped)
	errorIf(t, strings.Count(html, "<code>GET /") != 2, "the page has not two calls:\n%s", html)
	whole := decodedPage[runView](b, "/runs/"+strconv.FormatInt(failed, 10)+"?format=json")
	if diff := cmp.Diff(command[0], whole.Run); diff != "" || len(whole.CallLog) != 2 || len(whole.Quarantine) != 1 {
		t.Errorf("the run has %d calls and %d entries (-command +page):\n%s", len(whole.CallLog), len(whole.Quarantine), diff)
	}
	rest := decodedPage[runView](b, fmt.Sprintf("/runs/%d?after=%d&format=json", failed, whole.CallLog[0].ID))
	errorIf(t, len(rest.CallLog) != 1 || *rest.CallLog[0].Status != http.StatusOK, "behind the first call are %+v", rest.CallLog)
	for _, address := range []string{"/runs/999999", "/runs/0", "/runs/-1", "/runs/x"} {
		b.get(http.StatusNotFound, address)
	}
}

// TestWaitsOfARun lists when a run waited, and why.
func TestWaitsOfARun(t *testing.T) {
	t.Parallel()
	at := func(second int) time.Time { return time.Date(2026, 3, 1, 12, 0, second, 0, time.UTC) }
	ended, goesOn := at(59), at(50)
	waits := []calls.Wait{{Run: 7, From: at(10), To: &goesOn, Kind: "throttled"}, {Run: 7, From: at(55)}}
	row := func(from time.Time, to console.Cell, why string) []console.Cell {
		return []console.Cell{console.ID(7, "/runs/7"), console.Text("bills"), console.Moment(&from, time.UTC), to, console.Text(why)}
	}
	throttled := row(at(10), console.Moment(&goesOn, time.UTC), "throttled")
	for name, test := range map[string]struct {
		run    streams.Run
		reason string
		want   [][]console.Cell
	}{
		"done":           {streams.Run{ID: 7, EndedAt: &ended}, "", [][]console.Cell{throttled}},
		"open":           {streams.Run{ID: 7}, "", [][]console.Cell{throttled, row(at(55), console.Text("now"), "between calls")}},
		"open, a reason": {streams.Run{ID: 7}, "exhausted", [][]console.Cell{throttled, row(at(55), console.Text("now"), "exhausted")}},
	} {
		same(t, name, test.want, waitRows(&test.run, waits, console.Text("bills"), test.reason, time.UTC))
	}
}

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
		page := d.says("/backfills/new?"+query, want, `class="sentence bad"`)
		errorIf(t, strings.Contains(page, ">Start<"), "%s can be started:\n%s", query, page)
	}

	calls := s.arrivals.total()
	form := url.Values{"resource": {"inventory.bills"}}
	did := d.posts("/backfills", form)
	id := one[int64](s, `SELECT id FROM sluice.backfills WHERE state = 'queued' AND resource = 'bills' AND column_name = ''`)
	same(t, "started", deed{
		Who: anOperator, What: "backfill", Target: "inventory.bills", Organization: sandbox.DefaultOrganizationID, After: stateOf(t, map[string][]int64{"backfills": {id}}),
	}, did)
	if did = d.posts("/backfills", form); !strings.Contains(did.Failed, fmt.Sprintf("has backfill %d, which is queued", id)) || did.After != nil {
		t.Errorf("a second one: %+v", did)
	}
	d.says(wanted, "has backfill", `class="sentence bad"`)

	page := fmt.Sprintf("/backfills/%d", id)
	for _, step := range []struct{ verb, before, after string }{
		{"pause", "queued", "paused"}, {"resume", "paused", "queued"}, {"pause", "queued", "paused"}, {"cancel", "paused", "cancelled"},
	} {
		did := d.posts(page+"/"+step.verb, url.Values{})
		same(t, step.verb, deed{
			Who: anOperator, What: "backfill " + step.verb, Target: fmt.Sprint(id), Organization: sandbox.DefaultOrganizationID,
			Before: stateOf(t, map[string]string{"state": step.before}), After: stateOf(t, map[string]string{"state": step.after}),
		}, did)
		same(t, "the state after "+step.verb, step.after, one[string](s, `SELECT state FROM sluice.backfills WHERE id = $1`, id))
		d.same("/backfills", "backfill", "list")
		d.same(page, "backfill", "show", fmt.Sprint(id))
		if step.after == "paused" {
			d.says("/backfills", "1 backfill open, of which 1 paused", ">Resume</button>", page)
		}
	}
	did = d.posts(page+"/resume", url.Values{})
	errorIf(t, !strings.Contains(did.Failed, "is cancelled; it would have to be"), "resume of a cancelled one: %+v", did)
	did = d.posts("/backfills/x/pause", url.Values{})
	errorIf(t, !strings.Contains(did.Failed, "is no number of a backfill"), "pause of none: %+v", did)
	errorIf(t, s.arrivals.total() != calls, "the pages made calls")
	d.says(page, "is cancelled after 0 calls")
}

func TestPageOfTheBudget(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 314, Records: 100})
	s.sync(codeFine, "inventory.items")
	b := s.viewersDesk()
	page, command := decodedPage[[]serviceDay](b, "/budget?format=json"), decoded[[]serviceDay](s, codeFine, "budget")
	for i := range page {
		page[i].At, command[i].At = time.Time{}, time.Time{} // the clock
	}
	same(t, "the command and its page", command, page)
	errorIf(t, len(page) != 5, "the document has %d services", len(page))

	// 7,500 calls a day, of which sluice made these, and 2,000 more an hour ago.
	made := one[int64](s, `SELECT count(*) FROM sluice.calls WHERE service = 'inventory'`)
	s.exec(`INSERT INTO sluice.calls (organization_id, service, resource, class, shared, method, path, reserved_at, lease_until, finished_at, free_at)
		SELECT $1, 'inventory', $2, 'backfill', 'suite', 'GET', '/', c.at AS a, c.at AS b, c.at AS c, c.at AS d
		FROM (SELECT clock_timestamp() - interval '70 minutes' AS at FROM generate_series(1, 2000)) AS c`, sandbox.DefaultOrganizationID, harmful)
	s.exec(`SELECT sluice.recount_calls()`)
	left := 7500 - 2000 - made
	html := b.says("/budget?service=inventory", fmt.Sprintf("The tightest is inventory: %d,%03d of 7,500 are left.", left/1000, left%1000), "backfill 2,000",
		"limit 7,500", harmfulEscaped, ">2,000<", "At once")
	errorIf(t, len(html) > 80<<10, "the page has %d bytes", len(html))
	b.says("/budget?org=nobody", "No service matches.")
}

// TestLastWeek: the mean and the 90th percentile of the days that the call log has. The third day
// is not in it.
func TestLastWeek(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 317, Records: 20})
	s.sync(codeFine, "inventory.items")
	for _, day := range []struct {
		calls int
		ago   string
	}{{50, "23 hours 50 minutes"}, {20, "47 hours 50 minutes"}, {9, "49 hours"}} {
		s.exec(`INSERT INTO sluice.calls (organization_id, service, resource, class, shared, method, path, reserved_at, lease_until, finished_at, free_at)
			SELECT $1, 'inventory', 'bills', 'details', 'suite', 'GET', '/', c.began, c.lease, c.ended, c.free
			FROM generate_series(1, $3) CROSS JOIN LATERAL (SELECT clock_timestamp() - $2::text::interval AS began) AS b
			CROSS JOIN LATERAL (SELECT began, began AS lease, began AS ended, began AS free) AS c`, sandbox.DefaultOrganizationID, day.ago, day.calls)
	}
	s.exec(`INSERT INTO sluice.external_spent (organization_id, service, ended_at, calls, limit_seen)
		SELECT $1, 'inventory', now() - n * interval '1 day', 100 * n, 1000 FROM generate_series(1, 3) AS n`, sandbox.DefaultOrganizationID)
	spent := one[int](s, `SELECT count(*)::int FROM sluice.calls WHERE service = 'inventory' AND reserved_at > now() - interval '24 hours'`)
	says := fmt.Sprintf("inventory: calls a day of the last week: mean %.0f, 90th percentile %d (2 days); of other programs: mean 200, 90th percentile 300 (3 days)",
		float64(spent+20)/2, spent)
	s.prints(codeFine, says, "plan")
}

// TestYesterdaysBudget: what spent the calls of an earlier day.
func TestYesterdaysBudget(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 315, Records: 20})
	s.sync(codeFine, "inventory.items")
	b := s.viewersDesk()
	zone := s.opened().Zone(sandbox.DefaultOrganizationID)
	noon := time.Now().In(zone).AddDate(0, 0, -1)
	noon = time.Date(noon.Year(), noon.Month(), noon.Day(), 12, 0, 0, 0, zone)
	for resource, calls := range map[string]int{harmful: 700, "bills": 300} {
		s.exec(`INSERT INTO sluice.calls (organization_id, service, resource, class, shared, method, path, reserved_at, lease_until, finished_at, free_at, kind)
			SELECT $1, 'inventory', $2, 'details', 'suite', 'GET', '/', $4, $4, $4, $4, CASE WHEN n <= 5 THEN 'unavailable' END
			FROM generate_series(1, $3) AS n`, sandbox.DefaultOrganizationID, resource, calls, noon)
	}
	s.exec(`INSERT INTO sluice.external_spent (organization_id, service, ended_at, calls, limit_seen) VALUES ($1, 'inventory', $2, 20, 1000)`,
		sandbox.DefaultOrganizationID, noon.Add(12*time.Hour))
	day := noon.Format(time.DateOnly)
	days := decodedPage[[]pastDay](b, "/budget?day="+day+"&format=json")
	want := []usedFor{{Resource: harmful, Class: "details", Calls: 700, Failed: 5}, {Resource: "bills", Class: "details", Calls: 300, Failed: 5}}
	fatalIf(t, len(days) != 5 || days[0].Service != "inventory" || days[0].Calls != 1000, "the day is %+v", days)
	same(t, "uses", want, days[0].Uses)
	b.says("/budget?day="+day, "inventory spent 1,000 calls, the largest part (700) on details of "+harmfulEscaped, "70 %", "30 %",
		"Other programs spent 20 calls of inventory.")
	b.says("/budget?day=2020-01-01", "The call log has no calls of 2020-01-01.")
	b.get(http.StatusNotFound, "/budget?day=yesterday")
}

// TestReopenInTheConsole opens what upstream has closed.
func TestReopenInTheConsole(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 316, Records: 20})
	s.sync(codeFine, "inventory.items")
	s.exec(`UPDATE sluice.day_budgets SET exhausted_until = clock_timestamp() + interval '5 hours' WHERE service = 'inventory'`)
	form := url.Values{"org": {sandbox.DefaultOrganizationID}, "service": {"inventory"}}
	operator := s.desk()
	operator.says("/budget", "Upstream lets no call of 1 service leave; inventory is closed until", "One call asks upstream at once.", ">Reopen<")
	done := operator.posts("/budget/reopen", form)
	s.counts(0, "days are closed", `SELECT count(*) FROM sluice.day_budgets WHERE exhausted_until > clock_timestamp()`)
	refused := operator.posts("/budget/reopen", url.Values{"org": {"nobody"}})
	after, _ := done.After.(map[string]any)
	errorIf(t, done.What != "budget reopen" || done.Failed != "" || !cmp.Equal(after["days"], any([]any{"inventory"})),
		"recorded is %+v", done)
	errorIf(t, refused.Failed == "" || refused.Target != "nobody", "a refused one is recorded as %+v", refused)
}
