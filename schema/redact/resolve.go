package redact

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"sluice/schema"
)

// Choice is what is to be left out or hashed: names of columns, and words of classes.
type Choice struct{ Omit, Hash []string }

// Mistake is a choice that cannot be followed.
type Mistake struct {
	// How is where the name stands, and At its place there.
	How How
	At  int
	// Name is the name as written; Allowed are names that would do, if the name is unknown.
	Name    string
	Allowed []string
	// Detail says what is wrong.
	Detail string
}

// Classes are the words of the classes that can be chosen, in the order of their declaration.
func Classes() []string {
	var words []string
	for class := schema.Company; class <= schema.FreeText; class++ {
		words = append(words, word(class))
	}
	return words
}

func word(class schema.Class) string { return strings.ReplaceAll(class.String(), " ", "_") }

// Resolve returns the rules of a resource by its own choice and by the choice for all resources,
// which has classes alone. Its own choice comes first, and a column that is named comes before its
// class. Parents are the columns, by their names in the warehouse, in which lists find their
// parents.
//
// The mistakes are those of the resource's own choice. A column that is needed is no mistake where
// the choice for all resources has its class: it stays as it is.
func Resolve(resource *schema.Resource, own, all Choice, parents []string) ([]Rule, []Mistake) {
	r := resolver{columns: columnsOf(resource), needed: needed(resource, parents), rules: make(map[string]Rule)}
	r.classes(all, false)
	r.classes(own, true)
	r.named(own)
	r.texts(resource)
	return slices.SortedFunc(maps.Values(r.rules), func(a, b Rule) int { return strings.Compare(a.Path, b.Path) }), r.mistakes
}

// column is a column with its place.
type column struct {
	schema.Column

	path          string
	table, column int
	// label says that the column is the key of a child with a prefix.
	label bool
}

func columnsOf(resource *schema.Resource) []column {
	var all []column
	tables := resource.Tables()
	for t := range tables {
		for i := range tables[t].Columns {
			c := tables[t].Columns[i]
			path := strings.Join(append(slices.Clone(tables[t].Path), c.ColumnName()), ".")
			label := tables[t].Child != nil && tables[t].Child.Prefix != "" && i == 0
			all = append(all, column{Column: c, path: path, table: t, column: i, label: label})
		}
	}
	return all
}

type resolver struct {
	columns  []column
	needed   map[string]string
	rules    map[string]Rule
	mistakes []Mistake
}

func (r *resolver) wrongf(how How, at int, name, format string, args ...any) {
	r.mistakes = append(r.mistakes, Mistake{How: how, At: at, Name: name, Detail: fmt.Sprintf(format, args...)})
}

// each calls do for each name of a choice.
func each(choice Choice, do func(how How, at int, name string)) {
	for at, name := range choice.Omit {
		do(Omitted, at, name)
	}
	for at, name := range choice.Hash {
		do(Hashed, at, name)
	}
}

// classes applies the words of classes.
func (r *resolver) classes(choice Choice, strict bool) {
	each(choice, func(how How, at int, name string) {
		if !slices.Contains(Classes(), name) || r.isColumn(name) {
			return
		}
		if how == Hashed && slices.Contains(choice.Omit, name) {
			if strict {
				r.wrongf(how, at, name, "is in omit, too: remove one of the two")
			}
			return
		}
		for i := range r.columns {
			c := &r.columns[i]
			if word(c.Class) != name || c.Given || c.label {
				continue
			}
			if why, needs := r.needed[c.path]; needs {
				if strict {
					r.wrongf(how, at, name, "has %s, which has to stay: %s; write the other columns by their names", c.path, why)
				}
				continue
			}
			does := how
			if how == Hashed && notText(c) != "" { // what cannot be hashed is not shown, either
				does = Omitted
			}
			r.rules[c.path] = Rule{Path: c.path, How: does, table: c.table, column: c.column}
		}
		if name == word(schema.FreeText) {
			r.rules[Undeclared] = Rule{Path: Undeclared, How: Omitted}
		}
	})
}

// texts leaves the display text of keys with a prefix out where their values are left out or
// hashed: it repeats them.
func (r *resolver) texts(resource *schema.Resource) {
	tables := resource.Tables()
	for i := range r.columns {
		c := &r.columns[i]
		if child := tables[c.table].Child; child == nil || child.Prefix == "" || c.column != prefixValue {
			continue
		}
		text := &r.columns[i+1]
		if _, ruled := r.rules[c.path]; ruled && r.rules[text.path].Path == "" {
			r.rules[text.path] = Rule{Path: text.path, How: Omitted, table: text.table, column: text.column}
		}
	}
}

func (r *resolver) isColumn(name string) bool { return r.find(name) != nil }

// find returns the column of a name: its path in the warehouse, or with the name on the wire.
func (r *resolver) find(name string) *column {
	for i := range r.columns {
		c := &r.columns[i]
		wire := strings.TrimSuffix(c.path, c.ColumnName()) + c.Wire
		if c.path == name || wire == name {
			return c
		}
	}
	return nil
}

