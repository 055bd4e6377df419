package openapi

import (
	"net/http"

	"sluice/sandbox/services"
)

// answer is the key of a write's answer, and whether its value is an array of one.
type answer struct {
	key   string
	array bool
}

// writes returns the answer of a write (docs/upstream.md U155 to U228), or the sandbox's assumption
// where no document shows one. A row without an entry answers code and message alone, or its fields
// beside them.
func writes(method, path string) (answer, bool) {
	const (
		books, invoice, billing, stock = services.BooksRoot, services.InvoiceRoot, services.BillingRoot, services.InventoryRoot

		post, put = http.MethodPost + " ", http.MethodPut + " "
		persons   = "/contacts/contactpersons"
		one       = "/{id}"
		module    = books + "/{parent}"
	)
	person, payment := answer{"contact_person", true}, answer{"vendorpayment", true}
	records, currency := answer{"module_record", true}, answer{"currency", true}
	found, known := map[string]answer{
		post + books + persons:                                     person,
		put + books + persons + one:                                person,
		post + module:                                              records,
		put + module:                                               records,
		put + module + one:                                         records,
		post + books + "/settings/openingbalances":                 {"opening_balance", false},
		put + books + "/settings/openingbalances":                  {"opening_balance", false},
		post + books + "/chartofaccounts":                          {"chart_of_account", false},
		put + books + "/chartofaccounts" + one:                     {"chart_of_account", false},
		put + books + "/vendorpayments":                            payment,
		post + books + "/basecurrencyadjustment":                   {"data", false},
		post + books + "/expenses":                                 {"expense", false},
		put + books + "/expenses":                                  {"expense", false},
		post + invoice + persons:                                   person,
		put + invoice + persons + one:                              person,
		post + invoice + "/settings/currencies":                    currency,
		put + invoice + "/settings/currencies" + one:               currency,
		post + billing + "/customers/{parent}/contactpersons":      {"contact_person", false},
		put + billing + "/customers/{parent}/contactpersons" + one: {"contact_person", false},
		post + stock + "/locations":                                {"locations", false},
		put + stock + "/locations" + one:                           {"locations", false},
		post + stock + "/compositeitems":                           {"composite_item", false},
		put + stock + "/compositeitems" + one:                      {"composite_item", false},
		post + stock + "/settings/taxes":                           {"tax", true},
		put + stock + "/settings/taxes" + one:                      {"tax", false},
		post + stock + "/items":                                    {"item", false},
		post + stock + "/bills":                                    {"bill", false},
		post + stock + "/creditnotes":                              {"creditnote", false},
	}[method+" "+path]
	return found, known
}
