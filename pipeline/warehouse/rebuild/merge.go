package rebuild

import (
	"encoding/json"
	"fmt"
	"strings"

	"sluice/schema"
	"sluice/schema/record"
)

// Merge lays the later record over the earlier one, as loading does. Of the unknown keys it has those of the later one.
func Merge(earlier, later *record.Record) record.Record {
	merged := record.Record{ID: later.ID, Modified: later.Modified, Extra: later.Extra, Hash: later.Hash}
	merged.Tables = append(merged.Tables, earlier.Tables...)
	merged.Carries = append(merged.Carries, earlier.Carries...)
	values := append([]record.Value(nil), earlier.Tables[0][0].Values...)
	for i, value := range later.Tables[0][0].Values {
		if value.State != record.Absent {
			values[i] = value
		}
	}
	merged.Tables[0] = []record.Row{{Values: values}}
	for i := 1; i < len(merged.Tables); i++ {
		if later.Carries[i] {
			merged.Tables[i], merged.Carries[i] = later.Tables[i], true
		}
	}
	return merged
}

// merged is what the records of a row make of it together.
func (r *row) merged() *record.Record {
	order := r.inOrder()
	if len(order) == 1 {
		return order[0].record
	}
	both := Merge(order[0].record, order[1].record)
	return &both
}

// unknown are the unknown keys of a row, as loading merges them: those that are stored stay unless the record says something else of them, is
// about to replace the array that they are in, or the declaration knows them by now. It is the rule of statements.mergeExtra, for
// rows that are written whole.
func unknown(tables []schema.Table, stored []byte, versions []*version) (string, error) {
	extra := ""
	if stored != nil {
		extra = string(stored[1:]) // behind the version of the format
	}
	for _, v := range versions {
		if extra == "" {
			extra = v.record.Extra
			continue
		}
		keys := map[string]json.RawMessage{}
		if err := json.Unmarshal([]byte(extra), &keys); err != nil {
			return "", fmt.Errorf("reading _extra of record %q: %w", v.record.ID, err)
		}
		for key := range keys {
			if gone(tables, v.record, key) {
				delete(keys, key)
			}
		}
		if v.record.Extra != "" {
			if err := json.Unmarshal([]byte(v.record.Extra), &keys); err != nil {
				return "", fmt.Errorf("reading unknown keys of record %q: %w", v.record.ID, err)
			}
		}
		extra = ""
		if len(keys) > 0 {
			text, err := json.Marshal(keys)
			if err != nil {
				return "", fmt.Errorf("writing _extra of record %q: %w", v.record.ID, err)
			}
			extra = string(text)
		}
	}
	return extra, nil
}

// gone says that a stored key is not unknown any more, or goes with an array that the record carries.
func gone(tables []schema.Table, record *record.Record, key string) bool {
	head := key
	if end := strings.IndexAny(key, ".["); end >= 0 {
		head = key[:end]
	}
	for i := range tables[0].Columns {
		if tables[0].Columns[i].Wire == head {
			return true
		}
	}
	for i := range tables {
		if tables[i].Depth() != 1 || !record.Carries[i] {
			continue
		}
		if prefix := tables[i].Child.Prefix; prefix != "" && strings.HasPrefix(key, prefix) || prefix == "" && head == tables[i].Path[0] {
			return true
		}
	}
	return false
}
