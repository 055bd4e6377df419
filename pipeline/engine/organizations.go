package engine

import (
	"context"
	"fmt"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/engine/config"
	"sluice/pipeline/upstream"
	"sluice/pipeline/warehouse/postgres"
)

// organization returns the configured organization with a key; nil if there is none.
func (a *App) organization(key string) *config.Organization { return organizationIn(a.Config, key) }

func organizationIn(conf *config.Config, key string) *config.Organization {
	return find(conf.Organizations, func(o *config.Organization) bool { return o.Key == key })
}

// find returns the first of several values that is wanted; nil if none is.
func find[T any](all []T, wanted func(*T) bool) *T {
	for i := range all {
		if wanted(&all[i]) {
			return &all[i]
		}
	}
	return nil
}

// resolve returns what the stages need of a configured organization.
func (a *App) resolve(o *config.Organization) *pipeline.Organization {
	resolved := &pipeline.Organization{
		Key: o.Key, ID: o.ID, DataCenter: o.DataCenter, Location: o.Location,
		Addresses: pipeline.Addresses{API: o.Addresses.APIURL, Chat: o.Addresses.ChatURL, Auth: o.Addresses.AuthURL},
		BaseURLs:  make(map[string]string),
		Limits:    map[string]pipeline.Limits{tokenService: tokenLimits(), upstream.NotificationService: watchLimits()},
	}
	for i := range a.Catalogue {
		service := &a.Catalogue[i]
		resolved.BaseURLs[service.Name], resolved.Limits[service.Name] = o.Services[service.Name].BaseURL, a.limits(o, service)
	}
	return resolved
}

// Organization returns an organization of the configuration or of the warehouse by its key; nil if
// there is none.
func (a *App) Organization(key string) *pipeline.Organization { return a.organizations[key] }

// Zone returns the time zone of the organization with a key.
func (a *App) Zone(key string) *time.Location { return a.organizations[key].Zone() }

// readZones restores the time zones that upstream named in earlier runs.
func (a *App) readZones(ctx context.Context) error {
	known, err := a.DB.Organizations(ctx)
	if err != nil {
		return fmt.Errorf("read what is known of the organizations: %w", err)
	}
	for i := range known {
		o := a.organizations[known[i].Organization]
		if o == nil { // its rows are still there
			o = &pipeline.Organization{Key: known[i].Organization}
			a.organizations[o.Key] = o
		}
		o.FollowZone(known[i].TimeZone)
	}
	return nil
}

// zoned records the time zone in which the next chunk reads, by what upstream last told any
// process. If the configuration changed the zone, earlier rows were read wrong, and the resource is
// marked to have them written anew. If upstream changed it, earlier rows were right when they were
// read, and whole lists are read again (warehouse.PinOrganization).
func (a *App) zoned(ready func(context.Context, pipeline.Stream) error) func(context.Context, pipeline.Stream) error {
	return func(ctx context.Context, stream pipeline.Stream) error {
		if err := ready(ctx, stream); err != nil {
			return err
		}
		known, err := a.DB.ZonesOf(ctx, stream)
		if err != nil {
			return err
		}
		stream.Org.FollowZone(known.Upstream)
		now := stream.Org.Zone().String()
		if now == known.Read {
			return nil
		}
		moved := stream.Org.Location == nil && known.Read == known.Before
		if known.Read != "" {
			about(a.Log, stream.Key()).WarnContext(ctx, "the organization has another time zone",
				"time_zone_before", known.Read, "time_zone", now, "by_upstream", moved)
		}
		return a.DB.NoteZone(ctx, stream, now, !moved)
	}
}

// Accept pins an organization to the name that upstream gives now. It makes a call, because the
// operator has to accept what upstream says at that moment.
func (i *Identities) Accept(ctx context.Context, o *config.Organization) (Seen, error) {
	seen, err := i.ask(ctx, o)
	if err != nil {
		return seen, err
	}
	if !seen.Found {
		return seen, fmt.Errorf("%w: upstream gives no identity of organization %s: there is nothing to accept", ErrUsage, o.Name)
	}
	return seen, postgres.Fail("accept organization "+o.Name, i.app.DB.AcceptOrganization(ctx, o.Key, seen.Identity))
}
