// Package words holds the raw material of records: names of all scripts, accounts, places, taxes
// and currencies.
//
// It computes no record and draws nothing. Start reading with Vocabulary.
package words

import (
	"strconv"
)

// Parts of a unit: amounts are in cents, rates in millionths.
const (
	Cents      = 100
	Millionths = 1_000_000
)

// Vocabulary holds the words of records. It is immutable.
type Vocabulary struct {
	vendors, customers []string
	cities             []Place

	Nouns, Traits, Titles, Remarks []string
	Accounts                       []Account
}

// Account is an account of the chart: its name, account_type, and the group that filter_by knows.
type Account struct{ Name, Kind, Group string }

// New returns the vocabulary.
func New() Vocabulary {
	return Vocabulary{
		vendors: []string{
			"Bowman & Söhne", "Ōsaka Tooling KK", "Sharma Traders", "Łódź Steelworks", "O'Neill Logistics",
			"北京工具有限公司", //nolint:gosmopolitan // names of all scripts occur upstream.
			"Müller GmbH", "Garcia Hermanos", "Patel \"Bharat\" Supplies", "Nordic Fasteners AB", "Al-Noor Paper, LLC",
		},
		customers: []string{
			"Café Zürich", "Harbour Hotels", "Ravi Constructions", "Ångström Labs", "Smith, Jones & Co", "Zoë's Garage",
			"Компания Волга", "Green Fields School", "São Paulo Imports",
		},
		Nouns: []string{
			"Bracket", "Hinge", "Bolt M8", "Washer", "Cable 2,5 mm²", "Drill bit", "Bearing 6204", "Gasket", "Valve ¾\"", "Hose",
		},
		Traits: []string{"Steel", "Brass", "Nylon", "Galvanised", "Heavy", "Slim", "Long", "Compact"},
		cities: []Place{
			{City: "Pune", State: "Maharashtra", Zip: "411001", Code: "MH"}, {City: "Chennai", State: "Tamil Nadu", Zip: "600001", Code: "TN"},
			{City: "Bengaluru", State: "Karnataka", Zip: "560001", Code: "KA"}, {City: "Jaipur", State: "Rājasthān", Zip: "302001", Code: "RJ"},
		},
		Titles: []string{"Launch, \"phase 2\"", "standup", "Accounts & audit", "Büro Zürich",
			"first line\nsecond line", "🎉 party", "standup", "", "a;b;c"},
		Remarks: []string{"", "Deliver to gate 2", "As agreed by phone", "Line one\nline two", "Discount \"as discussed\"", "ठीक है", " "},
		Accounts: []Account{
			{"Current Account", "bank", Assets}, {"Sales", "income", Income}, {"Cost of Goods Sold", "cost_of_goods_sold", Expenses},
			{"Petty Cash", "cash", Assets}, {"Inventory Asset", "other_current_asset", Assets}, {"Accounts Payable", "accounts_payable", Liabilities},
			{"Operating Expenses", "expense", Expenses}, {"Accounts Receivable", "accounts_receivable", Assets},
			{"Owner's Equity", "equity", Equity}, {"Other Income", "other_income", Income},
			{"Machinery", "fixed_asset", Assets}, {"Term Loan", "long_term_liability", Liabilities}, {"Office Supplies", "expense", Expenses},
			{"Retained Earnings", "equity", Equity}, {"Corporate Card", "credit_card", Liabilities}, {"Telephone & Internet", "expense", Expenses},
		},
	}
}

// The groups of GET /chartofaccounts' filter_by.
const (
	Assets      = "Asset"
	Liabilities = "Liability"
	Equity      = "Equity"
	Income      = "Income"
	Expenses    = "Expense"
)

// VendorName returns the name of vendor n; a numbered branch makes it unique.
func (v *Vocabulary) VendorName(n int) string { return branch(v.vendors, n) }

// CustomerName returns the name of customer n; a numbered branch makes it unique.
func (v *Vocabulary) CustomerName(n int) string { return branch(v.customers, n) }

func branch(names []string, n int) string {
	if n < len(names) {
		return names[n]
	}
	return names[n%len(names)] + " " + strconv.Itoa(n/len(names)+1)
}

// Place is an address; Code is that of the state.
type Place struct{ Street, City, State, Zip, Code string }

// Place returns an address; the same number gives the same one.
func (v *Vocabulary) Place(n int) Place {
	place := v.cities[n%len(v.cities)]
	place.Street = strconv.Itoa(n%houses+1) + " Mill Lane"
	return place
}

const houses = 90

// State returns the code of the state of Place(n).
func (v *Vocabulary) State(n int) string { return v.cities[n%len(v.cities)].Code }
