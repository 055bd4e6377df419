package upstream_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/pipeline/upstream/token"
	"sluice/pipeline/upstream/wire"
)

// rotating replaces the refresh token with each answer; the token before is dead at once.
type rotating struct {
	mu      sync.Mutex
	valid   string
	granted int
	failing bool
}

func (o *rotating) fail(failing bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.failing = failing
}

// ServeHTTP implements http.Handler.
func (o *rotating) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.failing {
		answer(500, jsonType, `{}`)(w, q)
		return
	}
	if q.URL.Query().Get("refresh_token") != o.valid {
		answer(200, jsonType, `{"error":"invalid_code"}`)(w, q)
		return
	}
	o.granted++
	o.valid = fmt.Sprintf("1000.%s.%d", canaryRefresh, o.granted)
	answer(200, jsonType, fmt.Sprintf(`{"access_token":"%s%d","refresh_token":"%s","expires_in":3600}`, canaryToken, o.granted, o.valid))(w, q)
}

// TestAReplacedRefreshTokenIsKept: an authorization server that replaces refresh tokens locks no
// organization out. The new token is kept, sealed, and used by every process (faults A5).
func TestAReplacedRefreshTokenIsKept(t *testing.T) {
	server := &rotating{valid: canaryRefresh}
	r := newTokenFixture(t, server.ServeHTTP)
	for n := 1; n <= 3; n++ {
		token, version, err := r.process(t).Token(t.Context(), one) // another process each time: all state is in the store
		check.FatalIf(t, err != nil || version != int64(n) || token.Reveal() != fmt.Sprintf("%s%d", canaryToken, n),
			"refresh %d: %s, version %d, %v", n, token.Reveal(), version, err)
		r.advance(56 * time.Minute)
	}
	for _, row := range r.store.rows {
		check.ErrorIf(t, len(row.Refresh) == 0 || bytes.Contains(row.Refresh, []byte(canaryRefresh)),
			"the refresh token is stored as %q", row.Refresh)
	}
	// Failed answers of the server do not lose the new token.
	r.advance(10 * time.Minute)
	server.fail(true)
	if _, _, err := r.process(t).Token(t.Context(), one); pipeline.KindOf(err) != pipeline.Unavailable {
		t.Fatalf("a server that fails: %v", err)
	}
	server.fail(false)
	r.advance(2 * time.Minute)
	if _, _, err := r.process(t).Token(t.Context(), one); err != nil {
		t.Fatalf("after a failure: %v", err)
	}
	// Another key cannot open it. The configured token, which is dead, is not used, and nothing is
	// overwritten.
	r.advance(2 * time.Hour)
	r.key = bytes.Repeat([]byte{8}, 32)
	asked := len(r.seen())
	_, _, err := r.process(t).Token(t.Context(), one)
	check.ErrorIf(t, pipeline.KindOf(err) != pipeline.Denied || !strings.Contains(err.Error(), "another key") || len(r.seen()) != asked,
		"with another key: %v, %d calls", err, len(r.seen())-asked)
	r.key = bytes.Repeat([]byte{7}, 32)
	_, _, err = r.process(t).Token(t.Context(), one)
	check.ErrorIf(t, err != nil, "with the right key again: %v", err)
	// Forget keeps it, unless it cannot be opened.
	r.advance(2 * time.Minute)
	process := r.process(t)
	check.Must(t, process.Forget(t.Context(), one))
	_, _, err = process.Token(t.Context(), one)
	check.ErrorIf(t, err != nil, "after Forget: %v", err)
	r.key = bytes.Repeat([]byte{8}, 32)
	r.advance(2 * time.Minute)
	process = r.process(t)
	check.Must(t, process.Forget(t.Context(), one))
	if _, _, err := process.Token(t.Context(), one); pipeline.KindOf(err) != pipeline.Unavailable || !strings.Contains(err.Error(), "invalid_code") {
		t.Errorf("the configured refresh token was replaced long ago: %v", err)
	}
}

// TestTokensThatDieYoungAreCounted: tokens that die before their time are counted in a row: another
// client may use the same refresh token (faults A9).
func TestTokensThatDieYoungAreCounted(t *testing.T) {
	r := newTokenFixture(t, granting(`,"expires_in":3600`))
	process := r.process(t)
	young := func() int {
		for _, row := range r.store.rows {
			return row.DiedYoung
		}
		return -1
	}
	_, version, err := process.Token(t.Context(), one)
	for n := range 3 {
		check.FatalIf(t, err != nil || young() != n, "%d tokens died young, want %d, %v", young(), n, err)
		r.advance(2 * time.Minute)
		var renewed wire.Renewed
		renewed, err = process.Renew(t.Context(), one, version)
		version = renewed.Version
	}
	r.advance(58 * time.Minute)
	_, _, err = process.Token(t.Context(), one)
	check.ErrorIf(t, err != nil || young() != 0, "after one that lived as long as it should: %d, %v", young(), err)
}

