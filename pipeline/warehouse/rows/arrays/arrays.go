// Package arrays writes parameters that are arrays of one dimension, in the binary format. It is pure.
//
// Start reading at Append.
package arrays

import (
	"encoding/binary"

	"github.com/jackc/pgx/v5/pgtype"

	"sluice/pipeline/warehouse/rows/copybinary"
)

// header is how many bytes come before the elements.
const header = 20

// Append adds an array of n elements of a type; each adds one of them as a field of COPY in the binary format, which elements of an array are
// like. Source: PostgreSQL 15, src/backend/utils/adt/arrayfuncs.c, array_recv.
func Append(buf []byte, element uint32, n int, each func(buf []byte, i int) ([]byte, error)) ([]byte, error) {
	const nulls, lowest = 1, 1 // there may be nulls
	dimensions := uint32(1)
	if n == 0 {
		dimensions = 0
	}
	for _, word := range []uint32{dimensions, nulls, element} {
		buf = binary.BigEndian.AppendUint32(buf, word)
	}
	if n == 0 {
		return buf, nil
	}
	buf = binary.BigEndian.AppendUint32(buf, uint32(n)) //nolint:gosec // bounded by the batch
	buf = binary.BigEndian.AppendUint32(buf, lowest)
	var err error
	for i := range n {
		if buf, err = each(buf, i); err != nil {
			return buf, err
		}
	}
	return buf, nil
}

// Texts is an array of n texts.
func Texts(n int, at func(i int) string) []byte {
	const size = 4
	length := header
	for i := range n {
		length += size + len(at(i))
	}
	buf, _ := Append(make([]byte, 0, length), pgtype.TextOID, n, func(buf []byte, i int) ([]byte, error) {
		return copybinary.Text(buf, at(i)), nil // which cannot fail
	})
	return buf
}
