package body

import (
	"errors"
	"fmt"
	"io"
)

// boundedReader remembers why reading stopped. It stops when the current line has more bytes or
// fields than are allowed.
type boundedReader struct {
	r    io.Reader
	left int
	line fieldCount
	err  error
}

// begin begins a line of at most fields fields; received is what was read of it already.
func (b *boundedReader) begin(fields int, received []byte) error {
	b.left, b.line = maxRow+sniffed, fieldCount{most: fields, open: true}
	return b.look(received)
}

// look counts the fields in the next bytes of the line.
func (b *boundedReader) look(p []byte) error {
	if b.line.see(p); b.line.fields > b.line.most {
		b.err = fmt.Errorf("%w: a row of more than %d fields", ErrShape, b.line.most)
	}
	return b.err
}

// Read implements io.Reader.
func (b *boundedReader) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.r.Read(p)
	b.left -= n
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		b.err = err
	case err == nil && b.left < -sniffed:
		b.err = fmt.Errorf("%w: a row of more than %d bytes", ErrShape, maxRow)
		err = b.err
	case b.look(p[:n]) != nil:
		return 0, b.err
	}
	return n, err // a reader passes errors on as they are
}

// fieldCount counts the fields of one line while its bytes arrive, before the CSV reader allocates
// anything for them.
type fieldCount struct {
	fields, most int
	// open says that the line is being read, begun that it is not empty so far, quoted that the
	// count is within quotes.
	open, begun, quoted bool
}

// see looks at the next bytes, up to the end of the line or to a field too many.
func (f *fieldCount) see(p []byte) {
	for i := 0; i < len(p) && f.open && f.fields <= f.most; i++ {
		switch c := p[i]; {
		case c == '"':
			f.begin()
			f.quoted = !f.quoted
		case f.quoted, c == '\r':
		case c == '\n':
			f.open = !f.begun // the CSV reader passes empty lines over
		case c == ',':
			f.begin()
			f.fields++
		default:
			f.begin()
		}
	}
}

// begin counts the first field.
func (f *fieldCount) begin() {
	if !f.begun {
		f.begun, f.fields = true, f.fields+1
	}
}
