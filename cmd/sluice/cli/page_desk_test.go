package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"

	"sluice/pipeline/engine"
	"sluice/pipeline/engine/config"
	"sluice/pipeline/outside"
	"sluice/pipeline/warehouse/actions"
	"sluice/pipeline/warehouse/warehousetest"
	"sluice/sandbox"
)

// harmful is what upstream or a person may write anywhere.
const (
	harmful        = `<script>alert(1)</script>` + "\u202egnp"
	harmfulEscaped = `&lt;script&gt;alert(1)&lt;/script&gt;` // the same in a page
)

// desk is the console of a fixture, as one person sees it. A proxy in front has proven the name.
type desk struct {
	*fixture

	app     *engine.App
	handler http.Handler
	who     string
}

// The two who look.
const (
	anOperator = "nora"
	aViewer    = "bob"
)

// userHeader is how the proxy names the person.
const userHeader = "X-Forwarded-User"

// deskOf opens the console of a fixture for a person, and gives what closes it.
func (s *fixture) deskOf(who string, showValues bool) (*desk, func()) {
	s.t.Helper()
	c := &cli{env: s.env(io.Discard, io.Discard), config: s.config}
	c.env.scrub = outside.NewScrubber()
	app := sure(engine.Open(s.t.Context(), c.offline()))(s.t)
	if app.Config.Console.Auth == config.AuthNone { // else the test has its own
		app.Config.Console = config.Console{
			Auth: config.AuthHeader, Header: config.ConsoleHeader{User: userHeader}, Operators: []string{anOperator},
			TrustedProxies: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}, ShowValues: showValues, // those of package httptest
		}
	}
	shown, handler, err := c.consoleOf(app)
	must(s.t, err)
	return &desk{fixture: s, app: app, handler: handler, who: who}, func() {
		shown.Close()
		must(s.t, app.Close(context.WithoutCancel(s.t.Context())))
	}
}

// desk opens the console of a fixture for an operator, until the test ends.
func (s *fixture) desk() *desk { return s.openDesk(anOperator) }

// viewersDesk opens the console of a fixture for a viewer, until the test ends.
func (s *fixture) viewersDesk() *desk { return s.openDesk(aViewer) }

func (s *fixture) openDesk(who string) *desk {
	s.t.Helper()
	d, end := s.deskOf(who, false)
	s.t.Cleanup(end)
	return d
}

// visited opens the console of a fixture for a person who looks, and then closes it.
func (s *fixture) visited(who string, showValues bool, look func(d *desk)) {
	s.t.Helper()
	d, end := s.deskOf(who, showValues)
	defer end()
	look(d)
}

// asks gets an address, or posts a form to it.
func (d *desk) asks(path string, form url.Values, header ...string) *httptest.ResponseRecorder {
	d.t.Helper()
	method, body := http.MethodGet, io.Reader(nil)
	if form != nil {
		method, body = http.MethodPost, strings.NewReader(form.Encode())
	}
	request := httptest.NewRequestWithContext(d.t.Context(), method, path, body)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set(userHeader, d.who)
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	answer := httptest.NewRecorder()
	d.handler.ServeHTTP(answer, request)
	return answer
}

// ask asks, and gives the status and the text of the page that follows.
func (d *desk) ask(path string, form url.Values) (int, string) {
	d.t.Helper()
	answer := d.asks(path, form)
	if answer.Code == http.StatusSeeOther {
		answer = d.asks(answer.Header().Get("Location"), nil)
	}
	return answer.Code, answer.Body.String()
}

func (d *desk) get(status int, path string) string {
	d.t.Helper()
	answer := d.asks(path, nil)
	fatalIf(d.t, answer.Code != status, "%s has status %d, want %d\n%s", path, answer.Code, status, answer.Body)
	return answer.Body.String()
}

// post sends a form, which has to be answered with a status, and gives the address of the page that
// follows.
func (d *desk) post(status int, path string, form url.Values) string {
	d.t.Helper()
	if form == nil {
		form = url.Values{}
	}
	answer := d.asks(path, form)
	fatalIf(d.t, answer.Code != status, "POST %s has status %d, want %d\n%s", path, answer.Code, status, answer.Body)
	return answer.Header().Get("Location")
}

