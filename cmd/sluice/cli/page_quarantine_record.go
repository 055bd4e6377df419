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
	// at is the line of the value at the path, or of the nearest object or array around it, from 1;
	// 0 if there is none. found is the value itself; empty if the record does not have it.
	at    int
	found jsontext.Value
	// nearest is the path of the line at.
	nearest string
}

// layOut puts each value of a record on a line of its own. Without show, values are replaced by
// what kind they are. It reports false if the record is no JSON: then it has no keys to show.
func layOut(raw []byte, path string, show bool) (laidOut, bool) {
	decoder := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	w := recordWriter{path: path, show: show, dec: decoder}
	if err := w.value("", "", 0); err != nil {
		return laidOut{}, false
	}
	return w.laidOut, true
}

type recordWriter struct {
	laidOut

	dec  *jsontext.Decoder
	path string
	show bool
}

// value writes the next value. Label is its key, as it stands before it.
func (w *recordWriter) value(path, label string, depth int) error {
	w.come(path)
	switch w.dec.PeekKind() {
	case '{':
		return w.members(path, label, depth, '}')
	case '[':
		return w.members(path, label, depth, ']')
	default:
		value, err := w.dec.ReadValue()
		if err != nil {
			return fmt.Errorf("read a record: %w", err)
		}
		if path == w.path {
			w.found = value.Clone()
		}
		text := kindOf(value)
		if w.show {
			text = string(value)
		}
		w.line(depth, label+text)
		return nil
	}
}

// members writes an object or an array up to its end.
func (w *recordWriter) members(path, label string, depth int, end jsontext.Kind) error {
	begin, err := w.dec.ReadToken()
	if err != nil {
		return fmt.Errorf("read a record: %w", err)
	}
	if path == w.path {
		w.found = jsontext.Value(begin.String())
	}
	w.line(depth, label+begin.String())
	first := len(w.lines)
	for i := 0; w.dec.PeekKind() != end; i++ {
		if i > 0 {
			w.lines[len(w.lines)-1] += ","
		}
		of, key := path+"["+strconv.Itoa(i)+"]", ""
		if end == '}' {
			name, err := w.dec.ReadToken()
			if err != nil {
				return fmt.Errorf("read a record: %w", err)
			}
			of, key = under(path, name.String()), strconv.Quote(name.String())+": "
		}
		if err := w.value(of, key, depth+1); err != nil {
			return err
		}
	}
	if _, err := w.dec.ReadToken(); err != nil {
		return fmt.Errorf("read a record: %w", err)
	}
	if len(w.lines) == first {
		w.lines[first-1] += string(rune(end))
		return nil
	}
	w.line(depth, string(rune(end)))
	return nil
}

func (w *recordWriter) line(depth int, text string) {
	if runes := []rune(text); len(runes) > lineShown {
		text = string(runes[:lineShown]) + "…"
	}
	w.lines = append(w.lines, strings.Repeat("  ", min(depth, lineShown))+outside.Visible(text))
}

// come notes the line that begins now if it is nearer to the path than those before it.
func (w *recordWriter) come(path string) {
	around := path == "" || path == w.path || strings.HasPrefix(w.path, path+".") || strings.HasPrefix(w.path, path+"[")
	if around && (w.at == 0 || len(path) > len(w.nearest)) {
		w.at, w.nearest = len(w.lines)+1, path
	}
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
	record, ok := layOut(raw, path, p.shows(r))
	switch {
	case !ok && !p.shows(r):
		return console.Note{Text: "The record has " + view.Count(len(raw)) + " bytes and is no JSON. Only operators see it."}, ""
	case !ok:
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
