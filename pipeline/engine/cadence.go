package engine

import (
	"context"
	"fmt"

	"sluice/pipeline"
	"sluice/pipeline/planning"
	"sluice/pipeline/warehouse/streams"
)

// replanLimit bounds the services of one turn: with a turn a minute, 4,000 services take ten
// minutes.
const replanLimit = 400

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
	services, err := a.DB.Unplanned(ctx, organizations, planning.ReplanAfter, replanLimit)
	if err != nil {
		return fmt.Errorf("work out intervals: %w", err)
	}
	if len(services) == 0 {
		return nil
	}
	known := make(map[Key]planning.Scheduled)
	for _, stream := range a.Streams() {
		known[stream.Key()] = planning.Scheduled{Class: pipeline.ClassOf(stream), Promised: a.resource(stream).Freshness > 0}
	}
	var plans []streams.Plan
	for i := range services {
		limits, err := a.Limits(services[i].Organization, services[i].Name)
		if err != nil {
			continue // another configuration on this database has the service
		}
		plans = append(plans, planning.Intervals(&services[i], limits, a.Config.Schedule.Floor, known)...)
	}
	if err := a.DB.StorePlans(ctx, plans); err != nil {
		return fmt.Errorf("work out intervals: %w", err)
	}
	return nil
}
