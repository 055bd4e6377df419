package body

import (
	"bytes"

	"sluice/schema/jsonscan"
)

// quickly reads the next line as an object in one pass, if it is a plain row. All of it has been
// received, it has as many fields as were asked for, and its quotes are well placed. For any other
// line it returns false and consumes nothing. Then carefully reads the line and says what is wrong
// with it, or what else it may be.
func (r *Rows) quickly() ([]byte, bool) {
	if r.first || r.ended || len(r.fields) < 2 {
		return nil, false
	}
	received, err := r.received.Peek(r.received.Buffered())
	if err != nil {
		return nil, false
	}
	end := bytes.IndexByte(received, '\n')
	if end < 0 {
		return nil, false
	}
	line := bytes.TrimSuffix(received[:end], []byte("\r"))
	const spare = 16 // for escapes; a line that needs more makes the block grow
	r.room(r.around + len(line) + spare)
	from, out := len(r.block), r.block
	for i, name := range r.names {
		var ok bool
		out = append(append(out, name...), '"')
		if out, line, ok = field(out, line, i == len(r.names)-1); !ok {
			return nil, false
		}
		out = append(out, '"')
	}
	out = append(out, '}')
	r.block = out
	if _, err := r.received.Discard(end + 1); err != nil {
		return nil, false
	}
	r.quick++
	return out[from:len(out):len(out)], true
}

// field appends the field at the front of a line as the inside of a JSON string, and gives the line
// behind the field's comma. It returns false for a field that is not that simple.
func field(out, line []byte, last bool) ([]byte, []byte, bool) {
	if len(line) == 0 || line[0] != '"' {
		text, rest, more := bytes.Cut(line, []byte(","))
		if more == last {
			return out, nil, false
		}
		if jsonscan.Plain(text) {
			return append(out, text...), rest, true
		}
		return appendEscaped(out, text), rest, bytes.IndexByte(text, '"') < 0
	}
	for line = line[1:]; ; {
		text, rest, closed := bytes.Cut(line, []byte(`"`))
		if !closed {
			return out, nil, false // the field goes on in the next line
		}
		if jsonscan.Plain(text) {
			out = append(out, text...)
		} else {
			out = appendEscaped(out, text)
		}
		switch {
		case len(rest) == 0:
			return out, nil, last
		case rest[0] == ',':
			return out, rest[1:], !last
		case rest[0] != '"':
			return out, nil, false
		}
		out, line = append(out, `\"`...), rest[1:]
	}
}