// TestAClockThatJumpsCostsAtMostOneRefusal: the store's clock counts the life of a token. A process
// whose clock jumps fetches no token because of that. A process that takes a dead token for a
// living one learns it from upstream's refusal and goes on (faults A8).
func TestAClockThatJumpsCostsAtMostOneRefusal(t *testing.T) {
	r := newTokenFixture(t, granting(`,"expires_in":3600`))
	var passed time.Duration // by the store's clock
	r.store.clock = func() time.Time { return noon.Add(passed) }
	process := r.process(t)
	token := func(want int64) {
		t.Helper()
		if _, version, err := process.Token(t.Context(), one); err != nil || version != want || len(r.seen()) != int(want) {
			t.Fatalf("version %d, %d refreshes, %v; want %d", version, len(r.seen()), err, want)
		}
	}
	token(1)
	r.advance(5 * time.Hour)
	token(1)
	r.advance(-10 * time.Hour)
	token(1)
	passed += 2 * time.Hour // the token is dead, and this process cannot know that
	token(1)
	renewed, err := process.Renew(t.Context(), one, 1)
	check.FatalIf(t, err != nil || renewed.Version != 2, "after the refusal: version %d, %v", renewed.Version, err)
	token(2)
	row := r.store.rows
	check.FatalIf(t, len(row) != 1, "%d rows", len(row))
	for _, row := range r.store.rows {
		check.Same(t, "a token that had come to its end did not die young", 0, row.DiedYoung)
	}
}

// TestAReplacedCredentialIsUsedAtOnce: a refusal is told, and the credential that is put in force
// then is asked with at once, without the old one's refusals. A bad key changes nothing.
func TestAReplacedCredentialIsUsedAtOnce(t *testing.T) {
	const fresh = canarySecret + "-fresh"
	r := newTokenFixture(t, func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Query().Get("client_secret") != fresh {
			answer(200, jsonType, `{"error":"invalid_client"}`)(w, q)
			return
		}
		granting(`,"expires_in":3600`)(w, q)
	})
	told := 0
	credentials := map[string]token.Credential{one.Key: r.creds}
	tokens := check.Sure(token.New(token.Options{
		Vendor: wire.Vendor{Name: "Svc", Auth: r.server.URL}, Store: r.store, Key: r.key, Gate: r.gate, Now: r.now, Credentials: credentials,
		Refused: func() { told++ },
	}))(t)
	for n := 1; n <= 2; n++ { // upstream's refusal, and that it is remembered
		before := told
		if _, _, err := tokens.Token(t.Context(), one); pipeline.KindOf(err) != pipeline.Denied || told == before || len(r.seen()) != 1 {
			t.Fatalf("with the old secret, time %d: %v, told %d times, %d calls", n, err, told-before, len(r.seen()))
		}
	}
	r.creds.ClientSecret = wire.NewSecret(fresh)
	replaced := map[string]token.Credential{one.Key: r.creds}
	check.ErrorIf(t, tokens.Replace([][]byte{r.key, []byte("short")}, replaced) == nil, "a key of five bytes is put in force")
	_, _, err := tokens.Token(t.Context(), one)
	check.ErrorIf(t, pipeline.KindOf(err) != pipeline.Denied, "after a replacement that failed: %v", err)
	before := told
	check.Must(t, tokens.Replace([][]byte{bytes.Repeat([]byte{8}, 32), r.key}, replaced))
	_, _, err = tokens.Token(t.Context(), one)
	check.ErrorIf(t, err != nil || told != before, "with the new secret: %v, told %d times", err, told-before)
	// It was sealed with the new key.
	r.key = bytes.Repeat([]byte{8}, 32)
	_, _, err = r.process(t).Token(t.Context(), one)
	check.ErrorIf(t, err != nil || len(r.seen()) != 2, "a process with the new key alone: %v, %d calls", err, len(r.seen()))
}

const canaryCode = "1000.canary-code.of+the/consent"

// consent is what the tests ask for.
func consent() token.Consent {
	return token.Consent{
		Scopes: []string{"SvcBooks.bills.READ", "SvcChat.Channels.READ"}, Redirect: "http://127.0.0.1:9466/callback?a=b", State: "STATE",
	}
}

// TestConsentAddress: the address of the consent has the parameters of docs/upstream.md U21, and no
// secret.
func TestConsentAddress(t *testing.T) {
	r := newTokenFixture(t, granting(""))
	address := check.Sure(r.process(t).ConsentAddress(one, consent()))(t)
	got := check.Sure(url.Parse(address))(t)
	want := url.Values{
		"response_type": {"code"}, "access_type": {"offline"}, "prompt": {"consent"}, "client_id": {"1000.CLIENT"},
		"redirect_uri": {"http://127.0.0.1:9466/callback?a=b"}, "scope": {"SvcBooks.bills.READ,SvcChat.Channels.READ"}, "state": {"STATE"},
	}
	check.Same(t, "", want, got.Query())
	check.ErrorIf(t, got.Path != "/oauth/v2/auth" || strings.Contains(address, "canary") || len(r.seen()) > 0,
		"%s, after %d requests", address, len(r.seen()))
}

