package oauth_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"sluice/sandbox/oauth"
)

// docs/upstream.md U26 and U30, field by field.
func TestTokenAnswer(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	answer := s.exchange(t, s.code(t, asking(nil), "u1/602"))
	want := map[string]any{
		"token_type": "Bearer", "expires_in": 3600.0, "api_domain": s.url,
		"scope": "SvcInventory.items.READ SvcChat.Channels.READ",
	}
	for name, value := range want {
		errorIf(t, answer[name] != value, "%s is %v, want %v", name, answer[name], value)
	}
	refresh, _ := answer["refresh_token"].(string)
	fatalIf(t, answer["access_token"] == "" || refresh == "", "tokens are missing: %v", answer)
	status, again := s.refresh(t, refresh)
	errorIf(t, status != http.StatusOK || again["access_token"] == answer["access_token"] || again["access_token"] == nil,
		"refresh: %d %v", status, again)
	_, rotated := again["refresh_token"]
	errorIf(t, rotated, "refresh tokens do not rotate")
}

func TestParametersAsForm(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	form := url.Values{
		"grant_type": {"refresh_token"}, "client_id": {"1000.ONE"}, "client_secret": {"one-secret"}, "refresh_token": {"1000.given.before"},
	}
	r, err := http.NewRequest(http.MethodPost, s.url+"/oauth/v2/token", strings.NewReader(form.Encode()))
	must(t, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	status, header, body := s.do(t, r)
	errorIf(t, status != http.StatusOK || !strings.Contains(body, `"access_token":"1000.`), "%d %s", status, body)
	errorIf(t, header.Get("Cache-Control") != "no-store" || header.Get("X-Sandbox-Assumed") == "", "headers %v", header)
}

// A code is valid once, for two minutes, for its client, with its redirect_uri, state and scope.
func TestCodeOpensOnceAndOnlyForItsRequest(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	code := s.code(t, asking(nil), "u1/601")
	for want, changes := range map[string][]string{
		"invalid_code":           {"client_id", "1000.TWO", "client_secret", "two-secret"},
		"invalid_redirect_uri":   {"redirect_uri", "http://127.0.0.1:9999/"},
		"invalid_state":          {"state", "s-2"},
		"invalid_scope":          {"scope", "SvcInventory.items.READ"},
		"invalid_client":         {"client_secret", "guess"},
		"unsupported_grant_type": {"grant_type", "password"},
	} {
		answer := s.exchange(t, code, changes...)
		errorIf(t, answer["error"] != want || answer["access_token"] != nil, "%v: %v, want %s", changes, answer, want)
	}
	s.clock.advance(2*time.Minute - time.Second)
	answer := s.exchange(t, code)
	errorIf(t, answer["access_token"] == nil, "a code of nearly two minutes: %v", answer)
	answer = s.exchange(t, code)
	errorIf(t, answer["error"] != "invalid_code", "a code used twice: %v", answer)
	late := s.code(t, asking(nil), "u1/601")
	s.clock.advance(2 * time.Minute)
	answer = s.exchange(t, late)
	errorIf(t, answer["error"] != "invalid_code", "a code of two minutes: %v", answer)
}

// docs/upstream.md U28: access_type=offline alone brings a refresh token, and prompt=consent always
// brings one. U29: it comes once.
func TestWhenThereIsARefreshToken(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	var tokens []string
	for n, step := range []struct {
		access, prompt, organization string
		want                         bool
	}{
		{"online", "", "u1/601", false},
		{"online", "consent", "u1/601", false},
		{"offline", "", "u1/601", true},
		{"offline", "", "u1/601", false},
		{"offline", "consent", "u1/601", true},
		{"offline", "", "u1/602", true},  // another organization: its first consent
		{"offline", "", "u2/601", false}, // was granted before the server started
	} {
		query := asking(map[string]string{"access_type": step.access, "prompt": step.prompt})
		refresh, found := s.exchange(t, s.code(t, query, step.organization))["refresh_token"].(string)
		errorIf(t, found != step.want, "step %d (%+v): refresh token %t", n, step, found)
		if found {
			tokens = append(tokens, refresh)
		}
	}
	for _, token := range tokens { // the later ones do not end the earlier ones.
		s.access(t, token)
	}
	s.post(t, "/oauth/v2/token/revoke", "token", tokens[2])
	errorIf(t, s.exchange(t, s.code(t, asking(nil), "u1/602"))["refresh_token"] == nil,
		"no refresh token at the first consent after a revocation")
}

// docs/upstream.md U31 and U33: 10 access tokens per refresh token per 10 minutes, then 400. Tests
// with a short minute do not wait for ten long ones.
func TestTooManyTokens(t *testing.T) {
	t.Parallel()
	for _, minute := range []time.Duration{0, time.Second} {
		s := start(t, func(o *oauth.Options) { o.Minute = minute })
		minute = cmp.Or(minute, time.Minute)
		step := minute / 60
		for range 10 {
			s.access(t, "1000.given.before")
			s.clock.advance(step)
		}
		status, answer := s.refresh(t, "1000.given.before")
		if status != http.StatusBadRequest || answer["error"] != "Access Denied" || answer["status"] != "failure" || answer["access_token"] != nil {
			t.Errorf("the eleventh: %d %v", status, answer)
		}
		other := s.exchange(t, s.code(t, asking(nil), "u1/601"))["refresh_token"].(string)
		s.access(t, other) // another refresh token has its own ten.
		s.clock.advance(10*minute - 10*step - 1)
		status, _ = s.refresh(t, "1000.given.before")
		errorIf(t, status != http.StatusBadRequest, "ten in the last ten minutes, and one more: %d", status)
		s.clock.advance(1)
		s.access(t, "1000.given.before")
	}
}

// docs/upstream.md U32: 15 live; the sixteenth kills the oldest. U27: one hour.
func TestLiveTokens(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	var tokens []string
	for n := range 15 {
		tokens = append(tokens, s.access(t, "1000.given.before"))
		if n == 7 {
			s.clock.advance(10 * time.Minute)
		}
	}
	s.judges(t, tokens[0], oauth.Granted)
	s.clock.advance(10 * time.Minute)
	tokens = append(tokens, s.access(t, "1000.given.before"))
	for n, token := range tokens {
		want := oauth.Granted
		if n == 0 {
			want = oauth.DeadToken
		}
		s.judges(t, token, want)
	}
	s.clock.advance(40*time.Minute - time.Second)
	s.judges(t, tokens[1], oauth.Granted)
	s.clock.advance(time.Second)
	s.judges(t, tokens[1], oauth.DeadToken)
	s.ExpireAll()
	s.judges(t, tokens[15], oauth.DeadToken)
	s.access(t, "1000.given.before")
}

func TestAuthorize(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	token := s.access(t, "1000.given.before")
	owner := oauth.Access{Client: "1000.ONE", User: "u2", Organization: "601"}
	for name, test := range map[string]struct {
		header string
		scopes []string
		want   oauth.Verdict
	}{
		"scope held":          {"Svc-oauthtoken " + token, []string{"Inventory.bills.READ"}, oauth.Granted},
		"one of two":          {"Svc-oauthtoken " + token, []string{"Books.expenses.CREATE", "Inventory.bills.READ"}, oauth.Granted},
		"ALL covers":          {"Svc-oauthtoken " + token, []string{"Books.custommodules.DELETE"}, oauth.Granted},
		"ALL itself":          {"Svc-oauthtoken " + token, []string{"Books.custommodules.ALL"}, oauth.Granted},
		"no scope needed":     {"Svc-oauthtoken " + token, nil, oauth.Granted},
		"other operation":     {"Svc-oauthtoken " + token, []string{"Inventory.bills.CREATE"}, oauth.MissingScope},
		"READ is not ALL":     {"Svc-oauthtoken " + token, []string{"Inventory.bills.ALL"}, oauth.MissingScope},
		"other area":          {"Svc-oauthtoken " + token, []string{"Inventory.billsettings.READ"}, oauth.MissingScope},
		"no header":           {"", []string{"Inventory.bills.READ"}, oauth.MissingToken},
		"empty token":         {"Svc-oauthtoken ", []string{"Inventory.bills.READ"}, oauth.MissingToken},
		"other scheme":        {"Bearer " + token, []string{"Inventory.bills.READ"}, oauth.MissingToken},
		"unknown token":       {"Svc-oauthtoken x", []string{"Inventory.bills.READ"}, oauth.DeadToken},
		"refresh token as it": {"Svc-oauthtoken 1000.given.before", nil, oauth.DeadToken},
	} {
		r := httptest.NewRequest(http.MethodGet, "/inventory/v1/bills?access_token="+token, nil)
		r.Header.Set("Authorization", test.header)
		who, verdict := s.Authorize(r, test.scopes...)
		errorIf(t, verdict != test.want || (verdict == oauth.Granted && who != owner), "%s: %+v, %d, want %d", name, who, verdict, test.want)
	}
}

// RFC 6749, section 6: fewer scopes than granted, never more.
func TestNarrowedScopes(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	_, answer := s.refresh(t, "1000.given.before", "scope", "SvcInventory.bills.READ")
	token, _ := answer["access_token"].(string)
	_, verdict := s.Check(token, "Books.custommodules.ALL")
	errorIf(t, verdict != oauth.MissingScope || answer["scope"] != "SvcInventory.bills.READ", "narrowed: %v, verdict %d", answer, verdict)
	s.refuses(t, "invalid_scope", "1000.given.before", "scope", "SvcInventory.bills.CREATE")
}

func TestRevoke(t *testing.T) {
	t.Parallel()
	for _, parameter := range []string{"token", "refresh_token"} {
		s := start(t, nil)
		access := s.access(t, "1000.given.before")
		status, answer := s.post(t, "/oauth/v2/token/revoke", parameter, "1000.given.before")
		errorIf(t, status != http.StatusOK || answer["status"] != "success", "%s: %d %v", parameter, status, answer)
		s.refuses(t, "invalid_code", "1000.given.before")
		s.judges(t, access, oauth.DeadToken)
		status, answer = s.post(t, "/oauth/v2/token/revoke", parameter, "1000.given.before")
		errorIf(t, status != http.StatusOK || answer["error"] != "invalid_code", "revoked twice: %d %v", status, answer)
	}
}

// Refresh tokens belong to one client and to one data center.
func TestTokensOfOthers(t *testing.T) {
	t.Parallel()
	here, there := start(t, nil), start(t, func(o *oauth.Options) { o.DataCenter = "eu"; o.Grants = nil })
	here.refuses(t, "invalid_code", "1000.given.before", "client_id", "1000.TWO", "client_secret", "two-secret")
	there.refuses(t, "invalid_code", "1000.given.before")
	one := here.exchange(t, here.code(t, asking(nil), "u1/601"))
	other := there.exchange(t, there.code(t, asking(nil), "u1/601"))
	errorIf(t, one["access_token"] == other["access_token"] || one["refresh_token"] == other["refresh_token"],
		"two data centers issued the same token")
	_, verdict := there.Check(one["access_token"].(string))
	errorIf(t, verdict != oauth.DeadToken, "a token of one data center opens another")
}

func TestMethods(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	for path, want := range map[string]int{
		"/oauth/v2/token": http.StatusMethodNotAllowed, "/oauth/v2/token/revoke": http.StatusMethodNotAllowed, "/oauth/v3/token": http.StatusNotFound,
	} {
		r, err := http.NewRequest(http.MethodGet, s.url+path, nil)
		must(t, err)
		status, _, _ := s.do(t, r)
		errorIf(t, status != want, "GET %s: %d, want %d", path, status, want)
	}
}

// serve calls the handler without a network and returns the status and the Location; a form means
// POST.
func serve(h http.Handler, path, query string, form url.Values) (int, string) {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	if form != nil {
		r = httptest.NewRequest(http.MethodPost, path, strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	r.URL.RawQuery = query
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, w.Header().Get("Location")
}

// FuzzToken checks that the endpoints answer every request with JSON, never fail, and open to no
// guess.
func FuzzToken(f *testing.F) {
	f.Add("grant_type=refresh_token&client_id=1000.ONE&client_secret=one-secret&refresh_token=x", "", "application/x-www-form-urlencoded")
	f.Add("grant_type=authorization_code&client_id=1000.ONE&client_secret=one-secret&code=x", "a=%zz", "")
	f.Add("token=x", "token=y", "multipart/form-data; boundary=x")
	o := options(newClock())
	o.Grants = nil // so that there is nothing to guess.
	server, err := oauth.New(o)
	must(f, err)
	f.Fuzz(func(t *testing.T, query, body, kind string) {
		for _, path := range []string{"/oauth/v2/token", "/oauth/v2/token/revoke"} {
			r := httptest.NewRequest(http.MethodPost, path, bytes.NewReader([]byte(body)))
			r.URL.RawQuery = query
			r.Header.Set("Content-Type", kind)
			w := httptest.NewRecorder()
			server.ServeHTTP(w, r)
			errorIf(t, w.Code >= http.StatusInternalServerError || !json.Valid(w.Body.Bytes()) || !strings.Contains(w.Body.String(), `"error"`),
				"%s %q %q %q: %d %s", path, query, body, kind, w.Code, w.Body)
		}
	})
}
