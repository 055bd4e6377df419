package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/engine/config"
	"sluice/pipeline/planning"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/capabilities"
	"sluice/schema"
)

// Streams returns the configured streams, in the order of the catalogue: each list, followed by its
// details, its sweep and its look. It leaves out a list under parents if its declaration takes none
// from the warehouse and the configuration names none.
func (a *App) Streams() []pipeline.Stream {
	var streams []pipeline.Stream
	for i := range a.Config.Organizations {
		organization := &a.Config.Organizations[i]
		for s := range a.Catalogue {
			service := &a.Catalogue[s]
			setting, wanted := organization.Services[service.Name]
			if !wanted {
				continue
			}
			for r := range service.Resources {
				stream := pipeline.Stream{
					Organization: organization.Key, Org: a.organizations[organization.Key], Service: service, Resource: &service.Resources[r],
				}
				stream.LeaveOut = a.redactors[resourceName(stream)]
				if hasParents(stream.Resource, setting) {
					streams = append(streams, a.worksOf(stream)...)
				}
			}
		}
	}
	return streams
}

// hasParents reports whether a resource's list can be requested at all. A list under parents takes
// them from the warehouse, or the configuration has to name some.
func hasParents(resource *schema.Resource, setting config.Service) bool {
	cursor, perParent := resource.Cursor.(schema.PerParent)
	return !perParent || len(cursor.From) > 0 || len(setting.Listed(cursor.Listed)) > 0
}

// worksOf returns the streams of one resource: its list and, where they exist, its details, its
// sweep, its look, and what change notifications tell of.
func (a *App) worksOf(list pipeline.Stream) []pipeline.Stream {
	works, chosen := []pipeline.Stream{list}, a.resource(list)
	for _, beside := range []struct {
		work   pipeline.Work
		exists bool
	}{
		{pipeline.WorkDetails, list.Resource.Details != nil},
		{pipeline.WorkSweep, chosen.Sweep > 0},
		{pipeline.WorkLook, chosen.Look > 0},
		{pipeline.WorkHinted, a.toldOf(list) && (list.Resource.SinglesAtOnce() > 0 || list.Resource.ToldByParent() != "")},
	} {
		if beside.exists {
			list.Work = beside.work
			works = append(works, list)
		}
	}
	return works
}

// onlyLists leaves out streams that are no lists.
func onlyLists(streams []pipeline.Stream) []pipeline.Stream {
	return slices.DeleteFunc(streams, func(s pipeline.Stream) bool { return s.Work != pipeline.WorkList })
}

// Phases splits streams in two: lists, and the streams that need what lists bring, which are
// details and lists under parents.
func Phases(streams []pipeline.Stream) [][]pipeline.Stream {
	var lists, rest []pipeline.Stream
	for _, stream := range streams {
		_, perParent := stream.Resource.Cursor.(schema.PerParent)
		if perParent || stream.Work == pipeline.WorkDetails {
			rest = append(rest, stream)
			continue
		}
		lists = append(lists, stream)
	}
	return [][]pipeline.Stream{lists, rest}
}

// Stream resolves a key, also that of a backfill; false if it is not configured.
func (a *App) Stream(key Key) (pipeline.Stream, bool) {
	key, backfill := listOf(key)
	for _, stream := range a.Streams() {
		if stream.Key() != key {
			continue
		}
		if backfill && stream.Work == pipeline.WorkList {
			stream.Work = pipeline.WorkBackfill
		}
		return stream, backfill == (stream.Work == pipeline.WorkBackfill)
	}
	return pipeline.Stream{}, false
}

// Enabled reports whether the configuration has the stream's resource copied.
func (a *App) Enabled(stream pipeline.Stream) bool {
	return a.resource(stream).Enabled
}

func (a *App) resource(stream pipeline.Stream) config.Resource {
	return a.Config.Resources[resourceName(stream)]
}

func resourceName(stream pipeline.Stream) string {
	return stream.Service.Name + "." + stream.Resource.Name
}

