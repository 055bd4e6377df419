package warehouse_test

import (
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/capabilities"
	"sluice/schema"
)

// TestDeclaredCapabilities compares declarations with verdicts written down from the documents:
// chart of accounts shows the filter, bills are assumed to sort, taxes do neither.
func TestDeclaredCapabilities(t *testing.T) {
	t.Parallel()
	modified := []schema.Column{schema.ID("id", "Key."), schema.Time("changed", "Modification.")}
	for name, test := range map[string]struct {
		resource schema.Resource
		want     map[pipeline.Capability]string
	}{
		"a documented filter": {
			schema.Resource{Cursor: schema.Since{Column: "changed", Param: "changed"}, Columns: modified},
			map[pipeline.Capability]string{
				"filter": "yes documented", "filter_inclusive": "yes documented", "sort_descending": "unknown assumed",
				"sort_ascending": "unknown assumed", "page": "yes assumed", "page_size": "yes assumed",
			},
		},
		"an assumed order, and an assumed path": {
			schema.Resource{
				Cursor: schema.NewestFirst{Column: "changed", Sort: "changed", Assumed: true}, Columns: modified,
				Single: &schema.Single{Path: "/things/{id}", Assumed: true},
			},
			map[pipeline.Capability]string{
				"filter": "unknown assumed", "filter_inclusive": "unknown assumed", "sort_descending": "yes assumed",
				"sort_ascending": "unknown assumed", "page": "yes assumed", "page_size": "yes assumed", "detail": "yes assumed",
			},
		},
		"no time, and several records at once": {
			schema.Resource{
				Cursor: schema.FullScan{}, Single: &schema.Single{Path: "/things/{id}"}, Details: &schema.Details{Batch: &schema.Batch{Path: "/many"}},
			},
			map[pipeline.Capability]string{"page": "yes assumed", "page_size": "yes assumed", "detail": "yes documented", "batch_detail": "yes documented"},
		},
		"no pages":   {schema.Resource{Cursor: schema.FullScan{}, Paging: schema.PagingWhole}, nil},
		"one body":   {schema.Resource{Cursor: schema.Export{Modified: "changed"}}, nil},
		"one object": {schema.Resource{Cursor: schema.Snapshot{}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := make(map[pipeline.Capability]string)
			for _, v := range capabilities.Declared(&test.resource) {
				got[v.Capability] = string(v.Answer) + " " + string(v.Source)
				check.ErrorIf(t, v.Evidence == "", "%s rests on nothing", v.Capability)
			}
			check.ErrorIf(t, len(got) != len(test.want), "%v, want %v", got, test.want)
			for c, want := range test.want {
				check.ErrorIf(t, got[c] != want, "%s is %q, want %q", c, got[c], want)
			}
		})
	}
}

// TestVerdictsAreKept: a declaration never replaces a measured or observed verdict, and a verdict
// of unknown replaces nothing. The verdicts of an answer commit with its batch, and a claim carries
// all of them.
func TestVerdictsAreKept(t *testing.T) {
	h := open(t)
	declare := func() {
		t.Helper()
		check.Must(h, h.db.Declare(t.Context(), []pipeline.Stream{h.stream}))
	}
	verdict := func(c pipeline.Capability) string {
		v := h.claim().Capabilities[c]
		return string(v.Answer) + " " + string(v.Source) + " " + v.Value
	}
	keep := func(v pipeline.Verdict) {
		t.Helper()
		check.Must(h, h.db.StoreVerdicts(t.Context(), h.stream, []pipeline.Verdict{v}))
	}
	declare()
	check.Same(t, "declared", "yes documented ", verdict(pipeline.CapabilityFilter))
	h.stream.Resource.Cursor = schema.Since{Column: "modified", Param: "last_modified_time", Assumed: true}
	declare()
	check.Same(t, "declared otherwise", "yes assumed ", verdict(pipeline.CapabilityFilter))
	keep(pipeline.Verdict{Capability: pipeline.CapabilityPageSize, Answer: pipeline.AnswerNo, Value: "100", Source: pipeline.SourceProbed})
	declare()
	keep(pipeline.Verdict{Capability: pipeline.CapabilityPageSize, Answer: pipeline.AnswerUnknown, Source: pipeline.SourceProbed})
	check.Same(t, "probed", "no probed 100", verdict(pipeline.CapabilityPageSize))

	batch := h.unit(h.claim(), h.record(1, "one"))
	batch.Observed = []pipeline.Verdict{{
		Capability: pipeline.CapabilityFilter, Answer: pipeline.AnswerNo, Source: pipeline.SourceObserved, Evidence: "a NUL \x00 from upstream",
	}}
	stale := batch
	stale.Claim.Fence--
	check.FatalIf(t, check.Failure(h.db.Load(t.Context(), stale)) == nil, "a lost claim was loaded")
	check.Same(t, "after a unit that was refused", "yes assumed ", verdict(pipeline.CapabilityFilter))
	batch.Claim = h.claim()
	h.load(batch)
	known := h.claim().Capabilities
	if v := known[pipeline.CapabilityFilter]; v.Answer != pipeline.AnswerNo || v.Evidence != "a NUL ␀ from upstream" || !known.Lacks(pipeline.CapabilityFilter) {
		t.Errorf("observed: %+v", v)
	}
	ask[string](h, "UPDATE sluice.capabilities SET seen_at = seen_at - interval '25 hours' WHERE capability = 'filter' RETURNING verdict")
	if known := h.claim().Capabilities; known.Lacks(pipeline.CapabilityFilter) || !known.Lacks(pipeline.CapabilityPageSize) {
		t.Errorf("a day later: %+v", known)
	}
}

