//go:build e2e

package cli

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"sluice/cmd/sluice/cli/view"
	"sluice/cmd/sluice/console/browser"
	"sluice/pipeline/engine"
	"sluice/sandbox"
)

// steps is where the pictures of each step go.
var steps = flag.String("steps", "", "folder for pictures of each step of the operator's tasks, at two widths and in both schemes (default: none)")

// operatorsTask is something that an operator does with nothing but the console.
type operatorsTask struct {
	name string
	// clicks and fields are what it takes.
	clicks, fields int
	// options are those of the sandbox.
	options sandbox.Options
	// stage makes the situation. It returns how the operator finds out, and what he has to see.
	stage func(s *fixture) func(w *browser.Walk)
}

// TestTasksOfAnOperator does the operator's work as he does it: from the first page on he clicks
// what he can read, and types into fields. Each task is staged on the sandbox.
func TestTasksOfAnOperator(t *testing.T) {
	t.Parallel()
	b := browser.Start(t)
	tasks := []operatorsTask{
		{"Find why a stream is late", 1, 0, sandbox.Options{Seed: 401, Records: 100, HeadersOnly: true}, lateForQuota},
		{"Find what spent the quota yesterday", 2, 0, sandbox.Options{Seed: 402, Records: 60, HeadersOnly: true, Plan: "standard"}, spentYesterday},
		{"Release 300 rejected records of one cause", 3, 0, sandbox.Options{Seed: 403, Records: 1300}, rejectedByOneCause},
		{"Decide a held deletion", 4, 0, sandbox.Options{Seed: 404, Records: 200}, heldDeletion},
		{"Find where one bill's balance came from", 3, 1, sandbox.Options{Seed: 405, Records: 120, HeadersOnly: true}, paidInPart},
	}
	for _, task := range tasks {
		t.Run(task.name, func(t *testing.T) {
			t.Parallel()
			s := newFixture(t, task.options)
			do := task.stage(s)
			c := &cli{env: s.env(&buffer{}, t.Output()), config: s.config}
			app := sure(engine.Open(t.Context(), c.offline()))(t)
			t.Cleanup(func() { must(t, app.Close(context.WithoutCancel(t.Context()))) })
			step := 0
			w := b.Page(t, 1280, 1000, false).Walk(onShow(t, c, app)+"/", func(p *browser.Page) {
				step++
				judge(p)
				if *steps != "" {
					pictured(t, b, p.URL(), fmt.Sprintf("%s-%d", strings.ReplaceAll(strings.ToLower(task.name), " ", "-"), step))
				}
			})
			do(w)
			t.Logf("%s: %d clicks, %d fields, %.1f s of pages: %s", task.name, w.Clicks, w.Fields, w.Took.Seconds(), strings.Join(w.Way, " → "))
			errorIf(t, w.Clicks != task.clicks || w.Fields != task.fields,
				"it took %d clicks and %d fields, want %d and %d", w.Clicks, w.Fields, task.clicks, task.fields)
		})
	}
}

func pictured(t *testing.T, b *browser.Browser, address, name string) {
	t.Helper()
	for _, width := range []int{1280, 360} {
		for scheme, dark := range map[string]bool{"light": false, "dark": true} {
			p := b.Page(t, width, 1000, dark)
			p.Open(address)
			judge(p)
			p.Screenshot(filepath.Join(*steps, fmt.Sprintf("%s-%d-%s.png", name, width, scheme)))
		}
	}
}

// shows checks that what can be read of the page has texts.
func shows(t *testing.T, w *browser.Walk, texts ...string) {
	t.Helper()
	read := strings.Join(strings.Fields(w.Text("main")), " ")
	for _, text := range texts {
		errorIf(t, !strings.Contains(read, text), "%s does not say %q; it says\n%s", w.URL(), text, read)
	}
}

// lateForQuota: bills are late, since upstream says that the day is spent. The other lists go on.
func lateForQuota(s *fixture) func(w *browser.Walk) {
	s.narrow().sync(codeFine)
	s.pass(26 * time.Hour)
	must(s.t, s.world.SetFaults([]sandbox.Fault{{Path: "/inventory/v1/bills", Kind: "exhausted"}}))
	s.sync(codeBudget)
	zone := s.zone()
	until := one[time.Time](s, `SELECT exhausted_until FROM sluice.day_budgets WHERE service = 'inventory'`).In(zone)
	at := until.Format("15:04:05 MST")
	if until.Day() != time.Now().In(zone).Day() {
		at = until.Format("2006-01-02 15:04 MST")
	}
	return func(w *browser.Walk) {
		shows(s.t, w, "Late against their own bounds: ")
		w.To("inventory.bills")
		shows(s.t, w, "Late: complete up to 26 h ago", "exhausted", at, "Next run: in ")
	}
}

