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
	for i := range services {
		service := &services[i]
		for j := range service.Resources {
			resource := &service.Resources[j]
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
	}
	return all
}

// dictionary lists the services, or the tables and columns that match what is searched for.
func (p *pages) dictionary(_ context.Context, r *console.Request) (console.Page, error) {
	all := describedTables(p.app.Catalogue)
	searched := strings.ToLower(strings.TrimSpace(r.Query.Get("q")))
	page := console.Page{Title: "Dictionary", Document: all}
	page.Parts = append(page.Parts, console.Filters{{Name: "q", Label: "Search tables, columns and their meaning", Value: r.Query.Get("q")}})
	if searched == "" {
		var columns int
		for i := range all {
			columns += len(all[i].Columns)
		}
		page.Sentence = view.Plural(len(all), "table") + " with " + view.Plural(columns, "column") + ". Their comments stand in the database, too."
		page.Parts = append(page.Parts, p.services(all))
		return page, nil
	}
	found, matched := console.Table{
		Caption: "What matches", None: "Nothing matches. Fewer letters find more.", Head: []string{"Table", "Column", "Type", "Personal", "Meaning"},
	}, []tableEntry{}
	for i := range all {
		t := all[i]
		of := console.To(t.Schema+"."+t.Table, addressOfTable(t.Service, t.Table))
		itself := strings.Contains(strings.ToLower(t.Schema+"."+t.Table+" "+t.Doc), searched)
		if itself {
			found.Rows = append(found.Rows, []console.Cell{of, {}, {}, {}, console.Text(t.Doc)})
		}
		t.Columns = slices.DeleteFunc(slices.Clone(t.Columns), func(c columnEntry) bool {
			return !strings.Contains(strings.ToLower(c.Name+" "+c.Doc), searched)
		})
		for j := range t.Columns {
			found.Rows = append(found.Rows, append([]console.Cell{of}, columnCells(&t.Columns[j])...))
		}
		if itself || len(t.Columns) > 0 {
			matched = append(matched, t)
		}
	}
	page.Document, page.Sentence = matched, view.Plural(len(found.Rows), "line")+" of "+view.Plural(len(matched), "table")+" with these letters."
	page.Parts = append(page.Parts, some(r, "matches", found))
	return page, nil
}

func columnCells(c *columnEntry) []console.Cell {
	personal := console.Cell{}
	if c.Personal {
		personal = console.Word(c.Class, console.Warn)
	}
	return []console.Cell{console.Code(c.Name), console.Code(c.Type), personal, console.Text(c.Doc)}
}

// services lead to the lists of their tables.
func (p *pages) services(all []tableEntry) console.Table {
	table := console.Table{Caption: "Services", Head: []string{"Service", "Tables", "What it is"}}
	for i := range p.app.Catalogue {
		service := &p.app.Catalogue[i]
		var tables int
		for j := range all {
			if all[j].Service == service.Name {
				tables++
			}
		}
		table.Rows = append(table.Rows, []console.Cell{
			console.To(service.Name, "/dictionary/"+url.PathEscape(service.Name)), console.Number(tables), console.Text(service.Doc),
		})
	}
	return table
}

// tables lists the tables of a service, each with the one that it belongs to.
func (p *pages) tables(_ context.Context, r *console.Request) (console.Page, error) {
	name := r.Value("service")
	tables := slices.DeleteFunc(describedTables(p.app.Catalogue), func(t tableEntry) bool { return t.Service != name })
	if !slices.ContainsFunc(p.app.Catalogue, func(s schema.Service) bool { return s.Name == name }) {
		return console.Page{}, fmt.Errorf("%w: there is no service %q", console.ErrNotFound, name)
	}
	page := console.Page{Title: "Tables of " + name, Document: tables}
	page.Sentence = view.Plural(len(tables), "table") + ". Each row of an array's table belongs to a row of the table that is named beside it."
	list := console.Table{
		Caption: "Tables", None: "The service has no table: no resource of it is declared.", Head: []string{"Table", "Belongs to", "Columns", "One row"},
	}
	for i := range tables {
		t := &tables[i]
		parent := console.Cell{}
		if t.Parent != "" {
			parent = console.To(t.Parent, addressOfTable(name, t.Parent))
		}
		list.Rows = append(list.Rows, []console.Cell{
			console.To(t.Schema+"."+t.Table, addressOfTable(name, t.Table)), parent, console.Number(len(t.Columns)), console.Text(t.Doc),
		})
	}
	page.Parts = append(page.Parts, list)
	return page, nil
}

// table shows the columns of a table.
func (p *pages) table(_ context.Context, r *console.Request) (console.Page, error) {
	service, name := r.Value("service"), r.Value("table")
	all := describedTables(p.app.Catalogue)
	at := slices.IndexFunc(all, func(t tableEntry) bool { return t.Service == service && t.Table == name })
	if at < 0 {
		return console.Page{}, fmt.Errorf("%w: service %q has no table %q", console.ErrNotFound, service, name)
	}
	t := &all[at]
	var personal int
	columns := console.Table{Caption: "Columns", Head: []string{"Column", "Type", "Personal", "Meaning"}}
	for i := range t.Columns {
		columns.Rows = append(columns.Rows, columnCells(&t.Columns[i]))
		if t.Columns[i].Personal {
			personal++
		}
	}
	page := console.Page{Title: t.Schema + "." + t.Table, Document: t, Sentence: t.Doc}
	fields := console.Fields{
		{Label: "Service", Value: console.To(service, "/dictionary/"+url.PathEscape(service))},
		{Label: "Resource", Value: console.Text(service + "." + t.Resource)},
		{Label: "Key", Value: console.Code(strings.Join(t.Key, ", "))},
		{Label: "Personal columns", Value: console.Number(personal)},
	}
	if t.Parent != "" {
		fields = append(fields, console.Field{Label: "Belongs to", Value: console.To(t.Schema+"."+t.Parent, addressOfTable(service, t.Parent))})
	}
	var arrays console.Links
	for i := range all {
		if all[i].Service == service && all[i].Parent == name {
			arrays = append(arrays, console.Link{Text: all[i].Table, Href: addressOfTable(service, all[i].Table)})
		}
	}
	page.Parts = append(page.Parts, fields, columns)
	if len(arrays) > 0 {
		page.Parts = append(page.Parts, console.Heading{ID: "arrays", Text: "Tables of its arrays"}, arrays)
	}
	return page, nil
}
