package files

import (
	"bytes"
	"fmt"
	"io"
)

// csvWriter writes RFC 4180: a line of names, and lines that end with CR and LF. Null is nothing at
// all, and the empty text is two quotes, as Postgres writes and reads them.
type csvWriter struct {
	to      io.Writer
	columns []Column
	line    []byte
}

func newCSV(to io.Writer, columns []Column) (*csvWriter, error) {
	w := &csvWriter{to: to, columns: columns}
	for i, c := range columns {
		w.line = appendField(w.comma(i), []byte(c.Name))
	}
	return w, w.end()
}

// Write implements Writer.
func (w *csvWriter) Write(row []Value) error {
	for i, c := range w.columns {
		w.line = w.comma(i)
		switch {
		case row[i].Null:
		case c.Kind == Text || c.Kind == JSON:
			w.line = appendField(w.line, row[i].Text)
		default: // no other text has a quote, a comma or a space
			var err error
			if w.line, err = appendText(w.line, c, row[i]); err != nil {
				return err
			}
		}
	}
	return w.end()
}

// Close implements Writer.
func (w *csvWriter) Close() error { return nil }

func (w *csvWriter) comma(column int) []byte {
	if column == 0 {
		return w.line[:0]
	}
	return append(w.line, ',')
}

func (w *csvWriter) end() error {
	w.line = append(w.line, '\r', '\n')
	if _, err := w.to.Write(w.line); err != nil {
		return fmt.Errorf("write a line: %w", err)
	}
	return nil
}

// appendField appends a text, in quotes if it could be read as something else.
func appendField(dst, text []byte) []byte {
	plain := len(text) > 0 && !bytes.ContainsAny(text, "\",\r\n") && text[0] != ' ' && text[len(text)-1] != ' '
	if plain {
		return append(dst, text...)
	}
	dst = append(dst, '"')
	for _, b := range text {
		if b == '"' {
			dst = append(dst, '"')
		}
		dst = append(dst, b)
	}
	return append(dst, '"')
}
