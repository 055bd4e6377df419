// Package view prints for people and for programs: each result is one JSON document for these and a
// page of sentences, tables and fields for those, and a command says both at once. Progress is a
// line that rewrites itself on a terminal and stays plain elsewhere.
//
// It never decides anything and reads nothing but what it is given. Start reading at Printer.
package view

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"sluice/pipeline/outside"
)

// Printer writes a command's result.
type Printer struct {
	Out io.Writer
	// JSON selects one JSON document instead of text.
	JSON bool
}

// Part is a piece of a page: Rows, a Text, or a sentence by Line.
type Part interface{ writeTo(page *Page) }

// Text is a part that is written only where people read it.
type Text func(*Page)

func (t Text) writeTo(p *Page) { t(p) }

// Line is a part of one sentence, or of several lines.
func Line(format string, args ...any) Part { return Text(func(p *Page) { p.Linef(format, args...) }) }

// Verbatim is a part of a text that is whole already.
func Verbatim(text string) Part { return Text(func(p *Page) { p.text.WriteString(text) }) }

// Show prints a result: the document as JSON, its keys those of its fields, or else the parts one
// below the other.
func (p Printer) Show(document any, parts ...Part) error {
	if p.JSON {
		return p.Document(document)
	}
	return p.Print(parts...)
}

// Print prints parts, whether or not JSON is selected.
func (p Printer) Print(parts ...Part) error {
	var page Page
	page.Add(parts...)
	if _, err := io.WriteString(p.Out, page.text.String()); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

// Line prints one line of text.
func (p Printer) Line(format string, args ...any) error { return p.Print(Line(format, args...)) }

// Page collects what people read.
type Page struct{ text strings.Builder }

// Add writes parts.
func (p *Page) Add(parts ...Part) {
	for _, part := range parts {
		part.writeTo(p)
	}
}

// Linef writes one line.
func (p *Page) Linef(format string, args ...any) { fmt.Fprintf(&p.text, format+"\n", args...) }

// Fields gives a function that writes a label and behind it a value, below one another. Values stay
// on their line.
func (p *Page) Fields(width int) func(label, format string, args ...any) {
	return func(label, format string, args ...any) {
		p.Linef("%-*s %s", width, label, outside.Visible(fmt.Sprintf(format, args...)))
	}
}

// Document prints a value as indented JSON. Characters that command a terminal or hide are escaped,
// so that values are what they were.
func (p Printer) Document(value any) error { return document(p.Out, value, "  ") }

// Object writes a value as one line of JSON, escaped as Document does it.
func Object(to io.Writer, value any) error { return document(to, value, "") }

func document(to io.Writer, value any, indent string) error {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetIndent("", indent)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	if err == nil {
		_, err = io.WriteString(to, outside.JSON(text.String()))
	}
	if err != nil {
		return fmt.Errorf("print as JSON: %w", err)
	}
	return nil
}
