package cli

import (
	"bytes"
	"context"
	"html"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/cmd/sluice/console"
	"sluice/pipeline/engine"
	"sluice/sandbox"
)

// browsed are the pages of a fixture, as one person sees them.
type browsed struct {
	t       *testing.T
	s       *fixture
	console *console.Console
}

// browse offers the pages of a fixture to an operator or a viewer.
func (s *fixture) browse(operator bool, look func(b *browsed)) {
	s.t.Helper()
	var printed bytes.Buffer
	c := &cli{env: s.env(&printed, &printed), config: s.config}
	must(s.t, c.withApp(s.t.Context(), func(_ context.Context, a *engine.App) error {
		p := &pages{cli: c, app: a}
		shown, err := console.New(console.Options{
			Routes: p.routes(), Actions: p.actions(),
			User:        func(context.Context) console.User { return console.User{Name: "nora", Operator: operator} },
			Unreachable: func(error) bool { return false },
			Scrub:       error.Error, Every: time.Minute, Log: slog.New(slog.DiscardHandler), Now: time.Now,
		})
		must(s.t, err)
		defer shown.Close()
		look(&browsed{t: s.t, s: s, console: shown})
		return nil
	}))
}

// get gives a page, which has to have a status.
func (b *browsed) get(status int, page string) string {
	b.t.Helper()
	answer := httptest.NewRecorder()
	b.console.ServeHTTP(answer, httptest.NewRequestWithContext(b.t.Context(), http.MethodGet, page, nil))
	if answer.Code != status {
		b.t.Fatalf("%s has status %d, want %d\n%s", page, answer.Code, status, answer.Body)
	}
	return answer.Body.String()
}

// says checks that a page has texts, and not others: those that begin with an exclamation mark.
func (b *browsed) says(page string, texts ...string) {
	b.t.Helper()
	shown := b.get(http.StatusOK, page)
	for _, text := range texts {
		unwanted, no := strings.CutPrefix(text, "!")
		if no && strings.Contains(shown, unwanted) {
			b.t.Errorf("%s says %q\n%s", page, unwanted, shown)
		}
		if !no && !strings.Contains(shown, text) && !strings.Contains(html.UnescapeString(shown), text) {
			b.t.Errorf("%s does not say %q\n%s", page, text, shown)
		}
	}
}

// same checks that the document of a page is what a command prints.
func (b *browsed) same(page string, args ...string) {
	b.t.Helper()
	o := b.s.run(append(args, "--json")...)
	if diff := cmp.Diff(o.stdout, b.get(http.StatusOK, page)); o.stdout == "" || diff != "" {
		b.t.Errorf("%s differs from %q (-command +page):\n%s%s", page, args, diff, o.stderr)
	}
}

// TestRecordPage looks at a bill that changed, at one that is in quarantine under a name that
// attacks, at one that is gone, and at one that never was.
func TestRecordPage(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 93, Records: 40, HeadersOnly: true, Limits: sandbox.Limits{Off: true}}).narrow()
	s.sync(codeFine)
	changed, err := s.world.Change(sandbox.Change{Seed: 3, Edits: 1, Resources: []string{"bills"}})
	must(t, err)
	bill := changed["bills"].Edited[0]
	s.sync(codeFine, "inventory.bills")
	gone := one[string](s, `UPDATE inventory.bills SET _deleted_at = '2026-03-01 10:00Z'
		WHERE bill_id = (SELECT min(bill_id) FROM inventory.bills WHERE bill_id <> $1) RETURNING bill_id`, bill)
	s.exec(`INSERT INTO sluice.tombstones (organization_id, service, resource, record_id, state, suspected_run_id, suspected_first_call, suspected_last_call,
			suspected_at, suspected_clock, proof, proof_run_id, proof_first_call, proof_last_call, proof_at, deleted_at, decided_by, decided_at)
		VALUES ($1, 'inventory', 'bills', $2, 'deleted', 4711, 1, 2, '2026-03-01 09:00Z', '2026-03-01 09:00Z', 'not_found', 4712, 3, 3,
			'2026-03-01 10:00Z', '2026-03-01 10:00Z', 'rule', '2026-03-01 10:00Z')`, sandbox.DefaultOrganizationID, gone)
	s.exec(`UPDATE inventory.bills SET notes = E'<script>alert(1)</script> \u202Egnp.exe' WHERE bill_id = $1`, bill)
	const hostile = "<script>a/b</script>?#%2F"
	s.exec(`INSERT INTO sluice.quarantine (organization_id, service, resource, record_hash, record_id, raw, code, path, detail)
		VALUES ($1, 'inventory', 'bills', '\x01', $2, '{}', 'bad_time', 'date', 'soon is no date')`, sandbox.DefaultOrganizationID, hostile)

	command := s.explained("inventory.bills", bill)
	var modified []string
	for _, v := range command.Versions {
		if !v.Single {
			modified = append(modified, v.Modified)
		}
	}
	if len(modified) != 2 || modified[0] == modified[1] {
		t.Fatalf("the bill has list versions of %v, want two", modified)
	}
	page := "/r/inventory.bills/" + bill + "?org=" + sandbox.DefaultOrganizationID
	ofHostile := "/r/inventory.bills/" + url.PathEscape(hostile)
	s.browse(true, func(b *browsed) {
		b.same(page+"&format=json&answers=all", "explain", "inventory.bills", bill)
		b.says(page, "The row is there since", "single record was brought by call", modified[0], modified[1],
			"/inventory/v1/bills/"+bill, "&lt;script&gt;alert(1)", "!<script>alert", "!\u202E", `href="/dictionary/inventory/bills"`,
			`"bill_id": "`+bill+`"`)
		b.says(ofHostile, "did not fit", "bad_time", "soon is no date", "&lt;script&gt;a/b", "!<script>a")
		b.says("/r/inventory.bills/"+gone, "It is gone upstream", "upstream answered that there is no such record", "not found", `href="/runs/4711"`, "2026-03-01")
		if got := b.get(http.StatusNotFound, "/r/inventory.bills/no%2Fsuch"); !strings.Contains(got, "no/such not found: The record was never seen") || !strings.Contains(got, "complete up to") {
			t.Errorf("one that never was says\n%s", got)
		}
		b.get(http.StatusNotFound, "/r/inventory.unicorns/1")
		b.get(http.StatusNotFound, "/r/inventory.bills/1?org=stranger")
	})
	s.browse(false, func(b *browsed) {
		b.says(page, "Operators see the values", "text of 18 characters", modified[0], "!alert(1)", "!"+one[string](s, `SELECT vendor_name FROM inventory.bills WHERE bill_id = $1`, bill))
		b.says(ofHostile, "bad_time", hiddenValue, "!soon is no date")
		b.says(ofHostile+"?format=json", hiddenValue, "!soon is no date")
	})
}

func TestChangesOf(t *testing.T) {
	t.Parallel()
	got := changesOf(
		[]byte(`{"id": "1", "total": 10.0, "lines": [{"rate": 1}, {"rate": 2}], "tags": ["a"], "note": null, "old": true, "a.b": {}}`),
		[]byte(`{"total": 10.00, "id": "1", "lines": [{"rate": 1, "tax": "x"}], "tags": [], "note": "n", "a.b": {}}`))
	var told []string
	for _, c := range got {
		told = append(told, c.path+": "+string(c.before)+" > "+string(c.after))
	}
	want := []string{
		"total: 10.0 > 10.00", `lines[0].tax:  > "x"`, "tags:  > []", `note: null > "n"`,
		"lines[1].rate: 2 > ", `tags[0]: "a" > `, "old: true > ",
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}
