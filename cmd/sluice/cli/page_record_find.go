package cli

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"sluice/cmd/sluice/cli/view"
	"sluice/cmd/sluice/console"
	"sluice/pipeline"
	"sluice/pipeline/outside"
)

// addressOfRecord is the address of the page about a record. It stays: other programs lead to it.
// Browsers take the identifiers . and .. for steps of a path, so these stand in the query.
func addressOfRecord(organization, resource, id string) string {
	at := "/r/" + url.PathEscape(resource) + "/"
	if id == "." || id == ".." {
		return at + "?id=" + id + "&org=" + url.QueryEscape(organization)
	}
	return at + url.PathEscape(id) + "?org=" + url.QueryEscape(organization)
}

// findRecord leads to the page of a record of a list.
func findRecord(organization, name string) console.Search {
	return console.Search{
		Path: "/r/" + url.PathEscape(name) + "/", Name: "id", Label: "Identifier or number", Button: "Explain this record",
		Hidden: []console.Hidden{{Name: "org", Value: organization}},
	}
}

// recordOfWhom leads to the pages of each organization's record: identifiers are not unique among
// them.
func (p *pages) recordOfWhom(name, id string) (console.Page, error) {
	page := console.Page{
		Title: outside.Visible(name + " " + id), Mood: console.Warn,
		Sentence: "There are several organizations, and each may have a record of this identifier. Choose one.",
	}
	organizations := []string{}
	var rows [][]console.Cell
	for i := range p.app.Config.Organizations {
		o := &p.app.Config.Organizations[i]
		organizations = append(organizations, o.Key)
		rows = append(rows, []console.Cell{console.To(o.Name, addressOfRecord(o.Key, name, id)), console.Text(o.Key)})
	}
	page.Document = organizations
	page.Parts = append(page.Parts, console.Table{Caption: "The record of which organization", Head: []string{"Organization", "Key"}, Rows: rows})
	return page, nil
}

// neverSeen says that a record is not known. What a person typed may be its number.
func (p *pages) neverSeen(ctx context.Context, r *console.Request, shown *explainView, stream pipeline.Stream) (console.Page, error) {
	name := shown.Service + "." + shown.Resource
	unknown := fmt.Errorf("%s %s %w: %s", name, outside.Visible(shown.Record), console.ErrNotFound, strings.Join(shown.Conclusions, " "))
	if r.Value("id") != "" {
		return console.Page{}, unknown
	}
	found, err := p.app.Numbered(ctx, stream, shown.Record)
	if err != nil {
		return console.Page{}, err
	}
	if len(found) == 0 {
		return console.Page{}, unknown
	}
	page := console.Page{
		Title: outside.Visible(name + " " + shown.Record), Document: found, Sentence: view.Plural(len(found), "record") + " with this number.",
	}
	var rows [][]console.Cell
	for _, one := range found {
		rows = append(rows, []console.Cell{
			console.To(outside.Visible(one.Record), addressOfRecord(shown.Organization, name, one.Record)), console.Code(one.Column),
		})
	}
	page.Parts = []console.Part{console.Table{Caption: "Records with this number", Head: []string{"Record", "Column"}, Rows: rows}}
	return page, nil
}
