package simulation_test

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"sluice/pipeline"
)

// fault is a way in which an answer can be wrong.
type fault int

// The faults of a list; each of them was seen at services of this kind (docs/faults.md). Only an
// answer with the whole list comes from a cache. Pages of one list from different times can hide a
// record from any number of passes, and only a later sweep finds it.
const (
	faultNone fault = iota
	faultRefused
	faultUnreadable
	faultStale
	faultRepeated
	faultMoreEarly
	faultMoreForever
	faultEmptyPage
	faultFilterIgnored
	faultSortIgnored
	faultSmallerPages
	faultNoDate
	faultClockBehind
	faultClockAhead
	faultDoubled
	faultSpent
	faultDenied
	faultGarbage
	faultOneID
	faultCount
)

var errRefused = &pipeline.Error{Kind: pipeline.Unavailable, Op: "GET /things", Status: http.StatusServiceUnavailable}

var (
	errSpent  = &pipeline.Error{Kind: pipeline.Exhausted, Op: "GET /things", Status: http.StatusTooManyRequests}
	errDenied = &pipeline.Error{Kind: pipeline.Denied, Op: "GET /things", Status: http.StatusForbidden}
)

// failure returns the error of a call without an answer; nil for all other faults.
func failure(f fault) error {
	switch f {
	case faultRefused:
		return errRefused
	case faultUnreadable:
		return errUnreadable
	case faultSpent:
		return errSpent
	case faultDenied:
		return errDenied
	default:
		return nil
	}
}

var errUnreadable = &pipeline.Error{Kind: pipeline.Unexpected, Op: "GET /things", Status: http.StatusOK, Detail: "not JSON"}

// page answers a call for a page of the list, with a fault or without.
func (u *upstream) page(request pipeline.Request, call int64, f fault) (pipeline.Page, error) {
	if err := failure(f); err != nil {
		return pipeline.Page{}, err
	}
	at, size, number := u.now, u.pageSize(request), max(request.Page, 1)
	if old := u.now.Add(-lag / 2); f == faultStale && number == 1 && len(u.shows(request, old, true, true, call)) < size {
		at = old
	}
	if f == faultSmallerPages {
		size = max(1, size-1)
	}
	if f == faultRepeated && number > 1 {
		number--
	}
	sorts := f != faultSortIgnored
	list := u.shows(request, at, true, sorts, call)
	if all := u.shows(request, at, false, sorts, call); f == faultFilterIgnored && strays(all, list, number, size) {
		list = all
	}
	from, to := bounds(list, number, size)
	page := pipeline.Page{Call: call, Date: u.now, More: to < len(list), PerPage: size, Sort: "created_time", Order: "D"}
	if u.named {
		page.Sort, page.Order = "name", "A"
	}
	if request.Sort != "" && sorts {
		page.Sort, page.Order = request.Sort, request.Order
	}
	named := 0
	for _, t := range list[from:to] {
		if !t.at(at).nameless {
			named++
		}
	}
	for _, t := range list[from:to] {
		// A wrong identifier shows only if a second record of the answer has it, too.
		if f != faultGarbage && (f != faultOneID || named < 2) {
			page.Records = append(page.Records, t.wire(t.at(at), !u.headers))
			continue
		}
		page.Records = append(page.Records, t.spoilt(f, t.at(at), !u.headers))
	}
	return distort(page, f), nil
}

// strays reports whether the page of an unfiltered list shows a record that the filter leaves out.
// If it shows none, the run cannot detect that upstream ignored the filter on that page only, and
// the next pass with the same pages is equal. Reading does not promise to be complete if upstream
// does so twice (docs/decisions/0021-tests).
func strays(all, filtered []*thing, number, size int) bool {
	from, to := bounds(all, number, size)
	return slices.ContainsFunc(all[from:to], func(t *thing) bool { return !slices.Contains(filtered, t) })
}

// bounds returns where a page of a list begins and ends.
func bounds(list []*thing, number, size int) (int, int) {
	from := min((number-1)*size, len(list))
	return from, min(from+size, len(list))
}

// distort changes an answer by a fault: what it says about itself, or its records.
func distort(page pipeline.Page, f fault) pipeline.Page {
	switch f {
	case faultMoreEarly:
		page.More = false
	case faultMoreForever:
		page.More = true
	case faultEmptyPage:
		page.Records, page.More = nil, true
	case faultNoDate:
		page.Date = time.Time{}
	case faultClockBehind:
		page.Date = page.Date.Add(-2 * time.Hour)
	case faultClockAhead:
		page.Date = page.Date.Add(2 * time.Hour)
	case faultDoubled:
		if len(page.Records) > 0 {
			page.Records = append(page.Records, page.Records[0])
		}
	default:
	}
	return page
}

// single answers a call for single records; it leaves out those that upstream does not show.
func (u *upstream) single(ids []string, call int64, f fault) (pipeline.Page, error) {
	if err := failure(f); err != nil {
		return pipeline.Page{}, err
	}
	page := pipeline.Page{Call: call, Date: u.now}
	for _, id := range ids {
		for _, t := range u.things {
			if v := t.at(u.now); t.id == id && v != nil {
				if f == faultGarbage {
					page.Records = append(page.Records, t.spoilt(f, v, true))
					continue
				}
				page.Records = append(page.Records, t.wire(v, true))
			}
		}
	}
	switch {
	case !u.batched:
		page.Unknown = len(page.Records) == 0
	case f == faultEmptyPage: // a path that answers emptily
		page.Records = nil
	case f == faultSmallerPages && len(page.Records) > 0: // an answer that is cut short
		page.Records = page.Records[:len(page.Records)-1]
	}
	return page, nil
}