func (a *App) settings() []warehouse.StreamSetting {
	streams := a.Streams()
	settings := make([]warehouse.StreamSetting, 0, len(streams))
	for _, stream := range streams {
		chosen := a.resource(stream)
		setting := warehouse.StreamSetting{Key: stream.Key(), Every: chosen.Every, Enabled: chosen.Enabled}
		switch stream.Work {
		case pipeline.WorkDetails:
			setting.Every = planning.DetailsEvery // they follow their list
		case pipeline.WorkSweep:
			setting.Every, setting.After = chosen.Sweep, planning.FirstSweep(setting.Key, chosen.Sweep)
		case pipeline.WorkLook:
			setting.Every, setting.After = chosen.Look, planning.FirstSweep(setting.Key, chosen.Look)
		case pipeline.WorkHinted:
			setting.Every, setting.After = planning.HintedEvery, planning.HintedEvery
		case pipeline.WorkList:
			if a.toldOf(stream) {
				setting.Hinted = chosen.Notified.Every
			}
		case pipeline.WorkBackfill:
		}
		settings = append(settings, setting)
	}
	return settings
}

// listParents stores which parents the configuration names, also where it no longer names any.
func (a *App) listParents(ctx context.Context) error {
	for _, stream := range a.Streams() {
		cursor, perParent := stream.Resource.Cursor.(schema.PerParent)
		if !perParent || cursor.Listed == "" || stream.Work != pipeline.WorkList {
			continue
		}
		ids := a.organization(stream.Organization).Services[stream.Service.Name].Listed(cursor.Listed)
		if err := a.DB.ListParents(ctx, stream, ids); err != nil {
			return fmt.Errorf("note the %s of the configuration: %w", cursor.Listed, err)
		}
	}
	return nil
}

// The calls that one run over details or parents may spend where the configuration does not say: a
// tenth of the day, and 20 at least. The rest is for lists and for the other runs of the day.
const (
	allowanceShare = 10
	allowanceLeast = 20
	// allowanceFree is for services without a daily limit.
	allowanceFree = 500
)

// countShare is the part of a service's day that counts of its lists may take.
const countShare = 0.03

// CountEvery returns the least time between two counts of a stream's list; zero if the configuration
// wants none. The interval grows until the counts of all lists of the service take a small part of
// its day.
func (a *App) CountEvery(stream pipeline.Stream) time.Duration {
	if a.Config.Totals.Use == config.TotalsOff {
		return 0
	}
	lists := 0
	for i := range stream.Service.Resources {
		list := pipeline.Stream{Organization: stream.Organization, Org: stream.Org, Service: stream.Service, Resource: &stream.Service.Resources[i]}
		if list.Countable() && a.resource(list).Enabled {
			lists++
		}
	}
	every := a.Config.Totals.Every
	if daily := stream.Org.Limits[stream.Service.Name].Daily; daily > 0 {
		every = max(every, time.Duration(float64(24*time.Hour)*float64(lists)/(countShare*float64(daily))))
	}
	return every
}

// Uncounted says why a list was not counted.
func (a *App) Uncounted(ctx context.Context, list pipeline.Stream) (string, error) {
	if a.CountEvery(list) == 0 {
		return "totals.use is off", nil
	}
	known, err := capabilities.New(a.DB.Pool()).Capabilities(ctx, list)
	if err != nil {
		return "", err
	}
	switch v := known[pipeline.CapabilityTotal]; v.Answer {
	case pipeline.AnswerNo:
		return v.Evidence, nil
	case pipeline.AnswerYes:
		return "no run has asked: sluice status --why", nil
	default:
		return "whether it can say its number is found out when it is read whole next", nil
	}
}

// Allowance returns how many calls one run over details or parents of a stream may spend, or one
// over hints; 0 for backfills, which only the budget bounds.
func (a *App) Allowance(stream pipeline.Stream) int {
	switch stream.Work {
	case pipeline.WorkBackfill:
		return 0
	case pipeline.WorkHinted:
		return a.Config.Notifications.HintedPerMinute
	case pipeline.WorkList, pipeline.WorkDetails, pipeline.WorkSweep, pipeline.WorkLook:
	}
	if chosen := a.resource(stream).CallsPerRun; chosen > 0 {
		return chosen
	}
	daily := stream.Org.Limits[stream.Service.Name].Daily
	if daily == 0 {
		return allowanceFree
	}
	return max(daily/allowanceShare, allowanceLeast)
}
