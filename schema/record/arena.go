package record

import "unsafe"

// Sizes of the blocks that records are cut from: some twenty records of usual size. Larger parts
// get a block of their own. A block lives as long as one of its records, and the records of a page
// live and die together.
const (
	blockText   = 16 << 10
	blockValues = 1 << 10
	blockRows   = 128
	// spareText is the least free space of a block for the next text; a larger text gets memory of
	// its own.
	spareText = 256
)

// arena allocates the parts of records, many from one allocation. It never takes memory back and
// never writes it again.
type arena struct {
	// texts is the free end of a block, of length 0.
	texts  []byte
	values []Value
	rows   []Row
	tables [][]Row
	places []int
	flags  []bool
}

// room returns a buffer for appending a text; keep makes a string of it.
func (a *arena) room() []byte {
	if cap(a.texts) < spareText {
		a.texts = make([]byte, 0, blockText)
	}
	return a.texts
}

// keep returns the text appended to room as a string.
func (a *arena) keep(text []byte) string {
	if len(text) > cap(a.texts) {
		return string(text) // it grew elsewhere, and a giant must not stay for the sake of later texts
	}
	a.texts = text[len(text):]
	return view(text)
}

// view returns bytes that never change again as a string, without a copy.
func view(text []byte) string {
	return unsafe.String(unsafe.SliceData(text), len(text)) //nolint:gosec // see above: as strings.Builder does
}

// cut takes n zero elements off the front of a block, without spare capacity.
func cut[T any](block *[]T, n, size int) []T {
	if n > size/4 {
		return make([]T, n)
	}
	if *block == nil || len(*block) < n {
		*block = make([]T, size)
	}
	got := (*block)[:n:n]
	*block = (*block)[n:]
	return got
}
