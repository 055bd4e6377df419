// Package connectors is the catalogue: every service that is known, as data.
//
// The folders beside it hold one service each, and one file a resource. They declare, and never do
// anything: what a declaration means is said in package schema, how it is copied in package
// pipeline.
//
// Start reading at All, then any resource, such as the bills of inventory.
package connectors

import (
	"sluice/connectors/accounting"
	"sluice/connectors/billing"
	"sluice/connectors/chat"
	"sluice/connectors/crm"
	"sluice/connectors/further"
	"sluice/connectors/inventory"
	"sluice/connectors/invoicing"
	"sluice/schema"
)

// All gives the catalogue, in the order in which it is shown. Every call builds it anew: changing
// the result changes nothing else.
func All() []schema.Service {
	services := []schema.Service{
		withOrganizations(accounting.Service()),
		withOrganizations(inventory.Service()),
		chat.Service(),
		withOrganizations(invoicing.Service()),
		withOrganizations(billing.Service()),
		crm.Service(),
	}
	for i := range services {
		services[i].Further = further.Of(services[i].Name)
	}
	return services
}

// withOrganizations adds the list that all services of the suite have in common.
func withOrganizations(service schema.Service) schema.Service {
	service.Resources = append(service.Resources, organizations())
	return service
}
