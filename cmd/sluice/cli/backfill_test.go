package cli

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"sluice/sandbox"
)

// backfilled is the part of a backfill's document that these tests read.
type backfilled struct {
	ID          int64      `json:"id"`
	State       string     `json:"state"`
	StreamState string     `json:"stream_state"`
	Windows     int        `json:"windows"`
	WindowsDone int        `json:"windows_done"`
	Forecast    *int       `json:"forecast_calls"`
	Basis       string     `json:"forecast_basis"`
	Calls       int        `json:"calls"`
	CallsLeft   *int       `json:"calls_left"`
	DoneAt      *time.Time `json:"done_at"`
	Received    int        `json:"received"`
	Inserted    int        `json:"inserted"`
	Updated     int        `json:"updated"`
	Unchanged   int        `json:"unchanged"`
	Runs        []int64    `json:"runs"`
}

func (s *fixture) backfills(code int, args ...string) []backfilled {
	s.t.Helper()
	return decoded[[]backfilled](s, code, append([]string{"backfill"}, args...)...)
}

// TestBackfillMistakes: mistakes are reported before a call is spent.
func TestBackfillMistakes(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 92, Records: 50}).narrow()
	calls := s.arrivals.total()
	for args, want := range map[string]string{
		"":                       "requires at least 1 arg",
		"bills --from yesterday": "--from \"yesterday\" is no day",
		"bills --from 2026-02-01 --to 2026-01-31": "is behind --to",
		"bills --to 2026-01-31":                   "from below only",
		"credit_notes --from 2026-01-31":          "takes no filter by day",
		"conversations --from 2026-01-31":         "takes no filter by day",
		"bills.details":                           "name the list",
		"nothing":                                 "is no configured resource",
		"bills --wait --detach":                   "choose one",
		"show 7":                                  "there is no backfill 7",
		"pause 7":                                 "there is no backfill 7",
		"cancel seven":                            "is no number of a backfill",
	} {
		s.complains(codeUsage, want, append([]string{"backfill"}, strings.Fields(args)...)...)
	}
	if n := one[int](s, `SELECT count(*) FROM sluice.backfills`); n != 0 || s.arrivals.total() != calls {
		t.Errorf("%d backfills were opened and %d calls made by mistakes", n, s.arrivals.total()-calls)
	}
}

// dryRun is the part of the document of --dry-run that these tests read.
type dryRun struct {
	Backfills []struct {
		Rows    *int     `json:"rows"`
		Calls   *int     `json:"calls"`
		Windows []window `json:"windows"`
	} `json:"backfills"`
	Services []struct {
		Ceiling     int      `json:"ceiling"`
		Today       int      `json:"calls_today"`
		Remaining   int      `json:"remaining"`
		DoneSeconds *float64 `json:"done_seconds"`
	} `json:"services"`
	Fits bool `json:"fits"`
}

// TestBackfillDryRun compares the forecast cost of a backfill with its real cost.
func TestBackfillDryRun(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 93, Records: 1500, Plan: "free"}).narrow()
	calls := s.arrivals.total()
	dry := func(code int, args ...string) dryRun {
		t.Helper()
		return decoded[dryRun](s, code, append([]string{"backfill", "--dry-run"}, args...)...)
	}
	if f := dry(codeFine, "inventory.bills"); f.Backfills[0].Calls != nil {
		t.Errorf("before anything was read: %+v", f)
	}
	windows := func() string {
		t.Helper()
		f := dry(codeFine, "accounting.vendor_payments", "--from", "2025-01-15", "--to", "2025-03-10")
		return fmt.Sprint(f.Backfills[0].Windows)
	}
	same(t, "three months of unknown size", "[{2025-01-15 2025-01-31} {2025-02-01 2025-02-28} {2025-03-01 2025-03-10}]", windows())
	errorIf(t, s.arrivals.total() != calls, "a dry run made calls")
	s.sync(codeFine)
	f := dry(codeFine, "inventory.bills")
	b := s.backfills(codeFine, "inventory.bills")
	if *f.Backfills[0].Calls != b[0].Calls || *f.Backfills[0].Rows != b[0].Received || b[0].Calls < 3 {
		t.Errorf("it was to cost %d calls for %d rows, and cost %+v", *f.Backfills[0].Calls, *f.Backfills[0].Rows, b[0])
	}
	o := s.run("backfill", "inventory.bills", "accounting.vendor_payments", "--from", "2020-01-01", "--dry-run")
	same(t, "three months of few payments", "[{2025-01-15 2025-03-10}]", windows())
	if o.code != codeFine || !strings.Contains(o.stdout, "750 of 1,500") || !strings.Contains(o.stdout, "last_modified_time from 2020-01-01") {
		t.Errorf("%d\n%s%s", o.code, o.stdout, o.stderr)
	}
	// A free plan has 1,500 calls a day, of which backfills get half.
	s.exec(`INSERT INTO sluice.calls (organization_id, service, resource, class, shared, method, path, reserved_at, lease_until, finished_at, free_at)
		SELECT $1, 'inventory', 'bills', 'backfill', 'suite', 'GET', '/', at AS a, at AS b, at AS c, at AS d
		FROM (SELECT clock_timestamp() - interval '10 minutes' AS at FROM generate_series(1, 749)) AS n`, sandbox.DefaultOrganizationID)
	s.exec(`SELECT sluice.recount_calls()`)
	if f = dry(codeBudget, "inventory.bills"); f.Fits || f.Services[0].Ceiling != 750 || *f.Services[0].DoneSeconds < 23*3600 {
		t.Errorf("749 of 750 calls are spent: %+v", f)
	}
}
