package render

import (
	"fmt"
	"slices"
	"strings"

	"sluice/schema"
)

// Mermaid draws the tables of each service in one diagram of its own, as Markdown:
// keys and relations only, so that it can be read.
func Mermaid(services []schema.Service) string {
	var b strings.Builder
	b.WriteString("# Tables and keys\n\n")
	b.WriteString("Written by `sluice erd` from the declarations; do not edit. ")
	b.WriteString("A full line is a foreign key, a dotted one leads to what a record once held.\n")
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
	tables := build(s, r)
	for _, t := range tables {
		fmt.Fprintf(b, "    %s {\n", entity(s, t.schema, t.name))
		for _, c := range t.columns {
			if !slices.Contains(t.key, c.name) {
				continue
			}
			keys := "PK"
			if t.parent != nil && slices.Contains(t.parent.columns, c.name) {
				keys += ", FK"
			}
			fmt.Fprintf(b, "        %s %s %s\n", c.kind, c.name, keys)
		}
		b.WriteString("    }\n")
	}
	for _, t := range tables {
		switch {
		case t.parent != nil:
			fmt.Fprintf(b, "    %s ||--o{ %s : has\n", entity(s, t.schema, t.parent.table), entity(s, t.schema, t.name))
		case t.name != r.Name:
			fmt.Fprintf(b, "    %s ||..o{ %s : held\n", entity(s, t.schema, r.Name), entity(s, t.schema, t.name))
		}
	}
}

// entity names a table within the diagram of its service.
func entity(s *schema.Service, in, name string) string {
	if in == s.Name {
		return name
	}
	return `"` + in + "." + name + `"`
}

// DBML writes all tables of all services with all columns and sentences in the
// database markup language, for tools that draw or browse it.
func DBML(services []schema.Service) string {
	var b, references strings.Builder
	b.WriteString("// Written by sluice erd from the declarations; do not edit.\n\n")
	b.WriteString("Project sluice {\n  database_type: 'PostgreSQL'\n}\n")
	for i := range services {
		service := &services[i]
		for j := range service.Resources {
			for _, t := range build(service, &service.Resources[j]) {
				writeMarkup(&b, t)
				if t.parent != nil {
					fmt.Fprintf(&references, "\nRef: %s.%s > %s.%s.%s [delete: cascade]\n", t.full(), list(t.parent.columns...),
						quote(t.schema), quote(t.parent.table), list(t.parent.targets...))
				}
			}
		}
	}
	return b.String() + references.String()
}

func writeMarkup(b *strings.Builder, t table) {
	fmt.Fprintf(b, "\nTable %s {\n", t.full())
	for _, c := range t.columns {
		settings := make([]string, 0, 3)
		if c.required {
			settings = append(settings, "not null")
		}
		if c.initial != "" {
			settings = append(settings, "default: "+c.initial)
		}
		settings = append(settings, "note: "+markup(c.comment))
		fmt.Fprintf(b, "  %s %s [%s]\n", quote(c.name), markupType(c.kind), strings.Join(settings, ", "))
	}
	fmt.Fprintf(b, "\n  indexes {\n    %s [pk]\n", list(t.key...))
	if t.index != nil {
		fmt.Fprintf(b, "    %s [name: %s]\n", list(organizationID, t.index.newest), markup(t.index.name))
	}
	fmt.Fprintf(b, "  }\n\n  Note: %s\n}\n", markup(t.comment))
}

// markupType spells a type without spaces: the language knows types of one word.
func markupType(kind string) string {
	if kind == stamp {
		return "timestamptz"
	}
	return kind
}

func markup(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'"
}
