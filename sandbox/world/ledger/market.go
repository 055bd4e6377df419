package ledger

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/words"
)

// Currency is a currency of the organization; the first one is its own.
type Currency = words.Currency

// currencies returns the known currencies, that of the organization first. Equal identifiers mean
// another currency in an organization with another base.
func currencies(base string) []Currency {
	var list []Currency
	for n := range words.Foreign + 1 {
		list = append(list, words.CurrencyAt(n))
	}
	slices.SortStableFunc(list, func(a, b Currency) int {
		switch {
		case a.Code == base:
			return -1
		case b.Code == base:
			return 1
		default:
			return 0
		}
	})
	for n := range list {
		list[n].ID = ids.Of(ids.Currencies, n)
	}
	return list
}

// traded are the currencies of vendors and customers in other countries, the most frequent first.
func (l *Ledger) traded() []int {
	var traded []int
	for _, code := range []string{"USD", "EUR", "GBP", "INR"} {
		if code != l.Base && len(traded) < 3 { // three are enough.
			traded = append(traded, l.currency(code))
		}
	}
	return traded
}

// Second is the currency of the second bank account: US dollars, or euros for a business in the
// United States.
func (l *Ledger) Second() int { return l.traded()[0] }

func (l *Ledger) currency(code string) int {
	return slices.IndexFunc(l.Currencies, func(c Currency) bool { return c.Code == code })
}

// RateOn returns the market's rate of a currency on a day. Every organization trades on the same
// market.
func (l *Ledger) RateOn(currency int, day Day) Rate {
	if currency == 0 {
		return millionth
	}
	price, own := inRupees(l.Currencies[currency], day), inRupees(l.Currencies[0], day)
	return Rate((price*millionth + own/2) / own)
}

// inRupees returns the price of a currency in millionths of a rupee. It swings slowly by some
// percent, faster by one, and a little every day.
func inRupees(c Currency, day Day) int64 {
	if c.Code == "INR" {
		return millionth
	}
	phase := int(c.Code[0])*7 + int(c.Code[2])*3
	const slow, fast = 397, 83 // days of a swing
	moved := swing(int(day)+phase, slow)*25/1000 + swing(int(day)+2*phase, fast)*12/1000 + (int64(day)*7919+int64(phase)*104_729)%6000 - 3000
	return c.Rate + c.Rate/1000*moved/1000
}

// swing rises and falls between minus and plus a million.
func swing(day, period int) int64 {
	place := day % period
	if half := period / 2; place > half {
		place = period - place
	}
	return int64(place)*4*millionth/int64(period) - millionth
}

// Amount is a sum of money in hundred-millionths of its currency. So a sum in cents times a rate in
// millionths is exact: base amounts are products without rounding.
type Amount int64

// Parts of a unit.
const (
	cent      = 1_000_000
	unit      = 100 * cent
	millionth = 1_000_000
)

// FromCents returns a sum of cents.
func FromCents(cents int64) Amount { return Amount(cents * cent) }

// Convert returns a sum of cents in the base currency, by a rate in millionths of the base currency
// for one.
func Convert(cents, rate int64) Amount { return Amount(cents * rate) }

// Cents rounds to cents, halves away from zero.
func (a Amount) Cents() int64 {
	if a < 0 {
		return -(-a).Cents()
	}
	return int64(a+cent/2) / cent
}

// String writes the exact sum with two decimals or more: 12.50, 12.50375.
func (a Amount) String() string {
	if a < 0 {
		return "-" + (-a).String()
	}
	const least = 2 // decimals
	rest := strconv.FormatInt(int64(unit+a%unit), 10)[1:]
	shown := strings.TrimRight(rest, "0")
	if len(shown) < least {
		shown = rest[:least]
	}
	return strconv.FormatInt(int64(a/unit), 10) + "." + shown
}

// MarshalJSON writes the sum as a number.
func (a Amount) MarshalJSON() ([]byte, error) { return []byte(a.String()), nil }

// Rate is the price of one unit of a currency in the base currency, in millionths; 0 is unknown.
type Rate int64

// MarshalJSON writes the rate as a number with six decimals, an unknown one as null.
func (r Rate) MarshalJSON() ([]byte, error) {
	if r == 0 {
		return []byte("null"), nil
	}
	rest := strconv.FormatInt(int64(millionth+r%millionth), 10)[1:]
	return json.RawMessage(strconv.FormatInt(int64(r/millionth), 10) + "." + rest), nil
}
