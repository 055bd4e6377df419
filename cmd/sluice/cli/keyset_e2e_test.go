//go:build e2e

package cli

import (
	"strings"
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/sandbox"
)

const (
	anchoredList = "accounting.vendor_payments"
	anchoredPath = "/books/v3/vendorpayments"
	perPage      = 200
	onePass      = "keyset paging: one pass"
)

// sorting is a fixture with a long list of payments that sorts by modification time, or does not.
func sorting(t *testing.T, sorts bool) *fixture {
	t.Helper()
	return newFixture(t, sandbox.Options{Seed: 79, Records: 14_000, SortsModified: sorts, Limits: sandbox.Limits{Off: true},
		Now: func() time.Time { return time.Now().Add(-time.Minute) }, PageLatency: 10 * time.Millisecond}).narrow()
}

// listed gives the notes of all runs of a sync of a stream, and its calls by upstream's count.
func (s *fixture) listed(stream string) (string, int) {
	s.t.Helper()
	_, name, _ := strings.Cut(stream, ".")
	run, before := one[int64](s, "SELECT coalesce(max(id) FILTER (WHERE ended_at IS NOT NULL), 0) FROM sluice.runs"), s.world.Stats().ByPath[anchoredPath]
	s.sync(codeFine, stream)
	note := one[string](s, "SELECT string_agg(note, '; ' ORDER BY id) FROM sluice.runs WHERE resource = $1 AND id > $2", name, run)
	return note, s.world.Stats().ByPath[anchoredPath] - before
}

// TestReanchored copies a list of which a probe showed that it filters and sorts. The first sync
// takes one pass, also while the list changes and after a kill in the middle. So do sweeps, except
// those that decide about deletions.
func TestReanchored(t *testing.T) {
	t.Parallel()
	s := sorting(t, true)
	for _, v := range s.probed(codeFine, anchoredList).Verdicts {
		switch v.Capability {
		case pipeline.CapabilityFilter, pipeline.CapabilityInclusive, pipeline.CapabilityAscending:
			if v.Verdict != pipeline.AnswerYes {
				t.Fatalf("probed: %+v", v)
			}
		default:
		}
	}
	if why := s.reading(anchoredList); !strings.Contains(why.Mode, onePass) {
		t.Errorf("status --why: %+v", why)
	}
	records := s.upstreamHas("accounting", "vendor_payments")
	pages := (records + perPage - 1) / perPage
	before := s.world.Stats().ByPath[anchoredPath]

	p := s.start("sync", anchoredList)
	<-s.arrivals.after(pages / 3) // answers are slow: the list changes between two of them
	_, err := s.world.Change(sandbox.Change{Seed: 7, Edits: 40, Inserts: 20, Deletes: 10, Resources: []string{"vendor_payments"}})
	must(t, err)
	<-s.arrivals.after(pages / 4)
	p.kill()
	s.quiet()
	s.pass(4 * time.Minute)
	from := one[time.Time](s, "SELECT (scan->'keyset'->>'from')::timestamptz FROM sluice.streams WHERE resource = 'vendor_payments'")
	if read := one[int](s, "SELECT count(*) FROM "+anchoredList); from.IsZero() || read == 0 || read >= records {
		t.Errorf("killed with %d of %d records, and the anchor at %s", read, records, from)
	}
	killed := s.world.Stats().ByPath[anchoredPath] - before
	note, calls := s.listed(anchoredList)
	calls += killed
	t.Logf("%d records, %d pages, %d calls", records, pages, calls)
	if !strings.Contains(note, onePass) || calls < pages || calls > pages+pages/10+4 {
		t.Errorf("the first sync of %d pages took %d calls: %q", pages, calls, note)
	}
	s.equal(anchoredList)
	// Behind the lag, so that the next run reads from the watermark.
	s.exec("UPDATE sluice.streams SET watermark = watermark - interval '10 minutes', scanned_until = scanned_until - interval '10 minutes'")
	s.edit(8, anchoredList, 2*perPage/5) // with those above more than a page, but not in one second
	s.edit(9, anchoredList, 2*perPage/5)
	if note, calls := s.listed(anchoredList); !strings.Contains(note, onePass) || calls > 3 {
		t.Errorf("edits of more than a page took %d calls: %q", calls, note)
	}
	if o := s.run("status"); !strings.Contains(o.stdout, onePass) {
		t.Errorf("status does not say it:\n%s", o.stdout)
	}
	s.equal(anchoredList)
	s.sweepsDecide(pages)
}

// sweepsDecide deletes records: the sweep that misses them may be read by keyset, the sweep that
// decides is not.
func (s *fixture) sweepsDecide(pages int) {
	s.t.Helper()
	const sweep = anchoredList + ".sweep"
	s.configured(believing)
	s.pass(4 * time.Minute)
	s.age()
	anchored := 0
	for n := 0; n < 9 && anchored == 0; n++ { // one sweep in four is read without the filter in any case, and each one after a sweep that missed rows
		note, calls := s.listed(sweep)
		if strings.Contains(note, onePass) {
			anchored++
		}
		if calls < pages || calls > pages+pages/10+3 {
			s.t.Errorf("a sweep of %d pages took %d calls: %q", pages, calls, note)
		}
		s.pass(4 * time.Minute)
	}
	if anchored == 0 {
		s.t.Error("no sweep of nine was read by keyset")
	}
	deleted := s.truth(anchoredList)[40:43]
	s.delete(anchoredList, deleted...)
	s.age()
	s.listed(sweep)
	s.pass(4 * time.Minute)
	if note, calls := s.listed(sweep); strings.Contains(note, onePass) || calls < pages {
		s.t.Errorf("the sweep that decided relied on the filter: %d calls, %q", calls, note)
	}
	s.truthful(anchoredList)
}

// TestAFirstSyncFindsOut: the same list without a probe. Its first sync finds out by reading
// whether keyset paging works. If not, or if a probe showed no order, pages overlap, for as many
// calls.
func TestAFirstSyncFindsOut(t *testing.T) {
	t.Parallel()
	const known = `SELECT count(*) FROM sluice.capabilities WHERE resource = 'vendor_payments' AND verdict = 'yes' AND source = 'observed'
		AND capability IN ('filter', 'filter_inclusive', 'sort_ascending')`
	byNumber := map[bool]int{}
	for _, test := range []struct{ sorts, probed bool }{{true, false}, {false, true}, {false, false}} {
		s := sorting(t, test.sorts)
		if test.probed {
			s.probed(codeFine, anchoredList)
		}
		pages := (s.upstreamHas("accounting", "vendor_payments") + perPage - 1) / perPage
		note, calls := s.listed(anchoredList)
		if (note == onePass) != test.sorts || calls < pages || calls > pages+pages/5+1 {
			t.Errorf("%+v: %d pages took %d calls: %q", test, pages, calls, note)
		}
		if verdicts := one[int](s, known); (verdicts == 3) != test.sorts {
			t.Errorf("%+v: %d verdicts were observed", test, verdicts)
		}
		if !test.sorts {
			byNumber[test.probed] = calls
		}
	}
	if byNumber[true] != byNumber[false] {
		t.Errorf("by number %v calls: finding out is not for nothing", byNumber)
	}
}

// upstreamHas counts the records of a list; where lists show lines, there are no single records to
// read.
func (s *fixture) upstreamHas(service, resource string) int {
	n := 0
	if !strings.HasSuffix(resource, ".details") {
		for range s.world.Truth(service, resource) {
			n++
		}
	}
	return n
}
