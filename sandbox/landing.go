package sandbox

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"

	"sluice/sandbox/answer"
	"sluice/sandbox/endpoints"
	"sluice/sandbox/landing"
	"sluice/sandbox/services"
	"sluice/sandbox/world"
)

// landing explains the sandbox to a reader who opens its address in a browser.
func (s *Server) landing(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		answer.Error(w, http.StatusMethodNotAllowed, answer.NoSuchURL, "method not supported by the resource")
		return
	}
	st := s.stage.Load()
	own := st.own()
	allowance := own.Allowance()
	page := landing.Page{
		Base: baseOf(r), Organization: own.ID, TimeZone: own.TimeZone, Vendor: s.options.Vendor, Plan: allowance.Plan,
		Limits: allowance.Limits, ClientID: ClientID, ClientSecret: ClientSecret, RefreshToken: RefreshToken,
		Networks: s.options.Networks, Modules: s.options.CustomModules,
		Anywhere: s.options.ControlAnywhere, Sending: s.options.Poster != nil,
	}
	for _, c := range st.companies {
		page.Records += c.Size()
	}
	for _, o := range st.organizations(s.options.Vendor)[1:] {
		page.Organizations = append(page.Organizations, landing.Organization{
			ID: o.ID, Prefix: o.Prefix, TimeZone: o.TimeZone, Plan: o.Plan, RefreshToken: o.RefreshToken,
		})
	}
	for _, e := range s.described() {
		page.Endpoints = append(page.Endpoints, s.shown(e))
	}
	for _, c := range controls() {
		call := strings.TrimSpace(c.method + " " + services.ControlRoot + c.path + " " + c.body)
		page.Controls = append(page.Controls, landing.Control{Call: call, Meaning: c.meaning})
	}
	var body bytes.Buffer
	if err := page.Write(&body); err != nil {
		answer.Error(w, http.StatusInternalServerError, answer.NotAuthorized, err.Error())
		return
	}
	answer.Body(w, http.StatusOK, answer.HTMLType, body.Bytes())
}

// shown returns a row of the table as the page shows it.
func (s *Server) shown(e endpoints.Endpoint) landing.Endpoint {
	notes := []string{}
	if e.Note != "" {
		notes = append(notes, e.Note)
	}
	list := e.Method == http.MethodGet && (!strings.HasSuffix(e.Path, "}") || e.Resource.Kind == world.ModuleRecords)
	if e.Resource.SinceHonoured && list {
		notes = append(notes, "Filters by last_modified_time.")
	}
	if e.Resource.SinceHonoured && s.options.SortsModified && list {
		notes = append(notes, "Sorts by it as well.")
	}
	if e.Resource.Wide && (s.options.HeadersOnly || s.options.AsLive) && list {
		notes = append(notes, "Lines are in the single record only.")
	}
	if e.Service() == services.Chat && s.options.ChatPage > 0 && e.Resource.Key == "" {
		notes = append(notes, fmt.Sprintf("An answer holds %d at most and ends with the next_token to ask on with.", s.options.ChatPage))
	}
	return landing.Endpoint{
		Name: e.Resource.Name, Service: e.Service(), Method: e.Method, Path: e.Path, Scope: e.Scope, Note: strings.Join(notes, " "), Assumed: e.Assumed,
	}
}

func baseOf(r *http.Request) string {
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}