// says gets a page that has these texts, and nothing that would be a script of upstream's or change
// the direction of a text.
func (d *desk) says(path string, texts ...string) string {
	d.t.Helper()
	status, page := d.ask(path, nil)
	for _, text := range texts {
		errorIf(d.t, status != http.StatusOK || !strings.Contains(page, text), "%s: status %d, want 200 and %q:\n%s", path, status, text, page)
	}
	if !strings.Contains(path, "format=json") {
		onlyTexts(d.t, path, page)
	}
	return page
}

// typed are the values of forms, which are sent as they are.
var typed = regexp.MustCompile(`value="[^"]*"`)

// onlyTexts checks that what stood in a name, a title, a key or an error is only a text on a page.
func onlyTexts(t *testing.T, path, page string) {
	t.Helper()
	errorIf(t, strings.Contains(page, "<script>"), "%s has a script of upstream's\n%s", path, page)
	errorIf(t, strings.Contains(typed.ReplaceAllString(page, ""), "\u202e"), "%s changes the direction of a text\n%s", path, page)
}

func (d *desk) hides(path string, texts ...string) {
	d.t.Helper()
	shown := d.get(http.StatusOK, path)
	for _, text := range texts {
		errorIf(d.t, strings.Contains(shown, text), "%s says %q\n%s", path, text, shown)
	}
}

func decodedPage[T any](d *desk, path string) T {
	d.t.Helper()
	var shown T
	must(d.t, json.Unmarshal([]byte(d.get(http.StatusOK, path)), &shown))
	return shown
}

// deed is what the table has of an action: its states are those of stateOf.
type deed struct {
	Who, What, Target, Organization string
	Before, After                   any
	Failed                          string
}

// stateOf is a value as the table has it.
func stateOf(t *testing.T, value any) any {
	t.Helper()
	text := sure(json.Marshal(value))(t)
	var state any
	must(t, json.Unmarshal(text, &state))
	return state
}

// posts does an action that is recorded, and gives what was recorded.
func (d *desk) posts(path string, form url.Values) deed {
	d.t.Helper()
	const noted = `SELECT count(*) FROM sluice.actions`
	before := one[int](d.fixture, noted)
	status, page := d.ask(path, form)
	if after := one[int](d.fixture, noted); status != http.StatusOK || after != before+1 {
		d.t.Fatalf("%s: status %d, %d deeds, want 200 and one more than %d:\n%s", path, status, after, before, page)
	}
	last := d.last()
	got := deed{
		Who: last.Actor, What: last.Action, Target: last.Target, Organization: last.Organization,
		Before: stateOf(d.t, last.Before), After: stateOf(d.t, last.After), Failed: string(last.Error),
	}
	errorIf(d.t, got.Who != anOperator || (got.Failed == "") != strings.Contains(page, "<b>Done</b>"),
		"%s: recorded %+v, and the page says:\n%s", path, got, page)
	return got
}

// last is the newest action that was noted.
func (d *desk) last() actions.Action {
	d.t.Helper()
	noted := sure(actions.List(d.t.Context(), d.app.DB.Pool(), actions.Filter{Limit: 1}))(d.t)
	fatalIf(d.t, len(noted) == 0, "nothing was noted")
	return noted[0]
}

// same checks that the document of a page is what a command prints. Keys that depend on the instant
// at which they are asked for are left out.
func (d *desk) same(path string, command ...string) {
	d.t.Helper()
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	o := d.run(append(command, "--json")...)
	fatalIf(d.t, o.code != codeFine, "%q ended with %d\n%s", command, o.code, o.stderr)
	page := d.get(http.StatusOK, path+separator+"format=json")
	diff := cmp.Diff(timeless(d.t, o.stdout), timeless(d.t, page))
	errorIf(d.t, diff != "" || len(page) < len(`[]`), "%s differs from %q (-command +page):\n%s", path, command, diff)
}

