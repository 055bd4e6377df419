package limits

import (
	"strconv"
	"time"

	"sluice/sandbox/answer"
	"sluice/sandbox/services"
)

const (
	minute   = time.Minute
	wholeDay = 24 * time.Hour
)

// Gate counts calls and decides. It is not safe for concurrent use: the server's
// lock guards it.
type Gate struct {
	limits   Limits
	minute   Window
	chat     Window
	days     map[string]*Window // accepted calls by service
	inFlight int
	stats    Stats
}

// New opens a gate with resolved limits; nothing was counted yet.
func New(limits Limits) Gate {
	return Gate{
		limits: limits, stats: newStats(),
		days: map[string]*Window{services.Accounting: {}, services.Invoicing: {}, services.Billing: {}, services.Inventory: {}},
	}
}

// Verdict is the gate's decision on one call.
type Verdict struct {
	Code    int            // 0 lets it pass; else 44, 45 or 1070, as documents 2 and 3 have it
	Headers map[string]int // that describe the daily allowance; none for chat
}

// Enter counts an arrival at the path of a service: by one clock for the minute,
// by the world's for the day. Each Enter is followed by one Leave. Refused calls
// are arrivals, too: they keep the minute full, as a blocked organization finds out.
func (g *Gate) Enter(service, path string, arrival, today time.Time) Verdict {
	g.stats.Calls++
	g.stats.ByService[service]++
	g.stats.ByPath[normalPath(path)]++
	if service == services.Chat {
		n := g.chat.Add(arrival, minute)
		g.stats.WorstChat60s = max(g.stats.WorstChat60s, n)
		if n > g.limits.ChatPerMinute && !g.limits.Off {
			g.stats.Refused["429"]++
			return Verdict{Code: answer.Throttled}
		}
		return Verdict{}
	}
	inMinute := g.minute.Add(arrival, minute)
	g.inFlight++
	g.stats.Worst60s = max(g.stats.Worst60s, inMinute)
	g.stats.WorstConcurrent = max(g.stats.WorstConcurrent, g.inFlight)
	if g.limits.Off {
		return Verdict{}
	}
	daily, day := g.limits.daily(service), g.days[service]
	day.prune(today, wholeDay)
	decision := Verdict{}
	switch {
	case inMinute > g.limits.PerMinute:
		decision.Code = answer.Throttled
	case g.inFlight > g.limits.Concurrent:
		decision.Code = answer.Crowded
	case len(day.times) >= daily:
		decision.Code = answer.Exhausted
	default:
		day.times = append(day.times, today)
	}
	if decision.Code != 0 {
		g.stats.Refused[strconv.Itoa(decision.Code)]++
	}
	decision.Headers = rateHeaders(day, daily, today)
	return decision
}

// rateHeaders describe the daily allowance; the reset is in seconds from now,
// when the oldest call leaves the rolling day (upstream facts).
func rateHeaders(day *Window, daily int, today time.Time) map[string]int {
	reset := wholeDay
	if len(day.times) > 0 {
		reset -= today.Sub(day.times[0])
	}
	return map[string]int{
		"X-Rate-Limit-Limit": daily, "X-Rate-Limit-Remaining": daily - len(day.times), "X-Rate-Limit-Reset": int(reset / time.Second),
	}
}

// Leave ends a call and counts its status.
func (g *Gate) Leave(service, status string) {
	if service != services.Chat {
		g.inFlight--
	}
	g.stats.ByStatus[status]++
}

// Stats answers a copy of what was counted.
func (g *Gate) Stats() Stats { return g.stats.clone() }

// NoteTokenRequest counts a call of the token endpoint, which has limits of its own.
func (g *Gate) NoteTokenRequest() { g.stats.TokenRequests++ }

// Reset starts counting anew. The windows of the limits stay.
func (g *Gate) Reset() { g.stats = newStats() }
