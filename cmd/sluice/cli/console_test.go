package cli

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"sluice/cmd/sluice/console"
	"sluice/pipeline/engine"
	"sluice/pipeline/outside"
	"sluice/sandbox"
)

// right is what people get at an address of the console.
type right struct {
	// address fills the pattern in.
	address string
	// viewer and operator are the statuses of a page. Of an action they are 0: viewers are refused,
	// and what an operator gets depends on what is acted on.
	viewer, operator int
}

const (
	answered  = http.StatusOK
	noPage    = http.StatusNotFound
	forbidden = http.StatusForbidden
)

// consoleRights are written down by hand, by pattern: a new page has to be entered here. The
// company has no records, so what an address names by a number is unknown.
func consoleRights() map[string]right {
	return map[string]right{
		"/{$}":                          {"/", answered, answered},
		"/quarantine":                   {"/quarantine", answered, answered},
		"/quarantine/entries":           {"/quarantine/entries?stream=inventory.bills", answered, answered},
		"/quarantine/{id}":              {"/quarantine/1", noPage, noPage},
		"/drift":                        {"/drift", answered, answered},
		"/drift/{stream}":               {"/drift/inventory.bills", answered, answered},
		"/budget":                       {"/budget", answered, answered},
		"/runs":                         {"/runs", answered, answered},
		"/runs/{id}":                    {"/runs/1", noPage, noPage},
		"/streams/{org}/{name}":         {"/streams/" + sandbox.DefaultOrganizationID + "/inventory.bills", answered, answered},
		"/backfills":                    {"/backfills", answered, answered},
		"/backfills/new":                {"/backfills/new", answered, answered},
		"/backfills/{id}":               {"/backfills/1", noPage, noPage},
		"/tombstones":                   {"/tombstones", answered, answered},
		"/tombstones/review/{run}":      {"/tombstones/review/1", noPage, noPage},
		"/notifications":                {"/notifications", answered, answered},
		"/notifications/callbacks":      {"/notifications/callbacks", answered, answered},
		"/notifications/callbacks/{id}": {"/notifications/callbacks/1", forbidden, noPage},
		"/actions":                      {"/actions", forbidden, answered},
		"/r/{resource}/{id...}":         {"/r/inventory.bills/1", noPage, noPage},
		"/dictionary":                   {"/dictionary", answered, answered},
		"/dictionary/{service}":         {"/dictionary/inventory", answered, answered},
		"/dictionary/{service}/{table}": {"/dictionary/inventory/bills", answered, answered},
		"/questions":                    {"/questions", answered, answered},
		"/questions/{n}":                {"/questions/1", answered, answered},
		"/checks":                       {"/checks", answered, answered},
		"/checks/{id}":                  {"/checks/1", noPage, noPage},
		"/organizations":                {"/organizations", answered, answered},
		"/configuration":                {"/configuration", answered, answered},
		"/health":                       {"/health", answered, answered},
	}
}

// consoleDeeds are the actions, each with an address that its pattern has.
func consoleDeeds() map[string]string {
	return map[string]string{
		"/quarantine/retry":               "/quarantine/retry",
		"/quarantine/accept":              "/quarantine/accept",
		"/quarantine/{id}/retry":          "/quarantine/1/retry",
		"/quarantine/{id}/accept":         "/quarantine/1/accept",
		"/budget/reopen":                  "/budget/reopen",
		"/streams/{org}/{name}/run":       "/streams/" + sandbox.DefaultOrganizationID + "/inventory.bills/run",
		"/backfills":                      "/backfills",
		"/backfills/{id}/pause":           "/backfills/1/pause",
		"/backfills/{id}/resume":          "/backfills/1/resume",
		"/backfills/{id}/cancel":          "/backfills/1/cancel",
		"/notifications/{org}/check":      "/notifications/" + sandbox.DefaultOrganizationID + "/check",
		"/tombstones/review/{run}/accept": "/tombstones/review/1/accept",
		"/tombstones/review/{run}/reject": "/tombstones/review/1/reject",
	}
}

// asked is the status of a request to a console, by a person whom the proxy names.
type asked struct {
	t   *testing.T
	url string
}

