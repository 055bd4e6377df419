package sandbox

import (
	"sluice/sandbox/company"
	"sluice/sandbox/faults"
)

// Fault makes some calls go wrong.
type Fault = faults.Fault

// FaultKind describes one kind of fault in a sentence.
type FaultKind = faults.Kind

// FaultKinds lists the kinds of faults.
func FaultKinds() []FaultKind { return faults.Kinds() }

// SetFaults replaces all faults; none sets the sandbox right again. An unknown
// kind, a negative number or an empty path is an error, and nothing is replaced.
func (s *Server) SetFaults(set []Fault) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.faults.Set(set)
}

// activeFaults answers the faults as they were set.
func (s *Server) activeFaults() []Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.faults.Active()
}

// nextFault notes a call of an organization, and answers the fault that strikes it.
func (s *Server) nextFault(path string, c *company.Company) *faults.Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.faults.Next(path, c.ID)
}
