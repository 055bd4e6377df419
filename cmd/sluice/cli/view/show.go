// Package view prints results for people and for programs. A command gives each result as both: one
// JSON document for programs, and a page of sentences, tables and fields for people. Progress is a
// line that is rewritten on a terminal and left out elsewhere.
//
// It never decides anything and reads only what it is given. Start reading at Printer.
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

// Text is a part that is written as text only, never as JSON.
type Text func(*Page)

func (t Text) writeTo(p *Page) { t(p) }

// Line is a part of one sentence, or of several lines.
func Line(format string, args ...any) Part { return Text(func(p *Page) { p.Linef(format, args...) }) }

// Verbatim is a part of complete text.
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

// Page collects text for people.
type Page struct{ text strings.Builder }

// Add writes parts.
func (p *Page) Add(parts ...Part) {
	for _, part := range parts {
		part.writeTo(p)
	}
}

// Linef writes one line.
func (p *Page) Linef(format string, args ...any) { fmt.Fprintf(&p.text, format+"\n", args...) }

// Fields gives a function that writes a label and its value on one line, the values aligned.
func (p *Page) Fields(width int) func(label, format string, args ...any) {
	return func(label, format string, args ...any) {
		p.Linef("%-*s %s", width, label, outside.Visible(fmt.Sprintf(format, args...)))
	}
}

// Document prints a value as indented JSON. Characters that control a terminal or are invisible are
// escaped, so that values keep their bytes.
func (p Printer) Document(value any) error {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	if err == nil {
		_, err = io.WriteString(p.Out, outside.JSON(text.String()))
	}
	if err != nil {
		return fmt.Errorf("print as JSON: %w", err)
	}
	return nil
}
