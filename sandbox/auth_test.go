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
	fatalIf(t, err != nil || answer.Code != http.StatusFound || target.Query().Get("state") != "s1",
		"consent: %d to %q: %.300s", answer.Code, answer.Header().Get("Location"), answer.Body)
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

func TestConsentAbroad(t *testing.T) {
	t.Parallel()
	u := several(t)
	given := u.consented(t, "/dc/eu", "SvcInventory.bills.READ")
	equal(t, given["api_domain"], "http://example.com/dc/eu", "api_domain")
	for prefix, want := range map[string]int{"/dc/eu": http.StatusOK, "": http.StatusUnauthorized} {
		answer := u.serve(t, http.MethodGet, prefix+target("/inventory/v1/bills"), bearer(given))
		errorIf(t, answer.Code != want, "%q: status %d, want %d", prefix, answer.Code, want)
	}
}

func TestRevokedRefreshToken(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Records: 60})
	revoke := "/oauth/v2/token/revoke?token=" + url.QueryEscape(sandbox.RefreshToken)
	answer := u.serve(t, http.MethodPost, revoke, nil)
	fatalIf(t, answer.Code != http.StatusOK || !strings.Contains(answer.Body.String(), "success"), "%d %s", answer.Code, answer.Body)
	equal(t, u.get(t, "/inventory/v1/items").Code, http.StatusUnauthorized, "its access token")
	answer = u.serve(t, http.MethodPost, tokenURL(nil), nil)
	errorIf(t, !strings.Contains(answer.Body.String(), "invalid_code"), "%s", answer.Body)
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
		answer := u.serve(t, http.MethodGet, "/oauth/v2/auth?"+query.Encode(), nil)
		errorIf(t, answer.Code != c.status, "%s to %s: status %d, want %d", c.client, c.redirect, answer.Code, c.status)
	}
}
