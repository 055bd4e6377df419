package upstream_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/pipeline"
	"sluice/pipeline/sync"
	"sluice/pipeline/upstream"
	"sluice/pipeline/upstream/token"
)

var _ sync.Source = (*upstream.Client)(nil)

func TestPageGivesRecordsAsTheyCame(t *testing.T) {
	t.Parallel()
	r := newFixture(t, answer(200, "application/json;charset=UTF-8", twoAccounts,
		"Date", "Sat, 17 Jan 2026 11:59:58 GMT",
		"X-Rate-Limit-Limit", "2000", "X-Rate-Limit-Remaining", "1999", "X-Rate-Limit-Reset", "3600"))
	page, err := r.client.Page(t.Context(), ask(1))
	if err != nil {
		t.Fatal(err)
	}
	want := pipeline.Page{
		Call: 1, Date: time.Date(2026, 1, 17, 11, 59, 58, 0, time.UTC), More: true, PerPage: 200,
		Records: [][]byte{[]byte(`{"account_id":"1","name":"Kasse"}`), []byte(`{"account_id":"2"}`)},
	}
	if diff := cmp.Diff(want, page); diff != "" {
		t.Error(diff)
	}
	wantCalls := []pipeline.Call{{
		Organization: "60012345678", Service: "accounting", Resource: "chart_of_accounts", Class: pipeline.ClassIncremental,
		Run: 42, Method: "GET", Path: "/books/v3/chartofaccounts", Endpoint: "/chartofaccounts", Page: 1,
	}}
	if diff := cmp.Diff(wantCalls, r.gate.entered); diff != "" {
		t.Error(diff)
	}
	wantLeft := []pipeline.CallResult{{
		Status: 200, Code: "0", Bytes: int64(len(twoAccounts)), Records: 2,
		DayLimit: 2000, DayRemaining: 1999, DayReset: time.Hour,
	}}
	if diff := cmp.Diff(wantLeft, r.gate.left); diff != "" {
		t.Error(diff)
	}
}

func TestTheRequestIsTheDocumentsRequest(t *testing.T) {
	t.Parallel()
	r := newFixture(t, answer(200, "application/json", twoAccounts))
	question := ask(1)
	question.Since = time.Date(2026, 1, 17, 9, 57, 23, 0, time.UTC)
	question.Sort, question.Order = "account_name", "A"
	if _, err := r.client.Page(t.Context(), question); err != nil {
		t.Fatal(err)
	}
	got := r.seen()[0]
	const want = "filter_by=AccountType.All&last_modified_time=2026-01-17T15%3A27%3A23%2B0530&organization_id=60012345678" +
		"&page=1&per_page=200&sort_column=account_name&sort_order=A"
	if got.URL.RawQuery != want || got.URL.Path != "/books/v3/chartofaccounts" || got.Method != http.MethodGet {
		t.Errorf("request %s %s?%s, want the query %s", got.Method, got.URL.Path, got.URL.RawQuery, want)
	}
	for name, value := range map[string]string{
		"Authorization": "Svc-oauthtoken " + canaryToken, "Accept": "application/json", "Content-Type": "", "Referer": "",
		"Cache-Control": "no-cache", "User-Agent": "sluice", "Content-Length": "", "Transfer-Encoding": "",
	} {
		if got.Header.Get(name) != value {
			t.Errorf("header %s is %q, want %q", name, got.Header.Get(name), value)
		}
	}
	if len(got.TransferEncoding) != 0 || got.ContentLength != 0 {
		t.Errorf("the request has a body: %v, %d", got.TransferEncoding, got.ContentLength)
	}
}

func TestTheOrganizationGoesWhereTheServiceWantsIt(t *testing.T) {
	t.Parallel()
	r := newFixture(t, answer(200, "application/json", `{"code":0,"currencies":[]}`))
	value, err := r.client.Get(t.Context(), invoicing, home, "/settings/currencies", map[string]string{"a": "b"}, "currencies")
	if err != nil || string(value) != "[]" {
		t.Fatalf("Get = %s, %v", value, err)
	}
	got := r.seen()[0]
	if got.Header.Get("X-Com-Svc-Invoice-Organizationid") != "60012345678" || got.URL.RawQuery != "a=b" {
		t.Errorf("header %v, query %s", got.Header, got.URL.RawQuery)
	}
	if r.gate.entered[0].Resource != "currencies" || r.gate.entered[0].Class != pipeline.ClassProbe {
		t.Errorf("call %+v", r.gate.entered[0])
	}
}

func TestAFilterWithoutADeclarationIsRefused(t *testing.T) {
	t.Parallel()
	r := newFixture(t, answer(200, "application/json", twoAccounts))
	question := ask(1)
	question.Since = noon
	other := *accounts
	other.Cursor = nil
	question.Stream.Resource = &other
	_, err := r.client.Page(t.Context(), question)
	r.mustFail(t, err, pipeline.Unexpected)
	if len(r.seen()) != 0 {
		t.Error("the list was asked for nevertheless")
	}
}

