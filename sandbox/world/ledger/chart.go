package ledger

// Account is an account of the chart. The first ones are those of package words, since records
// refer to them by number.
type Account struct {
	Name, Kind string
	Debit      bool // assets and expenses, which grow on the debit side
	Foreign    bool // in the currency of the second bank account
}

// Accounts by number.
const (
	Bank             = 0
	Sales            = 1
	CostOfGoods      = 2
	Stock            = 4
	Payable          = 5
	Receivable       = 7
	Loan             = 11
	Equity           = 16
	SecondBank       = 17
	InputTax         = 18
	OutputTax        = 19
	ReversePayable   = 20
	ExchangeResult   = 21
	ReverseInput     = 31
	SecondDeposit    = 32
	operatingExpense = 6
)

// expenseAccounts returns the accounts of services and expenses: twelve.
func expenseAccounts() []int {
	return []int{operatingExpense, 12, 15, 22, 23, 24, 25, 26, 27, 28, 29, 30}
}

func accounts() []Account {
	asset := func(name, kind string) Account { return Account{Name: name, Kind: kind, Debit: true} }
	owed := func(name, kind string) Account { return Account{Name: name, Kind: kind} }
	cost := func(name string) Account { return asset(name, "expense") }
	return []Account{
		asset("Current Account", "bank"), owed("Sales", "income"), asset("Cost of Goods Sold", "cost_of_goods_sold"),
		asset("Petty Cash", "cash"), asset("Inventory Asset", "other_current_asset"), owed("Accounts Payable", "accounts_payable"),
		cost("Operating Expenses"), asset("Accounts Receivable", "accounts_receivable"),
		owed("Owner's Equity", "equity"), owed("Other Income", "other_income"),
		asset("Machinery", "fixed_asset"), owed("Term Loan", "long_term_liability"), cost("Office Supplies"),
		owed("Retained Earnings", "equity"), owed("Corporate Card", "credit_card"), cost("Telephone & Internet"),
		owed("Opening Balance Equity", "equity"), {Name: "Foreign Currency Account", Kind: "bank", Debit: true, Foreign: true},
		asset("Input Tax", "other_current_asset"), owed("Output Tax", "other_current_liability"),
		owed("Reverse Charge Payable", "other_current_liability"), asset("Exchange Gain or Loss", "other_expense"),
		cost("Rent"), cost("Freight"), cost("Professional Fees"), cost("Advertising"), cost("Repairs and Maintenance"),
		cost("Insurance"), cost("Travel"), cost("Software"), cost("Electricity"),
		asset("Reverse Charge Input Tax", "other_current_asset"),
		{Name: "Foreign Currency Deposit", Kind: "bank", Debit: true, Foreign: true},
	}
}

// CurrencyOf returns the currency of an account.
func (l *Ledger) CurrencyOf(account int) int {
	if l.Accounts[account].Foreign {
		return l.Second()
	}
	return 0
}
