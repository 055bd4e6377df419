//go:build e2e

package cli

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/cmd/sluice/cli/why"
	"sluice/pipeline"
	"sluice/sandbox"
)

// reading gives what status --why says about how a list is read.
func (s *fixture) reading(resource string) why.Reading {
	s.t.Helper()
	o := s.run("status", "--why", "--json", resource)
	var all []why.Explanation
	if err := json.Unmarshal([]byte(o.stdout), &all); err != nil || o.code != codeFine {
		s.t.Fatalf("status --why %s: %d %v\n%s\n%s", resource, o.code, err, o.stdout, o.stderr)
	}
	for i := range all {
		if all[i].Service+"."+all[i].Resource == resource {
			return all[i].Reading
		}
	}
	s.t.Fatalf("status --why %s does not name it:\n%s", resource, o.stdout)
	return why.Reading{}
}

// TestProbe measures the capabilities of the sandbox's lists. The expected verdicts follow the live
// services (docs/upstream.md U80 to U113), without faults and with the fault that makes each of
// them wrong.
func TestProbe(t *testing.T) {
	t.Parallel()
	const items, bills = "/inventory/v1/items", "/inventory/v1/bills"
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
		"inclusive": {"accounting.vendor_payments", nil, codeFine, map[pipeline.Capability]string{
			"filter": "yes", "filter_inclusive": "yes", "page": "yes", "page_size": "yes 200",
		}, 4},
		"one page, and no time of modification": {"inventory.taxes", nil, codeFine, map[pipeline.Capability]string{
			"page": "unknown", "page_size": "yes 200", "detail": "yes /settings/taxes/{id}",
		}, 3},
		"the filter is ignored": {"accounting.vendor_payments", &sandbox.Fault{Path: "/books/v3/vendorpayments", Kind: "ignore_filter"}, codeFailed,
			map[pipeline.Capability]string{"filter": "no", "page": "yes"}, 4},
		"the filter gives the instant alone": {"accounting.vendor_payments", &sandbox.Fault{Path: "/books/v3/vendorpayments", Kind: "filter_exact"}, codeFailed,
			map[pipeline.Capability]string{"filter": "no", "filter_inclusive": "yes"}, 4},
		"the order is ignored": {"inventory.bills", &sandbox.Fault{Path: bills, Kind: "ignore_sort"}, codeFailed,
			map[pipeline.Capability]string{"sort_descending": "no", "sort_ascending": "no", "page": "yes"}, 4},
		"records are out of order": {"inventory.bills", &sandbox.Fault{Path: bills, Kind: "unsorted"}, codeFailed,
			map[pipeline.Capability]string{"sort_descending": "no"}, 4},
		"the page is ignored": {"inventory.items", &sandbox.Fault{Path: items, Kind: "repeat_page"}, codeFailed,
			map[pipeline.Capability]string{"page": "no"}, 5},
		"pages are smaller": {"inventory.items", &sandbox.Fault{Path: items, Kind: "capped_page"}, codeFailed,
			map[pipeline.Capability]string{"page_size": "no 100", "page": "yes"}, 5},
		"single records are not there": {"inventory.items", &sandbox.Fault{Path: items + "/", Kind: "not_found"}, codeFailed,
			map[pipeline.Capability]string{"detail": "no /items/{id}", "batch_detail": "yes /itemdetails"}, 5},
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
	if o := s.run("check", "--probe", "inventory.bills"); o.code != codeBudget || !strings.Contains(o.stdout, "exhausted") {
		t.Errorf("a spent day: %d\n%s\n%s", o.code, o.stdout, o.stderr)
	}
	must(t, s.world.SetFaults(nil))
	for _, args := range [][]string{{"check", "inventory.bills"}, {"check", "--probe", "inventory.nothing"}} {
		if o := s.run(args...); o.code != codeUsage {
			t.Errorf("%v: %d, want %d\n%s\n%s", args, o.code, codeUsage, o.stdout, o.stderr)
		}
	}
}

