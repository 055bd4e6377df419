package limits

import (
	"maps"
	"strings"
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
	TokenRequests   int            `json:"token_requests"`
	Refused         map[string]int `json:"refused"` // code (44, 45, 1070; chat 429) by the sandbox's own count, faults not included
}

func newStats() Stats {
	return Stats{ByService: map[string]int{}, ByPath: map[string]int{}, ByStatus: map[string]int{}, Refused: map[string]int{}}
}

// clone answers a copy that later calls do not change.
func (s Stats) clone() Stats {
	s.ByService = maps.Clone(s.ByService)
	s.ByPath = maps.Clone(s.ByPath)
	s.ByStatus = maps.Clone(s.ByStatus)
	s.Refused = maps.Clone(s.Refused)
	return s
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
