package world

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

// AppendRecord appends record i as one JSON object. Chats are written as an
// object of the CSV columns with text values.
func (w *World) AppendRecord(dst []byte, kind Kind, i int, form Form) []byte {
	o := writer{b: append(dst, '{'), wide: form != Headers}
	switch kind {
	case Accounts:
		w.account(&o, i, form)
	case Payments:
		w.payment(&o, i)
	case Items:
		w.item(&o, i)
	case Bills:
		w.bill(&o, i)
	case CreditNotes:
		w.creditNote(&o, i)
	case Chats, kinds:
		w.chat(&o, i)
	}
	o.close('}')
	return o.b
}
