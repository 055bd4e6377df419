package sandbox

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"
)

// Limits bound the calls. A zero field takes the plan's value.
type Limits struct {
	PerMinute       int // of the organization, in any 60 seconds, over accounting and inventory
	Concurrent      int // of the organization, at once
	DailyAccounting int // in any 24 hours
	DailyInventory  int
	ChatPerMinute   int
	Off             bool // count, but never refuse
}

const (
	perMinute     = 100 // documents 2 and 3, Limits
	chatPerMinute = 30  // upstream facts
	minute        = time.Minute
	wholeDay      = 24 * time.Hour
)

// resolveLimits fills limits from the tables of documents 2 and 3. A plan that
// only one of the two services sells counts as the other's largest.
func resolveLimits(plan string, limits Limits) (Limits, error) {
	accounting := map[string]int{"free": 1000, "standard": 2000, "professional": 5000, "premium": 10_000, "elite": 10_000, "ultimate": 10_000}
	inventory := map[string]int{"free": 1500, "standard": 2500, "professional": 5000, "premium": 7500, "enterprise": 10_000}
	books, inBooks := accounting[plan]
	stock, inStock := inventory[plan]
	if !inBooks && !inStock {
		return Limits{}, fmt.Errorf("sandbox: option Plan %q is unknown: use free, standard, professional, premium, elite, ultimate or enterprise", plan)
	}
	if !inBooks {
		books = accounting["ultimate"]
	}
	if !inStock {
		stock = inventory["enterprise"]
	}
	concurrent := 10
	if plan == defaultPlan {
		concurrent = 5
	}
	fill := func(value *int, preset int) {
		if *value == 0 {
			*value = preset
		}
	}
	fill(&limits.PerMinute, perMinute)
	fill(&limits.Concurrent, concurrent)
	fill(&limits.DailyAccounting, books)
	fill(&limits.DailyInventory, stock)
	fill(&limits.ChatPerMinute, chatPerMinute)
	return limits, nil
}

// window counts instants in a sliding, half-open span of time.
type window struct{ times []time.Time }

// add notes an instant and answers how many lie in the span that ends with it:
// two instants exactly one span apart are never in the same window.
func (w *window) add(at time.Time, span time.Duration) int {
	w.prune(at, span)
	w.times = append(w.times, at)
	return len(w.times)
}

func (w *window) prune(at time.Time, span time.Duration) {
	first := 0
	for first < len(w.times) && at.Sub(w.times[first]) >= span {
		first++
	}
	w.times = w.times[first:]
}

// Stats is what the sandbox counted since the start or the last reset.
type Stats struct {
	Calls           int            `json:"calls"`            // arrivals at accounting, inventory and chat, refused ones too
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

// gate counts calls and decides; the server's lock guards it.
type gate struct {
	limits   Limits
	minute   window
	chat     window
	days     map[string]*window // accepted calls by service
	inFlight int
	stats    Stats
}

func newGate(limits Limits) gate {
	return gate{
		limits: limits, stats: newStats(),
		days: map[string]*window{serviceAccounting: {}, serviceInventory: {}},
	}
}

// verdict is the gate's decision on one call: code 0 lets it pass.
type verdict struct {
	code    int
	headers map[string]int
}

// enter counts an arrival. Refused calls are arrivals, too: they keep the
// minute full, as a blocked organization finds out.
func (g *gate) enter(service, path string, arrival, today time.Time) verdict {
	g.stats.Calls++
	g.stats.ByService[service]++
	g.stats.ByPath[path]++
	if service == serviceChat {
		n := g.chat.add(arrival, minute)
		g.stats.WorstChat60s = max(g.stats.WorstChat60s, n)
		if n > g.limits.ChatPerMinute && !g.limits.Off {
			g.stats.Refused["429"]++
			return verdict{code: codeThrottled}
		}
		return verdict{}
	}
	inMinute := g.minute.add(arrival, minute)
	g.inFlight++
	g.stats.Worst60s = max(g.stats.Worst60s, inMinute)
	g.stats.WorstConcurrent = max(g.stats.WorstConcurrent, g.inFlight)
	if g.limits.Off {
		return verdict{}
	}
	daily := g.limits.DailyAccounting
	if service == serviceInventory {
		daily = g.limits.DailyInventory
	}
	day := g.days[service]
	day.prune(today, wholeDay)
	decision := verdict{}
	switch {
	case inMinute > g.limits.PerMinute:
		decision.code = codeThrottled
	case g.inFlight > g.limits.Concurrent:
		decision.code = codeCrowded
	case len(day.times) >= daily:
		decision.code = codeExhausted
	default:
		day.times = append(day.times, today)
	}
	if decision.code != 0 {
		g.stats.Refused[strconv.Itoa(decision.code)]++
	}
	decision.headers = rateHeaders(day, daily, today)
	return decision
}

// rateHeaders describe the daily allowance; the reset is in seconds from now,
// when the oldest call leaves the rolling day (upstream facts).
func rateHeaders(day *window, daily int, today time.Time) map[string]int {
	reset := wholeDay
	if len(day.times) > 0 {
		reset -= today.Sub(day.times[0])
	}
	return map[string]int{
		"X-Rate-Limit-Limit": daily, "X-Rate-Limit-Remaining": daily - len(day.times), "X-Rate-Limit-Reset": int(reset / time.Second),
	}
}

func (g *gate) leave(service string, status string) {
	if service != serviceChat {
		g.inFlight--
	}
	g.stats.ByStatus[status]++
}

// Stats answers a copy of what was counted.
func (s *Server) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	stats := s.gate.stats
	stats.ByService = maps.Clone(stats.ByService)
	stats.ByPath = maps.Clone(stats.ByPath)
	stats.ByStatus = maps.Clone(stats.ByStatus)
	stats.Refused = maps.Clone(stats.Refused)
	return stats
}

// ResetStats starts counting anew. The windows of the limits stay.
func (s *Server) ResetStats() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gate.stats = newStats()
}

// normalPath writes {id} for identifiers, so that statistics stay small.
func normalPath(path string) string {
	at := strings.LastIndexByte(path, '/')
	if last := path[at+1:]; last != "" && strings.Trim(last, "0123456789") == "" {
		return path[:at+1] + "{id}"
	}
	return path
}
