package company

import (
	"errors"
	"fmt"
	"strings"

	"sluice/sandbox/limits"
	"sluice/sandbox/lists"
	"sluice/sandbox/world"
)

// Change is a request to change the world by itself, repeatably by seed. The numbers are for each
// resource named; without names, for all.
type Change struct {
	Seed    int64 `json:"seed"`
	Inserts int   `json:"inserts"`
	Edits   int   `json:"edits"`
	Deletes int   `json:"deletes"`
	// Resources are names such as "bills", or with their service, as "billing.contact_persons",
	// where services share a name.
	Resources []string `json:"resources"`
}

// ChangedIDs lists the changed records of one resource, by identifier; in networks with the network
// and a slash before it.
type ChangedIDs struct {
	Inserted []string `json:"inserted"`
	Edited   []string `json:"edited"`
	Deleted  []string `json:"deleted"`
}

// Changed lists the changed records by resource name, with the service before it where services
// share the name.
type Changed map[string]ChangedIDs

// Change inserts, edits and deletes records at the world's present second. An edit changes at least
// one value and moves the modification time. No record changes twice, and where few records live,
// fewer change. Records that others refer to are never deleted, the opening balance only by name.
// Accounting and invoicing share their contact persons. Unknown resources and negative numbers are
// errors, and nothing changes.
func (c *Company) Change(change Change) (Changed, error) {
	if change.Inserts < 0 || change.Edits < 0 || change.Deletes < 0 {
		return nil, errors.New("sandbox: change: inserts, edits and deletes must not be negative")
	}
	chosen, err := choose(change.Resources)
	if err != nil {
		return nil, err
	}
	changed := make(Changed, len(chosen))
	c.lend(func() {
		done := map[world.Kind]ChangedIDs{}
		for _, e := range chosen {
			if _, again := done[e.Kind]; !again {
				step := change
				if e.Kind == world.OpeningBalances && len(change.Resources) == 0 {
					step.Deletes = 0
				}
				done[e.Kind] = c.changeOne(e.Kind, step)
			}
			changed[label(e)] = done[e.Kind]
		}
	})
	return changed, nil
}

// choose finds the resources named.
func choose(names []string) ([]lists.Resource, error) {
	all := lists.All()
	if len(names) == 0 {
		return all, nil
	}
	var chosen []lists.Resource
	for _, name := range names {
		before := len(chosen)
		for _, e := range all {
			if name == e.Name || name == e.Service+"."+e.Name {
				chosen = append(chosen, e)
			}
		}
		if len(chosen) == before {
			return nil, fmt.Errorf("sandbox: change: resource %q is unknown", name)
		}
	}
	return chosen, nil
}

// label returns the name of a resource in Changed.
func label(e lists.Resource) string {
	for _, other := range lists.All() {
		if other.Name == e.Name && other.Service != e.Service {
			return strings.Join([]string{e.Service, e.Name}, ".")
		}
	}
	return e.Name
}

func (c *Company) changeOne(kind world.Kind, change Change) ChangedIDs {
	at := c.now().Unix()
	ids := ChangedIDs{Inserted: []string{}, Edited: []string{}, Deleted: []string{}}
	touched := make(map[int]bool, change.Edits)
	for _, i := range c.world.Pick(kind, change.Edits, change.Seed, nil) {
		c.world.Edit(kind, i, at)
		touched[i] = true
		ids.Edited = append(ids.Edited, c.world.Name(kind, i))
	}
	for i := range c.world.Len(kind) {
		if change.Deletes > 0 && !c.world.Deletable(kind, i) {
			touched[i] = true
		}
	}
	for _, i := range c.world.Pick(kind, change.Deletes, change.Seed, touched) {
		c.world.Delete(kind, i)
		ids.Deleted = append(ids.Deleted, c.world.Name(kind, i))
	}
	for range change.Inserts {
		if !c.world.Growing(kind) {
			break
		}
		ids.Inserted = append(ids.Inserted, c.world.Name(kind, c.world.Insert(kind, at)))
	}
	return ids
}

// Enter counts the arrival of a call. Each Enter is followed by one Leave.
func (c *Company) Enter(call limits.Arrival) limits.Verdict {
	c.mu.Lock()
	defer c.mu.Unlock()
	arrival := c.Now()
	return c.gate.Enter(call, arrival, arrival.Add(c.offset))
}

// Leave ends a call and counts its status.
func (c *Company) Leave(service, status string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gate.Leave(service, status)
}

// NoteTokenRequest counts a call of the token endpoint, which has limits of its own.
func (c *Company) NoteTokenRequest() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gate.NoteTokenRequest()
}

// Allowance is the plan with the limits in force.
type Allowance struct {
	Plan   string        `json:"plan"`
	Limits limits.Limits `json:"limits"`
}

// Allowance returns the plan with the limits in force.
func (c *Company) Allowance() Allowance {
	c.mu.Lock()
	defer c.mu.Unlock()
	return Allowance{Plan: c.plan, Limits: c.gate.Limits()}
}

// SetPlan changes the plan while calls arrive. Nonzero fields of over replace the plan's, and the
// counts stay. An unknown plan is an error and changes nothing.
func (c *Company) SetPlan(plan string, over limits.Limits) error {
	resolved, err := limits.Resolve(plan, over)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.plan = plan
	c.gate.SetLimits(resolved)
	return nil
}
