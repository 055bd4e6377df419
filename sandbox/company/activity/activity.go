// Package activity is the business's own activity: which kinds of events happen in an hour, at
// which second, to which records. The same seed and hours give the same events.
//
// It holds no record and no clock: callers pass the time and the world. Start reading with Rates,
// then Play.
package activity

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"sluice/sandbox/world"
)

// Rates say how often events happen in an hour, on average, over all kinds of records. The zero
// value is a business without events.
type Rates struct {
	Inserts  float64 `json:"inserts"`
	Edits    float64 `json:"edits"`
	Silent   float64 `json:"silent"`   // changes that move no modification time
	Deletes  float64 `json:"deletes"`  // of records without references to them
	Restores float64 `json:"restores"` // of records deleted before, with their identifiers
	Payments float64 `json:"payments"` // of bills, in full or in part
	Credits  float64 `json:"credits"`  // credit notes that are used up
}

// Check returns an error for rates that are negative or beyond the bounds of a simulation.
func (r Rates) Check() error {
	for _, rate := range r.all() {
		if !(rate >= 0 && rate <= mostPerHour) {
			return errors.New("sandbox: activity: a rate must be from 0 to 100000 an hour")
		}
	}
	return nil
}

// Quiet reports whether nothing ever happens.
func (r Rates) Quiet() bool { return r == Rates{} }

const (
	hour        = 3600 // seconds
	mostPerHour = 100_000
	// mostEvents bounds the work of one step of the clock: of a longer time, only some hours are
	// simulated.
	mostEvents = 20_000
)

// what is a kind of event, in the order of Rates.
type what int

const (
	insert what = iota
	edit
	whisper
	remove
	restore
	pay
	apply
)

func (r Rates) all() []float64 {
	return []float64{
		insert: r.Inserts, edit: r.Edits, whisper: r.Silent, remove: r.Deletes, restore: r.Restores, pay: r.Payments, apply: r.Credits,
	}
}

// Activity simulates the events of a business. It is as safe for concurrent use as its world.
type Activity struct {
	seed   int64
	rates  Rates
	played int64   // all before this instant has happened, in epoch seconds
	ahead  []event // of the hour under way
	gone   []gone  // deleted records that may come back, oldest first
}

type event struct {
	at    int64
	order int
	what  what
}

type gone struct {
	kind  world.Kind
	index int
}

// New begins at an instant (epoch seconds): nothing happens before it.
func New(seed int64, rates Rates, from int64) *Activity {
	return &Activity{seed: seed, rates: rates, played: from}
}

// Rates returns the rates in force.
func (a *Activity) Rates() Rates { return a.rates }

// Play simulates all events up to an instant (epoch seconds).
func (a *Activity) Play(w *world.World, now int64) {
	if now <= a.played {
		return
	}
	stride := a.stride(now)
	for start := a.played - a.played%hour; start <= now; start += hour {
		if (start/hour)%stride != 0 {
			continue
		}
		for n, e := range a.plan(start) {
			if e.at > a.played && e.at <= now {
				a.do(w, e, rand.New(rand.NewPCG(uint64(a.seed)^uint64(start), uint64(n)))) // repeatable, by seed.
			}
		}
	}
	a.played = now
}

// stride returns the distance between two simulated hours.
func (a *Activity) stride(now int64) int64 {
	perHour := 0.0
	for _, rate := range a.rates.all() {
		perHour += rate
	}
	hours := float64((now - a.played) / hour)
	return max(1, int64(math.Ceil(hours*perHour/mostEvents)))
}

// plan returns the events of the hour that begins at an instant, in order.
func (a *Activity) plan(start int64) []event {
	if n := len(a.ahead); n > 0 && a.ahead[0].at/hour == start/hour {
		return a.ahead
	}
	chance := rand.New(rand.NewPCG(uint64(a.seed), uint64(start/hour))) // repeatable, by seed.
	var events []event
	for n, rate := range a.rates.all() {
		count := int(rate)
		if chance.Float64() < rate-float64(count) {
			count++
		}
		for range count {
			events = append(events, event{at: start + chance.Int64N(hour), order: len(events), what: what(n)})
		}
	}
	slices.SortFunc(events, func(x, y event) int { return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(x.order, y.order)) })
	a.ahead = events
	return events
}
