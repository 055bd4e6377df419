package cli

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"strconv"
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
	found, err := lineage.New(p.app.DB.Pool()).Numbered(ctx, stream, shown.Record)
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

// valueChange is a value that differs between two versions; nil where a version does not have it.
type valueChange struct {
	path          string
	before, after jsontext.Value
}

// changesOf are the values that differ between two records, in the order of the later one, those
// that it lacks last.
func changesOf(before, after []byte) []valueChange {
	old, fresh := leavesOf(before), leavesOf(after)
	var found []valueChange
	for _, path := range fresh.order {
		if was, ok := old.values[path]; !ok || !bytes.Equal(was, fresh.values[path]) {
			found = append(found, valueChange{path, was, fresh.values[path]})
		}
	}
	for _, path := range old.order {
		if _, ok := fresh.values[path]; !ok {
			found = append(found, valueChange{path, old.values[path], nil})
		}
	}
	return found
}

// leaves are the values of a record by their paths, and the paths in order. Empty objects and
// arrays are values, too.
type leaves struct {
	values map[string]jsontext.Value
	order  []string
	dec    *jsontext.Decoder
}

// leavesOf are the values of a record, as far as it is JSON.
func leavesOf(record []byte) leaves {
	l := leaves{
		values: map[string]jsontext.Value{},
		dec:    jsontext.NewDecoder(bytes.NewReader(record), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)),
	}
	_ = l.read("") // what was read up to an error is compared
	return l
}

func (l *leaves) add(path string, value jsontext.Value) {
	if _, again := l.values[path]; !again {
		l.order = append(l.order, path)
	}
	l.values[path] = value
}

// read reads the next value.
func (l *leaves) read(path string) error {
	kind := l.dec.PeekKind()
	if kind != '{' && kind != '[' {
		value, err := l.dec.ReadValue()
		if err != nil {
			return fmt.Errorf("read a record: %w", err)
		}
		l.add(path, value.Clone())
		return nil
	}
	_, err := l.dec.ReadToken()
	end, n := kind+2, 0 // } and ] stand two behind { and [
	for ; err == nil && l.dec.PeekKind() != end; n++ {
		of := path + "[" + strconv.Itoa(n) + "]"
		if kind == '{' {
			key, err := l.dec.ReadToken()
			if err != nil {
				return fmt.Errorf("read a record: %w", err)
			}
			of = under(path, key.String())
		}
		err = l.read(of)
	}
	if err == nil {
		_, err = l.dec.ReadToken()
	}
	if err != nil {
		return fmt.Errorf("read a record: %w", err)
	}
	if n == 0 {
		l.add(path, jsontext.Value{byte(kind), byte(end)})
	}
	return nil
}
