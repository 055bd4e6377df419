// Package writes answers the write endpoints of docs/upstream.md U155 to U228. It reads the
// request, checks it with package rules, and lets package draft turn it into records of a company's
// world.
//
// It knows no token and counts no call. Start reading with Table; operations.go has the effects of
// the rows.
package writes

import (
	"net/http"
	"slices"

	"sluice/sandbox/endpoints"
	"sluice/sandbox/lists"
	"sluice/sandbox/rules"
	"sluice/sandbox/services"
)

const (
	books     = services.BooksRoot
	invoice   = services.InvoiceRoot
	billing   = services.BillingRoot
	inventory = services.InventoryRoot

	post   = http.MethodPost
	put    = http.MethodPut
	remove = http.MethodDelete

	one     = "/{id}"
	persons = "/contacts/contactpersons"
	clients = billing + "/customers/{parent}/contactpersons"
	module  = books + "/{parent}"
	opening = books + "/settings/openingbalances"
)

// Table returns the rows, in the order of the documents. Rows whose path begins with a name of the
// caller's choice are last.
func Table() []endpoints.Endpoint {
	var table []endpoints.Endpoint
	for _, r := range rows() {
		table = append(table, r.endpoint())
	}
	return table
}

func rows() []row {
	return slices.Concat(accountingRows(), invoicingRows(), inventoryRows(), moduleRows())
}

// Answer returns the key of the record that a write answers, "" for none, and whether its value is
// an array of one.
func Answer(method, path string) (string, bool) {
	for _, r := range rows() {
		if r.method == method && r.path == path {
			return r.does.answers.key, r.does.answers.array
		}
	}
	return "", false
}

// row is one write endpoint.
type row struct {
	method, path, scope string
	assumed             string // what the documents do not show
	service, resource   string
	does                operation
	note                string
}

func (r row) endpoint() endpoints.Endpoint {
	resource, _ := lists.Find(r.service, r.resource) // a test holds that it exists,
	rule, _ := rules.Find(r.method, r.path)          // and that each row has a rule.
	return endpoints.Endpoint{
		Method: r.method, Path: r.path, Scope: r.scope, Assumed: r.assumed, Resource: resource, Note: r.note, Serve: serve(rule, r.does),
	}
}

func accountingRows() []row {
	const (
		service = services.Accounting
		people  = "contact_persons"
		balance = "opening_balances"
		account = "chart_of_accounts"
		adjust  = "base_currency_adjustments"
		unique  = "answer where no record has the value, and how custom fields are matched"
	)
	return []row{
		{post, books + persons, "Books.contacts.CREATE", "", service, people, create(list("contact_person")), ""},
		{put, books + persons + one, "Books.contacts.UPDATE", "", service, people, update(list("contact_person")), ""},
		{remove, books + persons + one, "Books.contacts.DELETE", "", service, people, operation{do: destroy}, ""},
		{
			post, opening, "Books.settings.CREATE", "a second opening balance takes the place of the first", service, balance,
			replace(object("opening_balance")), "Debits equal credits in the base currency.",
		},
		{
			put, opening, "Books.settings.UPDATE", "", service, balance, updateOnly(object("opening_balance"), "opening_balance_id"),
			"Debits equal credits in the base currency.",
		},
		{remove, opening, "Books.settings.DELETE", "", service, balance, operation{do: destroyAll}, ""},
		{
			post, books + "/chartofaccounts", "Books.accountants.CREATE", "the whole answer of the create", service, account,
			create(object("chart_of_account")), "",
		},
		{
			put, books + "/chartofaccounts" + one, "Books.accountants.UPDATE", "response key of the updated account", service, account,
			update(object("chart_of_account")), "",
		},
		{
			post, books + "/vendorpayments", "Books.vendorpayments.CREATE", "", service, "vendor_payments", create(shape{put: beside}),
			"Lowers the balance of its bills.",
		},
		{
			put, books + "/vendorpayments", "Books.vendorpayments.UPDATE", unique, service, "vendor_payments",
			updateUnique(list("vendorpayment")), "By X-Unique-Identifier-Key and -Value, with X-Upsert.",
		},
		{
			post, books + "/basecurrencyadjustment", "Books.accountants.CREATE", "", service, adjust, create(object("data")),
			"account_ids: with commas between.",
		},
		{remove, books + "/basecurrencyadjustment" + one, "Books.accountants.DELETE", "", service, adjust, operation{do: destroy}, ""},
		{
			post, books + "/expenses", "Books.expenses.CREATE", "", service, "expenses", create(object("expense")),
			"May carry a receipt: form-data part receipt, the body in part JSONString.",
		},
		{
			put, books + "/expenses", "Books.expenses.UPDATE", "response key of the updated expense; " + unique, service, "expenses",
			updateUnique(object("expense")), "By X-Unique-Identifier-Key and -Value, with X-Upsert.",
		},
	}
}