// timeless reads a document, and leaves out when something will be done.
func timeless(t *testing.T, text string) any {
	t.Helper()
	var document any
	decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.UseNumber()
	must(t, decoder.Decode(&document))
	var strip func(value any)
	strip = func(value any) {
		switch v := value.(type) {
		case map[string]any:
			for key, inner := range v {
				if slices.Contains([]string{"done_at", "done_seconds"}, key) {
					delete(v, key)
				}
				strip(inner)
			}
		case []any:
			for _, inner := range v {
				strip(inner)
			}
		}
	}
	strip(document)
	return document
}

// TestHarmfulTexts: whatever upstream or a person wrote into a name, a title, a key, an identifier,
// a reason or an error stands on every page as a text, and not as a script. It does not turn the
// text around it either. Each page in the list has to show such a text.
func TestHarmfulTexts(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 318, Records: 20, Limits: sandbox.Limits{Off: true}}).narrow()
	s.sync(codeFine)
	const org = sandbox.DefaultOrganizationID
	s.exec(`UPDATE sluice.organizations SET name = $1, is_active = false`, harmful)
	s.exec(`UPDATE sluice.streams SET state = 'retrying', reason = $1 WHERE resource = 'bills'`, "unavailable: "+harmful)
	run := one[string](s, `INSERT INTO sluice.runs (organization_id, service, resource, class, gen, ended_at, outcome, note)
		VALUES ($1, 'inventory', 'bills', 'incremental', 0, now(), 'failed', $2) RETURNING id::text`, org, harmful)
	s.exec(`INSERT INTO sluice.calls (organization_id, service, resource, class, shared, run_id, method, path, reserved_at, lease_until, finished_at, free_at, kind, detail)
		SELECT $1, 'inventory', $2, 'backfill', 'suite', $3, 'GET', '/' || $2, began, lease, ended, free, 'unavailable', $2
		FROM (SELECT now() AS began, now() AS lease, now() AS ended, now() AS free) AS c`, org, harmful, run)
	s.exec(`INSERT INTO sluice.drift (organization_id, service, resource, path, kind, seen) VALUES ($1, 'inventory', 'bills', $2, 'value: ' || $2, 3)`, org, harmful)
	entry := one[string](s, `INSERT INTO sluice.quarantine (organization_id, service, resource, record_hash, record_id, raw, code, path, detail)
		VALUES ($1, 'inventory', 'bills', '\x01', $2, convert_to('{"' || $2 || '": "' || $2 || '"}', 'UTF8'), 'wrong_type', $2, $2) RETURNING id::text`, org, harmful)
	s.exec(`INSERT INTO sluice.tombstones (organization_id, service, resource, record_id, state, suspected_run_id, suspected_first_call, suspected_last_call, suspected_clock)
		VALUES ($1, 'inventory', 'bills', $2, 'suspected', 1, 1, 1, now())`, org, harmful)
	check := one[string](s, `INSERT INTO sluice.verifications (ended_at, scope, calls_allowed, outcome, note, violations) VALUES (now(), $1, 0, 'found', $1, 1) RETURNING id::text`, harmful)
	s.exec(`INSERT INTO sluice.findings (verification_id, number, severity, source, code, organization_id, service, resource, record_id, path, detail)
		VALUES ($1, 1, 'violation', 'check', $2, $3, 'inventory', 'bills', $2, $2, $2)`, check, harmful, org)
	s.exec(`INSERT INTO sluice.actions (actor, action, target, before, after, outcome, error) VALUES ($1, $1, $1, jsonb_build_object($1::text, $1::text), jsonb_build_object($1::text, $1::text), 'failed', $1)`, harmful)
	d := s.desk()
	d.posts("/backfills", url.Values{"resource": {"inventory.bills"}})
	s.exec(`UPDATE sluice.backfills SET note = $1, requested_by = $1`, harmful)
	s.exec(`UPDATE inventory.bills SET vendor_name = $1, bill_number = $1, notes = $1`, harmful)
	bill := one[string](s, `SELECT min(bill_id) FROM inventory.bills`)

	shows := map[string]bool{
		"/": true, "/streams/" + org + "/inventory.bills": true, "/budget?service=inventory": true, "/runs": true, "/runs/" + run: true,
		"/quarantine": true, "/quarantine/entries?stream=inventory.bills": true, "/quarantine/" + entry: true, "/tombstones": true,
		"/drift/inventory.bills": true, "/checks": true, "/checks/" + check: true, "/organizations": true, "/actions": true,
		"/r/inventory.bills/" + bill: true, "/backfills": true, "/backfills/1": true,
	}
	addresses := []string{"/backfills/new?resource=%3Cscript%3Ealert(1)%3C/script%3E%E2%80%AEgnp", "/dictionary?q=%3Cscript%3Ealert(1)%3C/script%3E%E2%80%AEgnp"}
	for _, route := range (&pages{cli: &cli{}, app: d.app}).routes() {
		if route.Nav != "" {
			addresses = append(addresses, strings.TrimSuffix(route.Pattern, "{$}"))
		}
	}
	for n := range 30 {
		addresses = append(addresses, "/questions/"+strconv.Itoa(n+1))
	}
	for address := range shows {
		addresses = append(addresses, address)
	}
	for _, address := range addresses {
		page := d.get(http.StatusOK, address)
		onlyTexts(t, address, page)
		errorIf(t, shows[address] && !strings.Contains(page, harmfulEscaped),
			"%s does not show the text that this test is about\n%s", address, page)
	}
	for _, address := range []string{"/r/inventory.bills/%3Cscript%3E", "/streams/%3Cscript%3E%E2%80%AE/x", "/%3Cscript%3E%E2%80%AE"} {
		onlyTexts(t, address, d.get(http.StatusNotFound, address))
	}
}

