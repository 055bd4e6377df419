package warehouse_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sluice/pipeline"
	"sluice/pipeline/planning"
	"sluice/pipeline/planning/cadence"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/streams"
)

// ran stores a run that has ended: when it began, the watermark that it continued from ("" for
// none), what it found.
func (h *fixture) ran(key pipeline.Key, class pipeline.Class, ago, watermark string, outcome pipeline.Outcome, changes, calls int) {
	h.Helper()
	_, err := h.db.Pool().Exec(h.Context(), `
WITH run AS (
	INSERT INTO sluice.runs (organization_id, service, resource, class, gen, started_at, ended_at, outcome, watermark_before, inserted, updated, calls)
	VALUES ($1, $2, $3, $4, 0, clock_timestamp() - $5::interval, clock_timestamp() - $5::interval, $7,
		clock_timestamp() - nullif($6, '')::interval, 1, $8 - 1, $9) RETURNING id)
UPDATE sluice.streams s SET last_run_id = run.id FROM run WHERE (organization_id, service, resource) = ($1, $2, $3)`,
		key.Organization, key.Service, key.Resource, class, ago, watermark, outcome, changes, calls)
	h.must(err)
}

// learned registers a stream whose interval is learned, and one whose interval is fixed.
func (h *fixture) learned(ceiling time.Duration) {
	h.Helper()
	h.must(h.db.RegisterStreams(h.Context(), []warehouse.StreamSetting{
		{Key: key("a", "fixed"), Every: time.Hour, Enabled: true},
		{Key: key("a", "learned"), Every: time.Hour, Ceiling: ceiling, Enabled: true},
		{Key: key("a", "off"), Every: time.Hour, Ceiling: ceiling},
	}))
}

// unplanned returns the services that have to be planned, for organizations a and b.
func (h *fixture) unplanned(limit int) []streams.Service {
	h.Helper()
	services, err := h.db.Unplanned(h.Context(), []string{"a", "b"}, 10*time.Minute, limit)
	h.must(err)
	return services
}

func TestWhatRunsShowed(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.learned(6 * time.Hour)
	h.must(h.db.RegisterStreams(t.Context(), []warehouse.StreamSetting{{Key: key("b", "fixed"), Every: time.Hour, Enabled: true}}))
	learned := key("a", "learned")
	h.ran(learned, pipeline.ClassIncremental, "8 days", "9 days", pipeline.OutcomeDone, 999, 1)    // too long ago
	h.ran(learned, pipeline.ClassIncremental, "5 hours", "", pipeline.OutcomeDone, 5000, 50)       // read everything
	h.ran(learned, pipeline.ClassIncremental, "4 hours", "5 hours", pipeline.OutcomeDone, 8, 1)    // 8 in an hour
	h.ran(learned, pipeline.ClassSweep, "3.5 hours", "5 hours", pipeline.OutcomeDone, 40, 90)      // another class
	h.ran(learned, pipeline.ClassIncremental, "3 hours", "4 hours", pipeline.OutcomeFailed, 2, 77) // failed, and found 2
	h.ran(learned, pipeline.ClassIncremental, "2 hours", "3 hours", pipeline.OutcomeProvisional, 2, 3)

	services := h.unplanned(10)
	if len(services) != 1 || services[0].Streams[1].Loaded {
		t.Fatalf("services without a watermark: %+v", services)
	}
	_, err := h.db.Pool().Exec(t.Context(), `UPDATE sluice.streams SET watermark = clock_timestamp() WHERE resource = 'learned'`)
	h.must(err)
	if services = h.unplanned(10); !services[0].Streams[1].Loaded || services[0].Streams[0].Loaded {
		t.Errorf("a watermark does not show: %+v", services)
	}
	if len(services) != 1 || services[0].Organization != "a" || services[0].Name != "shop" || len(services[0].Streams) != 2 {
		t.Fatalf("to be planned: %+v", services)
	}
	fixed, of := services[0].Streams[0], services[0].Streams[1]
	if fixed.Key != key("a", "fixed") || fixed.Ceiling != 0 || of.Key != learned || of.Every != time.Hour || of.Ceiling != 6*time.Hour {
		t.Errorf("streams: %+v, %+v", fixed, of)
	}
	// The runs continued from watermarks five, four and three hours ago, and these hours weigh
	// nearly the same: 12 changes in three hours; one call and three.
	want := cadence.Seen{Runs: 3, Span: 3 * time.Hour, Changes: 12, PerHour: 4, Calls: 2}
	near := cmp.Options{cmpopts.EquateApprox(0.05, 0), cmp.Comparer(func(a, b time.Duration) bool { return (a - b).Abs() < 10*time.Second })}
	seen := func(s *streams.Stream) cadence.Seen {
		history := planning.HistoryOf(s, pipeline.ClassIncremental)
		return history.Seen(s.SeenAt(), cadence.Alike())
	}
	if diff := cmp.Diff(want, seen(&of), near); diff != "" {
		t.Errorf("seen (-want +got):\n%s", diff)
	}
	if got := seen(&fixed); got != (cadence.Seen{}) {
		t.Errorf("a stream without runs showed %+v", got)
	}
	if got := h.unplanned(0); len(got) != 0 {
		t.Errorf("more than the limit: %+v", got)
	}
}

