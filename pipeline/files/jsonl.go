package files

import (
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// linesWriter writes one JSON object a line, with all columns in their order.
type linesWriter struct {
	to      io.Writer
	columns []Column
	// names are the quoted names, each with its colon.
	names [][]byte
	line  []byte
}

func newLines(to io.Writer, columns []Column) *linesWriter {
	w := &linesWriter{to: to, columns: columns}
	for _, c := range columns {
		name, _ := jsontext.AppendQuote(nil, c.Name) // a name of Postgres is valid UTF-8
		w.names = append(w.names, append(name, ':'))
	}
	return w
}

// Write implements Writer. Columns of JSON are JSON in the line, and decimals are numbers with all
// their digits.
func (w *linesWriter) Write(row []Value) error {
	w.line = append(w.line[:0], '{')
	for i, c := range w.columns {
		if i > 0 {
			w.line = append(w.line, ',')
		}
		w.line = append(w.line, w.names[i]...)
		var err error
		if w.line, err = w.value(c, row[i]); err != nil {
			return err
		}
	}
	w.line = append(w.line, '}', '\n')
	if _, err := w.to.Write(w.line); err != nil {
		return fmt.Errorf("write a line: %w", err)
	}
	return nil
}

func (w *linesWriter) value(c Column, v Value) ([]byte, error) {
	if v.Null {
		return append(w.line, "null"...), nil
	}
	switch c.Kind {
	case Text:
		line, err := jsontext.AppendQuote(w.line, v.Text)
		if err != nil {
			return line, fmt.Errorf("%s: %w", c.Name, err)
		}
		return line, nil
	case Date, Time, Bytes:
		line, err := appendText(append(w.line, '"'), c, v)
		return append(line, '"'), err
	default:
		return appendText(w.line, c, v)
	}
}

// Close implements Writer.
func (w *linesWriter) Close() error { return nil }
