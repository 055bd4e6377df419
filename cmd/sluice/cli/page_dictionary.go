package cli

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"sluice/cmd/sluice/cli/view"
	"sluice/cmd/sluice/console"
	"sluice/schema"
	"sluice/schema/ddl"
)

// addressOfTable is the address of the page about a table of a service.
func addressOfTable(service, table string) string {
	return "/dictionary/" + url.PathEscape(service) + "/" + url.PathEscape(table)
}

// tableEntry is a table of the dictionary.
type tableEntry struct {
	Service  string        `json:"service"`
	Schema   string        `json:"schema"`
	Table    string        `json:"table"`
	Resource string        `json:"resource"`
	Doc      string        `json:"doc"`
	Key      []string      `json:"key"`
	Parent   string        `json:"parent,omitempty"`
	Columns  []columnEntry `json:"columns"`
}

// columnEntry is a column of the dictionary.
type columnEntry struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Doc  string `json:"doc"`
	// Class says what its values may tell about people; empty for sluice's own columns but _extra.
	Class    string `json:"class,omitempty"`
	Personal bool   `json:"personal,omitempty"`
}

// describedTables are all tables of services, those of a resource beside each other.
func describedTables(services []schema.Service) []tableEntry {
	var all []tableEntry
	for service, resource := range schema.Each(services) {
		for _, t := range ddl.Tables(service, resource) {
			entry := tableEntry{Service: service.Name, Schema: t.Schema, Table: t.Name, Resource: resource.Name, Doc: t.Comment, Key: t.Key}
			if t.Parent != nil {
				entry.Parent = t.Parent.Table
			}
			for _, c := range t.Columns {
				entry.Columns = append(entry.Columns, columnEntry{
					Name: c.Name, Type: c.Type, Doc: c.Comment, Class: c.Class.String(), Personal: c.Class.Said() && c.Class.Personal(),
				})
			}
			all = append(all, entry)
		}
	}
	return all
}

// dictionary lists the services, or the tables whose names, columns or meanings are searched for.
func (p *pages) dictionary(_ context.Context, r *console.Request) (console.Page, error) {
	all := describedTables(p.app.Catalogue)
	page := console.Page{Title: "Dictionary", Sentence: view.Plural(len(all), "table") + ". Their comments stand in the database, too."}
	page.Parts = []console.Part{console.Filters{{Name: "q", Label: "Search tables, columns and their meaning", Value: r.Query.Get("q")}}}
	if searched := strings.ToLower(strings.TrimSpace(r.Query.Get("q"))); searched != "" {
		all = slices.DeleteFunc(all, func(t tableEntry) bool {
			words := []string{t.Schema + "." + t.Table, t.Doc}
			for _, c := range t.Columns {
				words = append(words, c.Name, c.Doc)
			}
			return !strings.Contains(strings.ToLower(strings.Join(words, " ")), searched)
		})
		page.Sentence = view.Plural(len(all), "table") + " with these letters."
		page.Parts = append(page.Parts, some(r, "tables", tablesOf(all, "Nothing matches. Fewer letters find more.")))
	} else {
		page.Parts = append(page.Parts, console.List("Services", "", "Service  Tables  What it is", p.app.Catalogue, func(s *schema.Service) view.Row {
			tables := slices.DeleteFunc(slices.Clone(all), func(t tableEntry) bool { return t.Service != s.Name })
			return view.Row{console.To(s.Name, "/dictionary/"+url.PathEscape(s.Name)), len(tables), s.Doc}
		}))
	}
	page.Document = all
	return page, nil
}

// tablesOf lists tables, each with the one that it belongs to.
func tablesOf(tables []tableEntry, none string) console.Table {
	return console.List("Tables", none, "Table  Belongs to  Columns  One row", tables, func(t *tableEntry) view.Row {
		parent := console.Text(t.Parent)
		if t.Parent != "" {
			parent.Href = addressOfTable(t.Service, t.Parent)
		}
		return view.Row{console.To(t.Schema+"."+t.Table, addressOfTable(t.Service, t.Table)), parent, len(t.Columns), t.Doc}
	})
}

func (p *pages) tables(_ context.Context, r *console.Request) (console.Page, error) {
	name := r.Value("service")
	if !slices.ContainsFunc(p.app.Catalogue, func(s schema.Service) bool { return s.Name == name }) {
		return console.Page{}, fmt.Errorf("%w: there is no service %q", console.ErrNotFound, name)
	}
	tables := slices.DeleteFunc(describedTables(p.app.Catalogue), func(t tableEntry) bool { return t.Service != name })
	return console.Page{
		Title: "Tables of " + name, Document: tables, Parts: []console.Part{tablesOf(tables, "The service has no table: no resource of it is declared.")},
		Sentence: view.Plural(len(tables), "table") + ". Each row of an array's table belongs to a row of the table that is named beside it.",
	}, nil
}

// table shows the columns of a table, and the tables of its arrays.
func (p *pages) table(_ context.Context, r *console.Request) (console.Page, error) {
	service, name := r.Value("service"), r.Value("table")
	all := describedTables(p.app.Catalogue)
	at := slices.IndexFunc(all, func(t tableEntry) bool { return t.Service == service && t.Table == name })
	if at < 0 {
		return console.Page{}, fmt.Errorf("%w: service %q has no table %q", console.ErrNotFound, service, name)
	}
	t := all[at]
	related := slices.DeleteFunc(all, func(other tableEntry) bool {
		return other.Service != service || other.Table != t.Parent && other.Parent != name
	})
	return console.Page{
		Title: t.Schema + "." + t.Table, Document: t, Sentence: t.Doc,
		Parts: []console.Part{
			console.Facts("Resource", service+"."+t.Resource, "Key", console.Code(strings.Join(t.Key, ", "))),
			console.List("Columns", "", "Column  Type  Personal  Meaning", t.Columns, func(c *columnEntry) view.Row {
				personal := console.Cell{}
				if c.Personal {
					personal = console.Word(c.Class, console.Warn)
				}
				return view.Row{console.Code(c.Name), console.Code(c.Type), personal, c.Doc}
			}),
			console.Heading{ID: "related", Text: "The table that it belongs to, and those of its arrays"}, tablesOf(related, "There is none."),
		},
	}, nil
}
