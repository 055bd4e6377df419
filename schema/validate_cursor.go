package schema

// id checks the key column: rows are found, compared and replaced by it.
func (f *faults) id(where string, r *Resource) {
	switch {
	case len(r.Columns) == 0:
		f.addf(where, "no columns are declared; declare the key column first")
	case r.Columns[0].Wire != r.ID:
		f.addf(where, "the first column is %q and not the key %q; declare the key first", r.Columns[0].Wire, r.ID)
	case r.Columns[0].Kind != KindID:
		f.addf(where+"."+r.ID, "the key column is no identifier; declare it by ID")
	}
}

// cursor checks what the way of reading needs from the declaration.
func (f *faults) cursor(where string, r *Resource) {
	at := where + ".cursor"
	switch c := r.Cursor.(type) {
	case nil:
		f.addf(at, "no cursor is declared; FullScan reads any list")
	case Since:
		f.instant(at, r, c.Column)
		f.optionalInstant(at, r, c.Created)
		if c.Param == "" {
			f.addf(at, "the filter parameter is empty; without a filter use FullScan")
		}
	case NewestFirst:
		f.instant(at, r, c.Column)
		if c.Sort == "" {
			f.addf(at, "the sort is empty; without a sort use FullScan")
		}
	case FullScan:
		f.optionalInstant(at, r, c.Modified)
		f.optionalInstant(at, r, c.Created)
		if c.Sort != "" && c.Created == "" {
			f.addf(at, "a sort is declared but no creation time; name the column it sorts by")
		}
	case Export:
		f.optionalInstant(at, r, c.Modified)
		if c.FieldsParam == "" {
			f.addf(at, "the parameter that names the columns is empty; name it")
		}
		if len(r.Children) > 0 {
			f.addf(at, "a line of CSV has no arrays; drop the children")
		}
	default:
		f.addf(at, "%T is not one of the closed set; use a cursor of this package", c)
	}
}

func (f *faults) optionalInstant(where string, r *Resource, wire string) {
	if wire != "" {
		f.instant(where, r, wire)
	}
}

func (f *faults) instant(where string, r *Resource, wire string) {
	for _, c := range r.Columns {
		if c.Wire != wire {
			continue
		}
		if c.Kind != KindTime {
			f.addf(where, "column %q is no instant; declare it by Time", wire)
		}
		return
	}
	f.addf(where, "column %q is not declared; declare it by Time", wire)
}
