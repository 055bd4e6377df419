package explain_test

import (
	"strings"
	"testing"
	"time"

	"sluice/cmd/sluice/cli/explain"
	"sluice/pipeline/warehouse/lineage"
	"sluice/pipeline/warehouse/tombstones"
	"sluice/schema"
)

// hour gives an instant of the one day of these tests, in UTC.
func hour(h int) *time.Time {
	at := time.Date(2026, 3, 1, h, 0, 0, 0, time.UTC)
	return &at
}

func call(id int64, known bool) *lineage.Call {
	if !known {
		return &lineage.Call{ID: id}
	}
	return &lineage.Call{ID: id, At: hour(3), Path: "/bills", Page: 2, Status: 200, Class: "incremental", Run: 5}
}

func TestConclusions(t *testing.T) {
	t.Parallel()
	list := &lineage.Stream{Resource: "bills", Enabled: true, Watermark: hour(4), State: "idle", NextDueAt: *hour(9)}
	waiting := int64(17)
	details := &lineage.Stream{
		Resource: "bills.details", Enabled: true, State: "waiting", Reason: "day", Until: hour(12), NextDueAt: *hour(8), Waiting: &waiting,
	}
	row := func(state string) *lineage.Row {
		return &lineage.Row{
			FirstSeenAt: *hour(1), ChangedAt: *hour(2), Modified: hour(1), List: call(33, true), DetailState: state, DetailAt: hour(3),
			Run: &lineage.Run{ID: 5, Class: "incremental", Outcome: "provisional"}, Detail: call(34, true),
		}
	}
	unknown := row("none_needed")
	unknown.List, unknown.Run, unknown.Unknown = call(33, false), &lineage.Run{ID: 5}, []string{"novel"}
	for name, c := range map[string]struct {
		history lineage.History
		// want are parts of the sentences, one sentence each, in their order; other sentences may
		// be between them.
		want []string
	}{
		"current": {lineage.History{Row: row("current"), List: list}, []string{
			"since 2026-03-01 01:00:00 UTC and last changed here 2026-03-01 02:00:00 UTC.",
			"call 33 (/bills page 2, HTTP 200, 2026-03-01 03:00:00 UTC) brought in run 5 (incremental, provisional), last modified upstream 2026-03-01 01:00",
			"call 34 (", "complete up to 2026-03-01 04:00", "read again at 2026-03-01 09:00:00 UTC; the stream is idle.",
		}},
		"pending": {lineage.History{Row: row("pending"), List: list, Details: details}, []string{
			"was not read yet", "17 wait, the stream is waiting (day) until 2026-03-01 12:00:00 UTC, its next turn is 2026-03-01 08:00",
		}},
		"stale":     {lineage.History{Row: row("stale"), List: list, Details: details}, []string{"changed since its single record was read (2026-03-01 03:00:00 UTC)", "17 wait"}},
		"failed":    {lineage.History{Row: row("failed"), List: list, Details: details}, []string{"could not be read at 2026-03-01 03:00", "17 wait"}},
		"forgotten": {lineage.History{Row: unknown, List: list}, []string{"call 33, which is not in the call log any more", "carries all of it", "_extra: novel"}},
		"deleted": {lineage.History{Versions: []lineage.Version{{Call: call(7, true)}}, List: list}, []string{
			"There is no row, although call 7", "later changes upstream",
		}},
		"pruned": {lineage.History{
			Versions: []lineage.Version{{Call: call(7, true)}}, List: list,
			Tombstone: &tombstones.Tombstone{State: "deleted", Proof: "scan", DeletedAt: hour(7), PrunedAt: hour(9)},
		}, []string{
			"There is no row: it was deleted at 2026-03-01 09:00:00 UTC, as its tombstone was older than retention.gone keeps such rows.",
			"tombstone since 2026-03-01 07:00:00 UTC",
		}},
		"never": {lineage.History{Archives: 12, AllArchives: true, List: list}, []string{
			"never seen", "did not exist then, or the list does not show it (it is asked for with filter_by=All).",
		}},
		"never, of many": {lineage.History{Archives: 12, List: list}, []string{"the newest 12 answers"}},
		"gone": {lineage.History{Row: row("current"), List: list, Tombstone: &tombstones.Tombstone{State: "deleted", Proof: "scan", DeletedAt: hour(7), DecidedBy: "person"}}, []string{
			"tombstone since 2026-03-01 07:00:00 UTC, as two whole scans did not show it, and an operator accepted that.",
		}},
		"suspected": {lineage.History{Row: row("current"), List: list, Tombstone: &tombstones.Tombstone{State: "suspected", SuspectedRun: 8, SuspectedAt: *hour(7)}}, []string{
			"scan of run 8 did not show it at 2026-03-01 07:00:00 UTC",
		}},
		"held":     {lineage.History{Row: row("current"), List: list, Tombstone: &tombstones.Tombstone{State: "needs_review", ProofAt: hour(7)}}, []string{"an operator decides"}},
		"restored": {lineage.History{Row: row("current"), List: list, Tombstone: &tombstones.Tombstone{State: "restored", RestoredAt: hour(7)}}, []string{"came back at 2026-03-01 07:00"}},
		"set aside": {lineage.History{List: list, Quarantine: []lineage.Entry{{ID: 3, State: "resolved", Code: "no_id", DecidedAt: hour(6), Note: "a test"}}}, []string{
			"closed in quarantine", "(entry 3: no_id) was set aside by a person 2026-03-01 06:00:00 UTC: a test",
		}},
		"open": {lineage.History{List: list, Quarantine: []lineage.Entry{{ID: 3, State: "open", Code: "bad_time", Path: "date", FirstSeenAt: *hour(2), Seen: 4}}}, []string{
			"did not fit", "since 2026-03-01 02:00:00 UTC, seen 4 times: bad_time at date.",
		}},
		"loaded later": {lineage.History{Row: row("current"), List: list, Quarantine: []lineage.Entry{{ID: 3, State: "retried", Code: "no_id", DecidedAt: hour(6)}}}, []string{
			"until one that fits was loaded 2026-03-01 06:00",
		}},
		"not read yet":  {lineage.History{List: &lineage.Stream{State: "queued", NextDueAt: *hour(1)}}, []string{"may still come", "disabled by the configuration"}},
		"of no stream":  {lineage.History{}, []string{"No stream"}},
		"of one parent": {lineage.History{Row: row(""), List: list, Parent: &lineage.Parent{ID: "p"}}, []string{"parent p, whose list was last read never"}},
	} {
		got := explain.Conclusions(c.history, &schema.Resource{Params: map[string]string{"filter_by": "All"}}, time.UTC)
		at := 0
		for _, sentence := range got {
			if at < len(c.want) && strings.Contains(sentence, c.want[at]) {
				at++
			}
			if !strings.HasSuffix(sentence, ".") && !strings.HasSuffix(sentence, "a test") {
				t.Errorf("%s: no sentence: %q", name, sentence)
			}
		}
		if at < len(c.want) {
			t.Errorf("%s: %q is missing or out of order in\n%s", name, c.want[at], strings.Join(got, "\n"))
		}
	}
}
