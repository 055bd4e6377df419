package endpoints_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"sluice/sandbox/company"
	"sluice/sandbox/endpoints"
)

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
		if recorder.Code != c.status {
			t.Errorf("%s, Accept %q: status %d, want %d", c.path, c.accept, recorder.Code, c.status)
		}
	}
}
