// Package access says who asks the console, and whether that person is a viewer or an operator. It
// answers itself where a name is not proven: with a challenge, a way to a provider, or a refusal.
//
// It knows no page. It keeps no session and no token: a sealed cookie has the proven name, and
// every request is judged by the lists of the configuration. No log line, page or error has a
// secret (invariant 10).
//
// Start reading at Access.Handler. Each kind of proving a name has a file: none.go, basic.go,
// header.go, oidc.go.
package access

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

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
	refusals *limiter

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

// person is a proven name.
type person struct {
	name   string
	groups []string
	// until is the end of the proof; the zero time means that each request has its own.
	until time.Time
}

const (
	// signedIn is how long a proof by a provider is valid, and how long a sign-in of another kind
	// is not logged again.
	signedIn = 12 * time.Hour
	// mostKnown bounds what is remembered of people and addresses.
	mostKnown = 4096
	// maxName is the length of a name in characters.
	maxName = 200
)

// New makes the access of a console. Its error says what is missing in the settings, or what is
// wrong with the file of users.
func New(options Options) (*Access, error) {
	a := &Access{
		settings: options.Settings, log: options.Log, now: options.Now, logged: make(map[string]time.Time),
		refusals: newLimiter(options.Now, 30, 2*time.Second),
	}
	var err error
	switch options.Settings.Auth {
	case config.AuthNone:
		a.kind = none{a}
	case config.AuthBasic:
		a.kind, err = newBasic(a)
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
				Text: who.name + " may not see this console. An operator of sluice can add the name to console.viewers.",
			})
			return
		}
		ctx := context.WithValue(r.Context(), userKey{}, user)
		if !who.until.IsZero() {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, who.until.Sub(a.now()))
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
		return User{Name: who.name, Operator: true}, true
	}
	operator := listed(a.settings.Operators, who)
	return User{Name: who.name, Operator: operator}, operator || len(a.settings.Viewers) == 0 || listed(a.settings.Viewers, who)
}

// listed reports whether a list has the person, by name or by a group.
func listed(list []string, who person) bool {
	return slices.ContainsFunc(list, func(entry string) bool {
		if group, isGroup := strings.CutPrefix(entry, config.GroupPrefix); isGroup {
			return slices.Contains(who.groups, group)
		}
		return entry == who.name
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
	if !again && !a.first(who.name) {
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
	if a.refusals.take("") {
		a.log.WarnContext(r.Context(), "the console refused a request", "reason", reason, "auth", a.settings.Auth, "sender", a.sender(r).String())
	}
}
