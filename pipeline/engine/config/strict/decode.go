package strict

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
)

// value reads one node into one field. A key without a value counts as left out.
func (d *Document) value(n ast.Node, into reflect.Value, path string) {
	switch n.Type() {
	case ast.NullType, ast.CommentType:
		return
	case ast.AnchorType, ast.AliasType, ast.TagType, ast.MergeKeyType:
		d.Addf(path, false, "anchors, aliases and tags are not read here: write the value out")
		return
	default:
	}
	if read, ok := d.options.Special[into.Type()]; ok {
		d.special(n, read, into, path)
		return
	}
	if target, ok := reflect.TypeAssert[*time.Duration](into.Addr()); ok {
		d.duration(n, target, path)
		return
	}
	switch into.Kind() {
	case reflect.Struct:
		d.object(n, into, path)
	case reflect.Map:
		d.table(n, into, path)
	case reflect.Slice:
		d.list(n, into, path)
	case reflect.Pointer:
		into.Set(reflect.New(into.Type().Elem()))
		d.value(n, into.Elem(), path)
	default:
		d.scalar(n, into, path)
	}
}

// object reads a mapping whose keys are the fields of a struct.
func (d *Document) object(n ast.Node, into reflect.Value, path string) {
	known := fields(into)
	d.entries(n, path, func(key, path string, value ast.Node) {
		field, ok := known[key]
		if !ok {
			d.Addf(path, false, "unknown key; %s", Hint(key, slices.Sorted(maps.Keys(known))))
			return
		}
		d.value(value, field, path)
	})
}

// table reads a mapping whose keys are names.
func (d *Document) table(n ast.Node, into reflect.Value, path string) {
	into.Set(reflect.MakeMap(into.Type()))
	d.entries(n, path, func(key, path string, value ast.Node) {
		element := reflect.New(into.Type().Elem()).Elem()
		d.value(value, element, path)
		into.SetMapIndex(reflect.ValueOf(key), element)
	})
}

func (d *Document) list(n ast.Node, into reflect.Value, path string) {
	sequence, ok := n.(*ast.SequenceNode)
	if !ok {
		d.Addf(path, false, "wants a list: one element a line, each behind \"- \"")
		return
	}
	into.Set(reflect.MakeSlice(into.Type(), len(sequence.Values), len(sequence.Values)))
	for i, value := range sequence.Values {
		element := fmt.Sprintf("%s[%d]", path, i)
		d.places[element] = placeOf(value, "")
		d.value(value, into.Index(i), element)
	}
}

// entries walks a mapping, remembers where its keys stand and refuses doubles.
func (d *Document) entries(n ast.Node, path string, each func(key, path string, value ast.Node)) {
	var values []*ast.MappingValueNode
	switch m := n.(type) {
	case *ast.MappingNode:
		values = m.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{m}
	default:
		d.Addf(path, false, "wants keys below it, each with its value: \"key: value\"")
		return
	}
	for _, entry := range values {
		key, ok := keyOf(entry)
		if !ok {
			d.addAtf(placeOf(entry.Key, ""), path, false, "a key has to be a plain word: no merge, anchor or nested key")
			continue
		}
		inner := key
		if path != "" {
			inner = path + "." + key
		}
		at := placeOf(entry.Key, key)
		if first, double := d.places[inner]; double {
			d.addAtf(at, inner, false, "the key is there twice, first in line %d: keep one", first.line)
			continue
		}
		at.raw, _ = scalarText(entry.Value)
		d.places[inner] = at
		each(key, inner, entry.Value)
	}
}

// scalar reads text, a number or a truth value.
func (d *Document) scalar(n ast.Node, into reflect.Value, path string) {
	text, ok := d.text(n, path)
	if !ok {
		return
	}
	raw := d.places[path].raw
	switch into.Kind() { //nolint:exhaustive // Decode names the kinds there are
	case reflect.String:
		switch n.Type() {
		case ast.BoolType, ast.FloatType, ast.InfinityType, ast.NanType:
			d.Addf(path, true, "wants text: put %s in quotes", raw)
		default:
			into.SetString(strings.TrimSpace(text))
		}
	case reflect.Int:
		number, err := strconv.Atoi(text)
		if err != nil {
			d.Addf(path, true, "wants a whole number, not %q", raw)
		}
		into.SetInt(int64(number))
	case reflect.Float64:
		number, err := strconv.ParseFloat(text, 64)
		if err != nil {
			d.Addf(path, true, "wants a number, not %q", raw)
		}
		into.SetFloat(number)
	case reflect.Bool:
		if text != "true" && text != "false" {
			d.Addf(path, true, "wants true or false, not %q", raw)
		}
		into.SetBool(text == "true")
	}
}

func (d *Document) duration(n ast.Node, into *time.Duration, path string) {
	text, ok := d.text(n, path)
	if !ok {
		return
	}
	value, err := time.ParseDuration(text)
	if err != nil {
		d.Addf(path, true, "wants a time span such as 15m, 6h or 24h, not %q", d.places[path].raw)
	}
	*into = value
}

// text is the expanded text of a scalar; false says that a mistake was recorded.
func (d *Document) text(n ast.Node, path string) (string, bool) {
	raw, ok := scalarText(n)
	if !ok {
		d.Addf(path, false, "wants a single value, not keys or a list")
		return "", false
	}
	text, err := d.options.Expand(path, raw)
	if err != nil {
		d.Addf(path, true, "%v", err)
		return "", false
	}
	return text, true
}

// special reads a value of one of the caller's types. It is never shown.
func (d *Document) special(n ast.Node, read func(path, raw string) (any, error), into reflect.Value, path string) {
	raw, ok := scalarText(n)
	if !ok {
		d.Addf(path, false, "wants a single value, not keys or a list")
		return
	}
	value, err := read(path, strings.TrimSpace(raw))
	if err != nil {
		d.Addf(path, false, "%v", err)
		return
	}
	into.Set(reflect.ValueOf(value))
}
