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

// Gate counts calls and decides. It is not safe for concurrent use: the server's lock guards it.
type Gate struct {
	limits   Limits
	minute   Window
	chat     Window
	shut     time.Time          // until when chat is locked
	days     map[string]*Window // accepted calls by service
	inFlight int
	refused  int // since the start; says which refusals carry Retry-After
	stats    Stats
}

// New returns a gate with resolved limits and empty counts.
func New(limits Limits) Gate {
	return Gate{
		limits: limits, stats: newStats(),
		days: map[string]*Window{services.Accounting: {}, services.Invoicing: {}, services.Billing: {}, services.Inventory: {}},
	}
}

// Arrival is the gate's view of a call.
type Arrival struct {
	Service, Path string
	Client        string // the application's id; "" if its token does not name it
}

// Verdict is the gate's decision on one call.
type Verdict struct {
	Code    int            // 0 lets it pass; else 44, 45 or 1070 (docs/upstream.md U62)
	Headers map[string]int // describe the daily allowance; none for chat
	// RetryAfter is the wait in seconds until the call would pass; 0 if the answer does not tell
	// it.
	RetryAfter int
}

// Enter counts an arrival: on one clock for the minute, on the world's for the day. Each Enter is
// followed by one Leave. Refused calls are arrivals, too: they keep the minute full, as in live
// services.
func (g *Gate) Enter(call Arrival, at, today time.Time) Verdict {
	g.stats.arrive(call)
	var decision Verdict
	var wait time.Duration
	switch call.Service {
	case services.Chat:
		decision, wait = g.enterChat(at)
	case services.Notifications, services.CRM: // no document names a limit (docs/upstream.md U47).
	default:
		decision, wait = g.enterBusiness(call.Service, at, today)
	}
	if decision.Code == 0 {
		g.stats.spend(today, call.Service)
		return decision
	}
	label := strconv.Itoa(decision.Code)
	if call.Service == services.Chat {
		label = "429"
	}
	g.stats.Refused[label]++
	if every := g.limits.RetryAfterEvery; every > 0 && g.refused%every == 0 {
		decision.RetryAfter = max(1, int((wait+time.Second-1)/time.Second))
	}
	g.refused++
	return decision
}

// enterChat lets a number of calls pass in a minute; one more locks chat for a while
// (docs/upstream.md U46; its document knows protections and no figure, U45). It returns the wait
// until a call would pass.
func (g *Gate) enterChat(at time.Time) (Verdict, time.Duration) {
	n := g.chat.Add(at, g.limits.Minute)
	g.stats.WorstChat60s = max(g.stats.WorstChat60s, n)
	if g.limits.Off {
		return Verdict{}, 0
	}
	if at.Before(g.shut) {
		return Verdict{Code: answer.Throttled}, g.shut.Sub(at)
	}
	if n <= g.limits.ChatPerMinute {
		return Verdict{}, 0
	}
	if g.limits.ChatLock > 0 {
		g.shut = at.Add(g.limits.ChatLock)
	}
	return Verdict{Code: answer.Throttled}, max(g.limits.ChatLock, g.limits.Minute)
}

// enterBusiness decides on a call of the accounting family (docs/upstream.md U40 to U44), which
// shares a minute and has days for each service. It returns the wait until a call would pass.
func (g *Gate) enterBusiness(service string, at, today time.Time) (Verdict, time.Duration) {
	inMinute := g.minute.Add(at, g.limits.Minute)
	g.inFlight++
	g.stats.Worst60s = max(g.stats.Worst60s, inMinute)
	g.stats.WorstConcurrent = max(g.stats.WorstConcurrent, g.inFlight)
	daily, day := g.limits.daily(service), g.days[service]
	if g.limits.Off { // nothing counts as spent, so that a client that follows the headers need not stop
		return Verdict{Headers: headersOf(daily, daily, wholeDay)}, 0
	}
	day.prune(today, wholeDay)
	decision, wait := Verdict{}, time.Duration(0)
	switch {
	case inMinute > g.limits.PerMinute:
		decision.Code, wait = answer.Throttled, g.limits.Minute
	case g.inFlight > g.limits.Concurrent:
		decision.Code = answer.Crowded
	case len(day.times) >= daily:
		decision.Code, wait = answer.Exhausted, resetOf(day, today)
	default:
		day.times = append(day.times, today)
	}
	decision.Headers = headersOf(daily, max(0, daily-len(day.times)), resetOf(day, today))
	return decision, wait
}

// headersOf returns the headers of a daily allowance (docs/upstream.md U48).
func headersOf(daily, left int, reset time.Duration) map[string]int {
	return map[string]int{"X-Rate-Limit-Limit": daily, "X-Rate-Limit-Remaining": left, "X-Rate-Limit-Reset": int(reset / time.Second)}
}

// resetOf returns the time until the oldest call leaves the rolling day (docs/upstream.md U48).
func resetOf(day *Window, today time.Time) time.Duration {
	if len(day.times) == 0 {
		return wholeDay
	}
	return wholeDay - today.Sub(day.times[0])
}

// Leave ends a call and counts its status.
func (g *Gate) Leave(service, status string) {
	if service != services.Chat && service != services.Notifications && service != services.CRM {
		g.inFlight--
	}
	g.stats.ByStatus[status]++
}

// SetLimits replaces the limits by other resolved ones. The counts stay; a lock of chat ends.
func (g *Gate) SetLimits(limits Limits) {
	g.limits = limits
	g.shut = time.Time{}
}

// Limits returns the limits in force.
func (g *Gate) Limits() Limits { return g.limits }

// Stats returns a copy of the counts.
func (g *Gate) Stats() Stats { return g.stats.clone() }

// NoteTokenRequest counts a call of the token endpoint, which has limits of its own.
func (g *Gate) NoteTokenRequest() { g.stats.TokenRequests++ }

// Reset starts the counts anew. The windows of the limits stay.
func (g *Gate) Reset() { g.stats = newStats() }

// Window counts instants in a sliding, half-open span of time.
type Window struct{ times []time.Time }

// Add notes an instant and returns the number of instants in the span that ends with it. Two
// instants exactly one span apart are never in the same window.
func (w *Window) Add(at time.Time, span time.Duration) int {
	w.prune(at, span)
	w.times = append(w.times, at)
	return len(w.times)
}

func (w *Window) prune(at time.Time, span time.Duration) {
	first := 0
	for first < len(w.times) && at.Sub(w.times[first]) >= span {
		first++
	}
	w.times = w.times[first:]
}
