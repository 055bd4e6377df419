package rules

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/big"
)

// Read reads a body: one JSON object; an empty body is an empty object.
func Read(data []byte) (Body, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return Body{}, nil
	}
	var body Body
	if err := json.Unmarshal(data, &body); err != nil || body == nil {
		return nil, errors.New("the body is no JSON object")
	}
	return body, nil
}

// Text returns a value as text; "" if it is absent or no plain value.
func (b Body) Text(name string) string {
	text, _ := Plain(b[name])
	return text
}

// Amount returns a value as an exact number; 0 if it is absent or no number.
func (b Body) Amount(name string) *big.Rat {
	if amount, ok := Decimal(b.Text(name)); ok {
		return amount
	}
	return new(big.Rat)
}

// Flag reports whether a value is true.
func (b Body) Flag(name string) bool { return b.Text(name) == "true" }

// List returns the objects of a list; nil if it is absent or holds other values.
func (b Body) List(name string) []Body {
	var elements []Body
	if json.Unmarshal(b[name], &elements) != nil {
		return nil
	}
	return elements
}

// InBase returns an amount in the organization's own currency, by the exchange_rate beside it;
// without a rate it is in that currency already.
func InBase(amount *big.Rat, beside Body) *big.Rat {
	rate := beside.Amount("exchange_rate")
	if rate.Sign() == 0 {
		return Cents(amount)
	}
	return Cents(rate.Mul(rate, amount))
}

// Cents cuts off fractions of a cent, as records do with amounts in the organization's own
// currency.
func Cents(amount *big.Rat) *big.Rat {
	const hundred = 100
	whole := new(big.Rat).Mul(amount, big.NewRat(hundred, 1))
	return new(big.Rat).SetFrac(new(big.Int).Quo(whole.Num(), whole.Denom()), big.NewInt(hundred))
}
