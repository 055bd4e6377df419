package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/engine/config"
	"sluice/pipeline/planning"
)

// Allowances returns the allowances for the calls of streams. The limits are those of the
// configuration; what is left of a day is by the call log and by what upstream said.
func (a *App) Allowances(ctx context.Context, streams []pipeline.Stream) ([]planning.Service, error) {
	var all []planning.Service
	for i := range a.Config.Organizations {
		o := &a.Config.Organizations[i]
		own := slices.DeleteFunc(slices.Clone(streams), func(s pipeline.Stream) bool { return s.Organization != o.Key })
		if len(own) == 0 {
			continue
		}
		services, err := a.allowancesOf(ctx, o, own)
		if err != nil {
			return nil, err
		}
		all = append(all, services...)
	}
	return all, nil
}

func (a *App) allowancesOf(ctx context.Context, o *config.Organization, streams []pipeline.Stream) ([]planning.Service, error) {
	checked, err := a.checkedAt(ctx, o.Key)
	if err != nil {
		return nil, err
	}
	var services []planning.Service
	asked := false // the first service that lists organizations makes the calls that check the identity
	for s := range a.Catalogue {
		service := &a.Catalogue[s]
		if _, configured := o.Services[service.Name]; !configured {
			continue
		}
		identifies := !asked && organizationsOf(service) != nil
		asked = asked || identifies
		wanted := slices.ContainsFunc(streams, func(s pipeline.Stream) bool { return s.Service.Name == service.Name })
		if !wanted && !identifies {
			continue
		}
		allowance, err := a.allowance(ctx, o.Key, service.Name)
		if err != nil {
			return nil, err
		}
		if identifies {
			allowance.BesidesPerDay = float64(24*time.Hour) / float64(identityGood)
			if !a.options.Now().Before(checked.Add(identityGood)) {
				allowance.Besides = 1
			}
		}
		services = append(services, allowance)
	}
	return services, nil
}

func (a *App) allowance(ctx context.Context, organization, service string) (planning.Service, error) {
	limits, err := a.Limits(organization, service)
	if err != nil {
		return planning.Service{}, err
	}
	day, err := a.DB.Day(ctx, organization, service, limits)
	if err != nil {
		return planning.Service{}, err
	}
	budget, err := a.DB.BudgetLeft(ctx, organization, service)
	if err != nil {
		return planning.Service{}, fmt.Errorf("read what is left of the day: %w", err)
	}
	left := planning.LeftOf(limits, &day)
	if budget.ExhaustedUntil != nil {
		left.Left = 0
	}
	return planning.Service{
		Organization: organization, Name: service, Shared: limits.Shared, Spent: int(day.Spent),
		Day: planning.Day{Limit: limits.Daily, Left: int(left.Left)}, Ceilings: left.Ceilings(),
		Pace: planning.Pace{PerMinute: limits.PerMinute, Concurrent: limits.Concurrent, Latency: planning.AssumedLatency},
	}, nil
}

// QuotaKey names an allowance: a service of an organization.
type QuotaKey struct{ Organization, Service string }

// Quotas are the present allowances, with what the schedule takes of them.
type Quotas struct {
	services map[QuotaKey]*planning.Service
	schedule map[QuotaKey]float64
}

// Quotas reads all allowances and forecasts what the schedule takes of them.
func (a *App) Quotas(ctx context.Context) (*Quotas, error) {
	scheduled, err := a.Select(nil, "")
	if err != nil {
		return nil, err
	}
	var input planning.Input
	if input.Streams, err = a.Foresee(ctx, scheduled); err != nil {
		return nil, err
	}
	if input.Services, err = a.Allowances(ctx, scheduled); err != nil {
		return nil, err
	}
	made := planning.Make(input)
	supplies := &Quotas{services: make(map[QuotaKey]*planning.Service), schedule: make(map[QuotaKey]float64)}
	for i := range input.Services {
		service := &input.Services[i]
		account := QuotaKey{service.Organization, service.Name}
		supplies.services[account], supplies.schedule[account] = service, made.Services[i].CallsPerDay
	}
	return supplies, nil
}

// Under returns how a demand of backfills uses an allowance; false if the allowance is not
// configured.
func (s *Quotas) Under(account QuotaKey, demand planning.BackfillCost) (planning.Quota, bool) {
	service, known := s.services[account]
	if !known {
		return planning.Quota{}, false
	}
	demand.Schedule = s.schedule[account]
	return planning.Under(service, demand), true
}

// LastWeek is how many calls a day a service took in the last week: those of sluice, and those of
// other programs by the responses of upstream. Each is nil if no day of it is known.
type LastWeek struct {
	Organization string         `json:"organization"`
	Service      string         `json:"service"`
	Calls        *planning.Week `json:"calls"`
	Others       *planning.Week `json:"calls_of_others"`
}

// LastWeek returns the last week of a service.
func (a *App) LastWeek(ctx context.Context, organization, service string) (LastWeek, error) {
	const days, day = 7, 24 * time.Hour
	week, now := LastWeek{Organization: organization, Service: service}, a.options.Now()
	own, err := a.DB.SameSpan(ctx, organization, service, now, now.Add(day), days)
	if err != nil {
		return week, err
	}
	others, err := a.DB.OthersIn(ctx, organization, service, now.Add(-days*day), now)
	if err != nil {
		return week, err
	}
	counts := make([]int64, len(own))
	for i := range own {
		counts[i] = own[i].Calls
	}
	week.Calls = planning.WeekOf(counts)
	counts = make([]int64, len(others))
	for i := range others {
		counts[i] = others[i].Calls
	}
	week.Others = planning.WeekOf(counts)
	return week, nil
}
