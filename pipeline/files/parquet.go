package files

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
)

// A group of rows ends at so many bytes of values, or at so many rows: they are in memory until
// then.
const (
	groupBytes = 8 << 20
	groupRows  = 1 << 20
)

// The numbers of Parquet's enumerations. Source: parquet.thrift of apache/parquet-format.
const (
	typeBoolean   = 0
	typeInt32     = 1
	typeInt64     = 2
	typeByteArray = 6
	typeFixed     = 7

	optional = 1

	convertedText    = 0
	convertedDecimal = 5
	convertedDate    = 6
	convertedMicros  = 10
	convertedJSON    = 19

	logicalText    = 1
	logicalDecimal = 5
	logicalDate    = 6
	logicalTime    = 8
	logicalJSON    = 12
	unitMicros     = 2

	encodingPlain = 0
	encodingRLE   = 3

	codecNone = 0
	codecGzip = 2

	dataPage = 0
)

// magic begins and ends a file.
const magic = "PAR1"

// writtenBy names the writer, in the form that readers parse, and never another version: a file
// depends on its rows alone.
const writtenBy = "sluice version 1 (build 0)"

// parquetWriter writes a table without nesting: each column may be null, values are plain, and a
// column of a group of rows is one page, compressed where that makes it smaller
// (docs/decisions/0033-export).
type parquetWriter struct {
	to      io.Writer
	offset  int64
	columns []Column
	pages   []page
	rows    int64
	// groupRows and groupBytes are those of the present group.
	groupRows  int64
	groupBytes int
	groups     []group

	body, packed bytes.Buffer
	zip          *gzip.Writer
}

// group is what the footer says of a group of rows.
type group struct {
	rows   int64
	chunks []chunk
}

// chunk is what the footer says of one column of a group. Sizes include the header of its page.
type chunk struct {
	offset, plain, stored int64
	codec                 int64
}

func newParquet(to io.Writer, columns []Column) (*parquetWriter, error) {
	w := &parquetWriter{to: to, columns: columns, pages: make([]page, len(columns))}
	var err error
	if w.zip, err = gzip.NewWriterLevel(&w.packed, gzip.BestSpeed); err != nil {
		return nil, fmt.Errorf("prepare the compression: %w", err)
	}
	return w, w.put([]byte(magic))
}

// Write implements Writer.
func (w *parquetWriter) Write(row []Value) error {
	for i := range w.columns {
		before := len(w.pages[i].values)
		if err := w.pages[i].add(w.columns[i], row[i]); err != nil {
			return err
		}
		w.groupBytes += len(w.pages[i].values) - before
	}
	w.groupRows++
	if w.groupBytes >= groupBytes || w.groupRows >= groupRows {
		return w.flush()
	}
	return nil
}

// Close implements Writer.
func (w *parquetWriter) Close() error {
	if w.groupRows > 0 {
		if err := w.flush(); err != nil {
			return err
		}
	}
	footer := w.footer()
	footer = binary.LittleEndian.AppendUint32(footer, uint32(len(footer))) //nolint:gosec // megabytes at most
	return w.put(append(footer, magic...))
}

func (w *parquetWriter) put(data []byte) error {
	n, err := w.to.Write(data)
	w.offset += int64(n)
	if err != nil {
		return fmt.Errorf("write a part: %w", err)
	}
	return nil
}

// flush writes the present group.
func (w *parquetWriter) flush() error {
	g := group{rows: w.groupRows}
	for i := range w.pages {
		c, err := w.chunk(&w.pages[i])
		if err != nil {
			return err
		}
		g.chunks = append(g.chunks, c)
	}
	w.groups = append(w.groups, g)
	w.rows += w.groupRows
	w.groupRows, w.groupBytes = 0, 0
	return nil
}

// chunk writes the page of a column, and empties it.
func (w *parquetWriter) chunk(p *page) (chunk, error) {
	c := chunk{offset: w.offset, codec: codecNone}
	w.body.Reset()
	w.packed.Reset()
	p.writeTo(&w.body)
	w.zip.Reset(&w.packed)
	if _, err := w.zip.Write(w.body.Bytes()); err != nil {
		return c, fmt.Errorf("compress a page: %w", err)
	}
	if err := w.zip.Close(); err != nil {
		return c, fmt.Errorf("compress a page: %w", err)
	}
	stored := w.body.Bytes()
	if w.packed.Len() < len(stored) {
		c.codec, stored = codecGzip, w.packed.Bytes()
	}
	header := pageHeader(w.groupRows, w.body.Len(), len(stored))
	c.plain, c.stored = int64(len(header)+w.body.Len()), int64(len(header)+len(stored))
	if err := w.put(header); err != nil {
		return c, err
	}
	return c, w.put(stored)
}

func pageHeader(values int64, plain, stored int) []byte {
	var t compact
	t.object(func() {
		t.i32(1, dataPage)
		t.i32(2, int64(plain))
		t.i32(3, int64(stored))
		t.nested(5, func() {
			t.i32(1, values)
			t.i32(2, encodingPlain)
			t.i32(3, encodingRLE) // of what is null
			t.i32(4, encodingRLE) // of repetitions, which there are none of
		})
	})
	return t.bytes
}
