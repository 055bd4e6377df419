package draft

import (
	"encoding/json"
	"maps"
	"math/big"
	"path"
	"slices"
	"strings"

	"sluice/sandbox/rules"
	"sluice/sandbox/world"
	"sluice/sandbox/world/overlay"
	"sluice/sandbox/world/words"
)

// lines completes the lines of a bill or credit note: names, rates of items, and totals. It returns
// the sum before tax, and the tax of each line.
func (d *Draft) lines(lines []*overlay.Object, totalKey string, inclusive bool) (*big.Rat, []*big.Rat) {
	sub := new(big.Rat)
	taxes := make([]*big.Rat, len(lines))
	sent := d.Body.List(lineItems)
	for n, line := range lines {
		if line.Text("line_item_id") == "" {
			line.SetText("line_item_id", d.World.Child(d.Kind, d.Index, n))
		}
		var itemID string
		if n < len(sent) {
			itemID = sent[n].Text("item_id")
		}
		d.fromItem(line, d.look(world.Items, itemID))
		if line.Number("quantity").Sign() == 0 {
			line.SetAmount("quantity", big.NewRat(1, 1))
		}
		line.SetWhole("item_order", n)
		d.names(line)
		percent := d.percent(line.Text("tax_id"))
		if line.Has("tax_percentage") {
			line.Set("tax_percentage", number(percent))
			line.SetText("tax_type", "tax")
		}
		total := cents(times(line.Number("rate"), line.Number("quantity")))
		taxes[n] = levied(total, percent, inclusive)
		if inclusive {
			total.Sub(total, taxes[n])
		}
		if line.Has(totalKey) {
			line.SetAmount(totalKey, total)
		}
		sub.Add(sub, total)
	}
	return sub, taxes
}

// fromItem fills the values that a line takes from its item.
func (d *Draft) fromItem(line, item *overlay.Object) {
	for _, name := range item.Names() {
		if name == "rate" && d.Kind == world.Bills { // a bought item costs the purchase rate.
			continue
		}
		if line.Has(name) && missing(line, name) && !isImage(name) {
			line.Set(name, item.Get(name))
		}
	}
	if d.Kind != world.Bills || !item.Has("purchase_rate") {
		return
	}
	for name, from := range map[string]string{"rate": "purchase_rate", "account_id": "purchase_account_id"} {
		if missing(line, name) {
			line.Set(name, item.Get(from))
		}
	}
}

func isImage(name string) bool { return strings.HasPrefix(name, "image_") }

// missing reports whether a name has the value of an absent one.
func missing(o *overlay.Object, name string) bool {
	switch string(o.Get(name)) {
	case `""`, "0", "0.00":
		return true
	default:
		return false
	}
}

// taxes sums the taxes of lines, in the order of their first use.
func (d *Draft) taxes(lines []*overlay.Object, amounts []*big.Rat) []*overlay.Object {
	var taxes []*overlay.Object
	entries, sums := map[string]*overlay.Object{}, map[string]*big.Rat{}
	for n, line := range lines {
		id := line.Text("tax_id")
		if id == "" {
			continue
		}
		if entries[id] == nil {
			entry := d.World.Sample(d.Kind, "taxes")
			if entry.Has("tax_id") {
				entry.SetText("tax_id", id)
			}
			entry.SetText("tax_name", d.look(world.Taxes, id).Text("tax_name"))
			taxes = append(taxes, entry)
			entries[id], sums[id] = entry, new(big.Rat)
		}
		sums[id].Add(sums[id], amounts[n])
		entries[id].SetAmount("tax_amount", sums[id])
	}
	return taxes
}

// number writes a number without trailing decimals.
func number(value *big.Rat) json.RawMessage {
	if value.IsInt() {
		return json.RawMessage(value.Num().String())
	}
	return overlay.Amount(value)
}

// extension returns the extension of a file's name, in small letters.
func extension(file string) string { return strings.ToLower(strings.TrimPrefix(path.Ext(file), ".")) }

// person completes a contact person. A new primary contact replaces the former one.
func (d *Draft) person() {
	if d.Kind == world.CustomerPersons {
		d.id("contactperson_id")
		return
	}
	d.id("contact_person_id")
	if portal := d.Body.Text("enable_portal"); portal != "" {
		d.Record.SetFlag("is_added_in_portal", portal == "true")
	}
	contact := d.Record.Text("contact_id")
	if !d.Body.Flag("is_primary_contact") || contact == "" {
		return
	}
	for _, i := range d.World.Order(world.Query{Kind: d.Kind, Under: contact}) {
		other := d.World.Record(d.Kind, int(i))
		if int(i) != d.Index && other.Text("is_primary_contact") == "true" {
			other.SetFlag("is_primary_contact", false)
			d.World.Put(d.Kind, int(i), d.Now, "", other)
		}
	}
}

// moduleRecord completes a record of a custom module: each value has a formatted twin for people.
func (d *Draft) moduleRecord() {
	d.id("module_record_id")
	user, _ := words.User(0)
	if d.Created {
		d.Record.SetText("created_by_id", user)
	}
	d.Record.SetText("last_modified_by_id", user)
	d.Record.SetText("record_name_formatted", d.Record.Text("record_name"))
	for _, name := range slices.Sorted(maps.Keys(d.Body)) {
		value := d.Body[name]
		if !strings.HasPrefix(name, d.Prefix) || strings.HasSuffix(name, formatted) {
			continue
		}
		if rules.Absent(value) {
			value = json.RawMessage(`""`)
		}
		d.Record.Set(name, compact(value))
		d.Record.SetText(name+formatted, d.Record.Text(name))
	}
}

const formatted = "_formatted"
