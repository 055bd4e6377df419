// Package invoicing declares the invoicing service: data only, it cannot do anything.
//
// Start reading at Service, then any resource: one file each.
package invoicing

import "sluice/schema"

// Service declares the invoicing service. Source: docs/upstream.md U2, U12, U40, U41, U43 and U195
// to U199; the only plan that the document shows figures for is the free one.
func Service() schema.Service {
	return schema.Service{
		Name:         "invoicing",
		Doc:          "Invoices to customers, their contact persons and currencies.",
		Host:         schema.HostAPI,
		Root:         "/invoice/v3",
		Organization: schema.OrganizationPlacement{Header: "X-com-{vendor}-invoice-organizationid"},
		Scope:        "Invoice",
		Limits: schema.Limits{
			Shared:    "suite",
			PerMinute: 100,
			Plans:     map[string]schema.Plan{"free": {Daily: 1000, Concurrent: 5}},
		},
		Probe:     schema.Probe{Path: "/settings/currencies", Key: "currencies"},
		Resources: []schema.Resource{currencies(), contactPersons()},
	}
}
