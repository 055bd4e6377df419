package calls_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/pipeline/warehouse/calls"
)

// made inserts a call of run 7, which began at an instant of a day and took some seconds; -1 is a
// call whose end was not reported.
func (h *fixture) made(service, resource, class, at string, took float64, kind string) {
	h.Helper()
	h.exec(`INSERT INTO sluice.calls (organization_id, service, resource, class, shared, run_id, method, path, page, reserved_at, lease_until,
			finished_at, free_at, status, kind, detail, records)
		SELECT 'o', $1, $2, $3, 'suite', 7, 'GET', '/' || $2, 1, $4::timestamptz, $4::timestamptz + interval '90 seconds',
			CASE WHEN $5::float8 >= 0 THEN $4::timestamptz + make_interval(secs => $5) END, $4::timestamptz, 200, nullif($6, ''), 'as said', 3`,
		service, resource, class, "2026-03-01 "+at+"Z", took, kind)
}

func instant(h *fixture, at string) time.Time {
	h.Helper()
	found, err := time.Parse("2006-01-02 15:04:05", "2026-03-01 "+at)
	h.must(err)
	return found
}

func TestUsed(t *testing.T) {
	t.Parallel()
	h := open(t)
	for _, at := range []string{"06:29:59", "06:30:00", "07:29:59", "07:30:00", "08:00:00"} {
		h.made("shop", "things", "sweep", at, 1, "")
	}
	h.made("shop", "things", "details", "07:31:00", 1, "throttled")
	h.made("shop", "things", "details", "07:32:00", -1, "")
	h.made("mail", "letters", "sweep", "07:00:00", 1, "")
	got, err := h.process(calls.DefaultRules()).Used(t.Context(), "o", "shop", instant(h, "06:30:00"), instant(h, "08:00:00"))
	h.must(err)
	want := []calls.Used{
		{At: instant(h, "06:30:00"), Resource: "things", Class: "sweep", Calls: 2, Records: 6},
		{At: instant(h, "07:30:00"), Resource: "things", Class: "details", Calls: 2, Failed: 2, Records: 6},
		{At: instant(h, "07:30:00"), Resource: "things", Class: "sweep", Calls: 1, Records: 3},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("uses (-want +got):\n%s", diff)
	}
}

// TestSameSpan: the log reaches one day and two days back, and not three.
func TestSameSpan(t *testing.T) {
	t.Parallel()
	h := open(t)
	for _, at := range []string{"05:59:59", "06:00:00", "06:30:00", "06:59:59", "07:00:00"} { // of 1 March
		h.made("shop", "things", "sweep", at, 1, "")
	}
	h.made("mail", "letters", "sweep", "06:10:00", 1, "")
	span := func(days int) (time.Time, time.Time) {
		return instant(h, "06:00:00").AddDate(0, 0, days), instant(h, "07:00:00").AddDate(0, 0, days)
	}
	ledger := h.process(calls.DefaultRules())
	from, to := span(2)
	got, err := ledger.SameSpan(t.Context(), "o", "shop", from, to, 7)
	h.must(err)
	if diff := cmp.Diff([]calls.Span{{Ago: 1, Calls: 0}, {Ago: 2, Calls: 3}}, got); diff != "" {
		t.Errorf("spans (-want +got):\n%s", diff)
	}
}

func TestMinutes(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.made("shop", "things", "sweep", "06:59:59", 1, "") // before the time asked for
	h.made("shop", "things", "sweep", "07:00:00", 10, "")
	h.made("mail", "letters", "sweep", "07:00:05", 200, "") // until 07:03:25
	h.made("shop", "things", "sweep", "07:00:10", 1, "")    // as the first one ends
	h.made("shop", "things", "sweep", "07:02:10", 1, "")
	h.made("chat", "channels", "sweep", "07:00:06", 1, "") // another allowance
	got, err := h.process(calls.DefaultRules()).Minutes(t.Context(), "o", []string{"shop", "mail"}, instant(h, "07:00:00"))
	h.must(err)
	want := []calls.Minute{
		{At: instant(h, "07:00:00"), Calls: 3, AtOnce: 2, GoesOn: 1},
		{At: instant(h, "07:02:00"), Calls: 1, AtOnce: 2, GoesOn: 1},
		{At: instant(h, "07:03:00"), AtOnce: 0, GoesOn: 0},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("minutes (-want +got):\n%s", diff)
	}
}

func TestCallsAndWaitsOfRuns(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.made("shop", "things", "sweep", "07:00:00", 2, "")
	h.made("shop", "things", "sweep", "07:00:12", 1.5, "throttled") // 10 seconds later: no wait
	h.made("shop", "things", "sweep", "07:01:13", 1, "")
	ledger := h.process(calls.DefaultRules())
	logged, err := ledger.CallsOfRun(t.Context(), 7, 0, 2)
	h.must(err)
	if len(logged) != 2 || logged[1].Kind != "throttled" || logged[1].Detail != "as said" || *logged[1].Seconds != 1.5 || *logged[1].Page != 1 {
		t.Fatalf("the first two calls are %+v", logged)
	}
	rest, err := ledger.CallsOfRun(t.Context(), 7, logged[1].ID, 2)
	h.must(err)
	if len(rest) != 1 || !rest[0].At.Equal(instant(h, "07:01:13")) || rest[0].Records != 3 {
		t.Errorf("behind them are %+v", rest)
	}
	waits, err := ledger.Waits(t.Context(), []int64{7, 8}, 20*time.Second)
	h.must(err)
	goesOn := instant(h, "07:01:13")
	want := []calls.Wait{
		{Run: 7, From: instant(h, "07:00:13").Add(500 * time.Millisecond), To: &goesOn, Kind: "throttled"},
		{Run: 7, From: instant(h, "07:01:14")},
	}
	if diff := cmp.Diff(want, waits); diff != "" {
		t.Errorf("waits (-want +got):\n%s", diff)
	}
}

func TestSpentOut(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.exec(`INSERT INTO sluice.day_budgets (organization_id, service, exhausted_until) VALUES
		('o', 'shop', '2999-03-01 07:00Z'), ('o', 'mail', '2026-03-01 07:00Z'), ('o', 'chat', NULL)`)
	got, err := h.process(calls.DefaultRules()).SpentOut(t.Context())
	h.must(err)
	if len(got) != 1 || got[0].Service != "shop" || !got[0].Until.Equal(time.Date(2999, 3, 1, 7, 0, 0, 0, time.UTC)) {
		t.Errorf("spent are %+v, want shop", got)
	}
}
