package planning_test

import (
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/planning"
)

// TestDue checks when a stream is due after each event.
func TestDue(t *testing.T) {
	t.Parallel()
	const every = 2 * time.Hour
	now := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	ended := func(turn pipeline.Occasion) pipeline.Occasion {
		turn.Event, turn.Every = pipeline.Ended, every
		return turn
	}
	for name, test := range map[string]struct {
		turn pipeline.Occasion
		want pipeline.Due
	}{
		"a new stream is due at once":                {pipeline.Occasion{Event: pipeline.Registered, Every: every}, pipeline.Due{Bound: pipeline.Exactly}},
		"a new stream with a first turn waits":       {pipeline.Occasion{Event: pipeline.Registered, First: every}, pipeline.Due{Bound: pipeline.Exactly, After: every}},
		"a shorter interval takes effect at once":    {pipeline.Occasion{Event: pipeline.Reconfigured, Every: every}, pipeline.Due{Bound: pipeline.Earlier, After: every}},
		"a stream that was taken waits its interval": {pipeline.Occasion{Event: pipeline.Taken, Every: every}, pipeline.Due{Bound: pipeline.Exactly, After: every}},
		"a request is now":                           {pipeline.Occasion{Event: pipeline.Requested, Every: every}, pipeline.Due{Bound: pipeline.Exactly}},
		"what it waited for happened":                {pipeline.Occasion{Event: pipeline.Woken, Every: every}, pipeline.Due{Bound: pipeline.Exactly}},
		"rows wait for their single records":         {pipeline.Occasion{Event: pipeline.DetailsWanted}, pipeline.Due{Bound: pipeline.Earlier, Spare: true}},
		"rejected records are asked for in an hour":  {pipeline.Occasion{Event: pipeline.Rejected, Since: now}, pipeline.Due{Bound: pipeline.Earlier, Since: now, After: time.Hour}},
		"another time zone has lists read whole":     {pipeline.Occasion{Event: pipeline.Rezoned}, pipeline.Due{Bound: pipeline.Earlier}},
		"an occasion that is unknown moves nothing":  {pipeline.Occasion{Event: "?", Every: every}, pipeline.Due{}},

		"a run that ends waits its interval":            {ended(pipeline.Occasion{State: pipeline.StateIdle}), pipeline.Due{Bound: pipeline.Later, After: every}},
		"a failed run, too":                             {ended(pipeline.Occasion{State: pipeline.StateFailed}), pipeline.Due{Bound: pipeline.Later, After: every}},
		"but not before what it waits for":              {ended(pipeline.Occasion{Until: now}), pipeline.Due{Bound: pipeline.Later, After: every, NotBefore: now}},
		"a denied stream is tried a day later":          {ended(pipeline.Occasion{State: pipeline.StateDenied}), pipeline.Due{Bound: pipeline.Later, After: 24 * time.Hour}},
		"no parent was known":                           {ended(pipeline.Occasion{Again: pipeline.AgainNoParent}), pipeline.Due{Bound: pipeline.Exactly, After: 30 * time.Minute}},
		"too much was refused":                          {ended(pipeline.Occasion{Again: pipeline.AgainWithheld}), pipeline.Due{Bound: pipeline.Exactly, After: time.Hour}},
		"rows were missed for the first time":           {ended(pipeline.Occasion{Again: pipeline.AgainMissed}), pipeline.Due{Bound: pipeline.Exactly, After: time.Hour}},
		"a shorter interval is sooner than any of them": {pipeline.Occasion{Event: pipeline.Ended, Every: time.Minute, Again: pipeline.AgainMissed}, pipeline.Due{Bound: pipeline.Exactly, After: time.Minute}},
		"a request during the run comes before all":     {ended(pipeline.Occasion{State: pipeline.StateDenied, Requested: true}), pipeline.Due{Bound: pipeline.Exactly}},
		"a run aside moves nothing":                     {ended(pipeline.Occasion{Aside: true, Requested: true}), pipeline.Due{}},

		"a learned interval counts from the last run": {
			pipeline.Occasion{Event: pipeline.Learned, Every: every, Idle: true, Since: now.Add(-time.Hour), Now: now},
			pipeline.Due{Bound: pipeline.Earlier, Since: now.Add(-time.Hour), After: every, NotBefore: now},
		},
		"a stream that never ran is due":   {pipeline.Occasion{Event: pipeline.Learned, Every: every, Idle: true, Now: now}, pipeline.Due{Bound: pipeline.Earlier}},
		"a stream at work is left to that": {pipeline.Occasion{Event: pipeline.Learned, Every: every, Since: now, Now: now}, pipeline.Due{}},
	} {
		if got := planning.Due(test.turn); got != test.want {
			t.Errorf("%s: Due = %+v, want %+v", name, got, test.want)
		}
	}
}

// TestSweepsAreSpread: the first sweep of each stream is due in the second half of its interval, at
// different times.
func TestSweepsAreSpread(t *testing.T) {
	t.Parallel()
	turns := map[time.Duration]bool{}
	for _, resource := range []string{"bills.sweep", "items.sweep", "taxes.sweep"} {
		at := planning.FirstSweep(pipeline.Key{Organization: "1", Service: "inventory", Resource: resource}, time.Hour)
		if at < 30*time.Minute || at > time.Hour {
			t.Errorf("the first %s is due after %s", resource, at)
		}
		turns[at] = true
	}
	if len(turns) != 3 {
		t.Errorf("the first sweeps are due after %v", turns)
	}
}
