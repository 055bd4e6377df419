// Package ctid reads and writes the physical addresses of rows in Postgres (its type tid, the
// system column ctid). It is pure.
//
// Start reading at TID.
package ctid

import (
	"encoding/binary"
	"strconv"
)

// TID is the address of a row: its page and its line there. It is valid until a session writes the
// row.
type TID struct {
	page uint32
	line uint16
}

// ArrayOID is the OID of the type tid[].
const ArrayOID = 1010

// Size is the number of bytes of a TID in the binary format.
const Size = 6

// Read reads a TID from its binary format, of Size bytes.
func Read(b []byte) TID {
	return TID{page: binary.BigEndian.Uint32(b), line: binary.BigEndian.Uint16(b[4:])}
}

// Array writes an array of TIDs as text.
func Array(places []TID) []byte {
	const about = 16 // bytes
	text := append(make([]byte, 0, about*len(places)), '{')
	for i, at := range places {
		if i > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendUint(append(text, `"(`...), uint64(at.page), 10)
		text = append(strconv.AppendUint(append(text, ','), uint64(at.line), 10), `)"`...)
	}
	return append(text, '}')
}
