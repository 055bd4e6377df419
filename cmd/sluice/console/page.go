package console

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"time"

	"sluice/cmd/sluice/cli/view"
)

// Page is what one address shows.
type Page struct {
	Title string
	// Sentence is what a person needs to know first, and Mood whether it is good news.
	Sentence string
	Mood     Mood
	// Parts follow from top to bottom.
	Parts []Part
	// Document is what the command prints with --json. The page has it at ?format=json.
	Document any
}

// Mood says what a person should make of a text. It is never shown by colour alone.
type Mood string

// The moods.
const (
	Plain Mood = ""
	Good  Mood = "good"
	Warn  Mood = "warn"
	Bad   Mood = "bad"
	Muted Mood = "muted"
)

// Part is a piece of a page. Its template has its name.
type Part interface{ template() string }

// Heading begins a section. ID is its fragment in the address.
type Heading struct{ ID, Text string }

// Note is a paragraph.
type Note struct {
	Text string
	Mood Mood
	// Command is what does the same on a terminal; empty for none.
	Command string
}

// Table has a caption for those who hear it, a header and rows.
type Table struct {
	Caption string
	Head    []string
	Rows    [][]Cell
	// None replaces a table without rows.
	None string
	// More leads to the rows that follow; nil if there are none.
	More *Link
}

// List is a table of things, a row for each one for which row gives cells. The words of its head are
// two spaces apart; none replaces a table without rows.
func List[T any](caption, none, head string, things []T, row func(*T) view.Row) Table {
	table := Table{Caption: caption, None: none, Head: strings.Split(head, "  ")}
	for i := range things {
		values := row(&things[i])
		if values == nil {
			continue
		}
		cells := make([]Cell, len(values))
		for at, value := range values {
			cells[at] = cellOf(value)
		}
		table.Rows = append(table.Rows, cells)
	}
	return table
}

// cellOf is a value as a cell: numbers stand to the right, instants need Moment.
func cellOf(value any) Cell {
	switch v := value.(type) {
	case Cell:
		return v
	case int:
		return Number(v)
	case int64:
		return Number(v)
	case bool:
		return Text(view.YesNo(v))
	default:
		return Text(fmt.Sprint(v))
	}
}

// Facts are labels and their values in turn; one without a value is left out.
func Facts(pairs ...any) Fields {
	var fields Fields
	for i := 0; i+1 < len(pairs); i += 2 {
		if cell := cellOf(pairs[i+1]); cell.Text != "" && cell.Text != nothing {
			fields = append(fields, Field{Label: fmt.Sprint(pairs[i]), Value: cell})
		}
	}
	return fields
}

// nothing is what stands in place of a value.
const nothing = "–"

// Numbers says that a column has numbers, whose header stands to the right, too.
func (t Table) Numbers(column int) bool {
	return len(t.Rows) > 0 && column < len(t.Rows[0]) && t.Rows[0][column].Number
}

// Fields are labels with their values.
type Fields []Field

// Field is a label with its value.
type Field struct {
	Label string
	Value Cell
}

// Figure is a chart, drawn by package chart, and the table with the same figures.
type Figure struct {
	Caption string
	Drawing template.HTML
	Table   Table
}

// Source is a text whose lines and spaces count, such as a record. Marked are the lines to look at,
// from 1.
type Source struct {
	Caption string
	Lines   []string
	Marked  map[int]bool
}

// Filters are selections that narrow a page. They are sent as the query of its address.
type Filters []Filter

// Filter is one selection. Without options it is a text.
type Filter struct {
	Name, Label, Value string
	Options            []string
}

// Search leads to the page of what a person names: the text goes into the query of Path as Name.
type Search struct {
	Path, Name, Label, Button string
	Hidden                    []Hidden
}

// Form is an action: a button, which a viewer does not see. Path is where it is posted to.
type Form struct {
	Path, Label string
	// Warning makes the button ask first: it says what cannot be undone.
	Warning string
	Hidden  []Hidden
	Inputs  []Input
}

// Hidden is a value that a form sends and does not show.
type Hidden struct{ Name, Value string }

// Input is a text that a person has to type.
type Input struct{ Name, Label string }

// Link leads to another page.
type Link struct{ Text, Href string }

// Links are shown beside each other.
type Links []Link

func (Heading) template() string { return "heading" }
func (Note) template() string    { return "note" }
func (Table) template() string   { return "table" }
func (Fields) template() string  { return "fields" }
func (Figure) template() string  { return "figure" }
func (Source) template() string  { return "source" }
func (Filters) template() string { return "filters" }
func (Search) template() string  { return "search" }
func (Form) template() string    { return "form" }
func (Links) template() string   { return "links" }

// Cell is a value: a text, or what its other fields make of it.
type Cell struct {
	Text string
	// Title is shown when the pointer rests on the cell.
	Title string
	Href  string
	Mood  Mood
	// Number aligns the cell to the right.
	Number bool
	// Code shows the text as what a machine wrote.
	Code bool
	// At is an instant in UTC, in the form of RFC 3339; Text has it in the organization's zone.
	At string
	// Forms are buttons.
	Forms []Form
}

// Text is a cell of words.
func Text(text string) Cell { return Cell{Text: text} }

// Word is a cell of words with a mood.
func Word(text string, mood Mood) Cell { return Cell{Text: text, Mood: mood} }

// Code is a cell of what a machine wrote.
func Code(text string) Cell { return Cell{Text: text, Code: true} }

// To is a cell that leads to a page.
func To(text, href string) Cell { return Cell{Text: text, Href: href} }

// None is the cell of a value that is missing.
func None() Cell { return Word(nothing, Muted) }

// Number is a cell with a number, its thousands separated.
func Number[N ~int | ~int64](n N) Cell { return Cell{Text: view.Count(n), Number: true} }

// ID is a cell with a number that is a name.
func ID(n int64, href string) Cell {
	return Cell{Text: strconv.FormatInt(n, 10), Number: true, Href: href}
}

// Buttons is a cell of actions.
func Buttons(forms ...Form) Cell { return Cell{Forms: forms} }

// Moment is a cell with an instant in a zone, and in UTC when the pointer rests on it. It is empty
// without an instant.
func Moment(at *time.Time, zone *time.Location) Cell {
	if at == nil || at.IsZero() {
		return None()
	}
	utc := at.UTC()
	return Cell{Text: view.Minute(*at, zone), Title: utc.Format("2006-01-02 15:04:05 UTC"), At: utc.Format(time.RFC3339)}
}
