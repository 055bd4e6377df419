package planning

import "time"

// HintedEvery is the interval of runs over hints that no tick requested. A run without hints makes
// no call.
const HintedEvery = 24 * time.Hour

// Hints are what change notifications told of one resource, and what reading it costs.
type Hints struct {
	// Records is how many records wait to be read one by one, List says that the list should be
	// read.
	Records int
	List    bool
	// AtOnce is how many single records one call reads; 0 if the documents know no such call.
	// Headers says that the list shows a part of each record, whose single record is then read
	// anyway.
	AtOnce  int
	Headers bool
	// ListCalls is what the last clean run of the list cost; 0 if there was none. SinceList is the
	// time since a run of the list began.
	ListCalls int
	SinceList time.Duration
	// Recent is how many calls hints of the resource caused in the last minute, PerMinute how many
	// they may cause. ListRest is the least time between two runs of the list.
	Recent, PerMinute int
	ListRest          time.Duration
}

// Reading is a closed set: how the hints of a resource are answered.
type Reading int

// The readings.
const (
	// ReadSingles: by the single records.
	ReadSingles Reading = iota
	// ReadList: by the list, once for all hints.
	ReadList
	// ReadListLater: by the list, after its rest.
	ReadListLater
)

// Read chooses the reading that costs fewer calls. Above the calls of a minute it is the list,
// however many hints there are: so a flood of callbacks, also of forged ones, ends as one ordinary
// run.
func (h Hints) Read() Reading {
	if h.AtOnce > 0 && !h.List {
		singles := (h.Records + h.AtOnce - 1) / h.AtOnce
		list := max(h.ListCalls, 1)
		if h.Headers {
			list += singles
		}
		if singles <= list && h.Recent+singles <= h.PerMinute {
			return ReadSingles
		}
	}
	if h.SinceList < h.ListRest {
		return ReadListLater
	}
	return ReadList
}
