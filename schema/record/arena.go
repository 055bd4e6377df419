package record

import "unsafe"

// Sizes of the blocks that records are cut from: some twenty records of usual size. What is larger gets a block of its
// own. A block lives as long as one of its records, and the records of a page live and die together.
const (
	blockText   = 16 << 10
	blockValues = 1 << 10
	blockRows   = 128
	// spareText is the least that is left in a block for the next text: what needs more gets memory of its own.
	spareText = 256
)

// arena gives out what records are made of, many from one allocation. Nothing is ever taken back or written again.
type arena struct {
	// texts is the free end of a block, of length 0.
	texts  []byte
	values []Value
	rows   []Row
	tables [][]Row
	places []int
	flags  []bool
}

// room returns what a text may be appended to; keep makes a string of it.
func (a *arena) room() []byte {
	if cap(a.texts) < spareText {
		a.texts = make([]byte, 0, blockText)
	}
	return a.texts
}

// keep gives what was appended to room as a string.
func (a *arena) keep(text []byte) string {
	if len(text) > cap(a.texts) {
		return string(text) // it grew elsewhere, and a giant should not stay for the sake of what comes behind it
	}
	a.texts = text[len(text):]
	return view(text)
}

// view gives bytes that nobody changes any more as a string, without a copy.
func view(text []byte) string {
	return unsafe.String(unsafe.SliceData(text), len(text)) //nolint:gosec // see above: as strings.Builder does
}

// cut takes n elements off the front of a block, zero and with no room behind them.
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
