package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
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

// identityGood is how long one check of an organization's identity counts, for all processes.
const identityGood = 6 * time.Hour

// organizationsName is the resource that lists the businesses of the credentials.
const organizationsName = "organizations"

// Identities compares organizations with what upstream says about them, so that a wrong identifier
// cannot mix two businesses. It is safe for concurrent use.
type Identities struct {
	app    *App
	client *upstream.Client
	// looks joins concurrent checks of one organization: they share one call and its error.
	looks singleflight.Group

	mu sync.Mutex
	// good is the instant until which the last check of an organization counts.
	good map[string]time.Time
}

// Identities makes an Identities over a client.
func (a *App) Identities(client *upstream.Client) *Identities {
	return &Identities{app: a, client: client, good: make(map[string]time.Time)}
}

// Ready checks that a stream's organization is still the same business. Its errors are those of the
// call, or of kind Denied if the operator has to decide.
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
		return fmt.Errorf("wait for the identity check of organization %s: %w", o.Key, context.Cause(ctx))
	}
}

// isGood reports whether the last check of an organization still counts.
func (i *Identities) isGood(key string) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.app.options.Now().Before(i.good[key])
}

// verify checks an organization, unless another process did so lately.
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
			i.app.Log.WarnContext(ctx, "the check of an organization left a doubt", "organization", o.Key, "reason", seen.Warning)
		}
		checked = now
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.good[o.Key] = checked.Add(identityGood)
	return nil
}

// Seen is the result of a check of an organization.
type Seen struct {
	warehouse.Identity

	// Found says that upstream listed the organization; false if no service could list it.
	Found bool
	// Warning is for the operator and does not stop the work; "" if there is none.
	Warning string
}

// Look asks upstream and pins the organization to its name on the first check. It takes one call
// for each service until one of them can list.
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
		return seen, fmt.Errorf("store the identity of organization %s: %w", o.Key, err)
	}
	seen.Warning = zoneWarning(o, i.app.organizations[o.Key].FollowZone(seen.TimeZone), seen.TimeZone, i.app.options.Now())
	return seen, nil
}

// ask finds the organization among those of the credentials. It skips a service that refuses to
// list them: whether that service's streams are denied, their own calls show (invariant 9). If no
// service can list them, Found is false and there is no error.
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
			return Seen{}, fmt.Errorf("request the identity of organization %s: %w", o.Key, err)
		}
		found, err := i.app.identityIn(answer, o)
		return Seen{Identity: found, Found: err == nil}, err
	}
	if refused {
		return Seen{Warning: "upstream does not let the credentials list their organizations: whether the id is the right one is not checked"}, nil
	}
	return Seen{}, nil
}

// organizationsOf returns the resource of a service that lists organizations; nil if it has none.
func organizationsOf(service *schema.Service) *schema.Resource {
	return find(service.Resources, func(r *schema.Resource) bool { return r.Name == organizationsName })
}

// checkedAt returns when any process last checked the organization; zero if none did.
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

// cannotList reports whether these credentials may not list organizations here.
func cannotList(err error) bool {
	e, ok := errors.AsType[*pipeline.Error](err)
	return ok && (e.Kind == pipeline.Denied && e.Status != 0 || e.Status == http.StatusNotFound)
}

// denied makes an error of kind Denied whose arguments may be words of upstream.
func (a *App) denied(format outside.Text, args ...any) error {
	return &pipeline.Error{Kind: pipeline.Denied, Detail: a.options.Scrub.Textf(format, args...)}
}

// word is an identifier or a flag, which JSON may write as a string, a number or a boolean.
type word string

// UnmarshalJSON implements json.Unmarshaler.
func (w *word) UnmarshalJSON(text []byte) error {
	var quoted string
	if json.Unmarshal(text, &quoted) == nil {
		*w = word(quoted)
		return nil
	}
	*w = word(bytes.TrimSpace(text)) // a number or a boolean, exactly as written
	return nil
}

// business is one organization of the list. Source: docs/upstream.md U150 and U151.
type business struct {
	ID       word   `json:"organization_id"`
	Name     string `json:"name"`
	TimeZone string `json:"time_zone"`
	Active   word   `json:"is_org_active"`
}

// identityIn finds an organization in the answer. It fails with kind Denied if the answer does not
// list it.
func (a *App) identityIn(answer []byte, o *config.Organization) (warehouse.Identity, error) {
	var all []business
	if err := json.Unmarshal(answer, &all); err != nil {
		return warehouse.Identity{}, &pipeline.Error{
			Kind: pipeline.Unexpected, Op: "list of organizations", Detail: "it is no list of organizations",
		}
	}
	for _, one := range all {
		if string(one.ID) == o.ID {
			return warehouse.Identity{Name: one.Name, TimeZone: one.TimeZone, Active: one.Active != "false"}, nil
		}
	}
	return warehouse.Identity{}, a.denied("the credentials of organization %s are not for its id %s but belong to other businesses: %s; "+
		"correct id or credentials in the configuration", o.Name, o.ID, others(all))
}

// others names the businesses that the credentials are for.
func others(all []business) string {
	const most = 5
	if len(all) == 0 {
		return "none"
	}
	names := make([]string, 0, most)
	for n, one := range all {
		if n == most {
			names = append(names, fmt.Sprintf("and %d more", len(all)-most))
			break
		}
		names = append(names, fmt.Sprintf("%.60q (%.32s)", one.Name, one.ID))
	}
	return strings.Join(names, ", ")
}

// zoneWarning returns a text if configuration and upstream disagree about the time zone, or if
// neither names a known one; "" otherwise.
func zoneWarning(o *config.Organization, upstream *time.Location, name string, now time.Time) string {
	switch {
	case o.Location == nil && upstream == nil && name == "":
		return "neither upstream nor the configuration names a time zone: times without an offset are taken as UTC; set time_zone"
	case o.Location == nil && upstream == nil:
		return fmt.Sprintf("upstream's time zone %.40q is not known here: times without an offset are taken as UTC; set time_zone", name)
	case o.Location != nil && upstream != nil && !sameZone(o.Location, upstream, now):
		return fmt.Sprintf("the configuration says time_zone %s and upstream says %s: that of the configuration counts", o.TimeZone, name)
	default:
		return ""
	}
}

// sameZone reports whether two zones have the same offset in each month of the year around now: one
// zone has many names.
func sameZone(a, b *time.Location, now time.Time) bool {
	const months = 12
	for month := range months {
		at := now.AddDate(0, month-months/2, 0)
		_, one := at.In(a).Zone()
		_, other := at.In(b).Zone()
		if one != other {
			return false
		}
	}
	return true
}
