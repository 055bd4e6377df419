package cli

import (
	"encoding/json"
	"math/big"
)

// ledger holds upstream's records of one business.
type ledger struct{ bills, notes, items, accounts []record }

// record is a record of upstream.
type record map[string]json.RawMessage

func parse(raw []byte) record {
	var r record
	if json.Unmarshal(raw, &r) != nil {
		return record{}
	}
	return r
}

// text is a value as it is on the wire, without quotes; "" if there is none.
func (r record) text(name string) string {
	var s string
	if json.Unmarshal(r[name], &s) == nil {
		return s
	}
	if string(r[name]) == "null" {
		return ""
	}
	return string(r[name])
}

func (r record) list(name string) []record {
	var list []record
	if json.Unmarshal(r[name], &list) != nil {
		return nil
	}
	return list
}

// amount is a number of a record; nil if there is none.
func (r record) amount(name string) *big.Rat {
	value, ok := new(big.Rat).SetString(r.text(name))
	if !ok {
		return nil
	}
	return value
}

// rounded rounds to the cent, halves away from zero.
func rounded(sum *big.Rat) *big.Rat {
	if sum == nil {
		return nil
	}
	text, _ := new(big.Rat).SetString(sum.FloatString(2))
	return text
}

// row is a row of an answer: texts, whole numbers, fractions, and nil for unknown values.
type row = []any

func boolean(holds bool) int {
	if holds {
		return 1
	}
	return 0
}
