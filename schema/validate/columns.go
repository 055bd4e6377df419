package validate

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"sluice/schema"
)

// Postgres silently cuts off longer names; sluice's names must survive whole.
const (
	maxName       = 55
	maxIdentifier = 63
	maxDepth      = 2
	minWords      = 3
)

// object is the common part of a record and an element of an array.
type object struct {
	columns  []schema.Column
	children []schema.Child
	ignored  map[string]string
}

// tables checks the names of all tables of a resource against each other and against those of its
// Postgres schema.
func (f *faults) tables(where, inSchema string, r *schema.Resource) {
	all := r.Tables()
	for i := range all {
		table := &all[i]
		at := where
		if len(table.Path) > 0 {
			at += "." + strings.Join(table.Path, ".")
		}
		f.sentence(at, table.Doc)
		if table.Depth() > maxDepth {
			f.addf(at, "arrays nest %d deep, tables only %d; declare the inner one by JSON", table.Depth(), maxDepth)
		}
		f.claimTable(at, inSchema, table.Name)
		f.columnNames(at, table.Columns)
	}
	if len(r.History) > 0 {
		f.claimTable(where+".history", inSchema, r.HistoryTable())
	}
	if r.Details != nil {
		f.claimTable(where+".details", inSchema, r.DetailsIndex())
	}
}

func (f *faults) claimTable(where, inSchema, name string) {
	if len(name) > maxIdentifier {
		f.addf(where, "table name %s has %d bytes, Postgres keeps %d; shorten a name", name, len(name), maxIdentifier)
	}
	if other, ok := f.owners[inSchema+"."+name]; ok {
		f.addf(where, "table %s is already the table of %s; rename one", name, other)
	}
	f.owners[inSchema+"."+name] = where
}

// columnNames checks that the columns of one table do not clash in the warehouse.
func (f *faults) columnNames(where string, columns []schema.Column) {
	taken := map[string]bool{}
	for _, c := range columns {
		name := c.ColumnName()
		if taken[name] {
			f.addf(where+"."+c.Wire, "column name %q is taken; give one another name by As", name)
		}
		taken[name] = true
	}
}

// object checks one object of the wire: its columns, arrays and ignored keys.
func (f *faults) object(where string, o object) {
	keys := map[string]string{}
	claim := func(key, as string) {
		if other, ok := keys[key]; ok {
			f.addf(where+"."+key, "the key is declared as %s and as %s; keep one", other, as)
		}
		keys[key] = as
	}
	for _, c := range o.columns {
		claim(c.Wire, "column")
		if c.Also != "" {
			claim(c.Also, "column")
		}
		f.column(where+"."+c.Wire, c)
	}
	for i := range o.children {
		// The name of a child with a prefix is sluice's own word and not on the wire.
		if o.children[i].Prefix == "" {
			claim(o.children[i].Name, "child")
		}
		f.child(where+"."+o.children[i].Name, &o.children[i])
	}
	for key, reason := range o.ignored {
		claim(key, "ignored")
		if key == "" || strings.TrimSpace(reason) == "" {
			f.addf(where+"."+key, "ignored without key or reason; say why it is not copied")
		}
	}
}

func (f *faults) column(where string, c schema.Column) {
	if c.Wire == "" {
		f.addf(where, "the wire name is empty; spell the key as the document does")
		return
	}
	if c.Kind < schema.KindID || c.Kind > schema.KindJSON {
		f.addf(where, "kind %d is not one of the closed set; use a constructor of package schema", c.Kind)
	}
	name := c.ColumnName()
	f.name(where, "column", name)
	if name == "organization_id" {
		f.addf(where, "organization_id is the column of ours that tells organizations apart; rename by As")
	}
	f.sentence(where, c.Doc)
	if !c.Class.Said() { // readers must not see by oversight what masking was to hide
		f.addf(where, "the column does not say what its values may tell about people; add Is with a class, such as Is(schema.FreeText)")
	}
	f.values(where, c)
	if c.Kind == schema.KindJSON && !strings.Contains(c.Doc, "because") {
		f.addf(where, "the sentence of a JSON column must say why it has no typed columns; add a because")
	}
}

// values checks the documented values.
func (f *faults) values(where string, c schema.Column) {
	if len(c.Values) > 0 && c.Kind != schema.KindText {
		f.addf(where, "values are listed for a column that is no text; declare it by Text or drop them")
	}
	seen := map[string]bool{}
	for _, value := range c.Values {
		if strings.TrimSpace(value) == "" || seen[value] {
			f.addf(where, "the value %q is blank or listed twice; drop it", value)
		}
		seen[value] = true
	}
}

