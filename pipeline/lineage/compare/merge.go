package compare

import (
	"encoding/json"
	"fmt"
	"strings"

	"sluice/schema"
	"sluice/schema/record"
)

// merge lays the later record over the earlier one, as the loader does.
func merge(tables []schema.Table, earlier, later *record.Record) (record.Record, error) {
	merged := record.Record{ID: later.ID, Modified: later.Modified}
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
	var err error
	merged.Extra, err = unknown(tables, earlier, later)
	return merged, err
}

// unknown returns the unknown keys of two records together. A key of the earlier record stays
// unless the later one has it too, or replaces the array that the key is in. The loader's
// statements have the same rule.
func unknown(tables []schema.Table, earlier, later *record.Record) (string, error) {
	if earlier.Extra == "" {
		return later.Extra, nil
	}
	keys := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(earlier.Extra), &keys); err != nil {
		return "", fmt.Errorf("reading unknown keys of record %q: %w", earlier.ID, err)
	}
	for key := range keys {
		if replaced(tables, later, key) {
			delete(keys, key)
		}
	}
	if later.Extra != "" {
		if err := json.Unmarshal([]byte(later.Extra), &keys); err != nil {
			return "", fmt.Errorf("reading unknown keys of record %q: %w", later.ID, err)
		}
	}
	if len(keys) == 0 {
		return "", nil
	}
	text, err := json.Marshal(keys)
	if err != nil {
		return "", fmt.Errorf("writing unknown keys of record %q: %w", later.ID, err)
	}
	return string(text), nil
}

// replaced reports whether an unknown key belongs to an array that the record carries.
func replaced(tables []schema.Table, record *record.Record, key string) bool {
	head := key
	if end := strings.IndexAny(key, ".["); end >= 0 {
		head = key[:end]
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
