package validate

import (
	"slices"
	"strings"

	"sluice/schema"
)

// parentMark is the place of the parent's identifier in a path.
const parentMark = "{parent}"

// id checks the key column, by which rows are found, compared and replaced.
func (f *faults) id(where string, r *schema.Resource) {
	switch {
	case len(r.Columns) == 0:
		f.addf(where, "no columns are declared; declare the key column first")
	case r.Columns[0].Wire != r.ID:
		f.addf(where, "the first column is %q and not the key %q; declare the key first", r.Columns[0].Wire, r.ID)
	case r.Columns[0].Kind != schema.KindID:
		f.addf(where+"."+r.ID, "the key column is no identifier; declare it by ID")
	}
}

// given checks the columns that the engine supplies: only the parent's identifier and the key
// qualified by it.
func (f *faults) given(where string, r *schema.Resource) {
	under, _ := r.Cursor.(schema.PerParent)
	for i, c := range r.Columns {
		key := i == 0
		switch {
		case key && c.Given != (under.Identifier != ""):
			f.addf(where+"."+c.Wire, "the key is given exactly where identifiers are unique under one parent only; set both Give and Identifier or neither")
		case !key && c.Given && c.Wire != under.Column:
			f.addf(where+"."+c.Wire, "the engine knows the parent's identifier alone; give the column that PerParent names or none")
		}
	}
}

// twoKeys checks that of all columns the modification time alone has a second key.
func (f *faults) twoKeys(where string, r *schema.Resource) {
	tables := r.Tables()
	for i := range tables {
		for _, c := range tables[i].Columns {
			if c.Also != "" && (i > 0 || c.Wire != r.Modified()) {
				f.addf(where+"."+c.Wire, "the second key %q is that of no modification time; which of two values counts is unknown", c.Also)
			}
		}
	}
}

// cursor checks the needs of the way of reading.
func (f *faults) cursor(where string, r *schema.Resource) {
	at := where + ".cursor"
	under, nested := r.Cursor.(schema.PerParent)
	if strings.Contains(r.Path, parentMark) != nested {
		f.addf(where, "path %q and cursor disagree; %s stands exactly in paths of lists under a parent", r.Path, parentMark)
	}
	_, paged := under.List.(schema.FullScan)
	if r.Complete != "" && !r.ReadWhole() && !paged {
		f.addf(where, "nothing proves by absence that a record is gone where its list is read by %T; leave Complete out", r.Cursor)
	}
	if !nested {
		f.way(at, r, r.Cursor)
		return
	}
	f.perParent(at, r, under)
	switch under.List.(type) {
	case schema.FullScan, schema.Export:
		f.way(at, r, under.List)
	default:
		f.addf(at, "the list of one parent is read by %T; use FullScan or Export", under.List)
	}
}

func (f *faults) perParent(at string, r *schema.Resource, under schema.PerParent) {
	if c, ok := column(r, under.Column); !ok || c.Kind != schema.KindID && c.Kind != schema.KindText {
		f.addf(at, "the parent's column %q is not declared; declare it by ID or Text", under.Column)
	}
	if c, ok := column(r, under.Identifier); under.Identifier != "" && (!ok || c.Kind != schema.KindID || c.Given || under.Identifier == r.ID) {
		f.addf(at, "the identifier %q is no column of the record's own; declare it by ID, beside the key", under.Identifier)
	}
	if len(under.From) == 0 && under.Listed == "" {
		f.addf(at, "nothing says where parents are found; name columns of the warehouse or a list of the configuration")
	}
	for _, from := range under.From {
		named := []string{from.Schema, from.Table, strings.TrimPrefix(from.Column, "_")}
		if slices.ContainsFunc(named, func(name string) bool { return !validName.MatchString(name) }) {
			f.addf(at, "parents from %q.%q.%q: a schema, a table or a column that cannot be; spell them as the warehouse does",
				from.Schema, from.Table, from.Column)
		}
	}
	switch under.Listed {
	case "", schema.ListedNetworks, schema.ListedModules, schema.ListedContacts:
	default:
		f.addf(at, "%q is no list of the configuration; use one of the closed set", under.Listed)
	}
}

