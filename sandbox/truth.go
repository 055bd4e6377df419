package sandbox

import (
	"encoding/json"
	"iter"

	"sluice/sandbox/company"
	"sluice/sandbox/limits"
	"sluice/sandbox/lists"
)

// Change is a request to change a world by itself, repeatably by seed.
type Change = company.Change

// ChangedIDs lists the records of one resource that changed.
type ChangedIDs = company.ChangedIDs

// Changed lists the changed records by resource name, with the service before it where services
// share the name.
type Changed = company.Changed

// Change changes the world of the sandbox's own organization: see Company.Change.
func (s *Server) Change(change Change) (Changed, error) { return s.own().Change(change) }

// ChangeOf changes the world of an organization. It fails if the organization is not simulated.
func (s *Server) ChangeOf(id, dataCenter string, change Change) (Changed, error) {
	c, err := s.find(id, dataCenter)
	if err != nil {
		return nil, err
	}
	return c.Change(change)
}

// Truth yields every live record of a resource of the sandbox's own organization, as of one
// instant: see Company.Truth.
func (s *Server) Truth(service, resource string) iter.Seq[json.RawMessage] {
	return s.own().Truth(service, resource)
}

// TruthOf is Truth for an organization; it yields nothing for one that is not simulated.
func (s *Server) TruthOf(id, dataCenter, service, resource string) iter.Seq[json.RawMessage] {
	c, err := s.find(id, dataCenter)
	if err != nil {
		return func(func(json.RawMessage) bool) {}
	}
	return c.Truth(service, resource)
}

// Listed returns the identifiers of the live records of a resource of the sandbox's own
// organization, in the order in which its list comes unless a sort is asked for; nothing for an
// unknown resource.
func (s *Server) Listed(service, resource string) []string {
	e, found := lists.Find(service, resource)
	if !found {
		return nil
	}
	return s.own().Listed(lists.Unsorted(e.Kind, s.options.habits()))
}

// Stats is what was counted since the start or the last reset.
type Stats = limits.Stats

// Stats returns a copy of the counts for the sandbox's own organization.
func (s *Server) Stats() Stats { return s.own().Stats() }

// StatsOf returns a copy of the counts for an organization. It fails if the organization is not
// simulated.
func (s *Server) StatsOf(id, dataCenter string) (Stats, error) {
	c, err := s.find(id, dataCenter)
	if err != nil {
		return Stats{}, err
	}
	return c.Stats(), nil
}

// ResetStats starts the counts anew, for every organization. The windows of the limits stay.
func (s *Server) ResetStats() {
	for _, c := range s.stage.Load().companies {
		c.ResetStats()
	}
}
