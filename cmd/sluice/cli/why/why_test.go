package why_test

import (
	"slices"
	"testing"
	"time"

	"sluice/cmd/sluice/cli/why"
	"sluice/pipeline"
	"sluice/pipeline/planning/cadence"
	"sluice/pipeline/warehouse/calls"
	"sluice/pipeline/warehouse/streams"
)

// plan is twelve changes an hour, seen over 31 hours, under a target of an hour.
func plan(because cadence.Reason) *streams.Plan {
	return &streams.Plan{
		EverySeconds: 300, Reason: string(because), ChangesPerHour: 12, SeenHours: 31, CallsPerRun: 1, FloorSeconds: 300, CeilingSeconds: 3583,
		Class: pipeline.ClassIncremental, CallsPerDay: new(400.0), NeededPerDay: 799.6,
	}
}

func TestWhereAnIntervalComesFrom(t *testing.T) {
	t.Parallel()
	learned := func(p *streams.Plan, change func(*streams.Plan)) why.Facts {
		change(p)
		return why.Facts{Ceiling: time.Hour, Freshness: time.Hour, Stream: streams.Status{Enabled: true, State: "idle", Plan: p}}
	}
	as := func(*streams.Plan) {}
	const seen, bounds = "learned: 12 changes an hour seen over 1 d 7 h, 1 call a run, target 1 h, floor 5 m",
		", 400 calls a day for the learned incremental streams of this service; "
	for name, test := range map[string]struct {
		facts  why.Facts
		source why.Source
		want   string
	}{
		"stated":   {why.Facts{Stated: true}, why.SourceConfigured, "stated in the configuration"},
		"declared": {why.Facts{}, why.SourceDeclared, "the declared interval: neither every nor freshness is stated, and schedule.adaptive is off or has no meaning here"},
		"details": {
			why.Facts{Follows: true, Ceiling: time.Hour, Stream: streams.Status{EverySeconds: 3600}}, why.SourceDeclared,
			"follows its list, which makes it due at once; looked for by itself every 1 h",
		},
		"no plan yet": {why.Facts{Ceiling: time.Hour}, why.SourceLearned, "nothing was learned yet: sluice serve works intervals out once a minute"},
		"floor":       {learned(plan(cadence.Floor), as), why.SourceLearned, seen + bounds + "as often as the floor allows"},
		"no limit": {learned(plan(cadence.Floor), func(p *streams.Plan) { p.CallsPerDay = nil }), why.SourceLearned,
			seen + "; as often as the floor allows"},
		"shared": {learned(plan(cadence.Shared), func(p *streams.Plan) { p.CallsPerRun = 2.5 }), why.SourceLearned,
			"learned: 12 changes an hour seen over 1 d 7 h, 2.5 calls a run, target 1 h, floor 5 m" + bounds + "its part of these calls, by changes and calls a run"},
		"little": {learned(plan(cadence.Worth), func(p *streams.Plan) { p.ChangesPerHour = 0.1 }), why.SourceLearned,
			"learned: 2.4 changes a day seen over 1 d 7 h, 1 call a run, target 1 h, floor 5 m" + bounds + "more often, a call would find a change less than once in 33 times"},
		"quiet": {learned(plan(cadence.Quiet), func(p *streams.Plan) { p.ChangesPerHour = 0 }), why.SourceLearned,
			"learned: no change seen over 1 d 7 h, 1 call a run, target 1 h, floor 5 m" + bounds + "nothing changed, so it backs off until something does"},
		"loaded just now": {learned(plan(cadence.Unseen), as), why.SourceLearned,
			"learned: no run went on from a watermark yet, target 1 h, floor 5 m" + bounds + "once after the floor, to see what changes"},
		"unseen": {learned(plan(cadence.Unseen), func(p *streams.Plan) { p.EverySeconds = 900 }), why.SourceLearned,
			"learned: no run went on from a watermark yet, target 1 h, floor 5 m" + bounds + "as declared, until something is seen"},
		"no target": {why.Facts{Ceiling: time.Hour, Stream: streams.Status{Plan: plan(cadence.Ceiling)}}, why.SourceLearned,
			"learned: 12 changes an hour seen over 1 d 7 h, 1 call a run, at most every 1 h, floor 5 m" + bounds + "as rarely as is allowed"},
		"missed": {learned(plan(cadence.Extended), as), why.SourceLearned,
			seen + bounds + "the target cannot be met: the targets of the incremental streams of this service take 800 calls a day, and there are 400"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := why.Explain(test.facts); got.Source != test.source || got.Why != test.want {
				t.Errorf("%s\n%s\nwant %s\n%s", got.Source, got.Why, test.source, test.want)
			}
		})
	}
}

