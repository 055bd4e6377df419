package sandbox_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/sandbox"
)

// post sends a control a body and decodes its answer.
func (u *upstream) post(t *testing.T, control, body string, into any) {
	t.Helper()
	answer := u.send(t, http.MethodPost, "/_sandbox/"+control, nil, body)
	fatalIf(t, answer.Code != http.StatusOK, "%s %s: %d %s", control, body, answer.Code, answer.Body)
	decode(t, answer, into)
}

// The controls answer on this machine, by its own address, and refuse every page of another site.
// Such a page may post a form or a text without asking permission, or make its own name resolve to
// this machine.
func TestControlsAnswerHere(t *testing.T) {
	t.Parallel()
	const here, there = "127.0.0.1:5", "192.0.2.7:5"
	for _, c := range []struct {
		anywhere           bool
		from, host, origin string
		want               int
	}{
		{false, here, "127.0.0.1:8086", "", http.StatusOK},
		{false, here, "localhost:8086", "", http.StatusOK},
		{false, here, "LOCALHOST", "", http.StatusOK},
		{false, "[::1]:5", "[::1]:8086", "", http.StatusOK},
		{false, "[::ffff:127.0.0.1]:5", "127.0.0.2:8086", "", http.StatusOK},
		{false, here, "10.1.2.3:8086", "", http.StatusOK}, // where it arrived
		{false, here, "10.1.2.4:8086", "", http.StatusForbidden},
		{false, there, "127.0.0.1:8086", "", http.StatusForbidden},
		{false, "no address", "127.0.0.1:8086", "", http.StatusForbidden},
		{false, here, "evil.example:8086", "", http.StatusForbidden},
		{false, here, "evil.example:8086", "http://evil.example:8086", http.StatusForbidden},
		{false, here, "localhost.evil.example", "", http.StatusForbidden},
		{false, here, "127.0.0.1.evil.example", "", http.StatusForbidden},
		{false, here, "", "", http.StatusForbidden},
		{false, here, "127.0.0.1:8086", "http://127.0.0.1:8086", http.StatusOK},
		{false, here, "127.0.0.1:8086", "http://127.0.0.1:9999", http.StatusForbidden},
		{false, here, "127.0.0.1:8086", "https://evil.example", http.StatusForbidden},
		{false, here, "127.0.0.1:8086", "null", http.StatusForbidden},
		{true, there, "sandbox:8086", "", http.StatusOK},
		{true, here, "sandbox:8086", "https://evil.example", http.StatusForbidden},
		{true, here, "sandbox:8086", "http://sandbox:8086", http.StatusOK},
	} {
		server := sure(sandbox.New(sandbox.Options{Records: 1, ControlAnywhere: c.anywhere, Now: newClock().Now}))(t)
		for method, control := range map[string]string{http.MethodGet: "stats", http.MethodPost: "faults"} {
			ctx := context.WithValue(t.Context(), http.LocalAddrContextKey, &net.TCPAddr{IP: net.IPv4(10, 1, 2, 3), Port: 8086})
			request := httptest.NewRequestWithContext(ctx, method, "/_sandbox/"+control, strings.NewReader(`[{"path":"/","kind":"html"}]`))
			request.RemoteAddr, request.Host = c.from, c.host
			request.Header.Set("Content-Type", "text/plain") // what a page may send anywhere
			if c.origin != "" {
				request.Header.Set("Origin", c.origin)
			}
			recorder := httptest.NewRecorder()
			server.ServeHTTP(recorder, request)
			equal(t, recorder.Code, c.want, c, method, recorder.Body)
		}
	}
}

func TestCreateAndDeleteByControl(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Records: 100})
	created := sandbox.Changed{}
	u.post(t, "create", `{"resources":["bills"],"count":2}`, &created)
	ids := created["bills"].Inserted
	fatalIf(t, len(ids) != 2, "created %+v", created)
	equal(t, u.get(t, "/inventory/v1/bills/"+ids[0]).Code, http.StatusOK, "a created bill")
	body := `{"resource":"inventory.bills","ids":["` + ids[0] + `","1"]}`
	if answer := u.send(t, http.MethodPost, "/_sandbox/delete", nil, body); answer.Code != http.StatusBadRequest || u.get(t, "/inventory/v1/bills/"+ids[0]).Code != http.StatusOK {
		t.Errorf("deleting one that is not there: %d %s", answer.Code, answer.Body)
	}
	var gone struct{ Deleted []string }
	u.post(t, "delete", `{"resource":"inventory.bills","ids":["`+ids[0]+`"]}`, &gone)
	if !slices.Equal(gone.Deleted, ids[:1]) || u.get(t, "/inventory/v1/bills/"+ids[0]).Code != http.StatusNotFound || u.get(t, "/inventory/v1/bills/"+ids[1]).Code != http.StatusOK {
		t.Errorf("deleted %v", gone)
	}
	answer := u.send(t, http.MethodPost, "/_sandbox/delete", nil, `{"resource":"bills","ids":[]}`)
	errorIf(t, answer.Code != http.StatusBadRequest, "a resource without its service: status %d", answer.Code)
}

