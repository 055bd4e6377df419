package records

import (
	"slices"

	"sluice/sandbox/world/books"
	"sluice/sandbox/world/wire"
)

func (w *Author) chat(o *wire.Writer, i int) {
	for name := range slices.Values(books.ChatFields()) {
		value, _ := w.ChatField(i, name)
		o.Text(name, value)
	}
}
