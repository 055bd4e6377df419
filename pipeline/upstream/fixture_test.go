package upstream_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/pipeline/upstream"
	"sluice/pipeline/upstream/wire"
	"sluice/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The canaries must not be in any error or call result, whatever upstream does with them.
const (
	canaryToken   = "1000.canary-access-token"
	canaryRenewed = "1000.canary-renewed-token"
	canarySecret  = "canary-client-secret"
	canaryRefresh = "1000.canary-refresh-token"
)

// fakeGate numbers calls and records their results.
type fakeGate struct {
	mu       sync.Mutex
	refuse   error
	leaveErr error
	entered  []pipeline.Call
	left     []pipeline.CallResult
}

func (g *fakeGate) Enter(_ context.Context, call pipeline.Call) (int64, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.refuse != nil {
		return 0, g.refuse
	}
	if call.Org == nil || call.Org.Key != call.Organization {
		return 0, fmt.Errorf("the call of %s is on the account of %v", call.Organization, call.Org)
	}
	call.Org = nil // left out: it has figures of its own
	g.entered = append(g.entered, call)
	return int64(len(g.entered)), nil
}

func (g *fakeGate) Leave(_ context.Context, _ pipeline.Call, _ int64, result pipeline.CallResult) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.left = append(g.left, result)
	return g.leaveErr
}

func (g *fakeGate) under() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.entered) - len(g.left)
}

// fakeTokens gives the first token, and the renewed token after a refusal. taken says that another
// process has fetched one in between.
type fakeTokens struct {
	mu       sync.Mutex
	taken    bool
	renewed  int
	err      error
	renewErr error
}

func (f *fakeTokens) Token(context.Context, *pipeline.Organization) (wire.Secret, int64, error) {
	return wire.NewSecret(canaryToken), 4, f.err
}

func (f *fakeTokens) Renew(_ context.Context, _ *pipeline.Organization, refused int64) (wire.Renewed, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.renewed++
	switch {
	case f.taken && refused == 4:
		return wire.Renewed{Token: wire.NewSecret(canaryToken), Version: 5}, nil
	case f.taken != (refused == 5):
		return wire.Renewed{}, fmt.Errorf("asked to renew version %d", refused)
	}
	return wire.Renewed{Token: wire.NewSecret(canaryRenewed), Version: refused + 1, Made: true}, f.renewErr
}

type fixture struct {
	client   *upstream.Client
	gate     *fakeGate
	tokens   *fakeTokens
	server   *httptest.Server
	mu       sync.Mutex
	requests []*http.Request
}

var (
	noon  = time.Date(2026, 1, 17, 12, 0, 0, 0, time.UTC)
	india = time.FixedZone("IST", 19_800)
	home  = &pipeline.Organization{Key: "60012345678", ID: "60012345678", Location: india}
	one   = &pipeline.Organization{Key: "1", ID: "1"}
)

// newFixture starts a client against a handler, for a test that runs beside others.
func newFixture(t *testing.T, handler http.HandlerFunc, change ...func(*upstream.Options)) *fixture {
	t.Helper()
	t.Parallel()
	return makeFixture(t, handler, change...)
}

// makeFixture is newFixture for a test that makes several.
func makeFixture(t *testing.T, handler http.HandlerFunc, change ...func(*upstream.Options)) *fixture {
	t.Helper()
	r := &fixture{gate: &fakeGate{}, tokens: &fakeTokens{}}
	r.server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		r.mu.Lock()
		r.requests = append(r.requests, q)
		r.mu.Unlock()
		handler(w, q)
	}))
	r.server.Config.ErrorLog = nil
	r.server.Start()
	t.Cleanup(r.server.Close)
	options := upstream.Options{
		Vendor: wire.Vendor{Name: "Svc", API: r.server.URL, Chat: r.server.URL, Auth: r.server.URL},
		Gate:   r.gate, Tokens: r.tokens,
		Now: func() time.Time { return noon },
	}
	for _, c := range change {
		c(&options)
	}
	client := check.Sure(upstream.New(options))(t)
	r.client = client
	return r
}

func (r *fixture) seen() []*http.Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]*http.Request(nil), r.requests...)
}

