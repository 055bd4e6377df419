// Package strict reads YAML into Go values and reports everything that does not fit at once:
// unknown keys, doubled keys, wrong types, each with line, column and source line.
//
// The library parses. Its decoder is not used, as it ends at the first mistake and is lenient
// (docs/decisions/0001-dependencies). Rules of the caller's can point at keys later, for it is
// remembered where each stands. A value that may be a secret is never shown. The package never
// opens a file and knows no key.
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

// maxFile is far above any real configuration; a larger file is some other file.
const maxFile = 1 << 20

// Options say how values are read.
type Options struct {
	// Expand replaces references in the text of the value at a path.
	Expand func(path, raw string) (string, error)
	// Special reads the values of types of the caller's, by type: from the path and the text as it
	// is written, to a value of that type. What is in them is never shown.
	Special map[reflect.Type]func(path, raw string) (any, error)
}

// Document is a file that was read, with the places of its keys and the mistakes found so far.
type Document struct {
	options  Options
	source   []string
	places   map[string]place
	broken   map[string]bool
	mistakes []Mistake
	shaped   bool
}

// Decode lays a file over the struct that into points to. Keys are the yaml tags of its fields;
// embedded structs count as their fields. Fields are structs, maps by name, slices, pointers,
// strings, ints, floats, bools, time.Duration and the types of options.Special. A key without a
// value counts as left out, and leaves the field as it was.
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
		d.shaped = !d.broken[""] // a file of some other shape has every key missing: no use to say so
	}
	return d
}

// Shaped says that the file had the shape of a document at all, so that it makes sense to look at
// what is missing.
func (d *Document) Shaped() bool { return d.shaped }

// Raw is the value at a path as it is written, "" if it is not a single value.
func (d *Document) Raw(path string) string { return d.places[path].raw }

// parse gives the one document of the text; nil says that a mistake was recorded instead.
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
