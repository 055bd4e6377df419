package strict

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/token"
)

// Mistake is one error in the file, with what to do about it.
type Mistake struct {
	// Path is the key: organizations[0].services.inventory.plan; empty if the mistake concerns the
	// whole file.
	Path string
	// Line and Column count from 1; zero if the place is unknown.
	Line, Column int
	// Source is the line of the file; values that may be secret are masked.
	Source string
	// Text says what is wrong and what to do about it.
	Text string
}

// String returns the mistake without its source line: "4:3 workers: …".
func (m Mistake) String() string {
	text := m.Text
	if m.Path != "" {
		text = m.Path + ": " + text
	}
	if m.Line > 0 {
		text = fmt.Sprintf("%d:%d %s", m.Line, m.Column, text)
	}
	return text
}

// Error is a configuration that cannot be used, with all its mistakes in the order of the file.
type Error struct {
	File     string
	Mistakes []Mistake
}

// Err returns all mistakes of the document as one *Error; nil if there are none. File is the file's
// name.
func (d *Document) Err(file string) error {
	if len(d.mistakes) == 0 {
		return nil
	}
	mistakes := slices.Clone(d.mistakes)
	slices.SortStableFunc(mistakes, func(a, b Mistake) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return &Error{File: file, Mistakes: mistakes}
}

// Error implements error; it takes several lines.
func (e *Error) Error() string {
	var b strings.Builder
	count := fmt.Sprintf("%d mistakes", len(e.Mistakes))
	if len(e.Mistakes) == 1 {
		count = "1 mistake"
	}
	fmt.Fprintf(&b, "configuration %s has %s:", e.File, count)
	for _, m := range e.Mistakes {
		fmt.Fprintf(&b, "\n  %s", m)
		if m.Source != "" {
			number := fmt.Sprintf("%6d | ", m.Line)
			fmt.Fprintf(&b, "\n%s%s\n%*s", number, m.Source, len(number)+m.Column, "^")
		}
	}
	return b.String()
}

// place is the position of a key or an element in the file.
type place struct {
	line, column int
	// key is the last part of the path, "" for elements of a list.
	key string
	// raw is the scalar as it is written, with ${…} unexpanded.
	raw string
}

// placeOf returns the place of a token; the zero place if it is unknown.
func placeOf(t *token.Token) place {
	if t == nil || t.Position == nil {
		return place{}
	}
	return place{line: t.Position.Line, column: t.Position.Column}
}

// Addf records a mistake at a path. Show says that the value of that key may be shown: it is a
// known, single value that is no secret and holds none.
func (d *Document) Addf(path string, show bool, format string, args ...any) {
	at, ok := d.places[path]
	for outer := path; !ok && outer != ""; at, ok = d.places[outer] {
		outer, show = around(outer), false
	}
	d.addAtf(at, path, show, format, args...)
}

func (d *Document) addAtf(at place, path string, show bool, format string, args ...any) {
	m := Mistake{Path: path, Line: at.line, Column: at.column, Text: fmt.Sprintf(format, args...)}
	if at.line > 0 && at.line <= len(d.source) {
		m.Source = excerpt(strings.TrimRight(d.source[at.line-1], "\r"), at.key, show)
	}
	d.mistakes = append(d.mistakes, m)
	d.broken[path] = true
}

// Spoilt reports whether a key, or a key around it, has a mistake already. Further mistakes of that
// key need not be reported then.
func (d *Document) Spoilt(path string) bool {
	for path != "" && !d.broken[path] {
		path = around(path)
	}
	return path != ""
}

// around returns the path of the key or list that contains a path.
func around(path string) string { return path[:max(strings.LastIndexAny(path, ".["), 0)] }

// firstKey matches the key at the beginning of a line of block YAML.
//
//nolint:gochecknoglobals // a constant
var firstKey = regexp.MustCompile(`^\s*(?:-\s+)*["']?([A-Za-z0-9_.-]+)["']?\s*:(?:\s|$)`)

// excerpt returns the line with everything masked that must not be shown. It shows the rest of the
// line only if the line begins with the key in question, because then it is that key's own value.
func excerpt(line, key string, show bool) string {
	line = strings.ReplaceAll(line, "\t", " ")
	match := firstKey.FindStringSubmatch(line)
	switch {
	case match == nil:
		return masked(line)
	case show && match[1] == key:
		return line
	default:
		return match[0] + masked(line[len(match[0]):])
	}
}

// masked replaces every character of a text by an x, except YAML's punctuation.
func masked(text string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(` {}[]"',:|>&*#`, r) {
			return r
		}
		return 'x'
	}, text)
}

// Hint names the allowed word that was probably meant, or lists all of them.
func Hint(word string, allowed []string) string {
	best, distance := "", 1+max(2, len(word)/3)
	for _, candidate := range allowed {
		if n := edits(strings.ToLower(word), candidate); n < distance {
			best, distance = candidate, n
		}
	}
	switch {
	case best != "":
		return "did you mean " + best + "?"
	case len(allowed) == 0:
		return "there is nothing to choose from"
	default:
		return "write one of: " + strings.Join(allowed, ", ")
	}
}

// edits is the number of letters to insert, delete or replace between two words.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
