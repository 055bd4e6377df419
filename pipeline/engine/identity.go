package engine

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"sluice/pipeline"
	"sluice/pipeline/engine/config"
	"sluice/pipeline/outside"
	"sluice/pipeline/upstream"
	"sluice/pipeline/warehouse"
	"sluice/schema"
)

// identityGood is for how long one look at the organizations upstream counts, in all processes.
const identityGood = 6 * time.Hour

// organizationsName is the resource that lists the businesses of the credentials.
const organizationsName = "organizations"

// Identities holds organizations against what upstream says about them: a wrong identifier must not
// mix two businesses. It is safe for concurrent use.
type Identities struct {
	app    *App
	client *upstream.Client
	// looks joins those who ask about one organization at the same time: one call is enough, and
	// its failure is that of all of them.
	looks singleflight.Group

	mu sync.Mutex
	// good is until when the last look at an organization counts.
	good map[string]time.Time
}

// Identities makes one over a client.
func (a *App) Identities(client *upstream.Client) *Identities {
	return &Identities{app: a, client: client, good: make(map[string]time.Time)}
}

// Ready says whether a stream's organization is the one that it was. Its errors are those of the
// call, or of kind Denied if a person has to decide.
func (i *Identities) Ready(ctx context.Context, stream pipeline.Stream) error {
	o := i.app.organization(stream.Organization)
	if o == nil {
		return fmt.Errorf("%w: no organization %s is configured", ErrUsage, stream.Organization)
	}
	if i.isGood(o.Key) {
		return nil
	}
	look := i.looks.DoChan(o.Key, func() (any, error) {
		if i.isGood(o.Key) {
			return nil, nil //nolint:nilnil // the error is all that is asked for
		}
		return nil, i.verify(ctx, o)
	})
	select {
	case result := <-look:
		return result.Err
	case <-ctx.Done():
		return fmt.Errorf("wait to hear who organization %s is: %w", o.Key, context.Cause(ctx))
	}
}

// isGood says that the last look at an organization still counts.
func (i *Identities) isGood(key string) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.app.options.Now().Before(i.good[key])
}

// verify looks, unless another process has lately.
func (i *Identities) verify(ctx context.Context, o *config.Organization) error {
	checked, err := i.app.checkedAt(ctx, o.Key)
	if err != nil {
		return err
	}
	now := i.app.options.Now()
	if !now.Before(checked.Add(identityGood)) {
		seen, err := i.Look(ctx, o)
		if err != nil {
			return err
		}
		if seen.Warning != "" {
			i.app.Log.WarnContext(ctx, seen.Warning, "organization", o.Key)
		}
		checked = now
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.good[o.Key] = checked.Add(identityGood)
	return nil
}

// Seen is what a look at an organization found.
type Seen struct {
	warehouse.Identity

	// Found says that upstream listed it; false if no service could be asked.
	Found bool
	// Warning says what does not stop the work and a person should know; "" if nothing.
	Warning string
}

// Look asks upstream, with one call, and pins the name at first sight.
func (i *Identities) Look(ctx context.Context, o *config.Organization) (Seen, error) {
	seen, err := i.ask(ctx, o)
	if err != nil || !seen.Found {
		return seen, err
	}
	if !seen.Active {
		return seen, i.app.denied("organization %s (%s) is no longer active upstream: reactivate it there, or remove it from the configuration",
			o.Name, o.ID)
	}
	_, err = i.app.DB.PinOrganization(ctx, o.Key, seen.Identity)
	if errors.Is(err, warehouse.ErrOtherOrganization) {
		return seen, &pipeline.Error{Kind: pipeline.Denied, Err: i.app.options.Scrub.Cause(err)}
	}
	if err != nil {
		return seen, fmt.Errorf("note who organization %s is: %w", o.Key, err)
	}
	seen.Warning = zoneWarning(o, i.app.organizations[o.Key].FollowZone(seen.TimeZone), seen.TimeZone, i.app.options.Now())
	return seen, nil
}

// ask finds the organization among those of the credentials. A service that does not let them be
// listed is passed over: whether its own streams are denied is for them to find out (invariant 9).
// Nothing found and no error means that none does.
func (i *Identities) ask(ctx context.Context, o *config.Organization) (Seen, error) {
	refused := false
	for s := range i.app.Catalogue {
		service := &i.app.Catalogue[s]
		list := organizationsOf(service)
		if _, configured := o.Services[service.Name]; !configured || list == nil {
			continue
		}
		answer, err := i.client.Get(ctx, service, i.app.organizations[o.Key], list.Path, list.Params, list.Key)
		if cannotList(err) {
			refused = true
			continue
		}
		if err != nil {
			return Seen{}, fmt.Errorf("ask who organization %s is: %w", o.Key, err)
		}
		found, err := i.app.identityIn(answer, o)
		return Seen{Identity: found, Found: err == nil}, err
	}
	if refused {
		return Seen{Warning: "upstream does not let the credentials list their organizations: whether the id is the right one is not checked"}, nil
	}
	return Seen{}, nil
}

// organizationsOf is the list of organizations that a service has, nil if none.
func organizationsOf(service *schema.Service) *schema.Resource {
	for r := range service.Resources {
		if service.Resources[r].Name == organizationsName {
			return &service.Resources[r]
		}
	}
	return nil
}

// checkedAt is when any process last looked; zero if none did.
func (a *App) checkedAt(ctx context.Context, key string) (time.Time, error) {
	known, err := a.DB.Organizations(ctx)
	if err != nil {
		return time.Time{}, fmt.Errorf("read when organization %s was last checked: %w", key, err)
	}
	for i := range known {
		if known[i].Organization == key {
			return known[i].CheckedAt, nil
		}
	}
	return time.Time{}, nil
}

// cannotList says that the list itself is out of reach for these credentials.
func cannotList(err error) bool {
	e, ok := errors.AsType[*pipeline.Error](err)
	return ok && (e.Kind == pipeline.Denied && e.Status != 0 || e.Status == http.StatusNotFound)
}

// denied is an error with words of upstream in it.
func (a *App) denied(format outside.Text, args ...any) error {
	return &pipeline.Error{Kind: pipeline.Denied, Detail: a.options.Scrub.Textf(format, args...)}
}
