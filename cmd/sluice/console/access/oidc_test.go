package access_test

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"math/big"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"sluice/cmd/sluice/console/access"
	"sluice/pipeline/engine/config"
	"sluice/pipeline/upstream/wire"
)

// browser is a person's browser in front of a console whose names a provider proves.
type browser struct {
	*fixture

	provider *testProvider
	console  *httptest.Server
	client   *http.Client
	jar      *cookiejar.Jar
}

// open starts a console and a provider. change may change the settings.
func open(t *testing.T, change func(*config.Console)) *browser {
	t.Helper()
	b := &browser{provider: newProvider(t)}
	b.console = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { b.handler.ServeHTTP(w, r) }))
	t.Cleanup(b.console.Close)
	of := settings(config.AuthOIDC)
	of.PublicURL = b.console.URL
	of.OIDC = config.ConsoleOIDC{
		Issuer: b.provider.URL, ClientID: clientID, ClientSecret: wire.NewSecret(clientSecret), Scopes: []string{"openid", "email"},
		UserClaim: "email", GroupsClaim: "groups",
	}
	if change != nil {
		change(&of)
	}
	b.fixture = start(t, of)
	b.fresh()
	return b
}

// fresh is a browser without cookies.
func (b *browser) fresh() {
	jar := sure(cookiejar.New(nil))(b.t)
	b.jar, b.client = jar, &http.Client{Jar: jar, Timeout: time.Minute}
}

// shown is what a browser has in front of it: the status, where it leads, and the address.
type shown struct {
	status       int
	location, at string
}

// get opens an address and follows redirects, or not.
func (b *browser) get(address string, follow bool) (shown, string) {
	return b.send(http.MethodGet, address, follow)
}

func (b *browser) send(method, address string, follow bool, headers ...string) (shown, string) {
	b.t.Helper()
	if strings.HasPrefix(address, "/") {
		address = b.console.URL + address
	}
	r := sure(http.NewRequestWithContext(b.t.Context(), method, address, http.NoBody))(b.t)
	r.Header.Set("Accept", "text/html")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	client := *b.client
	if !follow {
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	got, err := client.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = got.Body.Close() }()
	body := string(sure(io.ReadAll(got.Body))(b.t))
	errorIf(b.t, strings.Contains(body, canary), "the answer has a secret:\n%s", body)
	return shown{got.StatusCode, got.Header.Get("Location"), got.Request.URL.String()}, body
}

// begin starts a sign-in, and returns the address at the console to which the provider sends the
// browser back.
func (b *browser) begin(to string) string {
	b.t.Helper()
	got, _ := b.get("/login?"+url.Values{"to": {to}}.Encode(), false)
	got, _ = b.get(got.location, false)
	back := got.location
	if !strings.HasPrefix(back, b.console.URL+"/callback?") {
		b.t.Fatalf("the provider sends to %q", back)
	}
	return back
}

// cookie returns the cookie with a name, or nil.
func (b *browser) cookie(name string) *http.Cookie {
	b.t.Helper()
	at := sure(url.Parse(b.console.URL))(b.t)
	for _, cookie := range b.jar.Cookies(at) {
		if cookie.Name == name {
			return cookie
		}
	}
	return nil
}

// want demands what a page shows.
func (b *browser) want(what, address string, status int, text string) {
	b.t.Helper()
	got, body := b.get(address, true)
	errorIf(b.t, got.status != status || !strings.Contains(body, text), "%s: %d, want %d with %q:\n%s", what, got.status, status, text, body)
}

