package planning

import (
	"hash/fnv"
	"time"

	"sluice/pipeline"
)

const (
	// DetailsEvery is how often single records are looked for where no list asked for them: a run
	// that finds none makes no call.
	DetailsEvery = time.Hour
	// deniedRest is after how long a denied stream is tried again: an operator upstream may have
	// mended the cause.
	deniedRest = 24 * time.Hour
	// noParentRest is after how long a run that knew no parent is repeated: the lists that bring
	// the first ones may have been under way, and looking for them costs no call.
	noParentRest = 30 * time.Minute
	// withheldRest is after how long a list is read again of which too much was refused: from the
	// same bound.
	withheldRest = time.Hour
	// confirmRest is after how long a scan that missed rows for the first time is repeated.
	confirmRest = time.Hour
	// rejectedRest is after how long a list is read whole for the sake of a record in quarantine.
	// From then on the pause doubles: package quarantine counts it from the entries. A sync by hand
	// asks at once, the first time.
	rejectedRest = time.Hour
)

// Due is the rule of when a stream is due, for every occasion at which that is a question. It is
// pure.
//
//nolint:exhaustruct // what is not named says nothing
func Due(turn pipeline.Occasion) pipeline.Due {
	switch turn.Event {
	case pipeline.Registered: // at once, unless it has a first turn of its own
		return pipeline.Due{Bound: pipeline.Exactly, After: turn.First}
	case pipeline.Reconfigured: // a shorter interval takes effect at once, a longer one after the next run
		return pipeline.Due{Bound: pipeline.Earlier, After: turn.Every}
	case pipeline.Taken: // if the run never ends, it is due by its interval again
		return pipeline.Due{Bound: pipeline.Exactly, After: turn.Every}
	case pipeline.Requested, pipeline.Woken:
		return pipeline.Due{Bound: pipeline.Exactly}
	case pipeline.Ended:
		return ended(turn)
	case pipeline.Learned:
		return learned(turn)
	case pipeline.DetailsWanted:
		return pipeline.Due{Bound: pipeline.Earlier, Spare: true}
	case pipeline.Rejected:
		return pipeline.Due{Bound: pipeline.Earlier, Since: turn.Since, After: rejectedRest}
	case pipeline.Rezoned: // upstream may write times without an offset otherwise now, and moves no modification time for that
		return pipeline.Due{Bound: pipeline.Earlier}
	default:
		return pipeline.Due{}
	}
}

// ended is when the stream of a run that ended is due.
func ended(turn pipeline.Occasion) pipeline.Due {
	switch {
	case turn.Aside: // it loaded a few records by hand, or none: the schedule has not moved
		return pipeline.Due{}
	case turn.Requested: // the run began before, so it does not count
		return pipeline.Due{Bound: pipeline.Exactly}
	case turn.State == pipeline.StateDenied:
		return pipeline.Due{Bound: pipeline.Later, After: deniedRest}
	case turn.Again != pipeline.AgainNot:
		return pipeline.Due{Bound: pipeline.Exactly, After: min(turn.Every, rest(turn.Again))}
	default: // the interval begins with the end of a run, so that one that takes longer than that does not follow itself
		return pipeline.Due{Bound: pipeline.Later, After: turn.Every, NotBefore: turn.Until}
	}
}

// rest is after how long a run is followed by another one.
func rest(again pipeline.Again) time.Duration {
	switch again {
	case pipeline.AgainNoParent:
		return noParentRest
	case pipeline.AgainWithheld:
		return withheldRest
	case pipeline.AgainMissed:
		return confirmRest
	case pipeline.AgainNot:
	}
	return 0
}

// learned is when a stream is due whose interval was worked out anew: a shorter one takes effect at
// once, counted from the end of the last run, a longer one after the next. A stream that was asked
// for, that runs or that waits is left to that.
func learned(turn pipeline.Occasion) pipeline.Due {
	switch {
	case !turn.Idle:
		return pipeline.Due{}
	case turn.Since.IsZero(): // it never ran
		return pipeline.Due{Bound: pipeline.Earlier}
	}
	return pipeline.Due{Bound: pipeline.Earlier, Since: turn.Since, After: turn.Every, NotBefore: turn.Now}
}

// FirstSweep is how long after it is first registered a stream of sweeps is first due: not at once,
// for the first run of its list reads everything anyway, and not when all others are. From then on
// each keeps its own turn.
func FirstSweep(key pipeline.Key, every time.Duration) time.Duration {
	h := fnv.New32a()
	_, _ = h.Write([]byte(key.String())) // a hash never fails
	return every/2 + time.Duration(float64(every/2)*float64(h.Sum32())/float64(1<<32))
}
