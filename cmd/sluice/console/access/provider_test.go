package access_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"
)

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
	if err := json.NewEncoder(w).Encode(what); err != nil {
		p.t.Error(err)
	}
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
		if q.Get(name) != want {
			p.t.Errorf("the provider was asked with %s=%q, want %q", name, q.Get(name), want)
		}
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
	if err != nil {
		p.t.Error(err)
	}
	body, err := json.Marshal(claims)
	if err != nil {
		p.t.Error(err)
	}
	text := encode(head) + "." + encode(body)
	if p.algorithm == "none" {
		return text + "."
	}
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, p.signer, crypto.SHA256, sum[:])
	if err != nil {
		p.t.Error(err)
	}
	return text + "." + encode(signature)
}

// says sets what the next tokens say.
func (p *testProvider) says(claims map[string]any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.claims = claims
}
