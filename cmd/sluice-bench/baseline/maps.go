package baseline

import (
	"bytes"
	"encoding/json"
	"fmt"

	"sluice/schema"
	"sluice/schema/record"
)

// Decode reads a page by encoding/json into maps, as most tools do, and takes the declared keys out.
func Decode(page []byte, resource *schema.Resource) ([]record.Record, error) {
	var envelope map[string]json.RawMessage
	if err := json.Unmarshal(page, &envelope); err != nil {
		return nil, fmt.Errorf("read the envelope: %w", err)
	}
	var raws []json.RawMessage
	if err := json.Unmarshal(envelope[resource.Key], &raws); err != nil {
		return nil, fmt.Errorf("read the list: %w", err)
	}
	records := make([]record.Record, len(raws))
	for i, raw := range raws {
		decoder := json.NewDecoder(bytes.NewReader(raw))
		decoder.UseNumber()
		var fields map[string]any
		if err := decoder.Decode(&fields); err != nil {
			return nil, fmt.Errorf("read a record: %w", err)
		}
		rec := &records[i]
		rec.ID, rec.Raw = fmt.Sprint(fields[resource.ID]), raw
		rec.Tables = [][]record.Row{{{Values: values(resource.Columns, fields)}}}
		for c := range resource.Children {
			child := &resource.Children[c]
			elements, _ := fields[child.Name].([]any)
			rows := make([]record.Row, len(elements))
			for at, element := range elements {
				object, _ := element.(map[string]any)
				rows[at] = record.Row{Position: []int{at}, Values: values(child.Columns, object)}
			}
			rec.Tables = append(rec.Tables, rows)
		}
	}
	return records, nil
}

func values(columns []schema.Column, fields map[string]any) []record.Value {
	all := make([]record.Value, len(columns))
	for i := range columns {
		switch value := fields[columns[i].Wire].(type) {
		case nil:
		case string:
			all[i] = record.Value{Text: value, State: record.Set}
		default:
			all[i] = record.Value{Text: fmt.Sprint(value), State: record.Set}
		}
	}
	return all
}
