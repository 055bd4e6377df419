//go:build e2e

package cli

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"sluice/sandbox"
)

// TestKillsInBackfill tests invariants 2, 5 and 6 where two streams read one list at once. A
// backfill and the first sync bring the same new records while upstream changes, and both are
// killed again and again.
func TestKillsInBackfill(t *testing.T) {
	t.Parallel()
	const (
		kills = 6 // more than that read all there is, now and then
		seed  = 95
	)
	s := newFixture(t, sandbox.Options{Seed: seed, Records: 24_000, Limits: sandbox.Limits{Off: true}, PageLatency: 15 * time.Millisecond}).narrow()
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
		// A chunk whose process was killed repeats the page under way, the page that was being
		// loaded, and one that was prefetched.
		if pages := one[int](s, `SELECT pages FROM sluice.runs WHERE id = $1`, b.Runs[0]); b.Calls < pages || b.Calls > pages+3*kills {
			t.Errorf("%d calls for %d pages in %d kills", b.Calls, pages, kills)
		}
	}
	s.nothingOpen()
	t.Logf("backfills were at work in %d of %d kills", atWork, kills)
}

// backfillDays is how many days the backfill of TestBackfillOverDays takes. Each day is 24 hourly
// syncs; make nightly has more days.
var backfillDays = flag.Int("backfill-days", 2, "the backfill of TestBackfillOverDays takes so many days, two or more")

// TestBackfillOverDays is a backfill of several days beside hourly incremental runs of the same
// list and of another list of its service: it never makes them wait.
func TestBackfillOverDays(t *testing.T) {
	t.Parallel()
	const (
		daily         = 150 // of which incremental runs keep 60, and backfills get 75
		before, after = 6, 6
		perDay        = 75
	)
	// Where the size is unknown, each month is a window.
	windows, longest := perDay**backfillDays, 24*(*backfillDays+1)
	from, to := time.Date(2026, 5-time.Month(windows), 1, 0, 0, 0, 0, time.UTC).Format(time.DateOnly), "2026-04-30"
	s := newFixture(t, sandbox.Options{Seed: 96, Records: 700, Limits: sandbox.Limits{DailyAccounting: daily, PerMinute: 1000}}).narrow()
	lists := []string{"accounting.chart_of_accounts", "accounting.vendor_payments"}
	// It is requested while the number of payments is unknown, so each month is a window. It is
	// paused until it is due.
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
		return time.Duration(one[float64](s, `SELECT extract(epoch FROM max(clock_timestamp() - watermark))::float8 FROM sluice.streams
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
	t.Logf("%d windows in %d hours, %v done when each day was two hours old; age of the oldest watermark behind each hour's sync: before %s, during %s, after %s",
		b.Windows, ended, days, lag["before"].Round(time.Second), lag["during"].Round(time.Second), lag["after"].Round(time.Second))
	if b.State != "done" || b.Windows != windows || b.Calls != windows || ended < 24*(*backfillDays-1) {
		t.Errorf("%+v after %d hours, want %d windows with a call each, about %d a day", b, ended, windows, perDay)
	}
	for phase, age := range lag {
		if age > 6*time.Minute {
			t.Errorf("%s the backfill a watermark was %s old behind an hourly sync, want the five minutes that a watermark stays behind", phase, age)
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

// waitsForTheDay checks a backfill that the day's budget has stopped.
func (s *fixture) waitsForTheDay(b backfilled) {
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

// TestBackfillIsServed leaves the work to serve: it outlasts an outage at upstream, tries again by
// itself, and goes on where it was.
func TestBackfillIsServed(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 97, Records: 6000, Limits: sandbox.Limits{Off: true}}).narrow()
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

// TestBackfillWaits: a backfill waits for days, and status says what it waits for.
func TestBackfillWaits(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 98, Records: 6000, Limits: sandbox.Limits{DailyInventory: 10}}).narrow()
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
