package access_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"sluice/cmd/sluice/console/access"
	"sluice/pipeline/engine/config"
)

// canary is a part of every secret in these tests: no log line and no answer may have it.
const canary = "CANARY"

// fixture is a console whose only page says who asks.
type fixture struct {
	t       *testing.T
	handler http.Handler
	access  *access.Access

	mu   sync.Mutex
	now  time.Time
	logs bytes.Buffer
}

func (f *fixture) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.logs.Write(p)
}

func (f *fixture) clock() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

// wait lets time pass.
func (f *fixture) wait(span time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now = f.now.Add(span)
}

// logged returns the log so far.
func (f *fixture) logged() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.logs.String()
}

// lines counts the lines of the log with a message.
func (f *fixture) lines(message string) int { return strings.Count(f.logged(), message) }

func settings(auth string) config.Console {
	return config.Console{
		Auth: auth, Operators: []string{"ann", "group:engineers"}, Viewers: []string{"ben", "group:analysts"},
		Header: config.ConsoleHeader{User: "X-Forwarded-User", Groups: "X-Forwarded-Groups"},
	}
}

// errorIf fails the test where something is not as it should be, and says what.
func errorIf(tb testing.TB, wrong bool, format string, args ...any) {
	tb.Helper()
	if wrong {
		tb.Errorf(format, args...)
	}
}

// sure gives the value of a call that may not fail.
func sure[T any](value T, err error) func(testing.TB) T {
	return func(tb testing.TB) T {
		tb.Helper()
		if err != nil {
			tb.Fatal(err)
		}
		return value
	}
}

func start(t *testing.T, of config.Console) *fixture {
	t.Helper()
	f := &fixture{t: t, now: time.Now()}
	f.access = sure(access.New(access.Options{
		Settings: of, Key: bytes.Repeat([]byte("0123456789abcdef"), 2), Log: slog.New(slog.NewTextHandler(f, nil)), Now: f.clock,
	}))(t)
	f.handler = f.access.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user := access.UserOf(r.Context())
		role := "viewer"
		if user.Operator {
			role = "operator"
		}
		_, _ = w.Write([]byte(user.Name + " is " + role))
	}))
	t.Cleanup(func() {
		errorIf(t, strings.Contains(f.logged(), canary), "the log has a secret:\n%s", f.logged())
	})
	return f
}

// request makes a request of a person's browser from an address.
func request(method, path, from string, headers ...string) *http.Request {
	r := httptest.NewRequest(method, "http://localhost:9466"+path, http.NoBody)
	r.RemoteAddr = from
	r.Header.Set("Accept", "text/html")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return r
}

func (f *fixture) do(r *http.Request) *httptest.ResponseRecorder {
	f.t.Helper()
	w := httptest.NewRecorder()
	f.handler.ServeHTTP(w, r)
	errorIf(f.t, strings.Contains(w.Body.String(), canary), "the answer has a secret:\n%s", w.Body)
	return w
}

// expect demands status and a part of the answer.
func (f *fixture) expect(what string, r *http.Request, status int, text string) {
	f.t.Helper()
	w := f.do(r)
	errorIf(f.t, w.Code != status || !strings.Contains(w.Body.String(), text),
		"%s: %d, want %d with %q:\n%s", what, w.Code, status, text, w.Body)
	errorIf(f.t, status != http.StatusOK && w.Header().Get("Cache-Control") != "no-store", "%s: the refusal may be stored", what)
}

// TestNone: a person at this machine is an operator, and no page of another site, no other machine
// and no proxy gets in.
func TestNone(t *testing.T) {
	t.Parallel()
	f := start(t, config.Console{Auth: config.AuthNone})
	f.expect("this machine", request("GET", "/", "127.0.0.1:5000"), 200, "local is operator")
	f.expect("this machine by IPv6", request("GET", "/", "[::1]:5000"), 200, "local is operator")
	f.expect("another machine", request("GET", "/", "192.0.2.1:5000"), 403, "from another")
	f.expect("a proxy", request("GET", "/", "127.0.0.1:5000", "X-Forwarded-For", "192.0.2.1"), 403, "a proxy passed")
	for host, status := range map[string]int{
		"localhost:9466": 200, "127.0.0.1": 200, "[::1]:9466": 200, "localhost": 200,
		"evil.example": 403, "evil.example:9466": 403, "localhost.evil.example": 403, "127.0.0.1.evil.example": 403, "192.0.2.1": 403, "": 403,
	} {
		r := request("GET", "/", "127.0.0.1:5000")
		r.Host = host
		w := f.do(r)
		errorIf(t, w.Code != status, "host %q: %d, want %d", host, w.Code, status)
	}
	if got := access.UserOf(t.Context()); f.access.SignOut() != "" || got != (access.User{}) {
		t.Errorf("there is something to sign out of, or outside of the handler somebody: %+v", got)
	}
}