// spentYesterday: a day ago sluice read lists, single records and a whole list again, and another
// program read items.
func spentYesterday(s *fixture) func(w *browser.Walk) {
	const others = 20
	s.narrow().sync(codeFine)
	s.sync(codeFine, "bills.sweep")
	token := s.otherToken()
	for range others {
		s.otherCall(token)
	}
	s.sync(codeFine, "items") // learns of them
	zone := s.zone()
	// The first call was made a minute after yesterday began.
	first := one[time.Time](s, `SELECT min(reserved_at) FROM sluice.calls`).In(zone)
	s.pass(first.Sub(time.Date(first.Year(), first.Month(), first.Day()-1, 0, 1, 0, 0, zone)))
	made := one[int64](s, `SELECT count(*) FROM sluice.calls WHERE service = 'inventory'`)
	of := func(class, resource string) int64 {
		return one[int64](s, `SELECT count(*) FROM sluice.calls WHERE service = 'inventory' AND class = $1 AND resource = $2`, class, resource)
	}
	details, sweep, items := of("details", "bills"), of("sweep", "bills"), of("incremental", "items")
	fatalIf(s.t, details == 0 || sweep == 0 || items == 0,
		"yesterday has %d calls for details, %d for sweeps and %d for items", details, sweep, items)
	s.sync(codeFine, "items") // the first call of today closes the day
	return func(w *browser.Walk) {
		w.To("Budget")
		w.To("Yesterday")
		shows(s.t, w, fmt.Sprintf("inventory spent %s", view.Plural(made, "call")), fmt.Sprintf("Other programs spent %d calls of inventory.", others),
			fmt.Sprintf("bills details %s ", view.Count(details)), fmt.Sprintf("bills sweep %s ", view.Count(sweep)), fmt.Sprintf("items incremental %s ", view.Count(items)))
	}
}

// things are items, of which the declaration takes a text for a number.
const things = declared + `    columns:
      - {wire: sku, kind: int, doc: The item's code.}
`

// rejectedByOneCause: a wrong declaration rejects every item. The operator corrects it, and then
// releases them.
func rejectedByOneCause(s *fixture) func(w *browser.Walk) {
	s.narrow().configured(things)
	s.accept()
	s.run("sync", "things")
	const open = `SELECT count(*) FROM sluice.quarantine WHERE state = 'open'`
	rejected := one[int64](s, open)
	rows := one[int](s, `SELECT count(*) FROM custom.things`)
	fatalIf(s.t, rejected < 300 || rows != 0, "%d records are rejected, and %d rows are loaded", rejected, rows)
	s.rewrite("      - {wire: sku, kind: int, doc: The item's code.}\n", "      - {wire: name, kind: text, doc: The item's name.}\n")
	s.accept()
	calls := s.calls()
	return func(w *browser.Walk) {
		w.To("Quarantine")
		shows(s.t, w, fmt.Sprintf("%s of 1 cause in quarantine", view.Plural(rejected, "record")), "sku")
		w.To("inventory.things")
		w.To(fmt.Sprintf("Retry all %s", view.Count(rejected)))
		shows(s.t, w, "Nothing is in quarantine.")
		if said := w.Text(".done"); !strings.Contains(said, fmt.Sprintf("%s loaded, 0 refused again, 0 left to try.", view.Count(rejected))) {
			s.t.Errorf("the page says %q", said)
		}
		left, rows := one[int](s, open), one[int64](s, `SELECT count(*) FROM custom.things WHERE name <> ''`)
		errorIf(s.t, left != 0 || rows != rejected, "%d records are in quarantine and %d rows are loaded, want 0 and %d", left, rows, rejected)
		now := s.calls()
		errorIf(s.t, now != calls, "that took %d calls", now-calls)
	}
}

// heldDeletion: more bills are gone at once than are believed.
func heldDeletion(s *fixture) func(w *browser.Walk) {
	const deleted = 20
	s.narrow().configured("tombstones: {max_rows: 3, apart: 0s}\n")
	s.sync(codeFine)
	s.age()
	gone := s.truth("inventory.bills")[:deleted]
	s.delete("inventory.bills", gone...)
	s.sync(codeFine, "bills.sweep")
	s.sync(codeFailed, "bills.sweep") // it needs a person
	return func(w *browser.Walk) {
		w.To("Tombstones")
		shows(s.t, w, fmt.Sprintf("%d deletions of 1 scan need review", deleted))
		w.To("Look at the evidence")
		shows(s.t, w, fmt.Sprintf("%d records of inventory.bills are in neither of two scans.", deleted), gone[0])
		w.Unfold("Accept: they are gone…")
		shows(s.t, w, fmt.Sprintf("%d records get tombstones.", deleted))
		w.To("Accept: they are gone")
		shows(s.t, w, "No deletion needs review.")
		s.truthful("inventory.bills")
		dead := s.ids("inventory.bills", dead)
		errorIf(s.t, strings.Join(dead, " ") != strings.Join(gone, " "), "tombstones have %v, want %v", dead, gone)
	}
}

