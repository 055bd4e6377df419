package redact_test

import (
	"fmt"
	"strings"
	"testing"

	"sluice/schema"
	"sluice/schema/redact"
)

// BenchmarkRecord measures one record of 45 members, of which three are left out and two hashed.
func BenchmarkRecord(b *testing.B) {
	resource := &schema.Resource{Name: "items", ID: "item_id", Cursor: schema.FullScan{}, Columns: []schema.Column{schema.ID("item_id", "Key.")}}
	members := []string{`"item_id":"46000000000001"`}
	for i := range 44 {
		name := fmt.Sprintf("column_%d", i)
		resource.Columns = append(resource.Columns, schema.Text(name, "Text.").Is(schema.Person))
		members = append(members, fmt.Sprintf(`"%s":"value %d of 4600"`, name, i))
	}
	raw := []byte("{" + strings.Join(members, ",") + "}")
	for name, choice := range map[string]redact.Choice{
		"omit": {Omit: []string{"column_3", "column_9", "column_15"}}, "hash": {Hash: []string{"column_5", "column_12"}},
		"both": {Omit: []string{"column_3", "column_9", "column_15"}, Hash: []string{"column_5", "column_12"}},
	} {
		rules, _ := redact.Resolve(resource, choice, redact.Choice{}, nil)
		of := redact.New(resource, rules, redact.NewKey(secret))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			for b.Loop() {
				of.Record(raw)
			}
		})
	}
}
