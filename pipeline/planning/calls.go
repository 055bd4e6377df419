package planning

import (
	"math"
	"strings"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/sync/scan"
)

// Run is the forecast of one run.
type Run struct {
	pipeline.Key

	// Calls is the number of calls of the run, Left that of the later runs until everything known
	// is copied.
	Calls, Left int
	// Basis is the basis of Calls; Unknown means that there is no forecast.
	Basis Basis
	// Request names the figure that --assume has to give; "" if the forecast is known.
	Request string
}

// Next forecasts the next run of each stream. Lists run first: the records that they are expected
// to bring are counted for their details, where both are among the streams.
func Next(streams []Stream) []Run {
	lists := make(map[pipeline.Key]*Stream, len(streams))
	for i := range streams {
		lists[streams[i].Key] = &streams[i]
	}
	runs := make([]Run, 0, len(streams))
	for i := range streams {
		s := &streams[i]
		run := s.next(lists[s.list()])
		run.Key = s.Key
		runs = append(runs, run)
	}
	return runs
}

// detailsSuffix follows the list's name in the name of a stream of details.
const detailsSuffix = ".details"

// list returns the key of the list whose rows a stream of details completes.
func (s *Stream) list() pipeline.Key {
	key := s.Key
	key.Resource = strings.TrimSuffix(key.Resource, detailsSuffix)
	return key
}

// name is the name of the stream's rows in --assume.
func name(key pipeline.Key) string { return key.Service + "." + key.Resource }

func (s *Stream) next(list *Stream) Run {
	switch s.Way {
	case WayOnce:
		return Run{Calls: 1, Basis: Declared}
	case WayRows, WayChanges:
		records := s.records()
		if !records.Known() {
			return Run{Basis: Unknown, Request: name(s.Key)}
		}
		if s.CountStands && s.Read && s.Since < scan.WholeEvery {
			return Run{Calls: 1, Basis: records.Basis}
		}
		return Run{Calls: s.listing(records.Value), Basis: records.Basis}
	case WayLook:
		return Run{Calls: lookCalls, Basis: Assumed}
	case WayDetails:
		return s.details(list)
	case WayParents:
		return s.parents()
	default:
		return Run{Basis: Unknown, Request: name(s.Key)}
	}
}

// lookCalls is what a look takes if no row is missing: the page at the end of the list, and the
// page behind it if the list grew.
const lookCalls = 2

// records returns how many records the next run over a list will receive. Changes that were not
// measured yet are assumed to fit one page.
func (s *Stream) records() Figure {
	if s.Way != WayChanges || !s.Read {
		return s.Rows
	}
	if !s.Changes.Known() {
		return Figure{Basis: Assumed}
	}
	return s.changed(s.Since)
}

// changed returns the expected number of changed records in a time.
func (s *Stream) changed(in time.Duration) Figure {
	return Figure{Value: s.Changes.Value * days(in), Basis: s.Changes.Basis}
}

// listing returns how many calls a list of so many records takes. Pages that overlap are read once.
// Other lists of more than one page have a second pass that sees the same
// (docs/decisions/0007-paging-by-number).
func (s *Stream) listing(records float64) int {
	if s.ReadsByKeyset {
		// Each page repeats the record at which it begins (docs/decisions/0008-keyset-paging).
		return max(int(math.Round(records*parts)/parts)-1, 0)/(s.Page-1) + 1
	}
	if s.Overlaps {
		if calls := scan.Pages(int(math.Round(records*parts)/parts), s.Page, s.Unsized); calls > 0 {
			return calls
		}
	}
	pages := s.pages(records)
	if pages == 1 {
		return 1
	}
	return passes * pages
}

// passes is how many passes a list without changes takes.
const passes = 2

func (s *Stream) pages(records float64) int {
	records = math.Round(records*parts) / parts // so that no rounding error adds a page
	if s.Full {
		// A full page does not prove that it is the last: the next one is requested.
		return int(math.Floor(records))/s.Page + 1
	}
	return max(ceil(records/float64(s.Page)), 1)
}

// parts is the precision of an expected number of records: a millionth of a record.
const parts = 1e6

// details forecasts a run over single records: those that rows need already, and those for the
// changes that the list will bring. If the list was never read, every row counts as in need, unless
// the operator gave the number.
func (s *Stream) details(list *Stream) Run {
	owing := s.Waiting
	if list != nil && owing.Basis != Assumed {
		brought := Figure{Basis: Assumed} // nothing, until changes were measured
		switch {
		case !list.Read:
			brought = list.Rows
		case list.Changes.Known():
			brought = list.changed(list.Since)
			brought.Value *= 1 - list.Whole
		}
		if !brought.Known() {
			return Run{Basis: Unknown, Request: name(list.Key)}
		}
		owing = Figure{Value: owing.Value + brought.Value, Basis: weaker(owing.Basis, brought.Basis)}
	}
	if !owing.Known() {
		return Run{Basis: Unknown, Request: name(s.list())}
	}
	return s.bounded(ceil(owing.Value/float64(s.Batch)), 1, owing.Basis)
}

func (s *Stream) parents() Run {
	if !s.Parents.Known() {
		return Run{Basis: Unknown, Request: name(s.Key) + ParentsSuffix}
	}
	each, basis := s.each()
	return s.bounded(ceil(s.Parents.Value)*each, each, weaker(s.Parents.Basis, basis))
}

// ParentsSuffix follows a stream's name in the name of the number of its parents.
const ParentsSuffix = ".parents"

// each returns how many calls the list of one parent takes. Unknown rows are assumed to fit one
// page.
func (s *Stream) each() (int, Basis) {
	switch {
	case s.Each == WayOnce:
		return 1, Declared
	case !s.Rows.Known():
		return 1, Assumed
	default:
		return s.listing(s.Rows.Value / math.Max(s.Parents.Value, 1)), s.Rows.Basis
	}
}

// bounded limits the calls to those that one run may spend. A list of a parent that was begun is
// read to its end, so the limit is rounded up to whole steps.
func (s *Stream) bounded(calls, step int, basis Basis) Run {
	if s.PerRun <= 0 {
		return Run{Calls: calls, Basis: basis}
	}
	now := min(calls, ceil(float64(s.PerRun)/float64(step))*step)
	return Run{Calls: now, Left: calls - now, Basis: basis}
}

func ceil(x float64) int { return int(math.Ceil(x)) }

// day is the length of a day of allowances.
const day = 24 * time.Hour

func days(d time.Duration) float64 { return float64(d) / float64(day) }
