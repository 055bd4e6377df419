package rules

import (
	"math/big"
	"net/http"
	"slices"
	"strings"
)

const (
	post   = http.MethodPost
	put    = http.MethodPut
	remove = http.MethodDelete

	books   = "/books/v3"
	invoice = "/invoice/v3"
	billing = "/billing/v1"

	one    = "/{id}"
	module = books + "/{parent}"
)

// contactPersons returns the three variants. Lengths apply to the invoicing variant; accounting
// requires nothing.
func contactPersons() []Rule {
	const (
		people  = "/contacts/contactpersons"
		shared  = "docs/upstream.md U156, 'Contact person, accounting and invoicing'"
		clients = billing + "/customers/{parent}/contactpersons"
		clerks  = "docs/upstream.md U201, 'Contact person, subscription billing'"
	)
	plain := slices.Concat(of(ID, "contact_id"), of(Flag, "is_primary_contact enable_portal"),
		of(Text, "salutation first_name last_name email phone mobile skype designation department"))
	bounded := slices.Concat(of(ID, "contact_id"), of(Flag, "enable_portal"), upTo(25, "salutation"),
		upTo(100, "first_name last_name email"), upTo(50, "phone mobile skype designation department"))
	names := of(Text, "first_name last_name email mobile phone fax")
	return []Rule{
		{Method: post, Path: books + people, Passage: shared + ": no argument is marked required", Fields: plain},
		{Method: put, Path: books + people + one, Passage: shared + ", is_primary_contact 'accepted on accounting update'", Fields: plain},
		{Method: remove, Path: books + people + one, Passage: shared},
		{
			Method: post, Path: invoice + people, Passage: shared + ", 'required on create and update in invoicing'", Fields: bounded,
			Required: []string{"first_name"},
		},
		{
			Method: put, Path: invoice + people + one, Passage: shared + ", 'Invoicing update additionally requires contact_id'",
			Fields: bounded, Required: []string{"contact_id", "first_name"},
		},
		{Method: remove, Path: invoice + people + one, Passage: shared},
		{Method: post, Path: clients, Passage: clerks + ", email 'required on create and update'", Fields: names, Required: []string{"email"}},
		{
			Method: put, Path: clients + one, Passage: clerks + ", times 'also listed as update arguments'",
			Fields: slices.Concat(names, of(Instant, "created_time updated_time")), Required: []string{"email"},
		},
	}
}

func modules() []Rule {
	const passage = "docs/upstream.md U159, 'Custom module record (accounting)'"
	name, prefix := of(Text, "record_name"), "cf_"
	return []Rule{
		{Method: post, Path: module, Passage: passage + " and POST /<module_name>: 'cf_ fields, record_name'", Fields: name, Prefix: prefix},
		{
			Method: put, Path: module, Passage: passage + " and PUT /<module_name>: 'module_record_id as comma-separated string of ids'",
			Fields: append(of(IDs, "module_record_id"), name...), Prefix: prefix, Required: []string{"module_record_id"},
		},
		{Method: put, Path: module + one, Passage: passage + " and PUT /<module_name>/<module_record_id>: 'fields to set'", Fields: name, Prefix: prefix},
		{Method: remove, Path: module, Passage: passage + " and DELETE /<module_api_name> 'with cm_ prefix'", Query: of(IDs, "module_record_id")},
	}
}

func openingBalances() []Rule {
	const (
		path    = books + "/settings/openingbalances"
		passage = "docs/upstream.md U163, 'Opening balance (accounting; one per organization)'"
	)
	line := slices.Concat(of(ID, "acount_split_id account_id currency_id location_id"),
		chosen("debit_or_credit", "debit credit"), of(Number, "exchange_rate amount"))
	fields := append(of(Day, "date"), list("accounts", line)...)
	return []Rule{
		{Method: post, Path: path, Passage: passage + ", 'Create line inputs'", Fields: fields, Needed: []string{"date", "accounts"}, whole: balanced},
		{
			Method: put, Path: path, Passage: passage + ", 'Update body carries date, opening_balance_id and complete lines'",
			Fields: append(of(ID, "opening_balance_id"), fields...), Required: []string{"date", "opening_balance_id", "accounts"},
			whole: balanced,
		},
		{Method: remove, Path: path, Passage: passage},
	}
}

