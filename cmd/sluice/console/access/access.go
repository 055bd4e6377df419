// Package access says who asks the console, and whether that person is a viewer or an operator. It
// answers itself where a name is not proven: with a challenge, a way to a provider, or a refusal.
//
// It knows no page. It keeps no session and no token: a sealed cookie has the proven name, and
// every request is judged by the lists of the configuration. No log line, page or error has a
// secret (invariant 10).
//
// Start reading at Access.Handler. The kinds of proving a name are none and header, which are here,
// and oidc, in oidc.go.
package access

import (
	"context"
	"fmt"
	"html/template"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/time/rate"

	"sluice/pipeline/engine/config"
)

// Options are what Access needs.
type Options struct {
	// Settings are those of the configuration.
	Settings config.Console
	// Key is the sealing key, from which the key of cookies is derived. Only oidc needs it.
	Key []byte
	// ClientSecret returns the secret of oidc that is in force; nil means that of Settings.
	ClientSecret func() config.Secret
	Log          *slog.Logger
	Now          func() time.Time
}

// User is the person behind a request.
type User struct {
	Name string
	// Operator says that the person may act, and not only look.
	Operator bool
}

// Local is the name of the operator where no name has to be proven.
const Local = "local"

// Access lets people in.
type Access struct {
	settings config.Console
	log      *slog.Logger
	now      func() time.Time
	kind     kind
	// refusals bounds the lines of the log about refusals.
	refusals *rate.Limiter

	mu sync.Mutex
	// logged are the people whose sign-in the log has, and when.
	logged map[string]time.Time
}

// kind proves names in one way.
type kind interface {
	// who returns the person behind a request, or answers the request itself.
	who(w http.ResponseWriter, r *http.Request) (person, bool)
	// own answers requests for pages of its own, and reports whether it did.
	own(w http.ResponseWriter, r *http.Request) bool
}

// own is that of a kind without pages of its own.
func (a *Access) own(http.ResponseWriter, *http.Request) bool { return false }

// person is a proven name, and what the session's cookie has. In the cookie the groups are those
// that the lists of the configuration name: the lists decide at each request, and the cookie stays
// small.
type person struct {
	Name   string   `json:"name"`
	Groups []string `json:"groups,omitempty"`
	// Until is the end of the proof; the zero time means that each request has its own.
	Until time.Time `json:"until"`
}

const (
	// signedIn is how long a proof by a provider is valid, and how long a sign-in of another kind
	// is not logged again.
	signedIn = 12 * time.Hour
	// mostKnown bounds what is remembered of people.
	mostKnown = 4096
	// maxName is the length of a name in characters.
	maxName = 200
)

// New makes the access of a console. Its error says what is missing in the settings.
func New(options Options) (*Access, error) {
	a := &Access{
		settings: options.Settings, log: options.Log, now: options.Now, logged: make(map[string]time.Time),
		refusals: rate.NewLimiter(rate.Every(2*time.Second), 30),
	}
	var err error
	switch options.Settings.Auth {
	case config.AuthNone:
		a.kind = none{a}
	case config.AuthHeader:
		a.kind = header{a}
	case config.AuthOIDC:
		a.kind, err = newOIDC(a, options)
	default:
		err = fmt.Errorf("there is no kind %q of console.auth", options.Settings.Auth)
	}
	if err != nil {
		return nil, err
	}
	return a, nil
}

// SignOut is the path to which a form posts to sign out; "" where there is nothing to end.
func (a *Access) SignOut() string {
	if a.settings.Auth == config.AuthOIDC {
		return logoutPath
	}
	return ""
}

// Handler lets requests of viewers and operators through to next, with their User in the context.
// It answers all other requests itself. The context of a request ends with the proof of the name.
func (a *Access) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if a.kind.own(w, r) {
			return
		}
		who, proven := a.kind.who(w, r)
		if !proven {
			return
		}
		user, admitted := a.judge(who)
		if !admitted {
			a.refused(r, "the person is in neither list of the console")
			a.show(w, r, http.StatusForbidden, answer{
				Title: "Not admitted", SignOut: a.SignOut(),
				Text: who.Name + " may not see this console. An operator of sluice can add the name to console.viewers.",
			})
			return
		}
		ctx := context.WithValue(r.Context(), userKey{}, user)
		if !who.Until.IsZero() {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, who.Until.Sub(a.now()))
			defer cancel()
		}
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

