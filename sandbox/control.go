package sandbox

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"

	"sluice/sandbox/answer"
	"sluice/sandbox/company"
	"sluice/sandbox/faults"
	"sluice/sandbox/lists"
	"sluice/sandbox/services"
)

const (
	maxControlBody = 1 << 20
	maxAdvance     = math.MaxInt32 // seconds, some 68 years
)

// control answers the paths below /_sandbox/. They are no part of the upstream
// and are not counted.
func (s *Server) control(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxControlBody)
	command := strings.TrimPrefix(r.URL.Path, services.ControlRoot)
	c, ok := s.chosen(w, r)
	if !ok {
		return
	}
	if rest, ok := strings.CutPrefix(command, "truth/"); ok && r.Method == http.MethodGet {
		truth(w, rest, c)
		return
	}
	switch r.Method + " " + command {
	case "GET stats":
		writeJSON(w, c.Stats())
	case "GET organizations":
		writeJSON(w, s.played())
	case "GET endpoints":
		writeJSON(w, s.rows())
	case "GET faults":
		writeJSON(w, map[string]any{"kinds": faults.Kinds(), "active": s.activeFaults()})
	case "POST faults":
		var set []Fault
		if !readJSON(w, r, &set) {
			return
		}
		if err := s.SetFaults(set); err != nil {
			answer.Error(w, http.StatusBadRequest, answer.InvalidValue, err.Error())
			return
		}
		writeJSON(w, map[string]any{"active": s.activeFaults()})
	case "POST change":
		var change Change
		if !readJSON(w, r, &change) {
			return
		}
		changed, err := c.Change(change)
		if err != nil {
			answer.Error(w, http.StatusBadRequest, answer.InvalidValue, err.Error())
			return
		}
		writeJSON(w, changed)
	case "POST advance":
		s.advance(w, r)
	case "POST reset_stats":
		s.ResetStats()
		writeJSON(w, c.Stats())
	case "POST expire_tokens":
		s.ExpireTokens()
		writeJSON(w, map[string]any{"expired": true})
	default:
		answer.Error(w, http.StatusNotFound, answer.NoSuchURL, "no such control: see the landing page")
	}
}

func (s *Server) advance(w http.ResponseWriter, r *http.Request) {
	var step struct {
		Seconds int64 `json:"seconds"`
	}
	if !readJSON(w, r, &step) {
		return
	}
	if step.Seconds < 0 || step.Seconds > maxAdvance {
		answer.Error(w, http.StatusBadRequest, answer.InvalidValue, "sandbox: advance: seconds must be 0 or more, and less than 68 years")
		return
	}
	s.Advance(time.Duration(step.Seconds) * time.Second)
	writeJSON(w, map[string]any{"now": s.own().Time().UTC().Format(time.RFC3339)})
}

// truth streams one JSON object a line.
func truth(w http.ResponseWriter, path string, c *company.Company) {
	service, resource, _ := strings.Cut(path, "/")
	if _, found := lists.Find(service, resource); !found {
		answer.Error(w, http.StatusNotFound, answer.NoSuchURL, "no such resource: truth/<service>/<resource>")
		return
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	out := bufio.NewWriter(w)
	for record := range c.Truth(service, resource) {
		if _, err := out.Write(append(record, '\n')); err != nil {
			return // the client left
		}
	}
	_ = out.Flush()
}

// chosen answers the organization that a control is for: the sandbox's own one, or
// the one that the query names. It answers 404 itself if that is not played.
func (s *Server) chosen(w http.ResponseWriter, r *http.Request) (*company.Company, bool) {
	query := r.URL.Query()
	if !query.Has("organization") {
		return s.own(), true
	}
	c, err := s.find(query.Get("organization"), query.Get("dc"))
	if err != nil {
		answer.Error(w, http.StatusNotFound, answer.NoSuchRecord, err.Error())
	}
	return c, err == nil
}

// organization is one that is played, as the controls show it.
type organization struct {
	ID           string `json:"organization_id"`
	DataCenter   string `json:"dc"`
	Prefix       string `json:"prefix"` // of every path; "" for none
	TimeZone     string `json:"time_zone"`
	Plan         string `json:"plan"`
	RefreshToken string `json:"refresh_token"` // of the sandbox only
}

func (s *Server) played() []organization {
	all := make([]organization, 0, len(s.companies))
	for n, c := range s.companies {
		o := organization{ID: c.ID, DataCenter: c.DataCenter, TimeZone: c.TimeZone, Plan: c.Plan, RefreshToken: RefreshTokenFor(c.ID, c.DataCenter)}
		if n == 0 {
			o.RefreshToken = RefreshToken
		}
		if c.DataCenter != "" {
			o.Prefix = services.DataCenterRoot + c.DataCenter
		}
		all = append(all, o)
	}
	return all
}

// row is one row of the table of endpoints, as the controls show it.
type row struct {
	Method  string `json:"method"`
	Path    string `json:"path"`
	Service string `json:"service"`
	Scope   string `json:"scope"`
	Assumed string `json:"assumed,omitempty"` // what no document shows
}

func (s *Server) rows() []row {
	all := make([]row, 0, len(s.table))
	for _, e := range s.table {
		all = append(all, row{Method: e.Method, Path: e.Path, Service: e.Service(), Scope: e.Scope, Assumed: e.Assumed})
	}
	return all
}

func writeJSON(w http.ResponseWriter, value any) {
	body, err := json.Marshal(value)
	if err != nil {
		answer.Error(w, http.StatusInternalServerError, answer.NotAuthorized, fmt.Sprintf("sandbox: encode answer: %v", err))
		return
	}
	answer.Body(w, http.StatusOK, answer.JSONType, append(body, '\n'))
}

// readJSON decodes a body strictly, and answers 400 itself if it cannot.
func readJSON(w http.ResponseWriter, r *http.Request, into any) bool {
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		answer.Error(w, http.StatusBadRequest, answer.InvalidValue, fmt.Sprintf("sandbox: read %s: %v", r.URL.Path, err))
		return false
	}
	return true
}
