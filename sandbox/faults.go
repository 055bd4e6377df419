package sandbox

import (
	"io"
	"net/http"

	"sluice/sandbox/company"
	"sluice/sandbox/faults"
)

// Fault makes some calls go wrong.
type Fault = faults.Fault

// FaultKind describes one kind of fault in a sentence.
type FaultKind = faults.Kind

// FaultKinds returns the kinds of faults that every client meets sooner or later.
func FaultKinds() []FaultKind { return faults.CommonKinds() }

// RareFaultKinds returns the kinds that few clients ever meet, but must survive.
func RareFaultKinds() []FaultKind { return faults.RareKinds() }

// ReadFaults reads a list of faults in JSON, in the form that SetFaults takes.
func ReadFaults(from io.Reader) ([]Fault, error) { return faults.Read(from) }

// SetFaults replaces all faults; an empty list ends them. An unknown kind, a negative number or an
// empty path is an error, and the faults stay as they were.
func (s *Server) SetFaults(set []Fault) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.faults.Set(set)
}

// activeFaults returns the faults as they were set.
func (s *Server) activeFaults() []Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.faults.Active()
}

// nextFault counts a call of an organization and returns the fault that strikes it.
func (s *Server) nextFault(r *http.Request, c *company.Company) *faults.Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	fault := s.faults.Next(r.Method, r.URL.Path, c.ID)
	if fault != nil {
		fault.At = c.Time()
	}
	return fault
}
