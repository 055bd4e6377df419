package sandbox

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"sluice/sandbox/company"
	"sluice/sandbox/endpoints"
	"sluice/sandbox/oauth"
	"sluice/sandbox/services"
	"sluice/sandbox/watch"
	"sluice/sandbox/watch/channel"
	"sluice/sandbox/webhooks"
	"sluice/sandbox/world/words"
)

// userID is the one user of every data center: the reader of the consent page.
const userID = "60000000001"

// billingSettings is a scope that no document names. Clients ask for it to list the organizations
// of the billing service, which any token may list here (docs/upstream.md U152).
const billingSettings = "Subscriptions.settings.READ"

// stage is the simulated state that a reset makes anew.
type stage struct {
	companies []*company.Company // the sandbox's own first; never empty
	doors     map[string]*oauth.Server
	watchers  map[*company.Company]*watch.Server
	hooks     map[*company.Company]*webhooks.Server
	replaced  chan struct{} // closed when another stage replaces this one
}

// build makes a stage in its initial state.
func (s *Server) build() (*stage, error) {
	st := &stage{
		doors: make(map[string]*oauth.Server), watchers: make(map[*company.Company]*watch.Server),
		hooks: make(map[*company.Company]*webhooks.Server), replaced: make(chan struct{}),
	}
	for n, o := range s.options.all() {
		founded, err := company.New(company.Settings{
			ID: o.ID, DataCenter: o.DataCenter, Number: n, Seed: o.Seed, Base: o.Base, Records: o.Records, TimeZone: o.TimeZone, Plan: o.Plan,
			Limits: s.options.Limits, Modules: s.options.CustomModules, Networks: s.options.Networks,
			ChatEpoch: s.options.ChatEpoch, Demo: s.options.Demo, AsLive: s.options.AsLive, Now: s.options.Now, Activity: s.options.Activity,
		})
		if err != nil {
			return nil, fmt.Errorf("sandbox: play organization %s: %w", o.ID, err)
		}
		for _, what := range s.options.Plant {
			if _, err := founded.Plant(what); err != nil {
				return nil, err
			}
		}
		st.companies = append(st.companies, founded)
	}
	for _, c := range st.companies {
		if st.doors[c.DataCenter] == nil {
			door, err := s.door(st, c.DataCenter)
			if err != nil {
				return nil, err
			}
			st.doors[c.DataCenter] = door
		}
		watcher, err := s.watcher(c, st.doors[c.DataCenter])
		if err != nil {
			return nil, err
		}
		hook, err := s.hook(c)
		if err != nil {
			return nil, err
		}
		st.watchers[c], st.hooks[c] = watcher, hook
		if s.options.Poster != nil {
			c.ChangedTogether(func(events []company.Event) {
				publish(watcher, events)
				fire(hook, events)
			})
		}
	}
	return st, nil
}

// door builds the authorization server of a data center. Its one user may consent for each of its
// organizations, and each has a grant of everything.
func (s *Server) door(st *stage, dataCenter string) (*oauth.Server, error) {
	user := oauth.User{ID: userID, Name: "Sandbox user"}
	grants := []oauth.Grant{}
	scopes := append(endpoints.Scopes(s.table), watchScope, billingSettings)
	for n, c := range st.companies {
		if c.DataCenter != dataCenter {
			continue
		}
		user.Organizations = append(user.Organizations, oauth.Organization{ID: c.ID, Name: words.Company(n)})
		refresh := RefreshTokenFor(c.ID, c.DataCenter)
		if n == 0 {
			refresh = RefreshToken
		}
		grants = append(grants, oauth.Grant{
			Access: oauth.Access{Client: ClientID, User: userID, Organization: c.ID}, RefreshToken: refresh, Scopes: scopes,
		})
	}
	known := slices.Concat(oauth.DocumentedScopes(), scopes)
	slices.Sort(known)
	door, err := oauth.New(oauth.Options{
		Now: s.now, Seed: s.options.Seed, DataCenter: dataCenter, Vendor: s.options.Vendor, Prefix: services.Prefix(dataCenter),
		Minute: s.options.Limits.Minute, Scopes: slices.Compact(known),
		Clients: append([]oauth.Client{{ID: ClientID, Secret: ClientSecret, Name: "Sandbox client", AnyLoopback: true}}, s.options.Clients...),
		Users:   []oauth.User{user}, Grants: grants, StateNeeded: s.options.Strict,
	})
	if err != nil {
		return nil, fmt.Errorf("sandbox: play the authorization server of data center %q: %w", dataCenter, err)
	}
	return door, nil
}

// watcher builds the notifications of an organization.
func (s *Server) watcher(c *company.Company, door *oauth.Server) (*watch.Server, error) {
	zone, err := time.LoadLocation(c.TimeZone)
	if err != nil {
		return nil, fmt.Errorf("sandbox: option TimeZone of organization %s: %w", c.ID, err)
	}
	modules := make([]channel.Module, 0, len(s.options.CustomModules))
	for _, name := range s.options.CustomModules {
		modules = append(modules, channel.Module{Name: name, Fields: []channel.Field{
			{Name: "Name"}, {Name: "Description"}, {Name: "Created_Time"}, {Name: "Modified_Time"},
		}})
	}
	watcher, err := watch.New(watch.Options{
		Now: s.now, Zone: zone, Guard: door, Prefix: services.Prefix(c.DataCenter), Modules: modules,
		AnyHost: s.options.CallbacksAnywhere, Poster: s.poster(), Seed: c.Seed, Chaos: s.options.Chaos,
		Habits: watch.Habits{Documented: s.options.DocumentedCallbacks, OneDay: s.options.OneDayChannels},
	})
	if err != nil {
		return nil, fmt.Errorf("sandbox: play the notifications of organization %s: %w", c.ID, err)
	}
	return watcher, nil
}

// own returns the sandbox's own organization, which always exists.
func (st *stage) own() *company.Company { return st.companies[0] }

// first returns the first organization of a data center; nil if there is none.
func (st *stage) first(dataCenter string) *company.Company {
	for _, c := range st.companies {
		if c.DataCenter == dataCenter {
			return c
		}
	}
	return nil
}

// find returns an organization by its id and data center.
func (st *stage) find(id, dataCenter string) (*company.Company, error) {
	for _, c := range st.companies {
		if c.ID == id && c.DataCenter == dataCenter {
			return c, nil
		}
	}
	return nil, fmt.Errorf("sandbox: organization %q in data center %q is not played: name it in option Organizations", id, dataCenter)
}

// run sends callbacks and webhooks until the context ends or another stage replaces this one.
func (st *stage) run(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	var workers sync.WaitGroup
	for _, c := range st.companies {
		workers.Go(func() { st.watchers[c].Run(ctx) })
		workers.Go(func() { st.hooks[c].Run(ctx) })
	}
	select {
	case <-ctx.Done():
	case <-st.replaced:
	}
	cancel()
	workers.Wait()
}

// below returns a request as the server of a data center sees it: without the prefix.
func below(r *http.Request, path string) *http.Request {
	inner := *r
	address := *r.URL
	address.Path, address.RawPath = path, ""
	inner.URL = &address
	return &inner
}
