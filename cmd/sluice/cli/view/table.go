package view

import (
	"fmt"
	"strings"

	"golang.org/x/text/width"

	"sluice/pipeline/outside"
)

// Row is the cells of one row: numbers are shown with thousands separated, booleans as yes and no,
// other values as they print.
type Row []any

// Rows is a table: a header, and a row for each thing.
type Rows struct {
	head string
	rows func() []Row
	none string
}

// Table shows things under a header, whose words are two spaces apart as on the screen. It leaves
// out things for which row gives nil: only the JSON document has them.
func Table[T any](things []T, head string, row func(*T) Row) Rows {
	return Rows{head: head, rows: func() []Row {
		rows := make([]Row, 0, len(things))
		for i := range things {
			if cells := row(&things[i]); cells != nil {
				rows = append(rows, cells)
			}
		}
		return rows
	}}
}

// TableOf shows finished rows.
func TableOf(head string, rows []Row) Rows {
	return Rows{head: head, rows: func() []Row { return rows }}
}

// Or sets the text that replaces a table without rows.
func (r Rows) Or(none string) Rows {
	r.none = none
	return r
}

// columnGap is the space between two columns.
const columnGap = "  "

// writeTo aligns the columns by their width on the screen: a Chinese character is as wide as two
// Latin ones.
func (r Rows) writeTo(p *Page) {
	rows := r.rows()
	if len(rows) == 0 && r.none != "" {
		p.Linef("%s", r.none)
		return
	}
	head := strings.Split(r.head, columnGap)
	lines := [][]string{head}
	for _, row := range rows {
		cells := make([]string, len(row))
		for i := range row {
			// Plain also replaces line ends, because a cell with one could pass for a row. It
			// bounds the length, because a cell may be a name of upstream's.
			cells[i] = string(outside.Plain(shown(row[i])))
		}
		lines = append(lines, cells)
	}
	widths := make([]int, len(head))
	for _, line := range lines {
		for i, cell := range line {
			widths[i] = max(widths[i], displayWidth(cell))
		}
	}
	for _, line := range lines {
		var text strings.Builder
		for i, cell := range line {
			text.WriteString(cell + strings.Repeat(" ", widths[i]-displayWidth(cell)) + columnGap)
		}
		p.Linef("%s", strings.TrimRight(text.String(), " "))
	}
}

// shown is the text of a cell.
func shown(cell any) string {
	switch v := cell.(type) {
	case string:
		return v
	case int:
		return Count(v)
	case int64:
		return Count(v)
	case bool:
		return YesNo(v)
	default:
		return fmt.Sprint(v)
	}
}

func displayWidth(text string) int {
	n := 0
	for _, r := range text {
		n++
		if kind := width.LookupRune(r).Kind(); kind == width.EastAsianWide || kind == width.EastAsianFullwidth {
			n++
		}
	}
	return n
}
