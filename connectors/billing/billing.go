// Package billing declares the subscription-billing service: data only, it cannot do anything.
//
// Start reading at Service, then its one resource.
package billing

import "sluice/schema"

// Service declares the subscription-billing service. Source: docs/upstream.md U2, U12, U40, U41,
// U43 and U200 to U202; no daily figure is shown.
func Service() schema.Service {
	return schema.Service{
		Name:         "billing",
		Doc:          "Subscriptions of customers and their contact persons.",
		Host:         schema.HostAPI,
		Root:         "/billing/v1",
		Organization: schema.OrganizationPlacement{Header: "X-com-{vendor}-subscriptions-organizationid"},
		Scope:        "Subscriptions",
		Limits: schema.Limits{
			Shared:    "suite",
			PerMinute: 100,
			Plans: map[string]schema.Plan{
				"free": {Concurrent: 5},
				"paid": {Concurrent: 10},
			},
		},
		Probe:     schema.Probe{Path: "/organizations", Key: "organizations"},
		Resources: []schema.Resource{contactPersons()},
	}
}
