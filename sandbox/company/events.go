package company

import (
	"bytes"
	"encoding/json"

	"sluice/sandbox/world"
)

// Event is a change of one record: by a user, by Change or by the business itself.
type Event struct {
	Kind      world.Kind
	Operation world.Operation
	ID        string // with its network and a slash before it, where there are networks
	Under     string // the parent in its path; "" for none
	// Fields are the changed fields with their new values in JSON: all of an inserted record, none
	// of a deleted one.
	Fields map[string]json.RawMessage
	// Record is the single record after the change; of a deleted one the whole record before it.
	Record json.RawMessage
}

// ChangedTogether passes every later change of a record to f, those of one instant in one call. It
// calls f after the change, outside of every lock, so that f may ask the company. Changes of one
// caller keep their order. Call it before the first call is served.
func (c *Company) ChangedTogether(f func([]Event)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hooks = append(c.hooks, f)
	c.world.Watch()
}

// lend simulates the events up to now, gives f the world for itself alone, and reports the changes.
func (c *Company) lend(f func()) {
	events, hooks := c.locked(f)
	if len(events) == 0 {
		return
	}
	for _, hook := range hooks {
		hook(events)
	}
}

func (c *Company) locked(f func()) ([]Event, []func([]Event)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.live()
	f()
	return c.events(), c.hooks
}

// events returns what happened; the caller holds the lock.
func (c *Company) events() []Event {
	happened := c.world.Happened()
	if len(happened) == 0 {
		return nil
	}
	events := make([]Event, 0, len(happened))
	for _, h := range happened {
		event := Event{
			Kind: h.Kind, Operation: h.Operation, ID: c.world.Name(h.Kind, h.Index), Under: c.world.Under(h.Kind, h.Index), Record: h.Before,
		}
		live := c.world.Live(h.Kind, h.Index)
		switch {
		case h.Before == nil && !live:
			continue // it was inserted and deleted
		case live:
			event.Fields = differing(h.Before, c.world.Documented(h.Kind, h.Index))
			event.Record = c.world.AppendRecord(nil, h.Kind, h.Index, world.Single)
		}
		if live && len(event.Fields) == 0 {
			continue // the change is invisible
		}
		events = append(events, event)
	}
	return events
}

// differing returns the fields of a record that changed.
func differing(before, after []byte) map[string]json.RawMessage {
	var old, changed map[string]json.RawMessage
	if before != nil && json.Unmarshal(before, &old) != nil || json.Unmarshal(after, &changed) != nil {
		return nil // the world writes objects only
	}
	for name, value := range changed {
		if was, had := old[name]; had && bytes.Equal(was, value) {
			delete(changed, name)
		}
	}
	return changed
}
