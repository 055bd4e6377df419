package sandbox_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"sluice/sandbox"
)

// consented goes through the consent page like a browser and returns the token for the code that
// comes back.
func (u *upstream) consented(t *testing.T, prefix, scopes string) map[string]any {
	t.Helper()
	const back = "http://127.0.0.1:54321/done"
	query := url.Values{
		"scope": {scopes}, "client_id": {sandbox.ClientID}, "state": {"s1"}, "response_type": {"code"},
		"redirect_uri": {back}, "access_type": {"offline"}, "prompt": {"consent"},
	}
	address := prefix + "/oauth/v2/auth?" + query.Encode()
	if page := u.serve(t, http.MethodGet, address, nil); page.Code != http.StatusOK || !strings.Contains(page.Body.String(), "<form method=\"post\">") {
		t.Fatalf("consent page: %d %.300s", page.Code, page.Body)
	}
	form := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
	answer := u.send(t, http.MethodPost, address, form, "decision=accept&organization="+url.QueryEscape("60000000001/"+sandbox.DefaultOrganizationID))
	target, err := url.Parse(answer.Header().Get("Location"))
	if err != nil || answer.Code != http.StatusFound || target.Query().Get("state") != "s1" {
		t.Fatalf("consent: %d to %q: %.300s", answer.Code, answer.Header().Get("Location"), answer.Body)
	}
	query = url.Values{
		"grant_type": {"authorization_code"}, "code": {target.Query().Get("code")}, "client_id": {sandbox.ClientID},
		"client_secret": {sandbox.ClientSecret}, "redirect_uri": {back}, "state": {"s1"},
	}
	var given map[string]any
	decode(t, u.serve(t, http.MethodPost, prefix+"/oauth/v2/token?"+query.Encode(), nil), &given)
	return given
}

func bearer(given map[string]any) http.Header {
	token, _ := given["access_token"].(string)
	return http.Header{"Authorization": {"Svc-oauthtoken " + token}, "Content-Type": {"application/json"}}
}

// A token opens exactly the scopes of its consent (docs/upstream.md U34; U64: 401 code 57 is a dead
// token or a missing scope).
func TestScopesAreEnforced(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Records: 60})
	given := u.consented(t, "", "SvcInventory.items.READ,SvcChat.Messages.READ")
	if refresh, _ := given["refresh_token"].(string); refresh == "" || refresh == sandbox.RefreshToken {
		t.Errorf("refresh token %q", refresh)
	}
	for _, c := range []struct {
		method, path string
		status       int
		code         string
	}{
		{http.MethodGet, "/inventory/v1/items", http.StatusOK, `"code":0`},
		{http.MethodGet, "/inventory/v1/organizations", http.StatusOK, `"code":0`}, // any token opens it
		{http.MethodGet, "/inventory/v1/bills", http.StatusUnauthorized, `"code":57`},
		{http.MethodGet, "/books/v3/cm_projects", http.StatusUnauthorized, `"code":57`},
		{http.MethodPost, "/inventory/v1/items", http.StatusUnauthorized, `"code":57`},
		{http.MethodGet, "/api/v2/channels", http.StatusForbidden, `"code":"operation_not_allowed"`},
		{http.MethodPost, "/crm/v8/actions/watch", http.StatusUnauthorized, `"code":"OAUTH_SCOPE_MISMATCH"`},
	} {
		answer := u.serve(t, c.method, target(c.path), bearer(given))
		if answer.Code != c.status || !strings.Contains(answer.Body.String(), c.code) {
			t.Errorf("%s %s: %d %.200s, want %d %s", c.method, c.path, answer.Code, answer.Body, c.status, c.code)
		}
		if c.status == http.StatusUnauthorized && answer.Header().Get("X-Sandbox-Assumed") == "" {
			t.Errorf("%s %s: the refusal is not marked as assumed", c.method, c.path)
		}
	}
}

