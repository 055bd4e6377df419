package app

import (
	"fmt"

	"sluice/pipeline"
	"sluice/schema"
)

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
