package sandbox_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"sluice/sandbox"
)

// docs/upstream.md U17 and U39: the sandbox serves forms that live services accept beyond the
// documents, and marks them as assumed. Strictly it refuses them.
func TestHabits(t *testing.T) {
	t.Parallel()
	for _, strict := range []bool{false, true} {
		u := start(t, sandbox.Options{Records: 60, Networks: []string{"partners"}, Strict: strict})
		token := "Bearer " + u.token
		json := http.Header{"Content-Type": {"application/json"}}
		for name, c := range map[string]struct {
			target  string
			header  http.Header
			refusal int
		}{
			"a slash at the end":        {target("/inventory/v1/items/"), nil, http.StatusNotFound},
			"doubled slashes":           {"/" + target("/books//v3/chartofaccounts"), nil, http.StatusNotFound},
			"both, in a network":        {"/network/partners//api/v2/channels/", json, http.StatusNotFound},
			"chat as it is":             {"/api/v2/channels", nil, http.StatusBadRequest},
			"an export as it is":        {"/maintenanceapi/v2/chats?fields=chat_id", nil, http.StatusNotAcceptable},
			"an organization asked for": {target("/invoice/v3/settings/currencies"), nil, http.StatusBadRequest},
			"Bearer":                    {target("/books/v3/chartofaccounts"), http.Header{"Authorization": {token}}, http.StatusUnauthorized},
		} {
			answer := u.serve(t, http.MethodGet, c.target, c.header)
			want := http.StatusOK
			if strict {
				want = c.refusal
			}
			equal(t, answer.Code, want, strict, name, answer.Body)
			marks := strings.Join(answer.Header().Values("X-Sandbox-Assumed"), " ")
			errorIf(t, !strict && !strings.Contains(marks, "live services"), "%s is not marked as assumed: %q", name, marks)
		}
	}
}

// Forms that no live service was seen to accept are refused in any case. Documented forms are not
// marked.
func TestNoHabits(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Records: 60})
	bearer := http.Header{"Authorization": {"Bearer " + u.token}, "Content-Type": {"application/json"}}
	header := http.Header{"X-Com-Svc-Invoice-Organizationid": {sandbox.DefaultOrganizationID}}
	for name, c := range map[string]struct {
		target string
		header http.Header
		want   int
	}{
		"Bearer in chat":               {"/api/v2/channels", bearer, http.StatusUnauthorized},
		"Bearer in inventory":          {target("/inventory/v1/items"), bearer, http.StatusUnauthorized},
		"another type in chat":         {"/api/v2/channels", http.Header{"Content-Type": {"text/plain"}}, http.StatusBadRequest},
		"accounting with a header":     {"/books/v3/chartofaccounts", header, http.StatusBadRequest},
		"another organization":         {"/invoice/v3/settings/currencies?organization_id=1", nil, http.StatusBadRequest},
		"no organization":              {"/invoice/v3/settings/currencies", nil, http.StatusBadRequest},
		"an escaped slash is a name's": {target("/books/v3/chartofaccounts%2F"), nil, http.StatusNotFound},
	} {
		answer := u.serve(t, http.MethodGet, c.target, c.header)
		errorIf(t, answer.Code != c.want, "%s: status %d, want %d: %.200s", name, answer.Code, c.want, answer.Body)
	}
	for _, header := range []http.Header{nil, {"Content-Type": {"application/json"}}} {
		answer := u.serve(t, http.MethodGet, target("/books/v3/chartofaccounts"), header)
		marks := strings.Join(answer.Header().Values("X-Sandbox-Assumed"), " ")
		errorIf(t, answer.Code != http.StatusOK || strings.Contains(marks, "live services"), "status %d, assumed %q", answer.Code, marks)
	}
}

// docs/upstream.md U39: consent works without state, and none comes back.
func TestConsentWithoutState(t *testing.T) {
	t.Parallel()
	for strict, want := range map[bool]int{false: http.StatusFound, true: http.StatusBadRequest} {
		u := start(t, sandbox.Options{Records: 60, Strict: strict})
		query := url.Values{
			"scope": {"SvcInventory.items.READ"}, "client_id": {sandbox.ClientID}, "response_type": {"code"},
			"redirect_uri": {"http://127.0.0.1:1/done"}, "access_type": {"offline"},
		}
		form := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
		answer := u.send(t, http.MethodPost, "/oauth/v2/auth?"+query.Encode(), form, "decision=accept")
		back, err := url.Parse(answer.Header().Get("Location"))
		fatalIf(t, err != nil || answer.Code != want,
			"strict %t: %d to %q: %.300s", strict, answer.Code, answer.Header().Get("Location"), answer.Body)
		errorIf(t, !strict && (back.Query().Get("code") == "" || back.Query().Has("state")), "it goes back to %s", back)
	}
}
