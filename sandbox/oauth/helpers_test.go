package oauth_test

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"sluice/sandbox/oauth"
)

// clock is a clock that tests move.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock {
	return &clock{at: time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)}
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

const redirect = "http://127.0.0.1:9999/callback?from=test"

// options returns those of a server with two clients, and two users with three organizations.
func options(c *clock) oauth.Options {
	return oauth.Options{
		Now: c.now, Seed: 7,
		Clients: []oauth.Client{
			{ID: "1000.ONE", Secret: "one-secret", Name: "First <b>client</b>", RedirectURIs: []string{redirect}},
			{ID: "1000.TWO", Secret: "two-secret", RedirectURIs: []string{"http://127.0.0.1/done"}},
		},
		Users: []oauth.User{
			{ID: "u1", Name: "Asha", Organizations: []oauth.Organization{{ID: "601", Name: "Acme"}, {ID: "602", Name: "Beta"}}},
			{ID: "u2", Name: "Ben", Organizations: []oauth.Organization{{ID: "601", Name: "Acme"}}},
		},
		Grants: []oauth.Grant{{
			Access:       oauth.Access{Client: "1000.ONE", User: "u2", Organization: "601"},
			RefreshToken: "1000.given.before", Scopes: []string{"Inventory.bills.READ", "Books.custommodules.ALL"},
		}},
	}
}

// fixture is a running server, and the actions of a browser and a client on it.
type fixture struct {
	*oauth.Server

	clock *clock
	url   string
	http  *http.Client
}

func start(t *testing.T, change func(*oauth.Options)) *fixture {
	t.Helper()
	c := newClock()
	o := options(c)
	if change != nil {
		change(&o)
	}
	server, err := oauth.New(o)
	must(t, err)
	listening := httptest.NewServer(server)
	t.Cleanup(listening.Close)
	client := listening.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &fixture{Server: server, clock: c, url: listening.URL, http: client}
}

// asking returns the parameters of a valid authorization request, with changes: "" removes one.
func asking(changes map[string]string) url.Values {
	values := map[string]string{
		"scope": "SvcInventory.items.READ,SvcChat.Channels.READ", "client_id": "1000.ONE", "state": "s-1",
		"response_type": "code", "redirect_uri": redirect, "access_type": "offline",
	}
	maps.Copy(values, changes)
	query := url.Values{}
	for name, value := range values {
		if value != "" {
			query.Set(name, value)
		}
	}
	return query
}

func (s *fixture) do(t *testing.T, r *http.Request) (int, http.Header, string) {
	t.Helper()
	answer, err := s.http.Do(r)
	must(t, err)
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	must(t, err)
	return answer.StatusCode, answer.Header, string(body)
}

func (s *fixture) page(t *testing.T, query string) (int, http.Header, string) {
	t.Helper()
	r, err := http.NewRequest(http.MethodGet, s.url+"/oauth/v2/auth?"+query, nil)
	must(t, err)
	return s.do(t, r)
}

// click sends the form of the consent page.
func (s *fixture) click(t *testing.T, query url.Values, form url.Values, headers ...string) (int, http.Header, string) {
	t.Helper()
	r, err := http.NewRequest(http.MethodPost, s.url+"/oauth/v2/auth?"+query.Encode(), strings.NewReader(form.Encode()))
	must(t, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for n := 0; n+1 < len(headers); n += 2 {
		r.Header.Set(headers[n], headers[n+1])
	}
	return s.do(t, r)
}

// code accepts for an organization and returns the code.
func (s *fixture) code(t *testing.T, query url.Values, organization string) string {
	t.Helper()
	status, header, body := s.click(t, query, url.Values{"decision": {"accept"}, "organization": {organization}})
	fatalIf(t, status != http.StatusFound, "accept: %d %s", status, body)
	to, err := url.Parse(header.Get("Location"))
	must(t, err)
	return to.Query().Get("code")
}

// post calls an endpoint with parameters in the query, as the document shows.
func (s *fixture) post(t *testing.T, path string, pairs ...string) (int, map[string]any) {
	t.Helper()
	query := url.Values{}
	for n := 0; n+1 < len(pairs); n += 2 {
		query.Set(pairs[n], pairs[n+1])
	}
	r, err := http.NewRequest(http.MethodPost, s.url+path+"?"+query.Encode(), nil)
	must(t, err)
	status, _, body := s.do(t, r)
	var answer map[string]any
	err = json.Unmarshal([]byte(body), &answer)
	fatalIf(t, err != nil, "%s: %d %q: %v", path, status, body, err)
	return status, answer
}

// exchange sends a code with the parameters of docs/upstream.md U23.
func (s *fixture) exchange(t *testing.T, code string, changes ...string) map[string]any {
	t.Helper()
	pairs := append([]string{
		"grant_type", "authorization_code", "client_id", "1000.ONE", "client_secret", "one-secret", "redirect_uri", redirect,
		"state", "s-1", "scope", "SvcInventory.items.READ,SvcChat.Channels.READ", "code", code,
	}, changes...)
	status, answer := s.post(t, "/oauth/v2/token", pairs...)
	fatalIf(t, status != http.StatusOK, "the token endpoint answered %d: %v", status, answer)
	return answer
}

func (s *fixture) refresh(t *testing.T, token string, changes ...string) (int, map[string]any) {
	t.Helper()
	pairs := append([]string{
		"grant_type", "refresh_token", "client_id", "1000.ONE", "client_secret", "one-secret", "refresh_token", token,
	}, changes...)
	return s.post(t, "/oauth/v2/token", pairs...)
}

// refuses demands an error for a refresh token.
func (s *fixture) refuses(t *testing.T, want, token string, changes ...string) {
	t.Helper()
	status, answer := s.refresh(t, token, changes...)
	errorIf(t, status != http.StatusOK || answer["error"] != want, "%d %v, want %s", status, answer, want)
}

// judges demands a verdict about an access token.
func (s *fixture) judges(t *testing.T, token string, want oauth.Verdict, scopes ...string) {
	t.Helper()
	_, verdict := s.Check(token, scopes...)
	errorIf(t, verdict != want, "verdict %d, want %d", verdict, want)
}

// access gets an access token for a refresh token.
func (s *fixture) access(t *testing.T, refresh string) string {
	t.Helper()
	_, answer := s.refresh(t, refresh)
	text, _ := answer["access_token"].(string)
	fatalIf(t, text == "", "no access token: %v", answer)
	return text
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
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
