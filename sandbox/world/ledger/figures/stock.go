package figures

import (
	"math/big"
	"slices"
	"time"

	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/ledger"
	"sluice/sandbox/world/words"
)

// Centres returns the values of the custom field "Cost centre".
func Centres() []string { return []string{"North", "South", "Žilina", "Head office"} }

// Stock is what is held of an item in a location; its value is an estimate: pieces times the
// item's purchase rate now.
type Stock struct {
	Item     string `json:"item_id"`
	Location string `json:"location_id"`
	Pieces   int    `json:"on_hand"`
	Value    Amount `json:"value_base"`
	Place    int    `json:"-"` // number of the location
}

// StockOf returns the stock of one item by location; nil for a service.
func (b Books) StockOf(item int) []Stock {
	var list []Stock
	i := &b.Ledger.Items[item]
	for place, held := range i.OnHand {
		pieces := int(held / words.Cents)
		if place == 0 {
			pieces += b.Counted(ids.Items, item)
		}
		location, _ := words.Location(place)
		list = append(list, Stock{
			Item: ids.Of(ids.Items, item), Location: location, Pieces: pieces, Value: ledger.FromCents(int64(pieces) * i.CostNow()), Place: place,
		})
	}
	return list
}

// Stock returns the goods by item and location; services and bundles are none.
func (b Books) Stock() []Stock {
	list := []Stock{}
	for n := range b.Ledger.Items {
		list = append(list, b.StockOf(n)...)
	}
	return list
}

// Below is an item of which less is held, over all locations, than its level for reordering.
type Below struct {
	Item    string `json:"item_id"`
	Pieces  int    `json:"on_hand"`
	Reorder int    `json:"reorder_level"`
}

// Below returns the items to reorder; bundles are left out.
func (b Books) Below() []Below {
	list := []Below{}
	for n := range b.Ledger.Items {
		i := &b.Ledger.Items[n]
		held := 0
		for _, s := range b.StockOf(n) {
			held += s.Pieces
		}
		if i.Reorder >= 0 && held < i.Reorder {
			list = append(list, Below{Item: ids.Of(ids.Items, n), Pieces: held, Reorder: i.Reorder})
		}
	}
	return list
}

// PriceChange is a change of an item's purchase rate, and of its sales rate with it.
type PriceChange struct {
	Item        string `json:"item_id"`
	At          string `json:"at"` // the modification time that the item had then
	Day         Day    `json:"day"`
	Before      Amount `json:"purchase_rate_before"`
	After       Amount `json:"purchase_rate_after"`
	SalesBefore Amount `json:"rate_before"`
	SalesAfter  Amount `json:"rate_after"`
	Percent     *Ratio `json:"percent"` // of the purchase rate
}

// PriceChanges returns the journal of prices, by item.
func (b Books) PriceChanges() []PriceChange {
	list := []PriceChange{}
	for n := range b.Ledger.Items {
		prices := b.Ledger.Items[n].Prices
		for at := 1; at < len(prices); at++ {
			before, after := prices[at-1].Cents, prices[at].Cents
			list = append(list, PriceChange{
				Item: ids.Of(ids.Items, n), At: time.Unix(prices[at].At, 0).UTC().Format(time.RFC3339), Day: prices[at].Day,
				Before: ledger.FromCents(before), After: ledger.FromCents(after),
				SalesBefore: ledger.FromCents(ledger.SalesPrice(before)), SalesAfter: ledger.FromCents(ledger.SalesPrice(after)),
				Percent: (*Ratio)(big.NewRat((after-before)*percent, before)),
			})
		}
	}
	return list
}

const percent = 100

// PriceRises returns the changes by more than five percent in the quarter of a day.
func (b Books) PriceRises(day Day) []PriceChange {
	return slices.DeleteFunc(b.PriceChanges(), func(c PriceChange) bool {
		return c.Day.Quarter() != day.Quarter() || (*big.Rat)(c.Percent).Cmp(big.NewRat(5, 1)) <= 0 // five percent.
	})
}
