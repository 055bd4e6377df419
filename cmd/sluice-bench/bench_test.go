package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/pipeline/warehouse/report"
	"sluice/schema"
)

func TestMedianIsTheMiddleAndTheLowerOfTwo(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		of   []time.Duration
		want time.Duration
	}{
		{[]time.Duration{7}, 7},
		{[]time.Duration{9, 4}, 4},
		{[]time.Duration{30, 10, 20}, 20},
	} {
		rounds := make([]round, len(test.of))
		for i, d := range test.of {
			rounds[i].alone = d
		}
		if got := median(rounds, func(r *round) time.Duration { return r.alone }); got != test.want {
			t.Errorf("median of %v is %d, want %d", test.of, got, test.want)
		}
	}
}

func TestTablesAreThoseOfTheStreamParentsFirst(t *testing.T) {
	t.Parallel()
	got, err := tables("inventory.credit_notes")
	if err != nil {
		t.Fatal(err)
	}
	if len(got) < 2 || got[0] != "inventory.credit_notes" {
		t.Errorf("the first table is not the stream's own, or the only one: %q", got)
	}
	// COPY of a nested array finds its parents only if theirs came before.
	parent := slices.Index(got, "inventory.credit_notes_line_items")
	nested := slices.IndexFunc(got, func(name string) bool {
		return strings.HasPrefix(name, "inventory.credit_notes_line_items_")
	})
	if parent < 0 || nested < parent {
		t.Errorf("line items are at %d, what hangs on them at %d of %q", parent, nested, got)
	}
	if _, err := tables("inventory.unicorns"); err == nil {
		t.Error("a stream that nobody declared has tables")
	}
}

func TestSumAddsTheRunsAndCountsWhatWasWritten(t *testing.T) {
	t.Parallel()
	s := synced{runs: []report.Run{
		{Received: 400, Inserted: 190, Updated: 10, Unchanged: 200, Calls: 4, Seconds: 1.5},
		{Received: 7, Inserted: 7, Calls: 1, Seconds: 0.25},
	}}
	read, written, calls := s.sum()
	if read != 407 || written != 207 || calls != 5 {
		t.Errorf("sum is %d read, %d written, %d calls", read, written, calls)
	}
	if got := s.running(); got != 1750*time.Millisecond {
		t.Errorf("the runs took %s", got)
	}
}

func TestUnlimitedLeavesNoLimit(t *testing.T) {
	t.Parallel()
	service := schema.Service{Limits: schema.Limits{
		Shared: "suite", PerMinute: 100, Plans: map[string]schema.Plan{"free": {Daily: 1500, Concurrent: 5}, "standard": {Daily: 2500, Concurrent: 10}},
	}}
	unlimited(&service)
	if service.Limits.PerMinute != 0 {
		t.Errorf("%d a minute are left", service.Limits.PerMinute)
	}
	for name, plan := range service.Limits.Plans {
		if plan != (schema.Plan{}) {
			t.Errorf("plan %s still has %+v", name, plan)
		}
	}
	if len(service.Limits.Plans) != 2 {
		t.Errorf("plans are gone, and the configuration names them: %v", service.Limits.Plans)
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	full, err := parse(nil)
	if err != nil {
		t.Fatal(err)
	}
	if full.Sizes != [2]int{20_000, 200_000} || full.Repetitions != 3 || len(full.Streams) != 2 || full.Ratios.Lines != 1_000_000 {
		t.Errorf("without flags %+v is measured", full)
	}
	quick, err := parse([]string{"-quick"})
	if err != nil {
		t.Fatal(err)
	}
	if quick.Sizes != [2]int{2_000, 4_000} || quick.Repetitions != 1 || quick.Ratios.Repetitions != 1 {
		t.Errorf("with -quick %+v is measured", quick)
	}
	table, err := parse([]string{"-part", "ratios"})
	if err != nil {
		t.Fatal(err)
	}
	if len(table.Streams) > 0 || table.Sizes[0] > 0 || table.Ratios.Repetitions != 3 {
		t.Errorf("with -part ratios %+v is measured", table)
	}
	run, err := parse([]string{"-part", "run"})
	if err != nil {
		t.Fatal(err)
	}
	if len(run.Streams) != 2 || run.Ratios.Repetitions != 0 {
		t.Errorf("with -part run %+v is measured", run)
	}
	for _, args := range [][]string{{"-part", "half"}, {"-percent", "0"}, {"-records", "0"}, {"-repetitions", "-1"}, {"surprise"}} {
		if p, err := parse(args); err == nil {
			t.Errorf("%q gives %+v and no error", args, p)
		}
	}
}
