//go:build e2e

package cli

import (
	"strings"
	"testing"

	"sluice/pipeline"
	"sluice/sandbox"
)

// TestProbe measures the capabilities of the sandbox's lists. The expected verdicts follow the live
// services (docs/upstream.md U80 to U113), without faults and with faults that make them wrong.
func TestProbe(t *testing.T) {
	t.Parallel()
	const bills = "/inventory/v1/bills"
	for name, test := range map[string]struct {
		resource string
		fault    *sandbox.Fault
		code     int
		// want are verdicts with their values; calls is how many calls they took.
		want  map[pipeline.Capability]string
		calls int
	}{
		"a list that filters": {"inventory.items", nil, codeFine, map[pipeline.Capability]string{
			"filter": "yes", "page": "yes", "page_size": "yes 200", "detail": "yes /items/{id}", "batch_detail": "yes /itemdetails",
			"sort_descending": "no", "sort_ascending": "no",
		}, 5},
		"a list that sorts": {"inventory.bills", nil, codeFine, map[pipeline.Capability]string{
			"sort_descending": "yes", "sort_ascending": "yes", "page": "yes", "page_size": "yes 200", "detail": "yes /bills/{id}",
		}, 4},
		"the filter gives the instant alone": {"accounting.vendor_payments", &sandbox.Fault{Path: "/books/v3/vendorpayments", Kind: "filter_exact"}, codeFailed,
			map[pipeline.Capability]string{"filter": "no", "filter_inclusive": "yes"}, 4},
		"the order is ignored": {"inventory.bills", &sandbox.Fault{Path: bills, Kind: "ignore_sort"}, codeFailed,
			map[pipeline.Capability]string{"sort_descending": "no", "sort_ascending": "no", "page": "yes"}, 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newFixture(t, sandbox.Options{Seed: 72, Records: 600, Limits: sandbox.Limits{Off: true}})
			if test.fault != nil {
				must(t, s.world.SetFaults([]sandbox.Fault{*test.fault}))
			}
			before := one[int](s, "SELECT count(*) FROM sluice.calls WHERE class = 'probe'")
			list := s.probed(test.code, test.resource)
			got := make(map[pipeline.Capability]string)
			for _, v := range list.Verdicts {
				got[v.Capability] = strings.TrimSpace(string(v.Verdict) + " " + v.Value)
			}
			for c, want := range test.want {
				if got[c] != want {
					t.Errorf("%s: %q, want %q\n%+v", c, got[c], want, list.Verdicts)
				}
				stored := one[string](s, `SELECT trim(verdict || ' ' || value) || ' ' || source FROM sluice.capabilities
					WHERE service || '.' || resource = $1 AND capability = $2`, test.resource, c)
				if !strings.HasPrefix(want, "unknown") && stored != want+" probed" {
					t.Errorf("%s: stored as %q", c, stored)
				}
			}
			if list.Calls != test.calls {
				t.Errorf("%d calls, want %d", list.Calls, test.calls)
			}
			// Every call is in the call log, as class probe: those to the list, one that checks
			// which business the organization is, and one for each service.
			logged := one[int](s, "SELECT count(*) FROM sluice.calls WHERE class = 'probe' AND service || '.' || resource = $1", test.resource)
			if total := one[int](s, "SELECT count(*) FROM sluice.calls WHERE class = 'probe'"); logged < test.calls || total-before < test.calls {
				t.Errorf("%d calls of the list are in the call log (%d in all), %d were made", logged, total-before, test.calls)
			}
		})
	}
}

// TestProbeIsRefusedLikeOthers shows that a probe is subject to the budget, and what else makes it
// fail.
func TestProbeIsRefusedLikeOthers(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 73, Records: 100, Limits: sandbox.Limits{Off: true}}).narrow()
	must(t, s.world.SetFaults([]sandbox.Fault{{Path: "/inventory/v1/bills", Kind: "exhausted"}}))
	s.prints(codeBudget, "exhausted", "check", "--probe", "inventory.bills")
	must(t, s.world.SetFaults(nil))
	for _, args := range [][]string{{"check", "inventory.bills"}, {"check", "--probe", "inventory.nothing"}} {
		s.prints(codeUsage, "", args...)
	}
}

// probed runs check --probe and gives the measurement of one list.
func (s *fixture) probed(code int, resource string) listView {
	s.t.Helper()
	view := decoded[probeView](s, code, "check", "--probe", resource)
	if len(view.Lists) != 1 || view.Lists[0].Resource != resource {
		s.t.Fatalf("lists probed: %+v", view.Lists)
	}
	return view.Lists[0]
}
