package world

import (
	"fmt"
	"strings"
)

// vocabulary holds the words that records are made of. It is never changed.
type vocabulary struct {
	vendors, customers, nouns, traits, cities, titles, remarks []string
	accounts                                                   []accountWord
}

type accountWord struct{ name, kind, group string }

func newVocabulary() vocabulary {
	return vocabulary{
		vendors: []string{
			"Bowman & Söhne", "Ōsaka Tooling KK", "Sharma Traders", "Łódź Steelworks", "O'Neill Logistics",
			"北京工具有限公司", //nolint:gosmopolitan // names of all scripts occur upstream.
			"Müller GmbH", "Garcia Hermanos", "Patel \"Bharat\" Supplies", "Nordic Fasteners AB", "Al-Noor Paper, LLC",
		},
		customers: []string{
			"Café Zürich", "Harbour Hotels", "Ravi Constructions", "Ångström Labs", "Smith, Jones & Co", "Zoë's Garage",
			"Компания Волга", "Green Fields School", "São Paulo Imports",
		},
		nouns: []string{
			"Bracket", "Hinge", "Bolt M8", "Washer", "Cable 2,5 mm²", "Drill bit", "Bearing 6204", "Gasket", "Valve ¾\"", "Hose",
		},
		traits: []string{"Steel", "Brass", "Nylon", "Galvanised", "Heavy", "Slim", "Long", "Compact"},
		cities: []string{
			"Pune|Maharashtra|411001|MH", "Chennai|Tamil Nadu|600001|TN",
			"Bengaluru|Karnataka|560001|KA", "Jaipur|Rājasthān|302001|RJ",
		},
		titles: []string{"Launch, \"phase 2\"", "standup", "Accounts & audit", "Büro Zürich",
			"first line\nsecond line", "🎉 party", "standup", "", "a;b;c"},
		remarks: []string{"", "Deliver to gate 2", "As agreed by phone", "Line one\nline two", "Discount \"as discussed\"", "ठीक है", " "},
		accounts: []accountWord{
			{"Current Account", "bank", assets}, {"Sales", "income", income}, {"Cost of Goods Sold", "cost_of_goods_sold", expenses},
			{"Petty Cash", "cash", assets}, {"Inventory Asset", "other_current_asset", assets}, {"Accounts Payable", "accounts_payable", liabilities},
			{"Operating Expenses", "expense", expenses}, {"Accounts Receivable", "accounts_receivable", assets},
			{"Owner's Equity", "equity", equity}, {"Other Income", "other_income", income},
			{"Machinery", "fixed_asset", assets}, {"Term Loan", "long_term_liability", liabilities}, {"Office Supplies", "expense", expenses},
			{"Retained Earnings", "equity", equity}, {"Corporate Card", "credit_card", liabilities}, {"Telephone & Internet", "expense", expenses},
		},
	}
}

// The groups of GET /chartofaccounts' filter_by.
const (
	assets      = "Asset"
	liabilities = "Liability"
	equity      = "Equity"
	income      = "Income"
	expenses    = "Expense"
)

// Groups of fixedID: things that are referred to but are no resource here.
const (
	groupCurrency = iota + 1
	groupTax
	groupVendor
	groupCustomer
	groupUser
	groupCustomField
	groupItemGroup
	groupAttribute
	groupPurchase
	groupCredit
	groupLocation
	groupInvoice
	groupTemplate
)

// vendorName and customerName: a numbered branch keeps names apart.
func (v *vocabulary) vendorName(n int) string { return branch(v.vendors, n) }

func (v *vocabulary) customerName(n int) string { return branch(v.customers, n) }

func branch(names []string, n int) string {
	if n < len(names) {
		return names[n]
	}
	return fmt.Sprintf("%s %d", names[n%len(names)], n/len(names)+1)
}

// place is an address; the same number gives the same place.
type place struct{ street, city, state, zip, code string }

func (v *vocabulary) place(n int) place {
	parts := strings.Split(v.cities[n%len(v.cities)], "|")
	return place{street: fmt.Sprintf("%d Mill Lane", n%90+1), city: parts[0], state: parts[1], zip: parts[2], code: parts[3]} // house numbers.
}

// tax is one of three rates; zero percent occurs.
type tax struct {
	id, name string
	percent  int64
}

func taxOf(n int) tax {
	percent := [...]int64{18, 5, 0}[n%3]
	return tax{id: fixedID(groupTax, int(percent)), name: fmt.Sprintf("GST%d", percent), percent: percent}
}

// currency is the organization's own, or a foreign one.
type currency struct {
	id, code, symbol string
	rate             int64 // millionths
}

func currencyOf(foreign bool) currency {
	if foreign {
		return currency{fixedID(groupCurrency, 1), "USD", "$", 83_250_000} // 83.25 rupees a dollar.
	}
	return currency{fixedID(groupCurrency, 0), "INR", "₹", rateDecimals}
}

// location answers id and name.
func location(n int) (string, string) {
	return fixedID(groupLocation, n%2), [...]string{"Head Office", "Warehouse North"}[n%2]
}
