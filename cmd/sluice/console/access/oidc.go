package access

import (
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/oauth2"

	"sluice/pipeline/engine/config"
)

// The pages of a sign-in.
const (
	loginPath    = "/login"
	callbackPath = "/callback"
	logoutPath   = "/logout"
)

// The cookies of the console, and how long a person may take to sign in.
const (
	sessionCookie = "sluice"
	loginCookie   = "sluice-login"
	loginTime     = 10 * time.Minute
)

// openID proves names by a provider of OpenID Connect: authorization code, PKCE, state and nonce.
type openID struct {
	*Access

	provider *provider
	cookies  *sealer
	origin   *http.CrossOriginProtection
}

// login is what the console remembers of a sign-in under way, in the browser.
type login struct {
	State    string    `json:"state"`
	Nonce    string    `json:"nonce"`
	Verifier string    `json:"verifier"`
	To       string    `json:"to"`
	Until    time.Time `json:"until"`
}

func newOIDC(a *Access, options Options) (*openID, error) {
	public, err := url.Parse(a.settings.PublicURL)
	if err != nil || public.Host == "" {
		return nil, errors.New("console.auth oidc needs console.public_url: the provider sends browsers back to it")
	}
	cookies, err := newSealer(options.Key, public.Scheme == "https", a.settings.OIDC.Issuer+"\x00"+a.settings.OIDC.ClientID)
	if err != nil {
		return nil, err
	}
	origin := http.NewCrossOriginProtection()
	if err := origin.AddTrustedOrigin(a.settings.PublicURL); err != nil {
		return nil, fmt.Errorf("console.public_url: %w", err)
	}
	secret := options.ClientSecret
	if secret == nil {
		secret = func() config.Secret { return a.settings.OIDC.ClientSecret }
	}
	return &openID{
		Access: a, provider: newProvider(a.settings.OIDC, a.settings.PublicURL+callbackPath, secret, a.now),
		cookies: cookies, origin: origin,
	}, nil
}

func (o *openID) own(w http.ResponseWriter, r *http.Request) bool {
	method, serve := http.MethodGet, o.login
	switch r.URL.Path {
	case loginPath:
	case callbackPath:
		serve = o.callback
	case logoutPath:
		method, serve = http.MethodPost, o.logout
	default:
		return false
	}
	if r.Method != method {
		w.Header().Set("Allow", method)
		o.show(w, r, http.StatusMethodNotAllowed, answer{Title: "Not allowed", Text: "This address takes " + method + " only."})
		return true
	}
	serve(w, r)
	return true
}

func (o *openID) who(w http.ResponseWriter, r *http.Request) (person, bool) {
	var who person
	if o.cookies.get(r, sessionCookie, &who) && o.now().Before(who.Until) {
		return who, true
	}
	w.Header().Set("Cache-Control", "no-store")
	if !navigates(r) {
		o.show(w, r, http.StatusUnauthorized, answer{Title: "Sign in", Text: "You are not signed in, or no longer.", SignIn: loginPath})
		return person{}, false
	}
	http.Redirect(w, r, loginPath+"?"+url.Values{"to": {r.URL.RequestURI()}}.Encode(), http.StatusSeeOther)
	return person{}, false
}

// navigates reports whether a person opens a page. Scripts and programs get no redirect to a
// provider, with which they could do nothing.
func navigates(r *http.Request) bool {
	mode := r.Header.Get("Sec-Fetch-Mode")
	return r.Method == http.MethodGet && (mode == "navigate" || mode == "" && strings.Contains(r.Header.Get("Accept"), "text/html"))
}

