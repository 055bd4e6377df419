package calls_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/check"
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
	return check.Sure(time.Parse("2006-01-02 15:04:05", "2026-03-01 "+at))(h)
}

func TestUsed(t *testing.T) {
	h := open(t)
	for _, at := range []string{"06:29:59", "06:30:00", "07:29:59", "07:30:00", "08:00:00"} {
		h.made("shop", "things", "sweep", at, 1, "")
	}
	h.made("shop", "things", "details", "07:31:00", 1, "throttled")
	h.made("shop", "things", "details", "07:32:00", -1, "")
	h.made("mail", "letters", "sweep", "07:00:00", 1, "")
	got := check.Sure(h.process(calls.DefaultRules()).Used(t.Context(), "o", "shop", instant(h, "06:30:00"), instant(h, "08:00:00")))(h)
	want := []calls.Used{
		{At: instant(h, "06:30:00"), Resource: "things", Class: "sweep", Calls: 2, Records: 6},
		{At: instant(h, "07:30:00"), Resource: "things", Class: "details", Calls: 2, Failed: 2, Records: 6},
		{At: instant(h, "07:30:00"), Resource: "things", Class: "sweep", Calls: 1, Records: 3},
	}
	check.Same(t, "uses", want, got)
}

// TestSameSpan: the log reaches one day and two days back, and not three.
func TestSameSpan(t *testing.T) {
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
	got := check.Sure(ledger.SameSpan(t.Context(), "o", "shop", from, to, 7))(h)
	check.Same(t, "spans", []calls.Span{{Ago: 1, Calls: 0}, {Ago: 2, Calls: 3}}, got)
}

func TestMinutes(t *testing.T) {
	h := open(t)
	h.made("shop", "things", "sweep", "06:59:59", 1, "") // before the time asked for
	h.made("shop", "things", "sweep", "07:00:00", 10, "")
	h.made("mail", "letters", "sweep", "07:00:05", 200, "") // until 07:03:25
	h.made("shop", "things", "sweep", "07:00:10", 1, "")    // as the first one ends
	h.made("shop", "things", "sweep", "07:02:10", 1, "")
	h.made("chat", "channels", "sweep", "07:00:06", 1, "") // another allowance
	got := check.Sure(h.process(calls.DefaultRules()).Minutes(t.Context(), "o", []string{"shop", "mail"}, instant(h, "07:00:00")))(h)
	want := []calls.Minute{
		{At: instant(h, "07:00:00"), Calls: 3, AtOnce: 2, GoesOn: 1},
		{At: instant(h, "07:02:00"), Calls: 1, AtOnce: 2, GoesOn: 1},
		{At: instant(h, "07:03:00"), AtOnce: 0, GoesOn: 0},
	}
	check.Same(t, "minutes", want, got)
}

func TestCallsAndWaitsOfRuns(t *testing.T) {
	h := open(t)
	h.made("shop", "things", "sweep", "07:00:00", 2, "")
	h.made("shop", "things", "sweep", "07:00:12", 1.5, "throttled") // 10 seconds later: no wait
	h.made("shop", "things", "sweep", "07:01:13", 1, "")
	ledger := h.process(calls.DefaultRules())
	logged := check.Sure(ledger.CallsOfRun(t.Context(), 7, 0, 2))(h)
	if len(logged) != 2 || logged[1].Kind != "throttled" || logged[1].Detail != "as said" || *logged[1].Seconds != 1.5 || *logged[1].Page != 1 {
		t.Fatalf("the first two calls are %+v", logged)
	}
	rest := check.Sure(ledger.CallsOfRun(t.Context(), 7, logged[1].ID, 2))(h)
	check.ErrorIf(t, len(rest) != 1 || !rest[0].At.Equal(instant(h, "07:01:13")) || rest[0].Records != 3, "behind them are %+v", rest)
	waits := check.Sure(ledger.Waits(t.Context(), []int64{7, 8}, 20*time.Second))(h)
	goesOn := instant(h, "07:01:13")
	want := []calls.Wait{
		{Run: 7, From: instant(h, "07:00:13").Add(500 * time.Millisecond), To: &goesOn, Kind: "throttled"},
		{Run: 7, From: instant(h, "07:01:14")},
	}
	check.Same(t, "waits", want, waits)
}

