package sandbox

import (
	"context"
	"errors"
	"net/http"

	"sluice/sandbox/endpoints"
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
