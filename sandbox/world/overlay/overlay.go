// Package overlay holds what was written through the API over the generated world:
// records that were created and records that were changed. Everything else stays
// computed, so that a world of a million records grows by what is written only.
//
// It makes no record and knows no endpoint; package world asks it before it answers
// with what it computes. Start reading with Overlay.
package overlay

import (
	"fmt"
	"strings"
	"time"

	"sluice/sandbox/world/ids"
)

// Written is a record as it was written: whole, but for the times, which are those of
// the world's tables.
type Written struct {
	*Object

	Under   string // the parent that it is read under; "" for lists without parents
	Created bool   // through the API: nothing of it is generated
	extra   []string
}

// Overlay is what was written. The zero value is nothing; it is as safe for
// concurrent use as the world that it lies over.
type Overlay struct {
	written [ids.Kinds]map[int]*Written
	order   [ids.Kinds][]int
}

// Find returns record i as it was written; nil if it never was.
func (o *Overlay) Find(kind ids.Kind, i int) *Written { return o.written[kind][i] }

// Indices lists the records of a kind that were written, oldest first. Callers only
// read it.
func (o *Overlay) Indices(kind ids.Kind) []int { return o.order[kind] }

// Put keeps a record. Its names beyond those of the generated record are the
// organization's own fields; they come in every form.
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

// Lay returns a generated record, in whatever form, with the written values in the
// place of its own. What the form leaves out stays out.
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

// live names are of times: the world's tables know them.
func live(name string) bool {
	switch name {
	case "created_time", "last_modified_time", "updated_time", "created_time_formatted", "last_modified_time_formatted":
		return true
	default:
		return false
	}
}

// Freeze takes the times out of a record, so that they are computed anew.
func Freeze(o *Object) *Object {
	for _, name := range append([]string{}, o.names...) {
		if live(name) {
			o.Drop(name)
		}
	}
	return o
}

// Touch changes a value that nothing is computed from: an edit of the world by
// itself, the n-th one, has to change something.
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
