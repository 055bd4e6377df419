package company

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"sluice/sandbox/lists"
	"sluice/sandbox/world"
	"sluice/sandbox/world/ledger/figures"
)

// Truth yields every live record of a resource in one piece, list record and single record merged,
// in no promised order. Conversations are objects of the CSV columns with text values. A record
// under a parent carries the parent, also where the wire lacks it. An unknown resource yields
// nothing. Each record is read at the moment of its yield.
func (c *Company) Truth(service, resource string) iter.Seq[json.RawMessage] {
	return func(yield func(json.RawMessage) bool) {
		e, found := lists.Find(service, resource)
		if !found {
			return
		}
		for i := 0; ; i++ {
			record, more := c.truthAt(e, i)
			if !more || record != nil && !yield(record) {
				return
			}
		}
	}
}

// truthAt returns nil for a deleted record, and false behind the last one.
func (c *Company) truthAt(e lists.Resource, i int) (json.RawMessage, bool) {
	var record json.RawMessage
	var more bool
	c.lend(func() { record, more = c.truthOf(e, i) })
	return record, more
}

// truthOf is truthAt; the caller holds the lock.
func (c *Company) truthOf(e lists.Resource, i int) (json.RawMessage, bool) {
	if i >= c.world.Len(e.Kind) {
		return nil, false
	}
	if !c.world.Live(e.Kind, i) {
		return nil, true
	}
	record := c.world.AppendRecord(nil, e.Kind, i, world.Full)
	switch e.Kind {
	case world.ModuleRecords, world.NetworkChannels, world.NetworkChats: // only the path says it
		record = fmt.Appendf(record[:len(record)-1], ",%q:%q}", e.Parent, c.world.Under(e.Kind, i))
	default:
	}
	return record, true
}

// Listed returns the identifiers of the live records that a query selects, in its order.
func (c *Company) Listed(query world.Query) []string {
	var ids []string
	c.lend(func() {
		for _, i := range c.world.Order(query) {
			ids = append(ids, c.world.Name(query.Kind, int(i)))
		}
	})
	return ids
}

// Size returns the number of live records.
func (c *Company) Size() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	live, counted := 0, map[world.Kind]bool{}
	for _, e := range lists.All() {
		if counted[e.Kind] {
			continue
		}
		counted[e.Kind] = true
		for i := range c.world.Len(e.Kind) {
			if c.world.Live(e.Kind, i) {
				live++
			}
		}
	}
	return live
}

var errNoBooks = errors.New("sandbox: the organization's books do not close: start the sandbox with the world books")

// Figures gives f the oracle of the organization's books, as of now, for itself alone. It fails in
// a world whose books do not close.
func (c *Company) Figures(f func(figures.Books)) error {
	err := errNoBooks
	c.lend(func() {
		if books, closes := c.world.Figures(); closes {
			err = nil
			f(books)
		}
	})
	return err
}

// Plant changes books that close in a way that an analyst has to see, now: see world.Plant.
func (c *Company) Plant(what string) ([]string, error) {
	var changed []string
	var err error
	c.lend(func() { changed, err = c.world.Plant(what, c.now().Unix()) })
	return changed, err
}
