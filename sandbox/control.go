package sandbox

import (
	"encoding/json"
	"fmt"
	"net/http"

	"sluice/sandbox/answer"
	"sluice/sandbox/company"
	"sluice/sandbox/services"
)

const maxControlBody = 1 << 20

// control is one call below /_sandbox/. Controls are no part of the upstream and are not counted.
type control struct {
	method, path string
	body         string // an example; "" for none
	meaning      string // for people
	serve        func(*Server, asked)
}

// asked is one call of a control.
type asked struct {
	w       http.ResponseWriter
	r       *http.Request
	stage   *stage
	company *company.Company // the one that the query names, else the sandbox's own
}

// controls returns the calls as the landing page lists them.
func controls() []control {
	const get, post = http.MethodGet, http.MethodPost
	return []control{
		{get, "organizations", "", "The organizations that are played, with their plans and credentials.", (*Server).showOrganizations},
		{get, "endpoints", "", "What can be called, the scope it needs, and what of it no document shows.", (*Server).showEndpoints},
		{get, "openapi.json", "", "The same as an OpenAPI description.", (*Server).showDescription},
		{get, "truth/{service}/{resource}", "", "Every live record in one piece, one JSON object a line: what a copy must equal.", (*Server).showTruth},
		{
			get, "books/{figure}", "",
			"The oracle of the world books: ageing, spend, control and more, as of ?day=2026-01-31 or of today; a wrong name answers the right ones.",
			(*Server).showFigure,
		},
		{
			post, "plant", `{"what":"difference"}`,
			"Changes the world books in a way that an analyst has to see: difference, deletions, restore or price_rises.", (*Server).plant,
		},
		{
			get, "stats", "", "What was called and how it was answered: the worst minute, the most at once, what each day cost.",
			func(_ *Server, a asked) { a.write(a.company.Stats()) },
		},
		{post, "reset_stats", "", "Counts anew.", (*Server).resetStats},
		{
			post, "change", `{"seed":1,"inserts":2,"edits":3,"deletes":1,"resources":["bills"]}`,
			"Changes records and answers their ids; no resources named means all.", (*Server).change,
		},
		{post, "create", `{"resources":["bills"],"count":2}`, "Adds records and answers their ids.", (*Server).create},
		{
			post, "delete", `{"resource":"inventory.bills","ids":["460000000040000001000"]}`,
			"Deletes these records, whatever refers to them.", (*Server).remove,
		},
		{get, "activity", "", "What the business does by itself in an hour of its clock.", func(_ *Server, a asked) { a.write(a.company.Activity()) }},
		{post, "activity", `{"inserts":2,"payments":1}`, "Changes that; {} lets it rest.", (*Server).setActivity},
		{post, "advance", `{"seconds":3600}`, "Moves the clock on: record times, tokens, the day and the header Date, not the minute.", (*Server).advance},
		{get, "plan", "", "The plan and the limits in force.", func(_ *Server, a asked) { a.write(a.company.Allowance()) }},
		{post, "plan", `{"plan":"premium","limits":{"daily_inventory":50}}`, "Changes them; limits that are not named are the plan's.", (*Server).setPlan},
		{post, "expire_tokens", "", "Makes every access token invalid.", (*Server).expireTokens},
		{get, "notifications", "", "The channels and callbacks so far, and the fields and ids of the modules.", (*Server).showNotifications},
		{
			post, "notifications", `{"form":"live","one_day":true,"chaos":{"lose":0.1,"duplicate":0.1,"late":0.1,"reorder":0.1,"reencode":0.1,"gzip":0.1}}`,
			"Sets the form of callbacks (documented or live), whether a channel gets one day whatever it asks for, and how often callbacks and " +
				"webhooks are lost, repeated, late, out of order, or rewritten and packed by a proxy.", (*Server).setNotifications,
		},
		{get, "webhooks", "", "The workflow rules, and their webhooks so far.", (*Server).showWebhooks},
		{
			post, "webhooks", `{"rules":[{"resource":"inventory.bills","address":"http://127.0.0.1:8099/bills","secret":"sandboxsecret"}],"retries":3}`,
			"Sets rules in place of those before: whom to call when a record is created or edited; {} ends them. A plan other than free has rules.",
			(*Server).setWebhooks,
		},
		{post, "deliver", "", "Sends the callbacks and webhooks that are due, and answers how many those were.", (*Server).deliverNow},
		{get, "faults", "", "The faults that are set, and those there are.", (*Server).showFaults},
		{
			post, "faults", `[{"path":"` + services.InventoryRoot + `/bills","kind":"html","count":2,"after":1}]`,
			"Sets faults in place of those before; [] sets everything right again.", (*Server).setFaults,
		},
		{post, "reset", "", "Makes everything as it was in the beginning, faults too.", (*Server).resetAll},
	}
}

// controlHandler returns the handler of the controls. It serves this machine only, unless the
// options say otherwise, and refuses pages of other sites in a browser.
func (s *Server) controlHandler() http.Handler {
	mux := http.NewServeMux()
	for _, c := range controls() {
		mux.HandleFunc(c.method+" "+services.ControlRoot+c.path, func(w http.ResponseWriter, r *http.Request) {
			r.Body = http.MaxBytesReader(w, r.Body, maxControlBody)
			st := s.stage.Load()
			chosen, err := st.chosen(r)
			if err != nil {
				answer.Error(w, http.StatusNotFound, answer.NoSuchRecord, err.Error())
				return
			}
			c.serve(s, asked{w, r, st, chosen})
		})
	}
	mux.HandleFunc(services.ControlRoot, func(w http.ResponseWriter, _ *http.Request) {
		answer.Error(w, http.StatusNotFound, answer.NoSuchURL, "no such control: see the landing page")
	})
	pages := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if refusal := s.shield(r, pages); refusal != "" {
			answer.Error(w, http.StatusForbidden, answer.NotAuthorized, refusal)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// chosen returns the organization that a control is for: the one that the query names, else the
// sandbox's own one.
func (st *stage) chosen(r *http.Request) (*company.Company, error) {
	query := r.URL.Query()
	if !query.Has("organization") {
		return st.own(), nil
	}
	return st.find(query.Get("organization"), query.Get("dc"))
}

// write answers with a value as JSON.
func (a asked) write(value any) {
	body, err := json.Marshal(value)
	if err != nil {
		answer.Error(a.w, http.StatusInternalServerError, answer.NotAuthorized, fmt.Sprintf("sandbox: encode answer: %v", err))
		return
	}
	answer.Body(a.w, http.StatusOK, answer.JSONType, append(body, '\n'))
}

// read decodes the body strictly. It answers 400 itself and returns false if it cannot.
func (a asked) read(into any) bool {
	decoder := json.NewDecoder(a.r.Body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		a.refuse(fmt.Errorf("sandbox: read %s: %w", a.r.URL.Path, err))
		return false
	}
	return true
}

// refuse answers 400.
func (a asked) refuse(err error) {
	answer.Error(a.w, http.StatusBadRequest, answer.InvalidValue, err.Error())
}
