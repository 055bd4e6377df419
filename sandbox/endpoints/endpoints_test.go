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
		if e.Service() == "" || e.Serve == nil || e.Method == "" {
			t.Errorf("%s %s: service %q", e.Method, e.Path, e.Service())
		}
		if e.Scope == "" && !strings.HasSuffix(e.Path, "/organizations") {
			t.Errorf("%s: no scope", e.Path)
		}
		if e.Resource.Name == "" && !strings.HasSuffix(e.Path, "/basecurrencyadjustment/accounts") {
			t.Errorf("%s: no resource", e.Path)
		}
		if e.Resource.Name != "" && e.Resource.Service != e.Service() {
			t.Errorf("%s: resource of %s", e.Path, e.Resource.Service)
		}
		served[e.Resource.Service+"/"+e.Resource.Name] = true
	}
	for _, e := range lists.All() {
		if !served[e.Service+"/"+e.Name] {
			t.Errorf("%s/%s: no row serves it", e.Service, e.Name)
		}
	}
}

// Every GET of the endpoint tables of the API documents (docs/upstream.md), copied by hand.
func TestEveryDocumentedReadIsServed(t *testing.T) {
	t.Parallel()
	for path, scope := range map[string]string{
		"/books/v3/organizations":                   "",
		"/books/v3/contacts/7/contactpersons":       "Books.contacts.READ",
		"/books/v3/contacts/7/contactpersons/8":     "Books.contacts.READ",
		"/books/v3/cm_debtor":                       "Books.custommodules.ALL",
		"/books/v3/settings/openingbalances":        "Books.settings.READ",
		"/books/v3/chartofaccounts":                 "Books.accountants.READ",
		"/books/v3/vendorpayments":                  "Books.vendorpayments.READ",
		"/books/v3/basecurrencyadjustment":          "Books.accountants.READ",
		"/books/v3/basecurrencyadjustment/7":        "Books.accountants.READ",
		"/books/v3/basecurrencyadjustment/accounts": "Books.accountants.READ",
		"/invoice/v3/settings/currencies":           "Invoice.settings.READ",
		"/invoice/v3/settings/currencies/7":         "Invoice.settings.READ",
		"/billing/v1/customers/7/contactpersons":    "Subscriptions.customers.READ",
		"/billing/v1/customers/7/contactpersons/8":  "Subscriptions.customers.READ",
		"/inventory/v1/organizations":               "",
		"/inventory/v1/locations":                   "Inventory.settings.READ",
		"/inventory/v1/compositeitems":              "Inventory.compositeitems.READ",
		"/inventory/v1/settings/taxes":              "Inventory.settings.READ",
		"/inventory/v1/settings/taxes/7":            "Inventory.settings.READ",
		"/inventory/v1/items":                       "Inventory.items.READ",
		"/inventory/v1/itemdetails":                 "Inventory.items.READ",
		"/inventory/v1/bills":                       "Inventory.bills.READ",
		"/inventory/v1/creditnotes":                 "Inventory.creditnotes.READ",
		"/api/v2/channels":                          "Chat.Channels.READ",
		"/maintenanceapi/v2/chats":                  "Chat.OrganizationChats.READ",
		"/network/partners/api/v2/channels":         "Chat.Channels.READ",
		"/network/partners/maintenanceapi/v2/chats": "Chat.OrganizationChats.READ",
	} {
		e, _, status := endpoints.Find(endpoints.Table(), http.MethodGet, path)
		if status != http.StatusOK || e.Scope != scope {
			t.Errorf("%s: status %d, scope %q, want %q", path, status, e.Scope, scope)
		}
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
		if e.Note != c.note || values["id"] != c.id || status != c.status {
			t.Errorf("%s %s: row %q, id %q, status %d", c.method, c.path, e.Note, values["id"], status)
		}
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
		if recorder.Code != c.status {
			t.Errorf("%s, Accept %q: status %d, want %d", c.path, c.accept, recorder.Code, c.status)
		}
	}
}
