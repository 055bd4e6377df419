package world

import "slices"

// Operation is what was done to a record.
type Operation int

// The operations. Quieted is a change that moves no modification time: a balance, a
// stock, a count.
const (
	Inserted Operation = iota + 1
	Edited
	Quieted
	Deleted
	Restored // it appears again, with its identifier
)

// Happening is something that was done to a record.
type Happening struct {
	Kind      Kind
	Index     int
	Operation Operation
	// Before is the record as it was, whole; nil for one that was not there.
	Before []byte
}

// Watch makes the world keep what happens, for Happened to answer.
func (w *World) Watch() { w.watched = true }

// Happened returns what happened since it was last asked, oldest first, each record
// once: several changes of one record are one.
func (w *World) Happened() []Happening {
	happened := w.happened
	w.happened = nil
	clear(w.noted)
	return happened
}

// about notes what is about to be done to record i. A record that was only just
// inserted stays inserted, whatever else is done to it.
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
		happening.Before = w.AppendRecord(nil, kind, i, Full)
	}
	if w.noted == nil {
		w.noted = map[[2]int]int{}
	}
	w.noted[place] = len(w.happened)
	w.happened = append(w.happened, happening)
}

// touched notes that record i is not what it was: lists that are in order have to
// look at it anew.
func (w *World) touched(kind Kind, i int) {
	t := &w.tables[kind]
	t.version++
	t.log = append(t.log, int32(i)) // far fewer than 2^31 records.
	if len(t.log) > mostLogged {
		t.log = slices.Clone(t.log[len(t.log)/2:])
	}
}

// mostLogged is how many changes of a kind are kept: orders that are older are made
// anew.
const mostLogged = 1 << 16
