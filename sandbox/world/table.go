package world

import (
	"sluice/sandbox/world/draw"
	"sluice/sandbox/world/ids"
)

const tieBlock = 64 // records that may share a second

// table is the state of the records of one kind, by index.
type table struct {
	created  []int64 // epoch seconds
	modified []int64
	edits    []uint16
	deleted  []bool
	version  int     // moves with each change of the table
	log      []int32 // the records of the last changes, one for each version
}

// tables are the state behind the books.
type tables [ids.Kinds]table

// Edits returns how often record i was edited.
func (t *tables) Edits(kind Kind, i int) int { return int(t[kind].edits[i]) }

// Created returns the creation time of record i, in epoch seconds.
func (t *tables) Created(kind Kind, i int) int64 { return t[kind].created[i] }

// Modified returns the modification time of record i, in epoch seconds.
func (t *tables) Modified(kind Kind, i int) int64 { return t[kind].modified[i] }

// fill sets creation and modification times. Creation rises with the index, in groups that share
// one second (imports, bulk edits), none after end.
func fill(seed draw.Seed, kind Kind, size int, end int64) table {
	t := table{created: make([]int64, size), modified: make([]int64, size), edits: make([]uint16, size), deleted: make([]bool, size)}
	groups := [...]int{1, 1, 2, 5, 16, tieBlock}
	span := int64(historyDays * secondsADay)
	for i := range size {
		block := i / tieBlock
		group := groups[seed.Draw(kind, block, draw.Group, len(groups))]
		first := i - (i%tieBlock)%group
		t.created[i] = end - span + span*int64(first)/int64(size)
		touched := t.created[i]
		switch seed.Draw(kind, first, draw.Touched, 5) { // two in five were never edited.
		case 0, 1:
		case 2: // edited alone
			touched += int64(seed.Draw(kind, i, draw.Touched, 90*secondsADay))
		default: // edited in bulk, in one second
			touched += int64(seed.Draw(kind, first, draw.Bulk, 90*secondsADay))
		}
		if touched > end {
			touched = t.created[i] // that edit is still to come
		}
		t.modified[i] = touched
	}
	return t
}
