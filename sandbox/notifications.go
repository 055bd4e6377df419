package sandbox

import (
	"context"
	"errors"
	"net/http"

	"sluice/sandbox/company"
	"sluice/sandbox/endpoints"
	"sluice/sandbox/faults"
	"sluice/sandbox/watch"
	"sluice/sandbox/watch/delivery"
)

// watchScope opens everything of notifications (docs/upstream.md U37).
const watchScope = "CRM.notifications.ALL"

// Poster sends callbacks: see delivery.Poster. The sandbox itself calls no other machine.
type Poster = delivery.Poster

// Chaos is what goes wrong with callbacks and rule webhooks on their way.
type Chaos = delivery.Chaos

// noPoster stands in where no Poster was given. Nothing is published then, so that no callback
// waits.
type noPoster struct{}

// Post fails.
func (noPoster) Post(context.Context, string, http.Header, []byte) (int, error) {
	return 0, errors.New("sandbox: callbacks need the option Poster, which is not set")
}

// poster returns the sender of callbacks and webhooks.
func (s *Server) poster() Poster {
	if s.options.Poster == nil {
		return noPoster{}
	}
	return s.options.Poster
}

// watchRows returns the rows of notifications; package watch answers them.
func watchRows() []endpoints.Endpoint {
	return []endpoints.Endpoint{
		{
			Method: http.MethodPost, Path: watch.Path, Scope: "CRM.notifications.CREATE", Assumed: "status of each outcome",
			Note: "Enables channels; callbacks go to addresses on this machine.",
		},
		{
			Method: http.MethodPut, Path: watch.Path, Scope: "CRM.notifications.UPDATE", Assumed: "that channels can be updated",
			Note: "Renews living channels.",
		},
		{
			Method: http.MethodPatch, Path: watch.Path, Scope: "CRM.notifications.UPDATE", Assumed: "that channels can be changed in part",
			Note: "Changes what it names of living channels; with _delete_events, ends events.",
		},
		{
			Method: http.MethodGet, Path: watch.Path, Scope: "CRM.notifications.READ", Assumed: "that channels can be read",
			Note: "The living channels, one row for each module; 204 if there is none.",
		},
		{
			Method: http.MethodDelete, Path: watch.Path, Scope: "CRM.notifications.DELETE", Assumed: "that channels can be disabled",
			Note: "channel_ids, with commas between.",
		},
	}
}

// Run sends callbacks and rule webhooks as they fall due, until the context ends.
func (s *Server) Run(ctx context.Context) {
	for ctx.Err() == nil {
		s.stage.Load().run(ctx)
	}
}

// Deliver sends the callbacks that are due now, in order, then the rule webhooks, and returns their
// number. It is Run in steps, for tests.
func (s *Server) Deliver(ctx context.Context) int {
	st, sent := s.stage.Load(), 0
	for _, c := range st.companies {
		sent += st.watchers[c].Flush(ctx) + st.hooks[c].Flush(ctx)
	}
	return sent
}

// Fault makes some calls go wrong.
type Fault = faults.Fault

// FaultKind describes one kind of fault in a sentence.
type FaultKind = faults.Kind

// FaultKinds returns the kinds of faults that every client meets sooner or later.
func FaultKinds() []FaultKind { return faults.CommonKinds() }

// RareFaultKinds returns the kinds that few clients ever meet, but must survive.
func RareFaultKinds() []FaultKind { return faults.RareKinds() }

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
