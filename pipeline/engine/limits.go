package engine

import (
	"fmt"

	"sluice/pipeline"
	"sluice/pipeline/engine/config"
	"sluice/schema"
)

// service returns a declared service; nil if there is none of that name.
func (a *App) service(name string) *schema.Service {
	return find(a.Catalogue, func(s *schema.Service) bool { return s.Name == name })
}

// Limits returns the limits that apply to calls of a service.
func (a *App) Limits(organization, name string) (pipeline.Limits, error) {
	if name == tokenService {
		return tokenLimits(), nil
	}
	if o := a.organizations[organization]; o != nil {
		if limits, known := o.Limits[name]; known {
			return limits, nil
		}
	}
	return pipeline.Limits{}, fmt.Errorf("%w: no service %s of organization %s is configured", ErrUsage, name, organization)
}

// limits returns the documented limits of the configured plan. The services of an organization that
// share an allowance share the limits of a minute and of calls at once, so their smallest
// concurrency counts. A service with rate_scope service has an allowance of its own.
func (a *App) limits(o *config.Organization, service *schema.Service) pipeline.Limits {
	limits := pipeline.Limits{
		Shared: sharedBy(o, service), PerMinute: service.Limits.PerMinute,
		Daily: service.Limits.Plans[o.Services[service.Name].Plan].Daily, Shares: a.Config.Budget.Classes,
	}
	if reset := o.AllowanceOf(service.Name).Reset; reset != nil {
		limits.ResetZone, limits.ResetHour = reset.Zone, reset.Hour
	}
	for i := range a.Catalogue {
		other := &a.Catalogue[i]
		chosen, has := o.Services[other.Name]
		if !has || sharedBy(o, other) != limits.Shared {
			continue
		}
		at := other.Limits.Plans[chosen.Plan].Concurrent
		if limits.Concurrent == 0 || at > 0 && at < limits.Concurrent {
			limits.Concurrent = at
		}
	}
	return limits
}

// sharedBy names the allowance against which calls a minute and at once are counted. A service that
// is counted by itself has an allowance of its own name, behind a prefix that no declared allowance
// has.
func sharedBy(o *config.Organization, service *schema.Service) string {
	if o.AllowanceOf(service.Name).RateScope == config.ScopeService {
		return "service:" + service.Name
	}
	return service.Limits.Shared
}

// SharedWith returns the other services of an organization whose calls count against the same
// limits a minute and at once.
func (a *App) SharedWith(organization, name string) []string {
	o, service := a.organization(organization), a.service(name)
	if o == nil || service == nil {
		return nil
	}
	var with []string
	for i := range a.Catalogue {
		other := &a.Catalogue[i]
		if _, has := o.Services[other.Name]; has && other.Name != name && sharedBy(o, other) == sharedBy(o, service) {
			with = append(with, other.Name)
		}
	}
	return with
}

// The calls for tokens are counted as a service of their own.
const (
	tokenService    = "auth"
	tokensPerMinute = 5
)

// tokenLimits returns the limits of calls for tokens. Source: docs/upstream.md U31: 10 access
// tokens per refresh token in 10 minutes.
func tokenLimits() pipeline.Limits {
	return pipeline.Limits{Shared: tokenService, PerMinute: tokensPerMinute, Concurrent: 1}
}