// balanced compares debits with credits in the organization's own currency, as bookkeeping demands;
// no document mentions it.
func balanced(body Body, _ bool) []Problem {
	sums := map[string]*big.Rat{"debit": new(big.Rat), "credit": new(big.Rat)}
	for _, line := range body.List("accounts") {
		side, known := sums[line.Text("debit_or_credit")]
		if !known || line.Text("account_id") == "" {
			return []Problem{{"accounts", "each line needs account_id and debit_or_credit"}}
		}
		side.Add(side, InBase(line.Amount("amount"), line))
	}
	if sums["debit"].Cmp(sums["credit"]) != 0 {
		return []Problem{{"accounts", "debits of " + sums["debit"].FloatString(2) + " do not equal credits of " + sums["credit"].FloatString(2)}}
	}
	return nil
}

// ledger returns the rules of accounts and base currency adjustments.
func ledger() []Rule {
	const (
		accounts    = books + "/chartofaccounts"
		adjustments = books + "/basecurrencyadjustment"
		account     = "docs/upstream.md U166, 'Account (chart of accounts, accounting)'"
		adjustment  = "docs/upstream.md U181, 'Base currency adjustment (accounting)'"
	)
	fields := slices.Concat(
		of(Text, "account_name account_code description"), chosen("account_type", strings.Join(AccountTypes(), " ")),
		of(ID, "currency_id parent_account_id"), of(Flag, "show_on_dashboard can_show_in_ze include_in_vat_return"),
		list("custom_fields", of(ID, "customfield_id"), of(Free, "value")))
	return []Rule{
		{
			Method: post, Path: accounts, Passage: account + ", 'account_type allowed values'", Fields: fields,
			Needed: []string{"account_name", "account_type"},
		},
		{Method: put, Path: accounts + one, Passage: account + ", 'same fields as create'", Fields: fields},
		{
			Method: post, Path: adjustments, Passage: adjustment + ", 'Create input'", Query: of(IDs, "account_ids"),
			Fields: slices.Concat(of(ID, "currency_id"), of(Day, "adjustment_date"), of(Number, "exchange_rate"), of(Text, "notes")),
			Needed: []string{"currency_id", "adjustment_date", "exchange_rate"},
		},
		{Method: remove, Path: adjustments + one, Passage: adjustment},
	}
}

// AccountTypes returns the values of account_type (docs/upstream.md U168).
func AccountTypes() []string {
	return strings.Fields(`accounts_payable accounts_receivable bank cash contingent_asset contingent_liability contract_asset
		contract_liability cost_of_goods_sold credit_card depreciation_expense employee_benefit_expense employee_benefit_liability
		equity expense finance_expense finance_income financial_asset financial_liability fixed_asset impairment_expense income
		intangible_asset lease_expense lease_liability loans_and_borrowing long_term_liability manufacturing_expense other_asset
		other_comprehensive_income other_current_asset other_current_liability other_expense other_income other_liability
		refund_liability right_to_use_asset tax_expense`)
}

func payments() []Rule {
	const (
		path    = books + "/vendorpayments"
		passage = "docs/upstream.md U172, 'Vendor payment (accounting)', 'Create/update input'"
	)
	fields := slices.Concat(
		of(ID, "vendor_id paid_through_account_id location_id"), of(Day, "date"), of(Number, "exchange_rate amount"),
		of(Text, "payment_mode description reference_number"), of(Flag, "is_paid_via_print_check"),
		list("bills", of(ID, "bill_payment_id bill_id"), of(Number, "amount_applied tax_amount_withheld")),
		list("check_details", of(Text, "amount_in_words check_number check_status memo"), of(ID, "check_id")),
		list("custom_fields", of(Whole, "index"), of(Free, "value")))
	return []Rule{
		{Method: post, Path: path, Passage: passage, Fields: fields, Needed: []string{"vendor_id"}},
		{Method: put, Path: path, Passage: passage + ", and 'Update by unique value'", Fields: fields, Needed: []string{"vendor_id"}, Unique: true},
	}
}

