package cli

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"sluice/cmd/sluice/cli/view"
	"sluice/cmd/sluice/console"
	"sluice/pipeline/warehouse/quarantine"
)

// headOfOrganization is the label of organizations in tables and filters.
const headOfOrganization = "Organization"

// pageRows is how many rows of a table a page shows: pages stay small with thousands of streams.
const pageRows = 60

// some shows a part of a long table, and leads to the rows that follow. Name is what the address
// calls the first row.
func some(r *console.Request, name string, t console.Table) console.Table {
	from, err := strconv.Atoi(r.Query.Get(name))
	if err != nil || from < 0 || from >= len(t.Rows) {
		from = 0
	}
	left := len(t.Rows) - from - pageRows
	t.Rows = t.Rows[from:min(from+pageRows, len(t.Rows))]
	if left > 0 {
		t.More = &console.Link{Text: "The next of " + view.Count(left) + " more", Href: with(r, name, strconv.Itoa(from+pageRows))}
	}
	return t
}

// with is the address of the same page with another value in its query.
func with(r *console.Request, name, value string) string {
	query := url.Values{}
	maps.Copy(query, r.Query)
	query.Set(name, value)
	return "?" + query.Encode()
}

// numberIn is a number in the address.
func numberIn(r *console.Request, name, what string) (int64, error) {
	n, err := strconv.ParseInt(r.Value(name), 10, 64)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%w: %q is no number of %s", console.ErrNotFound, r.Value(name), what)
	}
	return n, nil
}

// numbered is a page about what a number in the address names.
func numbered(
	name, what string, page func(context.Context, *console.Request, int64) (console.Page, error),
) func(context.Context, *console.Request) (console.Page, error) {
	return func(ctx context.Context, r *console.Request) (console.Page, error) {
		id, err := numberIn(r, name, what)
		if err != nil {
			return console.Page{}, err
		}
		return page(ctx, r, id)
	}
}

func addressOfRun(id int64) string { return "/runs/" + view.ID(id) }

func addressOfEntry(id int64) string { return "/quarantine/" + view.ID(id) }

func addressOfStream(organization, name string) string {
	return "/streams/" + url.PathEscape(organization) + "/" + url.PathEscape(name)
}

// runCell names a run and leads to it.
func runCell(run int64) console.Cell { return console.ID(run, addressOfRun(run)) }

// streamCell names a stream with its organization, if there are several, and leads to it.
func (p *pages) streamCell(organization, service, resource string) console.Cell {
	return console.To(streamName(manyOrganizations(p.app), organization, service, resource), addressOfStream(organization, service+"."+resource))
}

// countOrWarn is a number that should be 0.
func countOrWarn[N ~int | ~int64](n N) console.Cell {
	cell := console.Number(n)
	if n > 0 {
		cell.Mood = console.Warn
	}
	return cell
}

// rightward is a number that may be unknown, as words.
func rightward(text string) console.Cell { return console.Cell{Text: text, Number: true} }

// matches reports whether a value is the chosen one; nothing chosen matches all.
func matches(chosen, value string) bool { return chosen == "" || chosen == value }

// howMany counts the things that are so.
func howMany[T any](things []T, so func(*T) bool) int {
	n := 0
	for i := range things {
		if so(&things[i]) {
			n++
		}
	}
	return n
}

// sumOf adds up a number of each thing.
func sumOf[T any, N ~int | ~int64](things []T, number func(*T) N) N {
	var sum N
	for i := range things {
		sum += number(&things[i])
	}
	return sum
}

// choice is a filter by one property of the lines.
func choice[T any](name, label string, r *console.Request, lines []T, of func(*T) string) console.Filter {
	options := []string{""}
	for i := range lines {
		if value := of(&lines[i]); !slices.Contains(options, value) {
			options = append(options, value)
		}
	}
	slices.Sort(options)
	return console.Filter{Name: name, Label: label, Value: r.Query.Get(name), Options: options}
}

// shows says whether values of records are shown to those who ask. Others see of what kind they
// are.
func (p *pages) shows(r *console.Request) bool {
	return r.User.Operator || p.app.Config.Console.ShowValues
}

// hiddenValue replaces what viewers do not see.
const hiddenValue = "operators see it"

// hideDetails hides why records do not fit where values are masked, because a reason may quote one.
func (p *pages) hideDetails(r *console.Request, entries []quarantine.Entry) {
	if p.shows(r) {
		return
	}
	for i := range entries {
		entries[i].Detail = hiddenValue
	}
}

// kindOf says what kind of value it is, and not which.
func kindOf(value jsontext.Value) string {
	switch value.Kind() {
	case '"':
		text, err := jsontext.AppendUnquote(nil, value)
		if err != nil { // cut, or broken
			return "text"
		}
		return "text of " + view.Plural(utf8.RuneCount(text), "character")
	case '0':
		return "number of " + view.Plural(len(value), "character")
	default:
		words := map[jsontext.Kind]string{'t': "truth value", 'f': "truth value", 'n': "null", '{': "object", '[': "array"}
		return cmp.Or(words[value.Kind()], "broken value")
	}
}
