package cli

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"sluice/sandbox"
)

// backfilled is what these tests read of a backfill's document.
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

// backfills runs a command about backfills; the exit code has to be the wanted one.
func (s *stage) backfills(code int, args ...string) []backfilled {
	s.t.Helper()
	o := s.run(append([]string{"backfill", "--json"}, args...)...)
	var shown []backfilled
	if err := json.Unmarshal([]byte(o.stdout), &shown); err != nil || o.code != code {
		s.t.Fatalf("backfill %v ended with %d, want %d (%v)\n%s\n%s", args, o.code, code, err, o.stdout, o.stderr)
	}
	return shown
}

// TestBackfill mends rows that no incremental run would ever read again: some are gone
// from the warehouse, some hold other values. The window takes those of its days only.
func TestBackfill(t *testing.T) {
	t.Parallel()
	s := newStage(t, sandbox.Options{Seed: 91, Records: 1500}).narrow()
	s.sync(codeFine)
	day := one[time.Time](s, `SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY date) FROM accounting.vendor_payments`)
	marks := `SELECT string_agg(resource || mark, ' ' ORDER BY resource) FROM sluice.streams WHERE resource NOT LIKE '%.backfill'`
	before := one[string](s, marks)
	s.exec(`DELETE FROM accounting.vendor_payments WHERE mod(hashtext(payment_id), 3) = 0`)
	s.exec(`UPDATE accounting.vendor_payments SET amount = amount + 1, _hash = '\x00000000000000000000000000000000', _fingerprint = NULL
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

// nothingOpen makes sure that nothing is left behind backfills that are over.
func (s *stage) nothingOpen() {
	s.t.Helper()
	if left := one[int](s, `SELECT (SELECT count(*) FROM sluice.streams WHERE resource LIKE '%.backfill'
		AND (enabled OR run_id IS NOT NULL OR scan IS NOT NULL OR wanted_gen <> done_gen OR mark IS NOT NULL))
		+ (SELECT count(*) FROM sluice.runs WHERE ended_at IS NULL)`); left != 0 {
		s.t.Errorf("%d streams or runs are open behind backfills that are over", left)
	}
}

// TestBackfillMistakes: what cannot be done is said before a call is spent.
func TestBackfillMistakes(t *testing.T) {
	t.Parallel()
	s := newStage(t, sandbox.Options{Seed: 92, Records: 50}).narrow()
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

// dryRun is what these tests read of the document of --dry-run.
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

// TestBackfillDryRun holds what a backfill is said to cost against what it then costs.
func TestBackfillDryRun(t *testing.T) {
	t.Parallel()
	s := newStage(t, sandbox.Options{Seed: 93, Records: 2400, Plan: "free"}).narrow()
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
	// Nothing was read yet: a size has to be said. A free plan has 1,500 calls a day, of
	// which backfills get half: 200,000 rows are 1,001 pages.
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

// TestBackfillVerbs pauses, resumes and cancels.
func TestBackfillVerbs(t *testing.T) {
	t.Parallel()
	s := newStage(t, sandbox.Options{Seed: 94, Records: 12_000, PageLatency: 40 * time.Millisecond, Limits: sandbox.Limits{Off: true}}).narrow()
	b := s.backfills(codeFine, "inventory.bills", "--detach")[0]
	id := fmt.Sprint(b.ID)
	if b.State != "queued" || b.Calls != 0 || b.Forecast != nil {
		t.Errorf("asked for: %+v", b)
	}
	if o := s.run("backfill", "inventory.bills"); o.code != codeUsage || !strings.Contains(o.stderr, "has backfill "+id) {
		t.Errorf("a second one: %d %s", o.code, o.stderr)
	}
	if b = s.backfills(codeFine, "pause", id)[0]; b.State != "paused" {
		t.Errorf("paused: %+v", b)
	}
	calls := s.arrivals.total()
	s.backfills(codeFine, "resume") // those that are paused stay so
	s.sync(codeFine, "inventory.items")
	if n := one[int](s, `SELECT count(*) FROM sluice.calls WHERE resource = 'bills'`); n != 0 {
		t.Errorf("%d calls for a paused backfill (%d in all)", n, s.arrivals.total()-calls)
	}

	// It is paused again while it is at work, a chunk (20 pages) at most is read to its end.
	reached := s.arrivals.after(4)
	p := s.start("backfill", "resume", id)
	<-reached
	s.backfills(codeFine, "pause", id)
	p.ends(codeFine, patience)
	b = s.backfills(codeFine, "list", "--open")[0]
	if b.State != "paused" || b.Calls == 0 || b.Calls > 24 {
		t.Errorf("paused at work: %+v", b)
	}
	read := one[int](s, `SELECT count(*) FROM inventory.bills`)
	if pages := one[int](s, `SELECT (scan ->> 'page')::int FROM sluice.streams WHERE resource = 'bills.backfill'`); read == 0 || pages != b.Calls+1 {
		t.Errorf("%d rows, and it stands at page %d after %d calls", read, pages, b.Calls)
	}

	// Another process cancels it while this one is at work.
	reached = s.arrivals.after(2)
	p = s.start("backfill", "resume", id)
	<-reached
	if b = s.backfills(codeFine, "cancel", id)[0]; b.State != "cancelled" {
		t.Errorf("cancelled: %+v", b)
	}
	p.ends(codeFine, patience)
	s.quiet()
	for _, verb := range []string{"pause", "resume", "cancel"} {
		if o := s.run("backfill", verb, id); o.code != codeUsage || !strings.Contains(o.stderr, "is cancelled") {
			t.Errorf("%s of a cancelled one: %d %s", verb, o.code, o.stderr)
		}
	}
	s.nothingOpen()
	calls = s.arrivals.total()
	s.backfills(codeFine, "resume")
	if s.arrivals.total() != calls {
		t.Error("a cancelled backfill made calls")
	}

	// The next one of the list begins anew and brings the rest.
	if b = s.backfills(codeFine, "inventory.bills")[0]; b.State != "done" || b.Inserted == 0 {
		t.Errorf("%+v", b)
	}
	s.equal("inventory.bills")
	s.nothingOpen()
}

// TestKillsInBackfill tries promises 2, 5 and 6 where two streams read one list at once: a
// backfill and the first sync bring the same new records while upstream changes, and both
// are killed again and again.
func TestKillsInBackfill(t *testing.T) {
	t.Parallel()
	const (
		kills = 8
		seed  = 95
	)
	s := newStage(t, sandbox.Options{Seed: seed, Records: 12_000, Limits: sandbox.Limits{Off: true}, PageLatency: 15 * time.Millisecond}).narrow()
	chance := rand.New(rand.NewPCG(seed, seed))
	s.backfills(codeFine, "inventory.bills", "accounting.vendor_payments", "--detach")
	atWork := 0
	for kill := range kills {
		s.killed(chance, "sync", "inventory.bills", "accounting.vendor_payments")
		atWork += one[int](s, `SELECT count(*) FROM sluice.streams WHERE state = 'running' AND resource LIKE '%.backfill'`)
		_, err := s.world.Change(sandbox.Change{Seed: int64(kill), Inserts: 4, Edits: 12, Resources: []string{"bills", "vendor_payments"}})
		must(t, err)
		s.pass(4 * time.Minute)
	}
	if atWork < kills/2 {
		t.Errorf("backfills were at work in %d of %d kills: they hit nothing", atWork, kills)
	}
	p := s.start("backfill", "resume")
	s.sync(codeFine, "inventory.bills", "accounting.vendor_payments")
	p.worksOff(codeFine)
	s.sync(codeFine, "inventory.bills", "accounting.vendor_payments")
	s.equal("inventory.bills")
	s.equal("accounting.vendor_payments")
	for _, b := range s.backfills(codeFine, "list") {
		if b.State != "done" || len(b.Runs) != 1 {
			t.Errorf("%+v, want it done in one run", b)
		}
		// A chunk under way when its process was killed repeats the page under way and the one that was being loaded.
		if pages := one[int](s, `SELECT pages FROM sluice.runs WHERE id = $1`, b.Runs[0]); b.Calls < pages || b.Calls > pages+2*kills {
			t.Errorf("%d calls for %d pages in %d kills", b.Calls, pages, kills)
		}
	}
	s.nothingOpen()
	t.Logf("backfills were at work in %d of %d kills", atWork, kills)
}

// backfillDays says how long the backfill of TestBackfillOverDays takes: each day is 24 hourly syncs; make soak has more.
var backfillDays = flag.Int("backfill-days", 2, "the backfill of TestBackfillOverDays takes so many days, two or more")

// TestBackfillOverDays is a backfill of days beside hourly incrementals of the same
// list and of another one of its service: it never makes them wait.
func TestBackfillOverDays(t *testing.T) {
	t.Parallel()
	const (
		daily         = 150 // of which incremental runs keep 60, and backfills get 75
		before, after = 6, 6
		perDay        = 75
	)
	// Where the size is unknown there is a window for each month.
	windows, longest := perDay**backfillDays, 24*(*backfillDays+1)
	from, to := time.Date(2026, 5-time.Month(windows), 1, 0, 0, 0, 0, time.UTC).Format(time.DateOnly), "2026-04-30"
	s := newStage(t, sandbox.Options{Seed: 96, Records: 700, Limits: sandbox.Limits{DailyAccounting: daily, PerMinute: 1000}}).narrow()
	lists := []string{"accounting.chart_of_accounts", "accounting.vendor_payments"}
	// Asked for while nobody knows how many payments there are, it has a window for each
	// month; it rests until its time has come.
	id := fmt.Sprint(s.backfills(codeFine, "accounting.vendor_payments", "--from", from, "--to", to, "--detach")[0].ID)
	s.backfills(codeFine, "pause", id)
	s.sync(codeFine, lists...)
	hours := 0
	hour := func(backfill bool) time.Duration {
		t.Helper()
		hours++
		s.pass(time.Hour)
		s.world.Advance(time.Hour)
		_, err := s.world.Change(sandbox.Change{Seed: int64(hours), Edits: 2, Resources: []string{"vendor_payments", "chart_of_accounts"}})
		must(t, err)
		var beside sync.WaitGroup
		if backfill {
			beside.Go(func() {
				if o := s.run("backfill", "resume"); o.code != codeBudget && o.code != codeFine {
					t.Errorf("hour %d: resume ended with %d\n%s%s", hours, o.code, o.stdout, o.stderr)
				}
			})
		}
		s.sync(codeFine, lists...)
		beside.Wait()
		return time.Duration(one[float64](s, `SELECT extract(epoch FROM max(clock_timestamp() - mark))::float8 FROM sluice.streams
			WHERE resource IN ('chart_of_accounts', 'vendor_payments')`) * float64(time.Second))
	}
	lag := map[string]time.Duration{}
	for range before {
		lag["before"] = max(lag["before"], hour(false))
	}
	s.backfills(codeFine, "resume", id, "--detach")
	asked, days := hours, []int{}
	var b backfilled
	for b.State != "done" && hours-asked < longest {
		lag["during"] = max(lag["during"], hour(true))
		b = s.backfills(codeFine, "list")[0]
		if (hours-asked)%24 == 2 {
			days = append(days, b.WindowsDone)
			if b.State != "done" {
				s.waitsForTheDay(b)
			}
		}
	}
	ended := hours - asked
	for range after {
		lag["after"] = max(lag["after"], hour(false))
	}
	t.Logf("%d windows in %d hours, %v done when each day was two hours old; age of the oldest mark behind each hour's sync: before %s, during %s, after %s",
		b.Windows, ended, days, lag["before"].Round(time.Second), lag["during"].Round(time.Second), lag["after"].Round(time.Second))
	if b.State != "done" || b.Windows != windows || b.Calls != windows || ended < 24*(*backfillDays-1) {
		t.Errorf("%+v after %d hours, want %d windows with a call each, about %d a day", b, ended, windows, perDay)
	}
	for phase, age := range lag {
		if age > 6*time.Minute {
			t.Errorf("%s the backfill a mark was %s old behind an hourly sync, want the five minutes that a mark stays behind", phase, age)
		}
	}
	if stats := s.world.Stats(); len(stats.Refused) > 0 {
		t.Errorf("upstream refused %v", stats.Refused)
	}
	if most := one[int](s, `SELECT max(made) FROM (SELECT count(*) OVER (ORDER BY reserved_at RANGE '24 hours' PRECEDING) AS made
		FROM sluice.calls WHERE class = 'backfill') AS days`); most > perDay {
		t.Errorf("backfills made %d calls in 24 hours, want %d at most", most, perDay)
	}
	s.equal("accounting.vendor_payments")
	s.equal("accounting.chart_of_accounts")
	s.nothingOpen()
}

// waitsForTheDay looks at a backfill that the day has stopped.
func (s *stage) waitsForTheDay(b backfilled) {
	s.t.Helper()
	if b.State != "running" || b.StreamState != "waiting" || b.DoneAt == nil || b.CallsLeft == nil {
		s.t.Errorf("it should wait, and say when it will be done: %+v", b)
		return
	}
	o := s.run("status")
	if !strings.Contains(o.stdout, "paused until ") || !strings.Contains(o.stdout, " IST: daily allowance; done about 20") {
		s.t.Errorf("status does not say what the backfill waits for:\n%s", o.stdout)
	}
}

// TestBackfillIsServed leaves the work to serve: it outlives an outage at upstream, tries
// again by itself, and goes on where it stood.
func TestBackfillIsServed(t *testing.T) {
	t.Parallel()
	s := newStage(t, sandbox.Options{Seed: 97, Records: 6000, Limits: sandbox.Limits{Off: true}}).narrow()
	const bills = "/inventory/v1/bills"
	must(t, s.world.SetFaults([]sandbox.Fault{{Path: bills, Kind: "unavailable", After: 6}}))
	s.backfills(codeFine, "inventory.bills", "--detach")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	served := make(chan outcome, 1)
	go func() { served <- s.runContext(ctx, "serve", "--listen", "127.0.0.1:0", "--log-level", "error") }()
	s.until("the run of the backfill has failed", `SELECT EXISTS (SELECT FROM sluice.backfills WHERE state = 'queued' AND cardinality(runs) = 1)`)
	if o := s.run("status"); !strings.Contains(o.stdout, "tried again at ") {
		t.Errorf("status does not say when it is tried again:\n%s", o.stdout)
	}
	must(t, s.world.SetFaults(nil))
	s.pass(16 * time.Minute)
	s.until("the backfill is done", `SELECT state = 'done' FROM sluice.backfills`)
	stop()
	if o := <-served; o.code != codeFine {
		t.Errorf("serve ended with %d\n%s", o.code, o.stderr)
	}
	b := s.backfills(codeFine, "list")[0]
	if len(b.Runs) != 2 {
		t.Fatalf("%+v, want it done in two runs", b)
	}
	read := one[int](s, `SELECT pages FROM sluice.runs WHERE id = $1`, b.Runs[0])
	if first := one[int](s, `SELECT min(page) FROM sluice.calls WHERE run_id = $1`, b.Runs[1]); first != read+1 || read == 0 {
		t.Errorf("the first run read %d pages, the second one began with page %d", read, first)
	}
	s.equal("inventory.bills")
}

// TestBackfillWaits stays over days, and tells whoever waits in status what for.
func TestBackfillWaits(t *testing.T) {
	t.Parallel()
	s := newStage(t, sandbox.Options{Seed: 98, Records: 6000, Limits: sandbox.Limits{DailyInventory: 10}}).narrow()
	p := s.start("backfill", "inventory.bills", "--wait")
	days := 0
	for ; days < 8; days++ {
		s.until("it is done or waits", `SELECT count(*) > 0 FROM sluice.streams s JOIN sluice.backfills b ON s.resource = 'bills.backfill'
			WHERE b.state = 'done' OR s.state = 'waiting' AND EXISTS (SELECT FROM river.river_job WHERE state = 'scheduled')`)
		if one[bool](s, `SELECT state = 'done' FROM sluice.backfills`) {
			break
		}
		s.pass(25 * time.Hour)
		s.world.Advance(25 * time.Hour)
	}
	p.ends(codeFine, patience)
	b := s.backfills(codeFine, "list")[0]
	if days < 1 || b.State != "done" || len(b.Runs) != 1 || b.Calls > (days+1)*5 {
		t.Errorf("after %d days %+v, want it done with five calls a day at most", days, b)
	}
	s.equal("inventory.bills")
}

// TestBackfillOfEveryKind reads again what is no list of pages: an object, an export, and
// the lists under parents.
func TestBackfillOfEveryKind(t *testing.T) {
	t.Parallel()
	s := newWideStage(t, sandbox.Options{Seed: 99, Records: 60})
	lists := []string{"accounting.contact_persons", "accounting.custom_module_records", "accounting.opening_balances", "inventory.locations"}
	s.sync(codeFine, append(lists, "inventory.bills", "inventory.credit_notes", "accounting.vendor_payments")...)
	s.pass(2 * time.Minute)
	s.sync(codeFine, lists...)
	s.pass(2 * time.Minute)
	before := one[int64](s, `SELECT max(id) FROM sluice.runs`)
	for _, b := range s.backfills(codeFine, lists...) {
		if b.State != "done" || b.Received == 0 || b.Unchanged != b.Received || b.Forecast == nil || *b.Forecast != b.Calls {
			t.Errorf("%+v", b)
		}
	}
	if others := one[int](s, `SELECT count(*) FROM sluice.runs WHERE id > $1 AND class <> 'backfill'`, before); others != 0 {
		t.Errorf("%d runs besides those of the backfills", others)
	}
	s.nothingOpen()
}
