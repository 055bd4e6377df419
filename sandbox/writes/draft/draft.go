// Package draft turns the body of a write into a record of the world. It merges the body into the
// record, computes the dependent values, and changes the other records that a user would see change
// (docs/upstream.md U155 to U228).
//
// It answers no call and knows no header. Start reading with Draft.
package draft

import (
	"encoding/json"
	"slices"
	"strings"

	"sluice/sandbox/rules"
	"sluice/sandbox/world"
	"sluice/sandbox/world/overlay"
)

// Draft is a record about to be written. Meanwhile the caller has the world to itself.
type Draft struct {
	World *world.World
	Kind  world.Kind
	// Index is the record's number; Record is the record, which Open sets.
	Index   int
	Record  *overlay.Object
	Created bool
	// Now is the instant in epoch seconds, Today the organization's day.
	Now   int64
	Today string

	Fields []rules.Field // that the endpoint accepts
	Prefix string        // of the organization's own fields
	Body   rules.Body
	File   string // name of the uploaded file; "" for none
	// Accounts are the accounts in the query of a base currency adjustment; nil for all.
	Accounts []string
}

// Open starts from the existing record, or from a new one.
func (d *Draft) Open() {
	if d.Created {
		d.Index, d.Record = d.World.Create(d.Kind, d.Now)
		return
	}
	d.Record = overlay.Freeze(d.World.Record(d.Kind, d.Index))
}

// Save merges the body into the record, computes the dependent values and stores it under a parent;
// "" keeps the present parent.
func (d *Draft) Save(under string) {
	if d.Created {
		overlay.Freeze(d.Record)
	}
	d.lay(d.Record, d.Fields, d.Body)
	d.complete()
	d.World.Put(d.Kind, d.Index, d.Now, under, d.Record)
}

// complete computes the values that depend on the body.
func (d *Draft) complete() {
	switch d.Kind {
	case world.ContactPersons, world.CustomerPersons:
		d.person()
	case world.ModuleRecords:
		d.moduleRecord()
	case world.OpeningBalances:
		d.openingBalance()
	case world.Accounts:
		d.account()
	case world.Payments:
		d.payment()
	case world.Adjustments:
		d.adjustment()
	case world.Expenses:
		d.expense()
	case world.Currencies:
		d.currency()
	case world.Locations:
		d.location()
	case world.Taxes:
		d.tax()
	case world.CompositeItems:
		d.compositeItem()
	case world.Items:
		d.item()
	case world.Bills:
		d.bill()
	case world.CreditNotes:
		d.creditNote()
	default: // kinds that cannot be written
	}
}

// lay writes the sent values into an object that has the names. It replaces lists and objects of
// known names as a whole, with every name that the services show in them.
func (d *Draft) lay(o *overlay.Object, fields []rules.Field, body rules.Body) {
	for _, f := range fields {
		value, sent := body[f.Name]
		if !sent || !o.Has(f.Name) && f.Type != rules.Instant { // times were removed: see overlay.Freeze.
			continue
		}
		if rules.Absent(value) {
			o.Set(f.Name, absent(f.Type))
			continue
		}
		d.layOne(o, f, value, body)
	}
}

func (d *Draft) layOne(o *overlay.Object, f rules.Field, value json.RawMessage, body rules.Body) {
	switch f.Type {
	case rules.Text, rules.ID, rules.IDs, rules.Day, rules.Instant:
		o.SetText(f.Name, body.Text(f.Name))
	case rules.Number:
		switch amount := body.Amount(f.Name); {
		case f.Name == rateName:
			o.SetRate(f.Name, amount)
		case amount.IsInt() && !strings.Contains(string(o.Get(f.Name)), "."): // a count, not money
			o.Set(f.Name, number(amount))
		default:
			o.SetAmount(f.Name, amount)
		}
	case rules.Whole, rules.Flag:
		o.Set(f.Name, json.RawMessage(body.Text(f.Name)))
	case rules.Object:
		inner, one := rules.Body{}, d.World.Sample(d.Kind, f.Name)
		if json.Unmarshal(value, &inner) == nil {
			d.lay(one, f.Fields, inner)
			o.SetList(f.Name, nil)
			o.Set(f.Name, one.Append(nil))
		}
	case rules.List:
		if f.Fields == nil {
			o.Set(f.Name, texts(value))
			return
		}
		o.SetList(f.Name, d.elements(f, body))
	case rules.Free:
		o.Set(f.Name, compact(value))
	}
}

// absent returns the spelling of an absent value of a type.
func absent(kind rules.Type) json.RawMessage {
	switch kind {
	case rules.Flag:
		return json.RawMessage("false")
	case rules.List:
		return json.RawMessage("[]")
	default:
		return json.RawMessage(`""`)
	}
}

// elements returns the objects of a sent list.
func (d *Draft) elements(f rules.Field, body rules.Body) []*overlay.Object {
	sample := d.World.Sample(d.Kind, f.Name)
	if len(sample.Names()) == 0 { // the services show no element, so the sent one stays.
		for _, inner := range f.Fields {
			sample.Set(inner.Name, json.RawMessage(`""`))
		}
	}
	var elements []*overlay.Object
	for _, sent := range body.List(f.Name) {
		one := sample.Clone()
		d.lay(one, f.Fields, sent)
		if f.Name == customFields {
			label(one, sent, len(elements)+1)
		}
		elements = append(elements, one)
	}
	return elements
}

// Names that several records share.
const (
	rateName     = "exchange_rate"
	customFields = "custom_fields"
	lineItems    = "line_items"
)

// label names a custom field. The documents show its label in answers, yet no input carries it.
func label(one *overlay.Object, sent rules.Body, position int) {
	for _, name := range []string{"label", "api_name"} {
		if text := sent.Text(name); text != "" && one.Has("label") && one.Text("label") == "" {
			one.SetText("label", text)
		}
	}
	if one.Has("index") && (one.Text("index") == "0" || one.Text("index") == "") {
		one.SetWhole("index", position)
	}
}

// texts returns a list of texts or numbers as a list of texts.
func texts(value json.RawMessage) json.RawMessage {
	var elements []json.RawMessage
	if json.Unmarshal(value, &elements) != nil {
		return json.RawMessage("[]")
	}
	written := make([]string, 0, len(elements))
	for _, element := range elements {
		if text, ok := rules.Plain(element); ok {
			written = append(written, text)
		}
	}
	list, err := json.Marshal(written)
	if err != nil { // texts always encode
		return json.RawMessage("[]")
	}
	return list
}

// compact returns a value without the sender's blanks.
func compact(value json.RawMessage) json.RawMessage {
	return slices.Clone(json.RawMessage(strings.TrimSpace(string(value))))
}
