//go:build e2e

package scale

import (
	"testing"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/calls"
)

// TestASmallFleetKeepsItsPromises: all that make scale asserts for a thousand organizations holds
// for a few.
func TestASmallFleetKeepsItsPromises(t *testing.T) {
	t.Parallel()
	first, verdictOfFirst := try(t, small(), calls.DefaultRules(), nil, nil)
	for _, broken := range verdictOfFirst.Broken {
		t.Error(broken)
	}
	if first.counts.granted < 1000 || first.counts.refused[pipeline.RefusedMinute] == 0 ||
		first.counts.refused[pipeline.RefusedClass] == 0 {
		t.Errorf("counts %+v: not everything was tried", first.counts)
	}
	kinds := map[others]int{}
	for _, o := range first.organizations {
		kinds[o.others]++
		if o.server.tally.Calls == 0 {
			t.Errorf("%s was never called", o.name)
		}
	}
	same(t, len(kinds), 3, kinds)
}