// TestIntervalsThatWereLearned follows one stream through a plan, its due time, a restart and a
// changed configuration.
func TestIntervalsThatWereLearned(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.learned(6 * time.Hour)
	learned := key("a", "learned")
	h.due(10)
	_, err := h.db.Pool().Exec(t.Context(), `UPDATE sluice.streams SET state = 'idle'`)
	h.must(err)
	h.ran(learned, pipeline.ClassIncremental, "7 minutes", "70 minutes", pipeline.OutcomeDone, 1, 1)
	in := func() string {
		t.Helper()
		return ask[string](h, `SELECT concat_ws('|', planned_every, planned->>'reason', date_trunc('minute', next_due_at - clock_timestamp() + interval '30 s'))
			FROM sluice.streams WHERE resource = 'learned'`)
	}
	keep := func(every time.Duration, perHour float64, because cadence.Reason) {
		t.Helper()
		h.must(h.db.StorePlans(t.Context(), []streams.Plan{
			{Key: learned, EverySeconds: every.Seconds(), Reason: string(because), ChangesPerHour: perHour},
			{Key: key("a", "fixed"), EverySeconds: 1}, {Key: key("a", "unknown"), EverySeconds: 1},
		}))
	}
	for _, step := range []struct {
		what string
		do   func()
		want string
	}{
		{"declared", func() {}, "01:00:00"},
		{"a shorter interval, counted from the last run", func() { keep(10*time.Minute, 6, cadence.Floor) }, "00:10:00|floor|00:03:00"},
		{"a longer one waits for the next run", func() { keep(3*time.Hour, 0, cadence.Quiet) }, "03:00:00|quiet|00:03:00"},
		{"a restart", func() { h.learned(6 * time.Hour) }, "03:00:00|quiet|00:03:00"},
		{"its turn", func() {
			_, err := h.db.Pool().Exec(t.Context(), `UPDATE sluice.streams SET next_due_at = clock_timestamp() WHERE resource = 'learned'`)
			h.must(err)
			if got := h.due(10); len(got) != 1 || got[0] != learned {
				t.Errorf("due: %v", got)
			}
		}, "03:00:00|quiet|03:00:00"},
		{"queued: a request waits for it", func() { keep(5*time.Minute, 6, cadence.Floor) }, "00:05:00|floor|03:00:00"},
		{"another ceiling", func() { h.learned(2 * time.Hour) }, "01:00:00"},
		{"fixed", func() { h.learned(0); keep(time.Minute, 1, cadence.Floor) }, "01:00:00"},
	} {
		step.do()
		if got := in(); got != step.want {
			t.Errorf("%s: %s, want %s", step.what, got, step.want)
		}
	}
	if got := ask[string](h, `SELECT coalesce(planned_every::text, 'none') FROM sluice.streams WHERE organization_id = 'a' AND resource = 'fixed'`); got != "none" {
		t.Errorf("a fixed interval was planned: %s", got)
	}
}

// TestComingBackToLife: a plan stays valid for a while, unless a quiet stream finds changes.
func TestComingBackToLife(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.learned(6 * time.Hour)
	learned := key("a", "learned")
	plan := func(perHour float64) {
		t.Helper()
		h.must(h.db.StorePlans(t.Context(), []streams.Plan{{Key: learned, EverySeconds: 60, ChangesPerHour: perHour}}))
	}
	// The run ends after the plan was made.
	after := func(changes int) {
		t.Helper()
		h.ran(learned, pipeline.ClassIncremental, "-1 second", "1 hour", pipeline.OutcomeDone, changes, 1)
	}
	plan(0)
	if got := h.unplanned(10); len(got) != 0 {
		t.Errorf("planned just now and planned again: %+v", got)
	}
	after(0)
	if got := h.unplanned(10); len(got) != 0 {
		t.Errorf("quiet still, and planned again: %+v", got)
	}
	after(3)
	if got := h.unplanned(10); len(got) != 1 {
		t.Error("a quiet stream found something, and its interval stays")
	}
	plan(3)
	after(3)
	if got := h.unplanned(10); len(got) != 0 {
		t.Errorf("a busy stream is planned after every run: %+v", got)
	}
	_, err := h.db.Pool().Exec(t.Context(), `UPDATE sluice.streams SET planned_at = planned_at - interval '11 minutes'`)
	h.must(err)
	if got := h.unplanned(10); len(got) != 1 {
		t.Error("an old plan is not made anew")
	}
}

// TestALearnedIntervalAfterARun: the end of a run makes the stream due after the learned interval.
func TestALearnedIntervalAfterARun(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.must(h.db.RegisterStreams(t.Context(), []warehouse.StreamSetting{{Key: h.stream.Key(), Every: time.Hour, Ceiling: 6 * time.Hour, Enabled: true}}))
	h.due(10)
	h.must(h.db.StorePlans(t.Context(), []streams.Plan{{Key: h.stream.Key(), EverySeconds: 4 * 3600}}))
	batch := h.unit(h.claim())
	batch.End = &pipeline.End{Outcome: pipeline.OutcomeDone}
	h.load(batch)
	if got := ask[float64](h, `SELECT extract(epoch FROM next_due_at - clock_timestamp())::float8 FROM sluice.streams`); got < 4*3600-60 || got > 4*3600 {
		t.Errorf("due in %.0f s, want four hours", got)
	}
}
