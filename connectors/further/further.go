// Package further declares lists that the vendor's services have beyond their API documents. They
// are off until the configuration names them under catalogue; their tables are in schema custom.
//
// Paths, keys, filters and sorts are those of public specifications and recorded answers
// (docs/upstream.md U330 and U331). Columns are the ones that nearly every reader asks for; all
// other keys stay in _extra, and "sluice drift promote" proposes columns for them. No document
// shows any of it, so everything is assumed.
//
// Start reading at Of, then the file of a service.
package further

import "sluice/schema"

// tables is the Postgres schema of the lists, that of lists which the configuration declares.
const tables = "custom"

// Of returns the ready-made lists of a service, nil if there are none. A name is unique among all
// services, because one schema has the tables of all.
func Of(service string) []schema.Resource {
	switch service {
	case "accounting":
		return accounting()
	case "inventory":
		return inventory()
	case "billing":
		return billing()
	case "chat":
		return chat()
	default:
		return nil
	}
}

// list completes what all lists have in common.
func list(r schema.Resource) schema.Resource {
	r.Schema, r.AssumedPath = tables, true
	if r.Every == "" {
		r.Every = "24h"
		switch r.Cursor.(type) {
		case schema.Since, schema.NewestFirst:
			r.Every = "1h" // a run that finds nothing new costs a call
		}
	}
	if r.Single != nil {
		r.Single.Assumed = true
	}
	for i := range r.Columns {
		r.Columns[i].Assumed = true
	}
	for i := range r.Children {
		for c := range r.Children[i].Columns {
			r.Children[i].Columns[c].Assumed = true
		}
	}
	r.Assumed = append(r.Assumed, "No API document shows the list.")
	return r
}

// The ways of reading lists whose records carry both times.
func since() schema.Cursor {
	return schema.Since{Column: "last_modified_time", Param: "last_modified_time", Created: "created_time", Assumed: true}
}

func newestFirst() schema.Cursor {
	return schema.NewestFirst{Column: "last_modified_time", Sort: "last_modified_time", Assumed: true}
}

func whole() schema.Cursor {
	return schema.FullScan{Modified: "last_modified_time", Created: "created_time"}
}

// times are the columns that these ways of reading need.
func times() []schema.Column {
	return []schema.Column{
		schema.Time("created_time", "When the record was entered."),
		schema.Time("last_modified_time", "When the record last changed."),
	}
}

// columns joins groups of columns.
func columns(groups ...[]schema.Column) []schema.Column {
	var all []schema.Column
	for _, group := range groups {
		all = append(all, group...)
	}
	return all
}

// key is the column of the identifier.
func key(wire, what string) []schema.Column {
	return []schema.Column{schema.ID(wire, "Identifier of the "+what+"; unique within the organization.")}
}

// numbered are the number and the state of a document.
func numbered(wire, what string) []schema.Column {
	return []schema.Column{
		schema.ID(wire, "Number of the "+what+" as the organization shows it."),
		schema.ID("reference_number", "Number that the other side gave it."),
		schema.Text("status", "Where the "+what+" stands.").Is(schema.Plain),
		schema.Date("date", "Day of the "+what+"."),
	}
}

// party is the other side of a document: customer or vendor.
func party(side string) []schema.Column {
	return []schema.Column{
		schema.ID(side+"_id", "Identifier of the "+side+"."),
		schema.Text(side+"_name", "Name of the "+side+".").Is(schema.Company),
	}
}

// currency is the currency of a document.
func currency() []schema.Column {
	return []schema.Column{
		schema.ID("currency_id", "Identifier of the currency of the amounts."),
		schema.ID("currency_code", "ISO code of the currency of the amounts."),
		schema.Decimal("exchange_rate", "Price of one unit of that currency in the base currency."),
	}
}

// lines are the lines of a document, which only the single record has.
func lines(what string) []schema.Child {
	return []schema.Child{{
		Name: "line_items", Doc: "One line of a " + what + ".",
		Columns: []schema.Column{
			schema.ID("line_item_id", "Identifier of the line."),
			schema.ID("item_id", "Identifier of the item; empty for free text."),
			schema.Text("name", "Name of the item.").Is(schema.Plain),
			schema.Text("description", "Text of the line.").Is(schema.FreeText),
			schema.ID("account_id", "Identifier of the account that the line is booked on."),
			schema.Decimal("quantity", "Number of units."),
			schema.Decimal("rate", "Price of one unit, in the currency of the document."),
			schema.Decimal("item_total", "Amount of the line before tax, in the currency of the document."),
			schema.ID("tax_id", "Identifier of the tax on the line."),
			schema.Decimal("tax_percentage", "Rate of that tax, in percent."),
		},
	}}
}

// document says what of a document with lines and totals belongs to its period.
func document(number, party string) *schema.Dated {
	return &schema.Dated{
		On: "date", Figures: []string{"sub_total", "tax_total", "total"}, Currency: "currency_code", Rate: "exchange_rate",
		State: "status", Out: []string{"draft", "void"}, With: []string{number, party},
		Lines: "line_items", LineColumns: []string{"line_item_id", "account_id", "quantity", "rate", "item_total", "tax_id"},
	}
}

// totals are the sums of a document.
func totals(more ...schema.Column) []schema.Column {
	return append([]schema.Column{
		schema.Decimal("sub_total", "Sum of the lines before tax, in the currency of the document."),
		schema.Decimal("tax_total", "Sum of the taxes, in the currency of the document."),
		schema.Decimal("total", "Sum with tax, in the currency of the document."),
	}, more...)
}

func balance(what string) schema.Column {
	return schema.Decimal("balance", "What is left of the "+what+", in its currency.")
}

func dueDate() schema.Column { return schema.Date("due_date", "Day on which it is due.") }

// single is the call for one record, which has the lines that the list leaves out.
func single(path, key string) *schema.Single {
	return &schema.Single{Path: path + "/{id}", Key: key}
}

func withLines() *schema.Details { return &schema.Details{Marker: "line_items"} }
