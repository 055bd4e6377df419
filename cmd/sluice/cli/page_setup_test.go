package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"sluice/pipeline/warehouse/warehousetest"
	"sluice/sandbox"
)

// shownConsole is a console that runs as the command does.
type shownConsole struct {
	t       *testing.T
	client  http.Client
	address string
	end     func() outcome
}

func (s *fixture) showConsole(environment map[string]string) *shownConsole {
	s.t.Helper()
	of := *s
	of.environment = maps.Clone(environment)
	ctx, cancel := context.WithCancel(s.t.Context())
	out, in := io.Pipe()
	var stderr buffer
	code := make(chan int, 1)
	go func() {
		code <- Main(ctx, []string{"--config", s.config, "console", "--listen", "127.0.0.1:0"}, of.env(in, &stderr))
		_ = in.Close()
	}()
	first, err := bufio.NewReader(out).ReadString('\n')
	at := strings.Fields(first)
	if err != nil || len(at) < 5 || !strings.HasPrefix(at[4], "http://") {
		cancel()
		s.t.Fatalf("the console ended with %d; it said where it is: %q\n%s", <-code, first, stderr.String())
	}
	end := sync.OnceValue(func() outcome {
		cancel()
		return outcome{code: <-code, stderr: stderr.String()}
	})
	s.t.Cleanup(func() { end() })
	return &shownConsole{t: s.t, address: strings.TrimSuffix(at[4], "/"), end: end}
}

func (c *shownConsole) get(path string) (int, string) {
	c.t.Helper()
	return get(c.t, c.address+path)
}

func (c *shownConsole) leads(s *fixture) {
	c.t.Helper()
	_, text := c.get("/?format=json")
	var shown stepsView
	must(c.t, json.Unmarshal([]byte(text), &shown))
	states := ""
	for _, step := range shown.Steps {
		states += step.Step + " " + step.State + ", "
	}
	if states != "Migrate next, Authorize done, Check later, Sync later, " || shown.Steps[0].Command != "sluice migrate --config "+s.config {
		c.t.Errorf("without tables the steps are %+v", shown.Steps)
	}
}

// await watches a page as a browser does, also across an end of the connection, until it has a
// text.
func (c *shownConsole) await(path, text string) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), time.Minute)
	defer cancel()
	for ctx.Err() == nil {
		request := sure(http.NewRequestWithContext(ctx, http.MethodGet, c.address+"/live?page="+url.QueryEscape(path), http.NoBody))(c.t)
		answer, err := c.client.Do(request)
		if err != nil {
			continue
		}
		lines := bufio.NewScanner(answer.Body)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			if strings.Contains(lines.Text(), text) {
				_ = answer.Body.Close()
				return
			}
		}
		_ = answer.Body.Close()
	}
	_, page := c.get(path)
	c.t.Fatalf("within a minute %s never had %q; now it is\n%s", path, text, page)
}

// TestFirstMinutes: the console of an empty database leads to rows, and goes on by itself after
// each step.
func TestFirstMinutes(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 84, Records: 10}).narrow()
	s.environment["SLUICE_DATABASE_URL"] = warehousetest.New(t)
	c := s.showConsole(s.environment)
	c.leads(s)
	if code, page := c.get("/"); code != http.StatusOK || !strings.Contains(page, "Step 1 of 4 until rows are there: make the tables.") ||
		!strings.Contains(page, "<code>sluice migrate --config ") || !strings.Contains(page, `<a href="/" aria-current="page">Streams</a>`) {
		t.Errorf("without tables: %d\n%s", code, page)
	}
	s.runs(codeFine, "migrate")
	c.await("/", "Step 3 of 4 until rows are there: ask upstream")
	s.runs(codeFine, "check")
	c.await("/", "Step 4 of 4 until rows are there: read the lists for the first time.")
	s.sync(codeFine)
	c.await("/", "No list is late")
	if _, page := c.get("/"); strings.Contains(page, "until rows are there") {
		t.Errorf("after the first sync the steps are still there\n%s", page)
	}
	if o := c.end(); o.code != codeFine || !strings.Contains(o.stderr, "the console waits for its database") {
		t.Errorf("stopped: exit code %d, want %d and a line that it waited\n%s", o.code, codeFine, o.stderr)
	}
}

