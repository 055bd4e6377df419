package files

import (
	"bytes"
	"fmt"
	"io"
	"math"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/gzip"
	"github.com/parquet-go/parquet-go/format"
)

// A group of rows ends at so many bytes of values, or at so many rows: they are in memory until
// then.
const (
	groupBytes = 8 << 20
	groupRows  = 1 << 20
)

// parquetWriter writes a table without nesting. Each column may be null.
type parquetWriter struct {
	writer  *parquet.GenericWriter[any]
	columns []Column
	row     parquet.Row
	// wide has the bytes of the decimals of a row.
	wide []byte
	// rows and size are those of the present group.
	rows, size int
}

func newParquet(to io.Writer, columns []Column) (*parquetWriter, error) {
	root := columnNode{}
	options := []parquet.WriterOption{
		parquet.CreatedBy("sluice", "1", "0"), // never another version: a file depends on its rows alone
		parquet.Compression(&gzip.Codec{Level: gzip.BestSpeed}),
		parquet.DefaultEncoding(&parquet.Plain),
		parquet.DataPageVersion(1),        // what every reader knows
		parquet.DataPageStatistics(false), // groups have them
	}
	for _, c := range columns {
		node, err := nodeOf(c)
		if err != nil {
			return nil, err
		}
		root.fields = append(root.fields, parquet.Group{c.Name: parquet.Optional(node)}.Fields()...)
		if c.Kind == Decimal {
			options = append(options, parquet.SkipPageBounds(c.Name))
		}
	}
	options = append(options, parquet.NewSchema("rows", root))
	return &parquetWriter{writer: parquet.NewGenericWriter[any](to, options...), columns: columns, row: make(parquet.Row, len(columns))}, nil
}

// columnNode is the root of a schema. A parquet.Group would sort its columns by name.
type columnNode struct {
	parquet.Group

	fields []parquet.Field
}

// Fields implements parquet.Node.
func (n columnNode) Fields() []parquet.Field { return n.fields }

// nodes are the types of all kinds but Decimal, whose type has a scale.
var nodes = map[Kind]parquet.Node{
	Bool: parquet.Leaf(parquet.BooleanType), Int: parquet.Leaf(parquet.Int64Type),
	Bytes: parquet.Leaf(parquet.ByteArrayType),
	Date:  parquet.Date(), Time: parquet.Timestamp(parquet.Microsecond), Text: parquet.String(), JSON: parquet.JSON(),
}

func nodeOf(c Column) (parquet.Node, error) {
	if c.Kind == Decimal {
		return parquet.Leaf(decimalType{parquet.Decimal(c.Scale, MaxDigits, parquet.FixedLenByteArrayType(wideSize)).Type()}), nil
	}
	node, known := nodes[c.Kind]
	if !known {
		return nil, fmt.Errorf("%s has no kind", c.Name)
	}
	return node, nil
}

// Write implements Writer.
func (w *parquetWriter) Write(row []Value) error {
	w.wide = w.wide[:0]
	for i, c := range w.columns {
		value, level := parquet.NullValue(), 0
		if !row[i].Null {
			var err error
			if value, err = w.value(c, row[i]); err != nil {
				return err
			}
			level = 1
			w.size += len(row[i].Text) + wideSize
		}
		w.row[i] = value.Level(0, level, i)
	}
	if _, err := w.writer.WriteRows([]parquet.Row{w.row}); err != nil {
		return fmt.Errorf("write a row: %w", err)
	}
	if w.rows++; w.size < groupBytes && w.rows < groupRows {
		return nil
	}
	w.rows, w.size = 0, 0
	if err := w.writer.Flush(); err != nil {
		return fmt.Errorf("write a group of rows: %w", err)
	}
	return nil
}

// value converts a value that is not null. It is valid until the next row.
func (w *parquetWriter) value(c Column, v Value) (parquet.Value, error) {
	switch c.Kind {
	case Bool:
		return parquet.BooleanValue(v.Number != 0), nil
	case Int, Time:
		return parquet.Int64Value(v.Number), nil
	case Date:
		if v.Number < math.MinInt32 || v.Number > math.MaxInt32 {
			return parquet.Value{}, fmt.Errorf("%s has a day that Parquet has not", c.Name)
		}
		return parquet.Int32Value(int32(v.Number)), nil
	case Decimal:
		at := len(w.wide)
		var err error
		w.wide, err = appendWide(w.wide, c, v.Text)
		return parquet.FixedLenByteArrayValue(w.wide[at:]), err
	case Text, JSON, Bytes:
		if len(v.Text) > math.MaxInt32 {
			return parquet.Value{}, fmt.Errorf("%s has a value of more than 2 GB", c.Name)
		}
		return parquet.ByteArrayValue(v.Text), nil
	default:
		return parquet.Value{}, fmt.Errorf("%s has no kind", c.Name)
	}
}

// Close implements Writer.
func (w *parquetWriter) Close() error {
	if err := w.writer.Close(); err != nil {
		return fmt.Errorf("write the end of the file: %w", err)
	}
	return nil
}

// decimalType is the library's type of decimals without its bounds. The library compares decimals as
// bytes, so that -1 is greater than 1 (parquet-go/parquet-go#592), and a reader that trusts such
// bounds skips pages with the rows that it looks for.
type decimalType struct{ parquet.Type }

// NewColumnIndexer implements parquet.Type.
func (decimalType) NewColumnIndexer(int) parquet.ColumnIndexer { return &widestBounds{} }

// widestBounds gives each page bounds that hold for all decimals.
type widestBounds struct {
	allNull []bool
	nulls   []int64
}

// Reset implements parquet.ColumnIndexer.
func (b *widestBounds) Reset() { b.allNull, b.nulls = nil, nil }

// IndexPage implements parquet.ColumnIndexer.
func (b *widestBounds) IndexPage(values, nulls int64, _, _ parquet.Value) {
	b.allNull, b.nulls = append(b.allNull, values == nulls), append(b.nulls, nulls)
}

// ColumnIndex implements parquet.ColumnIndexer. Pages without a value have no bounds.
func (b *widestBounds) ColumnIndex() format.ColumnIndex {
	index := format.ColumnIndex{
		NullPages: b.allNull, NullCounts: b.nulls, MinValues: make([][]byte, len(b.nulls)), MaxValues: make([][]byte, len(b.nulls)),
	}
	for i, null := range b.allNull {
		index.MinValues[i], index.MaxValues[i] = []byte{}, []byte{}
		if !null {
			index.MinValues[i] = append([]byte{0x80}, make([]byte, wideSize-1)...)
			index.MaxValues[i] = append([]byte{0x7f}, bytes.Repeat([]byte{0xff}, wideSize-1)...)
		}
	}
	return index
}
