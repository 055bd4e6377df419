package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"

	"sluice/sandbox/lists"
	"sluice/sandbox/world"
)

// Change asks the world to change by itself, repeatably by seed. The numbers
// are for each resource named; no resource named means all.
type Change struct {
	Seed      int64    `json:"seed"`
	Inserts   int      `json:"inserts"`
	Edits     int      `json:"edits"`
	Deletes   int      `json:"deletes"`
	Resources []string `json:"resources"` // names such as "bills"
}

// ChangedIDs lists the records of one resource that changed.
type ChangedIDs struct {
	Inserted []string `json:"inserted"`
	Edited   []string `json:"edited"`
	Deleted  []string `json:"deleted"`
}

// Changed lists what changed, by resource name.
type Changed map[string]ChangedIDs

// Change inserts, edits and deletes records at the world's present second. An
// edit changes at least one value and moves the modification time; no record
// is touched twice, and where too few live, fewer change. Unknown resources and
// negative numbers are errors, and nothing changes.
func (s *Server) Change(change Change) (Changed, error) {
	if change.Inserts < 0 || change.Edits < 0 || change.Deletes < 0 {
		return nil, errors.New("sandbox: change: inserts, edits and deletes must not be negative")
	}
	chosen := s.endpoints
	if len(change.Resources) > 0 {
		chosen = nil
		for _, name := range change.Resources {
			n := slices.IndexFunc(s.endpoints, func(e lists.Resource) bool { return e.Name == name })
			if n < 0 {
				return nil, fmt.Errorf("sandbox: change: resource %q is unknown", name)
			}
			chosen = append(chosen, s.endpoints[n])
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	changed := make(Changed, len(chosen))
	for _, e := range chosen {
		changed[e.Name] = s.changeOne(e.Kind, change)
	}
	return changed, nil
}

func (s *Server) changeOne(kind world.Kind, change Change) ChangedIDs {
	at := s.now().Unix()
	ids := ChangedIDs{Inserted: []string{}, Edited: []string{}, Deleted: []string{}}
	touched := make(map[int]bool, change.Edits)
	for _, i := range s.world.Pick(kind, change.Edits, change.Seed, nil) {
		s.world.Edit(kind, i, at)
		touched[i] = true
		ids.Edited = append(ids.Edited, s.world.ID(kind, i))
	}
	for _, i := range s.world.Pick(kind, change.Deletes, change.Seed, touched) {
		s.world.Delete(kind, i)
		ids.Deleted = append(ids.Deleted, s.world.ID(kind, i))
	}
	for range change.Inserts {
		ids.Inserted = append(ids.Inserted, s.world.ID(kind, s.world.Insert(kind, at)))
	}
	return ids
}

// Truth yields every live record of a resource as a full list record would
// look now, in no promised order; for conversations, an object of the CSV
// columns with text values. An unknown resource yields nothing. Each record is
// read at the moment it is yielded.
func (s *Server) Truth(service, resource string) iter.Seq[json.RawMessage] {
	return func(yield func(json.RawMessage) bool) {
		e, found := s.resource(service, resource)
		if !found {
			return
		}
		for i := 0; ; i++ {
			record, more := s.truthAt(e.Kind, i)
			if !more || record != nil && !yield(record) {
				return
			}
		}
	}
}

// truthAt answers nil for a deleted record, and false behind the last one.
func (s *Server) truthAt(kind world.Kind, i int) (json.RawMessage, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i >= s.world.Len(kind) {
		return nil, false
	}
	if !s.world.Live(kind, i) {
		return nil, true
	}
	return s.world.AppendRecord(nil, kind, i, world.Full), true
}
