package why_test

import (
	"slices"
	"testing"
	"time"

	"sluice/cmd/sluice/cli/why"
	"sluice/pipeline"
	"sluice/pipeline/warehouse/calls"
	"sluice/pipeline/warehouse/capabilities"
	"sluice/pipeline/warehouse/streams"
	"sluice/schema"
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

func TestHowFarNotificationsAreTrusted(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	told := func(change func(*streams.Notified)) *streams.Notified {
		n := &streams.Notified{
			EverySeconds: 21_600, NeededRuns: 3, ProvenUntil: new(now.Add(time.Minute)), LastAt: new(now.Add(-2 * time.Minute)),
		}
		change(n)
		return n
	}
	for want, n := range map[string]*streams.Notified{
		"last told of 2 min ago; not trusted yet, so the usual interval applies: 2 of 3 runs in a row found nothing untold": told(
			func(n *streams.Notified) { n.AnnouncedRuns = 2 }),
		"last told of 2 min ago, 2 hints to be read; trusted, so scheduled runs come every 6 h: the last 4 runs found nothing untold, and test callbacks arrive": told(
			func(n *streams.Notified) { n.AnnouncedRuns, n.Trusted, n.Waiting = 4, true, 2 }),
		"last told of 2 min ago; not trusted, so the usual interval applies: the last run found 1 change that nothing had told of": told(
			func(n *streams.Notified) { n.Unannounced = 1 }),
		"last told of 2 min ago; not trusted, so the usual interval applies: no test callback arrived lately (sluice notifications check)": told(
			func(n *streams.Notified) { n.ProvenUntil = new(now) }),
		"last told of 2 min ago; not trusted, so the usual interval applies: a test callback did not arrive: tls": told(
			func(n *streams.Notified) { n.Gap = "a test callback did not arrive: tls" }),
		"no notification has told of it yet; scheduled runs go on as usual (resources: notified: {every: …} makes them rarer)": told(
			func(n *streams.Notified) { n.EverySeconds, n.LastAt = 0, nil }),
	} {
		if got := why.Explain(why.Facts{Stream: streams.Status{Notified: n}, Now: now}).Told; got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

func TestHowAListIsRead(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	since := schema.Since{Column: "changed", Param: "changed", Assumed: true}
	newest := schema.NewestFirst{Column: "changed", Sort: "changed", Assumed: true}
	known := func(verdicts ...pipeline.Verdict) pipeline.Capabilities {
		all := make(pipeline.Capabilities)
		for _, v := range verdicts {
			v.SeenAt = day
			all[v.Capability] = v
		}
		return all
	}
	probed := pipeline.Verdict{Capability: "filter", Answer: "yes", Source: "probed", Evidence: "it left out 28"}
	inclusive := pipeline.Verdict{Capability: "filter_inclusive", Answer: "yes", Source: "probed", Evidence: "1 came"}
	ascending := pipeline.Verdict{Capability: "sort_ascending", Answer: "yes", Source: "probed", Evidence: "40 in order"}
	ignored := pipeline.Verdict{Capability: "filter", Answer: "no", Source: "observed", Evidence: "it was ignored"}
	for name, test := range map[string]struct {
		cursor schema.Cursor
		work   pipeline.Work
		known  pipeline.Capabilities
		late   *capabilities.Lateness
		want   []string
	}{
		"assumed": {since, "", known(pipeline.Verdict{Capability: "filter", Answer: "yes", Source: "assumed", Evidence: "x"}), nil,
			[]string{"reads: what was modified since the watermark; filter yes (assumed)"}},
		"probed": {since, "", known(probed), nil,
			[]string{"reads: what was modified since the watermark; filter yes (probed 2026-03-01: it left out 28)"}},
		"demoted": {since, "", known(ignored), nil,
			[]string{"reads: the whole list, out of the calls of full scans, for filter no (observed 2026-03-01: it was ignored)"}},
		"newest first, of smaller pages": {newest, "", known(
			pipeline.Verdict{Capability: "sort_descending", Answer: "yes", Source: "documented"},
			pipeline.Verdict{Capability: "sort_ascending", Answer: "no", Source: "probed"}, // nothing relies on it
			pipeline.Verdict{Capability: "page_size", Answer: "no", Value: "100", Source: "observed", Evidence: "100 came"}), nil,
			[]string{"reads: newest first, down to the watermark; sort_descending yes (documented)", "lacks: page_size no 100 (observed 2026-03-01: 100 came)"}},
		"whole":  {schema.FullScan{}, "", nil, nil, []string{"reads: the whole list"}},
		"export": {schema.Export{}, "", nil, nil, []string{"reads: one CSV body"}},
		"object": {schema.Snapshot{}, "", nil, nil, []string{"reads: one object"}},
		"nothing known": {since, "", nil, nil,
			[]string{"reads: what was modified since the watermark; nothing is known of it yet"}},
		"late": {since, "", known(probed), &capabilities.Lateness{Records: 3, Beyond: 2, PeakSeconds: 1200, LeftSeconds: 600},
			[]string{
				"reads: what was modified since the watermark; filter yes (probed 2026-03-01: it left out 28)",
				"late: 3 records seen up to 20 m after the time they carry; the watermark lags 20 m behind",
				"late: 2 records seen more than 1 h after the time they carry, which no lag waits for: scans of the whole list find such",
			}},
		"keyset": {since, "", known(probed, inclusive, ascending), nil,
			[]string{"reads: what was modified since the watermark, keyset paging: one pass; sort_ascending yes (probed 2026-03-01: 40 in order)"}},
		"a sweep, read by keyset": {since, pipeline.WorkSweep, known(probed, inclusive, ascending), nil,
			[]string{"reads: the whole list, keyset paging: one pass; one sweep in four, and any that decides about rows that were missed, " +
				"without the filter; sort_ascending yes (probed 2026-03-01: 40 in order)"}},
		"a look": {since, pipeline.WorkLook, known(ignored), nil,
			[]string{"reads: in the order of creation, the pages that show whether rows are missing, and where"}},
		"a sweep": {since, pipeline.WorkSweep, known(ignored), nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stream := pipeline.Stream{Service: &schema.Service{Name: "shop"}, Work: test.work, Resource: &schema.Resource{
				Name: "things", Cursor: test.cursor, Columns: []schema.Column{schema.ID("id", "Key."), schema.Time("changed", "When.")},
			}}
			if got := why.Read(stream, test.known, test.late, pipeline.DefaultRules()).Lines(); !slices.Equal(got, test.want) {
				t.Errorf("%q\nwant %q", got, test.want)
			}
		})
	}
}
