package company

import (
	"bytes"
	"encoding/json"

	"sluice/sandbox/world"
)

// Event is something that was done to one record: by a user, by Change or by the
// business itself.
type Event struct {
	Kind      world.Kind
	Operation world.Operation
	ID        string // with its network and a slash before it, where there are networks
	Under     string // the parent that it is read under; "" for none
	// Fields are the fields that changed, with their new values in JSON; of an
	// inserted record all of them, of a deleted one none.
	Fields map[string]json.RawMessage
}

// Changed tells f of everything that is done to records from now on: of each change
// once it is done, outside of every lock, so that f may ask the company. Changes of one
// caller come in their order. It is to be called before the first call is served.
func (c *Company) Changed(f func(Event)) {
	c.ChangedTogether(func(events []Event) {
		for _, event := range events {
			f(event)
		}
	})
}

// ChangedTogether is Changed for who wants what was done at once, at once.
func (c *Company) ChangedTogether(f func([]Event)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hooks = append(c.hooks, f)
	c.world.Watch()
}

// lend plays what has happened by now, lends the world to f, alone, and reports what
// was done.
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

// events reads what happened; the caller holds the lock.
func (c *Company) events() []Event {
	happened := c.world.Happened()
	if len(happened) == 0 {
		return nil
	}
	events := make([]Event, 0, len(happened))
	for _, h := range happened {
		event := Event{Kind: h.Kind, Operation: h.Operation, ID: c.world.Name(h.Kind, h.Index), Under: c.world.Under(h.Kind, h.Index)}
		live := c.world.Live(h.Kind, h.Index)
		switch {
		case h.Before == nil && !live:
			continue // it came and went
		case live:
			event.Fields = differing(h.Before, c.world.AppendRecord(nil, h.Kind, h.Index, world.Full))
		}
		if live && len(event.Fields) == 0 {
			continue // nobody can see a difference
		}
		events = append(events, event)
	}
	return events
}

// differing returns the fields of a record that are not what they were.
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
