package world

import "slices"

// Operation is a kind of change of a record.
type Operation int

// The operations. Quieted is a change that moves no modification time: a balance, a stock, a count.
const (
	Inserted Operation = iota + 1
	Edited
	Quieted
	Deleted
	Restored // it appears again, with its identifier
)

// Happening is one change of a record.
type Happening struct {
	Kind      Kind
	Index     int
	Operation Operation
	// Before is the whole record before the change; nil for a new one.
	Before []byte
}

// Watch makes the world collect changes for Happened.
func (w *World) Watch() { w.watched = true }

// Happened returns the changes since its last call, oldest first, each record once: several changes
// of one record are one.
func (w *World) Happened() []Happening {
	happened := w.happened
	w.happened = nil
	clear(w.noted)
	return happened
}

// about notes a coming change of record i. A newly inserted record stays inserted through later
// changes.
func (w *World) about(kind Kind, i int, operation Operation) {
	if !w.watched {
		return
	}
	place := [2]int{int(kind), i}
	if n, again := w.noted[place]; again {
		earlier := &w.happened[n]
		if earlier.Operation != Inserted && operation != Quieted {
			earlier.Operation = operation
		}
		return
	}
	happening := Happening{Kind: kind, Index: i, Operation: operation}
	if operation != Inserted && operation != Restored {
		happening.Before = w.Documented(kind, i)
	}
	if w.noted == nil {
		w.noted = map[[2]int]int{}
	}
	w.noted[place] = len(w.happened)
	w.happened = append(w.happened, happening)
}

// touched notes a change of record i, so that orders check its place again.
func (w *World) touched(kind Kind, i int) {
	t := &w.tables[kind]
	t.version++
	t.log = append(t.log, int32(i)) // far fewer than 2^31 records.
	if len(t.log) > mostLogged {
		t.log = slices.Clone(t.log[len(t.log)/2:])
	}
}

// mostLogged bounds the logged changes of a kind: older orders are made anew.
const mostLogged = 1 << 16
