package strict

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// value reads one node into one field. A key without a value counts as missing.
func (d *Document) value(n ast.Node, into reflect.Value, path string) {
	switch n.Type() {
	case ast.NullType, ast.CommentType:
		return
	case ast.AnchorType, ast.AliasType, ast.TagType, ast.MergeKeyType:
		d.Addf(path, false, "anchors, aliases and tags are not read here: write the value out")
		return
	default:
	}
	_, special := d.options.Special[into.Type()]
	switch kind := into.Kind(); {
	case special:
		d.scalar(n, into, path)
	case kind == reflect.Struct || kind == reflect.Map:
		d.mapping(n, into, path)
	case kind == reflect.Slice:
		d.list(n, into, path)
	case kind == reflect.Pointer:
		into.Set(reflect.New(into.Type().Elem()))
		d.value(n, into.Elem(), path)
	default:
		d.scalar(n, into, path)
	}
}

// mapping reads the keys of a struct or a map. It stores their places and refuses double keys.
func (d *Document) mapping(n ast.Node, into reflect.Value, path string) {
	m, ok := n.(ast.MapNode)
	if !ok {
		d.Addf(path, false, "wants keys below it, each with its value: \"key: value\"")
		return
	}
	var known map[string]reflect.Value
	named := into.Kind() == reflect.Map
	if named {
		into.Set(reflect.MakeMap(into.Type()))
	} else {
		known = fields(into)
	}
	for entry := m.MapRange(); entry.Next(); {
		at := placeOf(entry.Key().GetToken())
		if at.key, ok = scalarText(entry.Key()); !ok {
			d.addAtf(at, path, false, "a key has to be a plain word: no merge, anchor or nested key")
			continue
		}
		inner := at.key
		if path != "" {
			inner = path + "." + at.key
		}
		if first, double := d.places[inner]; double {
			d.addAtf(at, inner, false, "the key is there twice, first in line %d: keep one", first.line)
			continue
		}
		at.raw, _ = scalarText(entry.Value())
		d.places[inner] = at
		field, ok := known[at.key]
		switch {
		case named:
			field = reflect.New(into.Type().Elem()).Elem()
			d.value(entry.Value(), field, inner)
			into.SetMapIndex(reflect.ValueOf(at.key), field)
		case ok:
			d.value(entry.Value(), field, inner)
		default:
			d.Addf(inner, false, "unknown key; %s", Hint(at.key, slices.Sorted(maps.Keys(known))))
		}
	}
}

// fields returns the fields of a struct by their keys, including those of embedded structs.
func fields(v reflect.Value) map[string]reflect.Value {
	known := make(map[string]reflect.Value)
	for _, field := range reflect.VisibleFields(v.Type()) {
		if key := field.Tag.Get("yaml"); key != "" && key != "-" {
			known[key] = v.FieldByIndex(field.Index)
		}
	}
	return known
}

func (d *Document) list(n ast.Node, into reflect.Value, path string) {
	sequence, ok := n.(*ast.SequenceNode)
	if _, scalar := scalarText(n); scalar && into.Type().Implements(reflect.TypeFor[oneOrMore]()) {
		into.Set(reflect.MakeSlice(into.Type(), 1, 1))
		d.value(n, into.Index(0), path)
		return
	}
	if !ok {
		d.Addf(path, false, "wants a list: one element a line, each behind \"- \"")
		return
	}
	into.Set(reflect.MakeSlice(into.Type(), len(sequence.Values), len(sequence.Values)))
	for i, value := range sequence.Values {
		element := fmt.Sprintf("%s[%d]", path, i)
		at := placeOf(start(value))
		at.raw, _ = scalarText(value)
		d.places[element] = at
		d.value(value, into.Index(i), element)
	}
}

// scalar reads a single value: one of the caller's types, text, a number, a boolean or a time span.
func (d *Document) scalar(n ast.Node, into reflect.Value, path string) {
	raw, ok := scalarText(n)
	if !ok {
		d.Addf(path, false, "wants a single value, not keys or a list")
		return
	}
	if read, ok := d.options.Special[into.Type()]; ok {
		value, err := read(path, strings.TrimSpace(raw))
		if err != nil {
			d.Addf(path, false, "%v", err)
			return
		}
		into.Set(reflect.ValueOf(value))
		return
	}
	text, err := d.options.Expand(path, raw)
	if err != nil {
		d.Addf(path, true, "%v", err)
		return
	}
	var wanted string
	switch field := into.Addr().Interface().(type) {
	case *string:
		if slices.Contains([]ast.NodeType{ast.BoolType, ast.FloatType, ast.InfinityType, ast.NanType}, n.Type()) {
			d.Addf(path, true, "wants text: put %s in quotes", raw)
			return
		}
		*field = strings.TrimSpace(text)
	case *int:
		wanted = "a whole number"
		*field, err = strconv.Atoi(text)
	case *float64:
		wanted = "a number"
		*field, err = strconv.ParseFloat(text, 64)
	case *time.Duration:
		wanted = "a time span such as 15m, 6h or 24h"
		*field, err = time.ParseDuration(text)
	case *bool:
		wanted = "true or false"
		if *field = text == "true"; !*field && text != "false" {
			err = errors.New(wanted)
		}
	}
	if err != nil { // err is not shown, because it may quote the value of a variable
		d.Addf(path, true, "wants %s, not %q", wanted, raw)
	}
}

// scalarText returns a scalar as it is written, without quotes and block indicators; false for
// every other node.
func scalarText(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return n.GetToken().Value, true
	default:
		return "", false
	}
}

// start returns the token at which a reader sees the beginning of a node. The library's own token
// of a block mapping is its first colon.
func start(n ast.Node) *token.Token {
	switch m := n.(type) {
	case *ast.MappingNode:
		if !m.IsFlowStyle && len(m.Values) > 0 {
			return m.Values[0].Key.GetToken()
		}
	case *ast.MappingValueNode:
		return m.Key.GetToken()
	}
	return n.GetToken()
}
