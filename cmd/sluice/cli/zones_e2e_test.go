//go:build e2e

package cli

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/sandbox"
)

// elsewhere is an upstream that says something else about its organizations than the sandbox does.
type elsewhere struct {
	next http.Handler

	mu       sync.Mutex
	old, now string
}

// writes replaces one text by another from now on; empty ones change nothing.
func (e *elsewhere) writes(old, now string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.old, e.now = old, now
}

func (e *elsewhere) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	old, now := e.old, e.now
	e.mu.Unlock()
	if old == "" || !strings.HasSuffix(r.URL.Path, "/organizations") {
		e.next.ServeHTTP(w, r)
		return
	}
	r.Header.Del("Accept-Encoding")
	recorded := httptest.NewRecorder()
	e.next.ServeHTTP(recorded, r)
	for name, values := range recorded.Header() {
		if name != "Content-Length" {
			w.Header()[name] = values
		}
	}
	w.WriteHeader(recorded.Code)
	_, _ = io.WriteString(w, strings.ReplaceAll(recorded.Body.String(), old, now)) // a failure means that the client has disconnected
}

// newZoneStage copies items whose modification times have no offset.
func newZoneStage(t *testing.T) (*faultFixture, *elsewhere) {
	t.Helper()
	f := newFaultFixtureOf(t, true, small)
	moved := &elsewhere{}
	f.arrivals.through(func(upstream http.Handler) http.Handler {
		moved.next = upstream
		return moved
	})
	f.fault("no_offset", 0, 0)
	return f, moved
}

// shifted counts the items whose modification time is not by so much earlier than upstream's.
func (f *faultFixture) shifted(by time.Duration) int {
	f.t.Helper()
	wrong := 0
	for text := range f.world.Truth("inventory", "items") {
		var record struct {
			ID       string `json:"item_id"`
			Modified string `json:"last_modified_time"`
		}
		must(f.t, json.Unmarshal(text, &record))
		at := sure(time.Parse("2006-01-02T15:04:05-0700", record.Modified))(f.t)
		if !one[time.Time](f.fixture, `SELECT last_modified_time FROM inventory.items WHERE item_id = $1`, record.ID).Equal(at.Add(by)) {
			wrong++
		}
	}
	return wrong
}

// TestZoneOfTheConfigurationChanges: what was read in the old zone is rebuilt from raw records,
// without a call, whether upstream shows the record again or not.
func TestZoneOfTheConfigurationChanges(t *testing.T) {
	t.Parallel()
	f, _ := newZoneStage(t)
	f.sync(codeFine, f.name)
	wrong := f.shifted(0)
	fatalIf(t, wrong != 0, "%d items are wrong from the start", wrong)
	f.clear() // from here on all times have an offset
	f.rewrite("Asia/Kolkata", "Asia/Dubai")
	calls := f.arrivals.total()
	f.sync(codeFine, f.name)
	read := f.arrivals.total() - calls
	errorIf(t, read > 3, "%d calls: the list was read again", read)
	const waiting = `SELECT count(*) FROM sluice.streams WHERE zone_gen <> rezoned_gen`
	for range 3 { // a list that is being written when its rows are due is rebuilt the next time
		if one[int](f.fixture, waiting) == 0 {
			break
		}
		f.sync(codeFine, f.name)
	}
	// Dubai is an hour and a half behind Kolkata all year, so its clock shows the same figures
	// later.
	same(t, "items are still what the old zone made of them", 0, f.shifted(90*time.Minute))
	f.counts(0, "lists wait to be written anew", waiting)
	rebuilds := one[int](f.fixture, `SELECT count(*) FROM sluice.rebuilds`)
	f.sync(codeFine, f.name)
	f.counts(rebuilds, "rows are written anew although the zone is the same", `SELECT count(*) FROM sluice.rebuilds`)
}

// TestZoneOfTheOrganizationChanges: rows stay, because upstream wrote them in its old zone. Whole
// lists are read again, which finds what upstream writes differently in the new zone. Every process
// reads in the new zone.
func TestZoneOfTheOrganizationChanges(t *testing.T) {
	t.Parallel()
	f, moved := newZoneStage(t)
	f.rewrite("    time_zone: Asia/Kolkata\n", "")
	f.sync(codeFine, f.name)
	f.clear()
	moved.writes("Asia/Kolkata", "Asia/Dubai")
	f.forget()
	f.sync(codeFine, f.name)
	same(t, "items moved, and upstream wrote them by its old zone", 0, f.shifted(0))
	due := one[bool](f.fixture, `SELECT next_due_at <= clock_timestamp() FROM sluice.streams WHERE resource = 'items.sweep'`)
	fatalIf(t, !due, "the list is not due to be read whole")
	f.fault("no_offset", 0, 0) // sluice now reads them by the clock of Dubai
	f.sync(codeFine, f.name)
	same(t, "items that the new zone does not explain", 0, f.shifted(90*time.Minute))
	due = one[bool](f.fixture, `SELECT next_due_at <= clock_timestamp() FROM sluice.streams WHERE resource = 'items.sweep'`)
	errorIf(t, due, "the sweep is still due")
}

