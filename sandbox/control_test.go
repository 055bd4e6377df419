package sandbox_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/sandbox"
)

func TestControlTruth(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Records: 400})
	for _, path := range []string{"accounting/chart_of_accounts", "accounting/vendor_payments", "inventory/items", "inventory/bills", "inventory/credit_notes", "chat/conversations"} {
		service, resource, _ := strings.Cut(path, "/")
		answer := u.serve(t, http.MethodGet, "/_sandbox/truth/"+path, nil)
		var want []string
		for record := range u.Truth(service, resource) {
			want = append(want, string(record)+"\n")
		}
		equal(t, slices.Collect(strings.Lines(answer.Body.String())), want, path)
		errorIf(t, len(want) == 0, "%s: no record", path)
	}
	equal(t, u.serve(t, http.MethodGet, "/_sandbox/truth/inventory/unicorns", nil).Code, http.StatusNotFound, "unknown resource")
	for range u.Truth("inventory", "unicorns") {
		t.Error("a record of an unknown resource")
	}
	stats := u.Stats()
	errorIf(t, stats.Calls != 0, "control is counted: %+v", stats)
}

func TestControlChangeAndAdvance(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Records: 400})
	var moved struct{ Now time.Time }
	decode(t, u.send(t, http.MethodPost, "/_sandbox/advance", nil, `{"seconds":600}`), &moved)
	want := u.clock.Now().Add(10 * time.Minute)
	errorIf(t, !moved.Now.Equal(want), "advanced to %s, want %s", moved.Now, want)
	var changed sandbox.Changed
	decode(t, u.send(t, http.MethodPost, "/_sandbox/change", nil, `{"seed":1,"inserts":1,"edits":2,"deletes":1,"resources":["bills"]}`), &changed)
	bills := changed["bills"]
	fatalIf(t, len(changed) != 1 || len(bills.Inserted) != 1 || len(bills.Edited) != 2 || len(bills.Deleted) != 1, "changed %+v", changed)
	var envelope struct{ Bill object }
	decode(t, u.get(t, "/inventory/v1/bills/"+bills.Edited[0]), &envelope)
	equal(t, text(t, envelope.Bill["last_modified_time"]), "2026-03-10T11:40:00+0530", "edited at")
	for _, body := range []string{`{"resources":["unicorns"]}`, `{"edits":-1}`, `{"colour":1}`, `no`} {
		equal(t, u.send(t, http.MethodPost, "/_sandbox/change", nil, body).Code, http.StatusBadRequest, body)
	}
	for _, body := range []string{`{"seconds":-1}`, `{"seconds":1e18}`, ``} {
		equal(t, u.send(t, http.MethodPost, "/_sandbox/advance", nil, body).Code, http.StatusBadRequest, body)
	}
}

func TestChangeTakesNoMoreThanThereIs(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Records: 1})
	changed, err := u.Change(sandbox.Change{Edits: 2, Deletes: 9, Resources: []string{"bills"}})
	errorIf(t, err != nil || len(changed["bills"].Edited) != 2 || len(changed["bills"].Deleted) != 1, "changed %+v, %v", changed, err)
}

func TestControlFaultsAndStats(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Records: 400})
	set := u.send(t, http.MethodPost, "/_sandbox/faults", nil, `[{"path":"/inventory/v1/bills","kind":"html","count":1,"after":1}]`)
	fatalIf(t, set.Code != http.StatusOK, "status %d: %s", set.Code, set.Body)
	var listed struct {
		Kinds  []sandbox.FaultKind
		Active []map[string]any
	}
	decode(t, u.serve(t, http.MethodGet, "/_sandbox/faults", nil), &listed)
	want := []map[string]any{{"path": "/inventory/v1/bills", "kind": "html", "count": 1.0, "after": 1.0}}
	diff := cmp.Diff(want, listed.Active)
	errorIf(t, diff != "" || len(listed.Kinds) < 24, "%d kinds, active (-want +got):\n%s", len(listed.Kinds), diff)
	for _, kind := range []string{"application/json", "text/html", "application/json"} {
		got := u.get(t, "/inventory/v1/bills").Header().Get("Content-Type")
		errorIf(t, !strings.HasPrefix(got, kind), "content type %s, want %s", got, kind)
	}
	var stats sandbox.Stats
	decode(t, u.serve(t, http.MethodGet, "/_sandbox/stats", nil), &stats)
	errorIf(t, stats.Calls != 3 || stats.TokenRequests != 1 || stats.ByStatus["200"] != 3 || stats.WorstConcurrent != 1, "stats %+v", stats)
	u.get(t, "/inventory/v1/bills/460000000040000001000")
	equal(t, u.Stats().ByPath["/inventory/v1/bills/{id}"], 1, u.Stats().ByPath)
	decode(t, u.send(t, http.MethodPost, "/_sandbox/reset_stats", nil, ""), &stats)
	equal(t, u.Stats().Calls, 0, u.Stats())
	if answer := u.send(t, http.MethodPost, "/_sandbox/expire_tokens", nil, ""); answer.Code != http.StatusOK || u.get(t, "/inventory/v1/items").Code != http.StatusUnauthorized {
		t.Errorf("expire_tokens: status %d", answer.Code)
	}
	for _, bad := range []string{`[{"path":"/","kind":"gremlins"}]`, `{}`} {
		equal(t, u.send(t, http.MethodPost, "/_sandbox/faults", nil, bad).Code, http.StatusBadRequest, bad)
	}
	equal(t, u.serve(t, http.MethodGet, "/_sandbox/nothing", nil).Code, http.StatusNotFound, "unknown control")
}

func TestLandingPage(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Records: 100})
	answer := u.serve(t, http.MethodGet, "/", nil)
	body := answer.Body.String()
	for _, want := range []string{
		"not the real service", "/books/v3/vendorpayments", "/inventory/v1/creditnotes", "/maintenanceapi/v2/chats", "/oauth/v2/token",
		sandbox.ClientID, sandbox.RefreshToken, sandbox.DefaultOrganizationID, "/_sandbox/stats",
	} {
		errorIf(t, !strings.Contains(body, want), "the landing page does not name %s", want)
	}
	errorIf(t, answer.Code != http.StatusOK || !strings.HasPrefix(answer.Header().Get("Content-Type"), "text/html"),
		"status %d, %s", answer.Code, answer.Header().Get("Content-Type"))
}
