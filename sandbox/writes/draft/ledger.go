package draft

import (
	"math/big"
	"slices"

	"sluice/sandbox/rules"
	"sluice/sandbox/world"
	"sluice/sandbox/world/overlay"
)

// openingBalance completes the lines and their sum in the organization's own currency.
func (d *Draft) openingBalance() {
	d.id("opening_balance_id")
	d.Record.SetWhole("price_precision", 2) // cents.
	lines, total := d.Record.List("accounts"), new(big.Rat)
	for n, line := range lines {
		if line.Text("acount_split_id") == "" {
			line.SetText("acount_split_id", d.World.Child(d.Kind, d.Index, n))
		}
		if line.Text("currency_id") == "" {
			line.SetText("currency_id", d.World.ID(world.Currencies, 0))
		}
		if line.Number(rateName).Sign() == 0 {
			line.SetRate(rateName, big.NewRat(1, 1))
		}
		d.names(line)
		base := rules.Cents(times(line.Number("amount"), line.Number(rateName)))
		line.SetAmount("bcy_amount", base)
		if line.Text("debit_or_credit") == "debit" {
			total.Add(total, base)
		}
	}
	d.Record.SetList("accounts", lines)
	d.Record.SetAmount("total", total)
}

// account completes an account. Its parent gets a new child.
func (d *Draft) account() {
	d.id("account_id")
	if d.Created {
		d.Record.SetFlag("is_active", true)
		d.Record.SetFlag("is_user_created", true)
		d.preset("currency_id", d.World.ID(world.Currencies, 0))
	}
	d.copyName(d.Record, "currency_id", "currency_code", "currency_code")
	parent, found := d.World.Index(world.Accounts, d.Record.Text("parent_account_id"))
	if !found {
		return
	}
	above := d.World.Record(world.Accounts, parent)
	if d.Record.Text("parent_account_name") != above.Text("account_name") {
		children, _ := d.children(above)
		above.SetWhole("child_count", children+1)
		above.SetFlag("is_child_present", true)
		d.World.Put(world.Accounts, parent, d.Now, "", overlay.Freeze(above))
	}
	depth, _ := wholeOf(above, "depth")
	d.Record.SetText("parent_account_name", above.Text("account_name"))
	d.Record.SetWhole("depth", depth+1)
}

func (d *Draft) children(account *overlay.Object) (int, bool) { return wholeOf(account, "child_count") }

// wholeOf returns a whole number; false if it is none.
func wholeOf(o *overlay.Object, name string) (int, bool) {
	number := o.Number(name)
	return int(number.Num().Int64()), number.IsInt()
}

// adjustment computes the effect of the rate on the accounts of its currency, or on those that the
// query names.
func (d *Draft) adjustment() {
	d.id("base_currency_adjustment_id")
	d.names(d.Record)
	rate := times(d.Record.Number(rateName), big.NewRat(millionths, 1))
	preview, _ := d.World.AppendPreview(nil, d.Record.Text("currency_id"), d.Record.Text("adjustment_date"),
		new(big.Int).Quo(rate.Num(), rate.Denom()).Int64(), d.Record.Text("notes"))
	touched := overlay.NewObject()
	if read, err := overlay.Parse(preview); err == nil {
		touched = read
	}
	accounts := touched.List("accounts")
	if d.Accounts != nil {
		accounts = d.named(accounts)
	}
	d.Record.SetList("accounts", accounts)
	d.Record.SetAmount("gain_or_loss", sum(accounts, "gain_or_loss"))
}

const millionths = 1_000_000

// named returns the accounts that the query names. Accounts without a balance in the currency gain
// nothing.
func (d *Draft) named(accounts []*overlay.Object) []*overlay.Object {
	kept := make([]*overlay.Object, 0, len(d.Accounts))
	for _, id := range d.Accounts {
		at := slices.IndexFunc(accounts, func(o *overlay.Object) bool { return o.Text("account_id") == id })
		if at >= 0 {
			kept = append(kept, accounts[at])
			continue
		}
		idle := d.World.Sample(world.Adjustments, "accounts")
		idle.SetText("account_id", id)
		d.names(idle)
		kept = append(kept, idle)
	}
	return kept
}

