package warehouse_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/streams"
)

func idsOf(page streams.RunPage) []int64 {
	var ids []int64
	for i := range page.Runs {
		ids = append(ids, page.Runs[i].ID)
	}
	return ids
}

// TestRunPage pages through runs by their identifiers, and through more of them than one page looks
// through.
func TestRunPage(t *testing.T) {
	t.Parallel()
	pool, reader := openReadingPool(t)
	for _, sql := range []string{
		// Behind the two of the seed: 3 to 5 of things, all done, then 20,000 others.
		`INSERT INTO sluice.runs (organization_id, service, resource, class, gen, started_at, ended_at, outcome)
			SELECT 'o', 'shop', 'things', 'sweep', 0, '2026-03-02Z', '2026-03-02Z', 'done' FROM generate_series(3, 5)`,
		`INSERT INTO sluice.runs (organization_id, service, resource, class, gen, started_at, ended_at, outcome)
			SELECT 'p', 'shop', 'things', 'sweep', 0, '2026-03-03Z', '2026-03-03Z', 'done' FROM generate_series(6, 20005)`,
	} {
		if _, err := pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		filter  streams.RunFilter
		outcome string
		before  int64
		want    []int64
		next    int64
	}{
		"the newest":                      {streams.RunFilter{Limit: 2}, "", 0, []int64{20005, 20004}, 20004},
		"the next":                        {streams.RunFilter{Limit: 2}, "", 20004, []int64{20003, 20002}, 20002},
		"the last":                        {streams.RunFilter{Limit: 5}, "", 4, []int64{3, 2, 1}, 0},
		"a stream":                        {streams.RunFilter{Organization: "o", Service: "shop", Resource: "things", Limit: 3}, "", 0, []int64{5, 4, 3}, 3},
		"the rest of a stream":            {streams.RunFilter{Organization: "o", Service: "shop", Resource: "things", Limit: 3}, "", 3, []int64{1}, 0},
		"an outcome of a stream":          {streams.RunFilter{Organization: "o", Service: "shop", Resource: "things"}, "failed", 0, []int64{1}, 0},
		"an outcome, not looked so far":   {streams.RunFilter{}, "failed", 0, nil, 6},
		"an outcome, looked for further":  {streams.RunFilter{}, "failed", 6, []int64{1}, 0},
		"what is open":                    {streams.RunFilter{}, "open", 6, []int64{2}, 0},
		"an organization, not looked far": {streams.RunFilter{Organization: "o"}, "", 0, nil, 6},
		"an organization without others":  {streams.RunFilter{Organization: "o"}, "", 6, []int64{5, 4, 3, 2, 1}, 0},
	} {
		got, err := reader.RunPage(t.Context(), c.filter, c.outcome, c.before)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(c.want, idsOf(got)); diff != "" || got.Before != c.next {
			t.Errorf("%s: goes on before %d, want %d (-want +got):\n%s", name, got.Before, c.next, diff)
		}
	}
	// A run of a page is the run that is read by itself.
	page, err := reader.RunPage(t.Context(), streams.RunFilter{Organization: "o", Service: "shop", Resource: "things"}, "failed", 0)
	if err != nil {
		t.Fatal(err)
	}
	one, err := reader.RunProgress(t.Context(), 1)
	sameAs(t, one, page.Runs[0], err)
}

// TestRunDays counts runs by the dates of a zone.
func TestRunDays(t *testing.T) {
	t.Parallel()
	pool, reader := openReadingPool(t)
	if _, err := pool.Exec(t.Context(), `INSERT INTO sluice.runs (organization_id, service, resource, class, gen, started_at, ended_at, outcome)
		SELECT 'o', 'shop', 'things', 'sweep', 0, at::timestamptz, CASE WHEN outcome <> '' THEN at::timestamptz END, nullif(outcome, '')
		FROM (VALUES ('2026-03-01 18:29Z', 'done'), ('2026-03-01 18:30Z', 'provisional'), ('2026-03-02 10:00Z', 'done'), ('2026-03-02 11:00Z', 'done'),
			('2026-02-28 10:00Z', 'failed'), ('2026-03-02 12:00Z', '')) AS v (at, outcome)`); err != nil {
		t.Fatal(err)
	}
	kolkata, err := time.LoadLocation("Asia/Kolkata") // where the day begins at 18:30 UTC
	if err != nil {
		t.Fatal(err)
	}
	key := pipeline.Key{Organization: "o", Service: "shop", Resource: "things"}
	got, err := reader.RunDays(t.Context(), key, kolkata, instant(t, "2026-03-01 00:00:00"))
	sameAs(t, []streams.RunDay{{Day: "2026-03-01", Done: 1, Failed: 1}, {Day: "2026-03-02", Done: 2, Provisional: 1}}, got, err)
}

func TestQuarantineOfARun(t *testing.T) {
	t.Parallel()
	reader := openReading(t)
	got, err := reader.QuarantineOfRun(t.Context(), 1, 10)
	if err != nil || len(got) != 1 || got[0].ID != 1 || got[0].Record != "17" || got[0].Code != "wrong_type" || got[0].Raw != nil {
		t.Errorf("run 1 met %+v (%v), want entry 1 without its bytes", got, err)
	}
}

func TestWaitReasons(t *testing.T) {
	t.Parallel()
	pool, reader := openReadingPool(t)
	look := func() map[int64]string {
		t.Helper()
		got, err := reader.WaitReasons(t.Context(), []int64{1, 2})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := look(); len(got) != 0 {
		t.Errorf("the run that goes on waits: %v", got)
	}
	if _, err := pool.Exec(t.Context(), `UPDATE sluice.streams SET state = 'waiting', reason = 'exhausted: code 45' WHERE run_id = 2`); err != nil {
		t.Fatal(err)
	}
	if got := look(); len(got) != 1 || got[2] != "exhausted: code 45" {
		t.Errorf("run 2 waits because of %q", got[2])
	}
}