type userKey struct{}

// UserOf returns the person behind the request of a context. Outside of Handler it is a user
// without a name, who is no operator.
func UserOf(ctx context.Context) User {
	user, _ := ctx.Value(userKey{}).(User)
	return user
}

// judge decides what a person is, and reports whether the person is admitted at all.
func (a *Access) judge(who person) (User, bool) {
	if a.settings.Auth == config.AuthNone {
		return User{Name: who.Name, Operator: true}, true
	}
	operator := listed(a.settings.Operators, who)
	return User{Name: who.Name, Operator: operator}, operator || len(a.settings.Viewers) == 0 || listed(a.settings.Viewers, who)
}

// listed reports whether a list has the person, by name or by a group.
func listed(list []string, who person) bool {
	return slices.ContainsFunc(list, func(entry string) bool {
		if group, isGroup := strings.CutPrefix(entry, config.GroupPrefix); isGroup {
			return slices.Contains(who.Groups, group)
		}
		return entry == who.Name
	})
}

// named reports whether a text can be the name of a person: printable, and of bounded length. It
// cannot look like an entry for a group.
func named(name string) bool {
	return name != "" && utf8.ValidString(name) && utf8.RuneCountInString(name) <= maxName && strings.TrimSpace(name) == name &&
		!strings.HasPrefix(name, config.GroupPrefix) && !strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) })
}

// signed logs that a person signed in. Where each request has its own proof, again is false, and
// one line stands for twelve hours.
func (a *Access) signed(r *http.Request, who person, again bool) {
	if !again && !a.first(who.Name) {
		return
	}
	user, admitted := a.judge(who)
	if admitted {
		a.log.InfoContext(r.Context(), "a person signed in to the console",
			"person", user.Name, "operator", user.Operator, "auth", a.settings.Auth, "sender", a.sender(r).String())
	}
}

// first reports whether the sign-in of a name has not been logged for twelve hours, and notes it.
func (a *Access) first(name string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.now()
	if last, known := a.logged[name]; known && now.Sub(last) < signedIn {
		return false
	}
	if len(a.logged) >= mostKnown {
		clear(a.logged)
	}
	a.logged[name] = now
	return true
}

// refused logs that a proof was refused. The reason has no word of the request. A sender who is
// refused all the time does not fill the log.
func (a *Access) refused(r *http.Request, reason string) {
	if a.refusals.AllowN(a.now(), 1) {
		a.log.WarnContext(r.Context(), "the console refused a request", "reason", reason, "auth", a.settings.Auth, "sender", a.sender(r).String())
	}
}

// refuse logs that a request was refused, and says it to the person.
func (a *Access) refuse(w http.ResponseWriter, r *http.Request, status int, reason string) (person, bool) {
	a.refused(r, reason)
	a.show(w, r, status, answer{Title: "Refused", Text: "The console refused the request: " + reason + "."})
	return person{}, false
}

// none lets everyone in who reaches the listener from this machine, as an operator. It does not
// trust the listener to be out of reach: a page of another site may name this machine by a name of
// its own (DNS rebinding), and a proxy may lead others here.
type none struct{ *Access }

func (n none) who(w http.ResponseWriter, r *http.Request) (person, bool) {
	var reason string
	switch {
	case !address(r.RemoteAddr).IsLoopback():
		reason = "with console.auth none only this machine is let in, and the request came from another"
	case r.Header.Get("X-Forwarded-For") != "" || r.Header.Get("Forwarded") != "":
		reason = "with console.auth none only this machine is let in, and a proxy passed the request on"
	case !n.ours(r.Host):
		reason = "with console.auth none the console answers to localhost only, and the request named another host"
	default:
		return person{Name: Local}, true
	}
	return n.refuse(w, r, http.StatusForbidden, reason)
}

