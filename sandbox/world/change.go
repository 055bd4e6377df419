package world

import (
	"math"
	"math/rand/v2"
	"slices"

	"sluice/sandbox/world/ledger"
	"sluice/sandbox/world/ledger/keys"
)

// Insert adds a record, created and modified at an instant (epoch seconds), and returns its index.
func (w *World) Insert(kind Kind, at int64) int {
	i := w.insert(kind, at)
	if w.closing != nil {
		w.closing.Add(kind, i, at)
	}
	return i
}

// insert adds a record whose content is decided elsewhere.
func (w *World) insert(kind Kind, at int64) int {
	t := &w.tables[kind]
	t.created = append(t.created, at)
	t.modified = append(t.modified, at)
	t.edits = append(t.edits, 0)
	t.deleted = append(t.deleted, false)
	i := len(t.created) - 1
	w.about(kind, i, Inserted)
	w.touched(kind)
	return i
}

// Edit changes a value of record i and moves its modification time.
func (w *World) Edit(kind Kind, i int, at int64) {
	w.about(kind, i, Edited)
	t := &w.tables[kind]
	step := uint16(1)
	if kind == Bills && len(w.journal.SettlementsOf(i)) > 0 {
		step++ // every other edit removes a line, which may be paid
	}
	t.edits[i] += min(step, math.MaxUint16-t.edits[i])
	t.modified[i] = max(at, t.modified[i])
	w.touched(kind)
	if written := w.overlay.Find(kind, i); written != nil {
		written.Touch(int(t.edits[i]))
	}
}

// Delete removes record i: it stops appearing in lists.
func (w *World) Delete(kind Kind, i int) {
	w.about(kind, i, Deleted)
	w.tables[kind].deleted[i] = true
	w.touched(kind)
}

// Deletable reports whether a record may be deleted: none that others refer to.
func (w *World) Deletable(kind Kind, i int) bool {
	return i >= kept(kind) && (w.closing == nil || !keys.Covers(kind) || w.closing.Free(kind, i))
}

// Growing reports whether a kind can have another record. There is one opening balance and one
// organization, and a record under parents needs a parent. Where the books close, only some
// documents can be added.
func (w *World) Growing(kind Kind) bool {
	if w.closing != nil && keys.Covers(kind) {
		return ledger.Grows(kind)
	}
	switch kind {
	case Organizations:
		return false
	case OpeningBalances:
		return len(w.Pick(kind, 1, 0, nil)) == 0
	case ModuleRecords, NetworkChannels, NetworkChats:
		return len(w.Parents(kind)) > 0
	default:
		return true
	}
}

// Pick returns up to n live records of a kind, chosen by seed, none of them excluded.
func (w *World) Pick(kind Kind, n int, seed int64, excluded map[int]bool) []int {
	live := make([]int, 0, w.Len(kind))
	for i := range w.Len(kind) {
		if w.Live(kind, i) && !excluded[i] {
			live = append(live, i)
		}
	}
	// The choice must be repeatable.
	choice := rand.New(rand.NewPCG(uint64(seed), uint64(kind)))
	n = min(n, len(live))
	for k := range n {
		other := k + choice.IntN(len(live)-k)
		live[k], live[other] = live[other], live[k]
	}
	picked := live[:n]
	slices.Sort(picked)
	return picked
}

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

// touched notes a change of a table, so that its orders are made anew.
func (w *World) touched(kind Kind) { w.tables[kind].version++ }
