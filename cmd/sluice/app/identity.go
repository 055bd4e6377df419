package app

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

	"sluice/cmd/sluice/config"
	"sluice/pipeline"
	"sluice/pipeline/upstream"
	"sluice/pipeline/warehouse"
	"sluice/schema"
)

// identityGood is for how long one look at the organizations upstream counts, in
// all processes.
const identityGood = 6 * time.Hour

// organizationsName is the resource that lists the businesses of the credentials.
const organizationsName = "organizations"

// Identities holds organizations against what upstream says about them: a wrong
// identifier must not mix two businesses. It is safe for concurrent use.
type Identities struct {
	app    *App
	client *upstream.Client
	// looks joins those who ask about one organization at the same time: one call is
	// enough, and its failure is that of all of them.
	looks singleflight.Group

	mu sync.Mutex
	// good is until when the last look at an organization counts.
	good map[string]time.Time
}

// Identities makes one over a client.
func (a *App) Identities(client *upstream.Client) *Identities {
	return &Identities{app: a, client: client, good: make(map[string]time.Time)}
}

// Ready says whether a stream's organization is the one that it was. Its errors
// are those of the call, or of kind Denied if a person has to decide.
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
	// Warning says what does not stop the work and a person should know; "" if
	// nothing.
	Warning string
}

// Look asks upstream, with one call, and pins the name at first sight.
func (i *Identities) Look(ctx context.Context, o *config.Organization) (Seen, error) {
	seen, err := i.ask(ctx, o)
	if err != nil || !seen.Found {
		return seen, err
	}
	if !seen.Active {
		return seen, denied("organization %s (%s) is no longer active upstream: reactivate it there, or remove it from the configuration",
			o.Name, o.ID)
	}
	_, err = i.app.DB.PinOrganization(ctx, o.Key, seen.Identity)
	if errors.Is(err, warehouse.ErrOtherOrganization) {
		return seen, &pipeline.Error{Kind: pipeline.Denied, Err: err}
	}
	if err != nil {
		return seen, fmt.Errorf("note who organization %s is: %w", o.Key, err)
	}
	seen.Warning = zoneWarning(o, i.app.zones.set(o.Key, seen.TimeZone), seen.TimeZone, i.app.options.Now())
	return seen, nil
}

// ask finds the organization among those of the credentials. A service that does
// not let them be listed is passed over: whether its own streams are denied is for
// them to find out (promise 9). Nothing found and no error means that none does.
func (i *Identities) ask(ctx context.Context, o *config.Organization) (Seen, error) {
	refused := false
	for s := range i.app.Catalogue {
		service := &i.app.Catalogue[s]
		list := organizationsOf(service)
		if _, configured := o.Services[service.Name]; !configured || list == nil {
			continue
		}
		answer, err := i.client.Get(ctx, service, o.Key, list.Path, list.Params, list.Key)
		if cannotList(err) {
			refused = true
			continue
		}
		if err != nil {
			return Seen{}, fmt.Errorf("ask who organization %s is: %w", o.Key, err)
		}
		found, err := identityIn(answer, o)
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
	known, err := a.Report.Organizations(ctx)
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

// word is an identifier or a flag, whatever JSON writes it as.
type word string

// UnmarshalJSON implements json.Unmarshaler.
func (w *word) UnmarshalJSON(text []byte) error {
	var quoted string
	if json.Unmarshal(text, &quoted) == nil {
		*w = word(quoted)
		return nil
	}
	*w = word(bytes.TrimSpace(text)) // a number or a truth value, to the digit
	return nil
}

// business is one organization of the list. Source: document 2, "Shared
// conventions".
type business struct {
	ID       word   `json:"organization_id"`
	Name     string `json:"name"`
	TimeZone string `json:"time_zone"`
	Active   word   `json:"is_org_active"`
}

// identityIn finds an organization in the answer.
func identityIn(answer []byte, o *config.Organization) (warehouse.Identity, error) {
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
	return warehouse.Identity{}, denied("the credentials of organization %s are not for its id %s but belong to other businesses: %s; "+
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

func denied(format string, args ...any) error {
	return &pipeline.Error{Kind: pipeline.Denied, Detail: fmt.Sprintf(format, args...)}
}

// zoneWarning says that configuration and upstream disagree about the time zone,
// or that neither names one; "" if all is well.
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

// sameZone says whether two zones agree now and through the year around: one zone
// has many names.
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
