package cli

import (
	"encoding/json"
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

// backfills runs a command about backfills, and checks its exit code.
func (s *fixture) backfills(code int, args ...string) []backfilled {
	s.t.Helper()
	o := s.run(append([]string{"backfill", "--json"}, args...)...)
	var shown []backfilled
	if err := json.Unmarshal([]byte(o.stdout), &shown); err != nil || o.code != code {
		s.t.Fatalf("backfill %v ended with %d, want %d (%v)\n%s\n%s", args, o.code, code, err, o.stdout, o.stderr)
	}
	return shown
}

// TestBackfill repairs rows that no incremental run would ever read again: some are gone from the
// warehouse, some hold other values. The window reads only the rows of its days.
func TestBackfill(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 91, Records: 600}).narrow()
	s.sync(codeFine)
	day := one[time.Time](s, `SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY date) FROM accounting.vendor_payments`)
	marks := `SELECT string_agg(resource || watermark, ' ' ORDER BY resource) FROM sluice.streams WHERE resource NOT LIKE '%.backfill'`
	before := one[string](s, marks)
	s.exec(`DELETE FROM accounting.vendor_payments WHERE mod(hashtext(payment_id), 3) = 0`)
	s.exec(`UPDATE accounting.vendor_payments SET amount = amount + 1, _content_hash = '\x00000000000000000000000000000000', _payload_hash = NULL
		WHERE mod(hashtext(payment_id), 3) = 1`)
	old := 0
	for raw := range s.world.Truth("accounting", "vendor_payments") {
		var record struct {
			Date string `json:"date"`
		}
		must(t, json.Unmarshal(raw, &record))
		if record.Date <= day.Format(time.DateOnly) {
			old++
		}
	}

	b := s.backfills(codeFine, "accounting.vendor_payments", "--to", day.Format(time.DateOnly))
	if len(b) != 1 || b[0].State != "done" || b[0].Received != old || b[0].Windows != 1 || old == 0 {
		t.Errorf("%+v, want the %d payments up to %s", b, old, day.Format(time.DateOnly))
	}
	if young := one[int](s, `SELECT count(*) FROM accounting.vendor_payments p JOIN sluice.runs r ON r.id = p._run_id
		WHERE p.date > $1 AND r.resource LIKE '%.backfill'`, day); young != 0 {
		t.Errorf("%d payments of later days were loaded", young)
	}
	b = s.backfills(codeFine, "accounting.vendor_payments", "--from", day.Format(time.DateOnly))
	if b[0].State != "done" || b[0].Inserted == 0 || b[0].Updated == 0 || b[0].WindowsDone != b[0].Windows {
		t.Errorf("%+v", b)
	}
	s.equal("accounting.vendor_payments")
	b = s.backfills(codeFine, "inventory")
	if len(b) != 3 {
		t.Fatalf("a service has %d backfills, want one for each of its lists", len(b))
	}
	for i := range b {
		if b[i].State != "done" || b[i].Unchanged != b[i].Received || b[i].Forecast == nil || *b[i].Forecast != b[i].Calls || b[i].Basis != "measured" {
			t.Errorf("a quiet list, read again: %+v", b[i])
		}
	}
	if after := one[string](s, marks); after != before {
		t.Errorf("the marks moved from %s to %s", before, after)
	}
	s.nothingOpen()
}

// nothingOpen makes sure that no open work remains after the backfills.
func (s *fixture) nothingOpen() {
	s.t.Helper()
	if left := one[int](s, `SELECT (SELECT count(*) FROM sluice.streams WHERE resource LIKE '%.backfill'
		AND (enabled OR run_id IS NOT NULL OR scan IS NOT NULL OR requested_gen <> served_gen OR watermark IS NOT NULL))
		+ (SELECT count(*) FROM sluice.runs WHERE ended_at IS NULL)`); left != 0 {
		s.t.Errorf("%d streams or runs are open behind backfills that are over", left)
	}
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
		"bills --assume inventory.bills=3":        "--assume is for --dry-run",
		"show 7":                                  "there is no backfill 7",
		"pause 7":                                 "there is no backfill 7",
		"cancel seven":                            "is no number of a backfill",
	} {
		o := s.run(append([]string{"backfill"}, strings.Fields(args)...)...)
		if o.code != codeUsage || !strings.Contains(o.stderr, want) {
			t.Errorf("backfill %s: exit code %d, want %d and %q\n%s", args, o.code, codeUsage, want, o.stderr)
		}
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
		Assume  string   `json:"assume"`
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
		o := s.run(append([]string{"backfill", "--dry-run", "--json"}, args...)...)
		var shown dryRun
		if err := json.Unmarshal([]byte(o.stdout), &shown); err != nil || o.code != code {
			t.Fatalf("backfill --dry-run %v ended with %d, want %d (%v)\n%s%s", args, o.code, code, err, o.stdout, o.stderr)
		}
		return shown
	}
	// Nothing was read yet, so a size has to be given. A free plan has 1,500 calls a day, of which
	// backfills get half: 200,000 rows are 1,001 pages.
	if f := dry(codeFine, "inventory.bills"); f.Backfills[0].Calls != nil || f.Backfills[0].Assume != "inventory.bills" {
		t.Errorf("before anything was read: %+v", f)
	}
	f := dry(codeBudget, "inventory.bills", "--assume", "inventory.bills=200000")
	if *f.Backfills[0].Calls != 1001 || f.Fits || f.Services[0].Ceiling != 750 || f.Services[0].Today != 750 || f.Services[0].Remaining != 750 ||
		*f.Services[0].DoneSeconds < 24*3600 || *f.Services[0].DoneSeconds > 25*3600 {
		t.Errorf("200,000 bills: %+v", f)
	}
	f = dry(codeFine, "accounting.vendor_payments", "--from", "2025-01-15", "--to", "2025-03-10", "--assume", "accounting.vendor_payments=3600")
	const want = "[{2025-01-15 2025-01-31} {2025-02-01 2025-02-28} {2025-03-01 2025-03-10}]"
	if fmt.Sprint(f.Backfills[0].Windows) != want || *f.Backfills[0].Calls != 3*7 {
		t.Errorf("three months of 1,200: %+v", f.Backfills[0])
	}
	if s.arrivals.total() != calls {
		t.Error("a dry run made calls")
	}
	s.sync(codeFine)
	f = dry(codeFine, "inventory.bills")
	b := s.backfills(codeFine, "inventory.bills")
	if *f.Backfills[0].Calls != b[0].Calls || *f.Backfills[0].Rows != b[0].Received || b[0].Calls < 3 {
		t.Errorf("it was to cost %d calls for %d rows, and cost %+v", *f.Backfills[0].Calls, *f.Backfills[0].Rows, b[0])
	}
	o := s.run("backfill", "inventory.bills", "accounting.vendor_payments", "--from", "2020-01-01", "--dry-run")
	if o.code != codeFine || !strings.Contains(o.stdout, "750 of 1,500") || !strings.Contains(o.stdout, "last_modified_time from 2020-01-01") {
		t.Errorf("%d\n%s%s", o.code, o.stdout, o.stderr)
	}
}
