package words

import (
	"fmt"

	"sluice/sandbox/world/ids"
)

// Tax is the tax of a line.
type Tax struct {
	ID, Name string
	Percent  int64
}

// TaxOf returns one of the three taxes of lines; one has zero percent.
func TaxOf(n int) Tax { return taxesOfLines[n%LineTaxes] }

// PercentOf returns the percentage of TaxOf(n).
func PercentOf(n int) int64 { return taxesOfLines[n%LineTaxes].Percent }

// LineTaxes is the number of taxes of lines.
const LineTaxes = 3

// taxesOfLines is computed once: every line of every record uses one.
var taxesOfLines = [LineTaxes]Tax{taxAt(0), taxAt(1), taxAt(2)}

// TaxAt returns tax n of the list of taxes. The first three are those of lines.
func TaxAt(n int) Tax {
	if n < LineTaxes {
		return taxesOfLines[n]
	}
	return taxAt(n)
}

func taxAt(n int) Tax {
	tax := Tax{ID: ids.Of(ids.Taxes, n)}
	if n < LineTaxes {
		tax.Percent = [...]int64{18, 5, 0}[n]
		tax.Name = fmt.Sprintf("GST%d", tax.Percent)
		return tax
	}
	tax.Percent = [...]int64{28, 12, 3, 1}[n%4]
	tax.Name = fmt.Sprintf("%s%d-%d", [...]string{"IGST", "CGST", "SGST", "Cess"}[n%4], tax.Percent, n)
	return tax
}

// Currency is the organization's own currency, or a foreign one.
type Currency struct {
	ID, Code, Name, Symbol, Format string
	Rate                           int64 // millionths of the organization's own for one
	Precision                      int   // decimals of prices
}

// CurrencyOf returns the foreign currency of bills, or the organization's own.
func CurrencyOf(foreign bool) Currency {
	if foreign {
		return CurrencyAt(1)
	}
	return CurrencyAt(0)
}

// CurrencyAt returns currency n of the list of currencies; 0 is the organization's own.
func CurrencyAt(n int) Currency {
	if n < len(currencies) {
		return currencies[n]
	}
	code := fmt.Sprintf("X%02d", n)
	return Currency{
		ID: ids.Of(ids.Currencies, n), Code: code, Name: "Currency " + code, Symbol: code, Format: "1,234,567.89",
		Rate: int64(n) * Millionths, Precision: 2,
	}
}

// currencies is computed once: every record uses one.
var currencies = known()

func known() []Currency {
	currencies := []Currency{
		{Code: "INR", Name: "Indian Rupee", Symbol: "₹", Rate: Millionths, Format: "1,234,567.89", Precision: 2},
		{Code: "USD", Name: "US Dollar", Symbol: "$", Rate: 83_250_000, Format: "1,234,567.89", Precision: 2},
		{Code: "EUR", Name: "Euro", Symbol: "€", Rate: 90_410_500, Format: "1.234.567,89", Precision: 2},
		{Code: "GBP", Name: "Pound Sterling", Symbol: "£", Rate: 105_870_000, Format: "1,234,567.89", Precision: 2},
		{Code: "AED", Name: "UAE Dirham", Symbol: "د.إ", Rate: 22_668_125, Format: "1,234,567.89", Precision: 2},
		{Code: "JPY", Name: "Japanese Yen", Symbol: "¥", Rate: 561_234, Format: "1,234,567", Precision: 0},
	}
	for n := range currencies {
		currencies[n].ID = ids.Of(ids.Currencies, n)
	}
	return currencies
}

// Foreign is the number of foreign currencies of every organization.
const Foreign = 5
