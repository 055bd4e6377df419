package parts

import (
	"sluice/sandbox/world/books"
	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/wire"
	"sluice/sandbox/world/words"
)

// Usual holds runs of keys that repeat in many records, written once: pages are built from them.
// They are immutable.
type Usual struct {
	Descriptions, Notes []wire.Run // of the remarks, by number

	vendors, customers    []wire.Run
	addresses, attentions []wire.Run   // of bills and of payments, by number of the place; not those of rare records
	items                 [][]wire.Run // the beginning of an item's name, by trait and noun
	fields                [ids.Kinds][customFields][customValues]wire.Run
}

func usual(b *books.Books) *Usual {
	u := &Usual{fields: customFieldRuns()}
	author := Author{Books: b}
	for _, remark := range b.Words.Remarks {
		u.Descriptions = append(u.Descriptions, wire.Freeze(func(o *wire.Writer) { o.Text("description", remark) }))
		u.Notes = append(u.Notes, wire.Freeze(func(o *wire.Writer) { o.Text("notes", remark) }))
	}
	for n := range b.Vendors() {
		u.vendors = append(u.vendors, wire.Freeze(func(o *wire.Writer) {
			o.ID("vendor_id", ids.FixedNumber(ids.GroupVendor, n))
			o.Text("vendor_name", b.Words.VendorName(n))
		}))
	}
	for n := range b.Customers() {
		u.customers = append(u.customers, wire.Freeze(func(o *wire.Writer) {
			o.ID("customer_id", ids.FixedNumber(ids.GroupCustomer, n))
			o.Text("customer_name", b.Words.CustomerName(n))
		}))
	}
	for n := range words.Places {
		u.addresses = append(u.addresses, wire.Freeze(func(o *wire.Writer) { author.address(o, Ordinary, n, false) }))
		u.attentions = append(u.attentions, wire.Freeze(func(o *wire.Writer) { author.address(o, Ordinary, n, true) }))
	}
	for _, trait := range b.Words.Traits {
		var runs []wire.Run
		for _, noun := range b.Words.Nouns {
			named := wire.Freeze(func(o *wire.Writer) { o.Text("name", trait+" "+noun+" ") })
			runs = append(runs, named[:len(named)-1]) // the number and the quote follow.
		}
		u.items = append(u.items, runs)
	}
	return u
}

const customFields, customValues = 2, 4

// customFieldRuns returns the elements of arrays of custom fields, by kind, place in the array and
// value.
func customFieldRuns() [ids.Kinds][customFields][customValues]wire.Run {
	var runs [ids.Kinds][customFields][customValues]wire.Run
	for kind, idKey := range map[ids.Kind]string{
		ids.Accounts: "customfield_id", ids.Bills: "customfield_id", ids.Items: "customfield_id",
		ids.Payments: "custom_field_id", ids.CompositeItems: "custom_field_id", ids.CreditNotes: "",
	} {
		for n := range customFields {
			for v := range customValues {
				runs[kind][n][v] = wire.Freeze(func(o *wire.Writer) { customField(o, kind, idKey, n, v) })
			}
		}
	}
	return runs
}

func customField(o *wire.Writer, kind ids.Kind, idKey string, n, value int) {
	o.Open()
	if idKey != "" {
		o.ID(idKey, ids.FixedNumber(ids.GroupCustomField, int(kind)*10+n)) // ten per kind.
	}
	if kind == ids.Payments || kind == ids.CreditNotes || kind == ids.CompositeItems {
		o.Whole("index", n+1)
		o.Text("label", [...]string{"Cost centre", "Project"}[n])
	}
	o.Text("value", [...]string{"North", "South", "Žilina", ""}[value])
	o.Close('}')
}

// Vendor writes identifier and name of a vendor.
func (w Author) Vendor(o *wire.Writer, n int) { o.Put(w.vendors[n]) }

// Customer writes identifier and name of a customer.
func (w Author) Customer(o *wire.Writer, n int) { o.Put(w.customers[n]) }

// NameOfItem writes the name of item i as first written.
func (w Author) NameOfItem(o *wire.Writer, i int) {
	trait, noun := w.ItemWords(i)
	o.PutNumbered(w.items[trait][noun], i+1)
}

// Address writes the array of addresses of bills and payments, with a record's rare values.
func (w Author) Address(o *wire.Writer, i, place int, attention bool) {
	place %= words.Places
	switch {
	case w.IsRare(i):
		w.address(o, i, place, attention)
	case attention:
		o.Put(w.attentions[place])
	default:
		o.Put(w.addresses[place])
	}
}

func (w Author) address(o *wire.Writer, i, place int, attention bool) {
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
