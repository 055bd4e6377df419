// Package dataset makes the measured records: of the shape and size of real ones, as declarations
// and JSON.
//
// Items and bills have the names of the documents' fields. Their values are as long and as varied
// as those of the witnesses (package witness): compressibility decides the cost of storing a
// record. They are numbered: a record is a function of its number and its version, and its key
// grows with the number, as identifiers upstream do. It is pure.
//
// Start reading at Service, then records.go.
package dataset

import "sluice/schema"

// Service declares items of 45 columns, and bills with three arrays.
func Service() *schema.Service {
	return &schema.Service{Name: "bench", Doc: "What is measured.", Resources: []schema.Resource{items.resource(), bills.resource()}}
}

// Append appends record number n, an item or a bill, in a version: 0, or that of a later day up to
// 8.
func Append(buf []byte, resource *schema.Resource, n, version int) []byte {
	if resource.Name == bills.name {
		return bills.append(buf, n, version)
	}
	return items.append(buf, n, version)
}