const (
	answered  = http.StatusOK
	noPage    = http.StatusNotFound
	forbidden = http.StatusForbidden
	unnamed   = http.StatusUnauthorized
)

// The pages and actions of the console are written down by hand, by pattern: a new one has to be
// entered here. The company has no records, so what an address names by a number is unknown.
const (
	pagesOfAll = `/{$} /quarantine /quarantine/entries /drift /drift/{stream} /budget /runs /streams/{org}/{name} /backfills /backfills/new
		/tombstones /notifications /notifications/callbacks /dictionary /dictionary/{service} /dictionary/{service}/{table}
		/questions /questions/{n} /checks /organizations /configuration /health`
	pagesOfNothing  = `/quarantine/{id} /runs/{id} /backfills/{id} /tombstones/review/{run} /r/{resource}/{id...} /checks/{id}`
	actsOfOperators = `/quarantine/retry /quarantine/accept /quarantine/{id}/retry /quarantine/{id}/accept /budget/reopen /streams/{org}/{name}/run
		/backfills /backfills/{id}/pause /backfills/{id}/resume /backfills/{id}/cancel /notifications/{org}/check
		/tombstones/review/{run}/accept /tombstones/review/{run}/reject`
)

// filled is an address that has a pattern.
var filled = strings.NewReplacer("{$}", "", "{org}", sandbox.DefaultOrganizationID, "{name}", "inventory.bills", "{stream}", "inventory.bills",
	"{resource}", "inventory.bills", "{id...}", "1", "{id}", "1", "{run}", "1", "{n}", "1", "{service}", "inventory", "{table}", "bills").Replace

