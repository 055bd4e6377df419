package further

import "sluice/schema"

// accounting are further lists of the accounting service. Source: docs/upstream.md U330 and U331.
func accounting() []schema.Resource {
	return []schema.Resource{
		contacts("contacts", newestFirst()), invoices(), customerPayments(), journals(), purchaseOrders(), salesOrders(), vendorCredits(),
		estimates(), bankAccounts(), bankTransactions(), vendorCreditRefunds(), creditNoteRefunds(), recurringBills(), projects(), timeEntries(), users(),
	}
}

// contacts are customers and vendors: the list that bills and payments name by vendor_id.
func contacts(name string, cursor schema.Cursor) schema.Resource {
	return list(schema.Resource{
		Name: name, Doc: "A customer or a vendor.", Path: "/contacts", Key: "contacts", ID: "contact_id", Scope: "contacts", Cursor: cursor,
		Params: map[string]string{"filter_by": "Status.All"},
		Single: single("/contacts", "contact"),
		Columns: columns(key("contact_id", "contact"), []schema.Column{
			schema.Text("contact_name", "Name that the organization shows.").Is(schema.Company),
			schema.Text("company_name", "Name of the business.").Is(schema.Company),
			schema.Text("contact_type", "customer or vendor.").Is(schema.Plain),
			schema.Text("status", "active or inactive.").Is(schema.Plain),
			schema.Text("first_name", "First name of its primary person.").Is(schema.Person),
			schema.Text("last_name", "Last name of its primary person.").Is(schema.Person),
			schema.Text("email", "Address of its primary person.").Is(schema.Contact),
			schema.ID("phone", "Telephone number of its primary person.").Is(schema.Contact),
			schema.ID("mobile", "Mobile number of its primary person.").Is(schema.Contact),
			schema.ID("gst_no", "Indian GST number.").Is(schema.TaxNumber),
			schema.ID("currency_id", "Identifier of its currency."),
			schema.ID("currency_code", "ISO code of its currency."),
			schema.Int("payment_terms", "Days that it is granted, or grants."),
			schema.Decimal("outstanding_receivable_amount", "What it owes the organization, in its currency."),
			schema.Decimal("outstanding_payable_amount", "What the organization owes it, in its currency."),
			schema.Decimal("unused_credits_receivable_amount", "Its credits that are not used, in its currency."),
			schema.Decimal("unused_credits_payable_amount", "Credits with it that are not used, in its currency."),
		}, times()),
	})
}

func invoices() schema.Resource {
	return list(schema.Resource{
		Name: "invoices", Doc: "What the organization charged a customer.", Path: "/invoices", Key: "invoices", ID: "invoice_id", Scope: "invoices",
		Cursor: since(), Single: single("/invoices", "invoice"), Details: withLines(), Children: lines("invoice"), Dated: document("invoice_number", "customer_id"),
		Columns: columns(key("invoice_id", "invoice"), numbered("invoice_number", "invoice"), []schema.Column{dueDate()}, party("customer"),
			currency(), totals(balance("invoice")), times()),
	})
}

// customerPayments has no filter and no sort: recorded answers have the key customerpayments, the
// specification spells it with an underscore.
func customerPayments() schema.Resource {
	return list(schema.Resource{
		Name: "customer_payments", Doc: "A payment that a customer made.", Path: "/customerpayments", Key: "customerpayments", ID: "payment_id",
		Scope: "customerpayments", Cursor: whole(), Single: single("/customerpayments", "payment"), Details: &schema.Details{Marker: "invoices"},
		Dated: &schema.Dated{
			On: "date", Figures: []string{"amount"}, Currency: "currency_code", Rate: "exchange_rate", With: []string{"payment_number", "customer_id", "account_id"},
		},
		Columns: columns(key("payment_id", "payment"), []schema.Column{
			schema.ID("payment_number", "Number of the payment as the organization shows it."),
			schema.ID("reference_number", "Number that the customer gave it."),
			schema.Date("date", "Day of the payment."),
			schema.Text("payment_mode", "How it was paid.").Is(schema.Plain),
			schema.Decimal("amount", "Amount, in the currency of the payment."),
			schema.Decimal("unused_amount", "Part that no invoice has used, in the currency of the payment."),
			schema.ID("account_id", "Identifier of the account that the money went to."),
		}, party("customer"), currency(), times()),
		Children: []schema.Child{{
			Name: "invoices", Doc: "An invoice that a payment settles, in whole or in part.",
			Columns: []schema.Column{
				schema.ID("invoice_payment_id", "Identifier of the settlement: this payment on this invoice."),
				schema.ID("invoice_id", "Identifier of the invoice."),
				schema.ID("invoice_number", "Number of the invoice."),
				schema.Date("date", "Day of the invoice."),
				schema.Decimal("amount_applied", "Part of the payment that settles the invoice, in its currency."),
			},
		}},
	})
}

