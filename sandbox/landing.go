package sandbox

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"

	"sluice/sandbox/answer"
	"sluice/sandbox/landing"
	"sluice/sandbox/lists"
	"sluice/sandbox/world"
)

// landing says what this is, to somebody who opened the address in a browser.
func (s *Server) landing(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		answer.Error(w, http.StatusMethodNotAllowed, answer.NoSuchURL, "method not supported by the resource")
		return
	}
	page := landing.Page{
		Base: baseOf(r), Organization: s.options.OrganizationID, TimeZone: s.options.TimeZone, Vendor: s.options.Vendor, Plan: s.options.Plan,
		Records: s.size(), Limits: s.bounds, ClientID: ClientID, ClientSecret: ClientSecret, RefreshToken: RefreshToken,
	}
	for _, e := range s.endpoints {
		page.Resources = append(page.Resources, s.shown(e))
	}
	var body bytes.Buffer
	if err := page.Write(&body); err != nil {
		answer.Error(w, http.StatusInternalServerError, answer.NotAuthorized, err.Error())
		return
	}
	answer.Body(w, http.StatusOK, answer.HTMLType, body.Bytes())
}

// size is the number of live records.
func (s *Server) size() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	live := 0
	for _, e := range s.endpoints {
		for i := range s.world.Len(e.Kind) {
			if s.world.Live(e.Kind, i) {
				live++
			}
		}
	}
	return live
}

// shown is an endpoint as the page shows it.
func (s *Server) shown(e lists.Resource) landing.Resource {
	if e.Kind == world.Chats {
		note := "CSV: send Content-Type: text/csv, and no organization_id. The fields are " + strings.Join(world.ChatFields(), ", ") + "."
		if most := s.options.ChatPage; most > 0 {
			note += fmt.Sprintf(" An answer holds %d at most and ends with the next_token to ask on with.", most)
		}
		return landing.Resource{Name: e.Name, Service: e.Service, List: e.Path + "?fields=title,chat_id", Note: note}
	}
	note := "Ignores last_modified_time in silence."
	if e.SinceHonoured {
		note = "Filters by last_modified_time."
	}
	if e.Wide && s.options.HeadersOnly {
		note += " Lines come with the single record only."
	}
	if e.Kind == world.Accounts {
		note += " Active accounts only, without filter_by=AccountType.All."
	}
	return landing.Resource{Name: e.Name, Service: e.Service, List: e.Path, One: e.Path + "/{id}", Note: note}
}

func baseOf(r *http.Request) string {
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}