func TestDelays(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 3, 20, 0, 0, 0, time.UTC)
	kolkata := time.FixedZone("IST", 5*3600+1800) // 01:30 of the fourth there
	soon, late := now.Add(time.Minute), now.Add(23*time.Hour)
	for name, test := range map[string]struct {
		stream streams.Status
		budget why.Budget
		want   []string
	}{
		"nothing":  {streams.Status{State: "idle"}, why.Budget{Limited: true, Left: 1, Ceiling: 9}, nil},
		"no limit": {streams.Status{State: "idle"}, why.Budget{}, nil},
		"denied": {streams.Status{State: "denied", Reason: "denied: no right", Service: "inventory", Resource: "bills"}, why.Budget{},
			[]string{"denied: no right; it is tried again within a day, and at once on request: sluice sync inventory.bills"}},
		"waiting": {streams.Status{State: "waiting", Reason: "the day is spent", Until: &late}, why.Budget{},
			[]string{"waiting until 2026-03-05 00:30 IST: the day is spent"}},
		"retrying":    {streams.Status{State: "retrying", Until: &soon}, why.Budget{}, []string{"retrying until 01:31:00 IST"}},
		"failed":      {streams.Status{State: "failed", Reason: "cut"}, why.Budget{}, []string{"the last run failed, and the next one tries again: cut"}},
		"under way":   {streams.Status{State: "running"}, why.Budget{}, []string{"a run is under way"}},
		"queued":      {streams.Status{State: "queued"}, why.Budget{}, []string{"queued: it begins when a worker is free"}},
		"spent":       {streams.Status{State: "idle"}, why.Budget{Limited: true, Ceiling: 9}, []string{"the calls of the day are spent"}},
		"the class":   {streams.Status{State: "idle"}, why.Budget{Limited: true, Left: 900, Spent: 1000, Ceiling: 1000}, []string{"details runs have spent their 1,000 calls of the day"}},
		"for others":  {streams.Status{State: "idle"}, why.Budget{Limited: true, Left: 30, Kept: 30, Ceiling: 9}, []string{"the 30 calls that are left are kept for other classes of work"}},
		"closed":      {streams.Status{State: "idle"}, why.Budget{Gate: calls.Gate{ClosedUntil: &soon}}, []string{"the gate is closed, as upstream refused calls: none leaves until 01:31:00 IST"}},
		"capped":      {streams.Status{State: "idle"}, why.Budget{Gate: calls.Gate{CappedUntil: &soon}}, []string{"fewer calls at once, as upstream refused some: until 01:31:00 IST"}},
		"code 45":     {streams.Status{State: "idle"}, why.Budget{ExhaustedUntil: &late}, []string{"upstream says that the day is spent: no call until 2026-03-05 00:30 IST"}},
		"45, over":    {streams.Status{State: "idle"}, why.Budget{ExhaustedUntil: &now}, nil},
		"the backlog": {streams.Status{State: "idle", Details: &streams.DetailBacklog{Pending: 1200, Stale: 3}}, why.Budget{}, []string{"a backlog: 1,203 rows wait for their single record"}},
		"no backlog":  {streams.Status{State: "idle", Details: &streams.DetailBacklog{}, Parents: &streams.ParentRound{Parents: 2, Read: 2}}, why.Budget{}, nil},
		"parents": {streams.Status{State: "idle", Parents: &streams.ParentRound{Parents: 64, Read: 20}}, why.Budget{},
			[]string{"20 of 64 parents were read: so many a run as calls_per_run allows"}},
		"several": {streams.Status{State: "queued"}, why.Budget{Limited: true, Gate: calls.Gate{ClosedUntil: &soon}},
			[]string{"queued: it begins when a worker is free", "the gate is closed, as upstream refused calls: none leaves until 01:31:00 IST", "the calls of the day are spent"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.stream.Enabled = true
			got := why.Explain(why.Facts{Stream: test.stream, Class: pipeline.ClassDetails, Budget: test.budget, Now: now, Zone: kolkata}).Delays
			if !slices.Equal(got, test.want) || got == nil {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
	if got := why.Explain(why.Facts{Stream: streams.Status{State: "denied"}}).Delays; !slices.Equal(got, []string{"the configuration has it disabled: it is not read at all"}) {
		t.Errorf("disabled: %q", got)
	}
}

func TestSpan(t *testing.T) {
	t.Parallel()
	for seconds, want := range map[float64]string{
		0: "0 s", 0.4: "0 s", 59: "59 s", 300: "5 m", 301: "5 m 1 s", 3583: "59 m 43 s", 3600: "1 h", 5400: "1 h 30 m", 3629: "1 h", 86400: "1 d",
		111600: "1 d 7 h", 90061: "1 d 1 h",
	} {
		if got := why.Span(seconds); got != want {
			t.Errorf("%g: %q, want %q", seconds, got, want)
		}
	}
}