// login sends the browser to the provider.
func (o *openID) login(w http.ResponseWriter, r *http.Request) {
	begun := login{
		State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(), To: local(r.URL.Query().Get("to")), Until: o.now().Add(loginTime),
	}
	to, err := o.provider.address(r.Context(), begun)
	if err == nil {
		err = o.cookies.set(w, loginCookie, begun, loginTime)
	}
	if err != nil {
		o.unavailable(w, r, err)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// unavailable answers that the provider cannot be asked.
func (o *openID) unavailable(w http.ResponseWriter, r *http.Request, err error) {
	text := []rune(err.Error()) // a provider may answer with a whole page
	text = text[:min(len(text), maxBrief)]
	o.log.WarnContext(r.Context(), "the console's provider does not answer as it should", "error", string(text))
	o.show(w, r, http.StatusBadGateway, answer{
		Title: "No sign-in", Text: "The provider that signs people in does not answer as it should. The log of sluice says why.", SignIn: loginPath,
	})
}

// callback receives what the provider says about a person.
func (o *openID) callback(w http.ResponseWriter, r *http.Request) {
	var begun login
	found := o.cookies.get(r, loginCookie, &begun)
	o.cookies.drop(w, loginCookie) // a sign-in ends at its first answer, whatever that is
	query := r.URL.Query()
	var who person
	var err error
	switch {
	case !found || !o.now().Before(begun.Until):
		err = &refusalError{"no sign-in is under way in this browser, or it took longer than ten minutes"}
	case subtle.ConstantTimeCompare([]byte(query.Get("state")), []byte(begun.State)) != 1:
		err = &refusalError{"the answer belongs to another sign-in"}
	case query.Has("iss") && query.Get("iss") != o.settings.OIDC.Issuer:
		err = &refusalError{"the answer names another provider"}
	case query.Get("error") == "access_denied":
		err = &refusalError{"the provider says that access was denied"}
	case query.Get("error") != "" || query.Get("code") == "":
		err = &refusalError{"the provider reports an error"}
	default:
		who, err = o.provider.person(r.Context(), begun, query.Get("code"))
	}
	if refusal, isRefusal := errors.AsType[*refusalError](err); isRefusal {
		o.refused(r, refusal.reason)
		o.show(w, r, http.StatusForbidden, answer{
			Title: "Not signed in", Text: "The console refused the sign-in: " + refusal.reason + ".", SignIn: loginPath,
		})
		return
	}
	if err != nil {
		o.unavailable(w, r, err)
		return
	}
	who.Groups = slices.DeleteFunc(who.Groups, func(group string) bool {
		entry := config.GroupPrefix + group
		return !slices.Contains(o.settings.Operators, entry) && !slices.Contains(o.settings.Viewers, entry)
	})
	who.Until = o.now().Add(signedIn)
	if err := o.cookies.set(w, sessionCookie, who, signedIn); err != nil {
		o.unavailable(w, r, err)
		return
	}
	o.signed(r, who, true)
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, local(begun.To), http.StatusSeeOther)
}

// logout ends the session in this browser. The session at the provider stays.
func (o *openID) logout(w http.ResponseWriter, r *http.Request) {
	if err := o.origin.Check(r); err != nil {
		o.refused(r, "another site asked to sign out")
		o.show(w, r, http.StatusForbidden, answer{Title: "Refused", Text: "Another site asked to sign out."})
		return
	}
	o.cookies.drop(w, sessionCookie)
	o.show(w, r, http.StatusOK, answer{
		Title: "Signed out", Text: "You are signed out of the console. At the provider you are still signed in.", SignIn: loginPath,
	})
}

// local returns a path of this console, or "/" if the text leads elsewhere. Browsers drop control
// characters, and take a backslash for a slash, so neither may hide that a host begins.
func local(to string) string {
	parsed, err := url.Parse(to)
	switch {
	case err != nil || !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") || parsed.Host != "" || parsed.Scheme != "":
	case strings.ContainsFunc(to, func(r rune) bool { return r == '\\' || unicode.IsControl(r) }):
	case slices.Contains([]string{loginPath, callbackPath, logoutPath}, parsed.Path):
	default:
		return to
	}
	return "/"
}
