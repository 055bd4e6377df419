package engine

import (
	"context"

	"sluice/pipeline"
	"sluice/pipeline/planning"
)

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
