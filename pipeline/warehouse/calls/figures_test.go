package calls_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/calls"
)

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
	t.Parallel()
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
	days, err := ledger.Days(t.Context(), of)
	h.must(err)
	for i, a := range of {
		got := days[i]
		want := calls.Day{At: got.At, Turn: got.Turn, SeenUntil: got.SeenUntil}
		var incremental, hinted int64
		h.must(h.pool.QueryRow(t.Context(), theDay, a.Organization, a.Service, a.ResetHour, a.ResetZone, got.At).
			Scan(&want.Spent, &incremental, &hinted, &want.LastHour, &want.External, &want.SeenLeft))
		want.ByClass = map[pipeline.Class]int64{"incremental": incremental, "details": 0, "sweep": 0, "backfill": 0, "probe": 0, "hinted": hinted}
		if i < 4 && (want.Spent == 0 || want.LastHour == 0) {
			t.Errorf("%s has no calls: nothing is compared", a.Organization)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-reserved +shown):\n%s", a.Organization, diff)
		}
		if (got.Turn == nil) != (a.ResetZone == "") || (got.SeenUntil == nil) != (got.SeenLeft == nil) {
			t.Errorf("%s turns at %v, and is left until %v", a.Organization, got.Turn, got.SeenUntil)
		}
	}
	// What upstream said of a day that is over does not count, and an hour counts before it is
	// summed up.
	h.exec(`UPDATE sluice.day_budgets SET reset_at = now() - interval '1 minute'`)
	h.exec(`DELETE FROM sluice.spent WHERE span = 'hour' AND began_at > now() - interval '5 hours'`)
	later, err := ledger.Days(t.Context(), of)
	h.must(err)
	if later[0].External != nil || later[0].SeenLeft != nil || later[0].SeenUntil != nil {
		t.Errorf("a day of upstream that is over: %+v", later[0])
	}
	var minutes int64
	h.must(h.pool.QueryRow(t.Context(), `SELECT sum(calls) FROM sluice.spent WHERE organization_id = 'a' AND span = 'minute'
		AND began_at > $1::timestamptz - interval '24 hours 1 minute'`, later[0].At).Scan(&minutes))
	if later[0].Spent != minutes {
		t.Errorf("%d calls before hours are summed up, %d in its minutes", later[0].Spent, minutes)
	}
}

// TestTally: a tally gives what the call log says, also when it has counted hours before, and when
// the outcome of recent calls changes.
func TestTally(t *testing.T) {
	t.Parallel()
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
		counts, err := tally.Last24Hours(t.Context())
		h.must(err)
		want := calls.Counts{
			Used:    map[calls.Use]int64{{"shop", "things", "sweep"}: 24, {"shop", "things", "probe"}: probes},
			Refused: map[calls.Refusal]int64{{"o", "shop", "throttled"}: 24},
		}
		if probes > 24 {
			want.Refused[calls.Refusal{Organization: "o", Service: "shop", Kind: "exhausted"}] = probes - 24
		}
		if diff := cmp.Diff(want, counts); diff != "" {
			t.Errorf("%s (-want +got):\n%s", why, diff)
		}
	}
	agree("at first", 24)
	agree("again", 24)
	log(90*time.Minute, "probe", nil)
	h.exec(`UPDATE sluice.calls SET kind = 'exhausted' WHERE class = 'probe' AND kind IS NULL`)
	agree("a call that has just ended", 25)
	h.exec(`DELETE FROM sluice.calls WHERE reserved_at < clock_timestamp() - interval '3 hours' AND reserved_at > clock_timestamp() - interval '22 hours'`)
	agree("hours that were counted", 25)
}
