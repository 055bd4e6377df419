package cli

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"sluice/cmd/sluice/cli/view"
	"sluice/cmd/sluice/console"
	"sluice/pipeline/outside"
)

const (
	// largestShown bounds the bytes of a record that a page shows; the command shows all.
	largestShown = 1 << 20
	// linesShown is how many lines of a record a page shows, and lineShown how many characters of
	// each.
	linesShown = 300
	lineShown  = 200
)

// laidOut is a record, one value a line.
type laidOut struct {
	lines []string
	// leaves are its values in order. An object or array is one only if it is empty.
	leaves []leaf
	// at is the line of the value at the path, from 1; 0 if there is none. found is that value, of
	// an object or array its beginning.
	at    int
	found jsontext.Value

	dec  *jsontext.Decoder
	path string
	show bool
}

// leaf is a value with its path.
type leaf struct {
	path  string
	value jsontext.Value
}

// layOut puts each value of a record on a line of its own. Without show, values are replaced by
// what kind they are. An error says that the record is no JSON; what was read up to it is there.
func layOut(raw []byte, path string, show bool) (*laidOut, error) {
	decoder := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	l := &laidOut{path: path, show: show, dec: decoder}
	if err := l.value("", "", 0); err != nil {
		return l, fmt.Errorf("read a record: %w", err)
	}
	return l, nil
}

// value writes the next value, of an object or array up to its end. Label is its key, as it stands
// before it.
func (l *laidOut) value(path, label string, depth int) error {
	kind := l.dec.PeekKind()
	if kind == '{' || kind == '[' {
		return l.members(kind, path, label, depth)
	}
	value, err := l.dec.ReadValue()
	if err != nil {
		return err //nolint:wrapcheck // layOut does
	}
	value = value.Clone()
	l.leaves = append(l.leaves, leaf{path, value})
	text := kindOf(value)
	if l.show {
		text = string(value)
	}
	l.come(path, value)
	l.line(depth, label+text)
	return nil
}

func (l *laidOut) members(kind jsontext.Kind, path, label string, depth int) error {
	end := kind + 2 // } and ] stand two behind { and [
	l.come(path, jsontext.Value{byte(kind)})
	l.line(depth, label+string(rune(kind)))
	first := len(l.lines)
	_, err := l.dec.ReadToken()
	for i := 0; err == nil && l.dec.PeekKind() != end; i++ {
		if i > 0 {
			l.lines[len(l.lines)-1] += ","
		}
		of, key := path+"["+strconv.Itoa(i)+"]", ""
		if kind == '{' {
			name, err := l.dec.ReadToken()
			if err != nil {
				return err //nolint:wrapcheck // as above
			}
			of, key = under(path, name.String()), strconv.Quote(name.String())+": "
		}
		err = l.value(of, key, depth+1)
	}
	if err == nil {
		_, err = l.dec.ReadToken()
	}
	if len(l.lines) > first {
		l.line(depth, string(rune(end)))
	} else {
		l.lines[first-1] += string(rune(end))
		l.leaves = append(l.leaves, leaf{path, jsontext.Value{byte(kind), byte(end)}})
	}
	return err //nolint:wrapcheck // as above
}

// come notes the value that is written now if it is the one at the path.
func (l *laidOut) come(path string, value jsontext.Value) {
	if path == l.path {
		l.at, l.found = len(l.lines)+1, value
	}
}

func (l *laidOut) line(depth int, text string) {
	if runes := []rune(text); len(runes) > lineShown {
		text = string(runes[:lineShown]) + "…"
	}
	l.lines = append(l.lines, strings.Repeat("  ", min(depth, lineShown))+outside.Visible(text))
}

// under is the path of a key, in the notation of package record.
func under(path, name string) string {
	if strings.ContainsAny(name, `.[]"`) {
		name = strconv.Quote(name)
	}
	if path == "" {
		return name
	}
	return path + "." + name
}

// sourceOf shows a record with the line of the path marked, and says what the value there is.
func (p *pages) sourceOf(r *console.Request, raw []byte, path string) (console.Part, string) {
	if len(raw) > largestShown {
		return console.Note{Text: "The record has " + view.Count(len(raw)) + " bytes. A page does not show so many; this does:"}, ""
	}
	record, err := layOut(raw, path, p.shows(r))
	switch {
	case err != nil && !p.shows(r):
		return console.Note{Text: "The record has " + view.Count(len(raw)) + " bytes and is no JSON. Only operators see it."}, ""
	case err != nil:
		record.lines = nil
		for line := range strings.Lines(outside.VisibleLines(strings.ToValidUTF8(string(raw), "�"))) {
			record.lines = append(record.lines, strings.TrimSuffix(line, "\n"))
		}
	}
	source, caption := console.Source{Lines: record.lines}, "The record as it came"
	if !p.shows(r) {
		caption = "The record, with the kinds of its values: operators see the values"
	}
	from := 0
	if total := len(record.lines); total > linesShown {
		from = min(max(0, record.at-linesShown/2), total-linesShown)
		source.Lines = record.lines[from : from+linesShown]
		caption += fmt.Sprintf(", lines %s to %s of %s", view.Count(from+1), view.Count(from+linesShown), view.Count(total))
	}
	if record.at > 0 && path != "" {
		source.Marked = map[int]bool{record.at - from: true}
	}
	source.Caption = caption
	if path == "" || len(record.found) == 0 {
		return source, ""
	}
	return source, kindOf(record.found)
}
