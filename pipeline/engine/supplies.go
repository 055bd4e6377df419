package engine

import (
	"context"

	"sluice/pipeline"
	"sluice/pipeline/planning"
)

// Account names an allowance: a service of an organization.
type Account struct{ Organization, Service string }

// Supplies are the allowances beside the regular schedule, as they are now.
type Supplies struct {
	services map[Account]*planning.Service
	schedule map[Account]float64
}

// Supplies reads what is left of all allowances and what the schedule takes of them.
func (a *App) Supplies(ctx context.Context) (*Supplies, error) {
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
	supplies := &Supplies{services: make(map[Account]*planning.Service), schedule: make(map[Account]float64)}
	for i := range input.Services {
		service := &input.Services[i]
		if err := a.keepFloors(service); err != nil {
			return nil, err
		}
		account := Account{service.Organization, service.Name}
		supplies.services[account], supplies.schedule[account] = service, made.Services[i].CallsPerDay
	}
	return supplies, nil
}

// Under says what becomes of an allowance under a demand of backfills; false if the
// configuration does not have it.
func (s *Supplies) Under(account Account, demand planning.Demand) (planning.Supply, bool) {
	service, known := s.services[account]
	if !known {
		return planning.Supply{}, false
	}
	demand.Schedule = s.schedule[account]
	return planning.Under(service, demand), true
}

// keepFloors takes what is kept for other classes off the ceiling of backfills.
func (a *App) keepFloors(service *planning.Service) error {
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