// journals are read by their sort: the filter was once seen to mean "at", not "at or after".
func journals() schema.Resource {
	return list(schema.Resource{
		Name: "journals", Doc: "A manual entry of the books.", Path: "/journals", Key: "journals", ID: "journal_id", Scope: "accountants",
		Cursor: newestFirst(), Single: single("/journals", "journal"), Details: withLines(),
		Dated: &schema.Dated{
			On: "journal_date", Figures: []string{"total"}, Currency: "currency_code", Rate: "exchange_rate", State: "status", Out: []string{"draft"},
			With: []string{"entry_number"}, Lines: "line_items", LineColumns: []string{"line_id", "account_id", "debit_or_credit", "amount", "bcy_amount"},
		},
		Columns: columns(key("journal_id", "journal"), []schema.Column{
			schema.Date("journal_date", "Day of the entry."),
			schema.ID("entry_number", "Number of the entry as the organization shows it."),
			schema.ID("reference_number", "Number that it is filed under."),
			schema.Text("status", "draft or published.").Is(schema.Plain),
			schema.Text("notes", "Free note on the entry.").Is(schema.FreeText),
			schema.Decimal("total", "Sum of its debits, in its currency."),
			schema.Decimal("bcy_total", "The same in the base currency."),
		}, currency(), times()),
		Children: []schema.Child{{
			Name: "line_items", Doc: "One line of a journal: an account that is debited or credited.",
			Columns: []schema.Column{
				schema.ID("line_id", "Identifier of the line."),
				schema.ID("account_id", "Identifier of the account."),
				schema.Text("account_name", "Name of the account.").Is(schema.Plain),
				schema.Text("debit_or_credit", "debit or credit.").Is(schema.Plain),
				schema.Decimal("amount", "Amount, in the currency of the journal."),
				schema.Decimal("bcy_amount", "The same in the base currency."),
				schema.Text("description", "Text of the line.").Is(schema.FreeText),
				schema.ID("customer_id", "Identifier of the contact that the line concerns."),
				schema.ID("project_id", "Identifier of the project that the line concerns."),
			},
		}},
	})
}

func purchaseOrders() schema.Resource {
	return list(schema.Resource{
		Name: "purchase_orders", Doc: "An order to a vendor.", Path: "/purchaseorders", Key: "purchaseorders", ID: "purchaseorder_id",
		Scope: "purchaseorders", Cursor: since(), Single: single("/purchaseorders", "purchaseorder"), Details: withLines(), Children: lines("purchase order"),
		Columns: columns(key("purchaseorder_id", "order"), numbered("purchaseorder_number", "order"), party("vendor"), currency(), totals(), times()),
	})
}

func salesOrders() schema.Resource {
	return list(schema.Resource{
		Name: "sales_orders", Doc: "An order of a customer.", Path: "/salesorders", Key: "salesorders", ID: "salesorder_id",
		Scope: "salesorders", Cursor: newestFirst(), Single: single("/salesorders", "salesorder"), Details: withLines(), Children: lines("sales order"),
		Columns: columns(key("salesorder_id", "order"), numbered("salesorder_number", "order"), party("customer"), currency(), totals(), times()),
	})
}