// TestExchange: a code is exchanged once, with the parameters of docs/upstream.md U23 in a counted
// call, and nothing is stored.
func TestExchange(t *testing.T) {
	r := newTokenFixture(t, answer(200, jsonType,
		`{"access_token":"`+canaryToken+`","refresh_token":"1000.fresh","scope":"SvcBooks.bills.READ SvcChat.Channels.READ","expires_in":3600}`))
	granted, err := r.process(t).Exchange(t.Context(), one, consent(), wire.NewSecret(canaryCode))
	check.FatalIf(t, err != nil || granted.RefreshToken.Reveal() != "1000.fresh" || !cmp.Equal(granted.Scopes, consent().Scopes),
		"%+v, %v", granted, err)
	got := r.seen()[0]
	want := url.Values{
		"code": {canaryCode}, "client_id": {"1000.CLIENT"}, "client_secret": {canarySecret}, "grant_type": {"authorization_code"},
		"redirect_uri": {"http://127.0.0.1:9466/callback?a=b"}, "scope": {"SvcBooks.bills.READ,SvcChat.Channels.READ"}, "state": {"STATE"},
	}
	if diff := cmp.Diff(want, got.URL.Query()); diff != "" || got.Method != http.MethodPost || got.URL.Path != "/oauth/v2/token" {
		t.Errorf("%s %s\n%s", got.Method, got.URL.Path, diff)
	}
	wantCall := pipeline.Call{
		Organization: "1", Service: "auth", Resource: "token", Class: pipeline.ClassProbe, Method: "POST", Path: "/oauth/v2/token",
		Endpoint: "/oauth/v2/token",
	}
	if diff := cmp.Diff([]pipeline.Call{wantCall}, r.gate.entered); diff != "" || len(r.store.rows) > 0 {
		t.Errorf("%d rows are stored\n%s", len(r.store.rows), diff)
	}
}

// TestExchangeRefused: each refusal says what was wrong, and no error holds a secret.
func TestExchangeRefused(t *testing.T) {
	t.Parallel()
	echo := "code=" + url.QueryEscape(canaryCode) + "&client_secret=" + canarySecret
	for name, c := range map[string]struct {
		status int
		body   string
		kind   pipeline.Kind
		says   string
	}{
		"used twice":    {200, `{"error":"invalid_code"}`, pipeline.Denied, "the code is not accepted: it was used before"},
		"by the RFC":    {400, `{"error":"invalid_grant"}`, pipeline.Denied, "the code is not accepted: it was used before"},
		"client":        {200, `{"error":"invalid_client"}`, pipeline.Denied, "the client is not accepted"},
		"redirect":      {200, `{"error":"invalid_redirect_uri"}`, pipeline.Denied, "the redirect address is another one"},
		"unknown word":  {200, `{"error":"invalid_moon"}`, pipeline.Denied, "refuses the credentials (invalid_moon)"},
		"too many":      {400, `{"error":"Access Denied","status":"failure"}`, pipeline.Unavailable, "too many access tokens"},
		"failed":        {500, `{}`, pipeline.Unavailable, "the authorization server failed"},
		"echo":          {200, `{"error":"` + echo + `"}`, pipeline.Denied, "refuses the credentials"},
		"page":          {200, "<html>" + echo, pipeline.Unexpected, "not a token answer"},
		"online only":   {200, `{"access_token":"` + canaryToken + `","expires_in":3600}`, pipeline.Unexpected, "no refresh token"},
		"empty refresh": {200, `{"access_token":"` + canaryToken + `","refresh_token":"","expires_in":3600}`, pipeline.Unexpected, "no refresh token"},
	} {
		r := makeTokenFixture(t, answer(c.status, jsonType, c.body))
		_, err := r.process(t).Exchange(t.Context(), one, consent(), wire.NewSecret(canaryCode))
		if err == nil || pipeline.KindOf(err) != c.kind || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v, want kind %v and %q", name, err, c.kind, c.says)
		}
		check.ErrorIf(t, len(r.seen()) != 1 || r.gate.under() != 0 || len(r.store.rows) > 0,
			"%s: %d requests, %d calls under way, %d rows", name, len(r.seen()), r.gate.under(), len(r.store.rows))
	}
	r := makeTokenFixture(t, answer(200, jsonType, "{}"))
	r.server.Close() // net/http's error holds the address, with the code and the secret
	_, err := r.process(t).Exchange(t.Context(), one, consent(), wire.NewSecret(canaryCode))
	check.ErrorIf(t, pipeline.KindOf(err) != pipeline.Unavailable || strings.Contains(err.Error(), "canary"), "no server: %v", err)
}
