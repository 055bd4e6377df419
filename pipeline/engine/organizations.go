package engine

import (
	"context"
	"fmt"
	"sync"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/engine/config"
)

// organization finds an organization by the key under which its rows are kept.
func (a *App) organization(key string) *config.Organization {
	for i := range a.Config.Organizations {
		if a.Config.Organizations[i].Key == key {
			return &a.Config.Organizations[i]
		}
	}
	return nil
}

// zones are the time zones that upstream names, by organization. It is safe for
// concurrent use.
type zones struct {
	mu   sync.Mutex
	seen map[string]*time.Location
	// names are what seen was made of.
	names map[string]string
}

// follow keeps a zone if its name is another one than before.
func (z *zones) follow(organization, name string) {
	z.mu.Lock()
	known := z.seen != nil && z.names[organization] == name
	z.mu.Unlock()
	if !known {
		z.set(organization, name)
	}
}

// set keeps a zone by its name; one that is unknown here is kept as none.
func (z *zones) set(organization, name string) *time.Location {
	zone := locationOf(name)
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.seen == nil {
		z.seen, z.names = make(map[string]*time.Location), make(map[string]string)
	}
	z.seen[organization], z.names[organization] = zone, name
	return zone
}

func (z *zones) get(organization string) *time.Location {
	z.mu.Lock()
	defer z.mu.Unlock()
	return z.seen[organization]
}

// locationOf gives the zone of a name, nil if there is none.
func locationOf(name string) *time.Location {
	if name == "" || name == "Local" {
		return nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil
	}
	return zone
}

// Zone is the time zone of an organization: that of the configuration, else what
// upstream said when the organization was last checked.
func (a *App) Zone(key string) *time.Location {
	if o := a.organization(key); o != nil && o.Location != nil {
		return o.Location
	}
	if zone := a.zones.get(key); zone != nil {
		return zone
	}
	return time.UTC
}

// readZones fills in what upstream said in earlier runs.
func (a *App) readZones(ctx context.Context) error {
	known, err := a.Report.Organizations(ctx)
	if err != nil {
		return fmt.Errorf("read what is known of the organizations: %w", err)
	}
	for i := range known {
		a.zones.set(known[i].Organization, known[i].TimeZone)
	}
	return nil
}

// zoned notes in which time zone the chunk that is about to begin reads, by what upstream said last to whichever process. If
// the configuration changed it, what was read before was read wrong: the rows of the resource become due to be written anew. If upstream
// did, rows are what they were when they were read, and whole lists are read again (warehouse.PinOrganization).
func (a *App) zoned(ready func(context.Context, pipeline.Stream) error) func(context.Context, pipeline.Stream) error {
	return func(ctx context.Context, stream pipeline.Stream) error {
		if err := ready(ctx, stream); err != nil {
			return err
		}
		known, err := a.DB.ZonesOf(ctx, stream)
		if err != nil {
			return err
		}
		a.zones.follow(stream.Organization, known.Upstream)
		now := a.Zone(stream.Organization).String()
		if now == known.Read {
			return nil
		}
		o := a.organization(stream.Organization)
		moved := o.Location == nil && known.Read == known.Before
		if known.Read != "" {
			a.Log.WarnContext(ctx, "the organization has another time zone", "stream", stream.String(), "before", known.Read, "now", now, "by_upstream", moved)
		}
		return a.DB.NoteZone(ctx, stream, now, !moved)
	}
}

// Accept pins an organization to the name that upstream gives now. It makes one
// call, for what a person accepts has to be what upstream says.
func (i *Identities) Accept(ctx context.Context, o *config.Organization) (Seen, error) {
	seen, err := i.ask(ctx, o)
	if err != nil {
		return seen, err
	}
	if !seen.Found {
		return seen, fmt.Errorf("%w: upstream does not say who organization %s is: there is nothing to accept", ErrUsage, o.Name)
	}
	if err := i.app.DB.AcceptOrganization(ctx, o.Key, seen.Identity); err != nil {
		return seen, fmt.Errorf("accept organization %s: %w", o.Name, err)
	}
	return seen, nil
}
