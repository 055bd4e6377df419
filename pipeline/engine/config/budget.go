package config

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/engine/config/strict"
	"sluice/schema"
)

// Schedule says how intervals are learned.
type Schedule struct {
	// Adaptive lets the intervals of all resources be learned of which none is stated.
	Adaptive bool `yaml:"adaptive"`
	// Floor is the shortest interval that is learned.
	Floor time.Duration `yaml:"floor"`
}

// Budget says how the calls of a day are divided.
type Budget struct {
	// Shares are what the file says about classes of work, by class.
	Shares map[string]Share `yaml:"shares"`
	// Classes are the shares in force, defaults filled in; nil if the file says nothing.
	Classes pipeline.Shares `yaml:"-"`
}

// Share is what a class of work gets of a day, as parts of it from 0 to 1; nil leaves the default.
type Share struct {
	Floor   *float64 `yaml:"floor"`
	Ceiling *float64 `yaml:"ceiling"`
}

// Allowance says how calls are counted upstream. Both keys may stand at an organization, for all
// its services, and at a service, for it alone.
type Allowance struct {
	// Reset says when the day turns; nil means that it is the last 24 hours.
	Reset *Reset `yaml:"reset"`
	// RateScope is what the limits of a minute and of calls at once are counted for:
	// "organization", its services together as the documents are read, or "service", each by
	// itself. "" leaves it at that of the organization, and there at organization.
	RateScope string `yaml:"rate_scope"`
}

// Reset is the hour at which a day turns.
type Reset struct {
	// Zone is an IANA time zone; left out it is that of the organization.
	Zone string `yaml:"zone"`
	// Hour is 0 to 23 in that zone.
	Hour int `yaml:"hour"`
}

// The scopes of limits.
const (
	ScopeOrganization = "organization"
	ScopeService      = "service"
)

// AllowanceOf is what holds for a service of the organization.
func (o *Organization) AllowanceOf(service string) Allowance {
	allowance := o.Allowance
	own := o.Services[service].Allowance
	if own.Reset != nil {
		allowance.Reset = own.Reset
	}
	if own.RateScope != "" {
		allowance.RateScope = own.RateScope
	}
	return allowance
}

// allowance checks how calls are counted. Pointers are shared with the document: what is left out
// is filled in.
func (c *checker) allowance(a Allowance, org *Organization, path string) {
	if scopes := []string{ScopeOrganization, ScopeService}; a.RateScope != "" && !slices.Contains(scopes, a.RateScope) {
		c.failf(path+".rate_scope", "there is no scope %q; %s", c.Raw(path+".rate_scope"), strict.Hint(a.RateScope, scopes))
	}
	if a.Reset == nil {
		return
	}
	path += ".reset"
	if a.Reset.Hour < 0 || a.Reset.Hour > 23 {
		c.failf(path+".hour", "has to be an hour from 0 to 23, not %s", c.Raw(path+".hour"))
	}
	if a.Reset.Zone == "" {
		a.Reset.Zone = org.TimeZone
	}
	if a.Reset.Zone == "" {
		c.failf(path, "names no zone, and the organization has no time_zone here: write zone, such as Asia/Kolkata")
		return
	}
	if _, err := time.LoadLocation(a.Reset.Zone); err != nil || a.Reset.Zone == "Local" {
		c.failf(path+".zone", "there is no time zone %q: give the IANA name, such as Asia/Kolkata", c.Raw(path+".zone"))
	}
}

const (
	// The bounds of learned intervals: above a day a floor is no floor, and a month is the longest
	// that is planned.
	maxFloor     = 24 * time.Hour
	maxFreshness = 31 * 24 * time.Hour
	// idleFactor is how much longer than declared an interval becomes of which no freshness is
	// stated.
	idleFactor = 4
	// sumError is what sums of shares may be off.
	sumError = 1e-9
)

// budget checks how the day is divided, and how intervals are learned.
func (c *checker) budget(cfg *Config) {
	if floor := cfg.Schedule.Floor; floor < minEvery || floor > maxFloor {
		c.failf("schedule.floor", "has to be 1m to 24h, not %s", c.Raw("schedule.floor"))
	}
	if len(cfg.Budget.Shares) == 0 {
		return
	}
	classes := make([]string, 0, len(pipeline.Classes()))
	for _, class := range pipeline.Classes() {
		classes = append(classes, string(class))
	}
	shares := pipeline.DefaultShares()
	for _, name := range slices.Sorted(maps.Keys(cfg.Budget.Shares)) {
		path := "budget.shares." + name
		if !slices.Contains(classes, name) {
			c.failf(path, "there is no such class of work; %s", strict.Hint(name, classes))
			continue
		}
		shares[pipeline.Class(name)] = c.share(shares[pipeline.Class(name)], cfg.Budget.Shares[name], path)
	}
	sum := 0.0
	for _, share := range shares {
		sum += share.Floor
	}
	if sum > 1+sumError {
		c.failf("budget.shares", "the floors, with the defaults of classes that are left out, come to %.4g: at most 1 can be kept", sum)
	}
	cfg.Budget.Classes = shares
}

// share lays what is written over the default.
func (c *checker) share(share pipeline.Share, written Share, path string) pipeline.Share {
	if floor := written.Floor; floor != nil {
		share.Floor = *floor
		if !(*floor >= 0 && *floor <= 1) {
			c.failf(path+".floor", "has to be a share from 0 to 1, not %s: 0.4 is four tenths of the day", c.Raw(path+".floor"))
			return pipeline.Share{}
		}
	}
	if ceiling := written.Ceiling; ceiling != nil {
		share.Ceiling = *ceiling
		if !(*ceiling > 0 && *ceiling <= 1) {
			c.failf(path+".ceiling", "has to be a share above 0, up to 1, not %s: 0.4 is four tenths of the day", c.Raw(path+".ceiling"))
			return pipeline.Share{}
		}
	}
	if share.Ceiling > 0 && share.Ceiling < share.Floor {
		c.failf(path, "its ceiling, %g, is below its floor, %g", share.Ceiling, share.Floor)
	}
	return share
}

// learned says how long the interval of a resource may become, if it is learned at all.
func (c *checker) learned(r Resource, o override, declared *schema.Resource, path string, schedule Schedule) Resource {
	_, perParent := declared.Cursor.(schema.PerParent)
	written := c.Raw(path + ".freshness")
	switch {
	case written == "":
		if schedule.Adaptive && !r.Stated && !perParent {
			r.Ceiling = max(r.Every, schedule.Floor) * idleFactor
		}
	case r.Stated:
		c.failf(path+".freshness", "is there beside every: every fixes the interval, freshness lets it be learned; keep one of the two")
	case perParent:
		c.failf(path+".freshness", "has no meaning here: lists under parents go round as calls_per_run and every say; remove it")
	case o.Freshness < schedule.Floor && !c.Spoilt("schedule.floor") || o.Freshness < minEvery || o.Freshness > maxFreshness:
		c.failf(path+".freshness", "has to be %s (schedule.floor) to %s, not %s", short(schedule.Floor), short(maxFreshness), written)
	default:
		r.Freshness, r.Ceiling = o.Freshness, o.Freshness
		r.Every = min(r.Every, o.Freshness)
	}
	return r
}

// short writes whole hours and minutes as people do.
func short(d time.Duration) string {
	switch {
	case d%time.Hour == 0:
		return fmt.Sprintf("%dh", d/time.Hour)
	case d%time.Minute == 0:
		return fmt.Sprintf("%dm", d/time.Minute)
	default:
		return d.String()
	}
}
