package cli

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/cmd/sluice/console"
	"sluice/pipeline/warehouse/calls"
	"sluice/pipeline/warehouse/streams"
	"sluice/sandbox"
)

// failedRun is a run that failed with a hostile note, between whose calls there were 40 seconds.
func (s *fixture) failedRun() int64 {
	s.t.Helper()
	id := one[int64](s, `INSERT INTO sluice.runs (organization_id, service, resource, class, gen, started_at, ended_at, outcome, kind, note, received,
			inserted, calls, chunks, quarantined)
		VALUES ($1, 'inventory', 'bills', 'incremental', 0, clock_timestamp() - interval '3 minutes', clock_timestamp() - interval '1 minute',
			'failed', 'unavailable', $2, 4321, 17, 2, 3, 1) RETURNING id`, sandbox.DefaultOrganizationID, harmful)
	s.exec(`UPDATE sluice.runs SET forecast_calls = 5, forecast_basis = 'measured', rows_before = 0 WHERE id = $1`, id)
	s.exec(`INSERT INTO sluice.calls (organization_id, service, resource, class, shared, run_id, method, path, reserved_at, lease_until, finished_at, free_at,
			status, code, kind, detail)
		SELECT $1, 'inventory', 'bills', 'incremental', 'suite', $2, 'GET', '/' || $3::text, c.at AS a, c.at AS b, c.at + interval '2 seconds', c.at AS c, status, code, kind, $3
		FROM (VALUES (clock_timestamp() - interval '170 seconds', 429, '44', 'throttled'), (clock_timestamp() - interval '128 seconds', 200, '0', NULL))
			AS c (at, status, code, kind)`, sandbox.DefaultOrganizationID, id, harmful)
	s.exec(`INSERT INTO sluice.quarantine (organization_id, service, resource, record_hash, record_id, raw, code, path, detail, run_id)
		VALUES ($1, 'inventory', 'bills', '\x01', '4711', '{}', 'wrong_type', 'lines[2].rate', $3, $2)`, sandbox.DefaultOrganizationID, id, harmful)
	return id
}

func TestPagesOfRuns(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 311, Records: 60})
	s.sync(codeFine, "inventory.items", "inventory.bills")
	failed := s.failedRun()
	b := s.viewersDesk()

	page, command := decodedPage[[]streams.Run](b, "/runs?format=json"), decoded[[]streams.Run](s, codeFine, "runs", "--limit", "40")
	same(t, "the command and its page", command, page)
	errorIf(t, len(page) < 3, "%d runs", len(page))
	b.says("/runs", "1 failed", "4,321", "failed: unavailable", harmfulEscaped, `href="/runs/`+strconv.FormatInt(failed, 10)+`"`,
		"5 -3") // two calls, five were expected
	var ids []int64
	for _, run := range decodedPage[[]streams.Run](b, "/runs?outcome=failed&stream=inventory.bills&format=json") {
		ids = append(ids, run.ID)
	}
	same(t, "failed runs of bills", []int64{failed}, ids)
	same(t, "the runs before the failed one", command[1:], decodedPage[[]streams.Run](b, "/runs?before="+strconv.FormatInt(failed, 10)+"&format=json"))
	b.says("/runs?stream=inventory.nothing", "No run matches")

	html := b.says("/runs/"+strconv.FormatInt(failed, 10), "This run of inventory.bills failed: 4,321 records read, 17 new and 0 changed, with 2 calls.",
		"5 -3 (measured)", "throttled (code 44)", "GET /"+harmfulEscaped, "wrong_type", "lines[2].rate", "4711", harmfulEscaped)
	if strings.Count(html, "<code>GET /") != 2 {
		t.Errorf("the page has not two calls:\n%s", html)
	}
	whole := decodedPage[runView](b, "/runs/"+strconv.FormatInt(failed, 10)+"?format=json")
	if diff := cmp.Diff(command[0], whole.Run); diff != "" || len(whole.CallLog) != 2 || len(whole.Quarantine) != 1 {
		t.Errorf("the run has %d calls and %d entries (-command +page):\n%s", len(whole.CallLog), len(whole.Quarantine), diff)
	}
	rest := decodedPage[runView](b, fmt.Sprintf("/runs/%d?after=%d&format=json", failed, whole.CallLog[0].ID))
	if len(rest.CallLog) != 1 || *rest.CallLog[0].Status != http.StatusOK {
		t.Errorf("behind the first call are %+v", rest.CallLog)
	}
	for _, address := range []string{"/runs/999999", "/runs/0", "/runs/-1", "/runs/x"} {
		b.get(http.StatusNotFound, address)
	}
}

// TestWaitsOfARun lists when a run waited, and why.
func TestWaitsOfARun(t *testing.T) {
	t.Parallel()
	at := func(second int) time.Time { return time.Date(2026, 3, 1, 12, 0, second, 0, time.UTC) }
	ended, goesOn := at(59), at(50)
	waits := []calls.Wait{{Run: 7, From: at(10), To: &goesOn, Kind: "throttled"}, {Run: 7, From: at(55)}}
	row := func(from time.Time, to console.Cell, why string) []console.Cell {
		return []console.Cell{console.ID(7, "/runs/7"), console.Text("bills"), console.Moment(&from, time.UTC), to, console.Text(why)}
	}
	throttled := row(at(10), console.Moment(&goesOn, time.UTC), "throttled")
	for name, test := range map[string]struct {
		run    streams.Run
		reason string
		want   [][]console.Cell
	}{
		"done":           {streams.Run{ID: 7, EndedAt: &ended}, "", [][]console.Cell{throttled}},
		"open":           {streams.Run{ID: 7}, "", [][]console.Cell{throttled, row(at(55), console.Text("now"), "between calls")}},
		"open, a reason": {streams.Run{ID: 7}, "exhausted", [][]console.Cell{throttled, row(at(55), console.Text("now"), "exhausted")}},
	} {
		if diff := cmp.Diff(test.want, waitRows(&test.run, waits, console.Text("bills"), test.reason, time.UTC)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
