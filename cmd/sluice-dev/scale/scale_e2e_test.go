//go:build e2e

package scale

import (
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/calls"
)

// TestASmallFleetKeepsItsPromises: all that make scale asserts for a thousand organizations holds
// for a few, and two simulations are equal.
func TestASmallFleetKeepsItsPromises(t *testing.T) {
	t.Parallel()
	first, verdictOfFirst := try(t, small(), calls.DefaultRules(), nil, nil)
	for _, broken := range verdictOfFirst.Broken {
		t.Error(broken)
	}
	if first.counts.granted < 1000 || first.counts.kills < 20 || first.counts.refused[pipeline.RefusedMinute] == 0 ||
		first.counts.refused[pipeline.RefusedClass] == 0 {
		t.Errorf("counts %+v: not everything was tried", first.counts)
	}
	kinds := map[others]int{}
	for _, o := range first.organizations {
		kinds[o.others]++
		// The simulation did work: upstream saw every reserved call, less those that a kill stopped
		// before sending.
		if o.server.tally.Calls == 0 {
			t.Errorf("%s was never called", o.name)
		}
	}
	if len(kinds) != 3 {
		t.Errorf("others %v: not all kinds were tried", kinds)
	}
}

func TestTheSameSeedGivesTheSameSimulation(t *testing.T) {
	t.Parallel()
	s := scenario{Organizations: 3, Days: 1, Processes: 8, Workers: 8, Tick: time.Minute, Backfill: 40, LongEvery: 3, Seed: 1}
	var traces []uint64
	for _, seed := range []uint64{1, 1, 2} {
		s.Seed = seed
		_, v := try(t, s, calls.DefaultRules(), nil, nil)
		traces = append(traces, v.Hash)
	}
	if traces[0] != traces[1] || traces[0] == traces[2] {
		t.Errorf("the seeds 1, 1 and 2 gave the traces %x", traces)
	}
}