var (
	accounting = &schema.Service{
		Name: "accounting", Host: schema.HostAPI, Root: "/books/v3",
		Organization: schema.OrganizationPlacement{Query: "organization_id"},
		Probe:        schema.Probe{Path: "/organizations", Key: "organizations"},
	}
	invoicing = &schema.Service{
		Name: "invoicing", Host: schema.HostAPI, Root: "/invoice/v3",
		Organization: schema.OrganizationPlacement{Header: "X-com-{vendor}-invoice-organizationid"},
	}
	chat = &schema.Service{
		Name: "chat", Host: schema.HostChat, Envelope: schema.EnvelopePlain,
		Probe: schema.Probe{Path: "/maintenanceapi/v2/chats", Query: map[string]string{"fields": "chat_id"}, Format: schema.FormatCSV},
	}
	accounts = &schema.Resource{
		Name: "chart_of_accounts", Path: "/chartofaccounts", Key: "chartofaccounts",
		Params: map[string]string{"filter_by": "AccountType.All"},
		Cursor: schema.Since{Column: "last_modified_time", Param: "last_modified_time"},
	}
	conversations = &schema.Resource{
		Name: "conversations", Path: "/maintenanceapi/v2/chats",
		Cursor:  schema.Export{FieldsParam: "fields"},
		Columns: []schema.Column{schema.Text("title", ""), schema.ID("chat_id", ""), schema.Int("participant_count", "")},
	}
)

func ask(page int) pipeline.Request {
	return pipeline.Request{
		Stream: pipeline.Stream{Organization: home.Key, Org: home, Service: accounting, Resource: accounts},
		Class:  pipeline.ClassIncremental, Run: 42, Page: page, PerPage: 200,
	}
}

func askExport() pipeline.Request {
	return pipeline.Request{
		Stream: pipeline.Stream{Organization: home.Key, Org: home, Service: chat, Resource: conversations},
		Class:  pipeline.ClassSweep, Run: 43,
	}
}

const twoAccounts = `{"code":0,"message":"success","chartofaccounts":[{"account_id":"1","name":"Kasse"},{"account_id":"2"}],` +
	`"page_context":{"page":1,"per_page":200,"has_more_page":true,"report_name":"Kontenplan"}}`

func answer(status int, contentType, text string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if contentType != "" {
			w.Header().Set("Content-Type", contentType)
		}
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}
}

// raw answers with exactly these bytes and closes the connection.
func raw(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		_, _ = io.WriteString(conn, text)
		_ = conn.Close()
	}
}

// mustFail demands an error of the kind, without canaries, and that the call was counted and its
// result noted.
func (r *fixture) mustFail(t *testing.T, err error, kind pipeline.Kind) *pipeline.Error {
	t.Helper()
	var failure *pipeline.Error
	check.FatalIf(t, !errors.As(err, &failure), "error %v, want one of kind %v", err, kind)
	check.ErrorIf(t, failure.Kind != kind, "error %q, want kind %v", err, kind)
	r.mustBeClean(t, err)
	check.Same(t, "calls entered and never left", 0, r.gate.under())
	return failure
}

// page asks for a page, which has to come.
func (r *fixture) page(t *testing.T, request pipeline.Request) pipeline.Page {
	t.Helper()
	return check.Sure(r.client.Page(t.Context(), request))(t)
}

// refused asks for a page, and demands an error of the kind.
func (r *fixture) refused(t *testing.T, request pipeline.Request, kind pipeline.Kind) *pipeline.Error {
	t.Helper()
	_, err := r.client.Page(t.Context(), request)
	return r.mustFail(t, err, kind)
}

func (r *fixture) mustBeClean(t *testing.T, err error) {
	t.Helper()
	texts := []string{fmt.Sprintf("%v %+v %#v", err, err, err)}
	for e := err; e != nil; e = errors.Unwrap(e) {
		texts = append(texts, e.Error(), fmt.Sprintf("%#v", e))
	}
	texts = append(texts, fmt.Sprintf("%+v", r.gate.left))
	for _, text := range texts {
		for _, canary := range []string{"canary", "organization_id=", "filter_by"} {
			check.ErrorIf(t, strings.Contains(text, canary), "%q shows up in %q", canary, text)
		}
	}
}
