package custom

import (
	"fmt"
	"strings"
	"time"

	"sluice/schema"
)

// Entry returns the declaration in the configuration that declares a resource, for an operator who
// wants to change a ready-made one. What custom has no word for is left out.
func Entry(service string, r *schema.Resource) (Declaration, error) {
	every, err := time.ParseDuration(r.Every)
	if err != nil {
		return Declaration{}, fmt.Errorf("the interval of %s: %w", r.Name, err)
	}
	d := Declaration{
		Service: service, Name: r.Name, Doc: r.Doc, Path: r.Path, Key: r.Key, ID: r.ID, Scope: r.Scope,
		Paging: wordOf(pagings(), r.Paging), Params: r.Params, Cursor: entryOfCursor(r.Cursor), Every: every,
		Columns: entriesOf(r.Columns), Children: entriesOfChildren(r.Children),
		Dated: (*Dated)(r.Dated),
	}
	if r.Single != nil {
		d.Single = &Single{Path: r.Single.Path, Key: r.Single.Key}
		if r.Details != nil {
			d.Single.Marker = r.Details.Marker
		}
	}
	return d, nil
}

func entryOfCursor(cursor schema.Cursor) Cursor {
	switch c := cursor.(type) {
	case schema.Since:
		return Cursor{Kind: kindSince, Modified: c.Column, Created: c.Created, Param: c.Param}
	case schema.NewestFirst:
		return Cursor{Kind: kindNewestFirst, Modified: c.Column, Sort: c.Sort}
	case schema.FullScan:
		return Cursor{Kind: kindFullScan, Modified: c.Modified, Created: c.Created, Sort: c.Sort}
	default:
		return Cursor{Kind: kindSnapshot}
	}
}

func entriesOf(columns []schema.Column) []Column {
	entries := make([]Column, len(columns))
	for i := range columns {
		c := &columns[i]
		entries[i] = Column{Wire: c.Wire, Name: c.Name, Kind: KindWord(c.Kind), Doc: c.Doc, Class: strings.ReplaceAll(c.Class.String(), " ", "_")}
	}
	return entries
}

func entriesOfChildren(children []schema.Child) []Child {
	var entries []Child
	for i := range children {
		c := &children[i]
		entries = append(entries, Child{
			Name: c.Name, Doc: c.Doc, Scalar: c.Scalar, Object: c.Object, Columns: entriesOf(c.Columns), Children: entriesOfChildren(c.Children),
		})
	}
	return entries
}

// wordOf returns the word of a value in a closed set.
func wordOf[T comparable](set map[string]T, value T) string {
	for _, word := range words(set) {
		if set[word] == value {
			return word
		}
	}
	return ""
}

// Dated says which period a record belongs to, and what of it. schema.Dated, into which it is
// converted, explains the fields.
type Dated struct {
	On          string   `yaml:"on"`
	Figures     []string `yaml:"figures"`
	Currency    string   `yaml:"currency"`
	Rate        string   `yaml:"rate"`
	State       string   `yaml:"state"`
	Out         []string `yaml:"out"`
	With        []string `yaml:"with"`
	Lines       string   `yaml:"lines"`
	LineColumns []string `yaml:"line_columns"`
}

// locateDated returns the path in the file of a fault of the block.
func locateDated(path, problem string) string {
	for _, start := range []struct{ problem, key string }{
		{"the column ", "on"}, {"no figure ", "figures"}, {"the figure ", "figures"}, {"the currency ", "currency"}, {"the rate ", "rate"},
		{"the state ", "state"}, {"the lines ", "lines"},
	} {
		if strings.HasPrefix(problem, start.problem) {
			return path + ".dated." + start.key
		}
	}
	if strings.Contains(problem, " is no declared column of a line,") {
		return path + ".dated.line_columns"
	}
	return path + ".dated.with"
}
