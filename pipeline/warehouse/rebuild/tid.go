package rebuild

import (
	"encoding/binary"
	"strconv"
)

// tid is where a row stands: its page and its place there. It holds as long as nobody writes the row.
type tid struct {
	page uint32
	line uint16
}

// tidArray is the type of an array of them.
const tidArray = 1010

// newTID reads one in the binary format.
func newTID(b []byte) tid {
	return tid{page: binary.BigEndian.Uint32(b), line: binary.BigEndian.Uint16(b[4:])}
}

// tids writes an array of them as text.
func tids(places []tid) []byte {
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
