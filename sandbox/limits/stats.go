package limits

import (
	"maps"
	"strings"
	"time"
)

// mostPaths bounds the statistics by path; calls of further paths count as otherPaths.
const (
	mostPaths  = 1000
	otherPaths = "other"
)

// Stats is what the sandbox counted since the start or the last reset.
type Stats struct {
	Calls           int            `json:"calls"`            // arrivals at all services, refused ones too
	Worst60s        int            `json:"worst_60s"`        // most arrivals of the organization in any 60 s; chat not counted
	WorstChat60s    int            `json:"worst_chat_60s"`   // the same, for chat
	WorstConcurrent int            `json:"worst_concurrent"` // most calls of the organization at once; chat not counted
	ByService       map[string]int `json:"by_service"`
	ByPath          map[string]int `json:"by_path"`   // an id in the path is written {id}
	ByStatus        map[string]int `json:"by_status"` // HTTP status; "none" where the connection broke first
	ByClient        map[string]int `json:"by_client"` // arrivals by the application that the token was given to, where it is known
	TokenRequests   int            `json:"token_requests"`
	Refused         map[string]int `json:"refused"` // code (44, 45, 1070; chat 429) by the sandbox's own count, without faults
	// Spent counts the calls that passed, by the day (UTC, of the world's clock) and the service.
	Spent map[string]map[string]int `json:"spent"`
}

func newStats() Stats {
	return Stats{
		ByService: map[string]int{}, ByPath: map[string]int{}, ByStatus: map[string]int{}, ByClient: map[string]int{},
		Refused: map[string]int{}, Spent: map[string]map[string]int{},
	}
}

// arrive counts an arrival.
func (s *Stats) arrive(call Arrival) {
	s.Calls++
	s.ByService[call.Service]++
	if call.Client != "" {
		s.ByClient[call.Client]++
	}
	path := normalPath(call.Path)
	if _, known := s.ByPath[path]; !known && len(s.ByPath) >= mostPaths {
		path = otherPaths
	}
	s.ByPath[path]++
}

// spend counts a call that passed.
func (s *Stats) spend(today time.Time, service string) {
	day := today.UTC().Format(time.DateOnly)
	if s.Spent[day] == nil {
		s.Spent[day] = map[string]int{}
	}
	s.Spent[day][service]++
}

// clone returns a copy that later calls do not change.
func (s *Stats) clone() Stats {
	copied := *s
	copied.ByService = maps.Clone(s.ByService)
	copied.ByPath = maps.Clone(s.ByPath)
	copied.ByStatus = maps.Clone(s.ByStatus)
	copied.ByClient = maps.Clone(s.ByClient)
	copied.Refused = maps.Clone(s.Refused)
	spent := make(map[string]map[string]int, len(s.Spent))
	for day, services := range s.Spent {
		spent[day] = maps.Clone(services)
	}
	copied.Spent = spent
	return copied
}

// normalPath writes {id} for identifiers, so that statistics stay small.
func normalPath(path string) string {
	segments := strings.Split(path, "/")
	for n, segment := range segments {
		if segment != "" && strings.Trim(segment, "0123456789") == "" {
			segments[n] = "{id}"
		}
	}
	return strings.Join(segments, "/")
}
