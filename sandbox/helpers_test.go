package sandbox_test

import (
	"encoding/json"
	"io"
	"iter"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/sandbox"
)

// clock is moved by hand.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 3, 10, 6, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// upstream is a server under test with a token for it.
type upstream struct {
	*sandbox.Server

	clock *clock
	token string
}

func start(t *testing.T, options sandbox.Options) *upstream {
	t.Helper()
	u := &upstream{clock: newClock()}
	if options.Now == nil {
		options.Now = u.clock.Now
	}
	server := sure(sandbox.New(options))(t)
	u.Server = server
	u.login(t)
	return u
}

func (u *upstream) login(t *testing.T) {
	t.Helper()
	var answer struct {
		Token string `json:"access_token"`
	}
	decode(t, u.serve(t, http.MethodPost, tokenURL(nil), nil), &answer)
	fatalIf(t, answer.Token == "", "no access token")
	u.token = answer.Token
}

func tokenURL(change url.Values) string {
	query := url.Values{
		"grant_type": {"refresh_token"}, "refresh_token": {sandbox.RefreshToken},
		"client_id": {sandbox.ClientID}, "client_secret": {sandbox.ClientSecret},
	}
	maps.Copy(query, change)
	return "/oauth/v2/token?" + query.Encode()
}

// serve calls the handler without a network.
func (u *upstream) serve(t *testing.T, method, target string, header http.Header) *httptest.ResponseRecorder {
	t.Helper()
	return u.send(t, method, target, header, "")
}

func (u *upstream) send(t *testing.T, method, target string, header http.Header, body string) *httptest.ResponseRecorder {
	t.Helper()
	request := httptest.NewRequestWithContext(t.Context(), method, target, strings.NewReader(body))
	if u.token != "" {
		request.Header.Set("Authorization", "Svc-oauthtoken "+u.token)
	}
	if strings.HasPrefix(target, "/_sandbox/") { // the controls answer on this machine only, and by its address
		request.RemoteAddr, request.Host = "127.0.0.1:40000", "127.0.0.1:8086"
	}
	maps.Copy(request.Header, header)
	recorder := httptest.NewRecorder()
	u.ServeHTTP(recorder, request)
	return recorder
}

// get calls a service for the organization with name=value parameters.
func (u *upstream) get(t *testing.T, path string, pairs ...string) *httptest.ResponseRecorder {
	t.Helper()
	return u.serve(t, http.MethodGet, target(path, pairs...), nil)
}

func target(path string, pairs ...string) string {
	query := url.Values{"organization_id": {sandbox.DefaultOrganizationID}}
	for n := 0; n < len(pairs); n += 2 {
		query.Set(pairs[n], pairs[n+1])
	}
	return path + "?" + query.Encode()
}

func csvHeader() http.Header { return http.Header{"Content-Type": {"text/csv"}} }

func decode(t *testing.T, answer *httptest.ResponseRecorder, into any) {
	t.Helper()
	err := json.Unmarshal(answer.Body.Bytes(), into)
	fatalIf(t, err != nil, "status %d: %v\n%.300s", answer.Code, err, answer.Body)
}

// object is a record with its values as they were written.
type object = map[string]json.RawMessage

type pageContext struct {
	Page    int    `json:"page"`
	PerPage int    `json:"per_page"`
	More    bool   `json:"has_more_page"`
	Column  string `json:"sort_column"`
	Order   string `json:"sort_order"`
	Filter  string `json:"applied_filter"`
	Report  string `json:"report_name"`
}

type page struct {
	Code    int
	Records []object
	Context *pageContext
}

func readPage(t *testing.T, answer *httptest.ResponseRecorder, key string) page {
	t.Helper()
	fatalIf(t, answer.Code != http.StatusOK, "status %d: %.300s", answer.Code, answer.Body)
	var envelope object
	decode(t, answer, &envelope)
	var p page
	unmarshal(t, envelope["code"], &p.Code)
	unmarshal(t, envelope[key], &p.Records)
	if envelope["page_context"] != nil {
		unmarshal(t, envelope["page_context"], &p.Context)
	}
	return p
}

