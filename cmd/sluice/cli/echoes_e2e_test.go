//go:build e2e

package cli

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"unicode"

	"sluice/sandbox"
)

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
