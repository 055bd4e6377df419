package cli

import (
	"fmt"
	"strings"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline"
	"sluice/pipeline/engine"
	"sluice/pipeline/planning"
)

// allowanceRules are the limits of a service's calls, by plan and configuration.
type allowanceRules struct {
	// PerMinute and Concurrent are shared with SharedWith, other services of the organization.
	PerMinute  int      `json:"per_minute"`
	Concurrent int      `json:"concurrent"`
	Daily      int      `json:"daily"`
	SharedWith []string `json:"shared_with"`
	// ResetZone and ResetHour are when the day begins anew; ResetZone is empty if the day is the
	// last 24 hours.
	ResetZone string `json:"reset_zone,omitempty"`
	ResetHour int    `json:"reset_hour,omitempty"`
}

func rulesOf(limits pipeline.Limits, with []string) allowanceRules {
	if with == nil {
		with = []string{}
	}
	return allowanceRules{
		PerMinute: limits.PerMinute, Concurrent: limits.Concurrent, Daily: limits.Daily, SharedWith: with,
		ResetZone: limits.ResetZone, ResetHour: limits.ResetHour,
	}
}

// serviceRules are the rules of one service.
type serviceRules struct {
	Organization string `json:"organization"`
	Service      string `json:"service"`
	allowanceRules
}

// planRules gives the rules of the services of a plan.
func planRules(a *engine.App, services []planning.ServicePlan) ([]serviceRules, error) {
	rules := make([]serviceRules, 0, len(services))
	for i := range services {
		organization, service := services[i].Organization, services[i].Service
		limits, err := a.Limits(organization, service)
		if err != nil {
			return nil, err
		}
		rules = append(rules, serviceRules{organization, service, rulesOf(limits, a.SharedWith(organization, service))})
	}
	return rules, nil
}

// String writes the rules in words: "2,500 calls in any 24 hours, 100 a minute and 10 at once
// together with accounting".
func (r allowanceRules) String() string {
	var parts []string
	switch {
	case r.Daily == 0:
		parts = append(parts, "no daily limit")
	case r.ResetZone != "":
		parts = append(parts, fmt.Sprintf("%s calls a day, which turns at %02d:00 %s", view.Count(r.Daily), r.ResetHour, r.ResetZone))
	default:
		parts = append(parts, view.Count(r.Daily)+" calls in any 24 hours")
	}
	var rates []string
	if r.PerMinute > 0 {
		rates = append(rates, view.Count(r.PerMinute)+" a minute")
	}
	if r.Concurrent > 0 {
		rates = append(rates, view.Count(r.Concurrent)+" at once")
	}
	if len(rates) > 0 {
		text := strings.Join(rates, " and ")
		if len(r.SharedWith) > 0 {
			text += " together with " + strings.Join(r.SharedWith, ", ")
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}
