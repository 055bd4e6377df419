package copybinary

import (
	"encoding/binary"

	"github.com/jackc/pgx/v5/pgtype"
)

// arrayHeader is how many bytes come before the elements.
const arrayHeader = 20

// Array appends a parameter that is an array of n elements of a type. each appends one element in
// the form of a COPY field, which elements of an array share. Source: PostgreSQL 15,
// src/backend/utils/adt/arrayfuncs.c, array_recv.
func Array(buf []byte, element uint32, n int, each func(buf []byte, i int) ([]byte, error)) ([]byte, error) {
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

// Texts encodes an array of n texts.
func Texts(n int, at func(i int) string) []byte {
	const size = 4
	length := arrayHeader
	for i := range n {
		length += size + len(at(i))
	}
	buf, _ := Array(make([]byte, 0, length), pgtype.TextOID, n, func(buf []byte, i int) ([]byte, error) {
		return Text(buf, at(i)), nil // Text cannot fail
	})
	return buf
}
