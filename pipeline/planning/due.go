package planning

import (
	"hash/fnv"
	"time"

	"sluice/pipeline"
)

const (
	// DetailsEvery is the interval of runs over single records where no list requested them. A run
	// that finds nothing to read makes no call.
	DetailsEvery = time.Hour
	// deniedRest is the time after which a denied stream is tried again: the cause may have been
	// corrected upstream.
	deniedRest = 24 * time.Hour
	// noParentRest is the time after which a run without any parent is repeated. The lists that
	// bring the first parents may have been under way, and looking for parents costs no call.
	noParentRest = 30 * time.Minute
	// withheldRest is the time after which a list with too many rejected records is read again,
	// from the same bound.
	withheldRest = time.Hour
	// confirmRest is the time after which a scan that missed rows for the first time is repeated.
	confirmRest = time.Hour
	// countedRest is the time for which a look for deletions is needless after upstream counted as
	// many records as there are.
	countedRest = 24 * time.Hour
	// hintedRest is the time after which hints are read that the run before had no calls for.
	hintedRest = time.Minute
	// rejectedRest is the time after which a list is read whole because of a record in quarantine.
	// Later pauses double; package quarantine computes them from the entries. For a new record a
	// sync by hand does so at once.
	rejectedRest = time.Hour
)

// Due is the one rule that says when a stream is due after an event. It is pure.
//
//nolint:exhaustruct // what is not named says nothing
func Due(turn pipeline.Occasion) pipeline.Due {
	switch turn.Event {
	case pipeline.Registered: // at once, unless First says later
		return pipeline.Due{Bound: pipeline.Exactly, After: turn.First}
	case pipeline.Reconfigured: // a shorter interval takes effect at once, a longer one after the next run
		return pipeline.Due{Bound: pipeline.Earlier, After: turn.Every}
	case pipeline.Taken: // if the run never ends, it is due by its interval again
		return pipeline.Due{Bound: pipeline.Exactly, After: turn.Every}
	case pipeline.Requested, pipeline.Woken:
		return pipeline.Due{Bound: pipeline.Exactly}
	case pipeline.Ended:
		return ended(turn)
	case pipeline.DetailsWanted, pipeline.SweepWanted, pipeline.Hinted:
		return pipeline.Due{Bound: pipeline.Earlier, After: rest(turn.Again), Spare: true}
	case pipeline.CountAgrees:
		return pipeline.Due{Bound: pipeline.Later, After: countedRest, Spare: true}
	case pipeline.Lapsed:
		return pipeline.Due{Bound: pipeline.Earlier, Since: turn.Since, After: turn.Every, NotBefore: turn.Now}
	case pipeline.Rejected:
		return pipeline.Due{Bound: pipeline.Earlier, Since: turn.Since, After: rejectedRest}
	case pipeline.Rezoned: // upstream may now write times without an offset in another zone, and moves no modification time for that
		return pipeline.Due{Bound: pipeline.Earlier}
	default:
		return pipeline.Due{}
	}
}

// ended says when a stream is due after the end of a run.
func ended(turn pipeline.Occasion) pipeline.Due {
	switch {
	case turn.Aside: // the run loaded single records on demand, or nothing: the schedule stays
		return pipeline.Due{}
	case turn.Requested: // the run began before the request, so it does not serve it
		return pipeline.Due{Bound: pipeline.Exactly}
	case turn.State == pipeline.StateDenied:
		return pipeline.Due{Bound: pipeline.Later, After: deniedRest}
	case turn.Again != pipeline.AgainNot:
		return pipeline.Due{Bound: pipeline.Exactly, After: min(turn.Every, rest(turn.Again))}
	default: // the interval begins at the end of a run, so a run longer than its interval still leaves a pause
		return pipeline.Due{Bound: pipeline.Later, After: turn.Every, NotBefore: turn.Until}
	}
}

// rest is the pause before a run that should follow sooner than the interval says.
func rest(again pipeline.Again) time.Duration {
	switch again {
	case pipeline.AgainNoParent:
		return noParentRest
	case pipeline.AgainWithheld:
		return withheldRest
	case pipeline.AgainMissed:
		return confirmRest
	case pipeline.AgainHinted:
		return hintedRest
	case pipeline.AgainNot:
	}
	return 0
}

// FirstSweep returns the time between the registration of a stream of sweeps and its first run. It
// is not zero, because the first run of the list reads everything anyway. It differs by key, so
// that sweeps are spread over time and stay so.
func FirstSweep(key pipeline.Key, every time.Duration) time.Duration {
	h := fnv.New32a()
	_, _ = h.Write([]byte(key.String())) // a hash never fails
	return every/2 + time.Duration(float64(every/2)*float64(h.Sum32())/float64(1<<32))
}