// TestSignIn: a person who opens a page is sent to the provider and comes back to that page.
func TestSignIn(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	got, body := b.get("/runs?state=failed&x=%2F", true)
	if body != "ann is operator" || got.at != b.console.URL+"/runs?state=failed&x=%2F" {
		t.Fatalf("%s: %q", got.at, body)
	}
	session := b.cookie("sluice")
	if session == nil || b.cookie("sluice-login") != nil {
		t.Fatalf("the session is %v, the sign-in %v", session, b.cookie("sluice-login"))
	}
	if raw, err := base64.RawURLEncoding.DecodeString(session.Value); err != nil || bytes.Contains(raw, []byte("ann")) || bytes.Contains(raw, []byte(canary)) {
		t.Errorf("the cookie is not sealed: %q, %v", raw, err)
	}
	b.want("the next page", "/", 200, "ann is operator")
	errorIf(t, b.provider.exchanged != 1 || b.lines("a person signed in to the console") != 1,
		"%d exchanges, and the log:\n%s", b.provider.exchanged, b.logged())
}

// TestRolesOfClaims: the lists decide about the claims of the token, at each request.
func TestRolesOfClaims(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		claims map[string]any
		status int
		want   string
	}{
		"viewer":                {map[string]any{"email": "ben"}, 200, "ben is viewer"},
		"operator by a group":   {map[string]any{"email": "cid", "groups": []string{"others", "engineers"}}, 200, "cid is operator"},
		"viewer by one group":   {map[string]any{"email": "cid", "groups": "analysts"}, 200, "cid is viewer"},
		"in no list":            {map[string]any{"email": "cid", "groups": []any{"others", 7}}, 403, "cid may not see"},
		"a group as a name":     {map[string]any{"email": "group:engineers"}, 403, "has no name"},
		"no name":               {map[string]any{"email": nil}, 403, "has no name"},
		"a name that is a list": {map[string]any{"email": []string{"ann"}}, 403, "has no name"},
		"an unverified address": {map[string]any{"email_verified": false}, 403, "has not verified"},
		"unverified, as a text": {map[string]any{"email_verified": "false"}, 403, "has not verified"},
		"not said":              {map[string]any{"email_verified": nil}, 200, "ann is operator"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := open(t, nil)
			b.provider.says(test.claims)
			if name == "not said" { // a provider that takes the client's secret in the form only gets it there
				b.provider.method = "client_secret_post"
			}
			b.want(name, "/", test.status, test.want)
		})
	}
}

// TestForgedTokens: a token that is not the provider's, or not for this console, this sign-in or
// this time, lets no one in.
func TestForgedTokens(t *testing.T) {
	t.Parallel()
	other := newKey()
	const invalid = "is not valid for this console"
	for name, test := range map[string]struct {
		claims map[string]any
		change func(*testProvider)
		want   string
	}{
		"another audience":       {map[string]any{"aud": "another"}, nil, invalid},
		"another issuer":         {map[string]any{"iss": "https://login.example.com"}, nil, invalid},
		"expired":                {map[string]any{"exp": time.Now().Add(-time.Hour).Unix()}, nil, invalid},
		"another party":          {map[string]any{"aud": []string{clientID, "another"}, "azp": "another"}, nil, "issued to another client"},
		"another nonce":          {map[string]any{"nonce": "another"}, nil, "belongs to another sign-in"},
		"no nonce":               {map[string]any{"nonce": nil}, nil, "belongs to another sign-in"},
		"another signer":         {nil, func(p *testProvider) { p.signer = other }, invalid},
		"no signature":           {nil, func(p *testProvider) { p.algorithm = "none" }, invalid},
		"an algorithm of secret": {nil, func(p *testProvider) { p.algorithm = "HS256" }, invalid},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := open(t, nil)
			b.provider.says(test.claims)
			if test.change != nil {
				test.change(b.provider)
			}
			b.want(name, "/", 403, test.want)
			errorIf(t, b.cookie("sluice") != nil || b.lines("the console refused a request") != 1 || b.lines("a person signed in") != 0,
				"the session is %v, the log:\n%s", b.cookie("sluice"), b.logged())
			errorIf(t, b.provider.exchanged != 1, "%d exchanges: the token was not looked at", b.provider.exchanged)
		})
	}
}