func unmarshal(t *testing.T, data []byte, into any) {
	t.Helper()
	err := json.Unmarshal(data, into)
	fatalIf(t, err != nil, "%v in %.200s", err, data)
}

// text reads a JSON text.
func text(t *testing.T, value json.RawMessage) string {
	t.Helper()
	var s string
	unmarshal(t, value, &s)
	return s
}

type listing struct{ service, name, path, key, id, one string }

func listings() []listing {
	return []listing{
		{"accounting", "chart_of_accounts", "/books/v3/chartofaccounts", "chartofaccounts", "account_id", "chart_of_account"},
		{"accounting", "vendor_payments", "/books/v3/vendorpayments", "vendorpayments", "payment_id", "vendorpayment"},
		{"inventory", "items", "/inventory/v1/items", "items", "item_id", "item"},
		{"inventory", "bills", "/inventory/v1/bills", "bills", "bill_id", "bill"},
		{"inventory", "credit_notes", "/inventory/v1/creditnotes", "creditnotes", "creditnote_id", "creditnote"},
	}
}

// all reads a list to its end.
func (u *upstream) all(t *testing.T, l listing, pairs ...string) []object {
	t.Helper()
	var records []object
	for n := 1; ; n++ {
		p := readPage(t, u.get(t, l.path, append([]string{"filter_by", "AccountType.All", "page", strconv.Itoa(n)}, pairs...)...), l.key)
		fatalIf(t, p.Context == nil || p.Context.Page != n, "%s page %d: context %+v", l.name, n, p.Context)
		records = append(records, p.Records...)
		if !p.Context.More {
			return records
		}
	}
}

func readAll(t *testing.T, body io.Reader) string {
	t.Helper()
	data := sure(io.ReadAll(body))(t)
	return string(data)
}

func off() sandbox.Limits { return sandbox.Limits{Off: true} }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// equal compares two values; where says what they are.
func equal[T any](t *testing.T, got, want T, where ...any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%v (-want +got):\n%.500s", where, diff)
	}
}

func (u *upstream) change(t *testing.T, change sandbox.Change) sandbox.Changed {
	t.Helper()
	changed := sure(u.Change(change))(t)
	return changed
}

// truths are the records of a resource as they should be.
func (u *upstream) truths(t *testing.T, service, resource string) iter.Seq[object] {
	t.Helper()
	return func(yield func(object) bool) {
		for record := range u.Truth(service, resource) {
			if !yield(parsed(t, record)) {
				return
			}
		}
	}
}

// texts are the values that records have for a key.
func texts(t *testing.T, records iter.Seq[object], key string) []string {
	t.Helper()
	var values []string
	for record := range records {
		values = append(values, text(t, record[key]))
	}
	return values
}

// set holds what was listed.
func set(values []string) map[string]bool {
	held := map[string]bool{}
	for _, value := range values {
		held[value] = true
	}
	return held
}

func parsed(t *testing.T, record []byte) object {
	t.Helper()
	var fields object
	unmarshal(t, record, &fields)
	return fields
}

// fatalIf ends the test where something makes the rest of it senseless.
func fatalIf(tb testing.TB, wrong bool, format string, args ...any) {
	tb.Helper()
	if wrong {
		tb.Fatalf(format, args...)
	}
}

// errorIf fails the test where something is not as it should be, and says what.
func errorIf(tb testing.TB, wrong bool, format string, args ...any) {
	tb.Helper()
	if wrong {
		tb.Errorf(format, args...)
	}
}

// sure gives the value of a call that may not fail.
func sure[T any](value T, err error) func(testing.TB) T {
	return func(tb testing.TB) T {
		tb.Helper()
		fatalIf(tb, err != nil, "%v", err)
		return value
	}
}
