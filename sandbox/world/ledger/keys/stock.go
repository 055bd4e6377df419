package keys

import (
	"encoding/json"
	"fmt"

	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/ledger"
	"sluice/sandbox/world/overlay"
	"sluice/sandbox/world/words"
)

// item gives the values of an item. A service has no stock.
func (a *Author) item(v overlay.Values, n int) {
	i := &a.Ledger.Items[n]
	cost := i.CostNow()
	a.vendor(v.Object, i.Vendor)
	levy(v.Object, i.Levy)
	v.SetFlag("is_taxable", words.PercentOf(i.Levy) > 0)
	v.SetText("group_id", "")
	v.SetText("group_name", "")
	v.SetText("sku", sku(n))
	v.SetText("status", "active")
	a.accountOf(v.Object, "purchase_", i.Account)
	v.SetText("item_type", "inventory")
	v.SetText("product_type", "goods")
	v.SetText("inventory_account_id", ids.Of(ids.Accounts, ledger.Stock))
	if i.Service {
		v.SetText("item_type", "sales_and_purchases")
		v.SetText("product_type", "service")
		v.SetText("inventory_account_id", "")
	}
	v.SetFlag("track_inventory", !i.Service)
	money(v.Object, "rate", ledger.SalesPrice(cost))
	money(v.Object, "pricebook_rate", ledger.SalesPrice(cost))
	money(v.Object, "purchase_rate", cost)
	level(v.Object, i.Reorder)
	v.Lists["locations"] = nil
	var total int64
	for _, s := range a.StockOf(n) {
		held := int64(s.Pieces) * words.Cents
		total += held
		o := overlay.NewObject()
		location(o, s.Place)
		o.SetText("status", "active")
		o.SetFlag("is_primary", s.Place == 0)
		for _, name := range []string{"location_stock_on_hand", "location_available_stock", "location_actual_available_stock"} {
			pieces(o, name, held)
		}
		v.Lists["locations"] = append(v.Lists["locations"], o)
	}
	for _, name := range []string{"stock_on_hand", "available_stock", "actual_available_stock"} {
		if i.Service {
			v.SetText(name, "")
		} else {
			pieces(v.Object, name, total)
		}
	}
	preference := overlay.NewObject()
	preference.SetText("tax_id", words.TaxOf(i.Levy).ID)
	preference.SetText("tax_specification", "intra")
	v.Lists["item_tax_preferences"] = []*overlay.Object{preference}
}

func level(o *overlay.Object, pieces int) {
	if pieces < 0 {
		o.SetText("reorder_level", "")
		return
	}
	o.SetWhole("reorder_level", pieces)
}

// bundle gives the values of a composite item.
func (a *Author) bundle(v overlay.Values, n int) {
	b := &a.Ledger.Bundles[n]
	cost := a.Ledger.BundleCost(n)
	stock := int64(b.Pieces + a.Counted(ids.CompositeItems, n))
	held := stock * words.Cents
	level(v.Object, b.Reorder)
	money(v.Object, "rate", cost*110/100)           // ten percent on top.
	money(v.Object, "pricebook_rate", cost*110/100) // ten percent on top.
	money(v.Object, "purchase_rate", cost)
	money(v.Object, "initial_stock_rate", cost)
	money(v.Object, "asset_value", cost*stock)
	for _, name := range []string{"initial_stock", "stock_on_hand", "available_stock", "actual_available_stock"} {
		pieces(v.Object, name, held)
	}
	v.SetText("vendor_id", "")
	v.SetText("vendor_name", "")
	for at, part := range b.Parts {
		item := &a.Ledger.Items[part.Item]
		o := overlay.NewObject()
		o.SetText("line_item_id", ids.Child(ids.CompositeItems, n, at))
		o.SetText("item_id", ids.Of(ids.Items, part.Item))
		o.SetText("name", a.ItemName(part.Item))
		o.SetText("sku", sku(part.Item))
		o.SetText("unit", "pcs")
		money(o, "rate", ledger.SalesPrice(item.CostNow()))
		money(o, "purchase_rate", item.CostNow())
		pieces(o, "quantity", int64(part.Pieces)*words.Cents)
		for _, name := range []string{"stock_on_hand", "available_stock", "actual_available_stock"} {
			pieces(o, name, item.Total())
		}
		v.Lists["mapped_items"] = append(v.Lists["mapped_items"], o)
	}
}

