package body

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

const (
	// maxRow bounds one line of an export, in bytes: an unclosed quote must not read the rest of
	// the body into memory.
	maxRow = 1 << 20
	// maxMore is how many fields beyond those asked for are still read, so that the error can say
	// how many a line has.
	maxMore = 64
	// sniffed is how much of an export's start is searched for another kind of document.
	sniffed = 64 << 10
	// trailer begins the last line of an export that goes on elsewhere (docs/upstream.md U254).
	trailer = "next_token="
)

// Rows reads the lines of a CSV export as JSON objects, one at a time. Source: docs/upstream.md
// U253: the columns are the requested fields in the order requested; a header row, blank lines and
// a trailer are accepted with and without (U254).
//
// Quoting is strict (RFC 4180). A CR LF inside a quoted field comes out as LF.
type Rows struct {
	fields []string
	// received is what reader reads from.
	received *bufio.Reader
	reader   *csv.Reader
	source   *boundedReader
	first    bool
	next     string
	ended    bool
}

// NewRows starts to read an export of these fields. If the body is another document (an error in
// JSON, a page of HTML), it gives the start of that and ErrShape.
func NewRows(r io.Reader, fields []string) (*Rows, []byte, error) {
	source := &boundedReader{r: r}
	buffered := bufio.NewReaderSize(source, sniffed)
	if mark, err := buffered.Peek(len(byteOrderMark)); err == nil && string(mark) == byteOrderMark {
		if _, err = buffered.Discard(len(byteOrderMark)); err != nil {
			return nil, nil, fmt.Errorf("read the start of the export: %w", err)
		}
	}
	if other := sniff(buffered); other != nil {
		return nil, other, fmt.Errorf("%w: not CSV", ErrShape)
	}
	reader := csv.NewReader(buffered)
	reader.ReuseRecord = true
	reader.FieldsPerRecord = -1 // the trailer has one field; Next counts by itself
	return &Rows{fields: fields, received: buffered, reader: reader, source: source, first: true}, nil, nil
}

const byteOrderMark = "\xef\xbb\xbf"

// Next gives the next row as a JSON object of strings in the order of the fields, io.EOF after the
// last one. ErrShape says that the lines are not the requested ones; any other error is the
// reader's.
func (r *Rows) Next() ([]byte, error) {
	for {
		row, err := r.read()
		if err != nil {
			return nil, err
		}
		blank := len(row) == 1 && len(r.fields) != 1 && strings.TrimSpace(row[0]) == ""
		first := r.first && !blank
		r.first = r.first && blank
		switch {
		case blank:
		case first && slices.Equal(row, r.fields):
			// A header row.
		case r.isTrailer(row):
			r.next = strings.TrimSpace(strings.TrimPrefix(strings.Join(row, ","), trailer))
			r.ended = true
			if len(r.next) > maxText {
				return nil, fmt.Errorf("%w: a token to ask on with of more than %d bytes", ErrShape, maxText)
			}
		case r.ended:
			return nil, fmt.Errorf("%w: rows follow the trailer", ErrShape)
		case len(row) != len(r.fields):
			return nil, fmt.Errorf("%w: a row of %d fields where %d were asked for", ErrShape, len(row), len(r.fields))
		case first && r.isOtherHeader(row):
			return nil, fmt.Errorf("%w: the header names the columns in another order than asked for", ErrShape)
		default:
			return r.object(row), nil
		}
	}
}

// NextToken is the token for the next call, from the trailer; "" if the export ends here. It is
// known once Next has returned io.EOF.
func (r *Rows) NextToken() string { return r.next }

func (r *Rows) read() ([]string, error) {
	received, err := r.received.Peek(r.received.Buffered())
	if err != nil {
		return nil, fmt.Errorf("read a row: %w", err)
	}
	if err = r.source.begin(len(r.fields)+maxMore, received); err != nil {
		return nil, err
	}
	row, err := r.reader.Read()
	if err == nil {
		return row, nil
	}
	if r.source.err != nil {
		// The bounded reader cut the line, so the CSV reader's view of the rest does not count.
		return nil, r.source.err
	}
	if errors.Is(err, io.EOF) {
		return nil, io.EOF
	}
	if parse, ok := errors.AsType[*csv.ParseError](err); ok {
		return nil, fmt.Errorf("%w: line %d: %w", ErrShape, parse.Line, parse.Err)
	}
	return nil, fmt.Errorf("read a row: %w", err)
}

func (r *Rows) isTrailer(row []string) bool {
	return !r.ended && strings.HasPrefix(row[0], trailer) && (len(row) != len(r.fields) || len(row) == 1)
}

func (r *Rows) isOtherHeader(row []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(row)), slices.Sorted(slices.Values(r.fields)))
}

// object writes the row as a JSON object. Bytes that are no UTF-8 stay as they are: whether they
// fit is not decided here (invariant 4).
func (r *Rows) object(row []string) []byte {
	out := []byte{'{'}
	for i := range row {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendQuoted(append(appendQuoted(out, r.fields[i]), ':'), row[i])
	}
	return append(out, '}')
}

// appendQuoted appends a text as a JSON string. A library would replace bytes that are no UTF-8.
func appendQuoted(out []byte, text string) []byte {
	out = append(out, '"')
	for i := range len(text) {
		switch c := text[i]; {
		case c < ' ':
			out = fmt.Appendf(out, `\u%04x`, c)
		case c == '"' || c == '\\':
			out = append(out, '\\', c)
		default:
			out = append(out, c)
		}
	}
	return append(out, '"')
}

// sniff gives the start of a body that is JSON or HTML, nil if it may be CSV. The title of a column
// may begin with a brace, so such a body counts as JSON only if it is a whole object.
func sniff(r *bufio.Reader) []byte {
	start := peek(r, 512) //nolint:mnd // more than any blank lead and tag
	start = bytes.TrimLeft(start, " \t\r\n")
	if len(start) == 0 {
		return nil
	}
	switch start[0] {
	case '{':
		start = bytes.TrimLeft(peek(r, sniffed), " \t\r\n")
		if _, err := Parse(start); err == nil {
			return start
		}
	case '<':
		lower := strings.ToLower(string(start[:min(len(start), 16)])) //nolint:mnd // the longest tag
		for _, tag := range []string{"<!doctype", "<html", "<?xml", "<head", "<body", "<script", "<error"} {
			if strings.HasPrefix(lower, tag) {
				return start
			}
		}
	}
	return nil
}

// peek gives up to n bytes without consuming them. An error of the source is not lost: the next
// read returns it again.
func peek(r *bufio.Reader, n int) []byte {
	start, err := r.Peek(n)
	if err != nil && len(start) == 0 {
		return nil
	}
	return start
}
