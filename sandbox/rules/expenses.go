package rules

import (
	"slices"
	"strings"
)

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
		supply("source_of_supply destination_of_supply place_of_supply"),
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