func (a asked) status(method, path, person string, header ...string) int {
	a.t.Helper()
	request, err := http.NewRequestWithContext(a.t.Context(), method, a.url+path, http.NoBody)
	must(a.t, err)
	if person != "" {
		request.Header.Set("X-Forwarded-User", person)
	}
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	if method == http.MethodPost {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(request)
	must(a.t, err)
	_, err = io.Copy(io.Discard, answer.Body)
	must(a.t, err)
	must(a.t, answer.Body.Close())
	return answer.StatusCode
}

// guarded offers the console of a fixture behind a proxy that names people. ann is an operator, bob
// a viewer, and eve is neither.
func (s *fixture) guarded(use func(a asked, p *pages)) {
	s.t.Helper()
	text, err := os.ReadFile(s.config)
	must(s.t, err)
	must(s.t, os.WriteFile(s.config, append(text, "console: {auth: header, trusted_proxies: [127.0.0.1], operators: [ann], viewers: [bob]}\n"...), 0o600))
	c := &cli{env: s.env(io.Discard, io.Discard), config: s.config}
	c.env.scrub = outside.NewScrubber()
	must(s.t, c.withApp(s.t.Context(), func(_ context.Context, a *engine.App) error {
		shown, handler, err := c.consoleOf(a)
		must(s.t, err)
		defer shown.Close()
		server := httptest.NewServer(handler)
		defer server.Close()
		use(asked{s.t, server.URL}, &pages{cli: c, app: a})
		return nil
	}))
}

// TestWhoMaySee asks for each page and for each action as each kind of person. The expected answers
// are in two lists above; a page that is missing there fails the test.
func TestWhoMaySee(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 97, Records: 10})
	s.guarded(func(a asked, p *pages) {
		rights, deeds := consoleRights(), consoleDeeds()
		for _, route := range p.routes() {
			want, listed := rights[route.Pattern]
			if !listed {
				t.Errorf("consoleRights does not say who may see %s", route.Pattern)
				continue
			}
			delete(rights, route.Pattern)
			if !patternOf(route.Pattern, want.address) {
				t.Errorf("%s is no address of %s", want.address, route.Pattern)
			}
			for person, status := range map[string]int{"": http.StatusUnauthorized, "eve": forbidden, "bob": want.viewer, "ann": want.operator} {
				for _, address := range []string{want.address, withFormat(want.address)} {
					if got := a.status(http.MethodGet, address, person); got != status {
						t.Errorf("%q gets status %d at %s, want %d", person, got, address, status)
					}
				}
			}
		}
		for _, action := range p.actions() {
			address, listed := deeds[action.Pattern]
			if !listed {
				t.Errorf("consoleDeeds does not say who may do %s", action.Pattern)
				continue
			}
			delete(deeds, action.Pattern)
			a.act(action, address)
		}
		for pattern := range rights {
			t.Errorf("consoleRights has %s, the console has not", pattern)
		}
		for pattern := range deeds {
			t.Errorf("consoleDeeds has %s, the console has not", pattern)
		}
		for path, statuses := range map[string][4]int{ // of a stranger, eve, bob and ann
			"/static/console.css": {http.StatusUnauthorized, forbidden, answered, answered},
			"/live?page=nowhere":  {http.StatusUnauthorized, forbidden, http.StatusBadRequest, http.StatusBadRequest},
			"/nowhere":            {http.StatusUnauthorized, forbidden, noPage, noPage},
		} {
			for i, person := range []string{"", "eve", "bob", "ann"} {
				if got := a.status(http.MethodGet, path, person); got != statuses[i] {
					t.Errorf("%q gets status %d at %s, want %d", person, got, path, statuses[i])
				}
			}
		}
	})
	// Only the attempts of ann from the console's own pages can have been noted.
	if n := one[int](s, `SELECT count(*) FROM sluice.actions WHERE actor <> 'ann'`); n != 0 {
		t.Errorf("%d actions are noted of people who may not act", n)
	}
}

// act posts as each kind of person, from the console's own page and from elsewhere.
func (a asked) act(action console.Action, address string) {
	a.t.Helper()
	if !patternOf(action.Pattern, address) {
		a.t.Errorf("%s is no address of %s", address, action.Pattern)
	}
	for _, from := range [][]string{nil, {"Sec-Fetch-Site", "same-origin"}, {"Origin", a.url}} {
		for person, status := range map[string]int{"": http.StatusUnauthorized, "eve": forbidden, "bob": forbidden} {
			if got := a.status(http.MethodPost, address, person, from...); got != status {
				a.t.Errorf("%q gets status %d for %s from %q, want %d", person, got, address, from, status)
			}
		}
	}
	for _, from := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "https://elsewhere.example"}} {
		for person, status := range map[string]int{"": http.StatusUnauthorized, "bob": forbidden, "ann": forbidden} {
			if got := a.status(http.MethodPost, address, person, from...); got != status {
				a.t.Errorf("%q gets status %d for %s from %q, want %d", person, got, address, from, status)
			}
		}
	}
	if got := a.status(http.MethodPost, address, "ann", "Sec-Fetch-Site", "same-origin"); slices.Contains([]int{http.StatusUnauthorized, forbidden, http.StatusMethodNotAllowed}, got) {
		a.t.Errorf("ann gets status %d for %s, and she is an operator", got, address)
	}
}

// patternOf reports whether an address has a pattern.
func patternOf(pattern, address string) bool {
	mux := http.NewServeMux()
	mux.Handle(pattern, http.NotFoundHandler())
	path, _, _ := strings.Cut(address, "?")
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, path, http.NoBody)
	if err != nil {
		return false
	}
	_, found := mux.Handler(request)
	return found == pattern
}

// withFormat is the address of the document of a page.
func withFormat(address string) string {
	if strings.Contains(address, "?") {
		return address + "&format=json"
	}
	return address + "?format=json"
}
