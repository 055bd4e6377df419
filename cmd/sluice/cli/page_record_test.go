package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"sluice/pipeline/engine"
	"sluice/pipeline/notifications"
	"sluice/pipeline/warehouse/readers"
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
	fatalIf(t, len(modified) != 2 || modified[0] == modified[1], "the bill has list versions of %v, want two", modified)
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
	same(t, "changes", want, told)
}

// TestPagesOfTheDictionary holds the pages against docs/dictionary.md, and follows a search.
func TestPagesOfTheDictionary(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Records: 5})
	text := sure(os.ReadFile("../../../docs/dictionary.md"))(t)
	s.visited(aViewer, false, func(v *desk) {
		all := decodedPage[[]tableEntry](v, "/dictionary?format=json")
		// A table is named at its head, and an array's behind a bold name; a history is listed apart.
		tables := strings.Count(string(text), "\n- Table: `") + strings.Count(string(text), "\n**`")
		errorIf(t, len(all) != tables, "%d tables, docs/dictionary.md has %d", len(all), tables)
		for _, table := range all {
			if name := table.Schema + "." + table.Table; !strings.Contains(string(text), "\n- Table: `"+name+"`") && !strings.Contains(string(text), "\n**`"+name+"`") {
				t.Errorf("docs/dictionary.md has no table %s", name)
			}
			for _, column := range table.Columns {
				ours := column.Name == "organization_id" || strings.HasPrefix(column.Name, "_")
				errorIf(t, !ours && !strings.Contains(string(text), "| `"+column.Name+"` | "+column.Type+" |"),
					"docs/dictionary.md has no column %s.%s %s", table.Table, column.Name, column.Type)
			}
		}
		v.says("/dictionary", "inventory", `href="/dictionary/chat"`)
		v.says("/dictionary?q=BILL_ID", `href="/dictionary/inventory/bills"`, "tables with these letters")
		v.says("/dictionary?q=%3Cscript%3E", "Nothing matches", "&lt;script&gt;")
		v.says("/dictionary/inventory", `href="/dictionary/inventory/bills_line_items"`, `href="/dictionary/inventory/bills"><bdi>bills</bdi></a>`)
		v.says("/dictionary/inventory/bills", "bill_id", "text", "free text", "bills_line_items", "organization_id, bill_id")
		v.says("/dictionary/inventory/bills_line_items", `href="/dictionary/inventory/bills"`)
		v.get(http.StatusNotFound, "/dictionary/inventory/unicorns")
		v.get(http.StatusNotFound, "/dictionary/unicorns")
	})
}

// TestPagesOfQuestions asks all questions, and holds one answer against the table that it is of.
func TestPagesOfQuestions(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 99, Records: 20, Limits: sandbox.Limits{Off: true}}).narrow()
	s.sync(codeFine)
	var all []analystQuestion
	s.visited(anOperator, false, func(v *desk) {
		must(t, json.Unmarshal([]byte(v.get(http.StatusOK, "/questions?format=json")), &all))
		fatalIf(t, len(all) != 30 || all[2].Question != "Whom do we owe most?" || all[2].Section != "What is owed" || all[29].Number != 30,
			"%d questions: %+v", len(all), all)
		v.says("/questions", `href="/questions/30"`, "Whom do we owe most?")
		for i := range all {
			v.get(http.StatusOK, "/questions/"+strconv.Itoa(all[i].Number))
		}
		v.get(http.StatusNotFound, "/questions/31")
		v.get(http.StatusNotFound, "/questions/x")
	})
	owed := one[int](s, `SELECT count(DISTINCT (organization_id, vendor_id)) FROM analytics.ap_ageing`)
	vendor := one[string](s, `SELECT vendor_id FROM analytics.ap_ageing ORDER BY vendor_id LIMIT 1`)
	s.visited(anOperator, false, func(v *desk) {
		shown := decodedPage[answeredView](v, "/questions/3?format=json")
		errorIf(t, shown.Answer == nil || len(shown.Answer.Rows) != owed || owed == 0 || shown.Answer.More,
			"%d vendors are owed to; the answer is %+v", owed, shown.Answer)
		v.says("/questions/3", vendor, "FROM analytics.ap_ageing")
	})
	s.visited(aViewer, false, func(v *desk) {
		v.says("/questions/3", "Operators see the answer", "FROM analytics.ap_ageing")
		for _, page := range []string{"/questions/3", "/questions/3?format=json"} {
			v.hides(page, vendor)
		}
	})
}

