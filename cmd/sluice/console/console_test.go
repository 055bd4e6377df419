package console_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"sluice/cmd/sluice/console"
	"sluice/cmd/sluice/console/access"
	"sluice/pipeline/engine/config"
	"sluice/pipeline/outside"
)

var (
	errAway   = errors.New("the database is away")
	errPanics = errors.New("the page panics")
)

// fixture is a console with one page, one page for operators, and one action.
type fixture struct {
	t        *testing.T
	server   *httptest.Server
	console  *console.Console
	operator atomic.Bool
	// made counts how often the page was made; text is what it says.
	made atomic.Int64
	mu   sync.Mutex
	text string
	err  error
	// panicked is called when the page panics.
	panicked func()
	// unrecorded is why nothing can be recorded; nil if it can. deeds are what was recorded.
	unrecorded error
	deeds      []console.Deed
}

const hostile = `<script>alert(1)</script> ` + "\u202e" + `gnp.exe "><img src=x onerror=alert(2)>`

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

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{t: t, text: "first"}
	f.operator.Store(true)
	f.console = console.New(console.Options{
		Routes: []console.Route{
			{Pattern: "/{$}", Nav: "Start", Page: func(context.Context, *console.Request) (console.Page, error) {
				f.made.Add(1)
				f.mu.Lock()
				defer f.mu.Unlock()
				if errors.Is(f.err, errPanics) {
					f.panicked()
					panic("a mistake in the page")
				}
				return console.Page{
					Title: f.text, Sentence: hostile, Mood: console.Bad, Document: map[string]int{"figure": 12345},
					Parts: []console.Part{
						console.Table{Caption: hostile, Head: []string{"Name"}, Rows: [][]console.Cell{
							{console.Text(hostile), console.To(hostile, "javascript:alert(3)"), console.Buttons(console.Form{Path: "/do", Label: "Do it"})},
						}},
						console.Form{Path: "/do", Label: "Do it at once", Warning: hostile, Hidden: []console.Hidden{{Name: "x", Value: hostile}}},
						console.Source{Caption: "record", Lines: []string{hostile, "second"}, Marked: map[int]bool{2: true}},
					},
				}, f.err
			}},
			{Pattern: "/secret", Operators: true, Page: func(context.Context, *console.Request) (console.Page, error) {
				return console.Page{Title: "For operators"}, nil
			}},
		},
		Actions: []console.Action{{Pattern: "/do", Do: func(_ context.Context, r *console.Request) (console.Deed, error) {
			deed := console.Deed{What: "thing do", Target: r.Query.Get("x"), Before: 1, After: 2}
			if r.Query.Get("x") == "impossible" {
				return deed, errors.New("it cannot be done")
			}
			return deed, nil
		}}},
		Record: func(_ context.Context, d console.Deed) (int64, error) {
			if f.unrecorded != nil {
				return 0, f.unrecorded
			}
			f.deeds = append(f.deeds, d)
			return int64(len(f.deeds)), nil
		},
		Recorded:    func(_ context.Context, id int64) (console.Deed, error) { return f.deeds[id-1], nil },
		Unreachable: func(err error) bool { return errors.Is(err, errAway) },
		Scrub: func(err error) outside.Text {
			return outside.Text(strings.ReplaceAll(err.Error(), "hunter2", "[secret]"))
		},
		Every: 5 * time.Millisecond,
		Log:   slog.New(slog.DiscardHandler),
		Now:   time.Now,
	})
	door := sure(access.New(access.Options{
		Settings: config.Console{
			Auth: config.AuthHeader, Header: config.ConsoleHeader{User: "X-Forwarded-User"}, Operators: []string{"ann"},
			TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		},
		Log: slog.New(slog.DiscardHandler), Now: time.Now,
	}))(t)
	// The proxy in front says who asks.
	f.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("X-Forwarded-User", "bob")
		if f.operator.Load() {
			r.Header.Set("X-Forwarded-User", "ann")
		}
		door.Handler(f.console).ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		f.console.Close()
		f.server.Close()
	})
	return f
}

func (f *fixture) get(path string) (int, string, http.Header) {
	f.t.Helper()
	request := sure(http.NewRequestWithContext(f.t.Context(), http.MethodGet, f.server.URL+path, http.NoBody))(f.t)
	return f.do(request)
}

