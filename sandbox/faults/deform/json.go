// Package deform makes an answer wrong: a record, a page, or an export with one thing changed. It
// splits and joins bytes and leaves the rest unchanged.
//
// It knows no fault and no call: package faults decides what strikes which. Start reading with
// Records, Page and Lines.
package deform

import (
	"bytes"
	"encoding/json"
	"slices"
)

// member is one key of an object with the positions of key and value.
type member struct {
	name            string
	from, value, to int // from before the key, value before the value, to behind it
}

// members splits an object at its top level; anything else has no members.
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

// Value replaces the value of a key.
func Value(object []byte, key, value string) []byte {
	for _, m := range members(object) {
		if m.name == key {
			return slices.Concat(object[:m.value], []byte(value), object[m.to:])
		}
	}
	return object
}

// Without removes a key from an object.
func Without(object []byte, key string) []byte {
	for _, m := range members(object) {
		if m.name != key {
			continue
		}
		// Before the first key, InputOffset is behind '{', before others behind the last value, so
		// that the comma goes with the key.
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

// With appends members to an object, spelled as in an object.
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

// Named renames a key.
func Named(object []byte, key, name string) []byte {
	value := Get(object, key)
	if value == nil {
		return object
	}
	return With(Without(object, key), `"`+name+`":`+string(value))
}

// each replaces every value of an object by the result of change.
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

// elements splits an array.
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
