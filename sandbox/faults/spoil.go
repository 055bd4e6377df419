package faults

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Target names what of a record a fault may spoil, by wire names.
type Target struct {
	ID     string // the identifier, which poison takes away
	Number string // a number or date, which poison makes a text
	Text   string // a text, which nul spoils
}

// Spoil does to the records of a page what the fault says; a nil fault does
// nothing. It may change the slice that it is given.
func Spoil(fault *Fault, target Target, records [][]byte) [][]byte {
	if fault == nil || len(records) == 0 {
		return records
	}
	switch fault.Kind {
	case "poison":
		records[0] = withValue(records[0], target.Number, `"not a value"`)
		if len(records) > 1 {
			records[1] = withoutKey(records[1], target.ID)
		}
	case "nul":
		records[0] = withValue(records[0], target.Text, `"before\u0000after"`)
	case "unsorted":
		slices.Reverse(records)
	case "duplicate":
		if len(records) > 1 {
			records = slices.Insert(records, 1, slices.Clone(records[0]))
		}
	case "extra_keys":
		for n, record := range records {
			record = bytes.TrimSuffix(record, []byte("}"))
			records[n] = append(record, `,"entity_rank":7,"is_edition_flag":true,"edition_details":{"region":"north","codes":["a","b"]}}`...)
		}
	}
	return records
}

// SpoilChat is what the faults of records do to one value of the conversation export;
// the row counts from 0.
func SpoilChat(fault *Fault, row int, name, value string) string {
	switch {
	case fault.Is("poison") && row == 0 && name == "creation_time":
		return "yesterday"
	case fault.Is("poison") && row == 1 && name == "chat_id":
		return ""
	case fault.Is("nul") && row == 0 && name == "title":
		return value + "\x00"
	default:
		return value
	}
}

// member is one key of a record with the place of key and value.
type member struct {
	name            string
	from, value, to int // from before the key, value before the value, to behind it
}

// members takes a record apart at its top level. The records are our own and
// well-formed; a record that is not has no members.
func members(record []byte) []member {
	decoder := json.NewDecoder(bytes.NewReader(record))
	if _, err := decoder.Token(); err != nil {
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

// withValue puts another JSON value in the place of a key's.
func withValue(record []byte, key, value string) []byte {
	for _, m := range members(record) {
		if m.name == key {
			return slices.Concat(record[:m.value], []byte(value), record[m.to:])
		}
	}
	return record
}

// withoutKey takes a key out of a record.
func withoutKey(record []byte, key string) []byte {
	for _, m := range members(record) {
		if m.name != key {
			continue
		}
		// Before the first key InputOffset stands behind '{', before others
		// behind the last value, so that the comma goes with the key.
		rest := record[m.to:]
		if record[m.from] != ',' {
			rest = bytes.TrimPrefix(rest, []byte(","))
		}
		return slices.Concat(record[:m.from], rest)
	}
	return record
}
