package record_test

import (
	"fmt"
	"time"

	"sluice/schema"
	"sluice/schema/record"
)

func ExampleNormalizer_Record() {
	bills := &schema.Resource{
		Name: "bills", ID: "bill_id", Cursor: schema.NewestFirst{Column: "last_modified_time", Sort: "last_modified_time"},
		Columns: []schema.Column{
			schema.ID("bill_id", "Identifier of the bill."),
			schema.Decimal("total", "What is owed."),
			schema.Date("due_date", "When it is due."),
			schema.Time("last_modified_time", "When it last changed."),
		},
	}
	normalizer, err := record.New(bills, time.UTC)
	if err != nil {
		fmt.Println(err)
		return
	}
	rec, err := normalizer.Record([]byte(
		`{"bill_id": 4600, "total": "244.90", "due_date": "", "last_modified_time": "2026-01-17T15:27:23+0530", "colour": "red"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, value := range rec.Tables[0][0].Values {
		fmt.Printf("%s: %q (null: %t)\n", bills.Columns[i].Wire, value.Text, value.State == record.Null)
	}
	fmt.Println("extra:", rec.Extra)

	_, err = normalizer.Record([]byte(`{"bill_id": 4600, "total": "a lot"}`))
	fmt.Println(err)
	// Output:
	// bill_id: "4600" (null: false)
	// total: "244.9" (null: false)
	// due_date: "" (null: true)
	// last_modified_time: "2026-01-17 09:57:23+00" (null: false)
	// extra: {"colour":"red"}
	// value at total does not fit: bad_number: a decimal number in plain digits is declared
}
