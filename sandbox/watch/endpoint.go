package watch

import (
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"sluice/sandbox/oauth"
	"sluice/sandbox/watch/channel"
)

// AssumedHeader names the fact of docs/upstream.md behind an answer where the API document is
// silent.
const AssumedHeader = "X-Sandbox-Assumed"

// Facts behind answers where the API document is silent (docs/upstream.md U66, U283, U287, U290,
// U291).
const (
	factStatus  = "enabling answers 201; partly failed 207; failed 400 or 202"
	factOneDay  = "versions 2 and 3 grant one day, whatever is asked"
	factList    = "what is subscribed can be read (GET); 204 if nothing is"
	factAmend   = "a channel can be changed in part (PATCH), and events ended with _delete_events"
	factUpdate  = "a channel can be updated (PUT); an expired one answers 400 NOT_SUBSCRIBED"
	factDisable = "channels can be disabled (DELETE with channel_ids)"
	factToken   = "401 of notifications has codes of text"
)

// mostBody bounds a body, in bytes.
const mostBody = 256 << 10

// manner holds the differences between enabling, updating and amending.
type manner struct {
	granted int // the status if all elements were
	fact    string
	// read checks an element, under the lock.
	read func(channel.Rules, channel.Element) (channel.Channel, *channel.Problem)
}

// enable answers POST: it enables or refuses each element of watch on its own. An enabled channel
// replaces the one of the same id.
func (s *Server) enable(w http.ResponseWriter, r *http.Request) {
	if !s.admit(w, r, "CRM.notifications.CREATE", "CRM.notifications.WRITE") {
		return
	}
	s.each(w, r, manner{http.StatusCreated, factStatus, channel.Rules.Read})
}

// update answers PUT: the body replaces a living channel as a whole.
func (s *Server) update(w http.ResponseWriter, r *http.Request) {
	if !s.admit(w, r, "CRM.notifications.UPDATE", "CRM.notifications.WRITE") {
		return
	}
	replace := func(rules channel.Rules, element channel.Element) (channel.Channel, *channel.Problem) {
		read, problem := rules.Read(element)
		if _, alive := s.living(read.ID); problem == nil && !alive {
			problem = element.NotSubscribed()
		}
		return read, problem
	}
	s.each(w, r, manner{http.StatusOK, factUpdate, replace})
}

// amend answers PATCH: the body changes parts of a living channel, or ends events of it.
func (s *Server) amend(w http.ResponseWriter, r *http.Request) {
	if !s.admit(w, r, "CRM.notifications.UPDATE", "CRM.notifications.WRITE") {
		return
	}
	change := func(rules channel.Rules, element channel.Element) (channel.Channel, *channel.Problem) {
		return rules.Amend(element, s.living)
	}
	s.each(w, r, manner{http.StatusOK, factAmend, change})
}

// each reads the elements of a body and stores the valid channels.
func (s *Server) each(w http.ResponseWriter, r *http.Request, manner manner) {
	w.Header().Set(AssumedHeader, manner.fact)
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostBody))
	if err != nil {
		write(w, http.StatusBadRequest, failure(&channel.Problem{
			Code: channel.InvalidData, Name: "body", Path: "$", Message: "the body is too long or broken off",
		}))
		return
	}
	elements, problem := channel.Split(body)
	if problem != nil {
		write(w, http.StatusBadRequest, failure(problem))
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	rules := channel.Rules{
		Modules: s.modules, Now: s.options.Now(), AnyHost: s.options.AnyHost, OneDay: s.habits.OneDay,
	}
	if rules.OneDay {
		w.Header().Add(AssumedHeader, factOneDay)
	}
	results := make([]result, 0, len(elements))
	failed := 0
	for _, element := range elements {
		read, problem := manner.read(rules, element)
		if problem != nil {
			failed++
			results = append(results, failure(problem))
			continue
		}
		kept := subscribed{Channel: read, base: s.base(r), silent: isSilent(r)}
		s.keep(kept)
		results = append(results, s.granted(kept))
	}
	write(w, status(failed, len(results), manner.granted), watched{results})
}

// keep stores a channel in place of the one with the same id; the caller holds the lock.
func (s *Server) keep(c subscribed) {
	now := s.options.Now()
	s.channels = slices.DeleteFunc(s.channels, func(old subscribed) bool { return old.ID == c.ID || !now.Before(old.Expires) })
	if len(c.Events) > 0 { // else its last event ended
		s.channels = append(s.channels, c)
	}
}

func (s *Server) find(id int64) int {
	return slices.IndexFunc(s.channels, func(c subscribed) bool { return c.ID == id })
}

// living returns a channel that has not expired; the caller holds the lock.
func (s *Server) living(id int64) (channel.Channel, bool) {
	at := s.find(id)
	if at < 0 || !s.options.Now().Before(s.channels[at].Expires) {
		return channel.Channel{}, false
	}
	return s.channels[at].Channel, true
}

// disable answers DELETE with the query parameter channel_ids.
func (s *Server) disable(w http.ResponseWriter, r *http.Request) {
	if !s.admit(w, r, "CRM.notifications.DELETE") {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	results, failed := []result(nil), 0
	for text := range strings.SplitSeq(r.URL.Query().Get("channel_ids"), ",") {
		id, err := strconv.ParseInt(text, 10, 64)
		at := s.find(id)
		if err != nil || at < 0 {
			failed++
			results = append(results, failure(&channel.Problem{
				Code: channel.NotSubscribed, Name: "channel_ids", Message: "the channel is not subscribed or has expired",
			}))
			continue
		}
		for _, module := range s.channels[at].Modules() {
			results = append(results, result{
				Code: success, Status: "success", Message: "Successfully un-subscribed from actions-watch",
				Details: details{URI: s.channels[at].base + module.Name, ID: module.ID, Chan: text},
			})
		}
		s.channels = slices.Delete(s.channels, at, at+1)
	}
	w.Header().Set(AssumedHeader, factDisable)
	write(w, status(failed, len(results), http.StatusOK), watched{results})
}

// admit answers 401 to a caller without access. The scope ALL permits every operation, which the
// guard knows.
func (s *Server) admit(w http.ResponseWriter, r *http.Request, scopes ...string) bool {
	if s.options.Guard == nil {
		return true
	}
	refusal := result{Status: "error"}
	_, verdict := s.options.Guard.Authorize(r, scopes...)
	switch verdict {
	case oauth.Granted:
		return true
	case oauth.MissingToken:
		refusal.Code, refusal.Message = "AUTHENTICATION_FAILURE", "Authentication failed"
	case oauth.DeadToken:
		refusal.Code, refusal.Message = "INVALID_TOKEN", "invalid oauth token"
	case oauth.MissingScope:
		refusal.Code, refusal.Message = "OAUTH_SCOPE_MISMATCH", "invalid oauth scope to access this URL"
	}
	w.Header().Set(AssumedHeader, factToken)
	write(w, http.StatusUnauthorized, refusal)
	return false
}

// base returns the beginning of the resource_uri of a module.
func (s *Server) base(r *http.Request) string {
	address := s.options.Base
	if address == "" {
		address = "http://" + r.Host
		if r.TLS != nil {
			address = "https://" + r.Host
		}
		address += s.options.Prefix
	}
	return address + "/crm/" + r.PathValue("version") + "/"
}
