package overlay

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// Values replace those of a generated record.
type Values struct {
	*Object

	Lists map[string][]*Object // of objects, by name
	// Live are the names inside of lists that no document shows; an element without a sample omits
	// them.
	Live []string
}

// Fit appends a generated record, in any form, with other values. It adds no key that the form
// omits: elements have the keys of samples, which are blank elements by the name of their list.
// Amounts that the values do not know become zero, as they would contradict the others.
func (v Values) Fit(dst, generated []byte, sample func(list string) *Object) []byte {
	o, err := Parse(generated)
	if err != nil { // the world writes objects only
		return append(dst, generated...)
	}
	for _, name := range o.names {
		elements, isList := v.Lists[name]
		switch {
		case isList:
			o.SetList(name, v.fitted(elements, sample(name)))
		case v.Has(name):
			o.Set(name, v.Get(name))
		case amount(o.values[name]):
			o.Set(name, absent(o.values[name]))
		}
	}
	return o.Append(dst)
}

// fitted returns elements with the keys of a sample.
func (v Values) fitted(elements []*Object, sample *Object) []*Object {
	fitted := make([]*Object, len(elements))
	for n, element := range elements {
		o := element
		if len(sample.names) > 0 {
			o = sample.with(element)
		} else {
			for _, name := range v.Live {
				o.Drop(name)
			}
		}
		fitted[n] = o
	}
	return fitted
}

// with returns a copy that has the values of another object, as far as it has their names.
func (o *Object) with(other *Object) *Object {
	copied := &Object{names: slices.Clone(o.names), values: maps.Clone(o.values)}
	for _, name := range other.names {
		if copied.Has(name) {
			copied.values[name] = other.values[name]
		}
	}
	return copied
}

// amount reports whether a value is a number with decimals.
func amount(value json.RawMessage) bool {
	return len(value) > 0 && value[0] != '"' && value[0] != '[' && value[0] != '{' && bytes.IndexByte(value, '.') >= 0
}

// Correction names the values of a record, and of the elements of its lists, to set.
type Correction struct {
	Names []string
	Lists map[string][]string // names inside of elements, by list
	Whole []string            // lists to replace as they are
}

// Correct appends a record with some values, where it has their keys.
func (v Values) Correct(dst, record []byte, c Correction) []byte {
	o, err := Parse(record)
	if err != nil { // the world writes objects only
		return append(dst, record...)
	}
	for _, name := range c.Names {
		if o.Has(name) && v.Has(name) {
			o.Set(name, v.Get(name))
		}
	}
	for list, names := range c.Lists {
		elements := o.List(list)
		for n := range min(len(elements), len(v.Lists[list])) {
			for _, name := range names {
				if elements[n].Has(name) && v.Lists[list][n].Has(name) {
					elements[n].Set(name, v.Lists[list][n].Get(name))
				}
			}
		}
		if len(elements) > 0 {
			o.SetList(list, elements)
		}
	}
	for _, list := range c.Whole {
		if o.Has(list) {
			o.SetList(list, v.Lists[list])
		}
	}
	return o.Append(dst)
}
