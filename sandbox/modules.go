package sandbox

import (
	"encoding/json"
	"strings"

	"sluice/sandbox/company"
	"sluice/sandbox/watch"
	"sluice/sandbox/watch/channel"
	"sluice/sandbox/world"
)

// module says how notifications name a kind of records. They belong to another service, which has
// other names for modules and fields (docs/upstream.md U273). No document maps the one to the
// other.
type module struct {
	name   string
	fields map[string]string // names of the service of notifications, by names of records
	// related names the field with the id of the record that is notified instead: a kind without a
	// module appears as an action on an associated record. "" for none.
	related string
}

// moduleOf returns the module of a kind; false if its changes raise no notification.
func moduleOf(kind world.Kind) (module, bool) {
	named := func(name, pairs string) (module, bool) {
		m := module{name: name, fields: map[string]string{}}
		for pair := range strings.FieldsSeq("description=Description created_time=Created_Time last_modified_time=Modified_Time " + pairs) {
			from, to, _ := strings.Cut(pair, "=")
			m.fields[from] = to
		}
		return m, true
	}
	switch kind {
	case world.Items, world.CompositeItems:
		return named("Products", "name=Product_Name sku=Product_Code rate=Unit_Price stock_on_hand=Qty_in_Stock available_stock=Qty_in_Stock")
	case world.Bills:
		return named("Purchase_Orders", "bill_number=Subject status=Status vendor_name=Vendor_Name total=Grand_Total")
	case world.CreditNotes:
		return named("Invoices", "creditnote_number=Subject status=Status customer_name=Account_Name date=Invoice_Date total=Grand_Total")
	case world.ContactPersons, world.CustomerPersons:
		return named("Contacts", "first_name=First_Name last_name=Last_Name email=Email phone=Phone department=Department")
	case world.Payments:
		m, found := named("Vendors", "vendor_name=Vendor_Name")
		m.related = "vendor_id"
		return m, found
	case world.Expenses:
		m, found := named("Accounts", "customer_name=Account_Name")
		m.related = "customer_id"
		return m, found
	case world.ModuleRecords: // each module has its own name.
		return named("", "record_name=Name")
	default:
		return module{}, false
	}
}

// publish notifies the subscribers of an organization of changes of its records. Adjacent changes
// of one module and operation go into one notification.
func publish(watcher *watch.Server, events []company.Event) {
	var together watch.Event
	tell := func() {
		if len(together.Records) > 0 {
			_, _ = watcher.Publish(together) // it fails on invalid JSON only, and records are valid
		}
	}
	for _, event := range events {
		next, told := asTold(event)
		if !told {
			continue
		}
		if next.Module == together.Module && next.Operation == together.Operation && next.Related == together.Related {
			together.Records = append(together.Records, next.Records...)
			continue
		}
		tell()
		together = next
	}
	tell()
}

// asTold translates a change into the words of notifications; false if it raises none.
func asTold(event company.Event) (watch.Event, bool) {
	m, told := moduleOf(event.Kind)
	operation, visible := operationOf(event.Operation)
	if !told || !visible {
		return watch.Event{}, false
	}
	if m.name == "" {
		m.name = event.Under
	}
	record := watch.Record{ID: event.ID}
	if m.related == "" || operation == channel.Edit {
		record.Fields = renamed(event.Fields, m)
	}
	if m.related != "" {
		operation = channel.Edit
		if json.Unmarshal(event.Fields[m.related], &record.ID) != nil || record.ID == "" {
			return watch.Event{}, false // the change says nothing of the other record
		}
	}
	return watch.Event{Module: m.name, Operation: operation, Records: []watch.Record{record}, Related: m.related != ""}, true
}

// operationOf returns the operation that a notification names; false for silent changes, which
// raise none.
func operationOf(operation world.Operation) (channel.Operation, bool) {
	switch operation {
	case world.Inserted, world.Restored:
		return channel.Create, true
	case world.Edited:
		return channel.Edit, true
	case world.Deleted:
		return channel.Delete, true
	case world.Quieted:
		return "", false
	default:
		return "", false
	}
}

// renamed returns the fields that the module has, by its names.
func renamed(fields map[string]json.RawMessage, m module) map[string]json.RawMessage {
	renamed := make(map[string]json.RawMessage, len(fields))
	for name, value := range fields {
		if own, known := m.fields[name]; known {
			renamed[own] = value
		}
	}
	return renamed
}
