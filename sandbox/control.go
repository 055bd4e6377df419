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
	"sluice/sandbox/faults"
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
	if rest, ok := strings.CutPrefix(command, "truth/"); ok && r.Method == http.MethodGet {
		s.truth(w, rest)
		return
	}
	switch r.Method + " " + command {
	case "GET stats":
		writeJSON(w, s.Stats())
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
		changed, err := s.Change(change)
		if err != nil {
			answer.Error(w, http.StatusBadRequest, answer.InvalidValue, err.Error())
			return
		}
		writeJSON(w, changed)
	case "POST advance":
		s.advance(w, r)
	case "POST reset_stats":
		s.ResetStats()
		writeJSON(w, s.Stats())
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
	s.mu.Lock()
	now := s.now()
	s.mu.Unlock()
	writeJSON(w, map[string]any{"now": now.Format(time.RFC3339)})
}

// truth streams one JSON object a line.
func (s *Server) truth(w http.ResponseWriter, path string) {
	service, resource, _ := strings.Cut(path, "/")
	if _, found := s.resource(service, resource); !found {
		answer.Error(w, http.StatusNotFound, answer.NoSuchURL, "no such resource: truth/<service>/<resource>")
		return
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	out := bufio.NewWriter(w)
	for record := range s.Truth(service, resource) {
		if _, err := out.Write(append(record, '\n')); err != nil {
			return // the client left
		}
	}
	_ = out.Flush()
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