// TestForgedCallbacks: what comes back has to belong to the sign-in of this browser.
func TestForgedCallbacks(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	for name, test := range map[string]struct {
		change func(url.Values)
		want   string
	}{
		"another state": {func(q url.Values) { q.Set("state", "another") }, "belongs to another sign-in"},
		"no state":      {func(q url.Values) { q.Del("state") }, "belongs to another sign-in"},
		"no code":       {func(q url.Values) { q.Del("code") }, "reports an error"},
		"another code":  {func(q url.Values) { q.Set("code", "another") }, "does not accept the code"},
		"mixed up":      {func(q url.Values) { q.Set("iss", "https://login.example.com") }, "names another provider"},
		"denied":        {func(q url.Values) { q.Set("error", "access_denied"); q.Set("error_description", canary) }, "access was denied"},
		"an error":      {func(q url.Values) { q.Set("error", canary) }, "reports an error"},
	} {
		b.fresh()
		back := sure(url.Parse(b.begin("/")))(t)
		good := back.String()
		query := back.Query()
		test.change(query)
		back.RawQuery = query.Encode()
		b.want(name, back.String(), 403, test.want)
		b.want(name+", and then the right one", good, 403, "no sign-in is under way")
		errorIf(t, b.cookie("sluice") != nil, "%s: there is a session", name)
	}
	// An attacker's answer in the browser of another person.
	back := b.begin("/")
	b.fresh()
	b.want("another browser", back, 403, "no sign-in is under way")
	back = b.begin("/")
	b.wait(11 * time.Minute)
	b.want("too late", back, 403, "longer than ten minutes")
}

// TestReplayedCode: a callback works once, also for one who has the cookie of the sign-in.
func TestReplayedCode(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	back := b.begin("/")
	begun := b.cookie("sluice-login")
	b.want("the first time", back, 200, "ann is operator")
	b.fresh()
	r := sure(url.Parse(b.console.URL))(t)
	b.jar.SetCookies(r, []*http.Cookie{begun})
	b.want("the second time", back, 403, "does not accept the code")
	errorIf(t, b.cookie("sluice") != nil, "there is a session")
}

// with is a request with cookies.
func with(cookies ...*http.Cookie) *http.Request {
	r := request("GET", "/", "127.0.0.1:1")
	for _, cookie := range cookies {
		r.AddCookie(cookie)
	}
	return r
}

// TestSessions: a session ends after twelve hours, and a changed cookie is none.
func TestSessions(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	b.want("signing in", "/", 200, "ann is operator")
	session := b.cookie("sluice")
	is := func(value string) *http.Cookie { return &http.Cookie{Name: "sluice", Value: value} }
	f := b.fixture
	f.expect("the cookie", with(session), 200, "ann is operator")
	f.expect("beside one of another", with(is("x"), session), 200, "ann is operator")
	raw := sure(base64.RawURLEncoding.DecodeString(session.Value))(t)
	for i := range raw { // any single bit
		changed := bytes.Clone(raw)
		changed[i] ^= 1
		f.expect("a changed cookie", with(is(base64.RawURLEncoding.EncodeToString(changed))), 303, "")
	}
	b.fresh()
	b.begin("/")
	for what, value := range map[string]string{
		"the cookie of a sign-in": b.cookie("sluice-login").Value, "half a cookie": session.Value[:20], "an empty cookie": "",
	} {
		f.expect(what, with(is(value)), 303, "")
	}
	b.wait(12*time.Hour - time.Second)
	f.expect("before its end", with(session), 200, "ann is operator")
	b.wait(2 * time.Second)
	f.expect("after its end", with(session), 303, "")

	again := open(t, func(of *config.Console) { of.OIDC.ClientID = "another" })
	again.expect("another client", with(session), 303, "")
}

