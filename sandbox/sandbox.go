// Package sandbox is the simulated upstream. It serves the accounting, invoicing,
// subscription-billing, inventory and chat services of one organization or several as the API
// documents (docs/upstream.md) describe them. It counts and refuses calls by the documents' limits,
// and misbehaves on demand. Facts from other sources fill what the documents leave open; such
// answers say so in a header.
//
// It imports nothing of the program that reads from it: it is the second, independent entry of a
// double-entry bookkeeping. It never talks to the real services and holds no real data.
//
// Start reading with Options and New, then ServeHTTP. Package endpoints is the table of calls and
// openapi describes it. Package company is one organization, and world makes its records. Package
// limits counts and refuses, faults misbehaves, oauth grants access, watch sends notifications and
// webhooks calls the addresses of workflow rules. Package answer writes answers, and landing is the
// page for people.
package sandbox

import (
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"sluice/sandbox/answer"
	"sluice/sandbox/company"
	"sluice/sandbox/endpoints"
	"sluice/sandbox/faults"
	"sluice/sandbox/services"
	"sluice/sandbox/writes"
)

// Server is one simulated upstream. It is safe for concurrent use.
type Server struct {
	options Options
	table   []endpoints.Endpoint
	stage   atomic.Pointer[stage]
	control http.Handler
	offset  atomic.Int64 // of the virtual clock before Options.Now, in nanoseconds

	mu     sync.Mutex // guards everything below
	faults faults.Book
	jitter *rand.Rand // draws the latency of each call
}

// New builds a server. It fails on a missing clock, an unknown time zone or plan, a negative
// ChatPage, and names that are repeated or unfit for a path.
func New(options Options) (*Server, error) {
	options = options.withDefaults()
	if err := options.check(); err != nil {
		return nil, err
	}
	s := &Server{options: options, table: slices.Concat(endpoints.Table(), writes.Table(), watchRows(), crmRows()), jitter: latencies(options.Seed)}
	founded, err := s.build()
	if err != nil {
		return nil, err
	}
	if err := s.faults.Set(options.Faults); err != nil {
		return nil, err
	}
	s.stage.Store(founded)
	s.control = s.controlHandler()
	return s, nil
}

// ServeHTTP answers the landing page, the control paths, the authorization servers and the
// services.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r, address := s.tolerate(w, r)
	if s.offset.Load() != 0 { // else net/http writes the machine's time
		w.Header().Set("Date", s.now().UTC().Format(http.TimeFormat))
	}
	switch {
	case r.URL.Path == "/":
		s.landing(w, r)
	case strings.HasPrefix(r.URL.Path, services.ControlRoot):
		s.control.ServeHTTP(w, r)
	case s.stage.Load().doors[address.DataCenter] == nil:
		answer.Error(w, http.StatusNotFound, answer.NoSuchURL, "no such data center: see the landing page")
	case strings.HasPrefix(address.Path, services.OAuthRoot):
		s.authorization(w, r, address)
	case address.Service != "":
		s.call(w, r, address)
	default:
		answer.Error(w, http.StatusNotFound, answer.NoSuchURL, "Invalid URL Passed")
	}
}

// Advance moves the virtual clock: record times, tokens, channels, the day of the daily allowance
// and the header Date of all answers. The count of calls in a minute stays on the real clock, so
// that an advance never hides a burst. It ignores a negative step.
func (s *Server) Advance(step time.Duration) {
	st := s.stage.Load()
	s.offset.Add(int64(max(step, 0)))
	for _, c := range st.companies {
		c.Advance(step)
		st.watchers[c].Wake()
		st.hooks[c].Wake()
	}
}

// now returns the time of the virtual clock.
func (s *Server) now() time.Time { return s.options.Now().Add(time.Duration(s.offset.Load())) }

// Reset restores the initial state: records, clock, tokens, channels, rules, statistics, plans,
// faults.
// Calls under way end as they began.
func (s *Server) Reset() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.offset.Store(0)
	founded, err := s.build()
	if err != nil {
		return err
	}
	s.jitter = latencies(s.options.Seed)
	if err := s.faults.Set(s.options.Faults); err != nil {
		return err
	}
	close(s.stage.Swap(founded).replaced)
	return nil
}

// own returns the sandbox's own organization, which always exists.
func (s *Server) own() *company.Company { return s.stage.Load().own() }

// find returns an organization by its id and data center.
func (s *Server) find(id, dataCenter string) (*company.Company, error) {
	return s.stage.Load().find(id, dataCenter)
}

func latencies(seed int64) *rand.Rand {
	const sequence = 3 // keeps it apart from the other sequences of the seed
	return rand.New(rand.NewPCG(uint64(seed), sequence))
}

// latency draws the delay of the next answer.
func (s *Server) latency() time.Duration {
	around := s.options.LatencyJitter
	if around <= 0 {
		return s.options.PageLatency
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.options.PageLatency - around + time.Duration(s.jitter.Int64N(2*int64(around)+1))
}