func (s *fixture) balances() map[string]json.Number {
	s.t.Helper()
	all := map[string]json.Number{}
	for raw := range s.world.Truth("inventory", "bills") {
		var bill struct {
			ID      string      `json:"bill_id"`
			Balance json.Number `json:"balance"`
		}
		must(s.t, json.Unmarshal(raw, &bill))
		all[bill.ID] = bill.Balance
	}
	return all
}

// paidInPart: a bill is paid, so that its balance falls.
func paidInPart(s *fixture) func(w *browser.Walk) {
	s.narrow().configured("  inventory.bills: {history: true}\n")
	s.sync(codeFine)
	before, paid := s.balances(), ""
	var after map[string]json.Number
	s.active(sandbox.Activity{Payments: 7_200}) // few: a page looks through the newest answers only
	s.waitUntil("a bill is paid", func() bool {
		after = s.balances()
		for id, balance := range after {
			if balance != before[id] {
				paid = id
			}
		}
		return paid != ""
	})
	s.active(sandbox.Activity{})
	after = s.balances()
	s.sync(codeFine, "bills", "bills.details")
	number := one[string](s, `SELECT bill_number FROM inventory.bills WHERE bill_id = $1`, paid)
	call := one[int64](s, `SELECT max(id) FROM sluice.calls WHERE path = '/inventory/v1/bills/' || $1`, paid)
	loaded := one[time.Time](s, `SELECT kept_at FROM sluice.raw_records WHERE call_id = $1`, call).In(s.zone())
	fatalIf(s.t, !one[bool](s, `SELECT balance = $2::text::numeric FROM inventory.bills WHERE bill_id = $1`, paid, after[paid].String()),
		"the row of %s has not the balance %s", paid, after[paid])
	return func(w *browser.Walk) {
		w.To("inventory.bills")
		w.Fill("Identifier or number", number)
		w.To("Explain this record")
		w.To(paid)
		shows(s.t, w, "payments[", fmt.Sprintf("balance %s %s %s %d single record", before[paid], after[paid], loaded.Format("2006-01-02 15:04 MST"), call))
	}
}

func (s *fixture) zone() *time.Location {
	s.t.Helper()
	zone := sure(time.LoadLocation(one[string](s, `SELECT time_zone FROM sluice.organizations`)))(s.t)
	return zone
}

func (s *fixture) active(rates sandbox.Activity) {
	s.t.Helper()
	body := sure(json.Marshal(rates))(s.t)
	answer, err := s.upstream.Client().Post(s.upstream.URL+"/_sandbox/activity", "application/json", strings.NewReader(string(body)))
	must(s.t, err)
	must(s.t, answer.Body.Close())
	fatalIf(s.t, answer.StatusCode != http.StatusOK, "set the activity: %s", answer.Status)
}

func (s *fixture) otherToken() string {
	s.t.Helper()
	query := url.Values{
		"grant_type": {"refresh_token"}, "refresh_token": {sandbox.RefreshToken},
		"client_id": {sandbox.ClientID}, "client_secret": {sandbox.ClientSecret},
	}
	var given struct {
		Token string `json:"access_token"`
	}
	s.waitUntil("another program gets a token", func() bool { // ten in ten minutes, which are short here
		answer, err := s.upstream.Client().Post(s.upstream.URL+"/oauth/v2/token?"+query.Encode(), "", nil)
		must(s.t, err)
		defer func() { must(s.t, answer.Body.Close()) }()
		text := sure(io.ReadAll(answer.Body))(s.t)
		return json.Unmarshal(text, &given) == nil && given.Token != ""
	})
	return given.Token
}

func (s *fixture) otherCall(token string) int {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet,
		s.upstream.URL+"/inventory/v1/items?per_page=1&organization_id="+sandbox.DefaultOrganizationID, nil)
	must(s.t, err)
	request.Header.Set("Authorization", "Svc-oauthtoken "+token)
	answer, err := s.upstream.Client().Do(request)
	must(s.t, err)
	defer func() { must(s.t, answer.Body.Close()) }()
	left, err := strconv.Atoi(answer.Header.Get("X-Rate-Limit-Remaining"))
	fatalIf(s.t, err != nil, "another program's call: %s, %v", answer.Status, answer.Header)
	return left
}
