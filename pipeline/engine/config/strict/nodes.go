package strict

import (
	"maps"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// fields are the fields of a struct by their keys, those of embedded structs included.
func fields(v reflect.Value) map[string]reflect.Value {
	known := make(map[string]reflect.Value)
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if field.Anonymous {
			maps.Copy(known, fields(v.Field(i)))
			continue
		}
		if key := field.Tag.Get("yaml"); key != "" && key != "-" {
			known[key] = v.Field(i)
		}
	}
	return known
}

// keyOf is the key of an entry; false for keys that are not plain words.
func keyOf(entry *ast.MappingValueNode) (string, bool) {
	switch key := entry.Key.(type) {
	case *ast.StringNode:
		return key.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode:
		return key.GetToken().Value, true
	default:
		return "", false
	}
}

// scalarText is a scalar as it is written, quotes and block marks removed.
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

// placeOf is where a node begins.
func placeOf(n ast.Node, key string) place {
	// The token of a block mapping is its first colon; its first key is what
	// people look for.
	if m, ok := n.(*ast.MappingNode); ok && !m.IsFlowStyle && len(m.Values) > 0 {
		n = m.Values[0].Key
	} else if m, ok := n.(*ast.MappingValueNode); ok {
		n = m.Key
	}
	token := n.GetToken()
	if token == nil || token.Position == nil {
		return place{key: key}
	}
	return place{line: token.Position.Line, column: token.Position.Column, key: key}
}

// Hint says which of the allowed words was probably meant, or lists them.
func Hint(word string, allowed []string) string {
	best, distance := "", 1+max(2, len(word)/3)
	for _, candidate := range allowed {
		if n := edits(strings.ToLower(word), candidate); n < distance {
			best, distance = candidate, n
		}
	}
	switch {
	case best != "":
		return "did you mean " + best + "?"
	case len(allowed) == 0:
		return "there is nothing to choose from"
	default:
		return "write one of: " + strings.Join(allowed, ", ")
	}
}

// edits is the number of letters to insert, delete or replace between two words.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