// TestWhoMaySee asks for each page and for each action as each kind of person: one without a name,
// one in neither list, a viewer and an operator.
func TestWhoMaySee(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 97, Records: 10})
	s.configured("console: {auth: header, trusted_proxies: [192.0.2.0/24], operators: [" + anOperator + "], viewers: [" + aViewer + "]}\n")
	d := s.desk()
	p := &pages{cli: &cli{}, app: d.app}
	want := map[string][4]int{
		"/static/console.css": {unnamed, forbidden, answered, answered},
		"/live?page=nowhere":  {unnamed, forbidden, http.StatusBadRequest, http.StatusBadRequest},
		"/nowhere":            {unnamed, forbidden, noPage, noPage},
	}
	var patterns []string
	for list, statuses := range map[string][2]int{
		pagesOfAll: {answered, answered}, pagesOfNothing: {noPage, noPage}, "/actions": {forbidden, answered},
		"/notifications/callbacks/{id}": {forbidden, noPage},
	} {
		for pattern := range strings.FieldsSeq(list) {
			patterns = append(patterns, pattern)
			for _, format := range []string{"", "?format=json"} {
				want[filled(pattern)+format] = [4]int{unnamed, forbidden, statuses[0], statuses[1]}
			}
		}
	}
	people := []string{"", "eve", aViewer, anOperator}
	for address, statuses := range want {
		for i, person := range people {
			d.who = person
			same(t, "the status that "+person+" gets at "+address, statuses[i], d.asks(address, nil).Code)
		}
	}
	for _, route := range p.routes() {
		errorIf(t, !slices.Contains(patterns, route.Pattern), "the lists do not say who may see %s", route.Pattern)
	}
	acts := strings.Fields(actsOfOperators)
	for _, action := range p.actions() {
		errorIf(t, !slices.Contains(acts, action.Pattern), "the list of actions does not have %s", action.Pattern)
	}
	errorIf(t, len(patterns) != len(p.routes()) || len(acts) != len(p.actions()),
		"the lists have %d pages and %d actions, the console %d and %d", len(patterns), len(acts), len(p.routes()), len(p.actions()))
	for _, pattern := range acts {
		d.acted(filled(pattern), people)
	}
	// Only the attempts of the operator from the console's own pages can have been noted.
	s.counts(0, "actions of people who may not act", `SELECT count(*) FROM sluice.actions WHERE actor <> $1`, anOperator)
}

// acted posts as each kind of person, from the console's own page and from elsewhere.
func (d *desk) acted(address string, people []string) {
	d.t.Helper()
	for from, elsewhere := range map[[2]string]bool{
		{"Sec-Fetch-Site", "same-origin"}: false, {"Origin", "http://example.com"}: false, {"Sec-Fetch-Site", "cross-site"}: true,
		{"Sec-Fetch-Site", "same-site"}: true, {"Origin", "https://elsewhere.example"}: true,
	} {
		for i, status := range []int{unnamed, forbidden, forbidden, forbidden} {
			d.who = people[i]
			got := d.asks(address, url.Values{}, from[0], from[1]).Code
			if i == 3 && !elsewhere {
				errorIf(d.t, slices.Contains([]int{unnamed, forbidden, http.StatusMethodNotAllowed}, got),
					"%s gets status %d for %s, and she is an operator", d.who, got, address)
			} else if got != status {
				d.t.Errorf("%q gets status %d for %s from %q, want %d", d.who, got, address, from, status)
			}
		}
	}
}

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
	_, page := c.get("/")
	errorIf(t, strings.Contains(page, "until rows are there"), "after the first sync the steps are still there\n%s", page)
	c.end().complains(t, codeFine, "the console waits for its database")
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
	p.stops() // it ends while it waits
	p = s.start("serve", "--listen", status)
	p.said("the console waits for its database", "reason")
	c := &shownConsole{t: t, address: "http://" + at}
	c.leads(s)
	for page, want := range map[string]int{"/healthz": http.StatusOK, "/readyz": http.StatusServiceUnavailable, "/metrics": http.StatusServiceUnavailable} {
		got, text := get(t, "http://"+status+page)
		errorIf(t, got != want, "while it waits, %s has status %d, want %d: %s", page, got, want, text)
	}
	s.runs(codeFine, "migrate")
	p.said("serving", "listen")
	c.await("/", "No list is late")
	got, text := get(t, "http://"+status+"/readyz")
	errorIf(t, got != http.StatusOK, "at work, /readyz has status %d: %s", got, text)
	p.stops()
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
	code, page := c.get("/?format=json")
	errorIf(t, code != http.StatusOK || !strings.Contains(page, `"streams"`), "with the database: %d\n%s", code, page)
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
