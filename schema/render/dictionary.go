package render

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"sluice/schema"
)

// Dictionary writes the data dictionary in Markdown: every service, resource,
// table and column with its sentence, where it comes from and how it is kept
// up to date.
func Dictionary(services []schema.Service) string {
	var b strings.Builder
	b.WriteString("# Data dictionary\n\n")
	b.WriteString("Written by `sluice dictionary` from the declarations; do not edit. ")
	b.WriteString("The same sentences stand as comments in the database.\n")
	for i := range services {
		service := &services[i]
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", service.Name, service.Doc)
		if len(service.Resources) == 0 {
			b.WriteString("\nNothing of it is copied yet.\n")
		}
		for j := range service.Resources {
			writeResource(&b, service, &service.Resources[j])
		}
	}
	writeBookkeeping(&b)
	return b.String()
}

func writeResource(b *strings.Builder, s *schema.Service, r *schema.Resource) {
	fmt.Fprintf(b, "\n### %s.%s\n\n%s\n\n", s.Name, r.Name, r.Doc)
	fmt.Fprintf(b, "- List: `GET %s%s`%s, documented\n", s.Root, r.Path, parameters(r))
	if r.Single != nil {
		source := "documented"
		if r.Single.Assumed {
			source = "assumed"
		}
		fmt.Fprintf(b, "- One record: `GET %s%s`, key `%s`, %s\n", s.Root, r.Single.Path, r.Single.Key, source)
	}
	fmt.Fprintf(b, "- Reading: %s, every %s\n", cursorWords(r.Cursor), r.Every)
	for _, note := range r.Assumed {
		fmt.Fprintf(b, "- Assumed: %s\n", note)
	}
	for _, t := range r.Tables() {
		writeTableEntry(b, s, r, t)
	}
}

func parameters(r *schema.Resource) string {
	var b strings.Builder
	if r.Key != "" {
		fmt.Fprintf(&b, ", key `%s`", r.Key)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Params)) {
		fmt.Fprintf(&b, ", `%s=%s`", name, r.Params[name])
	}
	return b.String()
}

func cursorWords(cursor schema.Cursor) string {
	switch c := cursor.(type) {
	case schema.Since:
		return "what changed since the mark, by the filter `" + c.Param + "`"
	case schema.NewestFirst:
		return "newest first by `" + c.Sort + "`, down to the mark"
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
	default:
		return "not declared"
	}
}

func writeTableEntry(b *strings.Builder, s *schema.Service, r *schema.Resource, t schema.Table) {
	fmt.Fprintf(b, "\n#### Table `%s.%s`\n\n", s.Name, t.Name)
	ignored := r.Ignored
	key := list("organization_id", r.Columns[0].ColumnName())
	if t.Child != nil {
		ignored = t.Child.Ignored
		fmt.Fprintf(b, "%s From `%s`.", t.Doc, strings.Join(t.Path, "[]."))
		key = list("organization_id", "_parent_id", "_position")
		if t.Depth() > 1 {
			key = list("organization_id", "_parent_id", "_parent_position", "_position")
		}
	} else {
		b.WriteString(t.Doc)
	}
	fmt.Fprintf(b, " Key: `%s`.\n\n", strings.ReplaceAll(key, `"`, ""))
	b.WriteString("| Column | Type | Meaning |\n|---|---|---|\n")
	for _, c := range t.Columns {
		doc := c.Doc
		if c.ColumnName() != c.Wire && (t.Child == nil || !t.Child.Scalar) {
			doc += " Upstream: `" + c.Wire + "`."
		}
		if c.Assumed {
			doc += " Assumed: no document names it."
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", c.ColumnName(), Type(c.Kind), strings.ReplaceAll(doc, "|", `\|`))
	}
	if len(ignored) > 0 {
		b.WriteString("\nNot copied:\n\n")
	}
	for _, wire := range slices.Sorted(maps.Keys(ignored)) {
		fmt.Fprintf(b, "- `%s`: %s\n", wire, ignored[wire])
	}
}

func writeBookkeeping(b *strings.Builder) {
	b.WriteString("\n## Columns of ours\n\nEvery table begins with `organization_id`. ")
	b.WriteString("Tables of arrays go on with `_parent_id` (the key of the record), inside of another array ")
	b.WriteString("`_parent_position`, and `_position` (the place in the array, from 0). ")
	b.WriteString("Tables of records end with:\n\n| Column | Type | Meaning |\n|---|---|---|\n")
	for _, c := range bookkeeping() {
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", c.name, c.kind, c.comment)
	}
}
