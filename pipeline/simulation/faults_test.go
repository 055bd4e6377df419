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
