package watch_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"sluice/sandbox/watch"
)

// clock is a clock that tests move.
type clock struct {
	mu sync.Mutex
	at time.Time
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

// poster sends with a client of its own, as cmd does.
type poster struct{ client *http.Client }

func (p poster) Post(ctx context.Context, address string, header http.Header, body []byte) (int, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	r.Header = header
	answer, err := p.client.Do(r)
	if err != nil {
		return 0, err
	}
	defer func() { _ = answer.Body.Close() }()
	return answer.StatusCode, nil
}

// receiver keeps the callbacks that arrive.
type receiver struct {
	url string

	mu      sync.Mutex
	status  int
	bodies  []string
	queries []string
	arrived chan struct{} // one signal for each
}

func listen(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{status: http.StatusOK, arrived: make(chan struct{}, 1000)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		errorIf(t, err != nil, "%v", err)
		equal(t, request.Method, http.MethodPost, "a callback came by")
		r.mu.Lock()
		defer r.mu.Unlock()
		r.bodies = append(r.bodies, string(body))
		r.queries = append(r.queries, request.URL.RawQuery)
		w.WriteHeader(r.status)
		r.arrived <- struct{}{}
	}))
	t.Cleanup(server.Close)
	r.url = server.URL
	return r
}

func (r *receiver) answer(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = status
}

// got returns the bodies since the last call.
func (r *receiver) got() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	bodies := r.bodies
	r.bodies = nil
	return bodies
}

// ids returns the first ids of callbacks, joined.
func ids(t *testing.T, bodies []string) string {
	t.Helper()
	var all []string
	for _, body := range bodies {
		all = append(all, strings.Join(decode[struct{ IDs []string }](t, body).IDs, "+"))
	}
	return strings.Join(all, " ")
}

// channels returns the channels of callbacks, joined.
func channels(t *testing.T, bodies []string) string {
	t.Helper()
	var all []string
	for _, body := range bodies {
		all = append(all, decode[struct {
			ID string `json:"channel_id"`
		}](t, body).ID)
	}
	return strings.Join(all, " ")
}

func decode[T any](t *testing.T, text string) T {
	t.Helper()
	var value T
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return value
}

// same compares JSON texts, ignoring spaces and the order of keys.
func same(t *testing.T, got, want string) {
	t.Helper()
	var compact [2][]byte
	for n, text := range []string{got, want} {
		var err error
		if compact[n], err = json.Marshal(decode[any](t, text)); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(compact[0], compact[1]) {
		t.Errorf("got  %s\nwant %s", compact[0], compact[1])
	}
}

// fixture is a running server.
type fixture struct {
	*watch.Server

	clock *clock
	url   string
	http  *http.Client
}

func start(t *testing.T, change func(*watch.Options)) *fixture {
	t.Helper()
	zone, err := time.LoadLocation("Asia/Kolkata")
	must(t, err)
	listening := httptest.NewUnstartedServer(nil)
	c := &clock{at: time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)}
	o := watch.Options{
		Now: c.now, Zone: zone, Base: "https://api.test", Poster: poster{&http.Client{Timeout: time.Minute}}, Seed: 3,
	}
	if change != nil {
		change(&o)
	}
	server, err := watch.New(o)
	must(t, err)
	listening.Config.Handler = server
	listening.Start()
	t.Cleanup(listening.Close)
	return &fixture{Server: server, clock: c, url: listening.URL, http: listening.Client()}
}

func (s *fixture) call(t *testing.T, method, query, body string) (int, http.Header, string) {
	t.Helper()
	r, err := http.NewRequest(method, s.url+"/crm/v8/actions/watch"+query, strings.NewReader(body))
	must(t, err)
	answer, err := s.http.Do(r)
	must(t, err)
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	must(t, err)
	return answer.StatusCode, answer.Header, string(text)
}

// enable subscribes, and fails the test on a refusal.
func (s *fixture) enable(t *testing.T, subscription string) {
	t.Helper()
	if status, _, body := s.call(t, http.MethodPost, "", `{"watch":[`+subscription+`]}`); status != http.StatusCreated {
		t.Fatalf("%s\n%d %s", subscription, status, body)
	}
}

// moduleID and fieldID return ids as a client reads them from its settings.
func (s *fixture) moduleID(t *testing.T, module string) string {
	t.Helper()
	for _, m := range s.Modules() {
		if m.Name == module {
			return m.ID
		}
	}
	t.Fatalf("no module %s", module)
	return ""
}

func (s *fixture) field(t *testing.T, module, field string) string {
	t.Helper()
	for _, m := range s.Modules() {
		for _, f := range m.Fields {
			if m.Name == module && f.Name == field {
				return `{"field":{"api_name":"` + field + `","id":"` + f.ID + `"}}`
			}
		}
	}
	t.Fatalf("no field %s of %s", field, module)
	return ""
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// equal compares two values; where says what they are.
func equal[T comparable](t *testing.T, got, want T, where ...any) {
	t.Helper()
	if got != want {
		t.Errorf("%v: got %v, want %v", where, got, want)
	}
}

// errorIf fails the test where something is not as it should be, and says what.
func errorIf(tb testing.TB, wrong bool, format string, args ...any) {
	tb.Helper()
	if wrong {
		tb.Errorf(format, args...)
	}
}
