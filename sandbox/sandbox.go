// Package sandbox is the simulated upstream: it serves the accounting, invoicing,
// subscription-billing, inventory and chat services of one organization or several
// as documents 1, 2 and 3 describe them, counts and refuses calls by the
// documents' limits, and misbehaves on demand. The upstream facts fill what the
// documents leave open; such answers say so in a header.
//
// It imports nothing of the program that reads from it: it is the second,
// independent entry of a double-entry bookkeeping. It never talks to the real
// services and holds no real data.
//
// Start reading with Options and New, then ServeHTTP. Around it: endpoints is the
// table of what can be called, company is one organization, world makes its
// records, limits counts and refuses, faults misbehaves, tokens gives out access,
// answer writes what is said, landing is the page for people.
package sandbox

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"sluice/sandbox/answer"
	"sluice/sandbox/company"
	"sluice/sandbox/endpoints"
	"sluice/sandbox/faults"
	"sluice/sandbox/services"
)

// Server is one simulated upstream. It is safe for concurrent use.
type Server struct {
	options   Options
	table     []endpoints.Endpoint
	companies []*company.Company // the sandbox's own first; never empty

	mu     sync.Mutex // guards the faults
	faults faults.Book
}

// New builds a server. It fails on a missing clock, an unknown time zone or plan,
// a negative ChatPage, and names that cannot stand in a path or come twice.
func New(options Options) (*Server, error) {
	options = options.withDefaults()
	if err := options.check(); err != nil {
		return nil, err
	}
	s := &Server{options: options, table: endpoints.Table()}
	played := append([]OrganizationOptions{{
		ID: options.OrganizationID, Seed: options.Seed, Records: options.Records, TimeZone: options.TimeZone, Plan: options.Plan,
	}}, options.Organizations...)
	for n, o := range played {
		founded, err := company.New(company.Settings{
			ID: o.ID, DataCenter: o.DataCenter, Number: n, Seed: o.Seed, Records: o.Records, TimeZone: o.TimeZone, Plan: o.Plan,
			Limits: options.Limits, Modules: options.CustomModules, Networks: options.Networks,
			ChatEpoch: options.ChatEpoch, Demo: options.Demo, Now: options.Now,
		})
		if err != nil {
			return nil, fmt.Errorf("sandbox: play organization %s: %w", o.ID, err)
		}
		s.companies = append(s.companies, founded)
	}
	return s, nil
}

// ServeHTTP answers the landing page, the control paths, the token endpoint
// and the services.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	address := services.Parse(r.URL.EscapedPath())
	switch {
	case r.URL.Path == "/":
		s.landing(w, r)
	case strings.HasPrefix(r.URL.Path, services.ControlRoot):
		s.control(w, r)
	case s.first(address.DataCenter) == nil:
		answer.Error(w, http.StatusNotFound, answer.NoSuchURL, "no such data center: see the landing page")
	case address.Path == services.TokenPath:
		s.token(w, r, address)
	case address.Service != "":
		s.call(w, r, address)
	default:
		answer.Error(w, http.StatusNotFound, answer.NoSuchURL, "Invalid URL Passed")
	}
}

// Advance moves the world's clock: record times, tokens and the day of the
// daily allowance. The count of calls in a minute stays on the real clock, so
// that an advance never hides a burst. A negative step is ignored.
func (s *Server) Advance(step time.Duration) {
	for _, c := range s.companies {
		c.Advance(step)
	}
}

// own is the organization that the sandbox plays in any case.
func (s *Server) own() *company.Company { return s.companies[0] }

// first is the first organization of a data center; nil if there is none.
func (s *Server) first(dataCenter string) *company.Company {
	for _, c := range s.companies {
		if c.DataCenter == dataCenter {
			return c
		}
	}
	return nil
}

// find answers an organization by its id and data center.
func (s *Server) find(id, dataCenter string) (*company.Company, error) {
	for _, c := range s.companies {
		if c.ID == id && c.DataCenter == dataCenter {
			return c, nil
		}
	}
	return nil, fmt.Errorf("sandbox: organization %q in data center %q is not played: name it in option Organizations", id, dataCenter)
}