// forget makes the last check of the organizations too old to count.
func (s *fixture) forget() {
	s.t.Helper()
	s.exec(`UPDATE sluice.organizations SET checked_at = checked_at - interval '7 hours'`)
}

// looks counts the calls that checked which business the organization is.
func (s *fixture) looks() int {
	s.t.Helper()
	return one[int](s, `SELECT count(*) FROM sluice.calls WHERE class = 'probe' AND resource = 'organizations'`)
}

// TestAnOrganizationIsDeactivated: its streams are denied, no row gets a tombstone, and no list is
// requested. When it is active again, they go on from their watermarks, and no record is missing.
func TestAnOrganizationIsDeactivated(t *testing.T) {
	t.Parallel()
	f, upstream := newZoneStage(t)
	f.clear()
	f.sync(codeFine, f.name, "items.sweep")
	watermark := one[time.Time](f.fixture, `SELECT watermark FROM sluice.streams WHERE resource = 'items'`)
	upstream.writes(`"is_org_active":true`, `"is_org_active":false`)
	f.change(1, all)
	f.forget()
	calls, looks := f.arrivals.total(), f.looks()
	for _, r := range f.sync(codeFailed, f.name, "items.sweep").Streams {
		errorIf(t, r.Kind != "denied" || r.Received != 0 || !strings.Contains(r.Reason, "no longer active"),
			"%+v, want denied because the organization is not active", r)
	}
	asked, looked := f.arrivals.total()-calls, f.looks()-looks
	errorIf(t, asked > looked || looked == 0, "%d calls, of which %d check the identity of the organization", asked, looked)
	gone := one[int](f.fixture, `SELECT (SELECT count(*) FROM sluice.tombstones) + (SELECT count(*) FROM inventory.items WHERE _deleted_at IS NOT NULL)`)
	errorIf(t, gone != 0, "%d tombstones", gone)
	got := one[time.Time](f.fixture, `SELECT watermark FROM sluice.streams WHERE resource = 'items'`)
	errorIf(t, !got.Equal(watermark), "the watermark moved from %s to %s", watermark, got)
	upstream.writes("", "")
	f.forget()
	f.sync(codeFine, f.name)
	f.equal(f.name)
}

// TestProbe measures the capabilities of the sandbox's lists. The expected verdicts follow the live
// services (docs/upstream.md U80 to U113), without faults and with faults that make them wrong.
func TestProbe(t *testing.T) {
	t.Parallel()
	const bills = "/inventory/v1/bills"
	live := sandbox.Fault{} // none: a service that counts
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
			"sort_descending": "no", "sort_ascending": "no", "total": "no",
		}, 6},
		"a list that sorts": {"inventory.bills", nil, codeFine, map[pipeline.Capability]string{
			"sort_descending": "yes", "sort_ascending": "yes", "page": "yes", "page_size": "yes 200", "detail": "yes /bills/{id}",
		}, 5},
		"a list that counts":  {"inventory.bills", &live, codeFine, map[pipeline.Capability]string{"total": "yes", "sums": "unknown"}, 6},
		"one that refuses to": {"inventory.bills", &sandbox.Fault{Path: bills, Kind: "count_refused"}, codeFine, map[pipeline.Capability]string{"total": "no"}, 5},
		"the filter gives the instant alone": {"accounting.vendor_payments", &sandbox.Fault{Path: "/books/v3/vendorpayments", Kind: "filter_exact"}, codeFailed,
			map[pipeline.Capability]string{"filter": "no", "filter_inclusive": "yes"}, 5},
		"the order is ignored": {"inventory.bills", &sandbox.Fault{Path: bills, Kind: "ignore_sort"}, codeFailed,
			map[pipeline.Capability]string{"sort_descending": "no", "sort_ascending": "no", "page": "yes"}, 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newFixture(t, sandbox.Options{Seed: 72, Records: 600, AsLive: test.fault == &live, Limits: sandbox.Limits{Off: true}})
			if test.fault != nil && test.fault != &live {
				must(t, s.world.SetFaults([]sandbox.Fault{*test.fault}))
			}
			before := one[int](s, "SELECT count(*) FROM sluice.calls WHERE class = 'probe'")
			list := s.probed(test.code, test.resource)
			got := make(map[pipeline.Capability]string)
			for _, v := range list.Verdicts {
				got[v.Capability] = strings.TrimSpace(string(v.Verdict) + " " + v.Value)
			}
			for c, want := range test.want {
				errorIf(t, got[c] != want, "%s: %q, want %q\n%+v", c, got[c], want, list.Verdicts)
				if want == "unknown" { // nothing is stored
					continue
				}
				stored := one[string](s, `SELECT trim(verdict || ' ' || value) || ' ' || source FROM sluice.capabilities
					WHERE service || '.' || resource = $1 AND capability = $2`, test.resource, c)
				errorIf(t, stored != want+" probed", "%s: stored as %q", c, stored)
			}
			errorIf(t, list.Calls != test.calls, "%d calls, want %d", list.Calls, test.calls)
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
	fatalIf(s.t, len(view.Lists) != 1 || view.Lists[0].Resource != resource, "lists probed: %+v", view.Lists)
	return view.Lists[0]
}
