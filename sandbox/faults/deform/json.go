// Package deform makes what a service said something that it should not have said: a
// record, a page, an export with one thing wrong. It takes apart and puts together
// bytes and touches nothing else of them.
//
// It knows no fault and no call: package faults says what strikes which. Start reading
// with Records, Page and Lines.
package deform

import (
	"bytes"
	"encoding/json"
	"slices"
)

// member is one key of an object with the place of key and value.
type member struct {
	name            string
	from, value, to int // from before the key, value before the value, to behind it
}

// members takes an object apart at its top level. What is no object has no members.
func members(object []byte) []member {
	decoder := json.NewDecoder(bytes.NewReader(object))
	if open, err := decoder.Token(); err != nil || open != json.Delim('{') {
		return nil
	}
	var found []member
	for decoder.More() {
		from := int(decoder.InputOffset())
		key, err := decoder.Token()
		if err != nil {
			return nil
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return nil
		}
		name, _ := key.(string)
		to := int(decoder.InputOffset())
		found = append(found, member{name, from, to - len(value), to})
	}
	return found
}

// Value puts another JSON value in the place of a key's.
func Value(object []byte, key, value string) []byte {
	for _, m := range members(object) {
		if m.name == key {
			return slices.Concat(object[:m.value], []byte(value), object[m.to:])
		}
	}
	return object
}

// Without takes a key out of an object.
func Without(object []byte, key string) []byte {
	for _, m := range members(object) {
		if m.name != key {
			continue
		}
		// Before the first key InputOffset stands behind '{', before others
		// behind the last value, so that the comma goes with the key.
		rest := object[m.to:]
		if object[m.from] != ',' {
			rest = bytes.TrimPrefix(rest, []byte(","))
		}
		return slices.Concat(object[:m.from], rest)
	}
	return object
}

// Get returns a key's value as it is written; nil if there is none.
func Get(object []byte, key string) []byte {
	for _, m := range members(object) {
		if m.name == key {
			return object[m.value:m.to]
		}
	}
	return nil
}

// With appends members, written as they stand in an object, to one.
func With(object []byte, written string) []byte {
	inner, isObject := bytes.CutSuffix(bytes.TrimSpace(object), []byte("}"))
	if !isObject {
		return object
	}
	if len(bytes.TrimSpace(inner)) > 1 {
		written = "," + written
	}
	return slices.Concat(inner, []byte(written), []byte("}"))
}

// Named writes a key's name anew.
func Named(object []byte, key, name string) []byte {
	value := Get(object, key)
	if value == nil {
		return object
	}
	return With(Without(object, key), `"`+name+`":`+string(value))
}

// each puts what change answers in the place of every value of an object.
func each(object []byte, change func(name string, value []byte) []byte) []byte {
	found := members(object)
	if len(found) == 0 {
		return object
	}
	changed, at := make([]byte, 0, len(object)), 0
	for _, m := range found {
		changed = append(changed, object[at:m.value]...)
		changed = append(changed, change(m.name, object[m.value:m.to])...)
		at = m.to
	}
	return append(changed, object[at:]...)
}

// elements takes an array apart.
func elements(array []byte) [][]byte {
	var raw []json.RawMessage
	if json.Unmarshal(array, &raw) != nil {
		return nil
	}
	all := make([][]byte, 0, len(raw))
	for _, element := range raw {
		all = append(all, element)
	}
	return all
}

func array(all [][]byte) []byte {
	return slices.Concat([]byte("["), bytes.Join(all, []byte(",")), []byte("]"))
}
