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
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/cmd/sluice/console"
	"sluice/cmd/sluice/console/access"
	"sluice/pipeline/engine"
	"sluice/pipeline/engine/config"
	"sluice/pipeline/outside"
)

// harmful is what upstream or a person may write anywhere.
const (
	harmful        = `<script>alert(1)</script>` + "\u202egnp"
	harmfulEscaped = `&lt;script&gt;alert(1)&lt;/script&gt;` // the same in a page
)

// desk is the console of a fixture, as one person sees it.
type desk struct {
	*fixture

	app    *engine.App
	server *httptest.Server
	// who looks: ann is an operator, all others are viewers.
	who string
	// deeds are what was recorded.
	deeds []console.Deed
}

// viewersDesk opens the console of a fixture for a viewer.
func (s *fixture) viewersDesk() *desk {
	d := s.desk()
	d.who = "bob"
	return d
}

// desk opens the console of a fixture for an operator.
func (s *fixture) desk() *desk {
	s.t.Helper()
	c := &cli{env: s.env(io.Discard, io.Discard), config: s.config}
	c.env.scrub = outside.NewScrubber()
	app, err := engine.Open(s.t.Context(), c.offline())
	must(s.t, err)
	d := &desk{fixture: s, app: app, who: "ann"}
	p := &pages{cli: c, app: app}
	pages, err := console.New(console.Options{
		Routes: p.routes(), Actions: p.actions(),
		Record: func(_ context.Context, deed console.Deed) (int64, error) {
			d.deeds = append(d.deeds, deed)
			return int64(len(d.deeds)), nil
		},
		Recorded:    func(_ context.Context, id int64) (console.Deed, error) { return d.deeds[id-1], nil },
		Unreachable: func(error) bool { return false },
		Scrub:       c.env.scrub.Error,
		Every:       time.Minute, Log: app.Log, Now: time.Now,
	})
	must(s.t, err)
	door, err := access.New(access.Options{
		Settings: config.Console{
			Auth: config.AuthHeader, Header: config.ConsoleHeader{User: "X-User"}, Operators: []string{"ann"},
			TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		},
		Log: app.Log, Now: time.Now,
	})
	must(s.t, err)
	d.server = httptest.NewServer(door.Handler(pages))
	s.t.Cleanup(func() {
		pages.Close()
		d.server.Close()
		must(s.t, app.Close(context.WithoutCancel(s.t.Context())))
	})
	return d
}

// ask gets an address, or posts a form to it, and gives the status and the text of the page that
// follows.
func (d *desk) ask(path string, form url.Values) (int, string) {
	d.t.Helper()
	method, body := http.MethodGet, io.Reader(nil)
	if form != nil {
		method, body = http.MethodPost, strings.NewReader(form.Encode())
	}
	request, err := http.NewRequestWithContext(d.t.Context(), method, d.server.URL+path, body)
	must(d.t, err)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("X-User", d.who)
	answer, err := d.server.Client().Do(request)
	must(d.t, err)
	text, err := io.ReadAll(answer.Body)
	must(d.t, err)
	must(d.t, answer.Body.Close())
	return answer.StatusCode, string(text)
}

// says gets a page that has these texts, and no script of upstream's.
func (d *desk) says(path string, texts ...string) string {
	d.t.Helper()
	status, page := d.ask(path, nil)
	for _, text := range texts {
		if status != http.StatusOK || !strings.Contains(page, text) {
			d.t.Errorf("%s: status %d, want 200 and %q:\n%s", path, status, text, page)
		}
	}
	if strings.Contains(page, "<script>") {
		d.t.Errorf("%s has a script of upstream's", path)
	}
	return page
}

// refuses asks as ask does, and checks the status.
func (d *desk) refuses(status int, path string, form url.Values) {
	d.t.Helper()
	if got, page := d.ask(path, form); got != status {
		d.t.Errorf("%s: status %d, want %d:\n%s", path, got, status, page)
	}
}

// decodes reads the document of a page.
func (d *desk) decodes(path string, into any) {
	d.t.Helper()
	_, page := d.ask(path, nil)
	must(d.t, json.Unmarshal([]byte(page), into))
}

// posts does an action that is recorded, and gives what was recorded.
func (d *desk) posts(path string, form url.Values) console.Deed {
	d.t.Helper()
	before := len(d.deeds)
	status, page := d.ask(path, form)
	if status != http.StatusOK || len(d.deeds) != before+1 {
		d.t.Fatalf("%s: status %d, %d deeds, want 200 and one more than %d:\n%s", path, status, len(d.deeds), before, page)
	}
	deed := d.deeds[before]
	if deed.Who != "ann" || (deed.Failed == "") != strings.Contains(page, "<b>Done</b>") {
		d.t.Errorf("%s: recorded %+v, and the page says:\n%s", path, deed, page)
	}
	return deed
}

// sameDocument compares the document of a page with what the command prints. Keys that depend on
// the instant at which they are asked for are left out.
func (d *desk) sameDocument(path string, code int, timely []string, command ...string) {
	d.t.Helper()
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	status, page := d.ask(path+separator+"format=json", nil)
	o := d.run(append([]string{"--json"}, command...)...)
	if status != http.StatusOK || o.code != code {
		d.t.Fatalf("%s: status %d; %v ended with %d, want %d\n%s", path, status, command, o.code, code, o.stderr)
	}
	if diff := cmp.Diff(timeless(d.t, o.stdout, timely), timeless(d.t, page, timely)); diff != "" || len(page) < len(`[]`) {
		d.t.Errorf("%s differs from %v (-command +page):\n%s", path, command, diff)
	}
}

// timeless reads a document, and leaves keys out wherever they are.
func timeless(t *testing.T, text string, keys []string) any {
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
				if slices.Contains(keys, key) {
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

// refusesViewers checks that a viewer sees pages without buttons, and can do nothing.
func (d *desk) refusesViewers(pages, actions []string) {
	d.t.Helper()
	d.who = "bob"
	defer func() { d.who = "ann" }()
	for _, path := range pages {
		if page := d.says(path, "<h1>"); strings.Contains(page, `class="act"`) || strings.Contains(page, "<details class=\"ask\"") {
			d.t.Errorf("%s shows a button to a viewer:\n%s", path, page)
		}
	}
	before := len(d.deeds)
	for _, path := range actions {
		if status, _ := d.ask(path, url.Values{}); status != http.StatusForbidden {
			d.t.Errorf("a viewer does %s: status %d, want 403", path, status)
		}
	}
	if len(d.deeds) != before {
		d.t.Errorf("a viewer did %+v", d.deeds[before:])
	}
}
