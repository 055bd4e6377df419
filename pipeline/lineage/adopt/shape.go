package adopt

import (
	"bytes"
	"encoding/json"
	"strings"

	"sluice/schema"
)

// shape gives the record of another program the shape in which upstream sends it, as far as the
// declaration tells: keys of the other program go, flattened objects are objects again, and arrays
// that were written as text are arrays. It never makes up a value: what it does not know stays and
// ends in _extra or in quarantine.
type shape struct {
	// typed says that absent keys cannot be told from null.
	typed bool
	// declared are the keys of a record, whole those with identifiers and whole numbers, nested
	// those with arrays and objects.
	declared, whole, nested map[string]bool
	// flat are the keys of flattened objects: the object, and the key in it.
	flat map[string][2]string
}

// ours are the prefixes of keys that the other programs add.
func ours() []string {
	return []string{"_airbyte_", "_ab_", "_fivetran_", "_sdc_", "__sdc_"}
}

func newShape(resource *schema.Resource, typed bool) *shape {
	s := &shape{typed: typed, declared: map[string]bool{}, whole: map[string]bool{}, nested: map[string]bool{}, flat: map[string][2]string{}}
	for i := range resource.Columns {
		c := &resource.Columns[i]
		s.declared[c.Wire] = true
		if c.Also != "" {
			s.declared[c.Also] = true
		}
		s.whole[c.Wire] = c.Kind == schema.KindID || c.Kind == schema.KindInt
		s.nested[c.Wire] = c.Kind == schema.KindJSON
	}
	for key := range resource.Ignored {
		s.declared[key] = true
	}
	for i := range resource.Children {
		child := &resource.Children[i]
		if child.Prefix != "" {
			continue // its keys are the record's own
		}
		s.declared[child.Name], s.nested[child.Name] = true, true
		for c := range child.Columns {
			if child.Object && !child.Scalar {
				for _, between := range []string{"__", "_"} {
					s.flat[child.Name+between+child.Columns[c].Wire] = [2]string{child.Name, child.Columns[c].Wire}
				}
			}
		}
	}
	return s
}

// of returns a record in upstream's shape. Bytes that need no change, or are no object, come back
// as they are.
func (s *shape) of(raw []byte) []byte {
	var keys map[string]json.RawMessage
	if json.Unmarshal(raw, &keys) != nil || keys == nil {
		return raw
	}
	changed := false
	for key, value := range keys {
		switch object, flat := s.flat[key]; {
		case added(key), s.typed && string(value) == "null":
			delete(keys, key)
		case flat && !s.declared[key] && nest(keys, object, value):
			delete(keys, key)
		case s.nested[key] && within(value) != nil:
			keys[key] = within(value)
		case s.whole[key] && trimmed(value) != nil:
			keys[key] = trimmed(value)
		default:
			continue
		}
		changed = true
	}
	if !changed {
		return raw
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(keys); err != nil {
		return raw
	}
	return bytes.TrimSpace(text.Bytes())
}

// added reports whether the other program added a key.
func added(key string) bool {
	for _, prefix := range ours() {
		if len(key) >= len(prefix) && strings.EqualFold(key[:len(prefix)], prefix) {
			return true
		}
	}
	return false
}

// nest puts a value into an object of the record. It reports false if the record has something else
// under the object's key.
func nest(keys map[string]json.RawMessage, at [2]string, value json.RawMessage) bool {
	object := map[string]json.RawMessage{}
	if text, given := keys[at[0]]; given && string(text) != "null" && (json.Unmarshal(text, &object) != nil || object == nil) {
		return false
	}
	if _, twice := object[at[1]]; twice {
		return false
	}
	object[at[1]] = value
	text, err := json.Marshal(object)
	if err != nil {
		return false
	}
	keys[at[0]] = text
	return true
}

// within returns the array or object that a text holds, nil if it holds none.
func within(value json.RawMessage) json.RawMessage {
	var text string
	if len(value) == 0 || value[0] != '"' || json.Unmarshal(value, &text) != nil {
		return nil
	}
	text = strings.TrimSpace(text)
	if (strings.HasPrefix(text, "[") || strings.HasPrefix(text, "{")) && json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return nil
}

// trimmed returns a whole number without the zeros of its fraction, which a column with decimals
// adds (12.000000000); nil for anything else.
func trimmed(value json.RawMessage) json.RawMessage {
	whole, fraction, decimal := strings.Cut(string(value), ".")
	if !decimal || whole == "" || value[0] == '"' || strings.Trim(fraction, "0") != "" {
		return nil
	}
	return json.RawMessage(whole)
}