func (f fault) String() string {
	names := [...]string{
		"none", "refused", "unreadable", "stale", "repeated", "more early", "more for ever", "empty page", "filter ignored",
		"sort ignored", "smaller pages", "no date", "clock behind", "clock ahead", "doubled", "day spent", "denied",
		"garbage", "one identifier",
	}
	if int(f) < len(names) {
		return names[f]
	}
	return fmt.Sprintf("fault %d", int(f))
}

// entry is a record in quarantine: one row of sluice.quarantine. The rules are those of the
// warehouse, which are SQL and are tested on a database. The simulation tests them together with
// everything else.
type entry struct {
	id, code string
	call     int64
	details  bool
	open     bool
	// opened, asked and seen are when the entry was opened, when its record was last read again,
	// and when it last arrived.
	opened, asked, seen time.Time
	// weighed says that a run counted the entry, and byList that one of the list itself did; by is that
	// one. run is the last run that received its record.
	weighed, byList bool
	by, run         int64
}

// counted reports whether the entry no longer counts in a run of the stream.
func (e *entry) counted(of *stream) bool {
	if of.Work == pipeline.WorkList {
		return e.byList
	}
	return e.weighed
}

// spoilt returns a record on the wire during a lasting fault: with a value that does not fit, or
// with the same identifier as all others.
func (t *thing) spoilt(f fault, v *edition, whole bool) []byte {
	bad, of := *v, *t
	if f == faultGarbage {
		bad.poison = true
	} else {
		of.id = "000"
	}
	return of.encode(&bad, whole)
}

// asks reports whether it is time to read records in quarantine again.
func (t *table) asks(now time.Time) bool {
	for _, e := range t.entries {
		if e.open && !e.details && (e.asked.IsZero() || !now.Before(e.asked.Add(max(time.Hour, e.asked.Sub(e.opened))))) {
			return true
		}
	}
	return false
}

// release closes the entries of records that the batch brings. A list record without lines closes
// no entry of a single record.
func (s *store) release(of *stream, batch pipeline.Batch) {
	if len(of.table.entries) == 0 {
		return
	}
	for i := range batch.Records {
		record := &batch.Records[i]
		for _, e := range of.table.entries {
			if e.open && e.id == record.ID && e.call <= batch.Call && (record.Carries[1] || !e.details) {
				e.open = false
				s.seen["released"]++
			}
		}
	}
}

// refuse stores the rejected records, and counts those that no run has counted before.
func (s *store) refuse(of *stream, batch pipeline.Batch) {
	of.met.Received += int64(batch.Received)
	now := s.clock(of)
	for _, reject := range batch.Rejected {
		e := of.table.entries[string(reject.Raw)]
		if e == nil || !e.open {
			like := of.table.like(reject)
			e = &entry{id: reject.ID, code: reject.Code, opened: now, open: true}
			if like != nil {
				e.opened, e.asked, e.weighed, e.byList = like.opened, like.asked, like.weighed, like.byList
			}
			of.table.entries[string(reject.Raw)] = e
		}
		e.call, e.run, e.seen, e.details, e.code = batch.Call, of.run, now, batch.Details, reject.Code
		if e.counted(of) {
			s.seen["refused, and known"]++
			continue
		}
		of.met.Refused++
		if reject.Code == pipeline.CodeClash {
			of.met.Clashed++
		}
	}
}

// like returns the oldest open entry of the same record for the same reason; nil if there is none.
func (t *table) like(reject pipeline.RejectedRecord) *entry {
	var oldest *entry
	for _, e := range t.entries {
		if e.open && e.id != "" && e.id == reject.ID && e.code == reject.Code && (oldest == nil || e.opened.Before(oldest.opened) ||
			e.opened.Equal(oldest.opened) && e.weighed && !oldest.weighed) {
			oldest = e
		}
	}
	return oldest
}

// judge makes the end of a run provisional if too many of its records were rejected, and updates
// the entries.
func (s *store) judge(of *stream, batch *pipeline.Batch) {
	if batch.End == nil {
		return
	}
	if of.met.Withhold(batch, of.position, s.rules) {
		s.seen["withheld"]++
	}
	now := s.clock(of)
	for _, e := range of.table.entries {
		if !e.open {
			continue
		}
		if e.run == of.run && !e.counted(of) {
			e.weighed, e.byList, e.by = true, of.Work == pipeline.WorkList, of.run
		}
		if e.details {
			continue
		}
		if batch.End.Entire && of.met.Received > 0 && e.seen.Before(of.begun) {
			e.open = false
			s.seen["not upstream any more"]++
		}
		if of.whole && e.opened.Before(of.begun) {
			e.asked = now
			s.seen["asked for again"]++
		}
	}
}

// overQuarantine reports whether too many of the run's rejected records are new, or whether one of
// them clashes (invariant 1). A watermark must not move then. Records that an earlier run counted
// are read again.
func (of *stream) overQuarantine(rules pipeline.Rules) bool {
	fresh := int64(0)
	for _, e := range of.table.entries {
		if e.open && e.by == of.run {
			if fresh++; e.code == pipeline.CodeClash {
				return true
			}
		}
	}
	return float64(fresh) > rules.MaxRejected*float64(of.met.Received)
}

// unmended returns how long the oldest entry has been open that a healthy upstream would close;
// zero if there is none.
func (w *world) unmended() time.Duration {
	of := w.streams[0]
	longest := time.Duration(0)
	for _, t := range of.upstream.things {
		v := t.last()
		if v.gone || v.poison {
			continue
		}
		for _, e := range of.table.entries {
			if e.open && e.id == t.id {
				longest = max(longest, w.store.clock(of).Sub(e.opened))
			}
		}
	}
	return longest
}