func currencies() []Rule {
	const (
		path    = invoice + "/settings/currencies"
		passage = "docs/upstream.md U198, 'Currency (invoicing)'"
	)
	fields := slices.Concat(upTo(100, "currency_code currency_format"), upTo(4, "currency_symbol"), of(Whole, "price_precision"))
	required := []string{"currency_code", "currency_symbol"}
	return []Rule{
		{Method: post, Path: path, Passage: passage + ", 'required on create and update'", Fields: fields, Required: required},
		{Method: put, Path: path + one, Passage: passage + ", 'same fields as create'", Fields: fields, Required: required},
	}
}

func expenses() []Rule {
	const (
		path    = books + "/expenses"
		passage = "docs/upstream.md U186, 'Expense (accounting)', 'Input fields on create' and 'Allowed values'"
	)
	fields := slices.Concat(
		of(ID, `account_id tax_id reverse_charge_tax_id location_id customer_id currency_id project_id acquisition_vat_id
			reverse_charge_vat_id employee_id paid_through_account_id vendor_id`),
		of(Day, "date"), of(Number, "amount exchange_rate start_reading end_reading distance mileage_rate"),
		of(Text, "hsn_or_sac gst_no reference_number description"), of(Flag, "is_inclusive_tax is_billable can_reclaim_vat_on_mileage"),
		of(Text, "source_of_supply destination_of_supply place_of_supply"),
		gstTreatment(), taxTreatment(), vatTreatment(), productType(),
		chosen("mileage_type", "odometer manual non_mileage"), chosen("mileage_unit", "km mile"),
		chosen("vehicle_type", "car van motorcycle bike"), chosen("fuel_type", "petrol lpg diesel"),
		chosen("engine_capacity_range", "less_than_1400cc between_1400cc_and_1600cc between_1600cc_and_2000cc more_than_2000cc"),
		list("line_items",
			of(ID, `line_item_id account_id tax_id acquisition_vat_id reverse_charge_vat_id reverse_charge_tax_id tax_exemption_id
				location_id`),
			of(Text, "description tax_exemption_code"), of(Number, "amount"), of(Whole, "item_order"), productType()),
		list("taxes", of(ID, "tax_id"), of(Number, "tax_amount")),
		list("custom_fields", of(Whole, "index"), of(ID, "customfield_id"), of(Text, "label"), of(Free, "value")))
	receipt := Upload{Part: "receipt", Extensions: append(images(), strings.Fields("pdf xls xlsx doc docx")...)}
	return []Rule{
		{Method: post, Path: path, Passage: passage + ", 'A receipt attachment accepts the extensions'", Fields: fields, Upload: receipt, whole: costs},
		{Method: put, Path: path, Passage: passage + ", and 'Update by unique value'", Fields: fields, Unique: true, Upload: receipt, whole: costs},
	}
}

// costs returns the problems of an expense's amount. A new one has to name an amount and an account
// (no document demands it), and a car's readings have to rise.
func costs(body Body, creating bool) []Problem {
	var problems []Problem
	driven := body.Text("mileage_type") == "manual" || body.Text("mileage_type") == "odometer"
	for _, name := range []string{"account_id", "amount"} {
		if creating && len(body.List("line_items")) == 0 && Absent(body[name]) && !driven {
			problems = append(problems, Problem{name, "is needed where there are no line_items"})
		}
	}
	if !Absent(body["start_reading"]) && !Absent(body["end_reading"]) && body.Amount("start_reading").Cmp(body.Amount("end_reading")) > 0 {
		problems = append(problems, Problem{"end_reading", "is less than start_reading"})
	}
	return problems
}