// way checks a way of reading one list.
func (f *faults) way(at string, r *schema.Resource, cursor schema.Cursor) {
	switch c := cursor.(type) {
	case nil:
		f.addf(at, "no cursor is declared; FullScan reads any list")
	case schema.Since:
		f.instant(at, r, c.Column)
		f.optionalInstant(at, r, c.Created)
		if c.Param == "" {
			f.addf(at, "the filter parameter is empty; without a filter use FullScan")
		}
	case schema.NewestFirst:
		f.instant(at, r, c.Column)
		f.optionalInstant(at, r, c.Created)
		if c.Sort == "" {
			f.addf(at, "the sort is empty; without a sort use FullScan")
		}
	case schema.FullScan:
		f.optionalInstant(at, r, c.Modified)
		f.optionalInstant(at, r, c.Created)
		if c.Sort != "" && c.Created == "" {
			f.addf(at, "a sort is declared but no creation time; name the column it sorts by")
		}
	case schema.Export:
		f.optionalInstant(at, r, c.Modified)
		if c.FieldsParam == "" {
			f.addf(at, "the parameter that names the columns is empty; name it")
		}
		if len(r.Children) > 0 {
			f.addf(at, "a line of CSV has no arrays; drop the children")
		}
	case schema.Snapshot:
	default:
		f.addf(at, "%T is not one of the closed set; use a cursor of package schema", c)
	}
}

func (f *faults) optionalInstant(where string, r *schema.Resource, wire string) {
	if wire != "" {
		f.instant(where, r, wire)
	}
}

func (f *faults) instant(where string, r *schema.Resource, wire string) {
	switch c, ok := column(r, wire); {
	case !ok:
		f.addf(where, "column %q is not declared; declare it by Time", wire)
	case c.Kind != schema.KindTime:
		f.addf(where, "column %q is no instant; declare it by Time", wire)
	}
}

func column(r *schema.Resource, wire string) (schema.Column, bool) {
	for _, c := range r.Columns {
		if c.Wire == wire {
			return c, true
		}
	}
	return schema.Column{}, false
}

// dated checks what of a record belongs to its period.
func (f *faults) dated(where string, r *schema.Resource) {
	d := r.Dated
	if d == nil {
		return
	}
	if c, ok := column(r, d.On); !ok || c.Kind != schema.KindDate {
		f.addf(where, "the column %q is no declared day; declare it by Date", d.On)
	}
	if len(d.Figures) == 0 {
		f.addf(where, "no figure is named, so a period would have no sums; name one or drop it")
	}
	for i, wire := range d.Figures {
		if c, ok := column(r, wire); !ok || c.Kind != schema.KindDecimal || slices.Contains(d.Figures[:i], wire) {
			f.addf(where, "the figure %q is no declared decimal, or named twice; declare it once, by Decimal", wire)
		}
	}
	f.currency(where, r)
	if c, ok := column(r, d.State); (d.State != "") != (len(d.Out) > 0) || d.State != "" && (!ok || c.Kind != schema.KindText) {
		f.addf(where, "the state %q is no declared text, or has no states that do not count; name both or none", d.State)
	}
	taken := append([]string{r.ID, d.On, d.Currency, d.Rate, d.Lines, "counts"}, d.Figures...)
	for i, wire := range d.With {
		c, ok := column(r, wire)
		if !ok || c.Class != schema.Plain || slices.Contains(taken, wire) || slices.Contains(d.With[:i], wire) {
			f.addf(where, "%q is no declared column, is personal, or is named twice; what is kept of a closed period tells nothing about people", wire)
		}
	}
	f.datedLines(where, r)
}

func (f *faults) currency(where string, r *schema.Resource) {
	d := r.Dated
	if c, ok := column(r, d.Currency); d.Currency != "" && (!ok || c.Kind != schema.KindID) || d.Currency == "" && d.Rate != "" {
		f.addf(where, "the currency %q is no declared identifier; declare it by ID, or leave out the rate, too", d.Currency)
	}
	if c, ok := column(r, d.Rate); d.Rate != "" && (!ok || c.Kind != schema.KindDecimal) {
		f.addf(where, "the rate %q is no declared decimal; declare it by Decimal", d.Rate)
	}
}

func (f *faults) datedLines(where string, r *schema.Resource) {
	d := r.Dated
	if d.Lines == "" && len(d.LineColumns) == 0 {
		return
	}
	at := slices.IndexFunc(r.Children, func(c schema.Child) bool { return c.Name == d.Lines && c.Prefix == "" })
	if at < 0 || len(d.LineColumns) == 0 {
		f.addf(where, "the lines %q are no declared array, or have no columns; name both or none", d.Lines)
		return
	}
	for i, wire := range d.LineColumns {
		found := slices.ContainsFunc(r.Children[at].Columns, func(c schema.Column) bool { return c.Wire == wire && c.Class == schema.Plain })
		if !found || slices.Contains(d.LineColumns[:i], wire) {
			f.addf(where, "%q is no declared column of a line, is personal, or is named twice", wire)
		}
	}
}
