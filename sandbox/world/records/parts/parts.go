// Package parts writes the common parts of several kinds of records.
//
// It writes no whole record. Start reading with Author.
package parts

import (
	"sluice/sandbox/world/books"
	"sluice/sandbox/world/draw"
	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/wire"
)

// Author writes the records of some books.
type Author struct{ *books.Books }

// Time writes an instant in epoch seconds.
func (w Author) Time(o *wire.Writer, name string, seconds int64) {
	o.Key(name)
	o.B = append(w.Calendar.AppendStamp(append(o.B, '"'), seconds), '"')
}

// Date writes the date of an instant in epoch seconds, some days later.
func (w Author) Date(o *wire.Writer, name string, seconds int64, later int) {
	o.Key(name)
	o.B = append(w.Calendar.AppendDay(append(o.B, '"'), seconds, later), '"')
}

// CustomFields writes the array; some records have none, some carry "" instead.
func (w Author) CustomFields(o *wire.Writer, kind ids.Kind, i int) {
	switch w.Draw(kind, i, draw.Credit, 6) { // one in six each.
	case 0:
		o.Text("custom_fields", "")
	case 1:
		o.Array("custom_fields", 0, nil)
	default:
		o.Array("custom_fields", 1+w.Draw(kind, i, draw.Code, 2), func(n int) { // one or two.
			customField(o, kind, n, w.Draw(kind, i+n, draw.Place, 4)) // one of four values.
		})
	}
}

// customField writes an element of the array; each resource spells the key of its identifier in its
// own way.
func customField(o *wire.Writer, kind ids.Kind, n, value int) {
	o.Open()
	switch kind {
	case ids.CreditNotes:
	case ids.Payments, ids.CompositeItems:
		o.ID("custom_field_id", ids.FixedNumber(ids.GroupCustomField, int(kind)*10+n)) // ten per kind.
	default:
		o.ID("customfield_id", ids.FixedNumber(ids.GroupCustomField, int(kind)*10+n)) // ten per kind.
	}
	if kind == ids.Payments || kind == ids.CreditNotes || kind == ids.CompositeItems {
		o.Whole("index", n+1)
		o.Text("label", [...]string{"Cost centre", "Project"}[n])
	}
	o.Text("value", [...]string{"North", "South", "Žilina", ""}[value])
	o.Close('}')
}

// Remark writes a remark of a record.
func (w Author) Remark(o *wire.Writer, name string, kind ids.Kind, i int) {
	o.Text(name, w.Words.Remarks[w.Draw(kind, i, draw.Text, len(w.Words.Remarks))])
}

// Vendor writes identifier and name of a vendor.
func (w Author) Vendor(o *wire.Writer, n int) {
	o.ID("vendor_id", ids.FixedNumber(ids.GroupVendor, n))
	o.Text("vendor_name", w.Words.VendorName(n))
}

// Address writes the array of addresses of bills and payments.
func (w Author) Address(o *wire.Writer, i, place int, attention bool) {
	spot := w.Words.Place(place)
	o.Array("billing_address", 1, func(int) {
		o.Open()
		o.Text("address", spot.Street)
		o.Text("city", spot.City)
		o.Text("state", spot.State)
		o.Text("zip", spot.Zip)
		o.Text("country", "India")
		o.Text("fax", w.Rare(i, books.Phone(i)))
		if attention {
			o.Text("attention", "Accounts")
		}
		o.Close('}')
	})
}

// EmptyArray writes an array whose elements are undocumented: empty, or "".
func (w Author) EmptyArray(o *wire.Writer, name string, kind ids.Kind, i int) {
	if w.One(5, kind, i, draw.Absent) { // one in five.
		o.Text(name, "")
		return
	}
	o.Array(name, 0, nil)
}

// rareEvery is the distance between two records with rare values.
const rareEvery = 7

// Rare returns a value that few businesses ever fill: "" in most records, and in all of them unless
// the books are for a demonstration.
func (w Author) Rare(i int, value string) string {
	if w.IsRare(i) {
		return value
	}
	return ""
}

// IsRare reports whether record i has rare values.
func (w Author) IsRare(i int) bool { return w.Demo && i%rareEvery == 3 } // 3: no record that is special otherwise.

// RareMoney writes an amount in cents where Rare has a value, and "" elsewhere.
func (w Author) RareMoney(o *wire.Writer, i int, name string, cents int64) {
	if w.IsRare(i) {
		o.Money(name, cents)
		return
	}
	o.Text(name, "")
}

// Count returns 1 for true and 0 for false.
func Count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// Either returns the value if yes holds, else "".
func Either(yes bool, value string) string {
	if yes {
		return value
	}
	return ""
}

// HSN writes the goods code of item i.
func HSN(o *wire.Writer, i int) { o.Padded("hsn_or_sac", "7326", i%9000, 4) }

// Numbered writes a text that ends with a number if yes holds, else "".
func Numbered(o *wire.Writer, name string, yes bool, before string, number int) {
	if !yes {
		o.Text(name, "")
		return
	}
	o.Numbered(name, before, number)
}

// Padded is Numbered with zeroes before the number.
func Padded(o *wire.Writer, name string, yes bool, before string, number, digits int) {
	if !yes {
		o.Text(name, "")
		return
	}
	o.Padded(name, before, number, digits)
}

// Number writes the number of a document as books.Number does: five digits or more.
func Number(o *wire.Writer, name, before string, n int) {
	o.Padded(name, before, n, 5) // BILL-00001.
}

// ID writes the identifier of a referenced thing if yes holds, else "".
func ID(o *wire.Writer, name string, yes bool, group, n int) {
	if !yes {
		o.Text(name, "")
		return
	}
	o.ID(name, ids.FixedNumber(group, n))
}
