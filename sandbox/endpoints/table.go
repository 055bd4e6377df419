package endpoints

import (
	"net/http"

	"sluice/sandbox/lists"
	"sluice/sandbox/services"
)

// Names of path segments.
const (
	parent = "parent" // a contact, a customer, a module, a network
	record = "id"
)

const (
	books       = services.BooksRoot
	invoice     = services.InvoiceRoot
	billing     = services.BillingRoot
	stock       = services.InventoryRoot
	chat        = services.ChatRoot
	maintenance = services.MaintenanceRoot
	network     = services.NetworkRoot + "{" + parent + "}"

	get     = http.MethodGet
	oneID   = "/{" + record + "}"
	persons = "/{" + parent + "}/contactpersons"
)

// Table returns the rows, in the order of the documents; the first matching row counts.
func Table() []Endpoint {
	var table []Endpoint
	for _, rows := range [][]Endpoint{accountingRows(), settingsOfAccounting(), invoicingRows(), billingRows(), inventoryRows(), chatRows()} {
		table = append(table, rows...)
	}
	return table
}

// resource returns a resource that the rows name; a test ensures that it exists.
func resource(service, name string) lists.Resource {
	found, _ := lists.Find(service, name)
	return found
}

func accountingRows() []Endpoint {
	of := func(name string) lists.Resource { return resource(services.Accounting, name) }
	return []Endpoint{
		{get, books + "/organizations", "", "", of("organizations"), "Needs no organization_id.", list},
		{
			get, books + "/contacts" + persons, "Books.contacts.READ", "",
			of("contact_persons"), "A contact is a vendor or a customer of bills, payments and credit notes.", list,
		},
		{
			get, books + "/contacts" + persons + oneID, "Books.contacts.READ", "response key of one contact person",
			of("contact_persons"), "", personUnder("contact_person"),
		},
		{
			get, books + "/chartofaccounts", "Books.accountants.READ", "",
			of("chart_of_accounts"), "Active accounts only, without filter_by=AccountType.All.", list,
		},
		{get, books + "/chartofaccounts" + oneID, "Books.accountants.READ", "path and key of one account", of("chart_of_accounts"), "", single},
		{get, books + "/vendorpayments", "Books.vendorpayments.READ", "response key of the list", of("vendor_payments"), "", list},
		{get, books + "/vendorpayments" + oneID, "Books.vendorpayments.READ", "path and key of one payment", of("vendor_payments"), "", single},
		{
			get, books + "/basecurrencyadjustment", "Books.accountants.READ", "",
			of("base_currency_adjustments"), "Accounts are in the single record only.", list,
		},
		{
			get, books + "/basecurrencyadjustment/accounts", "Books.accountants.READ", "the whole answer of the account listing",
			lists.Resource{}, "What a rate would do: currency_id, adjustment_date, exchange_rate, notes.", preview,
		},
		{get, books + "/basecurrencyadjustment" + oneID, "Books.accountants.READ", "", of("base_currency_adjustments"), "", single},
		{get, books + "/expenses", "Books.expenses.READ", "path and answer of the list", of("expenses"), "", list},
		{get, books + "/expenses" + oneID, "Books.expenses.READ", "path and key of one expense", of("expenses"), "", single},
	}
}

// settingsOfAccounting returns the last rows: a module's name is where other rows have a word.
func settingsOfAccounting() []Endpoint {
	of := func(name string) lists.Resource { return resource(services.Accounting, name) }
	return []Endpoint{
		{
			get, books + "/settings/openingbalances", "Books.settings.READ", "",
			of("opening_balances"), "One object, empty where there is none.", snapshot,
		},
		{get, books + "/{" + parent + "}", "Books.custommodules.ALL", "", of("custom_module_records"), "", list},
		{
			get, books + "/{" + parent + "}" + oneID, "Books.custommodules.ALL", "path and answer of one record",
			of("custom_module_records"), "", personUnder("module_record"),
		},
	}
}