func (f *faults) child(where string, child *schema.Child) {
	f.name(where, "child", child.Name)
	if len(child.Columns) == 0 && len(child.Children) == 0 {
		f.addf(where, "an array without columns; declare them, or the key by JSON or as ignored")
	}
	if child.Scalar && (len(child.Columns) != 1 || len(child.Children) > 0 || len(child.Ignored) > 0 || child.Object) {
		f.addf(where, "an array of bare values has exactly one column and nothing else; declare one column")
	}
	for _, c := range child.Columns {
		if c.Given {
			f.addf(where+"."+c.Wire, "only columns of the record are given by the engine; drop the mark")
		}
	}
	if child.Prefix != "" || child.Twin != "" {
		f.prefix(where, child)
	}
	f.object(where, object{child.Columns, child.Children, child.Ignored})
}

// prefix checks a child made of the record's own keys.
func (f *faults) prefix(where string, child *schema.Child) {
	if child.Prefix == "" || child.Twin == "" {
		f.addf(where, "prefix %q and twin %q belong together; give both or neither", child.Prefix, child.Twin)
	}
	if child.Scalar || child.Object || len(child.Children) > 0 || len(child.Ignored) > 0 {
		f.addf(where, "a child with a prefix is neither scalar nor object and has no arrays or ignored keys; drop them")
	}
	kinds := make([]schema.Kind, 0, len(child.Columns))
	for _, c := range child.Columns {
		kinds = append(kinds, c.Kind)
	}
	if !slices.Equal(kinds, []schema.Kind{schema.KindID, schema.KindJSON, schema.KindText}) {
		f.addf(where, "a child with a prefix has exactly three columns; declare the key by ID, its value by JSON, its display text by Text")
	}
}

// prefixes checks that no key can belong to two children, and that only the record itself has such
// children.
func (f *faults) prefixes(where string, r *schema.Resource) {
	for i, one := range r.Children {
		for _, other := range r.Children[:i] {
			if one.Prefix != "" && other.Prefix != "" &&
				(strings.HasPrefix(one.Prefix, other.Prefix) || strings.HasPrefix(other.Prefix, one.Prefix)) {
				f.addf(where+"."+one.Name, "prefixes %q and %q hold the same keys; keep one", one.Prefix, other.Prefix)
			}
		}
	}
	tables := r.Tables()
	for i := range tables {
		if table := &tables[i]; table.Depth() > 1 && table.Child.Prefix != "" {
			f.addf(where+"."+strings.Join(table.Path, "."), "only keys of the record itself are taken by prefix; declare them one by one")
		}
	}
}

func (f *faults) name(where, what, name string) {
	if strings.HasPrefix(name, "_") {
		f.addf(where, "%s name %q begins with an underscore, as only columns of ours do; rename", what, name)
		return
	}
	if !validName.MatchString(name) {
		f.addf(where, "%s name %q must be 1 to %d of a-z, 0-9 and _, a letter first; rename", what, name, maxName)
	}
}

// validName matches names of at most maxName bytes.
var validName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,54}$`)

func (f *faults) sentence(where, doc string) {
	switch {
	case strings.TrimSpace(doc) == "":
		f.addf(where, "the sentence is empty; say what it is")
	case !strings.HasSuffix(doc, "."):
		f.addf(where, "the sentence %q does not end with a full stop; add it", doc)
	case strings.ContainsFunc(doc, unicode.IsControl) || strings.Contains(doc, "--"):
		f.addf(where, "the sentence %q holds a line break or a dash pair, which migrations cannot; write one plain line", doc)
	case len(strings.Fields(doc)) < minWords:
		f.addf(where, "%q is no sentence; say what an analyst needs to know", doc)
	}
}

func (f *faults) path(where, path string) {
	if !strings.HasPrefix(path, "/") || strings.ContainsAny(path, "?# ") {
		f.addf(where, "path %q must start with a slash and hold no query; write it as the document does", path)
	}
}

func (f *faults) key(where string, format schema.Format, key string) {
	switch {
	case format == schema.FormatJSON && key == "":
		f.addf(where, "the response key is empty; name the key that carries the records")
	case format == schema.FormatCSV && key != "":
		f.addf(where, "a CSV answer has no response key %q; leave it empty", key)
	case format != schema.FormatJSON && format != schema.FormatCSV:
		f.addf(where, "format %d is not one of the closed set; use FormatJSON or FormatCSV", format)
	}
}
