package draft

import (
	"fmt"
	"math/big"
	"strings"

	"sluice/sandbox/rules"
	"sluice/sandbox/world"
	"sluice/sandbox/world/overlay"
)

// reference returns the kind that a field refers to; false if it refers to nothing that the sandbox
// holds.
func reference(name string) (world.Kind, bool) {
	switch name {
	case "account_id", "paid_through_account_id", "parent_account_id", "purchase_account_id", "inventory_account_id",
		"tds_payable_account_id", "purchase_tax_expense_account_id":
		return world.Accounts, true
	case "bill_id":
		return world.Bills, true
	case "item_id":
		return world.Items, true
	case "tax_id", "reverse_charge_tax_id", "tds_tax_id":
		return world.Taxes, true
	case "currency_id":
		return world.Currencies, true
	case "location_id", "parent_location_id":
		return world.Locations, true
	default:
		return 0, false
	}
}

// contact reports whether a field refers to a vendor or customer.
func contact(name string) bool {
	return name == "vendor_id" || name == "customer_id" || name == "contact_id"
}

// References returns each identifier in a body that leads to no record: references must stay whole.
func References(w *world.World, fields []rules.Field, body rules.Body) []rules.Problem {
	return references(w, "", fields, body)
}

func references(w *world.World, under string, fields []rules.Field, body rules.Body) []rules.Problem {
	var problems []rules.Problem
	for _, f := range fields {
		if f.Type == rules.List && f.Fields != nil {
			for n, element := range body.List(f.Name) {
				problems = append(problems, references(w, fmt.Sprintf("%s%s[%d].", under, f.Name, n), f.Fields, element)...)
			}
			continue
		}
		id := body.Text(f.Name)
		if id == "" {
			continue
		}
		found := true
		if kind, refers := reference(f.Name); refers {
			_, found = w.Index(kind, id)
		} else if contact(f.Name) {
			_, found = w.Contact(id)
		}
		if !found {
			problems = append(problems, rules.Problem{Field: under + f.Name, Text: "there is no " + strings.TrimSuffix(f.Name, "_id") + " " + id})
		}
	}
	return problems
}

// look returns a record by its identifier, or an empty one.
func (d *Draft) look(kind world.Kind, id string) *overlay.Object {
	if i, found := d.World.Index(kind, id); found {
		return d.World.Record(kind, i)
	}
	return overlay.NewObject()
}

// copyName copies a name from the record of an identifier to the key beside it.
func (d *Draft) copyName(o *overlay.Object, idKey, nameKey, from string) {
	if kind, refers := reference(idKey); refers && o.Has(idKey) && o.Has(nameKey) {
		o.SetText(nameKey, d.look(kind, o.Text(idKey)).Text(from))
	}
}

// names copies all names that records commonly show beside identifiers.
func (d *Draft) names(o *overlay.Object) {
	for _, prefix := range []string{"", "paid_through_", "purchase_", "inventory_"} {
		d.copyName(o, prefix+"account_id", prefix+"account_name", "account_name")
	}
	d.copyName(o, "location_id", "location_name", "location_name")
	d.copyName(o, "tax_id", "tax_name", "tax_name")
	d.copyName(o, "currency_id", "currency_code", "currency_code")
	d.copyName(o, "currency_id", "currency_symbol", "currency_symbol")
	for _, who := range []string{"vendor", "customer"} {
		if name, found := d.World.Contact(o.Text(who + "_id")); found && o.Has(who+"_name") {
			o.SetText(who+"_name", name)
		}
	}
}

// preset writes a text where the body has none.
func (d *Draft) preset(name, value string) {
	if d.Record.Text(name) == "" {
		d.Record.SetText(name, value)
	}
}

// id writes the identifier of a new record.
func (d *Draft) id(name string) {
	d.Record.SetText(name, d.World.ID(d.Kind, d.Index))
}

// money presets the currency to the organization's own, and the rate to one.
func (d *Draft) money() {
	d.preset("currency_id", d.World.ID(world.Currencies, 0))
	if d.Record.Number(rateName).Sign() == 0 {
		d.Record.SetRate(rateName, big.NewRat(1, 1))
	}
}

// percent returns the rate of a tax; 0 if there is none.
func (d *Draft) percent(tax string) *big.Rat {
	return d.look(world.Taxes, tax).Number("tax_percentage")
}

// levied returns the tax on an amount, or the tax included in it.
func levied(amount, percent *big.Rat, inclusive bool) *big.Rat {
	whole := big.NewRat(percentAll, 1)
	if inclusive {
		whole.Add(whole, percent)
	}
	tax := new(big.Rat).Mul(amount, percent)
	return cents(tax.Quo(tax, whole))
}

const percentAll = 100

// cents rounds to two decimals.
func cents(amount *big.Rat) *big.Rat {
	rounded, ok := new(big.Rat).SetString(amount.FloatString(2)) // decimals of money.
	if !ok {
		return amount
	}
	return rounded
}

// times multiplies.
func times(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }

// sum adds the numbers under a name.
func sum(elements []*overlay.Object, name string) *big.Rat {
	total := new(big.Rat)
	for _, element := range elements {
		total.Add(total, element.Number(name))
	}
	return total
}