// TestListsDecideAtEachRequest: a session is of no use once its person is in no list, and an
// operator who became a viewer is one at once.
func TestListsDecideAtEachRequest(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	b.provider.says(map[string]any{"email": "cid", "groups": []string{"engineers"}})
	b.want("signing in", "/", 200, "cid is operator")
	session := b.cookie("sluice")
	of := settings(config.AuthOIDC)
	of.PublicURL, of.OIDC = b.console.URL, config.ConsoleOIDC{Issuer: b.provider.URL, ClientID: clientID}
	of.Operators, of.Viewers = nil, []string{"cid"}
	start(t, of).expect("now a viewer", with(session), 200, "cid is viewer")
	of.Viewers = []string{"ben"}
	start(t, of).expect("now in no list", with(session), 403, "cid may not see")
}

// TestContextEndsWithTheSession: a stream of events does not outlive the proof of its reader's
// name.
func TestContextEndsWithTheSession(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	b.want("signing in", "/", 200, "ann is operator")
	r := with(b.cookie("sluice"))
	b.wait(11 * time.Hour)
	var left time.Duration
	b.access.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		ends, _ := r.Context().Deadline()
		left = time.Until(ends)
	})).ServeHTTP(httptest.NewRecorder(), r)
	errorIf(t, left < 58*time.Minute || left > time.Hour, "the context ends in %s, want an hour", left)
}

// TestOpenRedirects: after a sign-in the browser goes to a page of the console only.
func TestOpenRedirects(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	for to, want := range map[string]string{
		"/runs?a=b": "/runs?a=b", "/r/inventory.bills/1%2F2": "/r/inventory.bills/1%2F2", "": "/", "runs": "/",
		"//evil.example": "/", "///evil.example": "/", "/\\evil.example": "/", "\\\\evil.example": "/", "https://evil.example": "/", "https:evil.example": "/",
		"/\t/evil.example": "/", "/\n/evil.example": "/", "%20//evil.example": "/", "javascript:alert(1)": "/", "/%zz": "/",
		"/login": "/", "/login?to=/": "/", "/callback": "/", "/logout": "/",
	} {
		b.fresh()
		got, _ := b.get(b.begin(to), false)
		location := got.location
		errorIf(t, got.status != http.StatusSeeOther || location != want, "%q: %d to %q, want %q", to, got.status, location, want)
	}
}

// TestPrograms: scripts and programs get 401, and no way to the provider.
func TestPrograms(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	for name, r := range map[string]*http.Request{
		"a fetch":   request("GET", "/events", "127.0.0.1:1", "Sec-Fetch-Mode", "cors"),
		"an action": request("POST", "/act", "127.0.0.1:1", "Sec-Fetch-Mode", "navigate"),
		"a program": httptest.NewRequest(http.MethodGet, "/?format=json", http.NoBody),
	} {
		b.expect(name, r, 401, "not signed in")
	}
	b.expect("a person", request("GET", "/", "127.0.0.1:1", "Sec-Fetch-Mode", "navigate"), 303, "")
	b.expect("a wrong method", request("POST", "/login", "127.0.0.1:1"), 405, "GET only")
}

// TestSignOut: signing out is a POST of the console's own pages.
func TestSignOut(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	b.want("signing in", "/", 200, "ann is operator")
	if path := b.access.SignOut(); path != "/logout" {
		t.Fatalf("the path is %q", path)
	}
	b.want("by a link", "/logout", 405, "POST only")
	got, _ := b.send(http.MethodPost, "/logout", true, "Sec-Fetch-Site", "cross-site")
	errorIf(t, got.status != 403 || b.cookie("sluice") == nil, "another site: %d", got.status)
	got, body := b.send(http.MethodPost, "/logout", true, "Sec-Fetch-Site", "same-origin")
	errorIf(t, got.status != 200 || !strings.Contains(body, "signed out"), "the console's page: %d\n%s", got.status, body)
	errorIf(t, b.cookie("sluice") != nil, "the session is still there")
}

