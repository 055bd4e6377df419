package normalize

import "strings"

// Sizes of the blocks that records are cut from: some twenty records of usual size. What is larger gets a block of its
// own. A block lives as long as one of its records, and the records of a page live and die together.
const (
	blockText   = 16 << 10
	blockValues = 1 << 10
	blockRows   = 128
)

// arena gives out what records are made of, many from one allocation. Nothing is ever taken back or written again.
type arena struct {
	texts  *strings.Builder
	values []Value
	rows   []Row
	tables [][]Row
	places []int
	flags  []bool
}

// text copies bytes to a string.
func (a *arena) text(bytes []byte) string {
	if len(bytes) > blockText/4 {
		return string(bytes)
	}
	if a.texts == nil || a.texts.Cap()-a.texts.Len() < len(bytes) {
		a.texts = new(strings.Builder)
		a.texts.Grow(blockText)
	}
	from := a.texts.Len()
	a.texts.Write(bytes)
	return a.texts.String()[from:]
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
