// Package ctid reads and writes the places of rows as Postgres has them (its type tid, the system
// column ctid). It is pure.
//
// Start reading at TID.
package ctid

import (
	"encoding/binary"
	"strconv"
)

// TID is where a row stands: its page and its place there. It holds as long as no session writes
// the row.
type TID struct {
	page uint32
	line uint16
}

// ArrayOID is the type of an array of them.
const ArrayOID = 1010

// Size is how many bytes one has in the binary format.
const Size = 6

// Read reads one in the binary format, of Size bytes.
func Read(b []byte) TID {
	return TID{page: binary.BigEndian.Uint32(b), line: binary.BigEndian.Uint16(b[4:])}
}

// Array writes an array of them as text.
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
