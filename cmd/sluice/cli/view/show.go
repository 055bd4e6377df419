// Package view prints for people and for programs: tables, a progress line that
// rewrites itself on a terminal and stays plain elsewhere, and JSON.
//
// It never decides anything and reads nothing but what it is given. Start reading
// at Printer.
package view

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/term"
	"golang.org/x/text/width"

	"sluice/pipeline/outside"
)

// Printer writes a command's result.
type Printer struct {
	Out io.Writer
	// JSON selects one JSON document instead of text.
	JSON bool
}

// Table prints rows under a header, columns aligned by what they take on the
// screen: a Chinese character is as wide as two Latin ones.
func (p Printer) Table(header []string, rows [][]string) error {
	widths := make([]int, len(header))
	all := append([][]string{header}, rows...)
	for r, row := range all {
		all[r] = make([]string, len(row))
		for i, cell := range row {
			// Also the ends of lines: a cell that has one could pass for a row. And bounded: it may be a name of upstream's.
			all[r][i] = string(outside.Plain(cell))
			widths[i] = max(widths[i], displayWidth(all[r][i]))
		}
	}
	for _, row := range all {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(cell)
			line.WriteString(strings.Repeat(" ", widths[i]-displayWidth(cell)+columnGap))
		}
		if _, err := fmt.Fprintln(p.Out, strings.TrimRight(line.String(), " ")); err != nil {
			return fmt.Errorf("print: %w", err)
		}
	}
	return nil
}

// columnGap is the space between two columns.
const columnGap = 2

func displayWidth(text string) int {
	n := 0
	for _, r := range text {
		switch width.LookupRune(r).Kind() {
		case width.EastAsianWide, width.EastAsianFullwidth:
			n += 2
		default:
			n++
		}
	}
	return n
}

// Document prints a value as indented JSON. Characters that command a terminal or hide are escaped, so that values are what they were.
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

// Line prints one line of text.
func (p Printer) Line(format string, args ...any) error {
	if _, err := fmt.Fprintf(p.Out, format+"\n", args...); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

// Count writes a number with thousands apart: 12,345.
func Count[N ~int | ~int64](n N) string {
	digits := strconv.FormatInt(int64(n), 10)
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// Plural writes a number with its noun: 1 call, 12 calls.
func Plural[N ~int | ~int64](n N, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return Count(n) + " " + noun
}

// Age writes a duration in one unit that fits: 42 s, 7 min, 3 h, 12 d.
func Age(d time.Duration) string {
	switch {
	case d < 0:
		return "0 s"
	case d < time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	case d < 48*time.Hour:
		return fmt.Sprintf("%.0f h", d.Hours())
	default:
		return fmt.Sprintf("%.0f d", d.Hours()/24)
	}
}

// Progress is one line that is rewritten on a terminal. Elsewhere only what is
// kept with Keep is printed, so that logs hold no half lines.
type Progress struct {
	out   io.Writer
	live  bool
	width int
}

// NewProgress prepares progress on a writer.
func NewProgress(out io.Writer) *Progress {
	p := &Progress{out: out, live: IsTerminal(out), width: 100}
	if f, ok := Beneath(out).(*os.File); ok && p.live {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 20 {
			p.width = width
		}
	}
	return p
}

// Show replaces the line. Write errors are of no consequence: progress is not a result.
func (p *Progress) Show(line string) {
	if !p.live {
		return
	}
	if runes := []rune(line); len(runes) > p.width-1 {
		line = string(runes[:p.width-2]) + "…"
	}
	p.rewrite(line)
}

// Keep prints a line that stays, above the one that is rewritten.
func (p *Progress) Keep(line string) {
	p.Clear()
	_, _ = fmt.Fprintln(p.out, line)
}

// Clear removes the line that is rewritten.
func (p *Progress) Clear() {
	if p.live {
		p.rewrite("")
	}
}

// rewrite goes back to the beginning of the line, clears it and writes another.
func (p *Progress) rewrite(line string) {
	const begin = "\r\x1b[K"
	if o, ok := p.out.(*Outlet); ok {
		o.rewrite(begin, line)
		return
	}
	_, _ = fmt.Fprint(p.out, begin+outside.Visible(line))
}
