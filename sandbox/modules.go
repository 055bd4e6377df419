package sandbox

import (
	"encoding/json"
	"strings"

	"sluice/sandbox/company"
	"sluice/sandbox/watch"
	"sluice/sandbox/watch/channel"
	"sluice/sandbox/world"
)

// module is what changes of a kind of records are told as: notifications are those of
// another service, which calls modules and fields by other names (docs/upstream.md U273). No
// document says what becomes what.
type module struct {
	name   string
	fields map[string]string // names of the service of notifications, by names of records
	// related names the field with the record that is told of instead: a kind that has
	// no module is told as an action on an associated record. "" for none.
	related string
}

// moduleOf answers the module of a kind; false if its changes are told to nobody.
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

// publish tells the subscribers of an organization of changes of its records: of those
// of one module and operation together, as far as one follows the other.
func publish(watcher *watch.Server, events []company.Event) {
	var together watch.Event
	tell := func() {
		if len(together.Records) > 0 {
			_, _ = watcher.Publish(together) // it fails on values that are no JSON: records are.
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

// asTold is a change in the words of notifications; false for one that nobody is told.
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
	if operation == channel.Edit {
		record.Fields = renamed(event.Fields, m)
	}
	if m.related != "" {
		operation = channel.Edit
		if json.Unmarshal(event.Fields[m.related], &record.ID) != nil || record.ID == "" {
			return watch.Event{}, false // it says nothing of the other
		}
	}
	return watch.Event{Module: m.name, Operation: operation, Records: []watch.Record{record}, Related: m.related != ""}, true
}

// operationOf is how a change is told; false for silent ones, which nobody notes.
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

// renamed are the fields that the module has, by its names.
func renamed(fields map[string]json.RawMessage, m module) map[string]json.RawMessage {
	renamed := make(map[string]json.RawMessage, len(fields))
	for name, value := range fields {
		if own, known := m.fields[name]; known {
			renamed[own] = value
		}
	}
	return renamed
}
