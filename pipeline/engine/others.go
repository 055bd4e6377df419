package engine

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/engine/metrics"
	"sluice/pipeline/planning"
	"sluice/pipeline/warehouse/calls"
)

// Others is what other programs spend of a service of an organization.
type Others struct {
	Organization string `json:"organization"`
	Service      string `json:"service"`
	// Zone is the zone of its hours, in which the day turns.
	Zone string `json:"zone"`

	planning.Others
}

// Others returns what other programs spend of the configured services of an organization, or of all
// if it is empty. The number of its statements does not depend on the number of services.
func (a *App) Others(ctx context.Context, organization string) ([]Others, error) {
	days, err := a.Days(ctx, organization)
	if err != nil {
		return nil, err
	}
	perDay, err := a.scheduledPerDay(ctx, organization)
	if err != nil {
		return nil, err
	}
	spent, err := a.DB.SpentOut(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the days that are spent: %w", err)
	}
	inputs, of := make([]planning.OthersInput, len(days)), make([]calls.Allowance, len(days))
	for i := range days {
		d := &days[i]
		limits, err := a.Limits(d.Organization, d.Service)
		if err != nil {
			return nil, err
		}
		if inputs[i], err = othersInput(d, limits, a.Zone(d.Organization)); err != nil {
			return nil, err
		}
		inputs[i].OursPerDay = perDay[QuotaKey{Organization: d.Organization, Service: d.Service}]
		for s := range spent {
			if spent[s].Organization == d.Organization && spent[s].Service == d.Service {
				inputs[i].SpentUntil = &spent[s].Until
			}
		}
		of[i] = calls.Allowance{Organization: d.Organization, Service: d.Service, ResetHour: limits.ResetHour, ResetZone: inputs[i].Zone.String()}
	}
	hours, err := a.DB.Others(ctx, of)
	if err != nil {
		return nil, fmt.Errorf("read what others spent: %w", err)
	}
	all := make([]Others, len(days))
	for i := range days {
		inputs[i].Hours = hours[i]
		all[i] = Others{Organization: of[i].Organization, Service: of[i].Service, Zone: of[i].ResetZone, Others: planning.OthersOf(&inputs[i])}
	}
	return all, nil
}

// othersInput is what is known of a day. It turns when upstream says so, else at its hour, else at
// midnight of the organization.
func othersInput(d *metrics.Day, limits pipeline.Limits, zone *time.Location) (planning.OthersInput, error) {
	if limits.ResetZone != "" {
		turns, err := time.LoadLocation(limits.ResetZone)
		if err != nil {
			return planning.OthersInput{}, fmt.Errorf("find the zone in which days turn: %w", err)
		}
		zone = turns
	}
	in := planning.OthersInput{Now: d.At, Zone: zone, ResetHour: limits.ResetHour, Limit: d.Limit, Left: d.Left}
	if in.Limit == 0 && d.SeenLeft != nil {
		in.Limit = *d.SeenLeft // no limit is configured, and upstream has one
	}
	switch {
	case d.SeenUntil != nil:
		in.Until = *d.SeenUntil
	case d.Turn != nil:
		in.Until = *d.Turn
	default:
		_, ends, err := planning.DayAt(limits, d.At.In(zone), zone)
		if err != nil {
			return in, err
		}
		in.Until = ends
	}
	return in, nil
}

// scheduledPerDay returns what the schedule takes of a day of each service.
func (a *App) scheduledPerDay(ctx context.Context, organization string) (map[QuotaKey]float64, error) {
	wanted := slices.DeleteFunc(slices.Clone(a.Streams()), func(s pipeline.Stream) bool {
		return organization != "" && s.Organization != organization
	})
	foreseen, err := a.Foresee(ctx, wanted)
	if err != nil {
		return nil, err
	}
	made := planning.Make(planning.Input{Streams: foreseen})
	perDay := make(map[QuotaKey]float64)
	for i := range made.Streams {
		if s := &made.Streams[i]; s.Schedule.CallsPerDay != nil {
			perDay[QuotaKey{Organization: s.Organization, Service: s.Service}] += *s.Schedule.CallsPerDay
		}
	}
	return perDay, nil
}

// othersFresh is how long metrics show the same figures of others: weeks of hours are read for
// them.
const othersFresh = 5 * time.Minute

// othersFigures returns a function that reads what metrics show of others.
func (a *App) othersFigures() func(context.Context) ([]metrics.Others, error) {
	var (
		lock  sync.Mutex
		known []metrics.Others
		read  time.Time
	)
	return func(ctx context.Context) ([]metrics.Others, error) {
		lock.Lock()
		defer lock.Unlock()
		if now := a.options.Now(); read.IsZero() || now.Sub(read) >= othersFresh {
			all, err := a.Others(ctx, "")
			if err != nil {
				return nil, err
			}
			known, read = make([]metrics.Others, len(all)), now
			for i := range all {
				o := &all[i]
				known[i] = metrics.Others{Organization: o.Organization, Service: o.Service, Expected: o.Outlook.At}
				if o.Habit.State != planning.HabitLearning {
					known[i].Changed = new(o.Habit.Changed())
				}
			}
		}
		return known, nil
	}
}
