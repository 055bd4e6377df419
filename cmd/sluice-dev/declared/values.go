package declared

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sluice/connectors"
	"sluice/sandbox/witness"
	"sluice/schema"
)

// sample is a record of a list as live services send it.
type sample struct {
	service  string
	resource *schema.Resource
	record   json.RawMessage
	values   values
}

// values says where the values of a record go. A value is a word, a number or a truth value that is
// not empty; arrays and objects count by what they hold.
type values struct {
	// columns are values in columns of their own kind, json values inside a column of kind JSON.
	columns, json int
	// ignored are values of keys that are not copied, for a declared reason or as display twins.
	ignored int
	// extra are values of keys that no declaration knows: they go to the column _extra.
	extra int
}

// samples reads the sandbox's sample of each declared list, and counts its values.
func samples() ([]sample, error) {
	var all []sample
	services := connectors.All()
	for service, resource := range schema.Each(services) {
		one := sample{service: service.Name, resource: resource}
		live, err := witness.Load(one.service, one.resource.Name)
		if err == nil {
			one.record, err = live.Whole()
		}
		if err == nil {
			one.values, err = count(one.resource, one.record)
		}
		if err != nil {
			return nil, fmt.Errorf("count the values of %s.%s: %w", one.service, one.resource.Name, err)
		}
		all = append(all, one)
	}
	return all, nil
}

// count says where the values of a record of a resource go.
func count(resource *schema.Resource, record json.RawMessage) (values, error) {
	var v values
	err := v.object(&schema.Child{Columns: resource.Columns, Children: resource.Children, Ignored: resource.Ignored}, record)
	return v, err
}

// object counts the values of one object, which is declared like an element of the child.
func (v *values) object(declared *schema.Child, raw json.RawMessage) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return fmt.Errorf("a record or an element is no object: %w", err)
	}
	for key, value := range fields {
		at := slices.IndexFunc(declared.Children, func(child schema.Child) bool { return child.Prefix == "" && child.Name == key })
		if at >= 0 {
			if err := v.array(&declared.Children[at], value); err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
			continue
		}
		filled, err := countFilled(value)
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		*v.place(declared, key) += filled
	}
	return nil
}

// displayTwin ends the keys that repeat a declared value as text in a locale. They are ignored
// without being declared. Source: docs/upstream.md U124.
const displayTwin = "_formatted"

// place is the count of a key of an object that holds no declared array. A child with a prefix may
// claim a key without a column.
func (v *values) place(declared *schema.Child, key string) *int {
	ignored := declared.Ignored[key] != ""
	for _, column := range declared.Columns {
		if key == column.Wire || key == column.Also {
			return v.column(column)
		}
		ignored = ignored || key == column.Wire+displayTwin && !column.Given
	}
	if ignored {
		return &v.ignored
	}
	for _, child := range declared.Children {
		if child.Prefix != "" && strings.HasPrefix(key, child.Prefix) {
			if strings.HasSuffix(key, child.Twin) {
				return v.column(child.Columns[2])
			}
			return v.column(child.Columns[1])
		}
	}
	return &v.extra
}

// column is the count of the values of a column.
func (v *values) column(column schema.Column) *int {
	if column.Kind == schema.KindJSON {
		return &v.json
	}
	return &v.columns
}

// array counts the values of a declared array, or of an object in its place. "" and null are empty.
func (v *values) array(declared *schema.Child, raw json.RawMessage) error {
	filled, err := countFilled(raw)
	if err != nil || filled == 0 {
		return err
	}
	if declared.Scalar {
		*v.column(declared.Columns[0]) += filled
		return nil
	}
	var elements []json.RawMessage
	if json.Unmarshal(raw, &elements) != nil {
		elements = []json.RawMessage{raw}
	}
	for _, element := range elements {
		if err := v.object(declared, element); err != nil {
			return err
		}
	}
	return nil
}

// countFilled counts the bare values in a value that are not empty: not null, no blank text.
func countFilled(raw json.RawMessage) (int, error) {
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		return 0, fmt.Errorf("read a value: %w", err)
	}
	return filled(value), nil
}

func filled(value any) int {
	count := 0
	switch value := value.(type) {
	case nil:
	case string:
		if strings.TrimSpace(value) != "" {
			count = 1
		}
	case []any:
		for _, element := range value {
			count += filled(element)
		}
	case map[string]any:
		for _, member := range value {
			count += filled(member)
		}
	default:
		count = 1
	}
	return count
}
