// Package lists declares the sandbox's lists and their requests: keys, pages, filters and orders
// (docs/upstream.md U80 to U113).
//
// It holds no record and answers no call; the paths are in package endpoints. Start reading with
// All, then Read.
package lists

import (
	"strings"

	"sluice/sandbox/faults"
	"sluice/sandbox/services"
	"sluice/sandbox/world"
)

// Paging is the way from one page of a list to the next (docs/upstream.md U80, U82 and U86).
type Paging int

// The ways of paging: by number with page_context, all at once without one, and by token.
const (
	ByNumber Paging = iota
	Whole
	ByToken
)

// Resource is one resource with its list and its single record.
type Resource struct {
	Kind          world.Kind
	Service, Name string
	Key, OneKey   string // of the records in the envelope of a list, of a single record
	OneInArray    bool   // the single record comes as an array of one
	Report        string // report_name in page_context
	Paging        Paging
	SinceHonoured bool     // last_modified_time filters, else it is ignored in silence
	Filters       []string // values of filter_by; the first one is the default
	Target        faults.Target
	Wide          bool // live lists carry headers only
	Narrow        bool // this list never carries more
	// Parent is the key under which Truth carries the parent of a record; "" for lists without
	// parents.
	Parent string
}

// All returns the resources, in the order of the documents.
func All() []Resource {
	return append(append(append(accounting(), invoicing()...), inventory()...), chat()...)
}

// Find returns the resource of a service by its name.
func Find(service, name string) (Resource, bool) {
	for _, e := range All() {
		if e.Service == service && e.Name == name {
			return e, true
		}
	}
	return Resource{}, false
}

func organizations(service string) Resource {
	return Resource{
		Kind: world.Organizations, Service: service, Name: "organizations", Key: "organizations", Paging: Whole,
		Target: faults.Target{ID: "organization_id", Number: "price_precision", Text: "name"},
	}
}

func persons(service string) Resource {
	return Resource{
		Kind: world.ContactPersons, Service: service, Name: "contact_persons", Key: "contact_persons", Report: "Contact Persons",
		Parent: "contact_id", Target: faults.Target{ID: "contact_person_id", Number: "is_primary_contact", Text: "last_name"},
	}
}

// filters puts a prefix before each value.
func filters(prefix, values string) []string {
	all := strings.Fields(values)
	for n := range all {
		all[n] = prefix + all[n]
	}
	return all
}

func accounting() []Resource {
	const service = services.Accounting
	return []Resource{
		organizations(service),
		persons(service),
		{
			Kind: world.ModuleRecords, Service: service, Name: "custom_module_records", Key: "module_record", Report: "Module Records",
			Parent: "module_name", Target: faults.Target{ID: "module_record_id", Number: "created_time", Text: "record_name"},
		},
		{
			Kind: world.OpeningBalances, Service: service, Name: "opening_balances", OneKey: "opening_balance",
			Target: faults.Target{ID: "opening_balance_id", Number: "total", Text: "date"},
		},
		{
			Kind: world.Accounts, Service: service, Name: "chart_of_accounts",
			Key: "chartofaccounts", OneKey: "chart_of_account", Report: "Chart of Accounts", SinceHonoured: true,
			Filters: filters("AccountType.", "Active All Inactive Asset Liability Equity Income Expense"),
			Target:  faults.Target{ID: "account_id", Number: "current_balance", Text: "account_name"},
		},
		{
			Kind: world.Payments, Service: service, Name: "vendor_payments",
			Key: "vendorpayments", OneKey: "vendorpayment", Report: "Vendor Payments", SinceHonoured: true,
			Filters: filters("PaymentMode.", "All Check Cash BankTransfer CreditCard Credit BankRemittance Others"), Wide: true,
			Target: faults.Target{ID: "payment_id", Number: "amount", Text: "vendor_name"},
		},
		{
			Kind: world.Adjustments, Service: service, Name: "base_currency_adjustments",
			Key: "base_currency_adjustments", OneKey: "data", Report: "Base Currency Adjustments", SinceHonoured: true,
			Filters: filters("Date.", "All Today ThisWeek ThisMonth ThisQuarter ThisYear"), Narrow: true,
			Target: faults.Target{ID: "base_currency_adjustment_id", Number: "gain_or_loss", Text: "notes"},
		},
		{
			Kind: world.Expenses, Service: service, Name: "expenses", Key: "expenses", OneKey: "expense", Report: "Expenses",
			Target: faults.Target{ID: "expense_id", Number: "total", Text: "description"},
		},
	}
}