func invoicingRows() []Endpoint {
	of := func(name string) lists.Resource { return resource(services.Invoicing, name) }
	return []Endpoint{
		{get, invoice + "/organizations", "", "", of("organizations"), "", list},
		{get, invoice + "/contacts" + persons, "Invoice.contacts.READ", "path and answer of the list", of("contact_persons"), "", list},
		{get, invoice + "/settings/currencies", "Invoice.settings.READ", "", of("currencies"), "Rates are in the list only.", list},
		{get, invoice + "/settings/currencies" + oneID, "Invoice.settings.READ", "response key of one currency", of("currencies"), "", single},
	}
}

func billingRows() []Endpoint {
	of := func(name string) lists.Resource { return resource(services.Billing, name) }
	return []Endpoint{
		{get, billing + "/organizations", "", "", of("organizations"), "", list},
		{
			get, billing + "/customers" + persons, "Subscriptions.customers.READ", "list records carry fax, customer_id and times",
			of("contact_persons"), "", list,
		},
		{
			get, billing + "/customers" + persons + oneID, "Subscriptions.customers.READ", "response key of one contact person",
			of("contact_persons"), "", personUnder("contact_person"),
		},
	}
}

func inventoryRows() []Endpoint {
	of := func(name string) lists.Resource { return resource(services.Inventory, name) }
	return []Endpoint{
		{get, stock + "/organizations", "", "", of("organizations"), "Needs no organization_id.", list},
		{get, stock + "/locations", "Inventory.settings.READ", "", of("locations"), "", list},
		{get, stock + "/compositeitems", "Inventory.compositeitems.READ", "names of filter and sort parameters", of("composite_items"), "", list},
		{
			get, stock + "/compositeitems" + oneID, "Inventory.compositeitems.READ", "path and key of one composite item",
			of("composite_items"), "", single,
		},
		{
			get, stock + "/settings/taxes", "Inventory.settings.READ", "filter that shows inactive taxes",
			of("taxes"), "Active taxes only, without filter_by=Taxes.All.", list,
		},
		{get, stock + "/settings/taxes" + oneID, "Inventory.settings.READ", "", of("taxes"), "", single},
		{get, stock + "/items", "Inventory.items.READ", "", of("items"), "", list},
		{get, stock + "/items" + oneID, "Inventory.items.READ", "path and key of one item", of("items"), "", single},
		{get, stock + "/itemdetails", "Inventory.items.READ", "", of("items"), "item_ids: up to a hundred, with commas between.", bulk},
		{get, stock + "/bills", "Inventory.bills.READ", "", of("bills"), "", list},
		{get, stock + "/bills" + oneID, "Inventory.bills.READ", "path and key of one bill", of("bills"), "", single},
		{get, stock + "/creditnotes", "Inventory.creditnotes.READ", "response key of the list", of("credit_notes"), "", list},
		{get, stock + "/creditnotes" + oneID, "Inventory.creditnotes.READ", "path and key of one credit note", of("credit_notes"), "", single},
	}
}

func chatRows() []Endpoint {
	of := func(name string) lists.Resource { return resource(services.Chat, name) }
	const (
		fields = "fields of channels, limit and next_token"
		csv    = "header row and trailer of the export"
		asJSON = "Send Content-Type: application/json. Also joined, pinned, limit, next_token."
		asCSV  = "CSV: send Content-Type: text/csv, and fields=title,chat_id or others."
	)
	return []Endpoint{
		{get, chat + "/channels", "Chat.Channels.READ", fields, of("channels"), asJSON, channels},
		{get, maintenance + "/chats", "Chat.OrganizationChats.READ", csv, of("conversations"), asCSV, export},
		{get, network + chat + "/channels", "Chat.Channels.READ", fields, of("network_channels"), asJSON, channels},
		{get, network + maintenance + "/chats", "Chat.OrganizationChats.READ", csv, of("network_conversations"), asCSV, export},
	}
}