func TestSpentOut(t *testing.T) {
	h := open(t)
	h.exec(`INSERT INTO sluice.day_budgets (organization_id, service, exhausted_until) VALUES
		('o', 'shop', '2999-03-01 07:00Z'), ('o', 'mail', '2026-03-01 07:00Z'), ('o', 'chat', NULL)`)
	got := check.Sure(h.process(calls.DefaultRules()).SpentOut(t.Context()))(h)
	check.ErrorIf(t, len(got) != 1 || got[0].Service != "shop" || !got[0].Until.Equal(time.Date(2999, 3, 1, 7, 0, 0, 0, time.UTC)),
		"spent are %+v, want shop", got)
}

// theDay gives the figures of one day at an instant, as reservations count them: sluice.day_spent
// and the minutes behind upstream's last answer decide about a call.
const theDay = `
SELECT coalesce(sum(s.calls), 0), coalesce(sum(s.incremental), 0), coalesce(sum(s.hinted), 0),
	(SELECT coalesce(sum(m.reserved), 0) FROM sluice.spent m WHERE m.organization_id = $1 AND m.service = $2
		AND m.span = 'minute' AND m.began_at > $5::timestamptz - interval '1 hour'),
	sluice.external_calls($1, $2),
	(SELECT greatest(0, d.remaining_seen + d.seen_place - (
		SELECT coalesce(sum(m.reserved), 0) FROM sluice.spent m
		WHERE m.organization_id = $1 AND m.service = $2 AND m.span = 'minute' AND m.began_at >= d.seen_bucket))
		FROM sluice.day_budgets d WHERE d.organization_id = $1 AND d.service = $2)
FROM sluice.day_spent($1, $2, $5,
	CASE $4 WHEN '' THEN $5::timestamptz - interval '24 hours' ELSE sluice.last_reset($5::timestamptz - interval '1 minute', $3, $4) END, NULL, '24 hours') AS s`

