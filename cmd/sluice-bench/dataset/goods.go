// Package dataset makes what is measured: records of the shape and size of real ones, as declarations, JSON, pages and lines.
//
// Items and bills have the names of the documents' fields, and values that are as long, and differ as much, as those of the
// witnesses (package witness): how far a record can be compressed decides what it costs to keep it, and how. They are
// numbered: a record is a function of its number and its version, and its key grows with the number, as identifiers upstream
// do. It is pure.
//
// Start reading at Service, then records.go.
package dataset

import (
	"fmt"

	"sluice/schema"
)

// Service declares items of 45 columns, bills with three arrays, and chats.
func Service() *schema.Service {
	return &schema.Service{Name: "bench", Doc: "What is measured.", Resources: []schema.Resource{items.resource(), bills.resource(), chats()}}
}

func chats() schema.Resource {
	return schema.Resource{
		Name: "chats", Doc: "Lines of an export.", ID: "chat_id", Cursor: schema.Export{Modified: "last_modified_time", FieldsParam: "fields"},
		Columns: []schema.Column{
			schema.ID("chat_id", "Key."), schema.Text("title", "Title."), schema.Time("creation_time", "Opened."),
			schema.Time("last_modified_time", "Edited."), schema.Int("participant_count", "People."),
			schema.Int("total_message_count", "Messages."), schema.ID("creator_id", "Opener."),
		},
	}
}

// Find gives a resource by its name.
func Find(service *schema.Service, name string) (*schema.Resource, error) {
	for i := range service.Resources {
		if service.Resources[i].Name == name {
			return &service.Resources[i], nil
		}
	}
	return nil, fmt.Errorf("no resource %q is measured", name)
}

// Append appends record number n, an item or a bill, in a version: 0, or that of a later day up to 8.
func Append(buf []byte, resource *schema.Resource, n, version int) []byte {
	if resource.Name == bills.name {
		return bills.append(buf, n, version)
	}
	return items.append(buf, n, version)
}
