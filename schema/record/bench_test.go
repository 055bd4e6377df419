package record_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"sluice/schema"
	"sluice/schema/record"
)

// bill returns a resource of the size of a bill: 40 leaves, five lines of 25 leaves.
func bill() (*schema.Resource, []byte) {
	r := &schema.Resource{Name: "bills", ID: "bill_id", Cursor: schema.Since{Column: "modified", Param: "modified"}}
	r.Columns = append(r.Columns, schema.ID("bill_id", "The key."), schema.Time("modified", "When it changed."))
	record := []string{`"bill_id":"460000000038085"`, `"modified":"2026-01-17T15:27:23+0530"`}
	leaves := func(prefix string, count int) ([]schema.Column, []string) {
		var columns []schema.Column
		var members []string
		for i := range count {
			name := fmt.Sprintf("%s_%d", prefix, i)
			columns = append(columns, []schema.Column{
				schema.Text(name, "A text."), schema.Decimal(name, "An amount."), schema.ID(name, "A key."),
			}[i%3])
			members = append(members, fmt.Sprintf("%q: %s", name,
				[]string{`"some text of usual length"`, `1234.50`, `"460000000038113"`}[i%3]))
		}
		return columns, members
	}
	columns, members := leaves("bill_field", 38)
	r.Columns = append(r.Columns, columns...)
	lineColumns, line := leaves("line_field", 25)
	r.Children = []schema.Child{{Name: "line_items", Columns: lineColumns}}
	one := "{" + strings.Join(line, ", ") + "}"
	record = append(append(record, members...), `"line_items": [`+strings.Join([]string{one, one, one, one, one}, ", ")+"]")
	return r, []byte("{" + strings.Join(record, ", ") + "}")
}

func BenchmarkRecordBill(b *testing.B) {
	resource, raw := bill()
	n, err := record.New(resource, time.UTC)
	must(b, err)
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := n.Record(raw); err != nil {
			b.Fatal(err)
		}
	}
}
