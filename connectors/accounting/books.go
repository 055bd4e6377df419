// Package accounting declares the accounting service: data only, it cannot do anything.
//
// Start reading at Service, then any resource: one file each.
package accounting

import "sluice/schema"

// Service declares the accounting service. Source: docs/upstream.md U2, U11, U40 to U42 and U155 to
// U190.
func Service() schema.Service {
	const free, paid = 5, 10
	return schema.Service{
		Name:         "accounting",
		Doc:          "The books of the organization: its accounts and what it paid to vendors.",
		Host:         schema.HostAPI,
		Root:         "/books/v3",
		Organization: schema.OrganizationPlacement{Query: "organization_id"},
		Scope:        "Books",
		Limits: schema.Limits{
			Shared:    "suite",
			PerMinute: 100,
			Plans: map[string]schema.Plan{
				"free":         {Daily: 1000, Concurrent: free},
				"standard":     {Daily: 2000, Concurrent: paid},
				"professional": {Daily: 5000, Concurrent: paid},
				"premium":      {Daily: 10000, Concurrent: paid},
				"elite":        {Daily: 10000, Concurrent: paid},
				"ultimate":     {Daily: 10000, Concurrent: paid},
			},
		},
		Probe: schema.Probe{
			Path:  "/chartofaccounts",
			Query: map[string]string{"per_page": "1"},
			Key:   "chartofaccounts",
		},
		Resources: []schema.Resource{
			chartOfAccounts(), vendorPayments(), openingBalances(), baseCurrencyAdjustments(),
			customModuleRecords(), contactPersons(), expenses(),
		},
		Reads: []schema.Read{baseCurrencyAdjustmentAccounts()},
	}
}
