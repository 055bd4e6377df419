package metrics_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/pipeline/engine/metrics"
	"sluice/pipeline/notifications"
	"sluice/pipeline/planning"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/calls"
	"sluice/pipeline/warehouse/channels"
	"sluice/pipeline/warehouse/closings"
	"sluice/pipeline/warehouse/hints"
	"sluice/pipeline/warehouse/streams"
	"sluice/pipeline/warehouse/streams/backfills"
	"sluice/pipeline/warehouse/tombstones"
	"sluice/pipeline/warehouse/verifications"
)

// exported gives each sample of a process with these figures to a function, those of Go among them.
func exported(t *testing.T, read func(context.Context) (*metrics.Figures, error), each func(name string, labels map[string]string, value float64)) {
	t.Helper()
	hints, counted := metrics.NewHints(), metrics.NewCalls()
	hints.Unannounced(pipeline.Key{Organization: "organization", Service: "service", Resource: "resource"}, 1)
	families := check.Sure(metrics.Registry(metrics.Options{Read: read, Hints: hints, Calls: counted}).Gather())(t)
	for _, family := range families {
		for _, sample := range family.GetMetric() {
			labels := map[string]string{}
			for _, label := range sample.GetLabel() {
				labels[label.GetName()] = label.GetValue()
			}
			each(family.GetName(), labels, sample.GetGauge().GetValue()+sample.GetCounter().GetValue())
		}
	}
}

// TestLabelsHaveTheirValues: where the organization is called "organization", and so on, each
// metric of the database has every label with the value that is called like it.
func TestLabelsHaveTheirValues(t *testing.T) {
	t.Parallel()
	const o, s, r = "organization", "service", "resource"
	at, some := time.Unix(100, 0), int64(3)
	figures := &metrics.Figures{
		Streams: []metrics.Stream{{
			Figures: streams.Figures{Organization: o, Service: s, Resource: r, State: "state", LastDoneAt: &at, Watermark: &at, Waiting: &some, Upstream: &some, Missing: &some, AgreedAt: &at},
			Late:    time.Hour, Holds: true, Alarm: true,
		}},
		Days: []metrics.Day{{
			Organization: o, Service: s, Day: calls.Day{External: &some},
			DayLeft: planning.DayLeft{Limit: 5, Classes: []planning.ClassDay{{Class: "class"}}, RunsOutAt: &at},
		}},
		Calls: calls.Counts{
			Used:    map[calls.Use]int64{{Service: s, Resource: r, Class: "class"}: 1},
			Refused: map[calls.Refusal]int64{{Organization: o, Service: s, Kind: "kind"}: 1},
		},
		Backfills: []backfills.Progress{{Organization: o, Service: s, Resource: r}},
		Held:      []tombstones.Held{{Organization: o, Service: s, Resource: r, Records: 1, Since: at}},
		Found:     []verifications.Found{{Organization: o, Service: s, Resource: r}},
		Closings:  []closings.Count{{Organization: o, Period: "period", Records: 1}},
		Telling: warehouse.Telling{
			Channels:  []channels.Channel{{Organization: o, Module: "module", ExpiresAt: &at}},
			Gaps:      []channels.GapSum{{Organization: o, Channel: "module"}},
			Callbacks: []hints.Told{{Organization: o, Module: "module", Dialect: notifications.Watch}, {Organization: o, Dialect: notifications.Test}},
			Shares:    []streams.Announced{{Organization: o, Service: s, Resource: r, Changes: 2}},
		},
		Receivers: []metrics.Receiver{{Name: "receiver"}},
		LastTick:  &at, OldestJob: &at, LakeLag: new(time.Minute),
	}
	seen := map[string]bool{}
	exported(t, func(context.Context) (*metrics.Figures, error) { return figures, nil }, func(name string, labels map[string]string, _ float64) {
		if seen[name] = true; !strings.HasPrefix(name, "sluice_") || name == "sluice_build_info" {
			return
		}
		for label, value := range labels {
			check.ErrorIf(t, value != label, "%s has %s=%q", name, label, value)
		}
	})
	for _, m := range metrics.Declared() {
		check.ErrorIf(t, m.Where == metrics.Database && !seen[m.Name], "%s is not exported, so its labels are not looked at", m.Name)
	}
}

// TestWithoutFigures: where the tables cannot be read, the database is said to be down, and none of
// their metrics is shown.
func TestWithoutFigures(t *testing.T) {
	t.Parallel()
	of := map[string]metrics.Where{}
	for _, m := range metrics.Declared() {
		of[m.Name] = m.Where
	}
	up := -1.0
	read := func(context.Context) (*metrics.Figures, error) { return nil, errors.New("no database") }
	exported(t, read, func(name string, _ map[string]string, value float64) {
		switch {
		case name == "sluice_database_up":
			up = value
		case of[name] == metrics.Database:
			t.Errorf("%s is shown", name)
		}
	})
	check.ErrorIf(t, up != 0, "sluice_database_up is %v, want 0", up)
}
