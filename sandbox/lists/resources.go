// Package lists says which lists the sandbox serves and how one is asked for:
// paths, keys, pages, filters and orders (documents 2 and 3, upstream facts).
//
// It holds no record and answers no call. Start reading with All, then Read.
package lists

import (
	"sluice/sandbox/faults"
	"sluice/sandbox/services"
	"sluice/sandbox/world"
)

// ChatPath is the path of the conversation export (document 1, A2).
const ChatPath = services.ChatRoot + "/chats"

// Resource is one resource with its list and its single record.
type Resource struct {
	Kind          world.Kind
	Service, Name string
	Path          string // of the list; one record lies below it
	Key, OneKey   string // of the records in the envelope of a list, of a single record
	Report        string // report_name in page_context
	SinceHonoured bool   // last_modified_time filters, else it is ignored in silence
	Filter        string // what applied_filter says when nothing was asked for
	Target        faults.Target
	Wide          bool // live lists carry headers only
}

// All lists the resources, in the order of the documents.
func All() []Resource {
	return []Resource{
		{
			Kind: world.Accounts, Service: services.Accounting, Name: "chart_of_accounts", Path: services.BooksRoot + "/chartofaccounts",
			Key: "chartofaccounts", OneKey: "chart_of_account", Report: "Chart of Accounts", SinceHonoured: true,
			Filter: "AccountType.Active",
			Target: faults.Target{ID: "account_id", Number: "current_balance", Text: "account_name"},
		},
		{
			Kind: world.Payments, Service: services.Accounting, Name: "vendor_payments", Path: services.BooksRoot + "/vendorpayments",
			Key: "vendorpayments", OneKey: "vendorpayment", Report: "Vendor Payments", SinceHonoured: true,
			Filter: "PaymentMode.All", Wide: true,
			Target: faults.Target{ID: "payment_id", Number: "amount", Text: "vendor_name"},
		},
		{
			Kind: world.Items, Service: services.Inventory, Name: "items", Path: services.InventoryRoot + "/items",
			Key: "items", OneKey: "item", Report: "Items", SinceHonoured: true,
			Filter: "Status.All",
			Target: faults.Target{ID: "item_id", Number: "rate", Text: "name"},
		},
		{
			Kind: world.Bills, Service: services.Inventory, Name: "bills", Path: services.InventoryRoot + "/bills",
			Key: "bills", OneKey: "bill", Report: "Bills",
			Filter: "Status.All", Wide: true,
			Target: faults.Target{ID: "bill_id", Number: "date", Text: "vendor_name"},
		},
		{
			Kind: world.CreditNotes, Service: services.Inventory, Name: "credit_notes", Path: services.InventoryRoot + "/creditnotes",
			Key: "creditnotes", OneKey: "creditnote", Report: "Credit Notes",
			Filter: "Status.All", Wide: true,
			Target: faults.Target{ID: "creditnote_id", Number: "total", Text: "customer_name"},
		},
		{Kind: world.Chats, Service: services.Chat, Name: "conversations", Path: ChatPath},
	}
}
