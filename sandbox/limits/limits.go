// Package limits counts calls and refuses those beyond the limits of docs/upstream.md U40 to U46:
// in any minute, at once, and in any 24 hours, by plan.
//
// It answers no call itself and has no clock: it returns a verdict, and its caller answers and
// holds the lock. Start reading with Gate.Enter.
package limits

import (
	"fmt"
	"time"

	"sluice/sandbox/services"
)

// Limits bound the calls. A zero field takes the plan's value.
type Limits struct {
	PerMinute       int `json:"per_minute,omitempty"`       // of the organization, in any 60 seconds, over all services but chat
	Concurrent      int `json:"concurrent,omitempty"`       // of the organization, at once
	DailyAccounting int `json:"daily_accounting,omitempty"` // in any 24 hours
	DailyInvoicing  int `json:"daily_invoicing,omitempty"`
	DailyBilling    int `json:"daily_billing,omitempty"`
	DailyInventory  int `json:"daily_inventory,omitempty"`
	ChatPerMinute   int `json:"chat_per_minute,omitempty"`
	// ChatLock is the duration of the lock after ChatPerMinute was exceeded. 0 means five minutes;
	// a negative time refuses the excess calls only.
	ChatLock time.Duration `json:"chat_lock_ns,omitempty"`
	// RetryAfterEvery selects the refusals with Retry-After: 1 means each of them, 0 every third
	// one, a negative number none.
	RetryAfterEvery int `json:"retry_after_every,omitempty"`
	// Minute is the length of a minute for PerMinute and for the limit on access tokens; 0 means 60
	// seconds. It lets tests run faster.
	Minute time.Duration `json:"minute_ns,omitempty"`
	Off    bool          `json:"off,omitempty"` // counts, but never refuses
}

const (
	freePlan      = "free"
	perMinute     = 100 // docs/upstream.md U40
	chatPerMinute = 30  // docs/upstream.md U46, as are the next two
	chatLock      = 5 * time.Minute
	retryAfter    = 3 // "sometimes"
)

// Resolve fills limits from docs/upstream.md U40 to U44. A plan that only one of the services sells
// counts as the other's largest; an unknown plan is an error. The documents name invoicing's free
// plan alone, and no figure for subscription billing: accounting's figures serve for both.
func Resolve(plan string, limits Limits) (Limits, error) {
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
	if plan == freePlan {
		concurrent = 5
	}
	for _, limit := range []struct {
		value  *int
		preset int
	}{
		{&limits.PerMinute, perMinute},
		{&limits.Concurrent, concurrent},
		{&limits.DailyAccounting, books},
		{&limits.DailyInvoicing, books},
		{&limits.DailyBilling, books},
		{&limits.DailyInventory, stock},
		{&limits.ChatPerMinute, chatPerMinute},
		{&limits.RetryAfterEvery, retryAfter},
	} {
		if *limit.value == 0 {
			*limit.value = limit.preset
		}
	}
	if limits.Minute <= 0 {
		limits.Minute = minute
	}
	if limits.ChatLock == 0 {
		limits.ChatLock = chatLock
	}
	return limits, nil
}

// daily returns the allowance of a service in any 24 hours.
func (l Limits) daily(service string) int {
	return map[string]int{
		services.Accounting: l.DailyAccounting, services.Invoicing: l.DailyInvoicing,
		services.Billing: l.DailyBilling, services.Inventory: l.DailyInventory,
	}[service]
}
