// Package inventory declares the inventory service: data only, it cannot do anything.
//
// Start reading at Service, then any resource: one file each.
package inventory

import "sluice/schema"

// Service declares the inventory service. Source: docs/upstream.md U2, U11, U40, U41, U44 and U205
// to U230.
func Service() schema.Service {
	const free, paid = 5, 10
	return schema.Service{
		Name:         "inventory",
		Doc:          "What the organization buys, keeps and sells: items, bills of vendors, credit notes to customers.",
		Host:         schema.HostAPI,
		Root:         "/inventory/v1",
		Organization: schema.OrganizationPlacement{Query: "organization_id"},
		Scope:        "Inventory",
		Limits: schema.Limits{
			Shared:    "suite",
			PerMinute: 100,
			Plans: map[string]schema.Plan{
				"free":         {Daily: 1500, Concurrent: free},
				"standard":     {Daily: 2500, Concurrent: paid},
				"professional": {Daily: 5000, Concurrent: paid},
				"premium":      {Daily: 7500, Concurrent: paid},
				"enterprise":   {Daily: 10000, Concurrent: paid},
			},
		},
		Probe: schema.Probe{
			Path:  "/items",
			Query: map[string]string{"per_page": "1"},
			Key:   "items",
		},
		Resources: []schema.Resource{items(), bills(), creditNotes(), compositeItems(), locations(), taxes()},
	}
}
