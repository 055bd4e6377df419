// Package archive is the form in which the raw records of a transaction are kept together: a JSON
// array of their bytes as they came. It is pure: bytes in, bytes out.
//
// Where no record has a line feed in it, which nearly none has, each record has a line of its own.
// So a reader that takes the array apart looks for line feeds and not for the ends of values, and
// people can read it.
//
// Start reading at FormOf, then Split.
package archive

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"sluice/schema/jsonscan"
)

// Form is what stands around the records of an array.
type Form struct{ begin, between, end string }

var (
	lines = Form{"[\n", ",\n", "\n]"}
	dense = Form{"[", ",", "]"}
)

// FormOf gives that of an array of these records.
func FormOf(records [][]byte) Form {
	for _, record := range records {
		if bytes.IndexByte(record, '\n') >= 0 {
			return dense
		}
	}
	return lines
}

// Size is how many bytes Append adds.
func (f Form) Size(records [][]byte) int {
	size := len(f.begin) + len(f.between)*(len(records)-1) + len(f.end)
	for _, record := range records {
		size += len(record)
	}
	return size
}

// Append adds an array of records, of which there is at least one. Each is one JSON value without
// white space around it.
func (f Form) Append(text []byte, records [][]byte) []byte {
	text = append(text, f.begin...)
	for i, record := range records {
		if i > 0 {
			text = append(text, f.between...)
		}
		text = append(text, record...)
	}
	return append(text, f.end...)
}

// Split takes an array apart; the records are slices of it. It is an error if it is no JSON array;
// where it has lines, what stands in them is for the readers of records to judge.
func Split(text []byte) ([][]byte, error) {
	if records, ok := splitLines(text); ok {
		return records, nil
	}
	var records [][]byte
	// The array around the records is no part of how deep they nest.
	if end, ok := jsonscan.Elements(text, 0, -1, func(raw []byte) { records = append(records, raw) }); ok && end == len(text) {
		return records, nil
	}
	var careful []json.RawMessage
	if err := json.Unmarshal(text, &careful); err != nil {
		return nil, fmt.Errorf("it is no array of records: %w", err)
	}
	records = make([][]byte, len(careful))
	for i, raw := range careful {
		records[i] = raw
	}
	return records, nil
}

// splitLines takes an array apart that has a record in each line; false if it does not look like
// one. No other array that was ever kept begins with a line feed, for records have no white space
// around them.
func splitLines(text []byte) ([][]byte, bool) {
	if len(text) <= len(lines.begin)+len(lines.end) || !bytes.HasPrefix(text, []byte(lines.begin)) || !bytes.HasSuffix(text, []byte(lines.end)) {
		return nil, false
	}
	rest := text[len(lines.begin) : len(text)-len(lines.end)]
	records := make([][]byte, 0, bytes.Count(rest, []byte{'\n'})+1)
	for {
		line, after, more := bytes.Cut(rest, []byte{'\n'})
		record, separated := bytes.CutSuffix(line, []byte{','})
		if separated != more || len(record) == 0 {
			return nil, false
		}
		if records = append(records, slices.Clip(record)); !more {
			return records, true
		}
		rest = after
	}
}
