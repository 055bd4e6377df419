// Package company is one organization upstream: its world of records, its allowance of calls and
// its clock.
//
// It knows no other organization and answers no call: packages endpoints and sandbox do. Start
// reading with New, then With.
package company

import (
	"fmt"
	"sync"
	"time"

	"sluice/sandbox/company/activity"
	"sluice/sandbox/limits"
	"sluice/sandbox/world"
)

// Settings describe an organization.
type Settings struct {
	ID         string
	DataCenter string // "" for the one without a prefix
	Number     int    // 0 for the sandbox's own, then in the order of the options
	Seed       int64
	Records    int
	TimeZone   string // an IANA name
	Plan       string
	Limits     limits.Limits // override the plan's, field by field
	Modules    []string      // custom modules
	Networks   []string      // chat networks
	ChatEpoch  bool
	Demo       bool
	Base       string // makes the books close, in this currency; "" for a world of single records
	AsLive     bool   // records as live services send them
	Now        func() time.Time
	Activity   activity.Rates // what the business does by itself; nothing by default
}

// Company is one organization. It is safe for concurrent use.
type Company struct {
	Settings

	zone *time.Location

	mu     sync.Mutex // guards everything below
	world  *world.World
	offset time.Duration // of the world's clock before Settings.Now
	gate   limits.Gate
	plan   string // in force
	life   *activity.Activity
	hooks  []func([]Event)
}

// New makes a company and completes the Limits of its settings. It fails on an unknown time zone or
// plan.
func New(settings Settings) (*Company, error) {
	zone, err := time.LoadLocation(settings.TimeZone)
	if err != nil {
		return nil, fmt.Errorf("sandbox: option TimeZone of organization %s: %w", settings.ID, err)
	}
	if settings.Limits, err = limits.Resolve(settings.Plan, settings.Limits); err != nil {
		return nil, err
	}
	// A fixed anchor makes the bytes independent of the clock. With a clock before it (in a test),
	// no record may come from the future.
	anchor := time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
	if now := settings.Now(); settings.Base != "" {
		year, month, day := now.In(zone).Date()
		anchor = time.Date(year, month, day, 0, 0, 0, 0, zone) // books end yesterday
	} else if now.Before(anchor) {
		anchor = now.UTC().Truncate(time.Hour)
	}
	if err = settings.Activity.Check(); err != nil {
		return nil, fmt.Errorf("sandbox: organization %s: %w", settings.ID, err)
	}
	return &Company{
		Settings: settings,
		zone:     zone,
		world: world.New(world.Settings{
			Seed: settings.Seed, Records: settings.Records, Zone: zone, Anchor: anchor, ChatEpoch: settings.ChatEpoch,
			Demo: settings.Demo, AsLive: settings.AsLive, Base: settings.Base,
			Modules: settings.Modules, Networks: settings.Networks, Organization: settings.ID, Number: settings.Number,
		}),
		gate: limits.New(settings.Limits), plan: settings.Plan,
		life: activity.New(settings.Seed, settings.Activity, settings.Now().Unix()),
	}, nil
}

// With gives f the world, as of now, for itself alone.
func (c *Company) With(f func(*world.World)) { c.lend(func() { f(c.world) }) }

// Time returns the world's clock, in the organization's zone.
func (c *Company) Time() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now().In(c.zone)
}

// now returns the world's clock; the caller holds the lock.
func (c *Company) now() time.Time { return c.Now().Add(c.offset) }

// Advance moves the world's clock: record times, tokens and the day of the daily allowance. The
// events of the skipped time happen. The count of calls in a minute stays on the real clock, so
// that an advance never hides a burst. It ignores a negative step.
func (c *Company) Advance(step time.Duration) {
	c.lend(func() {
		c.offset += max(step, 0)
		c.live()
	})
}

// Stats returns a copy of the counts.
func (c *Company) Stats() limits.Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.gate.Stats()
}

// ResetStats starts the counts anew. The windows of the limits stay.
func (c *Company) ResetStats() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gate.Reset()
}

// Activity returns the rates of the business's own events.
func (c *Company) Activity() activity.Rates {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.life.Rates()
}

// SetActivity changes the rates of the business's own events from now on.
func (c *Company) SetActivity(rates activity.Rates) error {
	if err := rates.Check(); err != nil {
		return err
	}
	c.lend(func() { c.life = activity.New(c.Seed, rates, c.now().Unix()) })
	return nil
}

// live simulates the business's events up to now; the caller holds the lock. Every query does so
// first, so that no background work is needed.
func (c *Company) live() {
	if !c.life.Rates().Quiet() {
		c.life.Play(c.world, c.now().Unix())
	}
}
