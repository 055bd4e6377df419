package planning

import (
	"math"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/planning/cadence"
	"sluice/pipeline/warehouse/streams"
)

// AssumedLatency is the assumed time of a call where none was measured.
const AssumedLatency = 500 * time.Millisecond

// ceilingPart is the part of a class's ceiling that scheduled runs may take where the class has no
// floor. The rest is for first loads and for the other classes.
const ceilingPart = 0.5

// Scheduled is what the configuration says of a stream.
type Scheduled struct {
	// Class is the class of its runs.
	Class pipeline.Class
	// Promised says that the stream has a freshness.
	Promised bool
}

// ReplanAfter is the age at which learned intervals are computed anew. A quiet stream with new
// changes is planned sooner.
const ReplanAfter = 10 * time.Minute

// Intervals computes the intervals of a service that are learned, class by class: each class has
// its own part of the day. It skips streams that scheduled does not name.
func Intervals(service *streams.Service, limits pipeline.Limits, floor time.Duration, scheduled map[pipeline.Key]Scheduled) []streams.Plan {
	pace := Pace{PerMinute: limits.PerMinute, Concurrent: limits.Concurrent, Latency: AssumedLatency}
	var plans []streams.Plan
	for _, class := range pipeline.Classes() {
		perDay := ScheduledCalls(limits, class, service.External)
		var of []cadence.Stream
		var keys []pipeline.Key
		ours, histories := ofClass(service, class, scheduled)
		usual := cadence.UsualHours(histories)
		part := 1.0
		for i, s := range ours {
			seen := histories[i].Seen(s.SeenAt(), usual)
			part = usual.Part(s.SeenAt())
			if s.Ceiling == 0 {
				perDay -= math.Max(seen.Calls, 1) * float64(24*time.Hour) / float64(s.Every)
				continue
			}
			learned := cadence.Stream{Seen: seen, Every: s.Every, Ceiling: s.Ceiling, First: s.Loaded && len(s.Runs()) == 0}
			if scheduled[s.Key].Promised {
				learned.Ceiling = ceilingOf(s.Ceiling, seen, floor, pace)
			}
			of, keys = append(of, learned), append(keys, s.Key)
		}
		for i, interval := range cadence.Plan(of, floor, perDay, part) {
			plans = append(plans, planOfStream(keys[i], &of[i], interval, floor))
		}
		share(plans[len(plans)-len(of):], class, perDay)
	}
	return plans
}

// ofClass returns the streams of a class and what their runs found.
func ofClass(service *streams.Service, class pipeline.Class, scheduled map[pipeline.Key]Scheduled) ([]*streams.Stream, []cadence.History) {
	var list []*streams.Stream
	var histories []cadence.History
	for i := range service.Streams {
		s := &service.Streams[i]
		if stream, ours := scheduled[s.Key]; ours && stream.Class == class {
			list, histories = append(list, s), append(histories, HistoryOf(s, class))
		}
	}
	return list, histories
}

// ceilingOf returns the longest interval that keeps the age of a change within its target. A change
// just after its page was read waits for the rest of that run, the interval, the tick and one more
// run.
func ceilingOf(target time.Duration, seen cadence.Seen, floor time.Duration, pace Pace) time.Duration {
	calls := int(math.Ceil(math.Max(seen.Calls, 1)))
	return max(target-TickEvery-2*pace.Takes(calls, calls), floor)
}

// ScheduledCalls returns the calls of a day that the scheduled runs of a class share: its floor, or
// without one a part of its ceiling. The calls of other programs are taken off the day first.
// Without a daily limit it is infinite.
func ScheduledCalls(limits pipeline.Limits, class pipeline.Class, external int64) float64 {
	if limits.Daily == 0 {
		return math.Inf(1)
	}
	shares := limits.Shares
	if shares == nil {
		shares = pipeline.DefaultShares()
	}
	share := shares[class]
	part := share.Floor
	if part == 0 {
		part = ceilingPart
		if share.Ceiling > 0 {
			part *= share.Ceiling
		}
	}
	return part * math.Max(float64(limits.Daily)-float64(external), 0)
}

func planOfStream(key pipeline.Key, s *cadence.Stream, interval cadence.Interval, floor time.Duration) streams.Plan {
	return streams.Plan{
		Key: key, EverySeconds: interval.Every.Seconds(), Reason: string(interval.Reason),
		ChangesPerHour: s.Seen.PerHour, SeenHours: s.Seen.Span.Hours(), CallsPerRun: math.Max(s.Seen.Calls, 1),
		FloorSeconds: floor.Seconds(), CeilingSeconds: s.Ceiling.Seconds(),
	}
}

// share records in the plans of a class the calls that its streams share, and the calls that their
// ceilings need.
func share(plans []streams.Plan, class pipeline.Class, perDay float64) {
	needed := 0.0
	for i := range plans {
		needed += plans[i].CallsPerRun * (24 * time.Hour).Seconds() / plans[i].CeilingSeconds
	}
	for i := range plans {
		plans[i].Class, plans[i].NeededPerDay = class, needed
		if !math.IsInf(perDay, 1) {
			plans[i].CallsPerDay = new(math.Max(perDay, 0))
		}
	}
}
