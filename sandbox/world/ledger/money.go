package ledger

import (
	"encoding/json"
	"strconv"
	"strings"
)

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
