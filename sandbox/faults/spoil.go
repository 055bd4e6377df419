package faults

import (
	"bytes"
	"slices"

	"sluice/sandbox/faults/deform"
)

// Target names the keys of a record that a fault may spoil, by wire names.
type Target = deform.Target

// Spoil applies a fault to the records of a page; a nil fault does nothing. It may change the given
// slice.
func Spoil(fault *Fault, target Target, records [][]byte) [][]byte {
	if fault == nil || len(records) == 0 {
		return records
	}
	switch fault.Kind {
	case "poison":
		records[0] = deform.Value(records[0], target.Number, `"not a value"`)
		if len(records) > 1 {
			records[1] = deform.Without(records[1], target.ID)
		}
	case "nul":
		records[0] = deform.Value(records[0], target.Text, `"before\u0000after"`)
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
	default:
		if act, found := find(fault.Kind); found && act.spoil != nil {
			return act.spoil(target, records, fault.Strike)
		}
	}
	return records
}

// SpoilChat applies the faults of records to one value of the conversation export; the row counts
// from 0.
func SpoilChat(fault *Fault, row int, name, value string) string {
	switch {
	case name == "creation_time" && (fault.Is("all_poison") || fault.Is("poison") && row == 0):
		return "yesterday"
	case fault.Is("poison") && row == 1 && name == "chat_id":
		return ""
	case fault.Is("nul") && row == 0 && name == "title":
		return value + "\x00"
	case fault.Is("csv_newlines") && name == "title":
		return "first line\r\nsecond \"line\",\nthird"
	case fault.Is("csv_empty_id") && row == 0 && name == "chat_id":
		return ""
	default:
		return value
	}
}
