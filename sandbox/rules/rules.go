// Package rules says what each write endpoint of docs/upstream.md U155 to U228 accepts: fields with
// their types, lengths and allowed values, headers of the unique-value update, and files with their
// extensions. Each rule names its passage.
//
// It is pure: it knows no record and answers no call. It reports all errors of a call at once.
// Start reading with All, then Rule.Check.
package rules

import "slices"

// Type is the type of a value on the wire. An absent value may also be null or "" (docs/upstream.md
// U133).
type Type int

// The types. An ID is opaque: a text, or a whole number as some examples show it. A number may come
// as a text. IDs is a text of identifiers with commas between.
const (
	Text Type = iota
	ID
	IDs
	Number
	Whole
	Flag
	Day
	Instant
	List
	Object
	Free // anything: the value of a custom field
)

// Field is one field of a body.
type Field struct {
	Name string
	Type Type
	Most int // characters; 0 for any number
	// Values are the allowed ones; nil for any. More are those that only editions of some countries
	// have: the sandbox accepts the values of every edition.
	Values, More []string
	Fields       []Field // of an object, or of the objects in a list; nil for a list of texts
}

// Upload is a file that an endpoint accepts.
type Upload struct {
	Part       string // of the form, with the file
	Extensions []string
	Required   bool
}

// Rule is what one endpoint accepts.
type Rule struct {
	// Method and Path name the endpoint as in the sandbox's table.
	Method, Path string
	Passage      string
	Query        []Field
	Fields       []Field
	// Required are the fields that the document demands.
	Required []string
	// Needed are the fields without which the record would mean nothing: no document demands them,
	// the sandbox assumes it.
	Needed []string
	// Prefix begins the names of the organization's own fields.
	Prefix string
	// Unique endpoints find their record by the headers of the unique-value update.
	Unique bool
	Upload Upload
	// whole checks the fields together; nil for no such check.
	whole func(body Body, creating bool) []Problem
}

// All returns the rules, in the order of the documents.
func All() []Rule {
	return slices.Concat(contactPersons(), modules(), openingBalances(), ledger(), payments(), expenses(), currencies(), settings(), stock(), trade())
}

// Find returns the rule of an endpoint.
func Find(method, path string) (Rule, bool) {
	for _, rule := range All() {
		if rule.Method == method && rule.Path == path {
			return rule, true
		}
	}
	return Rule{}, false
}
