// Package terms reads the filters of lists on the content of records: texts that begin with a text
// or contain it, dates and amounts in bounds (docs/upstream.md U174 and U225).
//
// It knows no list: package world passes the records. Start reading with Read.
package terms

import (
	"math/big"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/overlay"
)

// MostDescription is the longest filter of item descriptions, in characters (docs/upstream.md
// U225).
const MostDescription = 100

const itemDescription = "item_description"

// Read returns the filters of a kind among the values of a query, as a text that is the same for
// the same filters; "" for none. It ignores unreadable filters. Live lists know more of them.
func Read(kind ids.Kind, values url.Values, live bool) string {
	kept := url.Values{}
	for name := range values {
		if value := values.Get(name); value != "" && (understood(kind, name, value) || live && ofDays(kind, name, value)) {
			kept.Set(name, value)
		}
	}
	return kept.Encode()
}

// TooLong reports whether a filter is longer than its document allows.
func TooLong(values url.Values) bool {
	return slices.ContainsFunc([]string{itemDescription + startsWith, itemDescription + contains}, func(name string) bool {
		return utf8.RuneCountInString(values.Get(name)) > MostDescription
	})
}

// Suffixes of the names of filters.
const (
	startsWith = "_startswith"
	contains   = "_contains"
)

// understood reports whether a list of the kind has a filter, and can read its value.
func understood(kind ids.Kind, name, value string) bool {
	field, comparison := split(name)
	switch kind {
	case ids.Payments:
		switch field {
		case "vendor_name", "reference_number", "payment_number", "payment_mode", "notes", "description":
			return comparison == startsWith || comparison == contains
		case "date":
			return isDay(value) && slices.Contains([]string{"_start", "_end", "_before", "_after"}, comparison)
		case "amount":
			_, ok := amount(value)
			return ok && slices.Contains([]string{"_less_than", "_less_equals", "_greater_than", "_greater_equals"}, comparison)
		}
	case ids.CreditNotes:
		return field == itemDescription && (comparison == startsWith || comparison == contains) ||
			name == "status" && slices.Contains([]string{"open", "closed", "void"}, value)
	default:
	}
	return false
}

// ofDays reports whether a live list of the kind has a filter by days that its document does not
// show, and can read its value (docs/upstream.md U94).
func ofDays(kind ids.Kind, name, value string) bool {
	return slices.Contains([]ids.Kind{ids.Bills, ids.CreditNotes, ids.Expenses}, kind) && isDay(value) && (name == "date_start" || name == "date_end")
}

func isDay(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return err == nil
}

// split splits the name of a filter into field and comparison.
func split(name string) (string, string) {
	for _, end := range []string{
		startsWith, contains, "_less_than", "_less_equals", "_greater_than", "_greater_equals", "_start", "_end", "_before", "_after",
	} {
		if field, found := strings.CutSuffix(name, end); found {
			return field, end
		}
	}
	return name, ""
}

// amount reads a number of bounded length, so that a caller cannot make it expensive.
func amount(text string) (*big.Rat, bool) {
	const most = 30
	if len(text) > most || strings.ContainsAny(text, "eEpPxX/_") {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

// Set is a list of filters that must all pass.
type Set []func(*overlay.Object) bool

// Parse returns the filters of a text that Read wrote.
func Parse(text string) Set {
	values, err := url.ParseQuery(text)
	if err != nil {
		return nil
	}
	set := make(Set, 0, len(values))
	for name := range values {
		set = append(set, filter(name, values.Get(name)))
	}
	return set
}

// Meet reports whether all filters hold for a record.
func (s Set) Meet(record *overlay.Object) bool {
	return !slices.ContainsFunc(s, func(holds func(*overlay.Object) bool) bool { return !holds(record) })
}

func filter(name, value string) func(*overlay.Object) bool {
	field, comparison := split(name)
	switch field {
	case "amount":
		bound, _ := amount(value)
		return func(o *overlay.Object) bool { return inBound(o.Number(field), bound, comparison) }
	case "date":
		return func(o *overlay.Object) bool { return inTime(o.Text(field), value, comparison) }
	case "status":
		return func(o *overlay.Object) bool { return o.Text(field) == value }
	case itemDescription:
		return func(o *overlay.Object) bool {
			return slices.ContainsFunc(o.List("line_items"), func(line *overlay.Object) bool {
				return says(line.Text("description"), value, comparison)
			})
		}
	case "notes":
		field = "description" // payments have no other notes.
	}
	return func(o *overlay.Object) bool { return says(o.Text(field), value, comparison) }
}

// says compares texts; case does not count.
func says(text, value, comparison string) bool {
	text, value = strings.ToLower(text), strings.ToLower(value)
	if comparison == startsWith {
		return strings.HasPrefix(text, value)
	}
	return strings.Contains(text, value)
}

// inTime compares dates: start and end are inclusive, before and after exclusive.
func inTime(day, bound, comparison string) bool {
	switch comparison {
	case "_start":
		return day >= bound
	case "_end":
		return day <= bound
	case "_before":
		return day < bound
	default:
		return day > bound
	}
}

func inBound(number, bound *big.Rat, comparison string) bool {
	order := number.Cmp(bound)
	switch comparison {
	case "_less_than":
		return order < 0
	case "_less_equals":
		return order <= 0
	case "_greater_than":
		return order > 0
	default:
		return order >= 0
	}
}