// TestServeWaitsForTables: with console.listen, serve starts on an empty database. Its console
// leads to rows, and its work begins when the tables are there. Without console.listen it ends.
func TestServeWaitsForTables(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 87, Records: 10}).narrow()
	empty := warehousetest.New(t)
	s.environment["SLUICE_DATABASE_URL"] = empty
	s.complains(codeEnvironment, "run sluice migrate", "serve", "--listen", "127.0.0.1:0")
	at, status := freeAddress(t), freeAddress(t)
	s.configured("console: {listen: " + at + "}\n")
	p := s.start("serve", "--listen", status)
	p.said("the console waits for its database", "reason")
	p.terminate() // it ends while it waits
	p.ends(codeFine, stopLimit)
	p = s.start("serve", "--listen", status)
	p.said("the console waits for its database", "reason")
	c := &shownConsole{t: t, address: "http://" + at}
	c.leads(s)
	for page, want := range map[string]int{"/healthz": http.StatusOK, "/readyz": http.StatusServiceUnavailable, "/metrics": http.StatusServiceUnavailable} {
		if got, text := get(t, "http://"+status+page); got != want {
			t.Errorf("while it waits, %s has status %d, want %d: %s", page, got, want, text)
		}
	}
	s.runs(codeFine, "migrate")
	p.said("serving", "listen")
	c.await("/", "No list is late")
	if got, text := get(t, "http://"+status+"/readyz"); got != http.StatusOK {
		t.Errorf("at work, /readyz has status %d: %s", got, text)
	}
	p.terminate()
	p.ends(codeFine, stopLimit)
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l := sure((&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0"))(t)
	must(t, l.Close())
	return l.Addr().String()
}

// TestConsentIsAStep: a process that has no refresh token asks for the consent, until upstream has
// answered another process.
func TestConsentIsAStep(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 85, Records: 10}).narrow()
	environment := maps.Clone(s.environment)
	delete(environment, "SANDBOX_REFRESH_TOKEN")
	c := s.showConsole(environment)
	_, page := c.get("/")
	for _, text := range []string{"Step 2 of 4", "no refresh token of Sandbox Trading", "<code>sluice authorize &#39;Sandbox Trading&#39; --config "} {
		errorIf(t, !strings.Contains(page, text), "without a refresh token the page lacks %q\n%s", text, page)
	}
	s.runs(codeFine, "check")
	c.await("/", "Step 4 of 4")
}

// TestConsoleWithoutDatabase: the console starts while its database is away, says so, and shows its
// pages when the database is there.
func TestConsoleWithoutDatabase(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 86, Records: 10})
	server := s.conn.Config()
	network, behind := pgconn.NetworkAddress(server.Host, server.Port)
	var open atomic.Bool
	gate := sure((&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { _ = gate.Close() })
	go func() {
		for {
			conn, err := gate.Accept()
			if err != nil {
				return
			}
			if !open.Load() {
				_ = conn.Close()
				continue
			}
			go forward(conn, network, behind)
		}
	}()
	environment := maps.Clone(s.environment)
	address := url.URL{
		Scheme: "postgres", User: url.UserPassword(server.User, server.Password), Host: gate.Addr().String(), Path: server.Database,
		RawQuery: "sslmode=disable",
	}
	environment["SLUICE_DATABASE_URL"] = address.String()
	c := s.showConsole(environment)
	for _, path := range []string{"/", "/?format=json"} {
		if code, page := c.get(path); code != http.StatusServiceUnavailable || !strings.Contains(page, "The database does not answer.") {
			t.Errorf("%s without a database: %d, want %d\n%s", path, code, http.StatusServiceUnavailable, page)
		}
	}
	open.Store(true)
	c.await("/", "Step 3 of 4")
	if code, page := c.get("/?format=json"); code != http.StatusOK || !strings.Contains(page, `"streams"`) {
		t.Errorf("with the database: %d\n%s", code, page)
	}
}

func forward(conn net.Conn, network, to string) {
	defer func() { _ = conn.Close() }()
	other, err := net.Dial(network, to)
	if err != nil {
		return
	}
	go func() {
		_, _ = io.Copy(other, conn)
		_ = other.Close()
	}()
	_, _ = io.Copy(conn, other)
}
