package validate

import (
	"slices"

	"sluice/schema"
)

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
