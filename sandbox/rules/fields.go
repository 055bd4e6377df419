package rules

import (
	"slices"
	"strings"
)

// of returns fields of one type, by their names.
func of(kind Type, names string) []Field {
	words := strings.Fields(names)
	fields := make([]Field, len(words))
	for n, name := range words {
		fields[n] = Field{Name: name, Type: kind}
	}
	return fields
}

// list returns a field that holds objects.
func list(name string, fields ...[]Field) []Field {
	return []Field{{Name: name, Type: List, Fields: slices.Concat(fields...)}}
}

// chosen returns a field with a set of allowed values.
func chosen(name, values string) []Field {
	return []Field{{Name: name, Values: strings.Fields(values)}}
}

// upTo returns texts with a greatest length.
func upTo(most int, names string) []Field {
	fields := of(Text, names)
	for n := range fields {
		fields[n].Most = most
	}
	return fields
}

// more returns a field with the values that editions of some countries have beside the others.
func more(name, values, others string) []Field {
	return []Field{{Name: name, Values: strings.Fields(values), More: strings.Fields(others)}}
}

func images() []string { return strings.Fields("gif png jpeg jpg bmp") }

// gstTreatment is in docs/upstream.md U187 (expense), U222 (bill) and U227 (credit note).
func gstTreatment() []Field {
	return chosen("gst_treatment", "business_gst business_none overseas consumer")
}

// taxTreatment is in docs/upstream.md U187 (expense) and U227 (credit note); the values of Mexico are
// those of the parameter without a name in U222. The others are of the UAE, Kenya and South Africa.
func taxTreatment() []Field {
	return more("tax_treatment", "vat_registered vat_not_registered gcc_vat_registered gcc_vat_not_registered non_gcc",
		"dz_vat_registered dz_vat_not_registered non_kenya overseas home_country_mexico border_region_mexico non_mexico")
}

// vatTreatment is in docs/upstream.md U187 (expense) and in the UK VAT rule, U228.
func vatTreatment() []Field {
	return chosen("vat_treatment", "uk eu_vat_registered overseas eu_vat_not_registered non_eu")
}

// productType is in docs/upstream.md U187 (expense), with the values of the UK and South Africa.
func productType() []Field {
	return more("product_type", "goods service", "digital_service capital_service capital_goods")
}

// itemFields returns the fields that items and composite items share (docs/upstream.md U209 and
// U219).
func itemFields() []Field {
	return slices.Concat(
		of(Text, "name unit description sku upc ean isbn part_number purchase_description hsn_or_sac"),
		of(ID, "tax_id purchase_account_id account_id inventory_account_id vendor_id"),
		of(Number, "rate purchase_rate reorder_level initial_stock initial_stock_rate"),
		chosen("product_type", "goods service"),
		list("item_tax_preferences", of(ID, "tax_id"), chosen("tax_specification", "intra inter")),
	)
}
