package watch

import (
	"net/http"
	"net/url"
	"strconv"

	"sluice/sandbox/watch/channel"
)

// mostListed is the most rows of one answer, and the default (docs/upstream.md U290).
const mostListed = 200

// listed is what is subscribed of one module of a channel.
type listed struct {
	event

	Events    []string `json:"events"`
	NotifyURL string   `json:"notify_url"`
	Token     *string  `json:"token"`
	Values    bool     `json:"return_affected_field_values"`
	Related   bool     `json:"notify_on_related_action"`
}

type listing struct {
	Watch []listed `json:"watch"`
	Info  info     `json:"info"`
}

type info struct {
	Page  int  `json:"page"`
	Per   int  `json:"per_page"`
	Count int  `json:"count"`
	More  bool `json:"more_records"`
}

// list answers GET: the living channels, one row for each module, or 204 if there is none.
func (s *Server) list(w http.ResponseWriter, r *http.Request) {
	if !s.admit(w, r, "CRM.notifications.READ") {
		return
	}
	w.Header().Set(AssumedHeader, factList)
	query := r.URL.Query()
	rows := s.rows(query)
	page, per := positive(query, "page", 1), min(positive(query, "per_page", mostListed), mostListed)
	from := min((page-1)*per, len(rows))
	to := min(from+per, len(rows))
	if from == to {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	write(w, http.StatusOK, listing{rows[from:to], info{Page: page, Per: per, Count: to - from, More: to < len(rows)}})
}

// rows returns what the parameters module and channel_id select.
func (s *Server) rows(query url.Values) []listed {
	s.mu.Lock()
	defer s.mu.Unlock()
	var rows []listed
	now := s.options.Now()
	for _, c := range s.channels {
		if !now.Before(c.Expires) || query.Has("channel_id") && query.Get("channel_id") != strconv.FormatInt(c.ID, 10) {
			continue
		}
		for _, module := range c.Modules() {
			if query.Has("module") && query.Get("module") != module.Name {
				continue
			}
			rows = append(rows, listed{
				event: s.event(c, module), Events: eventsOf(c.Channel, module.Name), NotifyURL: c.NotifyURL, Token: c.Token,
				Values: c.Values, Related: c.Related,
			})
		}
	}
	return rows
}

// eventsOf returns the events of a module as a subscription writes them.
func eventsOf(c channel.Channel, module string) []string {
	var events []string
	for _, event := range c.Events {
		if event.Module.Name == module {
			events = append(events, module+"."+string(event.Operation))
		}
	}
	return events
}

// positive reads a number of a query; one that is absent or no number from 1 is the preset.
func positive(query url.Values, name string, preset int) int {
	const most = 1 << 31 // more pages than there are
	if n, err := strconv.Atoi(query.Get(name)); err == nil && n > 0 {
		return min(n, most)
	}
	return preset
}