// invoicing has the resources of subscription billing as well.
func invoicing() []Resource {
	return []Resource{
		organizations(services.Invoicing),
		persons(services.Invoicing),
		{
			Kind: world.Currencies, Service: services.Invoicing, Name: "currencies", Key: "currencies", OneKey: "currency",
			Report: "Currencies", Filters: []string{"Currencies.All", "Currencies.ExcludeBaseCurrency"},
			Target: faults.Target{ID: "currency_id", Number: "price_precision", Text: "currency_name"},
		},
		organizations(services.Billing),
		{
			Kind: world.CustomerPersons, Service: services.Billing, Name: "contact_persons", Key: "contact_persons", Paging: Whole,
			Parent: "customer_id", Target: faults.Target{ID: "contactperson_id", Number: "created_time", Text: "last_name"},
		},
	}
}

func inventory() []Resource {
	const service = services.Inventory
	return []Resource{
		organizations(service),
		{
			Kind: world.Locations, Service: service, Name: "locations", Key: "locations", Paging: Whole,
			Target: faults.Target{ID: "location_id", Number: "is_primary", Text: "location_name"},
		},
		{
			Kind: world.CompositeItems, Service: service, Name: "composite_items",
			Key: "composite_items", OneKey: "composite_item", Report: "Composite Items", SinceHonoured: true,
			// The document shortens two of them; the sandbox accepts them with their prefix as
			// well.
			Filters: []string{"Status.All", "Status.Active", "Inactive", "Lowstock", "Status.Inactive", "Status.Lowstock"}, Wide: true,
			Target: faults.Target{ID: "composite_item_id", Number: "rate", Text: "name"},
		},
		{
			Kind: world.Taxes, Service: service, Name: "taxes", Key: "taxes", OneKey: "tax", OneInArray: true, Report: "Taxes",
			Filters: filters("Taxes.", "Active All Inactive"),
			Target:  faults.Target{ID: "tax_id", Number: "tax_percentage", Text: "tax_name"},
		},
		{
			Kind: world.Items, Service: service, Name: "items",
			Key: "items", OneKey: "item", Report: "Items", SinceHonoured: true,
			Filters: []string{"Status.All"}, Wide: true,
			Target: faults.Target{ID: "item_id", Number: "rate", Text: "name"},
		},
		{
			Kind: world.Bills, Service: service, Name: "bills",
			Key: "bills", OneKey: "bill", Report: "Bills",
			Filters: []string{"Status.All"}, Wide: true,
			Target: faults.Target{ID: "bill_id", Number: "date", Text: "vendor_name"},
		},
		{
			Kind: world.CreditNotes, Service: service, Name: "credit_notes",
			Key: "creditnotes", OneKey: "creditnote", Report: "Credit Notes",
			Filters: filters("Status.", "All Open Draft Closed Void"), Wide: true,
			Target: faults.Target{ID: "creditnote_id", Number: "total", Text: "customer_name"},
		},
	}
}

func chat() []Resource {
	channel := faults.Target{ID: "channel_id", Number: "participant_count", Text: "name"}
	return []Resource{
		{Kind: world.Channels, Service: services.Chat, Name: "channels", Key: "channels", Paging: ByToken, Target: channel},
		{Kind: world.Chats, Service: services.Chat, Name: "conversations"},
		{
			Kind: world.NetworkChannels, Service: services.Chat, Name: "network_channels", Key: "channels", Paging: ByToken,
			Target: channel, Parent: "network",
		},
		{Kind: world.NetworkChats, Service: services.Chat, Name: "network_conversations", Parent: "network"},
	}
}
