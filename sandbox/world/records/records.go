// Package records writes records as documents 1, 2 and 3 show them, key by key.
//
// It decides nothing about them: what a record says comes from package books.
// Start reading with Append.
package records

import (
	"sluice/sandbox/world/books"
	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/wire"
)

// Form is the shape in which a record is written.
type Form int

// The forms. Full is what the documents name for lists; Headers leaves out
// arrays and what live services give with the single record alone; Single is
// the single record; WithoutBalance is an account asked for with
// showbalance=false.
const (
	Full Form = iota
	Headers
	Single
	WithoutBalance
)

// Author writes the records of some books.
type Author struct{ *books.Books }

// New answers an author.
func New(b *books.Books) *Author { return &Author{b} }

// Append appends record i as one JSON object. Chats are written as an
// object of the CSV columns with text values.
func (w *Author) Append(dst []byte, kind ids.Kind, i int, form Form) []byte {
	o := wire.Writer{B: append(dst, '{'), Wide: form != Headers}
	switch kind {
	case ids.Accounts:
		w.account(&o, i, form)
	case ids.Payments:
		w.payment(&o, i)
	case ids.Items:
		w.item(&o, i)
	case ids.Bills:
		w.bill(&o, i)
	case ids.CreditNotes:
		w.creditNote(&o, i)
	case ids.Chats, ids.Kinds:
		w.chat(&o, i)
	}
	o.Close('}')
	return o.B
}