// TestCookiesOfHTTPS: by https the cookies belong to this host alone, and scripts cannot read them.
// Without the sealing key there are none.
func TestCookiesOfHTTPS(t *testing.T) {
	t.Parallel()
	b := open(t, func(of *config.Console) { of.PublicURL = "https://sluice.example.com" })
	_, err := access.New(access.Options{
		Settings: config.Console{Auth: config.AuthOIDC, PublicURL: "https://sluice.example.com"}, Log: slog.New(slog.DiscardHandler), Now: time.Now,
	})
	errorIf(t, err == nil || !strings.Contains(err.Error(), "SLUICE_ENCRYPTION_KEY"), "without a key: %v", err)
	w := b.do(request("GET", "/login", "127.0.0.1:1"))
	cookies := w.Result().Cookies()
	if len(cookies) != 1 {
		t.Fatalf("%d cookies: %d, %s", len(cookies), w.Code, w.Body)
	}
	got := cookies[0]
	if got.Name != "__Host-sluice-login" || !got.Secure || !got.HttpOnly || got.SameSite != http.SameSiteLaxMode || got.Path != "/" || got.Domain != "" || got.MaxAge != 600 {
		t.Errorf("the cookie is %+v", got)
	}
	to := sure(url.Parse(w.Header().Get("Location")))(t)
	if q := to.Query(); q.Get("redirect_uri") != "https://sluice.example.com/callback" || len(q.Get("code_challenge")) != 43 ||
		q.Get("state") == "" || q.Get("nonce") == "" {
		t.Errorf("the provider is asked by %s", to)
	}
}

// TestProviderDown: the console starts without its provider, says so to people, and works once it
// is there. A client secret that changed is used without a restart.
func TestProviderDown(t *testing.T) {
	t.Parallel()
	secret := wire.NewSecret(canary + "-old")
	b := open(t, nil)
	of := settings(config.AuthOIDC)
	of.PublicURL = b.console.URL
	of.OIDC = config.ConsoleOIDC{Issuer: b.provider.URL, ClientID: clientID, Scopes: []string{"openid"}, UserClaim: "email"}
	b.handler = sure(access.New(access.Options{
		Settings: of, Key: bytes.Repeat([]byte("k"), 32), ClientSecret: func() config.Secret { return secret }, Log: slog.New(slog.NewTextHandler(b, nil)), Now: b.clock,
	}))(t).Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(access.UserOf(r.Context()).Name))
	}))
	b.provider.down = true
	b.want("while it is down", "/", 502, "does not answer as it should")
	b.provider.down = false
	b.want("with a wrong secret", "/", 502, "does not answer as it should")
	errorIf(t, !strings.Contains(b.logged(), "invalid_client"), "the log does not say why:\n%s", b.logged())
	secret = wire.NewSecret(clientSecret)
	b.want("with the right one", "/", 200, "ann")
}

// The console's client at the provider.
const (
	clientID     = "sluice-console"
	clientSecret = canary + "-client"
)

// testProvider is a provider of OpenID Connect, written from the specification with the standard
// library alone: discovery, keys, and codes that can be exchanged once.
type testProvider struct {
	*httptest.Server

	t   *testing.T
	key *rsa.PrivateKey

	mu sync.Mutex
	// claims replace those of the next tokens; nil removes one.
	claims map[string]any
	// signer signs the next tokens.
	signer *rsa.PrivateKey
	// algorithm is what the head of the next tokens says.
	algorithm string
	// method is how the provider takes the client's secret; "" publishes nothing, which means
	// client_secret_basic.
	method string
	// down says that the provider answers with an error.
	down bool
	// codes are the parameters of sign-ins whose codes were not exchanged yet.
	codes map[string]url.Values
	// exchanged counts the exchanges.
	exchanged int
}

// newKey makes a key; ofProvider makes that of all providers, because it takes a while.
func newKey() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
}

var ofProvider = sync.OnceValue(newKey)