// ours reports whether a host is this machine, by a name that no other site can have.
func (n none) ours(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if public, err := url.Parse(n.settings.PublicURL); err == nil && public.Hostname() != "" && host == public.Hostname() {
		return true
	}
	at, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return host == "localhost" || err == nil && at.IsLoopback()
}

// header believes the name that a trusted proxy sends. The address of the connection decides, never
// a header: X-Forwarded-For is a claim of the sender.
type header struct{ *Access }

func (h header) who(w http.ResponseWriter, r *http.Request) (person, bool) {
	users, groups := r.Header.Values(h.settings.Header.User), r.Header.Values(h.settings.Header.Groups)
	var reason string
	status := http.StatusForbidden
	switch {
	case !h.proxied(address(r.RemoteAddr)):
		reason = "the connection does not come from a trusted proxy"
	case len(users) > 1 || len(groups) > 1:
		reason = "the proxy passed a header with the name or the groups on twice, so the sender may have written one"
	case len(users) == 0 || users[0] == "":
		reason, status = "the proxy named no person", http.StatusUnauthorized
	case !named(users[0]) || strings.Contains(users[0], ","): // a proxy that adds to a header writes a comma
		reason = "the name is no single name"
	default:
		who := person{Name: users[0]}
		for _, list := range groups {
			for group := range strings.SplitSeq(list, ",") {
				who.Groups = append(who.Groups, strings.TrimSpace(group))
			}
		}
		h.signed(r, who, false)
		return who, true
	}
	return h.refuse(w, r, status, reason)
}

// sender returns the address that a request comes from: that of the connection, or behind trusted
// proxies the last address of X-Forwarded-For that none of them has. The addresses before it are
// claims of the sender.
func (a *Access) sender(r *http.Request) netip.Addr {
	peer := address(r.RemoteAddr)
	forwarded := strings.Join(r.Header.Values("X-Forwarded-For"), ",")
	if !a.proxied(peer) || strings.TrimSpace(forwarded) == "" {
		return peer
	}
	for _, hop := range slices.Backward(strings.Split(forwarded, ",")) {
		peer = address(strings.TrimSpace(hop))
		if !a.proxied(peer) {
			return peer
		}
	}
	return peer
}

// proxied reports whether an address is that of a trusted proxy.
func (a *Access) proxied(peer netip.Addr) bool {
	return slices.ContainsFunc(a.settings.TrustedProxies, func(network netip.Prefix) bool { return network.Contains(peer) })
}

// address reads an address with or without a port; the zero address if it is none.
func address(text string) netip.Addr {
	if withPort, err := netip.ParseAddrPort(text); err == nil {
		return withPort.Addr().Unmap().WithZone("")
	}
	bare, err := netip.ParseAddr(strings.Trim(text, "[]"))
	if err != nil {
		return netip.Addr{}
	}
	return bare.Unmap().WithZone("")
}

// answer is what a person sees in place of the console.
type answer struct {
	Title, Text string
	// SignIn and SignOut are paths that are offered; "" offers none.
	SignIn, SignOut string
}

// page is plain on purpose: it is shown to people without a proven name, so it has no part of the
// console.
var page = template.Must(template.New("answer").Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>{{.Title}} – sluice</title>
</head>
<body>
<h1>{{.Title}}</h1>
<p>{{.Text}}</p>
{{with .SignIn}}<p><a href="{{.}}">Sign in</a></p>
{{end}}{{with .SignOut}}<form method="post" action="{{.}}"><button>Sign out</button></form>
{{end}}</body>
</html>
`))

// show answers with a page, or with a line for programs.
func (a *Access) show(w http.ResponseWriter, r *http.Request, status int, what answer) {
	head := w.Header()
	head.Set("Cache-Control", "no-store")
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Referrer-Policy", "no-referrer")
	head.Set("Content-Security-Policy", "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
	if !strings.Contains(r.Header.Get("Accept"), "text/html") {
		head.Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(what.Title + ": " + what.Text + "\n")) // a broken connection is the reader's
		return
	}
	head.Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_ = page.Execute(w, what) // a broken connection is the reader's
}
