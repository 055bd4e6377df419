package world

// field keeps the draws of one record apart: each question has its own number.
type field uint64

const (
	fieldGroup field = iota + 1
	fieldTouched
	fieldBulk
	fieldName
	fieldKind
	fieldParent
	fieldAmount
	fieldVendor
	fieldMode
	fieldAbsent
	fieldLines
	fieldItem
	fieldQuantity
	fieldTax
	fieldCustomer
	fieldPlace
	fieldStatus
	fieldText
	fieldCredit
	fieldStock
	fieldCode
)

// mix is the finalizer of splitmix64: cheap, and good enough to look random.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9 // constants of splitmix64.
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb // constants of splitmix64.
	return x ^ (x >> 31)                     // constants of splitmix64.
}

// draw answers 0..n-1, always the same for the same question.
func (w *World) draw(kind Kind, i int, what field, n int) int {
	return int(w.bits(kind, i, what) % uint64(n)) // n is a small positive constant.
}

func (w *World) bits(kind Kind, i int, what field) uint64 {
	// Wrap-around is what a hash wants.
	return mix(mix(uint64(w.settings.Seed)^uint64(kind)<<56^uint64(what)<<40) ^ uint64(i))
}

// one tells whether record i is among the one in n that have a trait.
func (w *World) one(n int, kind Kind, i int, what field) bool {
	return w.draw(kind, i, what, n) == 0
}
