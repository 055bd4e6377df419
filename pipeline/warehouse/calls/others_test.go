package calls_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/calls"
)

// TestOthersByQuarters: what upstream's answers show of others is spread over the time between two
// answers. A count that looks smaller for a moment takes nothing back, a new day begins at zero,
// and an answer without a reset begins none.
func TestOthersByQuarters(t *testing.T) {
	t.Parallel()
	h := open(t)
	answer := func(at string, remaining int, reset string) {
		t.Helper()
		h.exec(`INSERT INTO sluice.day_budgets AS d (organization_id, service, limit_seen, remaining_seen, reset_at, seen_at, seen_bucket, seen_place)
			VALUES ('o', 'shop', 1000, $2, $3, $1, date_bin('1 minute', $1, 'epoch'), 0)
			ON CONFLICT (organization_id, service) DO UPDATE SET remaining_seen = $2, reset_at = $3, seen_at = $1, seen_bucket = excluded.seen_bucket`, at, remaining, reset)
	}
	const tonight, tomorrow = "2026-03-04T00:00:00Z", "2026-03-05T00:00:00Z"
	answer("2026-03-03T10:00:00Z", 960, tonight) // the first: 40 since midnight, one in each quarter
	answer("2026-03-03T10:05:00Z", 960, tonight)
	answer("2026-03-03T10:35:00Z", 900, tonight) // 60 in half an hour
	answer("2026-03-03T10:36:00Z", 910, tonight) // calls of ours were under way
	answer("2026-03-03T10:45:00Z", 900, tonight)
	answer("2026-03-04T00:12:00Z", 988, tomorrow) // a new day
	answer("2026-03-04T00:15:00Z", 982, "2026-03-04T01:15:00Z")
	answer("2026-03-04T00:30:00Z", 981, "2026-03-04T01:30:00Z")
	want := `00:00 1 900 t, 09:45 1 900 t, 10:00 20 900 f, 10:15 30 900 f, 10:30 10 900 f, 00:00 18 900 f, 00:15 1 900 f`
	const quarters = `SELECT string_agg(to_char(began_at AT TIME ZONE 'UTC', 'HH24:MI') || ' ' || round(calls) || ' ' || seconds || ' ' || left(spread::text, 1), ', ' ORDER BY began_at)
		FROM sluice.external_quarters WHERE began_at NOT BETWEEN '2026-03-03T00:15:00Z' AND '2026-03-03T09:30:00Z'`
	if got := ask[string](h, quarters); got != want {
		t.Errorf("the quarters are\n%s, want\n%s", got, want)
	}
	// From half past nine to half past ten in London it is three in the afternoon in Kolkata.
	got, err := h.process(calls.DefaultRules()).Others(t.Context(), []calls.Allowance{
		{Organization: "o", Service: "other", ResetZone: "UTC"}, {Organization: "o", Service: "shop", ResetZone: "Asia/Kolkata"},
	})
	h.must(err)
	if len(got[0]) != 0 {
		t.Errorf("of a service without calls: %v", got[0])
	}
	three := calls.OthersHour{Number: 2, At: time.Date(2026, 3, 3, 9, 30, 0, 0, time.UTC), Calls: 52, Seconds: 3600, Spread: true}
	for _, hour := range got[1] {
		if hour.At = hour.At.UTC(); hour.At.Equal(three.At) {
			hour.Calls = float64(int(hour.Calls + 0.5))
			if diff := cmp.Diff(three, hour); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			return
		}
	}
	t.Errorf("there is no such hour in %v", got[1])
}

// TestAnswersNoteOthers: an answer that a call brings is looked at, once for each minute of calls.
func TestAnswersNoteOthers(t *testing.T) {
	t.Parallel()
	h := open(t)
	process := h.process(calls.DefaultRules())
	for range 2 {
		h.must(process.Finish(t.Context(), h.granted(process, pipeline.ClassSweep, unshared(1000)), pipeline.CallResult{
			Status: 200, DayLimit: 1000, DayRemaining: 900, DayReset: 23 * time.Hour,
		}))
	}
	// Of the 100 that were used one was ours.
	if got := ask[float64](h, `SELECT round(sum(calls)::numeric, 3)::float8 FROM sluice.external_quarters WHERE (organization_id, service) = ('o', 'shop')`); got != 99 {
		t.Errorf("%v calls of others, want 99", got)
	}
}
