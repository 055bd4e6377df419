package engine

import (
	"context"
	"fmt"
	"math"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/planning"
	"sluice/pipeline/planning/cadence"
	"sluice/pipeline/warehouse/streams"
)

const (
	// replanAfter is the age at which intervals are computed anew. A quiet stream with new changes
	// is planned sooner.
	replanAfter = 10 * time.Minute
	// replanLimit bounds the services of one turn: with a turn a minute, 4,000 services take ten
	// minutes.
	replanLimit = 400
	// ceilingPart is the part of a class's ceiling that scheduled runs may take where the class has
	// no floor. The rest is for first loads and for the other classes.
	ceilingPart = 0.5
)

// replanner returns Replan; nil if no interval is learned.
func (a *App) replanner() func(context.Context) error {
	for name := range a.Config.Resources {
		if a.Config.Resources[name].Ceiling > 0 {
			return a.Replan
		}
	}
	return nil
}

// Replan computes the intervals whose plan is too old. It takes two statements.
func (a *App) Replan(ctx context.Context) error {
	organizations := make([]string, 0, len(a.Config.Organizations))
	for i := range a.Config.Organizations {
		organizations = append(organizations, a.Config.Organizations[i].Key)
	}
	services, err := a.DB.Unplanned(ctx, organizations, replanAfter, replanLimit)
	if err != nil {
		return fmt.Errorf("work out intervals: %w", err)
	}
	if len(services) == 0 {
		return nil
	}
	known := make(map[Key]scheduled)
	for _, stream := range a.Streams() {
		known[stream.Key()] = scheduled{pipeline.ClassOf(stream), a.resource(stream).Freshness > 0}
	}
	var plans []streams.Plan
	for i := range services {
		limits, err := a.Limits(services[i].Organization, services[i].Name)
		if err != nil {
			continue // another configuration on this database has the service
		}
		plans = append(plans, planned(&services[i], limits, a.Config.Schedule.Floor, known)...)
	}
	if err := a.DB.StorePlans(ctx, plans); err != nil {
		return fmt.Errorf("work out intervals: %w", err)
	}
	return nil
}

// scheduled is what the configuration says of a stream: the class of its runs, and whether it has a
// freshness.
type scheduled struct {
	class    pipeline.Class
	promised bool
}

// planned computes the intervals of a service, class by class: each class has its own part of the
// day.
func planned(service *streams.Service, limits pipeline.Limits, floor time.Duration, known map[Key]scheduled) []streams.Plan {
	pace := planning.Pace{PerMinute: limits.PerMinute, Concurrent: limits.Concurrent, Latency: assumedLatency}
	var plans []streams.Plan
	for _, class := range pipeline.Classes() {
		perDay := scheduledCalls(limits, class, service.External)
		var of []cadence.Stream
		var keys []Key
		for i := range service.Streams {
			s := &service.Streams[i]
			stream, ours := known[s.Key]
			if !ours || stream.class != class {
				continue
			}
			seen := planning.SeenOf(s, class)
			if s.Ceiling == 0 {
				perDay -= math.Max(seen.Calls, 1) * float64(24*time.Hour) / float64(s.Every)
				continue
			}
			learned := cadence.Stream{Seen: seen, Every: s.Every, Ceiling: s.Ceiling}
			if stream.promised {
				learned.Ceiling = ceilingOf(s.Ceiling, seen, floor, pace)
			}
			of, keys = append(of, learned), append(keys, s.Key)
		}
		for i, interval := range cadence.Plan(of, floor, perDay) {
			plans = append(plans, planOfStream(keys[i], &of[i], interval, floor))
		}
		share(plans[len(plans)-len(of):], class, perDay)
	}
	return plans
}

// ceilingOf returns the longest interval that keeps the age of a change within its target. A change
// just after its page was read waits for the rest of that run, the interval, the tick and one more
// run.
func ceilingOf(target time.Duration, seen cadence.Seen, floor time.Duration, pace planning.Pace) time.Duration {
	calls := int(math.Ceil(math.Max(seen.Calls, 1)))
	return max(target-planning.TickEvery-2*pace.Takes(calls, calls), floor)
}

// scheduledCalls returns the calls of a day that the scheduled runs of a class share: its floor, or
// without one a part of its ceiling. The calls of other programs are taken off the day first.
// Without a daily limit it is infinite.
func scheduledCalls(limits pipeline.Limits, class pipeline.Class, external int64) float64 {
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

func planOfStream(key Key, s *cadence.Stream, interval cadence.Interval, floor time.Duration) streams.Plan {
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