func newProvider(t *testing.T) *testProvider {
	t.Helper()
	key := ofProvider()
	p := &testProvider{t: t, key: key, signer: key, algorithm: "RS256", codes: make(map[string]url.Values)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", p.discovery)
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		p.answer(w, map[string]any{"keys": []any{map[string]any{
			"kty": "RSA", "kid": "one", "alg": "RS256", "use": "sig",
			"n": encode(key.N.Bytes()), "e": encode(big.NewInt(int64(key.E)).Bytes()),
		}}})
	})
	mux.HandleFunc("GET /authorize", p.authorize)
	mux.HandleFunc("POST /token", p.token)
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	return p
}

func encode(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }

func (p *testProvider) answer(w http.ResponseWriter, what any) {
	w.Header().Set("Content-Type", "application/json")
	err := json.NewEncoder(w).Encode(what)
	errorIf(p.t, err != nil, "%v", err)
}

func (p *testProvider) discovery(w http.ResponseWriter, _ *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.down {
		http.Error(w, "the provider rests", http.StatusServiceUnavailable)
		return
	}
	published := map[string]any{
		"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys",
		"id_token_signing_alg_values_supported": []string{"RS256"}, "response_types_supported": []string{"code"}, "subject_types_supported": []string{"public"},
	}
	if p.method != "" {
		published["token_endpoint_auth_methods_supported"] = []string{p.method}
	}
	p.answer(w, published)
}

// authorize signs the person in at once, and sends the browser back with a code.
func (p *testProvider) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	for name, want := range map[string]string{"response_type": "code", "client_id": clientID, "code_challenge_method": "S256"} {
		errorIf(p.t, q.Get(name) != want, "the provider was asked with %s=%q, want %q", name, q.Get(name), want)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	code := rand.Text()
	p.codes[code] = q
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"code": {code}, "state": {q.Get("state")}}.Encode(), http.StatusFound)
}

func (p *testProvider) token(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	refuse := func(status int, what string) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		p.answer(w, map[string]string{"error": what, "error_description": canary})
	}
	id, secret, _ := r.BasicAuth()
	if p.method == "client_secret_post" {
		id, secret = r.PostFormValue("client_id"), r.PostFormValue("client_secret")
	}
	if id != clientID || secret != clientSecret {
		refuse(http.StatusUnauthorized, "invalid_client")
		return
	}
	p.exchanged++
	begun, known := p.codes[r.FormValue("code")]
	delete(p.codes, r.FormValue("code"))
	challenge := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	if !known || encode(challenge[:]) != begun.Get("code_challenge") || r.FormValue("redirect_uri") != begun.Get("redirect_uri") {
		refuse(http.StatusBadRequest, "invalid_grant")
		return
	}
	now := time.Now()
	claims := map[string]any{
		"iss": p.URL, "aud": clientID, "sub": "1", "email": "ann", "email_verified": true, "nonce": begun.Get("nonce"),
		"iat": now.Unix(), "exp": now.Add(time.Minute).Unix(),
	}
	maps.Copy(claims, p.claims)
	maps.DeleteFunc(claims, func(_ string, value any) bool { return value == nil })
	p.answer(w, map[string]any{"access_token": canary, "token_type": "Bearer", "refresh_token": canary, "expires_in": 60, "id_token": p.sign(claims)})
}

func (p *testProvider) sign(claims map[string]any) string {
	head, err := json.Marshal(map[string]string{"alg": p.algorithm, "kid": "one", "typ": "JWT"})
	errorIf(p.t, err != nil, "%v", err)
	body, err := json.Marshal(claims)
	errorIf(p.t, err != nil, "%v", err)
	text := encode(head) + "." + encode(body)
	if p.algorithm == "none" {
		return text + "."
	}
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, p.signer, crypto.SHA256, sum[:])
	errorIf(p.t, err != nil, "%v", err)
	return text + "." + encode(signature)
}

// says sets what the next tokens say.
func (p *testProvider) says(claims map[string]any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.claims = claims
}
