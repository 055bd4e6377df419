package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/cmd/sluice/console"
	"sluice/cmd/sluice/console/access"
	"sluice/cmd/sluice/console/chart"
	"sluice/pipeline/engine/config"
	"sluice/pipeline/outside"
	"sluice/pipeline/warehouse/calls"
	"sluice/pipeline/warehouse/streams"
	"sluice/sandbox"
)

// caller asks the console of a fixture, as one person.
type caller struct {
	s     *fixture
	who   string
	shown http.Handler
	deeds []console.Deed
}

func (s *fixture) browse(operator bool) *caller {
	s.t.Helper()
	b := &caller{s: s, who: "bob"}
	if operator {
		b.who = "ann"
	}
	p := &pages{cli: &cli{env: s.env(&buffer{}, s.t.Output()), config: s.config}, app: s.opened()}
	shown, err := console.New(console.Options{
		Routes: p.routes(), Actions: p.actions(),
		Record: func(_ context.Context, d console.Deed) (int64, error) {
			b.deeds = append(b.deeds, d)
			return int64(len(b.deeds)), nil
		},
		Recorded:    func(_ context.Context, id int64) (console.Deed, error) { return b.deeds[id-1], nil },
		Unreachable: func(error) bool { return false }, Scrub: func(err error) outside.Text { return outside.Text(err.Error()) }, Every: time.Hour, Log: slog.New(slog.DiscardHandler), Now: time.Now,
	})
	must(s.t, err)
	s.t.Cleanup(shown.Close)
	door, err := access.New(access.Options{
		Settings: config.Console{
			Auth: config.AuthHeader, Header: config.ConsoleHeader{User: "X-Forwarded-User"}, Operators: []string{"ann"},
			TrustedProxies: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}, // the one of httptest
		},
		Log: slog.New(slog.DiscardHandler), Now: time.Now,
	})
	must(s.t, err)
	b.shown = door.Handler(shown)
	return b
}

// ask sends a request, and gives the answer, which has to have the status.
func (b *caller) ask(method, address string, form url.Values, status int) string {
	b.s.t.Helper()
	request := httptest.NewRequestWithContext(b.s.t.Context(), method, address, strings.NewReader(form.Encode()))
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("X-Forwarded-User", b.who)
	answer := httptest.NewRecorder()
	b.shown.ServeHTTP(answer, request)
	if answer.Code != status {
		b.s.t.Fatalf("%s %s: status %d, want %d\n%s", method, address, answer.Code, status, answer.Body)
	}
	return answer.Body.String()
}

// page gives a page, which has to have some texts and no markup of others.
func (b *caller) page(address string, texts ...string) string {
	b.s.t.Helper()
	html := b.ask(http.MethodGet, address, nil, http.StatusOK)
	for _, text := range texts {
		if !strings.Contains(html, text) {
			b.s.t.Errorf("%s lacks %q\n%s", address, text, html)
		}
	}
	if strings.Contains(html, "<script>") {
		b.s.t.Errorf("%s lets a text of others through", address)
	}
	return html
}

// document decodes the document of a page.
func (b *caller) document(into any, address string) {
	b.s.t.Helper()
	must(b.s.t, json.NewDecoder(bytes.NewBufferString(b.ask(http.MethodGet, address, nil, http.StatusOK))).Decode(into))
}

const (
	hostileText    = "<script>alert(1)</script>\u202egnp"
	hostileEscaped = "&lt;script&gt;alert(1)&lt;/script&gt;"
)

// failedRun is a run that failed with a hostile note, between whose calls there were 40 seconds.
func (s *fixture) failedRun() int64 {
	s.t.Helper()
	id := one[int64](s, `INSERT INTO sluice.runs (organization_id, service, resource, class, gen, started_at, ended_at, outcome, kind, note, received,
			inserted, calls, chunks, quarantined)
		VALUES ($1, 'inventory', 'bills', 'incremental', 0, clock_timestamp() - interval '3 minutes', clock_timestamp() - interval '1 minute',
			'failed', 'unavailable', $2, 4321, 17, 2, 3, 1) RETURNING id`, sandbox.DefaultOrganizationID, hostileText)
	s.exec(`INSERT INTO sluice.forecasts (run_id, calls, basis, rows) VALUES ($1, 5, 'measured', 0)`, id)
	s.exec(`INSERT INTO sluice.calls (organization_id, service, resource, class, shared, run_id, method, path, reserved_at, lease_until, finished_at, free_at,
			status, code, kind, detail)
		SELECT $1, 'inventory', 'bills', 'incremental', 'suite', $2, 'GET', '/' || $3::text, c.at AS a, c.at AS b, c.at + interval '2 seconds', c.at AS c, status, code, kind, $3
		FROM (VALUES (clock_timestamp() - interval '170 seconds', 429, '44', 'throttled'), (clock_timestamp() - interval '128 seconds', 200, '0', NULL))
			AS c (at, status, code, kind)`, sandbox.DefaultOrganizationID, id, hostileText)
	s.exec(`INSERT INTO sluice.quarantine (organization_id, service, resource, record_hash, record_id, raw, code, path, detail, run_id)
		VALUES ($1, 'inventory', 'bills', '\x01', '4711', '{}', 'wrong_type', 'lines[2].rate', $3, $2)`, sandbox.DefaultOrganizationID, id, hostileText)
	return id
}

