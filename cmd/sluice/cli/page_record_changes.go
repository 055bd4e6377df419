package cli

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// valueChange is a value that differs between two versions; nil where a version does not have it.
type valueChange struct {
	path          string
	before, after jsontext.Value
}

// changesOf are the values that differ between two records, in the order of the later one, those
// that it lacks last.
func changesOf(before, after []byte) []valueChange {
	old, fresh := leavesOf(before), leavesOf(after)
	var found []valueChange
	for _, path := range fresh.order {
		if was, ok := old.values[path]; !ok || !bytes.Equal(was, fresh.values[path]) {
			found = append(found, valueChange{path, was, fresh.values[path]})
		}
	}
	for _, path := range old.order {
		if _, ok := fresh.values[path]; !ok {
			found = append(found, valueChange{path, old.values[path], nil})
		}
	}
	return found
}

// leaves are the values of a record by their paths, and the paths in order. Empty objects and
// arrays are values, too.
type leaves struct {
	values map[string]jsontext.Value
	order  []string
	dec    *jsontext.Decoder
}

// leavesOf are the values of a record, as far as it is JSON.
func leavesOf(record []byte) leaves {
	l := leaves{
		values: map[string]jsontext.Value{},
		dec:    jsontext.NewDecoder(bytes.NewReader(record), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)),
	}
	_ = l.read("") // what was read up to an error is compared
	return l
}

func (l *leaves) add(path string, value jsontext.Value) {
	if _, again := l.values[path]; !again {
		l.order = append(l.order, path)
	}
	l.values[path] = value
}

// read reads the next value.
func (l *leaves) read(path string) error {
	kind := l.dec.PeekKind()
	if kind != '{' && kind != '[' {
		value, err := l.dec.ReadValue()
		if err != nil {
			return fmt.Errorf("read a record: %w", err)
		}
		l.add(path, value.Clone())
		return nil
	}
	_, err := l.dec.ReadToken()
	end, n := kind+2, 0 // } and ] stand two behind { and [
	for ; err == nil && l.dec.PeekKind() != end; n++ {
		of := path + "[" + strconv.Itoa(n) + "]"
		if kind == '{' {
			key, err := l.dec.ReadToken()
			if err != nil {
				return fmt.Errorf("read a record: %w", err)
			}
			of = under(path, key.String())
		}
		err = l.read(of)
	}
	if err == nil {
		_, err = l.dec.ReadToken()
	}
	if err != nil {
		return fmt.Errorf("read a record: %w", err)
	}
	if n == 0 {
		l.add(path, jsontext.Value{byte(kind), byte(end)})
	}
	return nil
}
