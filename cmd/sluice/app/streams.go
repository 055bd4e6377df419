package app

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"sluice/cmd/sluice/config"
	"sluice/pipeline"
	"sluice/pipeline/warehouse"
	"sluice/schema"
)

// Streams are the configured streams, in the order of the catalogue.
func (a *App) Streams() []pipeline.Stream {
	var streams []pipeline.Stream
	for i := range a.Config.Organizations {
		organization := &a.Config.Organizations[i]
		for s := range a.Catalogue {
			service := &a.Catalogue[s]
			if _, wanted := organization.Services[service.Name]; !wanted {
				continue
			}
			for r := range service.Resources {
				streams = append(streams, pipeline.Stream{
					Organization: organization.ID, Service: service, Resource: &service.Resources[r],
				})
			}
		}
	}
	return streams
}

// Stream resolves a key; false if the configuration does not have it.
func (a *App) Stream(key Key) (pipeline.Stream, bool) {
	for _, stream := range a.Streams() {
		if stream.Key() == key {
			return stream, true
		}
	}
	return pipeline.Stream{}, false
}

// Enabled says whether the configuration wants a resource copied.
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
		settings = append(settings, warehouse.StreamSetting{Key: stream.Key(), Every: chosen.Every, Enabled: chosen.Enabled})
	}
	return settings
}

// Select picks the enabled streams that a command line names: a resource
// ("bills"), a service ("inventory") or both ("inventory.bills"); nothing named
// means all. Organization, if given, is an id or a name.
func (a *App) Select(names []string, organization string) ([]pipeline.Stream, error) {
	id, err := a.organizationID(organization)
	if err != nil {
		return nil, err
	}
	var selected []pipeline.Stream
	matched := make(map[string]bool, len(names))
	for _, stream := range a.Streams() {
		if id != "" && stream.Organization != id {
			continue
		}
		wanted := len(names) == 0
		for _, name := range names {
			if name == stream.Resource.Name || name == stream.Service.Name || name == resourceName(stream) {
				wanted, matched[name] = true, true
			}
		}
		if wanted && a.Enabled(stream) {
			selected = append(selected, stream)
		}
	}
	for _, name := range names {
		if !matched[name] {
			return nil, fmt.Errorf("%w: %q is no configured resource: %s", ErrUsage, name, strings.Join(a.names(), ", "))
		}
	}
	if len(selected) == 0 {
		return nil, fmt.Errorf("%w: nothing to copy: organizations[].services and resources leave no resource enabled", ErrUsage)
	}
	return selected, nil
}

func (a *App) names() []string {
	var names []string
	for _, stream := range a.Streams() {
		names = append(names, resourceName(stream))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (a *App) organizationID(nameOrID string) (string, error) {
	if nameOrID == "" {
		return "", nil
	}
	for i := range a.Config.Organizations {
		if o := &a.Config.Organizations[i]; o.ID == nameOrID || o.Name == nameOrID {
			return o.ID, nil
		}
	}
	return "", fmt.Errorf("%w: --org %q is no configured organization", ErrUsage, nameOrID)
}

func (a *App) organization(id string) *config.Organization {
	for i := range a.Config.Organizations {
		if a.Config.Organizations[i].ID == id {
			return &a.Config.Organizations[i]
		}
	}
	return nil
}

// Zone is the time zone of an organization.
func (a *App) Zone(id string) *time.Location {
	if o := a.organization(id); o != nil && o.Location != nil {
		return o.Location
	}
	return time.UTC
}

// service finds a declared service.
func (a *App) service(name string) *schema.Service {
	for i := range a.Catalogue {
		if a.Catalogue[i].Name == name {
			return &a.Catalogue[i]
		}
	}
	return nil
}

// Limits are what calls of a service are held against: the documented fact under
// the configured plan. Minute and concurrency are shared by the services of an
// organization that share an allowance, so the smallest concurrency of them counts.
func (a *App) Limits(organization, name string) (pipeline.Limits, error) {
	if name == tokenService {
		// Source: upstream facts, "Limits, errors, tokens": 10 access tokens per
		// refresh token in 10 minutes.
		return pipeline.Limits{Shared: tokenService, PerMinute: tokensPerMinute, Concurrent: 1}, nil
	}
	o, service := a.organization(organization), a.service(name)
	if o == nil || service == nil {
		return pipeline.Limits{}, fmt.Errorf("%w: no service %s of organization %s is configured", ErrUsage, name, organization)
	}
	limits := pipeline.Limits{Shared: service.Limits.Shared, PerMinute: service.Limits.PerMinute}
	limits.Daily = service.Limits.Plans[o.Services[name].Plan].Daily
	for i := range a.Catalogue {
		other := &a.Catalogue[i]
		chosen, has := o.Services[other.Name]
		if !has || other.Limits.Shared != limits.Shared {
			continue
		}
		at := other.Limits.Plans[chosen.Plan].Concurrent
		if limits.Concurrent == 0 || at > 0 && at < limits.Concurrent {
			limits.Concurrent = at
		}
	}
	return limits, nil
}

// The calls for tokens are counted as a service of their own.
const (
	tokenService    = "auth"
	tokensPerMinute = 5
)