// TestAnswersStay: within a minute a question is asked once; that a browser left is no answer.
func TestAnswersStay(t *testing.T) {
	t.Parallel()
	var kept recentAnswers
	began, asked := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC), 0
	ask := func(after time.Duration, err error) {
		_, _, _ = kept.of(3, began.Add(after), func() (readers.Answer, error) {
			asked++
			return readers.Answer{}, err
		}) // what counts is how often it was asked
	}
	for _, step := range []struct {
		after time.Duration
		err   error
		asked int
	}{
		{0, context.Canceled, 1}, {time.Second, nil, 2}, {2 * time.Second, nil, 2}, {60 * time.Second, nil, 2}, {61 * time.Second, nil, 3},
	} {
		if ask(step.after, step.err); asked != step.asked {
			t.Errorf("after %s it was asked %d times, want %d", step.after, asked, step.asked)
		}
	}
}

// TestNotificationPages: channels, gaps, the inbox, and the self-test with and without a receiver.
func TestNotificationPages(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Records: 10}).narrow()
	d := s.desk()
	d.says("/notifications", "No organization has notifications.", "No channel is configured", "No callback has arrived.", "There was no gap.")

	public := newFront(t)
	s.notified(public.URL)
	d = s.desk()
	d.says("/notifications", "Products", "inventory.items", "create, edit", "No gap is open. Upstream tells by 2 channels and 0 rules.", "not tried yet")
	check := "/notifications/" + businessKey + "/check"
	did := d.posts(check, url.Values{})
	if after, ok := did.After.(map[string]any); !ok || after["ok"] != false || after["broken"] != string(engine.LinkProxy) || !strings.Contains(did.Failed, "proxy: ") || !strings.Contains(did.Failed, "Start the receiver") {
		t.Errorf("nothing listens: %+v", did)
	}

	receiver := sure(d.app.OpenReceiver(t.Context(), func(notifications.Observation) {}))(t)
	t.Cleanup(receiver.Close)
	public.handler.Store(http.HandlerFunc(receiver.ServeHTTP))
	did = d.posts(check, url.Values{})
	if after, ok := did.After.(map[string]any); !ok || after["ok"] != true || did.Failed != "" || did.What != "notifications check" || did.Organization != businessKey {
		t.Errorf("a self-test: %+v", did)
	}
	d.says("/notifications", "worked then")
	did = d.posts("/notifications/nobody/check", url.Values{})
	errorIf(t, !strings.Contains(did.Failed, "nobody"), "a self-test of nobody: %+v", did)

	body := `{"note":"canaryOfTheBody"}` + harmful
	id := one[int64](s, `INSERT INTO sluice.callbacks (organization_id, dialect, digest, received_at, repeated_at, times, module, operation, ids, bytes, body)
		VALUES ($1, 'rule', '\x01', now() - interval '1 minute', now(), 3, $2, 'update', ARRAY[$2, '2', '3', '4', '5'], 26, $3) RETURNING id`, businessKey, harmful, body)
	s.exec(`INSERT INTO sluice.channel_gaps (organization_id, channel, opened_at, reason) VALUES ($1, '', now() - interval '1 hour', $2)`, businessKey, harmful)
	s.exec(`INSERT INTO sluice.channels (organization_id, module, channel_id, wanted, state, code, reason)
		VALUES ($1, 'Deals', 7, '\x00', 'refused', 'NOT_ALLOWED', $2)
		ON CONFLICT (organization_id, module) DO UPDATE SET state = 'refused', code = excluded.code, reason = excluded.reason`, businessKey, harmful)
	one := fmt.Sprintf("/notifications/callbacks/%d", id)
	d.says("/notifications", "Upstream cannot tell of changes at present: 1 gap open", "still open", "broken: &lt;script&gt;", "refused: NOT_ALLOWED: &lt;script&gt;",
		"and 2 more", one)
	d.says("/notifications/callbacks", "and 2 more", one)
	d.says(one, "canaryOfTheBody", "It names 5 records and arrived 3 times.")
	d.same("/notifications", "notifications")
	d.same("/notifications/callbacks", "notifications", "inbox")
	d.same(one, "notifications", "show", fmt.Sprint(id))

	delete(s.environment, "HOOK_SECRET")
	d = s.desk()
	want := deed{Who: anOperator, What: "notifications check", Target: businessKey, Organization: businessKey}
	did = d.posts(check, url.Values{})
	errorIf(t, !strings.Contains(did.Failed, "notifications.secret") || did.What != want.What || did.Target != want.Target || did.After != nil,
		"without the secret: %+v", did)
}
