// Package sandbox is the simulated upstream: it serves organizations, chart of
// accounts, vendor payments, items, bills, credit notes and the conversation
// export as documents 1, 2 and 3 describe them, counts and refuses calls by the
// documents' limits, and misbehaves on demand. The upstream facts fill what the
// documents leave open.
//
// It imports nothing of the program that reads from it: it is the second,
// independent entry of a double-entry bookkeeping. It never talks to the real
// services and holds no real data.
//
// Start reading with New, then ServeHTTP. Around it: world makes the records,
// limits counts and refuses, faults misbehaves, tokens gives out access, answer
// writes what is said, landing is the page for people.
package sandbox

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"sluice/sandbox/answer"
	"sluice/sandbox/faults"
	"sluice/sandbox/limits"
	"sluice/sandbox/lists"
	"sluice/sandbox/services"
	"sluice/sandbox/tokens"
	"sluice/sandbox/world"
)

// Credentials that the sandbox accepts. They open nothing else.
const (
	ClientID              = "1000.SANDBOXCLIENT"
	ClientSecret          = "sandbox-client-secret"                                                    // of the sandbox only.
	RefreshToken          = "1000.53616e64626f785265667265736800000.53616e64626f785265667265736800001" // of the sandbox only.
	DefaultOrganizationID = "60012345678"
)

const (
	defaultRecords  = 1000
	defaultTimeZone = "Asia/Kolkata"
	defaultVendor   = "Svc"
	defaultPlan     = "free"
)

// Options say what the sandbox plays.
type Options struct {
	// Seed and Records fix the world: the same pair gives the same bytes, as
	// long as the clock starts after 2025. Records defaults to 1000, over all resources.
	Seed    int64
	Records int
	// Plan is the organization's plan: free, standard, professional, premium,
	// elite, ultimate (accounting) or enterprise (inventory). It defaults to free.
	Plan string
	// OrganizationID defaults to DefaultOrganizationID, TimeZone (an IANA name)
	// to Asia/Kolkata, Vendor (the prefix of scheme and scopes) to Svc.
	OrganizationID string
	TimeZone       string
	Vendor         string
	// Now is the clock; it is required.
	Now func() time.Time
	// Limits override the plan's, field by field.
	Limits Limits
	// HeadersOnly makes lists of bills, credit notes and vendor payments leave
	// out what live services give with the single record alone.
	HeadersOnly bool
	// PageLatency is waited for before each answer of a service.
	PageLatency time.Duration
	// NoCSVHeader leaves out the first line of the conversation export.
	NoCSVHeader bool
	// ChatPage is how many chats one answer of the export holds; an answer that
	// is not the last ends with a blank line and the token to ask on with
	// (upstream facts, Chat export). 0 gives all in one answer.
	ChatPage int
	// ChatEpoch writes the times of chats in epoch milliseconds (upstream facts,
	// Chat export).
	ChatEpoch bool
}

// Server is one simulated upstream. It is safe for concurrent use.
type Server struct {
	options   Options
	endpoints []lists.Resource
	bounds    Limits

	mu     sync.Mutex // guards everything below
	world  *world.World
	offset time.Duration // of the world's clock before Options.Now
	tokens tokens.Book
	gate   limits.Gate
	faults faults.Book
}

// New builds a server. It fails on a missing clock, an unknown time zone or plan,
// and a negative ChatPage.
func New(options Options) (*Server, error) {
	if options.Now == nil {
		return nil, errors.New("sandbox: option Now is missing: pass the clock")
	}
	if options.ChatPage < 0 {
		return nil, fmt.Errorf("sandbox: option ChatPage is %d: use 0 for all chats in one answer", options.ChatPage)
	}
	options = withDefaults(options)
	zone, err := time.LoadLocation(options.TimeZone)
	if err != nil {
		return nil, fmt.Errorf("sandbox: option TimeZone: %w", err)
	}
	bounds, err := limits.Resolve(options.Plan, options.Limits)
	if err != nil {
		return nil, err
	}
	// A fixed anchor makes the bytes independent of the clock; a clock that
	// lies before it (in a test) must still not see records of its future.
	anchor := time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
	if now := options.Now(); now.Before(anchor) {
		anchor = now.UTC().Truncate(time.Hour)
	}
	return &Server{
		options:   options,
		endpoints: lists.All(),
		bounds:    bounds,
		world: world.New(world.Settings{
			Seed: options.Seed, Records: options.Records, Zone: zone, Anchor: anchor, ChatEpoch: options.ChatEpoch,
		}),
		gate: limits.New(bounds),
	}, nil
}

func withDefaults(options Options) Options {
	if options.Records <= 0 {
		options.Records = defaultRecords
	}
	fallback := func(value *string, preset string) {
		if *value == "" {
			*value = preset
		}
	}
	fallback(&options.Plan, defaultPlan)
	fallback(&options.OrganizationID, DefaultOrganizationID)
	fallback(&options.TimeZone, defaultTimeZone)
	fallback(&options.Vendor, defaultVendor)
	return options
}

// ServeHTTP answers the landing page, the control paths, the token endpoint
// and the services.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch path := r.URL.Path; {
	case path == "/":
		s.landing(w, r)
	case strings.HasPrefix(path, services.ControlRoot):
		s.control(w, r)
	case path == services.TokenPath:
		s.token(w, r)
	case services.Of(path) != "":
		s.call(w, r, services.Of(path))
	default:
		answer.Error(w, http.StatusNotFound, answer.NoSuchURL, "Invalid URL Passed")
	}
}

// Advance moves the world's clock: record times, tokens and the day of the
// daily allowance. The count of calls in a minute stays on the real clock, so
// that an advance never hides a burst. A negative step is ignored.
func (s *Server) Advance(step time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.offset += max(step, 0)
}

// now is the world's clock; the caller holds the lock.
func (s *Server) now() time.Time { return s.options.Now().Add(s.offset) }
