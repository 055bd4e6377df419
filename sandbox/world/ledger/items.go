package ledger

import (
	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/words"
)

// Item is a good or a service. Prices are in cents of the base currency.
type Item struct {
	State

	Service bool
	Levy    int // number of the tax: words.TaxOf
	Vendor  int
	Account int     // of its bill lines
	OnHand  []int64 // by location, in hundredths; none of a service
	Reorder int     // pieces below which to reorder; -1 for none
	Prices  []Price // oldest first, never empty
}

// Price is what a piece costs from an instant on.
type Price struct {
	At    int64 // epoch seconds
	Day   Day
	Cents int64
}

// Cost returns the price of a piece at the end of a day.
func (i Item) Cost(day Day) int64 {
	cents := i.Prices[0].Cents
	for _, p := range i.Prices {
		if p.Day <= day {
			cents = p.Cents
		}
	}
	return cents
}

// CostNow returns the price of a piece now.
func (i Item) CostNow() int64 { return i.Prices[len(i.Prices)-1].Cents }

// SalesPrice returns what a piece is sold for at a cost: 45 % on top.
func SalesPrice(cost int64) int64 { return cost * 145 / percent }

// Total returns the stock over all locations, in hundredths.
func (i Item) Total() int64 {
	var total int64
	for _, held := range i.OnHand {
		total += held
	}
	return total
}

const (
	oneInService = 9  // of the items
	oneInBelow   = 20 // of the goods with a level: five percent
)

func (l *Ledger) items() []Item {
	list := make([]Item, l.size(percentItems, leastItems))
	goods := 0
	for n := range list {
		item := l.itemOf(n, l.Start-30, l.at(l.Start-30, n))
		if !item.Service {
			if n%3 > 0 {
				item.Reorder = 5 + l.draw(ids.Items, n, askKind, 36)
				goods++
			}
			l.stock(&item, n, goods)
		}
		l.rises(&item, n)
		item.Modified = max(item.Modified, item.Prices[len(item.Prices)-1].At)
		list[n] = item
	}
	return list
}

// itemOf makes an item without stock.
func (l *Ledger) itemOf(n int, day Day, entered int64) Item {
	item := Item{
		State: State{Entered: entered, Modified: entered}, Service: n%oneInService == 4, Levy: l.draw(ids.Items, n, askLevy, 3),
		Vendor: l.draw(ids.Items, n, askVendor, vendorCount), Account: Stock, Reorder: -1,
		Prices: []Price{{At: entered, Day: day, Cents: l.scaled(200 + l.draw(ids.Items, n, askCost, 8000))}},
	}
	if item.Service {
		accounts := expenseAccounts()
		item.Account = accounts[l.draw(ids.Items, n, askAccount, len(accounts))]
	} else {
		item.OnHand = []int64{0}
	}
	return item
}

// stock gives an item its stock: in one location or in two.
func (l *Ledger) stock(item *Item, n, goods int) {
	pieces := max(item.Reorder, 0) + 1 + l.draw(ids.Items, n, askStock, 300)
	if item.Reorder >= 0 && goods%oneInBelow == 7 {
		pieces = l.draw(ids.Items, n, askStock, item.Reorder)
	}
	held := int64(pieces) * words.Cents
	item.OnHand = []int64{held}
	if n%2 == 1 {
		item.OnHand = []int64{held / 2 / words.Cents * words.Cents, held - held/2/words.Cents*words.Cents}
	}
}

// scaled brings a price in cents to the size that is usual in the base currency.
func (l *Ledger) scaled(cents int) int64 {
	if l.Base == "INR" {
		return int64(cents) * 60 // rupees for one of the others, in goods.
	}
	return int64(cents)
}

// rises raises the price: by more than five percent for one item in fourteen each quarter, by less
// for one in five.
func (l *Ledger) rises(item *Item, n int) {
	quarter := 0
	for q := l.Start.Quarter(); q < l.Today; q = q.NextQuarter() {
		quarter++
		ask := n*64 + quarter // quarters of an item stay apart.
		first, behind := max(q, l.Start), min(q.NextQuarter(), l.Today)
		chance := l.draw(ids.Items, ask, askRise, 70)
		if behind <= first || chance >= 19 {
			continue
		}
		perMille := int64(10 + l.draw(ids.Items, ask, askPrice, 35)) // 1 to 4.4 %.
		if chance < 5 {
			perMille = int64(60 + l.draw(ids.Items, ask, askPrice, 80)) // 6 to 14 %.
		}
		day := first + Day(l.draw(ids.Items, ask, askDay, int(behind-first)))
		cents := item.CostNow()
		item.Prices = append(item.Prices, Price{At: l.at(day, morning+n%3600), Day: day, Cents: cents + cents*perMille/1000 + 1})
	}
}

// Bundle is a composite item: some pieces of other items.
type Bundle struct {
	Parts   []Part
	Pieces  int // in stock
	Reorder int // -1 for none
}

// Part is an item in a bundle.
type Part struct{ Item, Pieces int }

func (l *Ledger) bundles() []Bundle {
	list := make([]Bundle, max(leastBundles, l.Records/percent))
	for n := range list {
		b := Bundle{Pieces: l.draw(ids.CompositeItems, n, askStock, 60), Reorder: -1}
		first := l.draw(ids.CompositeItems, n, askItem, len(l.Items))
		for p := range 1 + l.draw(ids.CompositeItems, n, askLines, 3) {
			b.Parts = append(b.Parts, Part{Item: (first + p) % len(l.Items), Pieces: 1 + l.draw(ids.CompositeItems, n*4+p, askQuantity, 5)})
		}
		list[n] = b
	}
	return list
}

// BundleCost returns what the parts of a bundle cost now, in cents.
func (l *Ledger) BundleCost(n int) int64 {
	var cost int64
	for _, p := range l.Bundles[n].Parts {
		cost += l.Items[p.Item].CostNow() * int64(p.Pieces)
	}
	return cost
}