// TestRoles: the lists decide, by names and by groups, and a name is never taken for a group.
func TestRoles(t *testing.T) {
	t.Parallel()
	of := settings(config.AuthHeader)
	of.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	closed := start(t, of)
	of.Viewers = nil
	open := start(t, of)
	for _, test := range []struct{ user, groups, closed, open string }{
		{"ann", "", "ann is operator", "ann is operator"},
		{"ben", "", "ben is viewer", "ben is viewer"},
		{"cid", "", "may not see", "cid is viewer"},
		{"Ann", "", "may not see", "Ann is viewer"},
		{"cid", "analysts", "cid is viewer", "cid is viewer"},
		{"cid", "others, engineers", "cid is operator", "cid is operator"},
		{"ben", "engineers,analysts", "ben is operator", "ben is operator"},
		{"engineers", "", "may not see", "engineers is viewer"},
		{"cid", "ann", "may not see", "cid is viewer"},
		{"group:engineers", "", "no single name", "no single name"},
	} {
		for f, want := range map[*fixture]string{closed: test.closed, open: test.open} {
			status := 403
			if strings.Contains(want, " is ") {
				status = 200
			}
			headers := []string{"X-Forwarded-User", test.user}
			if test.groups != "" {
				headers = append(headers, "X-Forwarded-Groups", test.groups)
			}
			f.expect(test.user+" of "+test.groups, request("GET", "/", "10.0.0.7:5000", headers...), status, want)
		}
	}
}

// TestHeader: only a trusted proxy names a person, and the address of the connection says whether
// it is one.
func TestHeader(t *testing.T) {
	t.Parallel()
	of := settings(config.AuthHeader)
	of.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	f := start(t, of)
	const user, groups = "X-Forwarded-User", "X-Forwarded-Groups"
	f.expect("the proxy", request("GET", "/", "10.0.0.7:5000", user, "ann"), 200, "ann is operator")
	f.expect("the proxy by mapped IPv4", request("GET", "/", "[::ffff:10.0.0.7]:5000", user, "ann"), 200, "ann is operator")
	f.expect("the proxy by IPv6", request("GET", "/", "[::1]:5000", user, "ben"), 200, "ben is viewer")
	f.expect("another address", request("GET", "/", "192.0.2.1:5000", user, "ann"), 403, "not come from a trusted proxy")
	f.expect("a claimed address", request("GET", "/", "192.0.2.1:5000", user, "ann", "X-Forwarded-For", "10.0.0.7"), 403, "not come from a trusted proxy")
	f.expect("an address that cannot be read", request("GET", "/", "@", user, "ann"), 403, "not come from a trusted proxy")
	f.expect("no name", request("GET", "/", "10.0.0.7:5000"), 401, "named no person")
	f.expect("an empty name", request("GET", "/", "10.0.0.7:5000", user, ""), 401, "named no person")
	f.expect("two names", request("GET", "/", "10.0.0.7:5000", user, "ben", user, "ann"), 403, "twice")
	f.expect("names in one", request("GET", "/", "10.0.0.7:5000", user, "ben, ann"), 403, "no single name")
	f.expect("groups twice", request("GET", "/", "10.0.0.7:5000", user, "cid", groups, "engineers", groups, "analysts"), 403, "twice")
	f.expect("a hidden character", request("GET", "/", "10.0.0.7:5000", user, "ann\u202e"), 403, "no single name")
	f.expect("a long name", request("GET", "/", "10.0.0.7:5000", user, strings.Repeat("a", 201)), 403, "no single name")
	f.expect("markup", request("GET", "/", "10.0.0.7:5000", user, "<script>x"), 403, "&lt;script&gt;x may not see")
	f.expect("behind two proxies", request("GET", "/", "10.0.0.7:5000", user, "dan", "X-Forwarded-For", "192.0.2.2, 192.0.2.3, 10.0.0.8"), 403, "may not see")
	if log := f.logged(); !strings.Contains(log, "sender=192.0.2.1") || !strings.Contains(log, "sender=192.0.2.3") || strings.Contains(log, "sender=192.0.2.2") {
		t.Errorf("the log names other senders:\n%s", log)
	}
	if got := f.lines("a person signed in to the console"); got != 2 { // ann once, ben once
		t.Errorf("%d sign-ins in the log, want 2:\n%s", got, f.logged())
	}
	f.wait(13 * time.Hour)
	f.expect("a day later", request("GET", "/", "10.0.0.7:5000", user, "ann"), 200, "ann is operator")
	got := f.lines("a person signed in to the console")
	errorIf(t, got != 3, "%d sign-ins in the log a day later, want 3", got)
}

// TestRefusalsDoNotFillTheLog: a sender who is refused all the time writes a bounded number of
// lines.
func TestRefusalsDoNotFillTheLog(t *testing.T) {
	t.Parallel()
	f := start(t, config.Console{Auth: config.AuthNone})
	for range 500 {
		f.do(request("GET", "/", "192.0.2.1:5000"))
	}
	got := f.lines("the console refused a request")
	errorIf(t, got != 30, "%d lines, want 30", got)
	f.wait(time.Minute)
	f.do(request("GET", "/", "192.0.2.1:5000"))
	got = f.lines("the console refused a request")
	errorIf(t, got != 31, "%d lines a minute later, want 31", got)
}
