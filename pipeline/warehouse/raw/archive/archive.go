// Package archive is the format in which the raw records of a transaction are stored together: a
// JSON array of their bytes as they came. It is pure: bytes in, bytes out.
//
// Where no record contains a line feed, and nearly none does, each record has a line of its own. So
// a reader searches for line feeds instead of the ends of values, and the text is legible.
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

// Form is the text around the records of an array.
type Form struct{ begin, between, end string }

var (
	lines = Form{"[\n", ",\n", "\n]"}
	dense = Form{"[", ",", "]"}
)

// FormOf returns the form for an array of these records.
func FormOf(records [][]byte) Form {
	for _, record := range records {
		if bytes.IndexByte(record, '\n') >= 0 {
			return dense
		}
	}
	return lines
}

// Erased stands in an array where a record was that an operator erased: the positions of the others
// stay what they are.
const Erased = "null"

// Size is the number of bytes that Append adds.
func (f Form) Size(records [][]byte) int {
	size := len(f.begin) + len(f.between)*(len(records)-1) + len(f.end)
	for _, record := range records {
		size += len(record)
	}
	return size
}

// Append appends an array of records, of which there is at least one. Each is one JSON value
// without white space around it.
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

// Split splits an array into its records, which are slices of it. It returns an error if text is no
// JSON array. In the form with lines it does not check what the lines contain: the readers of
// records do.
func Split(text []byte) ([][]byte, error) {
	if records, ok := splitLines(text); ok {
		return records, nil
	}
	var records [][]byte
	// The array around the records does not count in the nesting depth.
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

// splitLines splits an array that has a record on each line; it returns false if it has another
// form. The line feed at the beginning identifies the form: a dense array cannot begin with one,
// for records have no white space around them.
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

// Rewrite returns an array whose records are rewritten, each in its place, and how many changed. It
// returns the text itself if none did. Records that an operator erased stay.
func Rewrite(text []byte, rewrite func(record []byte) []byte) ([]byte, int, error) {
	records, err := Split(text)
	if err != nil {
		return nil, 0, err
	}
	changed := 0
	for i, record := range records {
		if string(record) == Erased {
			continue
		}
		if records[i] = rewrite(record); !bytes.Equal(record, records[i]) {
			changed++
		}
	}
	if changed == 0 {
		return text, 0, nil
	}
	form := FormOf(records)
	return form.Append(make([]byte, 0, form.Size(records)), records), changed, nil
}
