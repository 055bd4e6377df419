package config

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/engine/config/strict"
)

// Schedule bounds how often change notifications request lists.
type Schedule struct {
	// Floor is the least time between two runs of a list that change notifications request.
	Floor time.Duration `yaml:"floor"`
}

// Budget says how the calls of a day are divided.
type Budget struct {
	// Shares are the file's shares, by class.
	Shares map[string]Share `yaml:"shares"`
	// Classes are the shares in force, defaults filled in; nil if the file says nothing.
	Classes pipeline.Shares `yaml:"-"`
}

// Share is the part of a day's calls that a class gets, from 0 to 1; nil means the default.
type Share struct {
	Floor   *float64 `yaml:"floor"`
	Ceiling *float64 `yaml:"ceiling"`
}

// Allowance says how upstream counts calls. Both keys may be set for an organization, and for one
// of its services, which then counts for that service.
type Allowance struct {
	// Reset says when a new day begins; nil means that the day is the last 24 hours.
	Reset *Reset `yaml:"reset"`
	// RateScope says how the limits a minute and at once are counted: "organization" counts all
	// services together, as in the documents, "service" each by itself. "" means that of the
	// organization, and there "organization".
	RateScope string `yaml:"rate_scope"`
}

// Reset is the hour at which a new day begins.
type Reset struct {
	// Zone is an IANA time zone; the default is that of the organization.
	Zone string `yaml:"zone"`
	// Hour is 0 to 23 in that zone.
	Hour int `yaml:"hour"`
}

// The scopes of limits.
const (
	ScopeOrganization = "organization"
	ScopeService      = "service"
)

// AllowanceOf returns the Allowance that applies to a service of the organization.
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

// allowance checks how calls are counted. It fills in a missing zone, in the document too, because
// the pointer is shared.
func (c *checker) allowance(a Allowance, org *Organization, path string) {
	if scopes := []string{ScopeOrganization, ScopeService}; a.RateScope != "" && !slices.Contains(scopes, a.RateScope) {
		c.failf(path+".rate_scope", "there is no scope %q; %s", c.Raw(path+".rate_scope"), strict.Hint(a.RateScope, scopes))
	}
	if a.Reset == nil {
		return
	}
	path += ".reset"
	c.wantf(a.Reset.Hour >= 0 && a.Reset.Hour <= 23, path+".hour", "has to be an hour from 0 to 23, not %s")
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
	// maxFloor is the longest floor.
	maxFloor = 24 * time.Hour
	// sumError is the rounding error that a sum of shares may have.
	sumError = 1e-9
)

// budget checks how the day is divided, and how often notifications may request a list.
func (c *checker) budget(cfg *Config) {
	floor := cfg.Schedule.Floor
	c.wantf(floor >= minEvery && floor <= maxFloor, "schedule.floor", "has to be 1m to 24h, not %s")
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

// share lays the written share over the default.
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

// short writes whole hours and minutes without the zero parts.
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