func TestPlanChangesWhileRunning(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Records: 60, Plan: "free"})
	limit := func() string { return u.get(t, "/inventory/v1/items").Header().Get("X-Rate-Limit-Limit") }
	equal(t, limit(), "1500", "free")
	var now struct {
		Plan   string
		Limits map[string]int
	}
	u.post(t, "plan", `{"plan":"premium"}`, &now)
	got := limit()
	errorIf(t, got != "7500" || now.Plan != "premium" || now.Limits["concurrent"] != 10, "premium: %s, %+v", got, now)
	u.post(t, "plan", `{"plan":"free","limits":{"daily_inventory":2}}`, &now)
	if answer := u.get(t, "/inventory/v1/items"); answer.Code != http.StatusTooManyRequests || answer.Header().Get("X-Rate-Limit-Remaining") != "0" {
		t.Errorf("two were spent before: %d, %v", answer.Code, answer.Header())
	}
	var played []struct{ Plan string }
	decode(t, u.serve(t, http.MethodGet, "/_sandbox/organizations", nil), &played)
	equal(t, played[0].Plan, "free", played)
	equal(t, u.send(t, http.MethodPost, "/_sandbox/plan", nil, `{"plan":"golden"}`).Code, http.StatusBadRequest, "unknown plan")
}

func TestResetMakesEverythingAsItWas(t *testing.T) {
	t.Parallel()
	box := &mailbox{t: t}
	u := start(t, sandbox.Options{Records: 100, Plan: "free", Poster: box, Faults: []sandbox.Fault{{Path: "/api/", Kind: "forbidden"}}})
	before := u.serve(t, http.MethodGet, "/_sandbox/truth/inventory/bills", nil).Body.String()
	u.watch(t, "", `"Purchase_Orders.all"`)
	u.Advance(3 * time.Hour)
	u.change(t, sandbox.Change{Inserts: 3, Edits: 3, Deletes: 3})
	must(t, u.SetFaults(nil))
	u.post(t, "plan", `{"plan":"premium"}`, &struct{}{})
	var at struct{ Now string }
	u.post(t, "reset", ``, &at)
	equal(t, at.Now, "2026-03-10T06:00:00Z", "the clock says")
	equal(t, u.get(t, "/inventory/v1/items").Code, http.StatusUnauthorized, "an old token")
	u.login(t)
	after := u.serve(t, http.MethodGet, "/_sandbox/truth/inventory/bills", nil).Body.String()
	errorIf(t, after != before || after == "", "the bills are not what they were")
	header := u.get(t, "/inventory/v1/items").Header()
	errorIf(t, header.Get("X-Rate-Limit-Limit") != "1500" || header.Get("X-Rate-Limit-Remaining") != "1498" || u.Deliver(t.Context()) != 0,
		"plan, allowance or channels stayed: %v", header)
	answer := u.serve(t, http.MethodGet, "/api/v2/channels", http.Header{"Content-Type": {"application/json"}})
	errorIf(t, answer.Code != http.StatusForbidden, "the faults of the beginning are gone: %d", answer.Code)
}

// The sender of callbacks goes on after a reset.
func TestRunOutlivesAReset(t *testing.T) {
	t.Parallel()
	box := &signalled{mailbox: &mailbox{t: t}, arrived: make(chan struct{}, 10)}
	u := start(t, sandbox.Options{Records: 100, Poster: box})
	done := make(chan struct{})
	go func() {
		defer close(done)
		u.Run(t.Context())
	}()
	must(t, u.Reset())
	u.login(t)
	u.watch(t, "", `"Products.all"`)
	u.change(t, sandbox.Change{Edits: 1, Resources: []string{"items"}})
	<-box.arrived
}

func TestStatisticsProveWhatWasDone(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Records: 60, Limits: sandbox.Limits{DailyInventory: 2, RetryAfterEvery: 2}})
	var waits []string
	for range 5 {
		waits = append(waits, u.get(t, "/inventory/v1/items").Header().Get("Retry-After"))
	}
	equal(t, waits, []string{"", "", "86400", "", "86400"}, "Retry-After") // a rolling day
	u.Advance(36 * time.Hour)
	u.login(t)
	u.get(t, "/inventory/v1/items")
	u.serve(t, http.MethodGet, "/inventory/v1/items", http.Header{"Authorization": {"Svc-oauthtoken 1000.other"}})
	stats := u.Stats()
	want := map[string]map[string]int{"2026-03-10": {"inventory": 2}, "2026-03-11": {"inventory": 2}}
	equal(t, stats.Spent, want, "spent (-want +got)")
	equal(t, stats.ByClient, map[string]int{sandbox.ClientID: 6}, "by client (-want +got)")
	errorIf(t, stats.Worst60s != 7 || stats.WorstConcurrent != 1 || stats.Refused["45"] != 3, "%+v", stats)
}

// What the controls show of the endpoints is the whole table.
func TestDescription(t *testing.T) {
	t.Parallel()
	u := several(t)
	var described struct {
		Servers []struct{ URL string }
		Paths   map[string]map[string]json.RawMessage
	}
	decode(t, u.serve(t, http.MethodGet, "/_sandbox/openapi.json", nil), &described)
	var rows []struct{ Method, Path string }
	decode(t, u.serve(t, http.MethodGet, "/_sandbox/endpoints", nil), &rows)
	operations := 0
	for _, methods := range described.Paths {
		operations += len(methods)
	}
	for _, row := range rows {
		errorIf(t, described.Paths[row.Path][strings.ToLower(row.Method)] == nil, "%s %s is not described", row.Method, row.Path)
	}
	if operations != len(rows) || len(rows) < 70 || len(described.Servers) != 2 || described.Servers[1].URL != "http://127.0.0.1:8086/dc/eu" {
		t.Errorf("%d operations, %d rows, servers %v", operations, len(rows), described.Servers)
	}
}
