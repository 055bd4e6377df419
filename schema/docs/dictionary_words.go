package docs

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"sluice/schema"
)

// shown is how many of a column's documented values the dictionary lists.
const shown = 8

// source returns the source of a path in words.
func source(assumed bool) string {
	if assumed {
		return "assumed"
	}
	return "documented"
}

// readingWords describes the reading of a resource: cursor, then paging.
func readingWords(r *schema.Resource) string {
	text := cursorWords(r.Cursor)
	switch r.Paging {
	case schema.PagingWhole:
		if _, ok := r.Cursor.(schema.Snapshot); !ok {
			text += ", in one answer without pages"
		}
	case schema.PagingToken:
		text += ", going on by `next_token`"
	case schema.PagingNumber:
	default:
	}
	if w := r.Window; w != nil && !w.Assumed {
		text += "; backfills in windows of `" + w.Column + "`, by `" + w.From + "` and `" + w.To + "`"
	}
	return text
}

// originWords says which array of a record, or which keys, a table is made from.
func originWords(t *schema.Table) string {
	if t.Child.Prefix != "" {
		return fmt.Sprintf("From the record's keys that begin with `%s`; display text from those with `%s` behind.", t.Child.Prefix, t.Child.Twin)
	}
	return "From `" + strings.Join(t.Path, "[].") + "`."
}

// ignoredWords lists the keys that are not copied by reason.
func ignoredWords(ignored map[string]string) string {
	keys := map[string][]string{}
	for _, wire := range slices.Sorted(maps.Keys(ignored)) {
		keys[ignored[wire]] = append(keys[ignored[wire]], wire)
	}
	var groups []string
	for _, reason := range slices.Sorted(maps.Keys(keys)) {
		groups = append(groups, fmt.Sprintf("%s (`%s`)", reason, strings.Join(keys[reason], "`, `")))
	}
	return strings.Join(groups, "; ")
}

func cursorWords(cursor schema.Cursor) string {
	switch c := cursor.(type) {
	case schema.Since:
		return "what changed since the watermark, by the filter `" + c.Param + "`"
	case schema.NewestFirst:
		return "newest first by `" + c.Sort + "`, down to the watermark"
	case schema.FullScan:
		text := "the whole list"
		if c.Sort != "" {
			text += ", sorted by `" + c.Sort + "`"
		}
		if c.Modified != "" {
			text += "; `" + c.Modified + "` tells which version is newer"
		}
		return text
	case schema.Export:
		return "the whole export, one CSV body with the columns named in `" + c.FieldsParam + "`"
	case schema.Snapshot:
		return "the one object that there is, or none"
	case schema.PerParent:
		return "one list for each `" + c.Column + "`, the one not read for longest first: " + cursorWords(c.List)
	default:
		return "not declared"
	}
}

// parentWords describes the source of a list's parents.
func parentWords(under schema.PerParent) string {
	places := make([]string, 0, len(under.From)+1)
	for _, from := range under.From {
		places = append(places, "`"+from.Schema+"."+from.Table+"."+from.Column+"`")
	}
	if under.Listed != "" {
		places = append(places, "`"+string(under.Listed)+"` in the configuration")
	}
	return strings.Join(places, ", ")
}

func detailWords(s *schema.Service, r *schema.Resource) string {
	text := "where the list leaves out `" + r.Details.Marker + "`, "
	if batch := r.Details.Batch; batch != nil {
		text += fmt.Sprintf("up to %d records a call: `GET %s%s`, key `%s`, identifiers in `%s`",
			batch.Size, s.Root, batch.Path, batch.Key, batch.Param)
	} else {
		text += "the single record is read"
	}
	return text + "; order: " + orderWords(r.Details.Value)
}

// orderWords says which single records are read first.
func orderWords(v *schema.Value) string {
	const newest = "the newest"
	if v == nil {
		return newest
	}
	open := ""
	if v.Open != nil {
		open = "open ones (`" + v.Open.Column + "` " + valueWords(v.Open.Is) + ")"
	}
	if len(v.Amounts) == 0 {
		return open + ", " + newest
	}
	amount := "the largest `" + strings.Join(v.Amounts, "` or `") + "`"
	if v.Rate != "" {
		amount += " times `" + v.Rate + "`"
	}
	if open != "" {
		amount += ", tenfold for " + open
	}
	return amount + ", " + newest
}

// columnWords returns the description of a column: its sentence and its attributes.
func columnWords(r *schema.Resource, t *schema.Table, c schema.Column) string {
	doc := c.Doc
	onWire := !c.Given && (t.Child == nil || !t.Child.Scalar && t.Child.Prefix == "")
	if onWire && c.ColumnName() != c.Wire {
		doc += " Upstream: `" + c.Wire + "`."
	}
	if c.Also != "" {
		doc += " Live services send it as `" + c.Also + "`; the newer of both counts."
	}
	if len(c.Values) > 0 {
		doc += " Documented values: " + valueWords(c.Values) + "."
	}
	under, ok := r.Cursor.(schema.PerParent)
	switch {
	case c.Given:
		doc += " Supplied by sluice: records do not carry it."
	case ok && t.Child == nil && c.Wire == under.Column:
		doc += " Filled in by sluice where a record leaves it out."
	}
	if c.Assumed {
		doc += " *Assumed.*"
	}
	return strings.ReplaceAll(doc, "|", `\|`)
}

// valueWords lists values, and counts those beyond the shown ones.
func valueWords(values []string) string {
	more := ""
	if len(values) > shown+1 {
		more = fmt.Sprintf(" and %d more", len(values)-shown)
		values = values[:shown]
	}
	return "`" + strings.Join(values, "`, `") + "`" + more
}
