package why_test

import (
	"slices"
	"testing"
	"time"

	"sluice/cmd/sluice/cli/why"
	"sluice/pipeline"
	"sluice/pipeline/warehouse/calls"
	"sluice/pipeline/warehouse/streams"
)

func TestWhereAnIntervalComesFrom(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		facts  why.Facts
		source why.Source
		want   string
	}{
		"stated":   {why.Facts{Stated: true}, why.SourceConfigured, "stated in the configuration"},
		"declared": {why.Facts{}, why.SourceDeclared, "the declared interval: the configuration states no every"},
		"details": {
			why.Facts{Follows: true, Stream: streams.Status{EverySeconds: 3600}}, why.SourceDeclared,
			"follows its list, which makes it due at once; looked for by itself every 1 h",
		},
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
