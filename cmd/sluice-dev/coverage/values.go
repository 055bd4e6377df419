package coverage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"sluice/schema"
)

// Values says where the values of one sample record go. A value is a word, a number or a truth
// value that is not empty; arrays and objects count by what they hold.
type Values struct {
	Service  string `json:"service"`
	Resource string `json:"resource"`
	// Columns are values in columns of their own kind, JSON values inside a column of kind JSON.
	Columns int `json:"columns"`
	JSON    int `json:"json"`
	// Ignored are values of keys that are not copied, for a declared reason or as display twins.
	Ignored int `json:"ignored"`
	// Extra are values of keys that no declaration knows: they go to the column _extra.
	Extra int `json:"extra"`
}

// All is the number of values.
func (v *Values) All() int { return v.Columns + v.JSON + v.Ignored + v.Extra }

// Share is the part of all values that have a column, from 0 to 1; 1 if there is no value.
func (v *Values) Share() float64 {
	if v.All() == 0 {
		return 1
	}
	return float64(v.Columns+v.JSON) / float64(v.All())
}

// Sum adds up the values of all samples.
func Sum(all []Values) Values {
	var sum Values
	for i := range all {
		sum.Columns += all[i].Columns
		sum.JSON += all[i].JSON
		sum.Ignored += all[i].Ignored
		sum.Extra += all[i].Extra
	}
	return sum
}

// CountValues says where the values of a record of a resource go.
func CountValues(service string, resource *schema.Resource, record json.RawMessage) (Values, error) {
	values := Values{Service: service, Resource: resource.Name}
	err := values.object(&schema.Child{Columns: resource.Columns, Children: resource.Children, Ignored: resource.Ignored}, record)
	if err != nil {
		return Values{}, fmt.Errorf("count the values of %s.%s: %w", service, resource.Name, err)
	}
	return values, nil
}

// object counts the values of one object, which is declared like an element of the child.
func (v *Values) object(declared *schema.Child, raw json.RawMessage) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return fmt.Errorf("a record or an element is no object: %w", err)
	}
	places := make(map[string]*int, len(fields))
	for _, column := range declared.Columns {
		places[column.Wire] = v.place(column)
		if column.Also != "" {
			places[column.Also] = v.place(column)
		}
	}
	for key := range declared.Ignored {
		places[key] = &v.Ignored
	}
	for _, column := range declared.Columns {
		if twin := column.Wire + displayTwin; !column.Given && places[twin] == nil {
			places[twin] = &v.Ignored
		}
	}
	arrays := make(map[string]*schema.Child, len(declared.Children))
	for i := range declared.Children {
		if child := &declared.Children[i]; child.Prefix == "" {
			arrays[child.Name] = child
		}
	}
	for key, value := range fields {
		place, known := places[key]
		if array := arrays[key]; array != nil {
			if err := v.array(array, value); err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
			continue
		}
		if !known {
			place = v.loose(declared.Children, key)
		}
		filled, err := countFilled(value)
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		*place += filled
	}
	return nil
}

// displayTwin ends the keys that repeat a declared value as text in a locale. They are ignored
// without being declared. Source: docs/upstream.md U124.
const displayTwin = "_formatted"

// place is the count of the values of a column.
func (v *Values) place(column schema.Column) *int {
	if column.Kind == schema.KindJSON {
		return &v.JSON
	}
	return &v.Columns
}

// loose is the count of a key that has neither a column nor an array: a child with a prefix may
// claim it.
func (v *Values) loose(children []schema.Child, key string) *int {
	for i := range children {
		child := &children[i]
		if child.Prefix == "" || !strings.HasPrefix(key, child.Prefix) {
			continue
		}
		if strings.HasSuffix(key, child.Twin) {
			return v.place(child.Columns[2])
		}
		return v.place(child.Columns[1])
	}
	return &v.Extra
}

// array counts the values of a declared array, or of an object in its place. "" and null are empty.
func (v *Values) array(declared *schema.Child, raw json.RawMessage) error {
	filled, err := countFilled(raw)
	if err != nil || filled == 0 {
		return err
	}
	if declared.Scalar {
		*v.place(declared.Columns[0]) += filled
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
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
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
