package validate

import (
	"slices"
	"strings"

	"sluice/schema"
)

// reading checks paging, single records and histories.
func (f *faults) reading(where string, r *schema.Resource) {
	if r.Paging < schema.PagingNumber || r.Paging > schema.PagingToken {
		f.addf(where, "paging %d is not one of the closed set; use PagingNumber, PagingWhole or PagingToken", r.Paging)
	}
	_, snapshot := r.Cursor.(schema.Snapshot)
	if snapshot && r.Paging != schema.PagingWhole {
		f.addf(where, "a single object has no pages; set PagingWhole")
	}
	if r.Exported() && r.Paging != schema.PagingNumber {
		f.addf(where, "an export is one body without pages; leave the paging out")
	}
	if r.Unsized < 0 || r.Unsized > 0 && r.Paging != schema.PagingNumber {
		f.addf(where, "%d records a page without a size: only a list with PagingNumber has sizes; drop Unsized", r.Unsized)
	}
	f.assumedPath(where, r)
	f.single(where, r.Single)
	f.details(where+".details", r)
	f.history(where+".history", r)
	f.window(where+".window", r)
	f.dated(where+".dated", r)
}

// window checks the filter by day.
func (f *faults) window(where string, r *schema.Resource) {
	w := r.Window
	if w == nil {
		return
	}
	if c, ok := column(r, w.Column); !ok || c.Kind != schema.KindDate {
		f.addf(where, "the column %q is no declared day; declare it by Date", w.Column)
	}
	_, fixed := r.Params[w.From]
	if _, to := r.Params[w.To]; w.From == "" || w.To == "" || w.From == w.To || fixed || to {
		f.addf(where, "the parameters %q and %q are empty, equal or set by the declaration; name the two of the filter", w.From, w.To)
	}
	switch r.Cursor.(type) {
	case schema.Since, schema.NewestFirst, schema.FullScan:
	default:
		f.addf(where, "a list read by %T takes no windows; drop it", r.Cursor)
	}
}

// assumedPath prevents guesses of the catalogue from spending calls unasked. A user's declaration
// is itself the request.
func (f *faults) assumedPath(where string, r *schema.Resource) {
	if !r.AssumedPath || r.Schema != "" {
		return
	}
	if !r.Optional {
		f.addf(where, "the path is assumed; make the resource optional, so that only who asks for it spends calls on a guess")
	}
	if len(r.Assumed) == 0 {
		f.addf(where, "the path is assumed and no sentence says from what; add one to Assumed")
	}
}

func (f *faults) single(where string, single *schema.Single) {
	if single == nil {
		return
	}
	f.path(where+".single", single.Path)
	if !strings.Contains(single.Path, "{id}") {
		f.addf(where+".single", "path %q has no {id}; put it where the identifier goes", single.Path)
	}
	if single.Key == "" {
		f.addf(where+".single", "key is empty; name the response key that carries the record")
	}
}

func (f *faults) details(where string, r *schema.Resource) {
	if r.Details == nil {
		return
	}
	switch r.Cursor.(type) {
	case schema.Snapshot, schema.PerParent, schema.Export:
		f.addf(where, "%T lists have no details; drop them", r.Cursor)
	default:
	}
	if !slices.ContainsFunc(r.Children, func(c schema.Child) bool { return c.Name == r.Details.Marker && c.Prefix == "" }) {
		f.addf(where, "the marker %q is no declared array of the record; name one that headers lack", r.Details.Marker)
	}
	if r.Single == nil && r.Details.Batch == nil {
		f.addf(where, "nothing says how details are read; declare Single or Batch")
	}
	f.value(where+".value", r)
	if batch := r.Details.Batch; batch != nil {
		f.path(where, batch.Path)
		if batch.Key == "" || batch.Param == "" || batch.Size < 1 {
			f.addf(where, "a batch needs the response key, the parameter of the identifiers and a size of at least 1; give all three")
		}
	}
}

// value checks the order in which single records are read.
func (f *faults) value(where string, r *schema.Resource) {
	v := r.Details.Value
	if v == nil {
		return
	}
	if len(v.Amounts) == 0 && v.Open == nil {
		f.addf(where, "neither an amount nor what is open is named; name one or drop the value")
	}
	for i, wire := range v.Amounts {
		if c, ok := column(r, wire); !ok || c.Kind != schema.KindDecimal || slices.Contains(v.Amounts[:i], wire) {
			f.addf(where, "the amount %q is no declared decimal, or named twice; declare it once, by Decimal", wire)
		}
	}
	if priced := len(v.Amounts) > 0 && !v.Base; priced != (v.Rate != "") {
		f.addf(where, "amounts of different currencies are not comparable; name the rate, or set Base where they are in the base currency")
	}
	if c, ok := column(r, v.Rate); v.Rate != "" && (!ok || c.Kind != schema.KindDecimal) {
		f.addf(where, "the rate %q is no declared decimal; declare it by Decimal", v.Rate)
	}
	f.open(where+".open", r, v.Open)
}

func (f *faults) open(where string, r *schema.Resource, open *schema.Open) {
	if open == nil {
		return
	}
	c, ok := column(r, open.Column)
	if !ok || c.Kind != schema.KindText {
		f.addf(where, "the column %q is no declared text; declare it by Text", open.Column)
	}
	if len(open.Is) == 0 {
		f.addf(where, "no value is that of an open record; name one or drop it")
	}
	for i, value := range open.Is {
		if value == "" || slices.Contains(open.Is[:i], value) || len(c.Values) > 0 && !slices.Contains(c.Values, value) {
			f.addf(where, "the value %q is empty, named twice or none of the column's; drop it", value)
		}
	}
}

func (f *faults) history(where string, r *schema.Resource) {
	seen := map[string]bool{r.ID: true}
	for _, wire := range r.History {
		switch {
		case !slices.ContainsFunc(r.Columns, func(c schema.Column) bool { return c.Wire == wire }):
			f.addf(where, "%q is no declared column of the record; only columns have a history", wire)
		case seen[wire]:
			f.addf(where, "%q is the key or named twice; drop it", wire)
		}
		seen[wire] = true
	}
}

// reads checks the answers on demand.
func (f *faults) reads(s *schema.Service) {
	names := map[string]bool{}
	for i := range s.Reads {
		read := &s.Reads[i]
		where := s.Name + "." + read.Name
		f.name(where, "read", read.Name)
		if names[read.Name] {
			f.addf(where, "the read is declared twice; rename one")
		}
		names[read.Name] = true
		f.sentence(where, read.Doc)
		f.path(where, read.Path)
		f.key(where, schema.FormatJSON, read.Key)
		f.scope(where, read.Scope)
		for _, note := range read.Assumed {
			f.sentence(where+".assumed", note)
		}
		f.readParams(where+".params", s, read.Params)
	}
}

func (f *faults) readParams(where string, s *schema.Service, params []schema.Param) {
	taken := map[string]bool{"": true, s.Organization.Query: true}
	for _, p := range params {
		if taken[p.Name] {
			f.addf(where, "%q is empty, set by the engine or declared twice; drop it", p.Name)
		}
		taken[p.Name] = true
		f.sentence(where+"."+p.Name, p.Doc)
	}
}
