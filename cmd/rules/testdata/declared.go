// This file is compiled with a Go snippet of a page, which has the function shown.

package main

import (
	"fmt"
	"os"

	"sluice/connectors/inventory"
	"sluice/schema"
	"sluice/schema/validate"
)

// main validates the columns, arrays and resources that the page declares.
func main() {
	resource := schema.Resource{
		Name: "shown", Doc: "What the page shows.", Path: "/shown", Key: "shown", ID: "shown_id", Scope: "settings", Every: "12h", Cursor: schema.FullScan{},
		Columns: []schema.Column{schema.ID("shown_id", "Identifier of the record.")},
	}
	service := inventory.Service()
	service.Resources = nil
	for _, value := range shown() {
		switch value := value.(type) {
		case schema.Column:
			resource.Columns = append(resource.Columns, value)
		case schema.Child:
			resource.Children = append(resource.Children, value)
		case schema.Resource:
			service.Resources = append(service.Resources, value)
		}
	}
	service.Resources = append(service.Resources, resource)
	if err := validate.Services([]schema.Service{service}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
