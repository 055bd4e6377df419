package notifications

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"sluice/pipeline/warehouse/hints"
)

// watched is a callback of a channel, as far as it is used. Its resource_uri and query_params are
// not: nothing in a body is an address to go to.
type watched struct {
	channel   int64
	token     string
	operation string
	ids       []string
	sentAt    time.Time
	// changes are the changed fields by record, if the callback names them.
	changes map[string]hints.Change
}

// parseWatch reads the callback of a channel (docs/upstream.md U279, and as live services send it
// U285). A token that is no string is an error; every other part may be absent.
func parseWatch(body []byte) (watched, error) {
	said, err := parse(body)
	if err != nil {
		return watched{}, err
	}
	token, isText := text(said["token"])
	if !isText || token == "" {
		return watched{}, errFormat
	}
	channel, err := strconv.ParseInt(id(said["channel_id"]), 10, 64)
	if err != nil {
		return watched{}, errFormat
	}
	read := watched{channel: channel, token: token, operation: operation(said["operation"]), ids: []string{}, sentAt: instant(said["server_time"])}
	named := elements(said["ids"])
	for _, element := range named {
		if record := id(element); record != "" {
			read.ids = append(read.ids, record)
		}
	}
	// In the API document, each set of fields belongs to the record in its place.
	inPlace := slices.Clone(read.ids)
	if len(inPlace) < len(named) {
		inPlace = nil
	}
	slices.Sort(read.ids)
	read.ids = slices.Compact(read.ids)
	read.changes = changes(said, read.ids, inPlace)
	return read, nil
}

// changes reads affected_fields and affected_values. In the API document, affected_fields has the
// fields of one record after the other, with values; they belong to records only if each record has
// some. Live services send names by record there, and the values beside it. The ids are sorted.
func changes(said object, ids, inPlace []string) map[string]hints.Change {
	found := map[string]hints.Change{}
	fields := elements(said["affected_fields"])
	for _, element := range fields {
		maps.Copy(found, byRecord(element, ids))
	}
	if len(found) == 0 && len(fields) == len(inPlace) {
		for i, element := range fields {
			found[inPlace[i]] = hints.Change{Fields: names(members(element)), Values: values(element)}
		}
	}
	for _, element := range elements(said["affected_values"]) {
		part := members(element)
		record := id(part["record_id"])
		if _, known := slices.BinarySearch(ids, record); !known {
			continue
		}
		change := found[record]
		change.Values = values(part["values"])
		if change.Fields == nil {
			change.Fields = names(members(part["values"]))
		}
		found[record] = change
	}
	return found
}

// byRecord reads an element of affected_fields as live services send it: lists of names by record;
// nil if it has another form.
func byRecord(element jsontext.Value, ids []string) map[string]hints.Change {
	found := map[string]hints.Change{}
	for record, list := range members(element) {
		if _, known := slices.BinarySearch(ids, record); !known || list.Kind() != '[' {
			return nil
		}
		changed := []string{}
		for _, name := range elements(list) {
			if said, isText := text(name); isText && fieldName(said) {
				changed = append(changed, said)
			}
		}
		found[record] = hints.Change{Fields: changed}
	}
	return found
}

// names returns the keys of an object that can be stored, sorted.
func names(fields object) []string {
	found := []string{}
	for name := range fields {
		if fieldName(name) {
			found = append(found, name)
		}
	}
	slices.Sort(found)
	return found
}
