package live

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"

	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/overlay"
	"sluice/sandbox/world/wire"
	"sluice/sandbox/world/words"
)

// place says which answers carry a key.
type place int

const (
	both place = iota
	list
	single
)

// field is a key that live services send beyond the documents.
type field struct {
	name  string
	in    place
	value value
}

// value computes the value of a key.
type value func(record) json.RawMessage

// absent is how live services write what is not there (docs/upstream.md U133).
var absent = json.RawMessage(`""`)

// empty is an array without elements.
var empty = json.RawMessage(`[]`)

// raw is a value in its spelling.
func raw(spelling string) value {
	return func(record) json.RawMessage { return json.RawMessage(spelling) }
}

func quoted(text string) json.RawMessage { return wire.AppendText(nil, text) }

func text(text string) value { return raw(string(quoted(text))) }

// none, zero, no and yes are the most common values.
func none() value { return raw(`""`) }
func zero() value { return raw("0.00") }
func no() value   { return raw("false") }
func yes() value  { return raw("true") }

// rare is a value of rare records, and absent in the others.
func rare(v value) value { return given(record.rare, v, none()) }

// rareText is rare for a text.
func rareText(s string) value { return rare(text(s)) }

// rareZero is rare for an amount of nothing.
func rareZero() value { return rare(zero()) }

// rarely is an array with one element in rare records, and without elements in the others.
func rarely(element string) value { return given(record.rare, raw("["+element+"]"), raw("[]")) }

// every is a value of one record in n, and absent in the others.
func every(n int, v value) value {
	return given(func(r record) bool { return r.i%n == 0 }, v, none())
}

func given(when func(record) bool, then, otherwise value) value {
	return func(r record) json.RawMessage {
		if when(r) {
			return then(r)
		}
		return otherwise(r)
	}
}

// is reports whether a key has a text.
func is(name, text string) func(record) bool {
	return func(r record) bool { return r.Text(name) == text }
}

// filled reports whether a key has a value.
func filled(name string) func(record) bool {
	return func(r record) bool { return r.Text(name) != "" && r.Text(name) != "[]" }
}

// same is the value of another key.
func same(name string) value {
	return func(r record) json.RawMessage {
		if v := r.Get(name); len(v) > 0 {
			return v
		}
		return absent
	}
}

// whole is the value of a key of the record around an element.
func whole(name string) value {
	return func(r record) json.RawMessage {
		if v := r.whole().Get(name); len(v) > 0 {
			return v
		}
		return absent
	}
}

// identifier is that of a thing of a group, with the record's number.
func identifier(group int) value {
	return func(r record) json.RawMessage { return quoted(ids.Fixed(group, r.i)) }
}

// rareID is identifier in rare records, and absent in the others.
func rareID(group int) value { return rare(identifier(group)) }

// user is the identifier of an employee, username the name; by a number beside the record's.
func user(beside int) value {
	return func(r record) json.RawMessage {
		id, _ := words.User((r.i + beside) % words.Users)
		return quoted(id)
	}
}

func username(beside int) value {
	return func(r record) json.RawMessage {
		_, name := words.User((r.i + beside) % words.Users)
		return quoted(name)
	}
}

func usermail(beside int) value {
	return func(r record) json.RawMessage {
		return quoted("user" + strconv.Itoa((r.i+beside)%words.Users+1) + "@meridian.example")
	}
}

// account is the identifier of the first account of a type, accountName its name.
func account(kind string) value {
	return func(r record) json.RawMessage { return quoted(ids.Of(ids.Accounts, r.a.kinds[kind])) }
}

func accountName(kind string) value {
	return func(r record) json.RawMessage { return quoted(r.a.AccountName(r.a.kinds[kind])) }
}

// created and modified are the two times of a record.
func created(r record) json.RawMessage { return quoted(r.a.Stamp(r.a.Created(r.kind, r.i))) }

func modified(r record) json.RawMessage { return quoted(r.a.Stamp(r.a.Modified(r.kind, r.i))) }

// amount rounds to cents.
func amount(number *big.Rat) json.RawMessage { return json.RawMessage(number.FloatString(2)) }

// sum adds keys; those with a minus before them are subtracted.
func sum(names ...string) value {
	return func(r record) json.RawMessage {
		total := new(big.Rat)
		for _, name := range names {
			if name[0] == '-' {
				total.Sub(total, r.Number(name[1:]))
				continue
			}
			total.Add(total, r.Number(name))
		}
		return amount(total)
	}
}

// based is an amount in the base currency: the amount times the record's exchange rate.
func based(name string) value {
	return func(r record) json.RawMessage {
		return amount(new(big.Rat).Mul(r.Number(name), r.whole().Number("exchange_rate")))
	}
}

// total adds a key of the elements of an array.
func total(array, name string) value {
	return func(r record) json.RawMessage { return amount(r.over(array, name)) }
}

func (r record) over(array, name string) *big.Rat {
	sum := new(big.Rat)
	for _, element := range r.List(array) {
		sum.Add(sum, element.Number(name))
	}
	return sum
}

// levy returns a tax by its identifier; false if it is unknown.
func levy(id string) (words.Tax, bool) {
	n, known := ids.FixedIndex(ids.GroupTax, id)
	if !known || n > mostTaxes {
		return words.Tax{}, false
	}
	return words.TaxAt(n), true
}

const mostTaxes = 10_000

// taxOf is a key of the tax that tax_id names.
func taxOf(show func(words.Tax) json.RawMessage) value {
	return func(r record) json.RawMessage {
		if tax, known := levy(r.Text("tax_id")); known {
			return show(tax)
		}
		return absent
	}
}

func taxName(tax words.Tax) json.RawMessage { return quoted(tax.Name) }

func taxPercent(tax words.Tax) json.RawMessage {
	return json.RawMessage(strconv.FormatInt(tax.Percent, 10))
}

// levied is the tax on an amount of an element, cut off at cents as the sums of documents are.
func levied(name string) value {
	return func(r record) json.RawMessage {
		tax, known := levy(r.Text("tax_id"))
		if !known {
			return zero()(r)
		}
		cents := new(big.Rat).Mul(r.Number(name), new(big.Rat).SetInt64(tax.Percent))
		return amount(new(big.Rat).SetFrac(new(big.Int).Quo(cents.Num(), cents.Denom()), big.NewInt(words.Cents)))
	}
}

// lineTaxes is the array of an element's taxes.
func lineTaxes(name string) value {
	return func(r record) json.RawMessage {
		tax, known := levy(r.Text("tax_id"))
		if !known {
			return empty
		}
		one := overlay.NewObject()
		one.SetText("tax_id", tax.ID)
		one.SetText("tax_name", fmt.Sprintf("%s (%d%%)", tax.Name, tax.Percent))
		one.Set("tax_amount", levied(name)(r))
		return array1(one)
	}
}