// named applies the names of columns.
func (r *resolver) named(choice Choice) {
	seen := make(map[string]How)
	each(choice, func(how How, at int, name string) {
		c := r.find(name)
		switch {
		case c == nil && slices.Contains(Classes(), name):
			return
		case c == nil && name == Undeclared && how == Omitted:
			r.rules[Undeclared] = Rule{Path: Undeclared, How: Omitted}
			return
		case c == nil && name == Undeclared:
			r.wrongf(how, at, name, "holds keys that no column takes, which can be left out alone: write it into omit")
			return
		case c == nil:
			r.mistakes = append(r.mistakes, Mistake{How: how, At: at, Name: name, Allowed: r.names()})
			return
		}
		before, twice := seen[c.path]
		seen[c.path] = how
		why, needs := r.needed[c.path]
		text := notText(c)
		switch {
		case twice && before == how:
			r.wrongf(how, at, name, "is there twice: remove one of the two")
		case twice:
			r.wrongf(how, at, name, "is in omit, too: remove one of the two")
		case needs:
			r.wrongf(how, at, name, "has to stay: %s", why)
		case c.Given || c.label:
			r.wrongf(how, at, name, "has to stay: it is not a value of upstream's")
		case how == Hashed && text != "":
			r.wrongf(how, at, name, "cannot be hashed: %s; write it into omit", text)
		default:
			r.rules[c.path] = Rule{Path: c.path, How: how, table: c.table, column: c.column}
		}
	})
}

// names are all that can be chosen.
func (r *resolver) names() []string {
	names := Classes()
	for i := range r.columns {
		if c := &r.columns[i]; r.needed[c.path] == "" && !c.Given && !c.label {
			names = append(names, c.path)
		}
	}
	return append(names, Undeclared)
}

// notText says why a column cannot hold a hash; "" if it can.
func notText(c *column) string {
	switch {
	case c.Kind == schema.KindID && c.Class == schema.Plain:
		return "it names a record, and rows could not be joined by it any more"
	case c.Kind != schema.KindText && c.Kind != schema.KindID && c.Kind != schema.KindJSON:
		return "it holds no text"
	case len(c.Values) > 0:
		return "it has a few known values, which a hash would not hide"
	default:
		return ""
	}
}

// needed returns why columns have to stay as they are, by path.
func needed(resource *schema.Resource, parents []string) map[string]string {
	why := make(map[string]string)
	path := make(map[string]string, len(resource.Columns)) // by name on the wire
	for i := range resource.Columns {
		path[resource.Columns[i].Wire] = resource.Columns[i].ColumnName()
	}
	needs := func(reason string, wires ...string) {
		for _, wire := range wires {
			if at := path[wire]; wire != "" && at != "" {
				why[at] = reason
			}
		}
	}
	needs("its changes are recorded as the resource's history", resource.History...)
	neededDetails(resource, why, needs)
	neededPeriods(resource, why, needs)
	if resource.Window != nil && !resource.Window.Assumed {
		needs("lists are filtered by it", resource.Window.Column)
	}
	needs("lists are read by it", resource.Created(), resource.Modified())
	if under, ok := resource.Cursor.(schema.PerParent); ok {
		needs("it is the parent of the record", under.Column)
		needs("it is the record's identifier", under.Identifier)
	}
	needs("it is the record's identifier", resource.ID)
	for _, name := range parents {
		why[name] = "lists below it find their parents in it"
	}
	return why
}

// neededDetails notes the columns that say which single records are read.
func neededDetails(resource *schema.Resource, why map[string]string, needs func(reason string, wires ...string)) {
	d := resource.Details
	if d == nil {
		return
	}
	const first = "it says which single records are read first"
	if d.Value != nil {
		needs(first, append(slices.Clone(d.Value.Amounts), d.Value.Rate)...)
		if d.Value.Open != nil {
			needs(first, d.Value.Open.Column)
		}
	}
	tables := resource.Tables()
	for _, c := range columnsOf(resource) {
		if c.table > 0 && c.path == d.Marker+"."+c.ColumnName() && tables[c.table].Child.Scalar {
			why[c.path] = "records without it count as incomplete"
		}
	}
}

// neededPeriods notes the columns that belong to a period.
func neededPeriods(resource *schema.Resource, why map[string]string, needs func(reason string, wires ...string)) {
	d := resource.Dated
	if d == nil {
		return
	}
	const closed = "it belongs to what a closed period must not change"
	needs(closed, append(append([]string{d.Currency, d.Rate, d.State}, d.Figures...), d.With...)...)
	needs("it says which period a record belongs to", d.On)
	for _, c := range columnsOf(resource) {
		if c.path == d.Lines+"."+c.ColumnName() && slices.Contains(d.LineColumns, c.Wire) {
			why[c.path] = closed
		}
	}
}
