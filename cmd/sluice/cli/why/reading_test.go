package why_test

import (
	"slices"
	"testing"
	"time"

	"sluice/cmd/sluice/cli/why"
	"sluice/pipeline"
	"sluice/pipeline/warehouse/capabilities"
	"sluice/schema"
)

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
