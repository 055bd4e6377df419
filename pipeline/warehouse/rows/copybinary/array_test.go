package copybinary_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgtype"
	"pgregory.net/rapid"

	"sluice/pipeline/warehouse/rows/copybinary"
)

// The driver's own code reads arrays as they were written.
func TestTheDriverReadsArrays(t *testing.T) {
	t.Parallel()
	types := pgtype.NewMap()
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOf(rapid.Ptr(rapid.Int64(), true)).Draw(t, "numbers")
		written, err := copybinary.Array(nil, pgtype.Int8OID, len(want), func(buf []byte, i int) ([]byte, error) {
			if want[i] == nil {
				return copybinary.Null(buf), nil
			}
			return copybinary.Int(buf, *want[i]), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		var got []*int64
		if err := types.Scan(pgtype.Int8ArrayOID, pgtype.BinaryFormatCode, written, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		texts := rapid.SliceOf(rapid.String()).Draw(t, "texts")
		var read []string
		err = types.Scan(pgtype.TextArrayOID, pgtype.BinaryFormatCode, copybinary.Texts(len(texts), func(i int) string { return texts[i] }), &read)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(texts, read); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}
