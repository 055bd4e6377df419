// Package crm declares the service of business records: data only, it cannot do anything.
//
// It has no resource, because no document shows how its records are read. Users who know an
// endpoint declare its list in the configuration (package custom).
package crm

import "sluice/schema"

// Service declares the CRM. The version is a part of each list's path ("/v8/Deals"), and the
// organization is that of the token. Source: docs/upstream.md U3, U13, U35 and U350 to U357. No
// document shows a limit: these are the smallest figures that are known of any edition (U357), with
// the minute of chat, the other service without one (U46).
func Service() schema.Service {
	plan := schema.Plan{Concurrent: 5}
	return schema.Service{
		Name:     "crm",
		Doc:      "Records of the organization's CRM, from the lists that users declare.",
		Host:     schema.HostAPI,
		Root:     "/crm",
		Envelope: schema.EnvelopeInfo,
		Scope:    "CRM",
		Limits: schema.Limits{
			Shared:    "crm",
			PerMinute: 30,
			Plans:     map[string]schema.Plan{"free": plan, "standard": plan},
		},
	}
}
