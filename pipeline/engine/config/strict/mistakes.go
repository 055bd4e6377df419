package strict

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/token"
)

// Mistake is one thing that is wrong with the file, and what to do about it.
type Mistake struct {
	// Path is the key: organizations[0].services.inventory.plan; empty if the mistake concerns the
	// whole file.
	Path string
	// Line and Column count from 1; zero if there is no place to point at.
	Line, Column int
	// Source is the line of the file, with everything masked that may be a secret.
	Source string
	// Text says what is wrong and what to do.
	Text string
}

// String is the mistake without its source line: "4:3 workers: …".
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

// Err gives all mistakes of the document as one *Error, nil if there are none. file is what the
// file is called.
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

// place is where a key or an element stands in the file.
type place struct {
	line, column int
	// key is the last part of the path, "" for elements of a list.
	key string
	// raw is the scalar as it is written, with ${…} unexpanded.
	raw string
}

// placeOf is where a token stands; the zero place if that is not known.
func placeOf(t *token.Token) place {
	if t == nil || t.Position == nil {
		return place{}
	}
	return place{line: t.Position.Line, column: t.Position.Column}
}

// Addf records a mistake at a path. show says that the value of that key can be shown: it is a
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

// Spoilt says that a key or one that holds it has a mistake already, so that what follows from it
// need not be reported.
func (d *Document) Spoilt(path string) bool {
	for path != "" && !d.broken[path] {
		path = around(path)
	}
	return path != ""
}

// around is the path of what holds a path.
func around(path string) string { return path[:max(strings.LastIndexAny(path, ".["), 0)] }

// firstKey matches the key that a line of block YAML begins with.
//
//nolint:gochecknoglobals // a constant
var firstKey = regexp.MustCompile(`^\s*(?:-\s+)*["']?([A-Za-z0-9_.-]+)["']?\s*:(?:\s|$)`)

// excerpt is the line as far as it can be shown: only where it begins with the key in question is
// the rest of it that key's own value.
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

// masked shows of a text the punctuation that YAML is made of, and an x for each other character.
func masked(text string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(` {}[]"',:|>&*#`, r) {
			return r
		}
		return 'x'
	}, text)
}
