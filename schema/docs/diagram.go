package docs

import (
	"fmt"
	"slices"
	"strings"

	"sluice/schema"
	"sluice/schema/ddl"
)

// Mermaid draws one diagram of each service's tables, as Markdown: keys and relations only, to stay
// readable.
func Mermaid(services []schema.Service) string {
	var b strings.Builder
	b.WriteString("# Tables and keys\n\n")
	b.WriteString("Written by `sluice-dev erd` from the declarations; do not edit. ")
	b.WriteString("A full line is a foreign key, a dotted one leads to what a record once held. ")
	b.WriteString("A box names the key of a table after `organization_id`, which begins every key. ")
	b.WriteString("The key of an array's table is `organization_id`, `_parent_id`, within another array `_parent_position`, and `_position`; ")
	b.WriteString("all but the last column refer to the key of its parent. [The same as DBML](erd.dbml) has every column.\n")
	for i := range services {
		service := &services[i]
		if len(service.Resources) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n\n```mermaid\nerDiagram\n", service.Name)
		for j := range service.Resources {
			drawResource(&b, service, &service.Resources[j])
		}
		b.WriteString("```\n")
	}
	return b.String()
}

func drawResource(b *strings.Builder, s *schema.Service, r *schema.Resource) {
	tables := ddl.Tables(s, r)
	for _, t := range tables {
		if t.Parent != nil {
			continue // its key is that of every array's table
		}
		fmt.Fprintf(b, "    %s {\n", entity(s, t.Schema, t.Name))
		for _, c := range t.Columns {
			if c.Name != ddl.OrganizationID && slices.Contains(t.Key, c.Name) {
				fmt.Fprintf(b, "        %s %s PK\n", c.Type, c.Name)
			}
		}
		b.WriteString("    }\n")
	}
	for _, t := range tables {
		switch {
		case t.Parent != nil:
			fmt.Fprintf(b, "    %s ||--o{ %s : has\n", entity(s, t.Schema, t.Parent.Table), entity(s, t.Schema, t.Name))
		case t.Name != r.Name:
			fmt.Fprintf(b, "    %s ||..o{ %s : held\n", entity(s, t.Schema, r.Name), entity(s, t.Schema, t.Name))
		}
	}
}

// entity returns the name of a table within the diagram of its service.
func entity(s *schema.Service, in, name string) string {
	if in == s.Name {
		return name
	}
	return `"` + in + "." + name + `"`
}

// DBML writes all tables of all services with all columns and sentences in the database markup
// language, for tools that draw or browse it.
func DBML(services []schema.Service) string {
	var b, references strings.Builder
	b.WriteString("// Written by sluice-dev erd from the declarations; do not edit.\n\n")
	b.WriteString("Project sluice {\n  database_type: 'PostgreSQL'\n}\n")
	for service, resource := range schema.Each(services) {
		for _, t := range ddl.Tables(service, resource) {
			writeMarkup(&b, t)
			if t.Parent != nil {
				fmt.Fprintf(&references, "\nRef: %s.%s > %s.%s.%s [delete: cascade]\n", t.Full(), ddl.List(t.Parent.Columns...),
					ddl.Quote(t.Schema), ddl.Quote(t.Parent.Table), ddl.List(t.Parent.Targets...))
			}
		}
	}
	return b.String() + references.String()
}

func writeMarkup(b *strings.Builder, t ddl.Table) {
	fmt.Fprintf(b, "\nTable %s {\n", t.Full())
	for _, c := range t.Columns {
		settings := make([]string, 0, 3)
		if c.Required {
			settings = append(settings, "not null")
		}
		if c.Default != "" {
			settings = append(settings, "default: "+c.Default)
		}
		settings = append(settings, "note: "+markup(c.Comment))
		fmt.Fprintf(b, "  %s %s [%s]\n", ddl.Quote(c.Name), markupType(c.Type), strings.Join(settings, ", "))
	}
	fmt.Fprintf(b, "\n  indexes {\n    %s [pk]\n", ddl.List(t.Key...))
	if t.Index != nil {
		fmt.Fprintf(b, "    %s [name: %s]\n", ddl.List(ddl.OrganizationID, t.Index.Newest), markup(t.Index.Name))
	}
	fmt.Fprintf(b, "  }\n\n  Note: %s\n}\n", markup(t.Comment))
}

// markupType returns a type without spaces: the language knows types of one word.
func markupType(kind string) string {
	if kind == ddl.Timestamp {
		return "timestamptz"
	}
	return kind
}

func markup(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'"
}
