package sandbox

import (
	"slices"

	"sluice/sandbox/world"
)

const (
	serviceAccounting = "accounting"
	serviceInventory  = "inventory"
	serviceChat       = "chat"

	booksRoot     = "/books/v3"
	inventoryRoot = "/inventory/v1"
	chatRoot      = "/maintenanceapi/v2"
	chatPath      = chatRoot + "/chats"
	tokenPath     = "/oauth/v2/token"
	controlRoot   = "/_sandbox/"
)

// endpoint is one resource with its list and its single record.
type endpoint struct {
	kind          world.Kind
	service, name string
	path          string // of the list; one record lies below it
	key, oneKey   string
	report        string
	sinceHonoured bool   // last_modified_time filters, else it is ignored in silence
	filter        string // what applied_filter says when nothing was asked for
	poisoned      string // a number or date that the fault poison spoils
	text          string // a text that the fault nul spoils
	id            string // wire name of the identifier
	wide          bool   // live lists carry headers only
}

func allEndpoints() []endpoint {
	return []endpoint{
		{
			kind: world.Accounts, service: serviceAccounting, name: "chart_of_accounts", path: booksRoot + "/chartofaccounts",
			key: "chartofaccounts", oneKey: "chart_of_account", report: "Chart of Accounts", sinceHonoured: true,
			filter: "AccountType.Active", poisoned: "current_balance", text: "account_name", id: "account_id",
		},
		{
			kind: world.Payments, service: serviceAccounting, name: "vendor_payments", path: booksRoot + "/vendorpayments",
			key: "vendorpayments", oneKey: "vendorpayment", report: "Vendor Payments", sinceHonoured: true,
			filter: "PaymentMode.All", poisoned: "amount", text: "vendor_name", id: "payment_id", wide: true,
		},
		{
			kind: world.Items, service: serviceInventory, name: "items", path: inventoryRoot + "/items",
			key: "items", oneKey: "item", report: "Items", sinceHonoured: true,
			filter: "Status.All", poisoned: "rate", text: "name", id: "item_id",
		},
		{
			kind: world.Bills, service: serviceInventory, name: "bills", path: inventoryRoot + "/bills",
			key: "bills", oneKey: "bill", report: "Bills",
			filter: "Status.All", poisoned: "date", text: "vendor_name", id: "bill_id", wide: true,
		},
		{
			kind: world.CreditNotes, service: serviceInventory, name: "credit_notes", path: inventoryRoot + "/creditnotes",
			key: "creditnotes", oneKey: "creditnote", report: "Credit Notes",
			filter: "Status.All", poisoned: "total", text: "customer_name", id: "creditnote_id", wide: true,
		},
		{kind: world.Chats, service: serviceChat, name: "conversations", path: chatPath},
	}
}

// resource finds an endpoint by service and resource name.
func (s *Server) resource(service, name string) (endpoint, bool) {
	n := slices.IndexFunc(s.endpoints, func(e endpoint) bool { return e.service == service && e.name == name })
	if n < 0 {
		return endpoint{}, false
	}
	return s.endpoints[n], true
}
