package sandbox

import "sluice/sandbox/limits"

// Limits bound the calls. A zero field takes the plan's value.
type Limits = limits.Limits

// Stats is what the sandbox counted since the start or the last reset.
type Stats = limits.Stats

// Stats answers a copy of what was counted.
func (s *Server) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gate.Stats()
}

// ResetStats starts counting anew. The windows of the limits stay.
func (s *Server) ResetStats() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gate.Reset()
}