// vendorCredits have the scope of debit notes, as the suite calls them elsewhere.
func vendorCredits() schema.Resource {
	return list(schema.Resource{
		Name: "vendor_credits", Doc: "A credit that a vendor granted.", Path: "/vendorcredits", Key: "vendorcredits", ID: "vendor_credit_id",
		Scope: "debitnotes", Cursor: newestFirst(), Single: single("/vendorcredits", "vendor_credit"), Details: withLines(), Children: lines("vendor credit"),
		Dated: document("vendor_credit_number", "vendor_id"),
		Columns: columns(key("vendor_credit_id", "credit"), numbered("vendor_credit_number", "credit"), party("vendor"), currency(),
			totals(balance("credit")), times()),
	})
}

func estimates() schema.Resource {
	return list(schema.Resource{
		Name: "estimates", Doc: "An offer to a customer.", Path: "/estimates", Key: "estimates", ID: "estimate_id", Scope: "estimates",
		Cursor: whole(), Single: single("/estimates", "estimate"), Details: withLines(), Children: lines("estimate"),
		Columns: columns(key("estimate_id", "estimate"), numbered("estimate_number", "estimate"), party("customer"), currency(), totals(), times()),
	})
}

func bankAccounts() schema.Resource {
	return list(schema.Resource{
		Name: "bank_accounts", Doc: "An account with a bank or a card.", Path: "/bankaccounts", Key: "bankaccounts", ID: "account_id", Scope: "banking",
		Cursor: schema.FullScan{},
		Columns: columns(key("account_id", "account"), []schema.Column{
			schema.Text("account_name", "Name of the account.").Is(schema.Plain),
			schema.ID("account_code", "Code of the account in the chart."),
			schema.Text("account_type", "bank, credit_card and the like.").Is(schema.Plain),
			schema.ID("account_number", "Number of the account with the bank.").Is(schema.Bank),
			schema.Text("bank_name", "Name of the bank.").Is(schema.Plain),
			schema.ID("currency_id", "Identifier of its currency."),
			schema.ID("currency_code", "ISO code of its currency."),
			schema.Decimal("balance", "Balance by the books, in its currency."),
			schema.Decimal("bank_balance", "Balance by the bank's feed, in its currency."),
			schema.Bool("is_active", "Whether it is in use."),
		}),
	})
}

func bankTransactions() schema.Resource {
	return list(schema.Resource{
		Name: "bank_transactions", Doc: "A movement on a bank account.", Path: "/banktransactions", Key: "banktransactions", ID: "transaction_id",
		Scope: "banking", Cursor: schema.FullScan{}, Single: single("/banktransactions", "banktransaction"),
		Dated: &schema.Dated{On: "date", Figures: []string{"amount"}, Currency: "currency_code", With: []string{"account_id", "debit_or_credit"}},
		Columns: columns(key("transaction_id", "movement"), []schema.Column{
			schema.Date("date", "Day of the movement."),
			schema.Text("transaction_type", "What it is, such as deposit or expense.").Is(schema.Plain),
			schema.Text("status", "Where it stands, such as categorized.").Is(schema.Plain),
			schema.Text("debit_or_credit", "debit or credit.").Is(schema.Plain),
			schema.Decimal("amount", "Amount, in the currency of the account."),
			schema.ID("account_id", "Identifier of the bank account."),
			schema.ID("currency_code", "ISO code of the currency of the account."),
			schema.ID("reference_number", "Number that the bank or the payer gave it."),
			schema.Text("payee", "Who paid or was paid.").Is(schema.Person),
			schema.Text("description", "Text of the movement.").Is(schema.FreeText),
		}),
	})
}

// refund are the columns of money that was paid back.
func refund() []schema.Column {
	return []schema.Column{
		schema.Date("date", "Day of the refund."),
		schema.Text("refund_mode", "How it was paid back.").Is(schema.Plain),
		schema.ID("reference_number", "Number that it is filed under."),
		schema.Decimal("amount_bcy", "Amount in the base currency."),
		schema.Decimal("amount_fcy", "Amount in the currency of the credit."),
		schema.Text("description", "Free note on the refund.").Is(schema.FreeText),
	}
}

// refunded has the amount in the base currency only: the other one's currency is the credit's.
func refunded(credit string) *schema.Dated {
	return &schema.Dated{On: "date", Figures: []string{"amount_bcy"}, With: []string{credit, "amount_fcy"}}
}

