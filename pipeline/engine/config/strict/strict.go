// Package strict reads YAML into Go values and reports all mistakes at once: unknown keys, double
// keys, wrong types, each with line, column and source line.
//
// It uses the library's parser but not its decoder, which stops at the first mistake and is lenient
// (docs/decisions/0001-dependencies). It stores the place of each key, so the caller's rules can
// point at keys later. It never shows a value that may be a secret. It never opens a file and knows
// no key.
//
// Start reading at Decode.
package strict

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// maxFile is far larger than any real configuration, in bytes; a larger file is some other file.
const maxFile = 1 << 20

// Options say how values are read.
type Options struct {
	// Expand replaces references in the text of the value at a path.
	Expand func(path, raw string) (string, error)
	// Special reads the values of the caller's own types: it gets the path and the text as it is
	// written, and returns a value of that type. These values are never shown.
	Special map[reflect.Type]func(path, raw string) (any, error)
}

// Document is a file that was read, with the places of its keys and its mistakes so far.
type Document struct {
	options  Options
	source   []string
	places   map[string]place
	broken   map[string]bool
	mistakes []Mistake
	shaped   bool
}

// OneOrMore is a list that the file may write as a single value, without brackets.
type OneOrMore[T any] []T

func (OneOrMore[T]) oneOrMore() {}

// oneOrMore is any OneOrMore.
type oneOrMore interface{ oneOrMore() }

// Decode lays a file over the struct that into points to. Keys are the yaml tags of its fields;
// fields of embedded structs count as its own. Fields are structs, maps by name, slices, pointers,
// strings, ints, floats, bools, time.Duration, OneOrMore and the types of options.Special. A key
// without a value counts as missing and leaves the field unchanged.
func Decode(text []byte, into any, options Options) *Document {
	text = bytes.TrimPrefix(text, []byte("\uFEFF")) // the byte order mark with which some editors begin a file
	d := &Document{
		options: options,
		source:  strings.Split(string(text), "\n"),
		places:  make(map[string]place),
		broken:  make(map[string]bool),
	}
	if body := d.parse(text); body != nil {
		d.value(body, reflect.ValueOf(into).Elem(), "")
		d.shaped = !d.broken[""] // a file of another shape lacks every key: that need not be reported
	}
	return d
}

// Shaped reports whether the file is a mapping of keys at all, so that it makes sense to look for
// missing ones.
func (d *Document) Shaped() bool { return d.shaped }

// Raw returns the value at a path as it is written; "" if it is not a single value.
func (d *Document) Raw(path string) string { return d.places[path].raw }

// Written reports whether the file has a key, with whatever value.
func (d *Document) Written(path string) bool {
	_, written := d.places[path]
	return written
}

// parse returns the one document of the text, or nil after recording a mistake.
func (d *Document) parse(text []byte) ast.Node {
	if len(text) > maxFile {
		d.Addf("", false, "the file is larger than %d bytes: is it a configuration?", maxFile)
		return nil
	}
	if !utf8.Valid(text) || bytes.ContainsRune(text, 0) {
		d.Addf("", false, "the file is not UTF-8 text: save it as such")
		return nil
	}
	if line := tooDeep(d.source); line > 0 {
		d.addAtf(place{line: line, column: 1}, "", false, "the file nests more than %d deep here: is it a configuration?", maxDepth)
		return nil
	}
	file, err := parser.ParseBytes(text, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		var at place
		if e, ok := errors.AsType[yaml.Error](err); ok { // its text is not passed on: it quotes the lines around
			at = placeOf(e.GetToken())
		}
		d.addAtf(at, "", false, "the file is not YAML here: check quotes, brackets, colons and indentation (spaces, no tabs)")
		return nil
	}
	var body ast.Node
	for _, part := range file.Docs {
		switch {
		case part.Body == nil || part.Body.Type() == ast.NullType || part.Body.Type() == ast.CommentType:
		case body != nil:
			d.addAtf(placeOf(start(part.Body)), "", false, "a second document begins here: the configuration is one, remove the ---")
			return nil
		default:
			body = part.Body
		}
	}
	if body == nil {
		d.Addf("", false, "the file is empty: config.example.yaml shows what goes in")
	}
	return body
}

// maxDepth is how deep brackets, and lists within lists on one line, may nest. Configurations nest
// six deep. The parser's memory grows with the square of the depth, so 40 KB of brackets take
// gigabytes.
const maxDepth = 32

// tooDeep returns the line, from 1, in which the text begins to nest too deep; 0 if none does. It
// counts all brackets and single dashes, also those in quoted text, because only the parser can
// tell them apart.
func tooDeep(lines []string) int {
	open := 0
	for i, line := range lines {
		dashes := 0
		for word := range strings.FieldsSeq(line) {
			if word == "-" {
				dashes++
			}
		}
		for j := range len(line) {
			switch line[j] {
			case '[', '{':
				open++
			case ']', '}':
				open = max(open-1, 0)
			}
			if open > maxDepth || dashes > maxDepth {
				return i + 1
			}
		}
	}
	return 0
}