func TestPagesOfRuns(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 311, Records: 60})
	s.sync(codeFine, "inventory.items", "inventory.bills")
	failed := s.failedRun()
	b := s.browse(false)

	var page, command []streams.Run
	b.document(&page, "/runs?format=json")
	s.document(&command, "runs", "--limit", "40")
	if diff := cmp.Diff(command, page); diff != "" || len(page) < 3 {
		t.Errorf("the document of %d runs is not the command's (-command +page):\n%s", len(page), diff)
	}
	b.page("/runs", "1 failed", "4,321", "failed: unavailable", hostileEscaped, `href="/runs/`+strconv.FormatInt(failed, 10)+`"`,
		"waiting: throttled", "5 -3") // two calls, five were expected
	var ids []int64
	var failures, earlier []streams.Run
	b.document(&failures, "/runs?outcome=failed&stream=inventory.bills&format=json")
	for _, run := range failures {
		ids = append(ids, run.ID)
	}
	if !slices.Equal(ids, []int64{failed}) {
		t.Errorf("failed runs of bills are %v, want %d", ids, failed)
	}
	b.document(&earlier, "/runs?before="+strconv.FormatInt(failed, 10)+"&format=json")
	if diff := cmp.Diff(command[1:], earlier); diff != "" {
		t.Errorf("the runs before the failed one (-command +page):\n%s", diff)
	}
	b.page("/runs?stream=inventory.nothing", "No run matches")

	html := b.page("/runs/"+strconv.FormatInt(failed, 10), "This run of inventory.bills failed: 4,321 records read, 17 new and 0 changed, with 2 calls.",
		"5 -3 (measured)", "throttled (code 44)", "GET /"+hostileEscaped, "wrong_type", "lines[2].rate", "4711", hostileEscaped)
	if strings.Count(html, "<code>GET /") != 2 {
		t.Errorf("the page has not two calls:\n%s", html)
	}
	var whole runView
	b.document(&whole, "/runs/"+strconv.FormatInt(failed, 10)+"?format=json")
	if diff := cmp.Diff(command[0], whole.Run); diff != "" || len(whole.CallLog) != 2 || len(whole.Quarantine) != 1 {
		t.Errorf("the run has %d calls and %d entries (-command +page):\n%s", len(whole.CallLog), len(whole.Quarantine), diff)
	}
	var rest runView
	after := "?after=" + strconv.FormatInt(whole.CallLog[0].ID, 10)
	b.document(&rest, "/runs/"+strconv.FormatInt(failed, 10)+after+"&format=json")
	if len(rest.CallLog) != 1 || *rest.CallLog[0].Status != http.StatusOK {
		t.Errorf("behind the first call are %+v", rest.CallLog)
	}
	for _, address := range []string{"/runs/999999", "/runs/0", "/runs/-1", "/runs/x"} {
		b.ask(http.MethodGet, address, nil, http.StatusNotFound)
	}
}

// TestBarsOfARun cuts a run at its waits.
func TestBarsOfARun(t *testing.T) {
	t.Parallel()
	at := func(second int) time.Time { return time.Date(2026, 3, 1, 12, 0, second, 0, time.UTC) }
	ended, goesOn := at(59), at(50)
	waits := []calls.Wait{{Run: 7, From: at(10), To: &goesOn, Kind: "throttled"}, {Run: 7, From: at(55)}}
	done := &streams.Run{ID: 7, StartedAt: at(0), EndedAt: &ended, Outcome: "done", Note: "noted"}
	open := &streams.Run{ID: 7, StartedAt: at(0), Note: "noted"}
	bar := func(from, to time.Time, kind chart.Kind, text string) chart.Bar {
		return chart.Bar{Lane: "bills", From: from, To: to, Kind: kind, Text: text, Address: "/runs/7"}
	}
	if diff := cmp.Diff([]chart.Bar{
		bar(at(0), at(10), chart.Done, "noted"), bar(at(10), at(50), chart.Waiting, "throttled"), bar(at(50), at(59), chart.Done, "noted"),
	}, barsOf(done, waits, "bills", "")); diff != "" {
		t.Errorf("a run that is done (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]chart.Bar{
		bar(at(0), at(10), chart.Running, "noted"), bar(at(10), at(50), chart.Waiting, "throttled"), bar(at(50), at(55), chart.Running, "noted"),
		bar(at(55), time.Time{}, chart.Waiting, "exhausted"),
	}, barsOf(open, waits, "bills", "exhausted")); diff != "" {
		t.Errorf("an open run that waits (-want +got):\n%s", diff)
	}
}
