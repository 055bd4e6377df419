// Package draw answers questions about records by repeatable chance: the same seed, kind, record
// and question always give the same draw.
//
// It holds no state. Start reading with Seed.Draw.
package draw

import "sluice/sandbox/world/ids"

// Question keeps the draws of one record apart: each has its own number.
type Question uint64

// The questions. A name says its first use; some records use the question for something else.
const (
	Group Question = iota + 1
	Touched
	Bulk
	Name
	Kind
	Parent
	Amount
	Vendor
	Mode
	Absent
	Lines
	Item
	Quantity
	Tax
	Customer
	Place
	Status
	Text
	Credit
	Stock
	Code
)

// mix returns the splitmix64 finalizer of x: cheap, and random enough.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9 // constants of splitmix64.
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb // constants of splitmix64.
	return x ^ (x >> 31)                     // constants of splitmix64.
}

// Seed fixes every draw.
type Seed int64

// Draw returns 0..n-1, always the same for the same question.
func (s Seed) Draw(kind ids.Kind, i int, what Question, n int) int {
	return int(s.Bits(kind, i, what) % uint64(n)) // n is a small positive constant.
}

// Bits returns 64 bits, always the same for the same question.
func (s Seed) Bits(kind ids.Kind, i int, what Question) uint64 {
	// Wrap-around is intended in a hash.
	return mix(mix(uint64(s)^uint64(kind)<<56^uint64(what)<<40) ^ uint64(i))
}

// One reports whether record i is among the one in n that have a trait.
func (s Seed) One(n int, kind ids.Kind, i int, what Question) bool {
	return s.Draw(kind, i, what, n) == 0
}
