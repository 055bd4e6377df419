// Package watch is the simulated subscription endpoint of change notifications (docs/upstream.md
// U270 to U291) and their sender. It checks and stores channels, and POSTs a callback for each
// event that a living channel is subscribed to.
//
// A server belongs to one organization. It makes no events: the code that changes records calls
// Publish. It opens no connection itself: callbacks leave through a Poster.
//
// Start reading with Options, then endpoint.go and list.go (for clients) and publish.go (for
// receivers). Package channel checks subscriptions; package delivery sends, and on demand late or
// twice.
package watch

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"sluice/sandbox/oauth"
	"sluice/sandbox/watch/channel"
	"sluice/sandbox/watch/delivery"
)

// Path is the pattern of the endpoint, relative to {api_base_url}.
const Path = "/crm/{version}/actions/watch"

const defaultBatch = 50

// Guard reports whether a request may pass, and its access; an oauth.Server is one.
type Guard interface {
	Authorize(r *http.Request, scopes ...string) (oauth.Access, oauth.Verdict)
}

// Options describe the server's behavior.
type Options struct {
	Now  func() time.Time // the clock; required
	Zone *time.Location   // the organization's; nil is UTC
	// Guard checks tokens and scopes; nil admits every request.
	Guard Guard
	// Base is the beginning of resource_uri. "" is the address of the subscription followed by
	// Prefix, the part before every path of the data center, such as /dc/eu.
	Base, Prefix string
	// Modules are added to the documented ones: custom modules, subforms, linking modules.
	Modules []channel.Module
	// AnyHost lets callbacks go to other machines than this one.
	AnyHost bool
	// Habits are those of the start; SetHabits changes them.
	Habits Habits
	// BatchIDs is the most records in one callback; 0 is 50.
	BatchIDs int

	// Poster sends callbacks; required. Seed, Chaos and Timeout are those of delivery.Options.
	Poster  delivery.Poster
	Seed    int64
	Chaos   delivery.Chaos
	Timeout time.Duration
}

// Server is the endpoint and the sender. It is safe for concurrent use.
type Server struct {
	*delivery.Queue // of the callbacks: Run, Wake, Flush, SetChaos

	options Options
	modules channel.Catalogue
	mux     *http.ServeMux

	mu       sync.Mutex // guards everything below
	habits   Habits
	channels []subscribed
	events   int
	silent   int
}

// Habits are ways of live services that can be switched while channels live.
type Habits struct {
	// Documented sends the callbacks of later events as docs/upstream.md U279 describes them,
	// instead of as live services do (U285).
	Documented bool
	// OneDay grants channels from now on one day, whatever is asked (docs/upstream.md U288).
	OneDay bool
}

// subscribed is a channel with the address of its module's records.
type subscribed struct {
	channel.Channel

	base   string // the beginning of resource_uri, up to the module
	silent bool   // it is told nothing
}

// New builds a server without channels. It fails on a missing clock or Poster and on rates outside
// 0 to 1.
func New(options Options) (*Server, error) {
	if options.BatchIDs < 0 {
		return nil, errors.New("watch: option BatchIDs is negative: use 0 for the default")
	}
	if options.BatchIDs == 0 {
		options.BatchIDs = defaultBatch
	}
	if options.Zone == nil {
		options.Zone = time.UTC
	}
	queue, err := delivery.New(delivery.Options{
		Now: options.Now, Poster: options.Poster, Seed: options.Seed, Chaos: options.Chaos, Timeout: options.Timeout,
	})
	if err != nil {
		return nil, err
	}
	s := &Server{
		options: options, modules: channel.Modules(options.Modules...), Queue: queue,
		mux: http.NewServeMux(), habits: options.Habits,
	}
	s.mux.HandleFunc("POST "+Path, s.enable)
	s.mux.HandleFunc("PUT "+Path, s.update)
	s.mux.HandleFunc("PATCH "+Path, s.amend)
	s.mux.HandleFunc("DELETE "+Path, s.disable)
	s.mux.HandleFunc("GET "+Path, s.list)
	return s, nil
}

// ServeHTTP answers the endpoint.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// silence marks a request in its context.
type silence struct{}

// ServeSilent answers as ServeHTTP does, but a channel that it grants is told nothing, until
// another request grants it anew (docs/upstream.md U288).
func (s *Server) ServeSilent(w http.ResponseWriter, r *http.Request) {
	s.mux.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), silence{}, true)))
}

func isSilent(r *http.Request) bool { return r.Context().Value(silence{}) != nil }

// Modules returns the modules that can be subscribed to, with fields and ids, as a client reads
// them from the settings of its organization.
func (s *Server) Modules() channel.Catalogue { return s.modules }

// Habits returns the habits in force.
func (s *Server) Habits() Habits {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.habits
}

// SetHabits changes the habits from now on. Channels keep what they were granted.
func (s *Server) SetHabits(habits Habits) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.habits = habits
}

// Stats count events since the server started.
type Stats struct {
	delivery.Stats

	Channels int `json:"channels"` // that live now
	Events   int `json:"events"`   // published
	Silent   int `json:"silent"`   // callbacks that a silent channel kept back
}

// Stats returns the counts so far.
func (s *Server) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	stats := Stats{Stats: s.Queue.Stats(), Events: s.events, Silent: s.silent}
	now := s.options.Now()
	for _, c := range s.channels {
		if now.Before(c.Expires) {
			stats.Channels++
		}
	}
	return stats
}