// TestLatenessIsMeasured has records that were modified at 15:27:23 (+0530), and runs of the list
// that began at different times.
func TestLatenessIsMeasured(t *testing.T) {
	t.Parallel()
	modified := time.Date(2026, 1, 17, 9, 57, 23, 0, time.UTC)
	for name, test := range map[string]struct {
		read   time.Time
		change func(*pipeline.Batch)
		// records, beyond and late are what is stored; "" is no row.
		want string
		late time.Duration
	}{
		"never read":                      {time.Time{}, nil, "", 0},
		"modified when the run began":     {modified, nil, "", 0},
		"ten minutes before":              {modified.Add(10 * time.Minute), nil, "2 0", 10 * time.Minute},
		"an hour before":                  {modified.Add(time.Hour), nil, "2 0", time.Hour},
		"longer before than the bound":    {modified.Add(time.Hour + time.Second), nil, "0 2", 0},
		"not out of the answer of a list": {modified.Add(time.Minute), func(u *pipeline.Batch) { u.Listed = false }, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t)
			claim := h.claim()
			first := h.unit(claim)
			first.Position = pipeline.Position{ScannedUntil: test.read}
			h.load(first)
			batch := h.unit(claim, h.record(1, "one"), h.record(2, "two"))
			batch.Listed = true
			if test.change != nil {
				test.change(&batch)
			}
			h.load(batch)
			again := h.unit(claim, h.record(1, "one"), h.record(2, "changed, with the time that it had"))
			again.Listed = true
			h.load(again) // neither equal records nor silent edits are late
			got := ask[string](h, "SELECT coalesce((SELECT records || ' ' || beyond FROM sluice.lateness), '')")
			check.Same(t, "kept", test.want, got)
			// The duration of the test itself changes the peak by next to nothing.
			late := h.claim().Late
			check.ErrorIf(t, late > test.late || late < test.late*999/1000, "the claim says %s, want %s", late, test.late)
		})
	}
}

// TestLatenessFades: half of a peak is left after a week. A lateness that is smaller than the rest
// changes nothing; a larger one replaces it.
func TestLatenessFades(t *testing.T) {
	h := open(t)
	for _, test := range []struct {
		peak, age string
		want      float64
	}{
		{"20 minutes", "0", 1200},
		{"20 minutes", "7 days", 600},
		{"20 minutes", "21 days", 150},
		{"20 minutes", "77 days", 0},    // less than a second
		{"20 minutes", "-1 hour", 1200}, // a clock that was set back
		{"0", "0", 0},
	} {
		got := ask[float64](h, "SELECT extract(epoch FROM sluice.faded($1::interval, clock_timestamp() - $2::interval))::float8", test.peak, test.age)
		check.ErrorIf(t, got > test.want || got < test.want-0.1, "%s after %s: %g s, want %g", test.peak, test.age, got, test.want)
	}
}
