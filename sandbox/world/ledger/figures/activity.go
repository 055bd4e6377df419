package figures

import (
	"cmp"
	"encoding/json"
	"math/big"

	"sluice/sandbox/world/ledger"
)

// Activity is what happened with one vendor in one month, in the base currency, each amount at the
// rate of its bill: closing = opening + billed - paid - credited. Bills without a known rate are
// left out.
type Activity struct {
	Vendor   string `json:"vendor_id"`
	Month    Day    `json:"month"`
	Opening  Amount `json:"opening"`
	Billed   Amount `json:"billed"` // with tax
	Paid     Amount `json:"paid"`   // what payments of the month settle
	Credited Amount `json:"credited"`
	Closing  Amount `json:"closing"`
}

// Activity returns all months of all vendors in which something was open or happened.
func (b Books) Activity() []Activity {
	type key struct {
		vendor int
		month  Day
	}
	moved := map[key]*Activity{}
	b.postings(b.Ledger.Latest, func(p ledger.Posting) {
		if p.Account != ledger.Payable || p.Bill < 0 || !b.known(p.Bill) {
			return
		}
		place := key{p.Vendor, p.Day.Month()}
		sum := moved[place]
		if sum == nil {
			sum = &Activity{}
			moved[place] = sum
		}
		switch p.Entry {
		case ledger.Paid:
			sum.Paid += p.Base
		case ledger.Credited:
			sum.Credited += p.Base
		default:
			sum.Billed -= p.Base
		}
	})
	list := []Activity{}
	for vendor := range b.Ledger.Vendors {
		var open Amount
		for month := b.Ledger.Start.Month(); month <= b.Ledger.Latest; month = month.NextMonth() {
			row := Activity{Vendor: ledger.VendorID(vendor), Month: month, Opening: open}
			sum := moved[key{vendor, month}]
			if sum != nil {
				row.Billed, row.Paid, row.Credited = sum.Billed, sum.Paid, sum.Credited
			}
			open += row.Billed - row.Paid - row.Credited
			row.Closing = open
			if sum != nil || row.Opening != 0 {
				list = append(list, row)
			}
		}
	}
	return list
}

// DPO is how many days of purchases were open at the end of a day: open / billed * 90, where billed
// is the sum with tax of bills dated in the 90 days up to and including that day. Both are in the
// base currency, without bills whose rate is unknown.
type DPO struct {
	Vendor string `json:"vendor_id,omitempty"` // "" for all vendors
	Day    Day    `json:"day"`
	Open   Amount `json:"open_base"`
	Billed Amount `json:"billed_base"`
	Days   *Ratio `json:"dpo"` // nil without bills
}

// Ratio is an exact number.
type Ratio big.Rat

// MarshalJSON writes the number with six decimals.
func (r *Ratio) MarshalJSON() ([]byte, error) {
	return json.RawMessage((*big.Rat)(r).FloatString(6)), nil
} // decimals.

// DPO returns it for all vendors together and for each that had bills in the 90 days or open ones.
func (b Books) DPO(day Day) []DPO {
	sums := map[string]*DPO{"": {Day: day}}
	of := func(vendor string) *DPO {
		if sums[vendor] == nil {
			sums[vendor] = &DPO{Vendor: vendor, Day: day}
		}
		return sums[vendor]
	}
	for _, item := range b.OpenItems(day) {
		if item.Base != nil {
			of("").Open += *item.Base
			of(item.Vendor).Open += *item.Base
		}
	}
	b.postings(day, func(p ledger.Posting) {
		billed := p.Account == ledger.Payable && (p.Entry == ledger.Billed || p.Entry == ledger.Taxed)
		if billed && p.Day > day-dpoDays && b.known(p.Bill) {
			of("").Billed -= p.Base
			of(ledger.VendorID(p.Vendor)).Billed -= p.Base
		}
	})
	for _, sum := range sums {
		if sum.Billed != 0 {
			days := new(big.Rat).Mul(big.NewRat(int64(sum.Open), int64(sum.Billed)), big.NewRat(dpoDays, 1))
			sum.Days = (*Ratio)(days)
		}
	}
	return sorted(sums, func(a, b *DPO) int { return cmp.Compare(a.Vendor, b.Vendor) })
}

// MonthEnds returns the last days of the months of the business's history up to today, and today.
func (b Books) MonthEnds() []Day {
	var ends []Day
	for day := b.Ledger.Start.NextMonth() - 1; day < b.Ledger.Latest; day = (day + 1).NextMonth() - 1 {
		ends = append(ends, day)
	}
	return append(ends, b.Ledger.Latest)
}
