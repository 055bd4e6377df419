package files

import (
	"cmp"
	"encoding/binary"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// fieldID is where Arrow keeps the number of a field for Parquet.
const fieldID = "PARQUET:field_id"

// stats are what a manifest says about the values of a file, so that readers can leave it out.
// Texts have bounds where the column is a part of the key: bounds of other texts would repeat
// values of records in the metadata, which an erasure does not rewrite.
type stats struct {
	// names are the numbers of the fields by the places of their columns.
	names         map[int]int
	values, nulls map[int]int64
	texts         map[int]*bounds[string]
	numbers       map[int]*bounds[int64]
	// narrow are the fields whose numbers have four bytes.
	narrow map[int]bool
}

// bounds are the least and the greatest value that was seen.
type bounds[T cmp.Ordered] struct {
	low, high T
	some      bool
}

func (b *bounds[T]) see(value T) {
	switch {
	case !b.some:
		b.low, b.high, b.some = value, value, true
	case value < b.low:
		b.low = value
	case value > b.high:
		b.high = value
	}
}

func newStats(schema *arrow.Schema) stats {
	s := stats{
		names: map[int]int{}, values: map[int]int64{}, nulls: map[int]int64{}, texts: map[int]*bounds[string]{}, numbers: map[int]*bounds[int64]{},
		narrow: map[int]bool{},
	}
	for at, field := range schema.Fields() {
		text, _ := field.Metadata.GetValue(fieldID)
		id, err := strconv.Atoi(text)
		if err != nil {
			continue
		}
		s.names[at] = id
		switch field.Type.ID() {
		case arrow.STRING:
			if !field.Nullable {
				s.texts[id] = &bounds[string]{}
			}
		case arrow.INT64, arrow.TIMESTAMP:
			s.numbers[id] = &bounds[int64]{}
		case arrow.INT32, arrow.DATE32:
			s.numbers[id], s.narrow[id] = &bounds[int64]{}, true
		default:
		}
	}
	return s
}

func (s *stats) see(batch arrow.RecordBatch) {
	for at, id := range s.names {
		column := batch.Column(at)
		s.values[id] += int64(column.Len())
		s.nulls[id] += int64(column.NullN())
		switch column := column.(type) {
		case *array.String:
			if s.texts[id] != nil {
				seeTexts(s.texts[id], column)
			}
		case *array.Int32:
			seeNumbers(s.numbers[id], column, column.Int32Values())
		case *array.Int64:
			seeNumbers(s.numbers[id], column, column.Int64Values())
		case *array.Date32:
			seeNumbers(s.numbers[id], column, column.Date32Values())
		case *array.Timestamp:
			seeNumbers(s.numbers[id], column, column.TimestampValues())
		}
	}
}

// seeTexts copies a text only where it is a bound: the batch is released.
func seeTexts(b *bounds[string], column *array.String) {
	for i := range column.Len() {
		if value := column.Value(i); !b.some || value < b.low || value > b.high {
			b.see(strings.Clone(value))
		}
	}
}

func seeNumbers[T ~int32 | ~int64](b *bounds[int64], column arrow.Array, values []T) {
	for i, value := range values {
		if column.IsValid(i) {
			b.see(int64(value))
		}
	}
}

// bounds gives the bounds as manifests have them: texts in UTF-8, numbers with the lowest byte
// first. Source: Iceberg, appendix D, binary single-value serialization.
func (s *stats) bounds() (map[int][]byte, map[int][]byte) {
	low, high := map[int][]byte{}, map[int][]byte{}
	for id, b := range s.texts {
		if b.some {
			low[id], high[id] = []byte(b.low), []byte(b.high)
		}
	}
	for id, b := range s.numbers {
		switch {
		case b.some && s.narrow[id]:
			low[id], high[id] = little(b.low)[:4], little(b.high)[:4]
		case b.some:
			low[id], high[id] = little(b.low), little(b.high)
		}
	}
	return low, high
}

func little(n int64) []byte { return binary.LittleEndian.AppendUint64(nil, uint64(n)) } //nolint:gosec // the same bits