// TestDemotion has lists that stop doing what they are asked for. The verdict changes at once, also
// in the log, and the next run reads the whole list with the class of full scans. When the list
// does it again, that is noticed, too.
func TestDemotion(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		resource, path, fault, capability string
	}{
		"filter": {"inventory.items", "/inventory/v1/items", "ignore_filter", "filter"},
		"order":  {"inventory.bills", "/inventory/v1/bills", "ignore_sort", "sort_descending"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newFixture(t, sandbox.Options{Seed: 74, Records: 1600, Limits: sandbox.Limits{Off: true},
				Now: func() time.Time { return time.Now().Add(-time.Minute) }}).narrow()
			verdict := func() string {
				return one[string](s, `SELECT verdict || ' ' || source FROM sluice.capabilities WHERE service || '.' || resource = $1 AND capability = $2`,
					test.resource, test.capability)
			}
			// run gives the received records and the classes of the calls of a sync's run.
			run := func() (int64, []string, outcome) {
				t.Helper()
				_, name, _ := strings.Cut(test.resource, ".")
				_, err := s.world.Change(sandbox.Change{Seed: 5, Edits: 3, Resources: []string{name}})
				must(t, err)
				o := s.run("sync", "--json", test.resource)
				s.synced(codeFine, o)
				s.equal(test.resource)
				id := one[int64](s, "SELECT max(id) FROM sluice.runs WHERE service || '.' || resource = $1", test.resource)
				classes := one[[]string](s, "SELECT array_agg(DISTINCT class::text) FROM sluice.calls WHERE run_id = $1", id)
				return one[int64](s, "SELECT received FROM sluice.runs WHERE id = $1", id), classes, o
			}
			s.sync(codeFine)
			if got := verdict(); got != "yes assumed" {
				t.Fatalf("declared: %s", got)
			}
			all := one[int64](s, "SELECT count(*) FROM "+test.resource)
			if n, classes, o := run(); n >= all || !slices.Equal(classes, []string{"incremental"}) || strings.Contains(o.stderr, "a run changed a verdict") {
				t.Errorf("as declared: %d of %d records, calls of %v\n%s", n, all, classes, o.stderr)
			}

			must(t, s.world.SetFaults([]sandbox.Fault{{Path: test.path, Kind: test.fault}}))
			n, _, o := run()
			if got := verdict(); n < all || got != "no observed" || !strings.Contains(o.stderr, "a run changed a verdict") {
				t.Errorf("contradicted: %d of %d records, %s\n%s", n, all, got, o.stderr)
			}
			why := s.reading(test.resource)
			if !why.FallsBack || !strings.HasPrefix(why.Mode, "the whole list") || len(why.Lacks) != 1 {
				t.Errorf("status --why: %+v", why)
			}
			narrowed := s.run("backfill", test.resource, "--from", "2026-01-01", "--dry-run")
			if narrowed.code != codeUsage || !strings.Contains(narrowed.stderr, "sluice check --probe "+test.resource) {
				t.Errorf("a backfill that is narrowed: %d\n%s%s", narrowed.code, narrowed.stdout, narrowed.stderr)
			}

			must(t, s.world.SetFaults(nil))
			n, classes, o := run()
			if n < all || !slices.Equal(classes, []string{"sweep"}) || strings.Contains(o.stderr, "a run changed a verdict") {
				t.Errorf("demoted: %d of %d records, calls of %v\n%s", n, all, classes, o.stderr)
			}
			if o := s.run("status"); !strings.Contains(o.stdout, "by modification time (observed ") {
				t.Errorf("status does not say it:\n%s", o.stdout)
			}

			// A day later the run tries it again, and takes the verdict back.
			s.exec("UPDATE sluice.capabilities SET seen_at = seen_at - interval '25 hours' WHERE verdict = 'no'")
			if n, classes, _ := run(); n >= all || verdict() != "yes observed" || !slices.Equal(classes, []string{"incremental"}) {
				t.Errorf("tried again: %d of %d records, %s, calls of %v", n, all, verdict(), classes)
			}
			if why := s.reading(test.resource); why.FallsBack || len(why.Lacks) != 0 {
				t.Errorf("status --why after it was taken back: %+v", why)
			}
		})
	}
}

// TestProbedFilter has a filter that leaves out too much. No answer to a run shows that, so changes
// are missing until the list is probed. From then on it is read whole.
func TestProbedFilter(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 75, Records: 600, Limits: sandbox.Limits{Off: true},
		Now: func() time.Time { return time.Now().Add(-time.Minute) }}).narrow()
	const payments = "accounting.vendor_payments"
	s.sync(codeFine)
	must(t, s.world.SetFaults([]sandbox.Fault{{Path: "/books/v3/vendorpayments", Kind: "filter_exact"}}))
	_, err := s.world.Change(sandbox.Change{Seed: 6, Edits: 4, Resources: []string{"vendor_payments"}})
	must(t, err)
	s.sync(codeFine, payments)
	if n := one[int](s, "SELECT received FROM sluice.runs WHERE resource = 'vendor_payments' ORDER BY id DESC LIMIT 1"); n != 0 {
		t.Fatalf("%d records came through the filter", n)
	}
	s.probed(codeFailed, payments)
	s.sync(codeFine, payments)
	s.equal(payments)
	// A probed verdict lasts longer than a day: only another probe takes it back.
	s.exec("UPDATE sluice.capabilities SET seen_at = seen_at - interval '30 days' WHERE verdict = 'no'")
	if why := s.reading(payments); !why.FallsBack {
		t.Errorf("after 30 days: %+v", why)
	}
	must(t, s.world.SetFaults(nil))
	s.probed(codeFine, payments)
	if why := s.reading(payments); why.FallsBack {
		t.Errorf("after another probe: %+v", why)
	}
}

