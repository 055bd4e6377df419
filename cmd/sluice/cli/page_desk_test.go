package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/pipeline/engine"
	"sluice/pipeline/engine/config"
	"sluice/pipeline/outside"
	"sluice/pipeline/warehouse/actions"
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

// get gives a page, which has to have a status.
func (d *desk) get(status int, path string) string {
	d.t.Helper()
	answer := d.asks(path, nil)
	if answer.Code != status {
		d.t.Fatalf("%s has status %d, want %d\n%s", path, answer.Code, status, answer.Body)
	}
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
	if answer.Code != status {
		d.t.Fatalf("POST %s has status %d, want %d\n%s", path, answer.Code, status, answer.Body)
	}
	return answer.Header().Get("Location")
}

// says gets a page that has these texts, and nothing that would be a script of upstream's or change
// the direction of a text.
func (d *desk) says(path string, texts ...string) string {
	d.t.Helper()
	status, page := d.ask(path, nil)
	for _, text := range texts {
		if status != http.StatusOK || !strings.Contains(page, text) {
			d.t.Errorf("%s: status %d, want 200 and %q:\n%s", path, status, text, page)
		}
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
	if strings.Contains(page, "<script>") {
		t.Errorf("%s has a script of upstream's\n%s", path, page)
	}
	if strings.Contains(typed.ReplaceAllString(page, ""), "\u202e") {
		t.Errorf("%s changes the direction of a text\n%s", path, page)
	}
}

// hides checks that a page has none of the texts.
func (d *desk) hides(path string, texts ...string) {
	d.t.Helper()
	shown := d.get(http.StatusOK, path)
	for _, text := range texts {
		if strings.Contains(shown, text) {
			d.t.Errorf("%s says %q\n%s", path, text, shown)
		}
	}
}

// decodedPage reads the document of a page.
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
	if got.Who != anOperator || (got.Failed == "") != strings.Contains(page, "<b>Done</b>") {
		d.t.Errorf("%s: recorded %+v, and the page says:\n%s", path, got, page)
	}
	return got
}

// last is the newest action that was noted.
func (d *desk) last() actions.Action {
	d.t.Helper()
	noted := sure(actions.List(d.t.Context(), d.app.DB.Pool(), actions.Filter{Limit: 1}))(d.t)
	if len(noted) == 0 {
		d.t.Fatal("nothing was noted")
	}
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
	if o.code != codeFine {
		d.t.Fatalf("%q ended with %d\n%s", command, o.code, o.stderr)
	}
	page := d.get(http.StatusOK, path+separator+"format=json")
	if diff := cmp.Diff(timeless(d.t, o.stdout), timeless(d.t, page)); diff != "" || len(page) < len(`[]`) {
		d.t.Errorf("%s differs from %q (-command +page):\n%s", path, command, diff)
	}
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
