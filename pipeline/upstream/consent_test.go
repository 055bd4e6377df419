package upstream_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/pipeline"
	"sluice/pipeline/upstream/token"
	"sluice/pipeline/upstream/wire"
)

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
	t.Parallel()
	r := newTokenFixture(t, granting(""))
	address, err := r.process(t).ConsentAddress(one, consent())
	if err != nil {
		t.Fatal(err)
	}
	got, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	want := url.Values{
		"response_type": {"code"}, "access_type": {"offline"}, "prompt": {"consent"}, "client_id": {"1000.CLIENT"},
		"redirect_uri": {"http://127.0.0.1:9466/callback?a=b"}, "scope": {"SvcBooks.bills.READ,SvcChat.Channels.READ"}, "state": {"STATE"},
	}
	if diff := cmp.Diff(want, got.Query()); diff != "" {
		t.Error(diff)
	}
	if got.Path != "/oauth/v2/auth" || strings.Contains(address, "canary") || len(r.seen()) > 0 {
		t.Errorf("%s, after %d requests", address, len(r.seen()))
	}
}

// TestExchange: a code is exchanged once, with the parameters of docs/upstream.md U23 in a counted
// call, and nothing is stored.
func TestExchange(t *testing.T) {
	t.Parallel()
	r := newTokenFixture(t, answer(200, jsonType,
		`{"access_token":"`+canaryToken+`","refresh_token":"1000.fresh","scope":"SvcBooks.bills.READ SvcChat.Channels.READ","expires_in":3600}`))
	granted, err := r.process(t).Exchange(t.Context(), one, consent(), wire.NewSecret(canaryCode))
	if err != nil || granted.RefreshToken.Reveal() != "1000.fresh" || !cmp.Equal(granted.Scopes, consent().Scopes) {
		t.Fatalf("%+v, %v", granted, err)
	}
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
		r := newTokenFixture(t, answer(c.status, jsonType, c.body))
		_, err := r.process(t).Exchange(t.Context(), one, consent(), wire.NewSecret(canaryCode))
		if err == nil || pipeline.KindOf(err) != c.kind || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v, want kind %v and %q", name, err, c.kind, c.says)
		}
		if len(r.seen()) != 1 || r.gate.under() != 0 || len(r.store.rows) > 0 {
			t.Errorf("%s: %d requests, %d calls under way, %d rows", name, len(r.seen()), r.gate.under(), len(r.store.rows))
		}
	}
	r := newTokenFixture(t, answer(200, jsonType, "{}"))
	r.server.Close() // net/http's error holds the address, with the code and the secret
	_, err := r.process(t).Exchange(t.Context(), one, consent(), wire.NewSecret(canaryCode))
	if pipeline.KindOf(err) != pipeline.Unavailable || strings.Contains(err.Error(), "canary") {
		t.Errorf("no server: %v", err)
	}
}
