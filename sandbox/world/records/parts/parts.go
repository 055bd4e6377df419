// Package parts writes what records of several kinds have in common.
//
// It writes no whole record. Start reading with Author.
package parts

import (
	"fmt"

	"sluice/sandbox/world/books"
	"sluice/sandbox/world/draw"
	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/wire"
)

// Author writes the records of some books.
type Author struct{ *books.Books }

// CustomFields writes the array with its element id spelled as each resource
// spells it; some records have none, some carry "" in its place.
func (w Author) CustomFields(o *wire.Writer, idKey string, kind ids.Kind, i int) {
	switch w.Draw(kind, i, draw.Credit, 6) { // one in six each.
	case 0:
		o.Text("custom_fields", "")
	case 1:
		o.Array("custom_fields", 0, nil)
	default:
		o.Array("custom_fields", 1+w.Draw(kind, i, draw.Code, 2), func(n int) { // one or two.
			o.Open()
			if idKey != "" {
				o.Text(idKey, ids.Fixed(ids.GroupCustomField, int(kind)*10+n)) // ten per kind.
			}
			if kind == ids.Payments || kind == ids.CreditNotes || kind == ids.CompositeItems {
				o.Whole("index", n+1)
				o.Text("label", [...]string{"Cost centre", "Project"}[n])
			}
			o.Text("value", [...]string{"North", "South", "Žilina", ""}[w.Draw(kind, i+n, draw.Place, 4)])
			o.Close('}')
		})
	}
}

// EmptyArray writes an array whose elements no document shows, or "".
func (w Author) EmptyArray(o *wire.Writer, name string, kind ids.Kind, i int) {
	if w.One(5, kind, i, draw.Absent) { // one in five.
		o.Text(name, "")
		return
	}
	o.Array(name, 0, nil)
}

// rareEvery is how many records lie between two that have a rare value.
const rareEvery = 7

// Rare is a value that few businesses ever fill: "" in most records, and in all of
// them unless the books are for a demonstration.
func (w Author) Rare(i int, value string) string {
	if w.IsRare(i) {
		return value
	}
	return ""
}

// IsRare tells whether record i has rare values.
func (w Author) IsRare(i int) bool { return w.Demo && i%rareEvery == 3 } // 3: no record that is special otherwise.

// RareMoney writes an amount in cents where Rare has a value, and "" elsewhere.
func (w Author) RareMoney(o *wire.Writer, i int, name string, cents int64) {
	if w.IsRare(i) {
		o.Money(name, cents)
		return
	}
	o.Text(name, "")
}

// Count is how many there are of what is there or not.
func Count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// Either is the value if something holds, and "" if not.
func Either(yes bool, value string) string {
	if yes {
		return value
	}
	return ""
}

// HSN is the goods code of item i.
func HSN(i int) string { return fmt.Sprintf("7326%04d", i%9000) }