// balances caches what the accounts show.
type balances struct {
	version int
	shown   []ledger.Amount
}

// account gives the values of an account.
func (a *Author) account(v overlay.Values, n, version int) {
	account := a.Ledger.Accounts[n]
	if a.balances.shown == nil || a.balances.version != version {
		a.balances = balances{version: version}
		for _, balance := range a.Balances() {
			a.balances.shown = append(a.balances.shown, balance.Balance)
		}
	}
	shown := a.balances.shown[n]
	v.SetText("account_name", account.Name)
	v.SetText("account_type", account.Kind)
	v.SetText("account_code", fmt.Sprintf("A-%04d", 1000+n))
	a.money(v.Object, a.Ledger.CurrencyOf(n))
	v.SetFlag("is_active", true)
	v.SetText("parent_account_id", "")
	v.SetText("parent_account_name", "")
	v.SetWhole("depth", 0)
	v.SetFlag("is_child_present", false)
	v.SetWhole("child_count", 0)
	v.SetFlag("is_involved_in_transaction", true)
	amount(v.Object, "current_balance", shown)
	v.SetFlag("isdebit", account.Debit == (shown >= 0))
}

// currency gives the values of a currency; the organization's own has no rate.
func (a *Author) currency(v overlay.Values, n int) {
	c := a.Ledger.Currencies[n]
	a.money(v.Object, n)
	v.SetText("currency_name", c.Name)
	v.SetText("currency_name_formatted", c.Code+"- "+c.Name)
	v.SetWhole("price_precision", c.Precision)
	v.SetText("currency_format", c.Format)
	v.SetFlag("is_base_currency", n == 0)
	if n == 0 {
		v.SetText("exchange_rate", "")
		v.SetText("effective_date", "")
		return
	}
	rate(v.Object, "exchange_rate", a.Ledger.RateOn(n, a.Ledger.Today))
	day(v.Object, "effective_date", a.Ledger.Today)
}

// adjustment gives the values of a base currency adjustment.
func (a *Author) adjustment(v overlay.Values, n int) {
	adjusted := &a.Ledger.Adjustments[n]
	day(v.Object, "adjustment_date", adjusted.Date)
	rate(v.Object, "exchange_rate", adjusted.Rate)
	a.money(v.Object, adjusted.Currency)
	money(v.Object, "gain_or_loss", adjusted.Gain())
	for _, account := range adjusted.Accounts {
		o := overlay.NewObject()
		a.accountOf(o, "", account.Account)
		money(o, "bcy_balance", account.Before)
		money(o, "fcy_balance", account.Foreign)
		money(o, "adjusted_balance", account.Revised)
		money(o, "gain_or_loss", account.Gain())
		o.SetWhole("gl_specific_type", 1)
		v.Lists["accounts"] = append(v.Lists["accounts"], o)
	}
}

// opening gives the values of the opening balance.
func (a *Author) opening(v overlay.Values) {
	day(v.Object, "date", a.Ledger.Start)
	var debits ledger.Amount
	for n, line := range a.Ledger.Opening {
		side := "credit"
		if line.Debit {
			side = "debit"
			debits += line.Base
		}
		o := overlay.NewObject()
		o.SetText("acount_split_id", ids.Child(ids.OpeningBalances, 0, n))
		a.accountOf(o, "", line.Account)
		o.SetText("debit_or_credit", side)
		rate(o, "exchange_rate", line.Rate)
		a.money(o, line.Currency)
		o.Drop("currency_symbol")
		amount(o, "bcy_amount", line.Base)
		money(o, "amount", line.Cents)
		location(o, 0)
		v.Lists["accounts"] = append(v.Lists["accounts"], o)
	}
	amount(v.Object, "total", debits)
}

// organization gives the currency of the organization. Its fiscal year begins in April, which is 3
// on the wire (docs/upstream.md U316).
func (a *Author) organization(v overlay.Values) {
	c := a.Ledger.Currencies[0]
	a.money(v.Object, 0)
	v.SetText("currency_format", c.Format)
	v.SetWhole("price_precision", c.Precision)
	v.Set("fiscal_year_start_month", json.RawMessage("3"))
}