func (f *fixture) do(request *http.Request) (int, string, http.Header) {
	f.t.Helper()
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	if err != nil {
		f.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body := sure(io.ReadAll(response.Body))(f.t)
	return response.StatusCode, string(body), response.Header
}

func (f *fixture) set(text string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.text, f.err = text, err
}

// post does the action, and returns the status of the answer, and where it leads.
func (f *fixture) post(from, x string, header http.Header) (int, string, string) {
	f.t.Helper()
	body := strings.NewReader(url.Values{"x": {x}}.Encode())
	request := sure(http.NewRequestWithContext(f.t.Context(), http.MethodPost, f.server.URL+"/do", body))(f.t)
	request.Header = header
	request.Header.Set("Referer", strings.Replace(from, "HOST", f.server.URL, 1))
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	status, text, answer := f.do(request)
	return status, answer.Get("Location"), text
}

// TestHostileTexts: what upstream or a person wrote is text, in every component.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	status, text, header := f.get("/")
	if status != http.StatusOK {
		t.Fatalf("status %d\n%s", status, text)
	}
	for _, bad := range []string{"<script>alert", "<img", "href=\"javascript:"} {
		errorIf(t, strings.Contains(text, bad), "the page has %s", bad)
	}
	errorIf(t, !strings.Contains(text, "<mark>second</mark>"), "the marked line is not marked")
	for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"} {
		got := header.Get(name)
		errorIf(t, got != want, "%s: %q, want %q", name, got, want)
	}
	if _, text, header := f.get("/?format=json"); text != "{\n  \"figure\": 12345\n}\n" || header.Get("Content-Type") != "application/json" {
		t.Errorf("the document is %q, %v", text, header)
	}
	policy := header.Get("Content-Security-Policy")
	errorIf(t, !strings.HasPrefix(policy, "default-src 'none';") || strings.Contains(policy, "unsafe"), "policy %q", policy)
}

func TestViewers(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	_, text, _ := f.get("/")
	errorIf(t, strings.Count(text, "<form class=\"act\"") != 2, "an operator does not see both buttons:\n%s", text)
	f.operator.Store(false)
	_, text, _ = f.get("/")
	errorIf(t, strings.Contains(text, "<form class=\"act\""), "a viewer sees a button")
	status, _, _ := f.get("/secret")
	errorIf(t, status != http.StatusForbidden, "a viewer gets status %d on a page for operators", status)
	status, _, _ = f.post("", "", http.Header{})
	errorIf(t, status != http.StatusForbidden || len(f.deeds) != 0, "a viewer acts: status %d, %d deeds", status, len(f.deeds))
}

