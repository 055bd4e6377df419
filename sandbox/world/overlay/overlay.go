// Package overlay holds the records written through the API, created and changed ones, above the
// generated world. All other records stay computed, so that a world of a million records grows by
// its writes only.
//
// It makes no record and knows no endpoint; package world asks it before it computes an answer.
// Start reading with Overlay.
package overlay

import (
	"fmt"
	"strings"
	"time"

	"sluice/sandbox/world/ids"
)

// Written is a written record, complete except for the times, which are in the world's tables.
type Written struct {
	*Object

	Under   string // the parent in its path; "" for lists without parents
	Created bool   // through the API: no part of it is generated
	extra   []string
}

// Overlay is the set of written records; its zero value is empty. It is as safe for concurrent use
// as its world.
type Overlay struct {
	written [ids.Kinds]map[int]*Written
	order   [ids.Kinds][]int
}

// Find returns the written record i; nil if it was never written.
func (o *Overlay) Find(kind ids.Kind, i int) *Written { return o.written[kind][i] }

// Indices returns the written records of a kind, oldest first. Callers only read it.
func (o *Overlay) Indices(kind ids.Kind) []int { return o.order[kind] }

// Put stores a record. Its names beyond those of the generated record are the organization's own
// fields, which appear in every form.
func (o *Overlay) Put(kind ids.Kind, i int, w Written, generated *Object) {
	for _, name := range w.Names() {
		if !generated.Has(name) {
			w.extra = append(w.extra, name)
		}
	}
	if o.written[kind] == nil {
		o.written[kind] = map[int]*Written{}
	}
	if o.written[kind][i] == nil {
		o.order[kind] = append(o.order[kind], i)
	}
	o.written[kind][i] = &w
}

// Lay returns a generated record, in any form, with the written values instead of its own. It adds
// no key that the form omits.
func (w *Written) Lay(dst, generated []byte) []byte {
	o, err := Parse(generated)
	if err != nil { // the world writes objects only
		return append(dst, generated...)
	}
	for _, name := range o.names {
		if w.Has(name) {
			o.Set(name, w.Get(name))
		}
	}
	for _, name := range w.extra {
		o.Set(name, w.Get(name))
	}
	return o.Append(dst)
}

// live reports whether a name is a time, which the world's tables know.
func live(name string) bool {
	switch name {
	case "created_time", "last_modified_time", "updated_time", "created_time_formatted", "last_modified_time_formatted":
		return true
	default:
		return false
	}
}

// Freeze removes the times from a record, so that they are computed anew.
func Freeze(o *Object) *Object {
	for _, name := range append([]string{}, o.names...) {
		if live(name) {
			o.Drop(name)
		}
	}
	return o
}

// Touch changes a value without dependent values, for the n-th of the world's own edits.
func (w *Written) Touch(n int) {
	Freeze(w.Object)
	for _, name := range [...]string{"notes", "description", "record_name", "phone", "tax_authority_name", "currency_name"} {
		if w.Has(name) {
			text, _, _ := strings.Cut(w.Text(name), edited)
			w.SetText(name, fmt.Sprintf("%s%s%d)", text, edited, n))
			return
		}
	}
	if day, err := time.Parse(time.DateOnly, w.Text("date")); err == nil {
		w.SetText("date", day.AddDate(0, 0, 1).Format(time.DateOnly))
	}
}

const edited = " (edit "
