package probe

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"sluice/pipeline"
)

func yes(c pipeline.Capability, value, format string, args ...any) pipeline.Verdict {
	return pipeline.Verdict{Capability: c, Answer: pipeline.AnswerYes, Value: value, Evidence: fmt.Sprintf(format, args...)}
}

func no(c pipeline.Capability, value, format string, args ...any) pipeline.Verdict {
	return pipeline.Verdict{Capability: c, Answer: pipeline.AnswerNo, Value: value, Evidence: fmt.Sprintf(format, args...)}
}

func unknown(c pipeline.Capability, format string, args ...any) pipeline.Verdict {
	return pipeline.Verdict{Capability: c, Answer: pipeline.AnswerUnknown, Evidence: fmt.Sprintf(format, args...)}
}

// times are the modification times of records in ascending order, each once.
func times(records []sample) []time.Time {
	var all []time.Time
	for _, r := range records {
		if !r.modified.IsZero() {
			all = append(all, r.modified)
		}
	}
	slices.SortFunc(all, time.Time.Compare)
	return slices.CompactFunc(all, time.Time.Equal)
}

// between is the instant for the filter: one of the known times, with others below and above it. So
// the answer shows what the filter leaves out, and what it shows at the instant itself and after
// it. If all records have one time, it is the second after it, and the answer should be empty. It
// is zero if no time is known.
func between(known []sample) time.Time {
	all := times(known)
	switch len(all) {
	case 0:
		return time.Time{}
	case 1:
		return all[0].Add(time.Second)
	default:
		return all[len(all)/2]
	}
}

// order judges whether the records are in the order asked for. The answer has to name that order,
// too: where no old record was edited, an order of creation looks the same. Runs demand the same.
func order(c pipeline.Capability, request pipeline.Request, page pipeline.Page, records []sample) pipeline.Verdict {
	if page.Sort != request.Sort || page.Order != request.Order {
		return no(c, "", "asked for %s %s, and the answer says that it is sorted by %q %q", request.Sort, request.Order, page.Sort, page.Order)
	}
	for i := 1; i < len(records); i++ {
		before, after := records[i-1].modified, records[i].modified
		if request.Order == "D" {
			before, after = after, before
		}
		if before.After(after) {
			return no(c, "", "record %d of %d is out of order", i+1, len(records))
		}
	}
	if n := len(times(records)); n < 2 { //nolint:mnd // fewer have no order
		return unknown(c, "%d different modification times have no order", n)
	}
	return yes(c, "", "%d records in order", len(records))
}

// turned judges whether page 2 is another page than the first.
func turned(first, second []sample) pipeline.Verdict {
	shown := make(map[string]bool, len(first))
	for _, r := range first {
		shown[r.id] = true
	}
	repeated := 0
	for _, r := range second {
		if shown[r.id] {
			repeated++
		}
	}
	switch {
	case len(second) == 0:
		return unknown(pipeline.CapabilityPage, "page 2 came empty although more was to follow")
	case repeated == len(second):
		return no(pipeline.CapabilityPage, "", "page 2 shows the %d records of page 1 again", repeated)
	default:
		// One or two may move over the edge between the two calls.
		return yes(pipeline.CapabilityPage, "", "page 2 shows %d records that page 1 does not", len(second)-repeated)
	}
}

// sizeOf judges whether the page has the size asked for, by what the answer says or else by its
// length.
func sizeOf(asked int, page pipeline.Page) pipeline.Verdict {
	const c = pipeline.CapabilityPageSize
	got := page.PerPage
	if got == 0 {
		got = len(page.Records)
	}
	switch {
	case len(page.Records) > asked || got > asked:
		return no(c, strconv.Itoa(max(got, len(page.Records))), "%d a page were asked for, and %d came", asked, max(got, len(page.Records)))
	case page.PerPage == asked, page.More && got == asked:
		return yes(c, strconv.Itoa(asked), "%d a page were asked for, and granted", asked)
	case page.PerPage > 0 || page.More:
		return no(c, strconv.Itoa(got), "%d a page were asked for, and %d are given", asked, got)
	default:
		return unknown(c, "the answer does not say its size, and is shorter than that")
	}
}

// filter judges whether the answer holds what was modified since the instant asked for, and all of
// that.
func filter(request pipeline.Request, page pipeline.Page, known, records []sample) pipeline.Verdict {
	const c = pipeline.CapabilityFilter
	below, above := 0, 0
	for _, r := range records {
		switch {
		case r.modified.IsZero():
		case r.modified.Before(request.Since):
			below++
		case r.modified.After(request.Since):
			above++
		}
	}
	left, later := 0, 0
	for _, r := range known {
		switch {
		case r.modified.IsZero():
		case r.modified.Before(request.Since):
			left++
		case r.modified.After(request.Since):
			later++
		}
	}
	switch {
	case below > 0:
		return no(c, "", "it let pass %d of %d records that were modified before the instant asked for", below, len(records))
	case later > 0 && above == 0 && !page.More:
		return no(c, "", "%d records are known that were modified after the instant asked for, and none of them came", later)
	case left == 0:
		return unknown(c, "no record is known that it had to leave out")
	case later > 0 && above == 0:
		return unknown(c, "it left out what was modified before, but its first page shows nothing later than the instant itself")
	default:
		return yes(c, "", "it left out all of the %d known records that were modified before, and %d came", left, len(records))
	}
}

// inclusive judges whether the answer holds records that were modified at the instant itself.
func inclusive(request pipeline.Request, page pipeline.Page, known, records []sample) pipeline.Verdict {
	const c = pipeline.CapabilityInclusive
	expected := make(map[string]bool)
	for _, r := range known {
		if r.modified.Equal(request.Since) {
			expected[r.id] = true
		}
	}
	came, moved := 0, 0
	for _, r := range records {
		switch {
		case r.modified.Equal(request.Since):
			came++
		case expected[r.id]:
			moved++ // edited between the calls
		}
	}
	switch {
	case came > 0:
		return yes(c, "", "records that were modified at the instant asked for came: %d", came)
	case len(expected)-moved <= 0:
		return unknown(c, "no record is known that was modified at the instant asked for")
	case page.More:
		return unknown(c, "the first page shows none that was modified at the instant asked for")
	default:
		return no(c, "", "%d records are known that were modified at the instant asked for, and none of them came", len(expected)-moved)
	}
}
