package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/planning"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/calls"
	"sluice/pipeline/warehouse/streams/backfills"
)

// Rehearse plays the present configuration and that of a file for some days, with what the
// warehouse has measured. It registers nothing and changes nothing. An error about the file names
// all its mistakes.
func (a *App) Rehearse(ctx context.Context, file string, days int) (planning.Comparisons, error) {
	options := a.options
	options.ConfigPath = file
	other, err := Load(options)
	if err != nil {
		return planning.Comparisons{}, err
	}
	other.DB, other.URL = a.DB, a.URL
	if err := other.readZones(ctx); err != nil {
		return planning.Comparisons{}, err
	}
	others, err := a.othersByHour(ctx)
	if err != nil {
		return planning.Comparisons{}, err
	}
	var played [2]planning.Rehearsal
	for i, of := range []*App{a, other} {
		input, err := of.rehearsal(ctx, a, others, days)
		if err != nil {
			return planning.Comparisons{}, err
		}
		played[i] = planning.Rehearse(input)
	}
	return planning.Compare(&played[0], &played[1], planning.DefaultTolerance()), nil
}

// weekOfOthers are the calls of others by weekday and hour.
type weekOfOthers [7][24]float64

// othersByHour returns what others usually spend.
func (a *App) othersByHour(ctx context.Context) (map[QuotaKey]weekOfOthers, error) {
	all, err := a.Others(ctx, "")
	if err != nil {
		return nil, err
	}
	weeks := make(map[QuotaKey]weekOfOthers)
	for i := range all {
		weeks[QuotaKey{Organization: all[i].Organization, Service: all[i].Service}] = all[i].Week
	}
	return weeks, nil
}

// rehearsal is what a configuration is played with. Present is the configuration in force: where an
// interval is the same in both, the one that was learned counts.
func (a *App) rehearsal(ctx context.Context, present *App, others map[QuotaKey]weekOfOthers, days int) (*planning.RehearsalInput, error) {
	wanted := slices.DeleteFunc(a.Streams(), func(s pipeline.Stream) bool { return !a.Enabled(s) || s.Work == pipeline.WorkHinted })
	foreseen, err := a.Foresee(ctx, wanted)
	if err != nil {
		return nil, err
	}
	a.intervals(foreseen, present)
	bound, err := a.Bounds(ctx)
	if err != nil {
		return nil, err
	}
	input := &planning.RehearsalInput{
		Streams: foreseen, Bounds: make(map[pipeline.Key]time.Duration), Workers: a.Config.Workers, Days: days, Seed: 1,
		From: a.options.Now().UTC().Truncate(24 * time.Hour), //nolint:mnd // the day begins
	}
	for i := range foreseen {
		input.Bounds[foreseen[i].Key] = bound(foreseen[i].Key, foreseen[i].Every)
	}
	if input.Services, err = a.rehearsedServices(ctx, wanted, others); err != nil {
		return nil, err
	}
	open, err := a.DB.List(ctx, backfills.Filter{Open: true})
	if err != nil {
		return nil, fmt.Errorf("read the backfills: %w", err)
	}
	for i := range open {
		b := &open[i]
		left := planning.BackfillCallsLeft(b)
		if left == nil || b.State == "paused" {
			continue
		}
		if a.service(b.Service) != nil && a.organization(b.Organization) != nil {
			key := pipeline.Key{Organization: b.Organization, Service: b.Service, Resource: b.Resource + "." + string(pipeline.WorkBackfill)}
			input.Backfills = append(input.Backfills, planning.RehearsedBackfill{Key: key, Calls: *left})
		}
	}
	return input, nil
}

// intervals sets the intervals of streams: the one in force where the present configuration says
// the same, else that of this configuration.
func (a *App) intervals(foreseen []planning.Stream, present *App) {
	said := func(of *App) map[pipeline.Key]warehouse.StreamSetting {
		by := make(map[pipeline.Key]warehouse.StreamSetting)
		for _, setting := range of.settings() {
			by[setting.Key] = setting
		}
		return by
	}
	own, before := said(a), said(present)
	for i := range foreseen {
		s := &foreseen[i]
		setting := own[s.Key]
		if was, known := before[s.Key]; !known || was.Every != setting.Every || was.Ceiling != setting.Ceiling || s.Every <= 0 {
			s.Every = setting.Every
		}
		s.Every = max(s.Every, time.Minute)
	}
}

func (a *App) rehearsedServices(
	ctx context.Context, streams []pipeline.Stream, others map[QuotaKey]weekOfOthers,
) ([]planning.RehearsedService, error) {
	hours := make(map[string][]calls.Hour)
	var all []planning.RehearsedService
	for _, stream := range streams {
		key := QuotaKey{Organization: stream.Organization, Service: stream.Service.Name}
		if slices.ContainsFunc(all, func(s planning.RehearsedService) bool {
			return s.Organization == key.Organization && s.Name == key.Service
		}) {
			continue
		}
		limits, err := a.Limits(key.Organization, key.Service)
		if err != nil {
			return nil, err
		}
		if _, read := hours[key.Organization]; !read {
			if hours[key.Organization], err = a.DB.Hours(ctx, key.Organization); err != nil {
				return nil, fmt.Errorf("read what organization %s spent: %w", key.Organization, err)
			}
		}
		all = append(all, planning.RehearsedService{
			Organization: key.Organization, Name: key.Service, Limits: limits, Zone: a.zoneOfDay(key.Organization, limits),
			Latency: latencyOf(hours[key.Organization], key.Service), Others: others[key],
		})
	}
	return all, nil
}

// latencyOf returns the mean time of a call of a service in the last day.
func latencyOf(hours []calls.Hour, service string) time.Duration {
	var answered int64
	var took float64
	for i := range hours {
		if hours[i].Service == service {
			answered, took = answered+hours[i].Answered, took+hours[i].Seconds
		}
	}
	if answered == 0 {
		return planning.AssumedLatency
	}
	return seconds(took / float64(answered))
}

// zoneOfDay is the zone in which the days of a service turn.
func (a *App) zoneOfDay(organization string, limits pipeline.Limits) *time.Location {
	if zone, err := time.LoadLocation(limits.ResetZone); err == nil && limits.ResetZone != "" {
		return zone
	}
	return a.Zone(organization)
}
