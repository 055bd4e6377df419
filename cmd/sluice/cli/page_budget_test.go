package cli

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/sandbox"
)

func TestPageOfTheBudget(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 314, Records: 100})
	s.sync(codeFine, "inventory.items")
	b := s.viewersDesk()
	page, command := decodedPage[[]serviceDay](b, "/budget?format=json"), decoded[[]serviceDay](s, codeFine, "budget")
	for i := range page {
		page[i].At, command[i].At = time.Time{}, time.Time{} // the clock
	}
	same(t, "the command and its page", command, page)
	errorIf(t, len(page) != 5, "the document has %d services", len(page))

	// 7,500 calls a day, of which sluice made these, and 2,000 more an hour ago.
	made := one[int64](s, `SELECT count(*) FROM sluice.calls WHERE service = 'inventory'`)
	s.exec(`INSERT INTO sluice.calls (organization_id, service, resource, class, shared, method, path, reserved_at, lease_until, finished_at, free_at)
		SELECT $1, 'inventory', $2, 'backfill', 'suite', 'GET', '/', c.at AS a, c.at AS b, c.at AS c, c.at AS d
		FROM (SELECT clock_timestamp() - interval '70 minutes' AS at FROM generate_series(1, 2000)) AS c`, sandbox.DefaultOrganizationID, harmful)
	s.exec(`SELECT sluice.recount_calls()`)
	left := 7500 - 2000 - made
	html := b.says("/budget?service=inventory", fmt.Sprintf("The tightest is inventory: %d,%03d of 7,500 are left.", left/1000, left%1000), "backfill 2,000",
		"limit 7,500", harmfulEscaped, ">2,000<", "At once")
	if len(html) > 80<<10 {
		t.Errorf("the page has %d bytes", len(html))
	}
	b.says("/budget?org=nobody", "No service matches.")
}

// TestLastWeek: the mean and the 90th percentile of the days that the call log has. The third day
// is not in it.
func TestLastWeek(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 317, Records: 20})
	s.sync(codeFine, "inventory.items")
	for _, day := range []struct {
		calls int
		ago   string
	}{{50, "23 hours 50 minutes"}, {20, "47 hours 50 minutes"}, {9, "49 hours"}} {
		s.exec(`INSERT INTO sluice.calls (organization_id, service, resource, class, shared, method, path, reserved_at, lease_until, finished_at, free_at)
			SELECT $1, 'inventory', 'bills', 'details', 'suite', 'GET', '/', c.began, c.lease, c.ended, c.free
			FROM generate_series(1, $3) CROSS JOIN LATERAL (SELECT clock_timestamp() - $2::text::interval AS began) AS b
			CROSS JOIN LATERAL (SELECT began, began AS lease, began AS ended, began AS free) AS c`, sandbox.DefaultOrganizationID, day.ago, day.calls)
	}
	s.exec(`INSERT INTO sluice.external_spent (organization_id, service, ended_at, calls, limit_seen)
		SELECT $1, 'inventory', now() - n * interval '1 day', 100 * n, 1000 FROM generate_series(1, 3) AS n`, sandbox.DefaultOrganizationID)
	spent := one[int](s, `SELECT count(*)::int FROM sluice.calls WHERE service = 'inventory' AND reserved_at > now() - interval '24 hours'`)
	says := fmt.Sprintf("inventory: calls a day of the last week: mean %.0f, 90th percentile %d (2 days); of other programs: mean 200, 90th percentile 300 (3 days)",
		float64(spent+20)/2, spent)
	if o := s.run("plan"); !strings.Contains(o.stdout, says) {
		t.Errorf("plan lacks %q:\n%s", says, o.stdout)
	}
}

// TestYesterdaysBudget: what spent the calls of an earlier day.
func TestYesterdaysBudget(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 315, Records: 20})
	s.sync(codeFine, "inventory.items")
	b := s.viewersDesk()
	zone := s.opened().Zone(sandbox.DefaultOrganizationID)
	noon := time.Now().In(zone).AddDate(0, 0, -1)
	noon = time.Date(noon.Year(), noon.Month(), noon.Day(), 12, 0, 0, 0, zone)
	for resource, calls := range map[string]int{harmful: 700, "bills": 300} {
		s.exec(`INSERT INTO sluice.calls (organization_id, service, resource, class, shared, method, path, reserved_at, lease_until, finished_at, free_at, kind)
			SELECT $1, 'inventory', $2, 'details', 'suite', 'GET', '/', $4, $4, $4, $4, CASE WHEN n <= 5 THEN 'unavailable' END
			FROM generate_series(1, $3) AS n`, sandbox.DefaultOrganizationID, resource, calls, noon)
	}
	s.exec(`INSERT INTO sluice.external_spent (organization_id, service, ended_at, calls, limit_seen) VALUES ($1, 'inventory', $2, 20, 1000)`,
		sandbox.DefaultOrganizationID, noon.Add(12*time.Hour))
	day := noon.Format(time.DateOnly)
	days := decodedPage[[]pastDay](b, "/budget?day="+day+"&format=json")
	want := []usedFor{{Resource: harmful, Class: "details", Calls: 700, Failed: 5}, {Resource: "bills", Class: "details", Calls: 300, Failed: 5}}
	if len(days) != 5 || days[0].Service != "inventory" || days[0].Calls != 1000 {
		t.Fatalf("the day is %+v", days)
	}
	if diff := cmp.Diff(want, days[0].Uses); diff != "" {
		t.Errorf("uses (-want +got):\n%s", diff)
	}
	b.says("/budget?day="+day, "inventory spent 1,000 calls, the largest part (700) on details of "+harmfulEscaped, "70 %", "30 %",
		"Other programs spent 20 calls of inventory.")
	b.says("/budget?day=2020-01-01", "The call log has no calls of 2020-01-01.")
	b.get(http.StatusNotFound, "/budget?day=yesterday")
}

// TestReopenInTheConsole opens what upstream has closed.
func TestReopenInTheConsole(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 316, Records: 20})
	s.sync(codeFine, "inventory.items")
	s.exec(`UPDATE sluice.day_budgets SET exhausted_until = clock_timestamp() + interval '5 hours' WHERE service = 'inventory'`)
	form := url.Values{"org": {sandbox.DefaultOrganizationID}, "service": {"inventory"}}
	operator := s.desk()
	operator.says("/budget", "Upstream lets no call of 1 service leave; inventory is closed until", "One call asks upstream at once.", ">Reopen<")
	done := operator.posts("/budget/reopen", form)
	s.counts(0, "days are closed", `SELECT count(*) FROM sluice.day_budgets WHERE exhausted_until > clock_timestamp()`)
	refused := operator.posts("/budget/reopen", url.Values{"org": {"nobody"}})
	after, _ := done.After.(map[string]any)
	if done.What != "budget reopen" || done.Failed != "" || !cmp.Equal(after["days"], any([]any{"inventory"})) {
		t.Errorf("recorded is %+v", done)
	}
	if refused.Failed == "" || refused.Target != "nobody" {
		t.Errorf("a refused one is recorded as %+v", refused)
	}
}
