package overlay

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/big"
	"slices"
	"strconv"

	"sluice/sandbox/world/wire"
)

// Object is a JSON object that keeps the order of its names and the spelling of its values.
type Object struct {
	names  []string
	values map[string]json.RawMessage
}

// NewObject returns an empty object.
func NewObject() *Object { return &Object{values: map[string]json.RawMessage{}} }

var errNoObject = errors.New("sandbox: no JSON object")

// Parse reads an object. Of a repeated name the last value counts.
func Parse(data []byte) (*Object, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	if open, err := decoder.Token(); err != nil || open != json.Delim('{') {
		return nil, errNoObject
	}
	o := NewObject()
	for decoder.More() {
		token, err := decoder.Token()
		name, isName := token.(string)
		var value json.RawMessage
		if err != nil || !isName || decoder.Decode(&value) != nil {
			return nil, errNoObject
		}
		o.Set(name, value)
	}
	if _, err := decoder.Token(); err != nil { // the closing bracket
		return nil, errNoObject
	}
	return o, nil
}

// Clone returns a copy that can be changed without changing o.
func (o *Object) Clone() *Object {
	copied := NewObject()
	for _, name := range o.names {
		copied.Set(name, o.values[name])
	}
	return copied
}

// Names returns the names in order. Callers only read it.
func (o *Object) Names() []string { return o.names }

// Has reports whether the object has a name.
func (o *Object) Has(name string) bool {
	_, has := o.values[name]
	return has
}

// Get returns a value in its spelling; nil if there is no such name.
func (o *Object) Get(name string) json.RawMessage { return o.values[name] }

// Set replaces the value of a name, or appends it.
func (o *Object) Set(name string, value json.RawMessage) {
	if !o.Has(name) {
		o.names = append(o.names, name)
	}
	o.values[name] = value
}

// Drop removes a name.
func (o *Object) Drop(name string) {
	if o.Has(name) {
		delete(o.values, name)
		o.names = slices.DeleteFunc(slices.Clone(o.names), func(n string) bool { return n == name })
	}
}

// SetText writes a text.
func (o *Object) SetText(name, value string) { o.Set(name, wire.AppendText(nil, value)) }

// SetFlag writes true or false.
func (o *Object) SetFlag(name string, value bool) { o.Set(name, strconv.AppendBool(nil, value)) }

// SetWhole writes a whole number.
func (o *Object) SetWhole(name string, value int) {
	o.Set(name, strconv.AppendInt(nil, int64(value), 10))
}

// SetAmount writes an amount with two decimals, or more if it has more.
func (o *Object) SetAmount(name string, value *big.Rat) { o.Set(name, Amount(value)) }

// SetRate writes a rate with six decimals.
func (o *Object) SetRate(name string, value *big.Rat) {
	o.Set(name, json.RawMessage(value.FloatString(mostDecimals)))
}

// SetList writes a list of objects.
func (o *Object) SetList(name string, elements []*Object) {
	list := []byte{'['}
	for n, element := range elements {
		if n > 0 {
			list = append(list, ',')
		}
		list = element.Append(list)
	}
	o.Set(name, append(list, ']'))
}

// Decimals of amounts, and of values with more decimals.
const (
	decimals     = 2
	mostDecimals = 6
)

// Amount formats a number with the decimals that it needs, from two to six.
func Amount(value *big.Rat) json.RawMessage {
	for places := decimals; places < mostDecimals; places++ {
		text := value.FloatString(places)
		if back, ok := new(big.Rat).SetString(text); ok && back.Cmp(value) == 0 {
			return json.RawMessage(text)
		}
	}
	return json.RawMessage(value.FloatString(mostDecimals))
}

// Text returns a text, or the spelling of another value; "" if there is none.
func (o *Object) Text(name string) string {
	value := o.values[name]
	var text string
	if len(value) > 0 && value[0] == '"' && json.Unmarshal(value, &text) == nil {
		return text
	}
	return string(value)
}

// Number returns a number; 0 if there is none.
func (o *Object) Number(name string) *big.Rat {
	if number, ok := new(big.Rat).SetString(o.Text(name)); ok {
		return number
	}
	return new(big.Rat)
}

// List returns the objects of a list; nil if there is none.
func (o *Object) List(name string) []*Object {
	var raw []json.RawMessage
	if json.Unmarshal(o.values[name], &raw) != nil {
		return nil
	}
	var elements []*Object
	for _, data := range raw {
		if element, err := Parse(data); err == nil {
			elements = append(elements, element)
		}
	}
	return elements
}

// Append appends the object.
func (o *Object) Append(dst []byte) []byte {
	w := wire.Writer{B: append(dst, '{')}
	for _, name := range o.names {
		w.Comma()
		w.B = append(wire.AppendText(w.B, name), ':')
		w.B = append(w.B, o.values[name]...)
	}
	w.Close('}')
	return w.B
}

// Blank returns an object with the same names, each value absent as the services write it: "" for
// texts and objects, an empty list, false, and 0 with the number's decimals (docs/upstream.md
// U133).
func (o *Object) Blank() *Object {
	blank := NewObject()
	for _, name := range o.names {
		blank.Set(name, absent(o.values[name]))
	}
	return blank
}

func absent(value json.RawMessage) json.RawMessage {
	if len(value) == 0 {
		return value
	}
	switch value[0] {
	case '[':
		return json.RawMessage("[]")
	case 't', 'f':
		return json.RawMessage("false")
	case '"', '{', 'n':
		return json.RawMessage(`""`)
	}
	if dot := bytes.IndexByte(value, '.'); dot >= 0 {
		return json.RawMessage(new(big.Rat).FloatString(len(value) - dot - 1))
	}
	return json.RawMessage("0")
}