// TestDaysAreThoseOfReservations: what is shown of a day is what decides about its calls. The day
// rolls or begins at an hour of a zone, and upstream has said something about it or not.
func TestDaysAreThoseOfReservations(t *testing.T) {
	h := open(t)
	ledger := h.process(calls.DefaultRules())
	random := rand.New(rand.NewPCG(4, 7))
	var of []calls.Allowance
	for i, zone := range []string{"", "", "Asia/Kolkata", "America/Los_Angeles", ""} {
		name := string(rune('a' + i))
		of = append(of, calls.Allowance{Organization: name, Service: "shop", ResetHour: 5 * i, ResetZone: zone})
		if i == 4 {
			break // one that never called
		}
		for range 300 {
			h.exec(`INSERT INTO sluice.spent (organization_id, service, span, began_at, reserved, calls, incremental, hinted)
				VALUES ($1, 'shop', 'minute', date_bin('1 minute', now() - $2 * interval '1 minute', 'epoch'), $3, $3, $4, $3::integer - $4::integer) ON CONFLICT DO NOTHING`,
				name, random.IntN(2880), 2+random.IntN(5), random.IntN(3))
		}
		h.exec(`INSERT INTO sluice.spent (organization_id, service, span, began_at, reserved, calls, incremental, hinted)
			SELECT organization_id, service, 'hour', date_bin('1 hour', began_at, 'epoch') AS hour, sum(reserved), sum(calls), sum(incremental), sum(hinted)
			FROM sluice.spent WHERE organization_id = $1 GROUP BY organization_id, service, hour`, name)
		if i%2 == 0 {
			h.exec(`INSERT INTO sluice.day_budgets (organization_id, service, limit_seen, remaining_seen, reset_at, seen_bucket, seen_place)
				VALUES ($1, 'shop', 9000, 70, now() + interval '7 hours', date_bin('1 minute', now() - interval '95 minutes', 'epoch'), 3)`, name)
		}
	}
	days := check.Sure(ledger.Days(t.Context(), of))(h)
	for i, a := range of {
		got := days[i]
		want := calls.Day{At: got.At, Turn: got.Turn, SeenUntil: got.SeenUntil}
		var incremental, hinted int64
		check.Must(h, h.pool.QueryRow(t.Context(), theDay, a.Organization, a.Service, a.ResetHour, a.ResetZone, got.At).
			Scan(&want.Spent, &incremental, &hinted, &want.LastHour, &want.External, &want.SeenLeft))
		want.ByClass = map[pipeline.Class]int64{"incremental": incremental, "details": 0, "sweep": 0, "backfill": 0, "probe": 0, "hinted": hinted}
		check.ErrorIf(t, i < 4 && (want.Spent == 0 || want.LastHour == 0), "%s has no calls: nothing is compared", a.Organization)
		check.Same(t, a.Organization, want, got)
		check.ErrorIf(t, (got.Turn == nil) != (a.ResetZone == "") || (got.SeenUntil == nil) != (got.SeenLeft == nil),
			"%s turns at %v, and is left until %v", a.Organization, got.Turn, got.SeenUntil)
	}
	// What upstream said of a day that is over does not count, and an hour counts before it is
	// summed up.
	h.exec(`UPDATE sluice.day_budgets SET reset_at = now() - interval '1 minute'`)
	h.exec(`DELETE FROM sluice.spent WHERE span = 'hour' AND began_at > now() - interval '5 hours'`)
	later := check.Sure(ledger.Days(t.Context(), of))(h)
	check.ErrorIf(t, later[0].External != nil || later[0].SeenLeft != nil || later[0].SeenUntil != nil,
		"a day of upstream that is over: %+v", later[0])
	var minutes int64
	check.Must(h, h.pool.QueryRow(t.Context(), `SELECT sum(calls) FROM sluice.spent WHERE organization_id = 'a' AND span = 'minute'
		AND began_at > $1::timestamptz - interval '24 hours 1 minute'`, later[0].At).Scan(&minutes))
	check.ErrorIf(t, later[0].Spent != minutes, "%d calls before hours are summed up, %d in its minutes", later[0].Spent, minutes)
}

// TestTally: a tally gives what the call log says, also when it has counted hours before, and when
// the outcome of recent calls changes.
func TestTally(t *testing.T) {
	h := open(t)
	tally := calls.NewTally(h.process(calls.DefaultRules()))
	log := func(ago time.Duration, class string, kind *string) {
		t.Helper()
		h.exec(`INSERT INTO sluice.calls (organization_id, service, resource, class, shared, method, path, reserved_at, lease_until, free_at, kind)
			VALUES ('o', 'shop', 'things', $2, 'suite', 'GET', '/', clock_timestamp() - $1::interval, now(), clock_timestamp(), $3)`, ago, class, kind)
	}
	for ago := range 26 {
		log(time.Duration(ago)*time.Hour+time.Minute, "sweep", nil)
		log(time.Duration(ago)*time.Hour+2*time.Minute, "probe", new("throttled"))
	}
	agree := func(why string, probes int64) {
		t.Helper()
		counts := check.Sure(tally.Last24Hours(t.Context()))(h)
		want := calls.Counts{
			Used:    map[calls.Use]int64{{"shop", "things", "sweep"}: 24, {"shop", "things", "probe"}: probes},
			Refused: map[calls.Refusal]int64{{"o", "shop", "throttled"}: 24},
		}
		if probes > 24 {
			want.Refused[calls.Refusal{Organization: "o", Service: "shop", Kind: "exhausted"}] = probes - 24
		}
		check.Same(t, why, want, counts)
	}
	agree("at first", 24)
	agree("again", 24)
	log(90*time.Minute, "probe", nil)
	h.exec(`UPDATE sluice.calls SET kind = 'exhausted' WHERE class = 'probe' AND kind IS NULL`)
	agree("a call that has just ended", 25)
	h.exec(`DELETE FROM sluice.calls WHERE reserved_at < clock_timestamp() - interval '3 hours' AND reserved_at > clock_timestamp() - interval '22 hours'`)
	agree("hours that were counted", 25)
}