// Each service refuses a call without a token, and one with a dead token, in its own form.
func TestRefusalsByService(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Records: 60})
	none, dead := http.Header{"Authorization": {""}}, http.Header{"Authorization": {"Svc-oauthtoken 1000.dead"}}
	for path, want := range map[string][2]string{
		"/inventory/v1/items":   {`"code":14`, `"code":57`},
		"/invoice/v3/contacts":  {`"code":14`, `"code":57`},
		"/api/v2/channels":      {`"code":"oauthtoken_invalid"`, `"code":"oauthtoken_invalid"`},
		"/crm/v8/actions/watch": {`"code":"AUTHENTICATION_FAILURE"`, `"code":"INVALID_TOKEN"`},
	} {
		method := http.MethodGet
		if strings.HasPrefix(path, "/crm/") {
			method = http.MethodPost
		}
		for n, header := range []http.Header{none, dead} {
			answer := u.serve(t, method, target(path), header)
			if answer.Code != http.StatusUnauthorized || !strings.Contains(answer.Body.String(), want[n]) {
				t.Errorf("%s: %d %s, want %s", path, answer.Code, answer.Body, want[n])
			}
		}
	}
}

func TestConsentAbroad(t *testing.T) {
	t.Parallel()
	u := several(t)
	given := u.consented(t, "/dc/eu", "SvcInventory.bills.READ")
	if domain := given["api_domain"]; domain != "http://example.com/dc/eu" {
		t.Errorf("api_domain %v", domain)
	}
	for prefix, want := range map[string]int{"/dc/eu": http.StatusOK, "": http.StatusUnauthorized} {
		if answer := u.serve(t, http.MethodGet, prefix+target("/inventory/v1/bills"), bearer(given)); answer.Code != want {
			t.Errorf("%q: status %d, want %d", prefix, answer.Code, want)
		}
	}
}

func TestRevokedRefreshToken(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Records: 60})
	revoke := "/oauth/v2/token/revoke?token=" + url.QueryEscape(sandbox.RefreshToken)
	if answer := u.serve(t, http.MethodPost, revoke, nil); answer.Code != http.StatusOK || !strings.Contains(answer.Body.String(), "success") {
		t.Fatalf("%d %s", answer.Code, answer.Body)
	}
	if answer := u.get(t, "/inventory/v1/items"); answer.Code != http.StatusUnauthorized {
		t.Errorf("its access token answers %d", answer.Code)
	}
	if answer := u.serve(t, http.MethodPost, tokenURL(nil), nil); !strings.Contains(answer.Body.String(), "invalid_code") {
		t.Errorf("%s", answer.Body)
	}
}

// A code goes to registered addresses only. The sandbox's own client may use every address on this
// machine.
func TestRedirectAddresses(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Records: 60, Clients: []sandbox.Client{{ID: "1000.APP", Secret: "s", RedirectURIs: []string{"https://app.example/done"}}}})
	for _, c := range []struct {
		client, redirect string
		status           int
	}{
		{sandbox.ClientID, "http://localhost:1/x", http.StatusOK},
		{sandbox.ClientID, "https://[::1]:8443/", http.StatusOK},
		{sandbox.ClientID, "http://127.1.2.3/", http.StatusOK},
		{sandbox.ClientID, "http://127.0.0.1.example/", http.StatusBadRequest},
		{sandbox.ClientID, "javascript://127.0.0.1/", http.StatusBadRequest},
		{"1000.APP", "https://app.example/done", http.StatusOK},
		{"1000.APP", "http://127.0.0.1/", http.StatusBadRequest},
	} {
		query := url.Values{
			"scope": {"SvcInventory.items.READ"}, "client_id": {c.client}, "state": {"s"}, "response_type": {"code"},
			"redirect_uri": {c.redirect}, "access_type": {"online"},
		}
		if answer := u.serve(t, http.MethodGet, "/oauth/v2/auth?"+query.Encode(), nil); answer.Code != c.status {
			t.Errorf("%s to %s: status %d, want %d", c.client, c.redirect, answer.Code, c.status)
		}
	}
}