func TestBaseURLReplacesHostAndRoot(t *testing.T) {
	t.Parallel()
	r := newFixture(t, answer(200, "application/json", twoAccounts), func(o *upstream.Options) {
		o.Vendor.API = "https://www.nowhere.invalid"
	})
	base := map[string]string{"accounting": r.server.URL + "/copy/v9/", "inventory": "http://inventory.example.com"}
	question := ask(1)
	question.Stream.Org = &pipeline.Organization{Key: home.Key, ID: home.ID, DataCenter: "in", BaseURLs: base}
	if _, err := r.client.Page(t.Context(), question); err != nil {
		t.Fatal(err)
	}
	if got := r.seen()[0].URL.Path; got != "/copy/v9/chartofaccounts" {
		t.Errorf("path %s", got)
	}
	base["accounting"] = "http://books.example.com/v9"
	_, err := r.client.Page(t.Context(), question)
	r.mustFail(t, err, pipeline.Denied)
	base["accounting"] = ""
	_, err = r.client.Page(t.Context(), question)
	r.mustFail(t, err, pipeline.Denied)
}

func TestARefusedCallNeverLeaves(t *testing.T) {
	t.Parallel()
	r := newFixture(t, answer(200, "application/json", twoAccounts))
	refusal := &pipeline.Error{Kind: pipeline.Exhausted, Until: noon.Add(time.Hour)}
	r.gate.refuse = refusal
	if _, err := r.client.Page(t.Context(), ask(1)); !errors.Is(err, refusal) {
		t.Errorf("Page = %v, want the gate's refusal", err)
	}
	down := errors.New("no connection")
	r.gate.refuse = down
	_, err := r.client.Page(t.Context(), ask(1))
	if r.mustFail(t, err, pipeline.Unavailable); !errors.Is(err, down) {
		t.Errorf("Page = %v, want the gate's error inside", err)
	}
	if len(r.seen()) != 0 {
		t.Errorf("%d calls left uncounted", len(r.seen()))
	}
}

func TestACallThatCannotBeNotedFails(t *testing.T) {
	t.Parallel()
	r := newFixture(t, answer(200, "application/json", twoAccounts))
	r.gate.leaveErr = errors.New("no connection")
	_, err := r.client.Page(t.Context(), ask(1))
	r.mustFail(t, err, pipeline.Unavailable)
}

func TestCheck(t *testing.T) {
	t.Parallel()
	r := newFixture(t, func(w http.ResponseWriter, q *http.Request) {
		switch q.URL.Path {
		case "/books/v3/organizations":
			answer(200, "application/json", `{"code":0,"organizations":[{"organization_id":"60012345678"}]}`)(w, q)
		case "/maintenanceapi/v2/chats":
			answer(200, "text/csv", "chat_id\n1\n")(w, q)
		default:
			answer(404, "application/json", `{"code":5}`)(w, q)
		}
	})
	if err := r.client.Check(t.Context(), home, accounting); err != nil {
		t.Error(err)
	}
	if err := r.client.Check(t.Context(), home, chat); err != nil {
		t.Error(err)
	}
	wrong := *accounting
	wrong.Probe.Key = "businesses"
	err := r.client.Check(t.Context(), home, &wrong)
	r.mustFail(t, err, pipeline.Unexpected)
	wrong.Probe.Path = "/elsewhere"
	err = r.client.Check(t.Context(), home, &wrong)
	r.mustFail(t, err, pipeline.Unexpected)
}

func TestNewDemandsItsOptions(t *testing.T) {
	t.Parallel()
	if _, err := upstream.New(upstream.Options{}); err == nil {
		t.Error("New without options succeeded")
	}
	if _, err := token.New(token.Options{}); err == nil {
		t.Error("NewTokens without options succeeded")
	}
}

// TestNoRequestIsSentTwice: net/http repeats a GET by itself when a reused connection dies (faults
// H10). The server must never see more requests than were counted.
func TestNoRequestIsSentTwice(t *testing.T) {
	t.Parallel()
	var arrived atomic.Int32
	r := newFixture(t, nil)
	r.server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if number := arrived.Add(1); number%2 == 0 { // the second request, if the connection were kept
			raw("")(w, q)
			return
		}
		answer(200, "application/json", twoAccounts)(w, q)
	})
	for range 6 {
		_, err := r.client.Page(t.Context(), ask(1))
		r.mustBeClean(t, err)
	}
	if arrived.Load() != 6 || len(r.gate.entered) != 6 {
		t.Errorf("%d requests arrived, %d were counted, 6 were made", arrived.Load(), len(r.gate.entered))
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	touched := false
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { touched = true }))
	defer elsewhere.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		r := newFixture(t, answer(status, "", "", "Location", elsewhere.URL+"/?t="+canaryToken))
		_, err := r.client.Page(t.Context(), ask(1))
		failure := r.mustFail(t, err, pipeline.Unexpected)
		if failure.Detail != "a redirect to host 127.0.0.1, not followed" {
			t.Errorf("detail %q", failure.Detail)
		}
	}
	if touched {
		t.Error("a redirect was followed")
	}
}
