package rows_test

import (
	"testing"

	"sluice/pipeline/warehouse/rows/copybinary"
)

// BenchmarkEncode measures our own cost of one wide row in COPY.
func BenchmarkEncode(b *testing.B) {
	res := resource(b, "items")
	values := variety(b, res, 1, 0)[0].Tables[0][0].Values
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf = copybinary.Row(buf[:0], len(values))
		for i := range values {
			var err error
			if buf, err = copybinary.Value(buf, res.Columns[i].Kind, &values[i]); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.SetBytes(int64(len(buf)))
}
