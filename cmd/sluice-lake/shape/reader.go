package shape

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"sluice/schema/ddl"
)

// Postgres counts days and microseconds from 2000 on, the lake from 1970 on.
const (
	epochDays   = 10957
	epochMicros = epochDays * 24 * 60 * 60 * 1_000_000
)

var errWire = errors.New("a value is not as Postgres sends its type")

// Reader turns rows as Postgres sends them, in binary form, into batches of Arrow. Columns of the
// lake that the declaration does not have any more are null.
type Reader struct {
	build *array.RecordBuilder
	// columns are those that Postgres sends.
	columns []*sink
	// absent are the columns that Postgres does not have, and inexact, if there is one, the one
	// that is filled from the numbers that do not fit.
	absent  []array.Builder
	inexact *sink

	misfits map[string]string
	rows    int
}

// sink takes the values of a column. Most columns of most tables are null: nulls are counted, and
// built together.
type sink struct {
	to    array.Builder
	take  func(raw []byte) error
	nulls int
}

// append takes a value; nil is null.
func (c *sink) append(raw []byte) error {
	if raw == nil {
		c.nulls++
		return nil
	}
	c.flush()
	return c.take(raw)
}

// flush builds the nulls that were counted.
func (c *sink) flush() {
	if c.nulls > 0 {
		c.to.AppendNulls(c.nulls)
		c.nulls = 0
	}
}

// NewReader makes a reader of the rows of SelectAll and SelectSome. Lake is the schema in the lake;
// it has all columns of the table.
func (t *Table) NewReader(lake *arrow.Schema) *Reader {
	r := &Reader{build: array.NewRecordBuilder(memory.DefaultAllocator, lake), misfits: map[string]string{}}
	declared := map[int]bool{}
	for i := range t.Columns {
		c := &t.Columns[i]
		at := lake.FieldIndices(c.Name)[0]
		declared[at] = true
		taken := &sink{to: r.build.Field(at)}
		if taken.take = r.taker(c, taken.to); c.SQL == inexactSQL {
			r.inexact = taken
		} else {
			r.columns = append(r.columns, taken)
		}
	}
	for at := range lake.NumFields() {
		if !declared[at] {
			r.absent = append(r.absent, r.build.Field(at))
		}
	}
	return r
}

// Append takes a row.
func (r *Reader) Append(values [][]byte) error {
	if len(values) != len(r.columns) {
		return fmt.Errorf("%w: %d values for %d columns", errWire, len(values), len(r.columns))
	}
	for i, raw := range values {
		if err := r.columns[i].append(raw); err != nil {
			return err
		}
	}
	r.rows++
	return r.appendMisfits()
}

func (r *Reader) appendMisfits() error {
	if r.inexact == nil {
		return nil
	}
	if len(r.misfits) == 0 {
		return r.inexact.append(nil)
	}
	text, err := json.Marshal(r.misfits)
	if err != nil {
		return fmt.Errorf("writing down numbers that do not fit: %w", err)
	}
	clear(r.misfits)
	return r.inexact.append(text)
}

// Len is the number of rows taken since the last batch.
func (r *Reader) Len() int { return r.rows }

// Batch gives the rows taken since the last one. The caller releases it.
func (r *Reader) Batch() arrow.RecordBatch {
	for _, c := range r.columns {
		c.flush()
	}
	if r.inexact != nil {
		r.inexact.flush()
	}
	for _, b := range r.absent {
		b.AppendNulls(r.rows)
	}
	r.rows = 0
	batch := r.build.NewRecordBatch()
	r.build.Reserve(int(batch.NumRows()))
	return batch
}

// Release frees what the reader holds.
func (r *Reader) Release() { r.build.Release() }

// taker returns the function that takes the values of one column that are not null.
func (r *Reader) taker(c *Column, to array.Builder) func(raw []byte) error {
	var take func(raw []byte) error
	switch c.SQL {
	case "boolean":
		b, _ := to.(*array.BooleanBuilder)
		take = fixed(1, func(raw []byte) { b.Append(raw[0] != 0) })
	case "integer":
		b, _ := to.(*array.Int32Builder)
		take = fixed(4, func(raw []byte) { b.Append(int32of(raw)) })
	case "bigint":
		b, _ := to.(*array.Int64Builder)
		take = fixed(8, func(raw []byte) { b.Append(int64of(raw)) })
	case "date":
		b, _ := to.(*array.Date32Builder)
		take = fixed(4, func(raw []byte) { b.Append(arrow.Date32(int32of(raw) + epochDays)) })
	case ddl.Timestamp:
		b, _ := to.(*array.TimestampBuilder)
		take = fixed(8, func(raw []byte) { b.Append(arrow.Timestamp(int64of(raw) + epochMicros)) })
	case "numeric":
		b, _ := to.(*array.Decimal128Builder)
		take = func(raw []byte) error {
			number, fits, err := Decimal(raw)
			switch {
			case err != nil:
				return err
			case fits:
				b.Append(number)
			default:
				b.AppendNull()
				r.misfits[c.Name] = numericText(raw)
			}
			return nil
		}
	case "jsonb": // a byte with the version of the form comes first
		b, _ := to.(*array.StringBuilder)
		take = func(raw []byte) error {
			if !bytes.HasPrefix(raw, []byte{1}) {
				return errWire
			}
			b.BinaryBuilder.Append(raw[1:])
			return nil
		}
	default:
		b, _ := to.(*array.StringBuilder)
		return func(raw []byte) error {
			b.BinaryBuilder.Append(raw)
			return nil
		}
	}
	return func(raw []byte) error {
		if err := take(raw); err != nil {
			return fmt.Errorf("column %s: %w", c.Name, err)
		}
		return nil
	}
}

func int32of(raw []byte) int32 { return int32(binary.BigEndian.Uint32(raw)) } //nolint:gosec // the same bits
func int64of(raw []byte) int64 { return int64(binary.BigEndian.Uint64(raw)) } //nolint:gosec // the same bits

// fixed takes values of one size.
func fixed(size int, take func(raw []byte)) func(raw []byte) error {
	return func(raw []byte) error {
		if len(raw) != size {
			return errWire
		}
		take(raw)
		return nil
	}
}