// currency completes a currency. Rate and date appear in lists, and no input sets them.
func (d *Draft) currency() {
	d.id("currency_id")
	d.preset("currency_name", d.Record.Text("currency_code"))
	if d.Created {
		d.preset("currency_format", "1,234,567.89")
		d.Record.SetText(rateName, "")
		d.Record.SetText("effective_date", "")
		if rules.Absent(d.Body["price_precision"]) {
			d.Record.SetWhole("price_precision", 2) // cents.
		}
	}
}

// expense computes amount, tax and total, from lines or from the distance driven.
func (d *Draft) expense() {
	o := d.Record
	d.id("expense_id")
	d.id("transaction_id")
	if d.Created {
		o.SetText("transaction_type", "expense")
		o.SetText("expense_type", "service")
		o.SetText("expense_item_id", d.World.Child(d.Kind, d.Index, 0))
		d.preset("mileage_type", "non_mileage")
		d.preset("paid_through_account_id", d.World.ID(world.Accounts, 0))
	}
	d.preset("date", d.Today)
	d.money()
	if d.File != "" {
		o.SetText("expense_receipt_name", d.File)
		o.SetText("expense_receipt_type", extension(d.File))
	}
	d.preset("status", "unbilled") // the only status that docs/upstream.md U187 shows.
	d.mileage()
	d.expenseLines()
	d.names(o)
	amount, percent := o.Number("amount"), d.percent(o.Text("tax_id"))
	inclusive := o.Text("is_inclusive_tax") == "true"
	tax, net := levied(amount, percent, inclusive), new(big.Rat).Set(amount)
	if inclusive {
		net.Sub(net, tax)
	}
	total := new(big.Rat).Add(net, tax)
	o.Set("tax_percentage", number(percent))
	o.SetAmount("tax_amount", tax)
	o.SetAmount("sub_total", net)
	o.SetAmount("total", total)
	o.SetAmount("bcy_total", cents(times(total, o.Number(rateName))))
	d.expenseTaxes(tax)
}

// mileage computes the distance between two readings and its cost.
func (d *Draft) mileage() {
	o := d.Record
	if o.Text("mileage_type") == "odometer" {
		o.Set("distance", number(new(big.Rat).Sub(o.Number("end_reading"), o.Number("start_reading"))))
	}
	if o.Text("mileage_type") != "non_mileage" && rules.Absent(d.Body["amount"]) && o.Number("mileage_rate").Sign() > 0 {
		o.SetAmount("amount", times(o.Number("distance"), o.Number("mileage_rate")))
	}
}

// expenseLines writes one line for the whole expense if none was sent.
func (d *Draft) expenseLines() {
	o := d.Record
	lines := o.List(lineItems)
	sent := len(d.Body.List(lineItems)) > 0
	if !sent && !d.Created && rules.Absent(d.Body["amount"]) && len(lines) > 1 {
		return // an update without lines keeps them.
	}
	if sent {
		o.SetAmount("amount", sum(lines, "amount"))
		d.preset("account_id", lines[0].Text("account_id"))
	} else if len(lines) != 1 {
		lines = []*overlay.Object{d.World.Sample(d.Kind, lineItems)}
	}
	o.SetFlag("is_itemized_expense", len(lines) > 1)
	for n, line := range lines {
		if line.Text("line_item_id") == "" {
			line.SetText("line_item_id", d.World.Child(d.Kind, d.Index, n+1))
		}
		line.SetWhole("item_order", n+1)
		if !sent {
			for _, name := range []string{"account_id", "description", "amount", "tax_id", "product_type", "location_id"} {
				line.Set(name, o.Get(name))
			}
		}
	}
	o.SetList(lineItems, lines)
}

// expenseTaxes writes the tax of the whole if no taxes were sent.
func (d *Draft) expenseTaxes(tax *big.Rat) {
	if len(d.Body.List("taxes")) > 0 {
		return
	}
	if tax.Sign() == 0 {
		d.Record.SetList("taxes", nil)
		return
	}
	entry := overlay.NewObject()
	entry.Set("tax_id", d.Record.Get("tax_id"))
	entry.SetAmount("tax_amount", tax)
	d.Record.SetList("taxes", []*overlay.Object{entry})
}
