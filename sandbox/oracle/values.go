package oracle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"
)

var errShape = errors.New("neither an array nor an object nor absent")

// members splits an object.
func members(raw json.RawMessage) (map[string]json.RawMessage, error) {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(raw, &object); err != nil {
		return nil, fmt.Errorf("take an object apart: %w", err)
	}
	return object, nil
}

// list returns the elements of an array, an object as its only element, and none for an absent
// value.
func list(raw json.RawMessage) ([]json.RawMessage, error) {
	switch trimmed := bytes.TrimSpace(raw); {
	case bytes.HasPrefix(trimmed, []byte("[")):
		var elements []json.RawMessage
		if err := json.Unmarshal(trimmed, &elements); err != nil {
			return nil, fmt.Errorf("take an array apart: %w", err)
		}
		return elements, nil
	case bytes.HasPrefix(trimmed, []byte("{")):
		return []json.RawMessage{trimmed}, nil
	case string(trimmed) == "null" || strings.TrimSpace(text(trimmed)) == "":
		return nil, nil
	default:
		return nil, fmt.Errorf("%s: %w", raw, errShape)
	}
}

// text returns the text of a JSON string, and any other value in its spelling. Tests call it
// millions of times, so it decodes only strings with escapes.
func text(raw json.RawMessage) string {
	if inner, ok := bytes.CutPrefix(raw, []byte(`"`)); ok {
		if inner, ok = bytes.CutSuffix(inner, []byte(`"`)); ok && plain(inner) {
			return string(inner)
		}
	} else if len(raw) > 0 && strings.IndexByte("-0123456789tf[{", raw[0]) >= 0 {
		return string(raw)
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return string(raw)
	}
	return s
}

// plain reports whether the inside of a JSON string is its text: printable ASCII without escapes.
func plain(inner []byte) bool {
	for _, b := range inner {
		if b < ' ' || b > '~' || b == '\\' || b == '"' {
			return false
		}
	}
	return true
}

// equal compares a value on the wire with one in a column, by the column's type. "" means no value,
// except in columns of free text.
func equal(c column, wire json.RawMessage, stored *string) bool {
	quoted := bytes.HasPrefix(wire, []byte(`"`))
	free := c.kind == "text" && !c.identifier
	if string(wire) == "null" || quoted && !free && strings.TrimSpace(text(wire)) == "" {
		return stored == nil
	}
	if stored == nil {
		return false
	}
	value := text(wire)
	switch c.kind {
	case "text":
		return value == *stored
	case "numeric", "bigint", "integer":
		return sameNumber(value, *stored)
	case "boolean":
		return map[string]string{"true": "t", "false": "f"}[value] == *stored
	case "date":
		return value == *stored
	case "timestamp with time zone":
		return sameInstant(value, *stored)
	case "jsonb":
		return sameJSON(wire, []byte(*stored))
	default:
		return false
	}
}

func sameNumber(a, b string) bool {
	if n, errA := strconv.ParseInt(a, 10, 64); errA == nil {
		if m, errB := strconv.ParseInt(b, 10, 64); errB == nil {
			return n == m
		}
	}
	x, okX := new(big.Rat).SetString(a)
	y, okY := new(big.Rat).SetString(b)
	return okX && okY && x.Cmp(y) == 0
}

// sameInstant accepts the forms that live services use: an offset with or without a colon, and
// milliseconds since 1970. Source: docs/upstream.md U122.
func sameInstant(wire, stored string) bool {
	at, err := time.Parse("2006-01-02 15:04:05.999999-07", stored)
	if err != nil {
		return false
	}
	if milliseconds, err := strconv.ParseInt(wire, 10, 64); err == nil {
		return time.UnixMilli(milliseconds).Equal(at)
	}
	for _, layout := range []string{"2006-01-02T15:04:05-0700", time.RFC3339Nano} {
		if sent, err := time.Parse(layout, wire); err == nil {
			return sent.Equal(at)
		}
	}
	return false
}

func sameJSON(a, b []byte) bool {
	x, errX := decode(a)
	y, errY := decode(b)
	return errX == nil && errY == nil && sameValue(x, y)
}

func decode(raw []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, fmt.Errorf("decode %s: %w", raw, err)
	}
	return value, nil
}

// sameValue compares decoded JSON; numbers by value, not by spelling.
func sameValue(a, b any) bool {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for key, value := range x {
			if other, has := y[key]; !has || !sameValue(value, other) {
				return false
			}
		}
		return true
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for i := range x {
			if !sameValue(x[i], y[i]) {
				return false
			}
		}
		return true
	case json.Number:
		y, ok := b.(json.Number)
		return ok && sameNumber(x.String(), y.String())
	default:
		return a == b
	}
}
