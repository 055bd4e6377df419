package cli

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"sluice/cmd/sluice/cli/view"
	"sluice/cmd/sluice/console"
	"sluice/pipeline"
	"sluice/pipeline/outside"
	"sluice/pipeline/warehouse/lineage"
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

// recordOfWhom leads to the pages of each organization's record: identifiers are not unique among
// them.
func (p *pages) recordOfWhom(name, id string) (console.Page, error) {
	keys := p.organizationOptions()[1:]
	return console.Page{
		Title: name + " " + id, Mood: console.Warn, Document: keys,
		Sentence: "There are several organizations, and each may have a record of this identifier. Choose one.",
		Parts: []console.Part{console.List("The record of which organization", "", headOfOrganization, keys, func(key *string) view.Row {
			return view.Row{console.To(*key, addressOfRecord(*key, name, id))}
		})},
	}, nil
}

// neverSeen says that a record is not known. What a person typed may be its number.
func (p *pages) neverSeen(ctx context.Context, r *console.Request, shown *explainView, stream pipeline.Stream) (console.Page, error) {
	name := shown.Service + "." + shown.Resource
	unknown := fmt.Errorf("%s %s %w: %s", name, outside.Visible(shown.Record), console.ErrNotFound, strings.Join(shown.Conclusions, " "))
	if r.Value("id") != "" {
		return console.Page{}, unknown
	}
	found, err := lineage.New(p.app.DB.Pool()).Numbered(ctx, stream, shown.Record)
	if err != nil {
		return console.Page{}, err
	}
	if len(found) == 0 {
		return console.Page{}, unknown
	}
	return console.Page{
		Title: name + " " + shown.Record, Document: found, Sentence: view.Plural(len(found), "record") + " with this number.",
		Parts: []console.Part{console.List("Records with this number", "", "Record  Column", found, func(one *lineage.Numbered) view.Row {
			return view.Row{console.To(one.Record, addressOfRecord(shown.Organization, name, one.Record)), console.Code(one.Column)}
		})},
	}, nil
}

// valueChange is a value that differs between two versions; nil where a version does not have it.
type valueChange struct {
	path          string
	before, after jsontext.Value
}

// changesOf are the values that differ between two records, in the order of the later one, those
// that it lacks last. Of a record that is no JSON, what can be read is compared.
func changesOf(before, after []byte) []valueChange {
	old, _ := layOut(before, "", true)
	fresh, _ := layOut(after, "", true)
	was, is := make(map[string]jsontext.Value), make(map[string]jsontext.Value)
	for _, l := range old.leaves {
		was[l.path] = l.value
	}
	for _, l := range fresh.leaves {
		is[l.path] = l.value
	}
	var found []valueChange
	for _, l := range slices.Concat(fresh.leaves, old.leaves) {
		if !bytes.Equal(was[l.path], is[l.path]) {
			found = append(found, valueChange{l.path, was[l.path], is[l.path]})
		}
		delete(was, l.path) // it is told once
		delete(is, l.path)
	}
	return found
}
