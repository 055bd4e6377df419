package draft

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"

	"sluice/sandbox/rules"
	"sluice/sandbox/world"
	"sluice/sandbox/world/overlay"
	"sluice/sandbox/world/words"
)

// location completes a location with its users.
func (d *Draft) location() {
	d.id("location_id")
	d.preset("type", "general")
	d.preset("status", "active")
	chosen := strings.Split(d.Body.Text("user_ids"), ",")
	if d.Body.Text("user_ids") == "" && !d.Body.Flag("is_all_users_selected") {
		return
	}
	var users []*overlay.Object
	for n := range words.Users {
		id, name := words.User(n)
		if !d.Body.Flag("is_all_users_selected") && !contains(chosen, id) {
			continue
		}
		user := overlay.NewObject()
		user.SetText("user_id", id)
		user.SetText("user_name", name)
		users = append(users, user)
	}
	d.Record.SetList("associated_users", users)
}

func contains(texts []string, wanted string) bool {
	for _, text := range texts {
		if strings.TrimSpace(text) == wanted {
			return true
		}
	}
	return false
}

// tax completes a tax. One of its identifiers is a bare number, since the document declares an
// integer.
func (d *Draft) tax() {
	d.id("tax_id")
	d.preset("tax_type", "tax")
	d.preset("tax_factor", "rate")
	d.Record.Set("tax_percentage", number(d.Record.Number("tax_percentage")))
	const bare = "purchase_tax_expense_account_id"
	if i, found := d.World.Index(world.Accounts, d.Body.Text(bare)); found {
		d.Record.Set(bare, json.RawMessage(d.World.ID(world.Accounts, i)))
	}
	if d.Body.Text("tds_payable_account_id") != "" {
		d.Record.SetText("tds_payable_account_id", d.Body.Text("tds_payable_account_id"))
	}
}

// goods completes the keys that items and composite items share.
func (d *Draft) goods() {
	o := d.Record
	d.preset("status", "active")
	d.preset("source", "user")
	d.preset("item_type", "inventory")
	d.names(o)
	percent := d.percent(o.Text("tax_id"))
	o.Set("tax_percentage", number(percent))
	if rules.Absent(d.Body["is_taxable"]) {
		o.SetFlag("is_taxable", percent.Sign() > 0)
	}
	if o.Text("tax_id") != "" {
		d.preset("tax_type", "tax")
	}
	if !rules.Absent(d.Body["rate"]) {
		o.Set("pricebook_rate", o.Get("rate"))
	}
}

// compositeItem completes a composite item. Its stock starts at the initial stock.
func (d *Draft) compositeItem() {
	o := d.Record
	d.id("composite_item_id")
	o.SetFlag("is_combo_product", true)
	d.goods()
	if d.File != "" {
		o.SetText("image_id", d.World.Child(d.Kind, d.Index, firstApplied))
		o.SetText("image_name", d.File)
	}
	if d.Created {
		for _, name := range []string{"stock_on_hand", "available_stock", "actual_available_stock"} {
			o.SetAmount(name, o.Number("initial_stock"))
		}
	}
	o.SetAmount("asset_value", cents(times(o.Number("stock_on_hand"), o.Number("purchase_rate"))))
	if len(d.Body.List("mapped_items")) == 0 {
		return
	}
	parts := o.List("mapped_items")
	for n, part := range parts {
		item := d.look(world.Items, part.Text("item_id"))
		for _, name := range part.Names() {
			if item.Has(name) {
				part.Set(name, item.Get(name))
			}
		}
		if part.Text("line_item_id") == "" {
			part.SetText("line_item_id", d.World.Child(d.Kind, d.Index, n))
		}
	}
	o.SetList("mapped_items", parts)
}

// item completes an item with its stock in each location.
func (d *Draft) item() {
	o := d.Record
	d.id("item_id")
	d.preset("product_type", "goods")
	d.goods()
	if id := d.Body.Text("account_id"); id != "" { // answers show only the name.
		o.SetText("account_name", d.look(world.Accounts, id).Text("account_name"))
	}
	sent := d.Body.List("locations")
	places := o.List("locations")
	for n, place := range places {
		site := d.look(world.Locations, place.Text("location_id"))
		for _, name := range []string{"location_name", "status", "is_primary"} {
			place.Set(name, site.Get(name))
		}
		if n < len(sent) {
			for _, name := range []string{"location_stock_on_hand", "location_available_stock", "location_actual_available_stock"} {
				place.SetAmount(name, sent[n].Amount("initial_stock"))
			}
		}
	}
	o.SetList("locations", places)
}

// creditNote computes the credited amount.
func (d *Draft) creditNote() {
	o := d.Record
	d.id("creditnote_id")
	d.preset("creditnote_number", fmt.Sprintf("CN-%05d", d.Index+1))
	d.preset("date", d.Today)
	o.SetText("status", "open")
	if d.Body.Flag("is_draft") {
		o.SetText("status", "draft")
	}
	home := d.look(world.Currencies, d.World.ID(world.Currencies, 0))
	o.Set("currency_code", home.Get("currency_code"))
	o.Set("currency_symbol", home.Get("currency_symbol"))
	d.names(o)
	lines := o.List(lineItems)
	for _, line := range lines {
		if line.Text("tax_id") == "" { // the note's tax applies to a line without one.
			line.SetText("tax_id", d.Body.Text("tax_id"))
		}
	}
	sub, taxes := d.lines(lines, "item_total", d.Body.Flag("is_inclusive_tax"))
	o.SetList(lineItems, lines)
	o.SetList("taxes", d.taxes(lines, taxes))
	total := new(big.Rat).Set(sub)
	for _, tax := range taxes {
		total.Add(total, tax)
	}
	o.SetAmount("total", total)
	o.SetAmount("balance", total)
}
