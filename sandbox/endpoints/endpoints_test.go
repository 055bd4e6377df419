package endpoints_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"sluice/sandbox/company"
	"sluice/sandbox/endpoints"
	"sluice/sandbox/lists"
)

// Each row is complete: a service, a handler, and a resource if it reads records.
func TestEveryRowIsWhole(t *testing.T) {
	t.Parallel()
	served := map[string]bool{}
	for _, e := range endpoints.Table() {
		errorIf(t, e.Service() == "" || e.Serve == nil || e.Method == "", "%s %s: service %q", e.Method, e.Path, e.Service())
		errorIf(t, e.Scope == "" && !strings.HasSuffix(e.Path, "/organizations"), "%s: no scope", e.Path)
		errorIf(t, e.Resource.Name == "" && !strings.HasSuffix(e.Path, "/basecurrencyadjustment/accounts"), "%s: no resource", e.Path)
		errorIf(t, e.Resource.Name != "" && e.Resource.Service != e.Service(), "%s: resource of %s", e.Path, e.Resource.Service)
		served[e.Resource.Service+"/"+e.Resource.Name] = true
	}
	for _, e := range lists.All() {
		errorIf(t, !served[e.Service+"/"+e.Name], "%s/%s: no row serves it", e.Service, e.Name)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	table := []endpoints.Endpoint{
		{Method: http.MethodGet, Path: "/a/accounts", Note: "word"},
		{Method: http.MethodGet, Path: "/a/{id}", Note: "name"},
		{Method: http.MethodPut, Path: "/a/{id}", Note: "put"},
		{Method: http.MethodDelete, Path: "/b", Note: "b"},
	}
	for _, c := range []struct {
		method, path, note, id string
		status                 int
	}{
		{http.MethodGet, "/a/accounts", "word", "", http.StatusOK},
		{http.MethodGet, "/a/7", "name", "7", http.StatusOK},
		{http.MethodGet, "/a/7%2F8", "name", "7/8", http.StatusOK},
		{http.MethodPut, "/a/7", "put", "7", http.StatusOK},
		{http.MethodPost, "/a/7", "", "", http.StatusMethodNotAllowed},
		{http.MethodGet, "/b", "", "", http.StatusMethodNotAllowed},
		{http.MethodGet, "/a/", "", "", http.StatusNotFound},
		{http.MethodGet, "/a/7/8", "", "", http.StatusNotFound},
		{http.MethodGet, "/c", "", "", http.StatusNotFound},
	} {
		e, values, status := endpoints.Find(table, c.method, c.path)
		errorIf(t, e.Note != c.note || values["id"] != c.id || status != c.status,
			"%s %s: row %q, id %q, status %d", c.method, c.path, e.Note, values["id"], status)
	}
}

// docs/upstream.md U69: 406 for a response type that is not supported.
func TestAccept(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 10, 6, 0, 0, 0, time.UTC)
	played, err := company.New(company.Settings{ID: "1", Records: 10, TimeZone: "UTC", Plan: "free", Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path, content, accept string
		status                int
	}{
		{"/api/v2/channels", "application/json", "", 200},
		{"/api/v2/channels", "application/json", "*/*", 200},
		{"/api/v2/channels", "application/json", "text/html, application/*;q=0.8", 200},
		{"/api/v2/channels", "application/json", "application/json;q=0.0", 406},
		{"/api/v2/channels", "application/json", "text/csv", 406},
		{"/maintenanceapi/v2/chats", "text/csv", "text/csv", 200},
		{"/maintenanceapi/v2/chats", "text/csv", "application/json", 406},
		{"/maintenanceapi/v2/chats", "text/csv", ";;", 406},
	} {
		e, values, _ := endpoints.Find(endpoints.Table(), http.MethodGet, c.path)
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, c.path+"?fields=chat_id", nil)
		request.Header.Set("Content-Type", c.content)
		request.Header.Set("Accept", c.accept)
		recorder := httptest.NewRecorder()
		e.Serve(&endpoints.Call{ResponseWriter: recorder, Request: request, Endpoint: e, Values: values, Company: played})
		errorIf(t, recorder.Code != c.status, "%s, Accept %q: status %d, want %d", c.path, c.accept, recorder.Code, c.status)
	}
}

// errorIf fails the test where something is not as it should be, and says what.
func errorIf(tb testing.TB, wrong bool, format string, args ...any) {
	tb.Helper()
	if wrong {
		tb.Errorf(format, args...)
	}
}
