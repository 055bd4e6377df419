package engine

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/engine/config"
	"sluice/pipeline/planning"
	"sluice/pipeline/warehouse/calls"
)

// Allowances returns the allowances for the calls of streams. The limits are those of the
// configuration; the spent calls and the time of a call are those of the call log.
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
	hours, err := a.DB.Hours(ctx, o.Key)
	if err != nil {
		return nil, fmt.Errorf("read what organization %s spent: %w", o.Key, err)
	}
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
		allowance, err := a.allowance(ctx, o.Key, service.Name, hours)
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

func (a *App) allowance(ctx context.Context, organization, service string, hours []calls.Hour) (planning.Service, error) {
	limits, err := a.Limits(organization, service)
	if err != nil {
		return planning.Service{}, err
	}
	budget, err := a.DB.BudgetLeft(ctx, organization, service)
	if err != nil {
		return planning.Service{}, fmt.Errorf("read what is left of the day: %w", err)
	}
	allowance := planning.Service{
		Organization: organization, Name: service, Shared: limits.Shared,
		Day:  planning.Day{Limit: limits.Daily},
		Pace: planning.Pace{PerMinute: limits.PerMinute, Concurrent: limits.Concurrent, Latency: planning.AssumedLatency},
	}
	hours = slices.DeleteFunc(slices.Clone(hours), func(h calls.Hour) bool { return h.Service != service })
	var answered int64
	var took float64
	for _, hour := range hours {
		allowance.Day.Spent[hour.Ago] += int(hour.Calls)
		answered, took = answered+hour.Answered, took+hour.Seconds
	}
	allowance.Ceilings = ceilings(limits, hours)
	if answered > 0 {
		allowance.Pace.Latency = seconds(took / float64(answered))
	}
	if limits.ResetZone != "" {
		if err := a.turns(ctx, &allowance, limits); err != nil {
			return planning.Service{}, err
		}
	}
	a.heard(&allowance.Day, budget)
	return allowance, nil
}

// turns counts the calls of a day that begins at a fixed hour: those since its beginning, all of
// which stop counting when the next day begins.
func (a *App) turns(ctx context.Context, allowance *planning.Service, limits pipeline.Limits) error {
	day, err := a.DB.Day(ctx, allowance.Organization, allowance.Name, limits)
	if err != nil || day.Turn == nil {
		return err
	}
	ago := agoThatEnds(day.Turn.Sub(day.At), len(allowance.Day.Spent))
	at := func(of planning.Day, spent int64) planning.Day {
		of.Spent = planning.Day{}.Spent
		of.Spent[ago] = int(spent)
		return of
	}
	allowance.Day = at(allowance.Day, day.Spent)
	for class, of := range allowance.Ceilings {
		allowance.Ceilings[class] = at(of, day.ByClass[class])
	}
	return nil
}

// ceilings returns the allowances of the classes that may spend only a part of the day.
func ceilings(limits pipeline.Limits, hours []calls.Hour) map[pipeline.Class]planning.Day {
	shares := limits.Shares
	if shares == nil {
		shares = pipeline.DefaultShares()
	}
	days := make(map[pipeline.Class]planning.Day)
	for class, share := range shares {
		if share.Ceiling <= 0 || limits.Daily == 0 {
			continue
		}
		day := planning.Day{Limit: int(share.Ceiling * float64(limits.Daily))}
		for _, hour := range hours {
			if hour.Class == string(class) {
				day.Spent[hour.Ago] += int(hour.Calls)
			}
		}
		days[class] = day
	}
	return days
}

// heard adds what upstream said about the day: the calls of other programs, and that the day is
// exhausted. Both stop counting at the instant that upstream names.
func (a *App) heard(day *planning.Day, budget calls.Budget) {
	now := a.options.Now()
	if budget.LimitSeen != nil && budget.RemainingSeen != nil && budget.ResetAt != nil && budget.ResetAt.After(now) {
		others := *budget.LimitSeen - *budget.RemainingSeen - int(budget.Day)
		day.Spent[agoThatEnds(budget.ResetAt.Sub(now), len(day.Spent))] += max(others, 0)
	}
	if until := budget.ExhaustedUntil; until != nil {
		day.Spent[agoThatEnds(until.Sub(now), len(day.Spent))] += day.Left()
	}
}

// agoThatEnds returns the age in hours of a call that stops counting after a time from now.
func agoThatEnds(in time.Duration, day int) int {
	return min(max(day-int(math.Ceil(in.Hours())), 0), day-1)
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
		if err := a.storeFloors(service); err != nil {
			return nil, err
		}
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

// storeFloors lowers the ceiling of backfills to what the floors of the other classes leave.
func (a *App) storeFloors(service *planning.Service) error {
	limits, err := a.Limits(service.Organization, service.Name)
	if err != nil || limits.Daily == 0 {
		return err
	}
	shares := limits.Shares
	if shares == nil {
		shares = pipeline.DefaultShares()
	}
	free := 1.0
	for class, share := range shares {
		if class != pipeline.ClassBackfill {
			free -= share.Floor
		}
	}
	day, limited := service.Ceilings[pipeline.ClassBackfill]
	if most := int(free * float64(limits.Daily)); limited && day.Limit > most {
		day.Limit = most
		service.Ceilings[pipeline.ClassBackfill] = day
	}
	return nil
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