func invoicingRows() []row {
	const (
		people = "contact_persons"
		money  = "currencies"
		path   = invoice + "/settings/currencies"
	)
	return []row{
		{post, invoice + persons, "Invoice.contacts.CREATE", "", services.Invoicing, people, create(list("contact_person")), ""},
		{put, invoice + persons + one, "Invoice.contacts.UPDATE", "", services.Invoicing, people, update(list("contact_person")), ""},
		{remove, invoice + persons + one, "Invoice.contacts.DELETE", "", services.Invoicing, people, operation{do: destroy}, ""},
		{post, path, "Invoice.settings.CREATE", "", services.Invoicing, money, create(list("currency")), ""},
		{put, path + one, "Invoice.settings.UPDATE", "", services.Invoicing, money, update(list("currency")), ""},
		{post, clients, "Subscriptions.customers.CREATE", "", services.Billing, people, create(object("contact_person")), ""},
		{put, clients + one, "Subscriptions.customers.UPDATE", "", services.Billing, people, update(object("contact_person")), ""},
	}
}

func inventoryRows() []row {
	const (
		service  = services.Inventory
		bundle   = "composite_items"
		bundles  = inventory + "/compositeitems"
		taxes    = inventory + "/settings/taxes"
		enabling = inventory + "/settings/locations/enable"
	)
	return []row{
		{post, enabling, "Inventory.settings.CREATE", "that nothing else changes", service, "locations", operation{do: enable}, ""},
		{post, inventory + "/locations", "Inventory.settings.CREATE", "", service, "locations", create(object("locations")), ""},
		{
			put, inventory + "/locations" + one, "Inventory.settings.UPDATE", "the whole answer of the update", service, "locations",
			update(object("locations")), "",
		},
		{post, bundles, "Inventory.compositeitems.CREATE", "", service, bundle, create(object("composite_item")), ""},
		{post, bundles + one + "/image", "", "scope of the image upload", service, bundle, operation{do: picture}, "form-data part image."},
		{
			put, bundles + one, "Inventory.compositeitems.UPDATE", "response key of the updated composite item", service, bundle,
			update(object("composite_item")), "",
		},
		{post, taxes, "Inventory.settings.CREATE", "", service, "taxes", create(list("tax")), ""},
		{put, taxes + one, "Inventory.settings.UPDATE", "", service, "taxes", update(shape{key: "tax", put: briefTax}), ""},
		{post, inventory + "/items", "Inventory.items.CREATE", "", service, "items", create(object("item")), ""},
		{
			post, inventory + "/bills", "Inventory.bills.CREATE", "", service, "bills", create(object("bill")),
			"May carry a file: form-data part attachment, the body in part JSONString.",
		},
		{post, inventory + "/creditnotes", "Inventory.creditnotes.CREATE", "", service, "credit_notes", create(object("creditnote")), ""},
	}
}

func moduleRows() []row {
	const (
		scope   = "Books.custommodules.ALL"
		service = services.Accounting
		records = "custom_module_records"
		named   = "how the delete names its records: module_record_id in the query, without it all of the module"
	)
	return []row{
		{post, module, scope, "", service, records, create(list("module_record")), ""},
		{put, module, scope, "", service, records, operation{shape{key: "module_record", array: true}, updateMany},
			"module_record_id: with commas between."},
		{put, module + one, scope, "the whole answer of the update of one record", service, records, update(list("module_record")), ""},
		{remove, module, scope, named, service, records, operation{do: destroyMany}, "The name has its prefix cm_."},
	}
}
