//go:build e2e

package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"sluice/sandbox"
)

// echoing is an upstream that echoes what it received. Every list echoes the access token, each in
// another part of the answer and another spelling, and the token endpoint echoes the credential.
type echoing struct {
	next http.Handler

	mu sync.Mutex
	// lists and credentials say what is echoed; places counts, by path, which way of echoing is
	// next.
	lists, credentials bool
	places             map[string]int
	secrets            map[string]bool
}

// ServeHTTP implements http.Handler.
func (e *echoing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	_, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	switch {
	case r.URL.Path == "/oauth/v2/token" && e.credentials:
		e.places["token"]++
		echoes := []string{
			url.QueryEscape(r.FormValue("client_secret")), r.URL.RawQuery[:min(len(r.URL.RawQuery), 300)], forms(r.FormValue("refresh_token"))[e.places["token"]%8],
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"error":"invalid_client %s"}`, echoes[e.places["token"]%len(echoes)])
	case token != "" && e.lists && !strings.HasSuffix(r.URL.Path, "/organizations"):
		e.secrets[token] = true
		if _, known := e.places[r.URL.Path]; !known {
			e.places[r.URL.Path] = len(e.places)
		}
		at := e.places[r.URL.Path]
		echo := forms(token)[at%8]
		answers := []func(){
			func() { e.say(w, 200, "application/json", `{"code":"`+echo+`","message":"m"}`) },
			func() { e.say(w, 200, "application/json; charset="+url.QueryEscape(echo), `{"code":0}`) },
			func() { w.Header().Set("Location", "http://"+echo+".host/"); e.say(w, 302, "", "") },
			func() { e.say(w, 400, "application/json", `{"code":"x`+echo+`","message":"`+echo+`"}`) },
			func() { e.say(w, 200, "text/html", "<html>"+strings.Repeat(" ", 40)+echo) },
		}
		answers[at%len(answers)]()
	default:
		e.next.ServeHTTP(w, r)
	}
}

func (*echoing) say(w http.ResponseWriter, status int, contentType, text string) {
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text))
}

func (e *echoing) set(lists, credentials bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.lists, e.credentials = lists, credentials
}

// TestEchoesAreNowhere: of an upstream that echoes secrets, none is printed, logged or stored with
// calls, runs, streams, tokens and jobs (invariant 10).
func TestEchoesAreNowhere(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 97, Records: 20, Limits: sandbox.Limits{Off: true}})
	evil := &echoing{next: s.world, places: map[string]int{}, secrets: map[string]bool{sandbox.ClientSecret: true, sandbox.RefreshToken: true}}
	s.arrivals.next = evil
	var said strings.Builder
	run := func(args ...string) {
		o := s.run(append([]string{"--log-level", "debug"}, args...)...)
		said.WriteString(o.stdout + o.stderr)
	}
	evil.set(true, false)
	run("sync")
	evil.set(false, true)
	for range 3 {
		s.pass(2 * time.Hour)
		said.WriteString(s.impatiently("--log-level", "debug", "sync", "bills"))
	}
	for _, command := range []string{"status", "status --json", "runs", "runs --json", "check", "quarantine list", "organizations", "budget"} {
		run(strings.Fields(command)...)
	}
	places := map[string]string{"what was printed and logged": said.String()}
	for name, text := range s.dump() {
		places["table "+name] = text
	}
	if len(evil.places) < 12 || len(evil.secrets) < 3 || strings.Count(said.String()+places["table sluice.calls"], "[redacted]") < 20 {
		t.Errorf("%d places, %d secrets, %d hidden: too few to find anything", len(evil.places), len(evil.secrets), strings.Count(places["table sluice.calls"], "[redacted]"))
	}
	for secret := range evil.secrets {
		for where, text := range places {
			if found := shown(text, secret); found != "" {
				at := strings.Index(strings.ToLower(text), found)
				t.Errorf("a secret is in %s: …%s", where, text[max(0, at-200):at+len(found)])
			}
		}
	}
}

// shown gives sixteen characters in a row of one of a secret's spellings that are in a text; "" if
// there are none.
func shown(text, secret string) string {
	const run = 16
	text = strings.ToLower(text)
	for _, form := range forms(secret) {
		form = strings.ToLower(form)
		for i := 0; i+run <= len(form); i++ {
			if strings.Contains(text, form[i:i+run]) {
				return form[i : i+run]
			}
		}
	}
	return ""
}

const (
	badName = "Evil\u001b]0;title\u0007\u009b31m\u202eInc\u200b"
	badID   = "1\u001b[2J\u0007\u202e\u2066"
	badKey  = "key\u009b31m\u202e"
)

// command gives records names with terminal control sequences, and one key equal to the access
// token.
func command(r *http.Request, answer map[string]any) {
	_, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	switch {
	case strings.HasSuffix(r.URL.Path, "/organizations"):
		for _, one := range answer["organizations"].([]any) {
			one.(map[string]any)["name"] = badName
		}
	case strings.HasSuffix(r.URL.Path, "/settings/taxes"):
		answer["taxes"] = append(answer["taxes"].([]any),
			map[string]any{"tax_id": badID, "tax_name": "a", "tax_percentage": "\u001b[31mnone"},
			map[string]any{"tax_id": "77", "tax_name": "b\u001b", "tax_percentage": 1, badKey: 1, "is_" + token: 2})
	}
}

// TestNothingCommandsTheTerminal: in names, identifiers and keys of upstream, characters that
// control a terminal or are invisible are shown as signs. That holds for text and JSON, whose
// values stay exact; data is loaded and exported unchanged.
func TestNothingCommandsTheTerminal(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 98, Records: 20, Limits: sandbox.Limits{Off: true}})
	s.arrivals.next = rewriting(s.world, command)
	hides := func(r rune) bool {
		return r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
	}
	token := ""
	for _, command := range []string{
		"check", "check --json", "--log-level debug sync inventory.taxes", "sync --json inventory.taxes", "quarantine list", "quarantine list --json", "quarantine show 1",
		"quarantine show 1 --json", "quarantine export", "drift", "drift --json", "organizations", "organizations --json", "status", "runs", "explain inventory.taxes 77",
		"explain inventory.taxes " + badID, "quarantine list " + badID, "read " + badName,
	} {
		o := s.run(strings.Split(command, " ")...)
		for known := range s.arrivals.tokens {
			token = known
		}
		if text := o.stdout + o.stderr; strings.ContainsFunc(text, hides) || shown(text, token) != "" || text == "" {
			at := strings.IndexFunc(text, hides)
			t.Errorf("%q: %+q", command, text[max(0, at-100):])
		}
	}
	type entry struct {
		Record string `json:"record"`
	}
	var entries []entry
	o := s.run("quarantine", "list", "--json")
	must(t, json.Unmarshal([]byte(o.stdout), &entries))
	if !slices.ContainsFunc(entries, func(e entry) bool { return e.Record == badID }) {
		t.Errorf("the quarantine lists %+q", o.stdout)
	}
	if o := s.run("quarantine", "list"); !strings.Contains(o.stdout, "1\u2400[2J\u2400\u2400\u2400") {
		t.Errorf("the quarantine lists %+q", o.stdout)
	}
	if n := one[int](s, `SELECT count(*) FROM inventory.taxes WHERE position($1 IN _extra::text) > 0`, token); n == 0 {
		t.Error("the record whose key is the token was not kept as it came")
	}
}