func TestActions(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for from, want := range map[string]string{
		"HOST/runs?x=1&done=7": "/runs?x=1&done=", "https://evil.example/runs": "/?done=", "HOST//evil.example/x": "/?done=", "": "/?done=",
		"nowhere": "/?done=", "HOST/\\evil.example/": "/%5Cevil.example/?done=",
	} {
		status, to, _ := f.post(from, "it", http.Header{})
		errorIf(t, status != http.StatusSeeOther || !strings.HasPrefix(to, want), "from %q: status %d to %q, want %q", from, status, to, want)
	}
	if len(f.deeds) != 6 || f.deeds[0].Who != "ann" || f.deeds[0].What != "thing do" || f.deeds[0].Target != "it" || f.deeds[0].Failed != "" {
		t.Errorf("the deeds are %+v", f.deeds)
	}
	f.post("", "impossible", http.Header{})
	last := f.deeds[6]
	errorIf(t, last.Failed != "it cannot be done", "the deed that failed is %+v", last)
	for id, want := range map[int]string{1: "<b>Done</b>: thing do it.", 7: "<b>Not done</b>: thing do impossible. it cannot be done"} {
		_, text, _ := f.get(fmt.Sprintf("/?done=%d", id))
		errorIf(t, !strings.Contains(text, want), "after deed %d the page does not say %q", id, want)
	}
	before := len(f.deeds)
	for _, header := range []http.Header{{"Sec-Fetch-Site": {"cross-site"}}, {"Origin": {"https://evil.example"}}} {
		status, _, _ := f.post("", "it", header)
		errorIf(t, status != http.StatusForbidden, "a post with %v: status %d", header, status)
	}
	errorIf(t, len(f.deeds) != before, "a post from another origin was done")
	// Of an action that cannot be recorded, the page says whether it was done.
	f.unrecorded = errors.New("the table is read-only")
	for x, says := range map[string]string{
		"it": "It was done, and could not be recorded: the table is read-only", "impossible": "It was not done: it cannot be done.",
	} {
		if status, _, text := f.post("", x, http.Header{}); status != http.StatusInternalServerError || !strings.Contains(text, says) {
			t.Errorf("%s: status %d, want 500 and %q\n%s", x, status, says, text)
		}
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, c := range []struct {
		err    error
		status int
		says   string
	}{
		{errAway, http.StatusServiceUnavailable, "The database does not answer."},
		{fmt.Errorf("no bill 17: %w", console.ErrNotFound), http.StatusNotFound, "no bill 17"},
		{errors.New("the password hunter2 is wrong"), http.StatusInternalServerError, "the password [secret] is wrong"},
	} {
		f.set("", c.err)
		if status, text, _ := f.get("/"); status != c.status || !strings.Contains(text, c.says) || strings.Contains(text, "hunter2") {
			t.Errorf("%v: status %d\n%s", c.err, status, text)
		}
	}
	f.operator.Store(false)
	if _, text, _ := f.get("/"); strings.Contains(text, "[secret]") || !strings.Contains(text, "This page failed.") {
		t.Errorf("a viewer sees why a page failed:\n%s", text)
	}
	status, text, _ := f.get("/nowhere")
	errorIf(t, status != http.StatusNotFound || !strings.Contains(text, "There is no such page."), "no page: status %d\n%s", status, text)
}

// watch reads events of the page until the test ends.
func (f *fixture) watch(ctx context.Context) <-chan string {
	f.t.Helper()
	request := sure(http.NewRequestWithContext(ctx, http.MethodGet, f.server.URL+"/live?page=/", nil))(f.t)
	response, err := f.server.Client().Do(request) //nolint:bodyclose // closed below, when the events end
	if err != nil {
		f.t.Fatal(err)
	}
	events := make(chan string)
	go func() {
		defer close(events)
		defer func() { _ = response.Body.Close() }()
		lines := bufio.NewScanner(response.Body)
		for lines.Scan() {
			// The first line of a page is its title; a page without one comes out as it is.
			if lines.Text() == "event: main" && lines.Scan() {
				title := strings.TrimPrefix(lines.Text(), "data: <h1>")
				select {
				case events <- strings.TrimSuffix(title, "</h1>"):
				case <-ctx.Done():
					return
				}
			}
		}
	}()
	return events
}

// next waits for an event.
func (f *fixture) next(events <-chan string, want string) {
	f.t.Helper()
	select {
	case got := <-events:
		errorIf(f.t, got != want, "the event has %q, want %q", got, want)
	case <-time.After(time.Minute):
		f.t.Fatalf("no event %q arrives", want)
	}
}

// TestLive: a browser that watches a page gets it when it has changed, also while the database is
// away. A page that panics ends nothing else.
func TestLive(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	events := f.watch(t.Context())
	f.next(events, "first")
	panicked := make(chan struct{})
	f.panicked = sync.OnceFunc(func() { close(panicked) })
	f.set("panics", errPanics)
	<-panicked
	f.set("second", nil)
	f.next(events, "second")
	f.set("second", errAway)
	f.next(events, "Service Unavailable")
	f.set("third", nil)
	f.next(events, "third")
	for _, page := range []string{"", "//evil.example/", "https://evil.example/", "/live?page=/", "nowhere", "/?format=json"} {
		status, _, _ := f.get("/live?page=" + url.QueryEscape(page))
		errorIf(t, status != http.StatusBadRequest, "watching %q: status %d", page, status)
	}
}

// TestManyWatchOnePage: a page is made once for all who watch it, and no more when they have left.
func TestManyWatchOnePage(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	f := newFixture(t)
	const watchers = 200
	ctx, leave := context.WithCancel(t.Context())
	var all []<-chan string
	for range watchers {
		all = append(all, f.watch(ctx))
	}
	for _, events := range all {
		f.next(events, "first")
	}
	before := f.made.Load()
	f.set("second", nil)
	for _, events := range all {
		f.next(events, "second")
	}
	f.set("third", nil)
	for _, events := range all {
		f.next(events, "third")
	}
	// Each round makes the page once. With one a watcher it would be made 400 times for two
	// changes.
	made := f.made.Load() - before
	errorIf(t, made >= 2*watchers, "the page was made %d times for two changes", made)
	leave()
	for _, events := range all {
		for range events { // until it ends
		}
	}
	f.console.Close()
	f.server.Close()
	f.server.Client().CloseIdleConnections()
}