func vendorCreditRefunds() schema.Resource {
	return list(schema.Resource{
		Name: "vendor_credit_refunds", Doc: "Money that a vendor paid back.", Path: "/vendorcredits/refunds", Key: "vendor_credit_refunds",
		ID: "vendor_credit_refund_id", Scope: "debitnotes", Cursor: schema.FullScan{}, Dated: refunded("vendor_credit_id"),
		Columns: columns(key("vendor_credit_refund_id", "refund"), []schema.Column{schema.ID("vendor_credit_id", "Identifier of the credit.")}, refund()),
	})
}

func creditNoteRefunds() schema.Resource {
	return list(schema.Resource{
		Name: "credit_note_refunds", Doc: "Money that was paid back to a customer.", Path: "/creditnotes/refunds", Key: "creditnote_refunds",
		ID: "creditnote_refund_id", Scope: "creditnotes", Cursor: schema.FullScan{}, Dated: refunded("creditnote_id"),
		Columns: columns(key("creditnote_refund_id", "refund"), []schema.Column{schema.ID("creditnote_id", "Identifier of the credit note.")}, refund()),
	})
}

func recurringBills() schema.Resource {
	return list(schema.Resource{
		Name: "recurring_bills", Doc: "A schedule that makes bills.", Path: "/recurringbills", Key: "recurringbills", ID: "recurring_bill_id",
		Scope: "bills", Cursor: since(),
		Columns: columns(key("recurring_bill_id", "schedule"), []schema.Column{
			schema.Text("recurrence_name", "Name of the schedule.").Is(schema.Plain),
			schema.Text("status", "Where the schedule stands.").Is(schema.Plain),
			schema.Date("start_date", "Day of the first bill."),
			schema.Date("end_date", "Day of the last bill."),
			schema.Decimal("total", "Sum of each bill with tax, in its currency."),
		}, party("vendor"), times()),
	})
}

func projects() schema.Resource {
	return list(schema.Resource{
		Name: "projects", Doc: "A project that time and expenses are booked on.", Path: "/projects", Key: "projects", ID: "project_id", Scope: "projects",
		Cursor: schema.FullScan{Created: "created_time"},
		Columns: columns(key("project_id", "project"), []schema.Column{
			schema.Text("project_name", "Name of the project.").Is(schema.Plain),
			schema.Text("status", "Where the project stands.").Is(schema.Plain),
			schema.Text("billing_type", "How it is charged.").Is(schema.Plain),
			schema.Decimal("rate", "Rate that it is charged at."),
			schema.Time("created_time", "When the project was entered."),
		}, party("customer")),
	})
}

func timeEntries() schema.Resource {
	return list(schema.Resource{
		Name: "time_entries", Doc: "Time that a user spent on a task of a project.", Path: "/projects/timeentries", Key: "time_entries", ID: "time_entry_id",
		Scope: "projects", Cursor: schema.FullScan{Created: "created_time"},
		Columns: columns(key("time_entry_id", "entry"), []schema.Column{
			schema.ID("project_id", "Identifier of the project."),
			schema.ID("task_id", "Identifier of the task."),
			schema.ID("user_id", "Identifier of the user."),
			schema.Text("user_name", "Name of the user.").Is(schema.Person),
			schema.Date("log_date", "Day of the work."),
			schema.Text("log_time", "Time spent, in hours and minutes.").Is(schema.Plain),
			schema.Text("billed_status", "Whether it was charged.").Is(schema.Plain),
			schema.Time("created_time", "When the entry was made."),
		}),
	})
}

func users() schema.Resource {
	return list(schema.Resource{
		Name: "users", Doc: "A user of the organization.", Path: "/users", Key: "users", ID: "user_id", Scope: "settings", Cursor: schema.FullScan{},
		Columns: columns(key("user_id", "user"), []schema.Column{
			schema.Text("name", "Name of the user.").Is(schema.Person),
			schema.Text("email", "Address of the user.").Is(schema.Contact),
			schema.Text("user_role", "Role of the user.").Is(schema.Plain),
			schema.Text("status", "Where the account of the user stands.").Is(schema.Plain),
		}),
	})
}
