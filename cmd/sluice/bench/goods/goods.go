// Package goods makes what is measured: records of the shape and size of real ones, as declarations, JSON, pages and lines.
//
// They are numbered: a record is a function of its number and its version, and its key grows with the number, as
// identifiers upstream do. It is pure.
//
// Start reading at Service, then Append.
package goods

import (
	"fmt"
	"strconv"

	"sluice/schema"
)

// Service declares items of 45 columns, bills with three arrays, and chats.
func Service() *schema.Service {
	return &schema.Service{Name: "bench", Doc: "What is measured.", Resources: []schema.Resource{items(), bills(), chats()}}
}

func items() schema.Resource {
	columns := []schema.Column{schema.ID("item_id", "Key."), schema.Time("last_modified_time", "Edited.")}
	for i := range 20 {
		columns = append(columns, schema.Text(fmt.Sprintf("description_%d", i), "Text."))
	}
	for i := range 15 {
		columns = append(columns, schema.Decimal(fmt.Sprintf("purchase_rate_%d", i), "Amount."))
	}
	for i := range 8 {
		columns = append(columns, schema.Bool(fmt.Sprintf("is_taxable_%d", i), "Truth."))
	}
	return schema.Resource{
		Name: "items", Doc: "Wide rows.", ID: "item_id", Key: "items", Cursor: schema.Since{Column: "last_modified_time"}, Columns: columns,
	}
}

func bills() schema.Resource {
	columns := []schema.Column{schema.ID("bill_id", "Key."), schema.Time("last_modified_time", "Edited."), schema.Date("date", "Day.")}
	for i := range 15 {
		columns = append(columns, schema.Text(fmt.Sprintf("reference_%d", i), "Text."))
	}
	for i := range 10 {
		columns = append(columns, schema.Decimal(fmt.Sprintf("total_%d", i), "Amount."))
	}
	bills := schema.Resource{
		Name: "bills", Doc: "Rows with arrays.", ID: "bill_id", Key: "bills", Cursor: schema.Since{Column: "last_modified_time"}, Columns: columns,
	}
	for _, name := range []string{"line_items", "taxes", "payments"} {
		child := schema.Child{Name: name, Doc: "An array.", Columns: []schema.Column{schema.ID("element_id", "Key.")}}
		for i := range 6 {
			child.Columns = append(child.Columns, schema.Text(fmt.Sprintf("text_%d", i), "Text."), schema.Decimal(fmt.Sprintf("amount_%d", i), "Amount."))
		}
		bills.Children = append(bills.Children, child)
	}
	return bills
}

func chats() schema.Resource {
	return schema.Resource{
		Name: "chats", Doc: "Lines of an export.", ID: "chat_id", Cursor: schema.Export{Modified: "last_modified_time", FieldsParam: "fields"},
		Columns: []schema.Column{
			schema.ID("chat_id", "Key."), schema.Text("title", "Title."), schema.Time("creation_time", "Opened."),
			schema.Time("last_modified_time", "Edited."), schema.Int("participant_count", "People."),
			schema.Int("total_message_count", "Messages."), schema.ID("creator_id", "Opener."),
		},
	}
}

// Find gives a resource by its name.
func Find(service *schema.Service, name string) (*schema.Resource, error) {
	for i := range service.Resources {
		if service.Resources[i].Name == name {
			return &service.Resources[i], nil
		}
	}
	return nil, fmt.Errorf("no resource %q is measured", name)
}

// elements are how many a bill has of each array.
func elements(child, number int) int {
	return [...]int{5, 2, number % 2}[child]
}

// Append appends record number n of a resource in a version.
func Append(buf []byte, resource *schema.Resource, n, version int) []byte {
	buf = append(buf, '{')
	buf = leaves(buf, resource.Columns, n, version)
	for c := range resource.Children {
		child := &resource.Children[c]
		buf = append(append(append(buf, `,"`...), child.Name...), `":[`...)
		for at := range elements(c, n) {
			if at > 0 {
				buf = append(buf, ',')
			}
			buf = append(leaves(append(buf, '{'), child.Columns, n*8+at, version), '}')
		}
		buf = append(buf, ']')
	}
	return append(buf, '}')
}

// appendID adds the key of record number n.
func appendID(buf []byte, n int) []byte {
	return strconv.AppendInt(buf, 460_000_000_000_000+int64(n), 10)
}

func leaves(buf []byte, columns []schema.Column, n, version int) []byte {
	for i := range columns {
		column := &columns[i]
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = append(append(append(buf, '"'), column.Wire...), `":`...)
		switch column.Kind {
		case schema.KindID:
			buf = append(appendID(append(buf, '"'), n), '"')
		case schema.KindBool:
			buf = strconv.AppendBool(buf, (n+i)%2 == 0)
		case schema.KindDecimal:
			buf = strconv.AppendInt(buf, int64(n%100_000*7+i), 10)
			buf = append(buf, '.', byte('0'+n%10), byte('0'+i%10))
		case schema.KindTime:
			buf = append(buf, `"2026-01-0`...)
			buf = append(append(buf, byte('1'+version), 'T', '1', byte('0'+n%10)), `:27:23+0530"`...) //nolint:gosec // one digit
		case schema.KindDate:
			buf = append(append(buf, `"2026-01-1`...), byte('0'+n%10), '"')
		case schema.KindInt:
			buf = strconv.AppendInt(buf, int64(n%1000+version), 10)
		case schema.KindText, schema.KindJSON:
			buf = append(strconv.AppendInt(append(buf, `"value `...), int64(n%10_000), 10), " of "...)
			buf = append(strconv.AppendInt(append(strconv.AppendInt(buf, int64(i), 10), ' ', 'v'), int64(version), 10), '"')
		}
	}
	return buf
}