// TestLateness has an upstream whose writes carry a time that is twenty minutes old when they
// become visible. Runs from a watermark that lags five minutes miss them. The sweep that finds them
// measures the delay, and from then on runs see such writes. The lag fades when there are none any
// more.
func TestLateness(t *testing.T) {
	t.Parallel()
	const (
		items = "inventory.items"
		late  = 20 * time.Minute
	)
	s := newFixture(t, sandbox.Options{Seed: 76, Records: 600, Limits: sandbox.Limits{Off: true},
		Now: func() time.Time { return time.Now().Add(-late) }}).narrow()
	edit := func(seed int64) {
		t.Helper()
		_, err := s.world.Change(sandbox.Change{Seed: seed, Edits: 3, Resources: []string{"items"}})
		must(t, err)
	}
	updated := func(resource string) int {
		return one[int](s, "SELECT updated FROM sluice.runs WHERE resource = $1 ORDER BY id DESC LIMIT 1", resource)
	}
	began := time.Now()
	s.sync(codeFine)
	edit(1)
	s.sync(codeFine, items)
	if n := updated("items"); n != 0 {
		t.Fatalf("a run from the watermark saw %d of the late records", n)
	}
	watermark := one[time.Time](s, "SELECT watermark FROM sluice.streams WHERE service || '.' || resource = $1", items)

	s.sync(codeFine, items+".sweep")
	s.equal(items)
	if n := updated("items.sweep"); n != 3 {
		t.Fatalf("the sweep found %d of 3", n)
	}
	// A second less for the watermark's resolution; the time of the test itself is added.
	peak := time.Duration(one[float64](s, "SELECT extract(epoch FROM peak)::float8 FROM sluice.lateness WHERE service || '.' || resource = $1 AND records = 3 AND beyond = 0",
		items) * float64(time.Second))
	if peak < late-2*time.Second || peak > late+time.Since(began) {
		t.Errorf("late by %s, was %s", peak, late)
	}

	edit(2)
	s.sync(codeFine, items)
	s.equal(items)
	if n := updated("items"); n != 3 {
		t.Errorf("with a longer lag, a run saw %d of 3", n)
	}
	if now := one[time.Time](s, "SELECT watermark FROM sluice.streams WHERE service || '.' || resource = $1", items); now.Before(watermark) {
		t.Errorf("the watermark moved back from %s to %s", watermark, now)
	}
	reading := s.reading(items)
	if reading.LagSeconds < 2*(late-2*time.Second).Seconds() || reading.Late == nil || reading.Late.Records != 6 {
		t.Errorf("status --why: %+v", reading)
	}
	if o := s.run("status", "--why", items); !strings.Contains(o.stdout, "late: 6 records seen up to 2") {
		t.Errorf("status --why:\n%s", o.stdout)
	}

	s.exec("UPDATE sluice.lateness SET peak_at = peak_at - interval '7 days'")
	if lag := s.reading(items).LagSeconds; lag < (late-2*time.Second).Seconds() || lag > (late+time.Minute).Seconds() {
		t.Errorf("a week later the watermark lags %g s behind, want half of twice %s", lag, late)
	}
	s.exec("UPDATE sluice.lateness SET peak_at = peak_at - interval '70 days'")
	if lag := s.reading(items).LagSeconds; lag != 300 {
		t.Errorf("ten weeks later the watermark lags %g s behind, want 300", lag)
	}
}

// probed runs check --probe and gives the measurement of one list.
func (s *fixture) probed(code int, resource string) listView {
	s.t.Helper()
	o := s.run("check", "--probe", "--json", resource)
	var view probeView
	if err := json.Unmarshal([]byte(o.stdout), &view); err != nil || o.code != code {
		s.t.Fatalf("check --probe %s ended with %d, want %d (%v)\n%s\n%s", resource, o.code, code, err, o.stdout, o.stderr)
	}
	if len(view.Lists) != 1 || view.Lists[0].Resource != resource {
		s.t.Fatalf("lists probed: %+v", view.Lists)
	}
	return view.Lists[0]
}
