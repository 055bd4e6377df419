// Package custom turns the resources that users declare in the configuration into values of package
// schema, so that the same engine copies them.
//
// It checks them by the rules of the built-in ones (package validate) and locates each fault in the
// file. It never reads a file. Its words are a closed set, without templates and expressions.
//
// Start reading at Extend.
package custom

import (
	"cmp"
	"time"

	"sluice/schema"
)

// Schema is the Postgres schema of the tables of user-declared resources.
const Schema = "custom"

// defaultEvery is the interval of a resource that names none.
const defaultEvery = 24 * time.Hour

// Declaration is one user-declared resource, with the keys of the file.
type Declaration struct {
	// Service is one of the services of the catalogue, Name the table in schema custom.
	Service string `yaml:"service"`
	Name    string `yaml:"name"`
	// Doc describes a record in one sentence.
	Doc string `yaml:"doc"`
	// Path is the list relative to the service's root, Key carries its records, ID is the key of a
	// record's identifier.
	Path string `yaml:"path"`
	Key  string `yaml:"key"`
	ID   string `yaml:"id"`
	// Scope is the area of the OAuth scope, such as bills.
	Scope string `yaml:"scope"`
	// Paging is number, whole or token; left out it is number.
	Paging string `yaml:"paging"`
	// Params are fixed query parameters.
	Params map[string]string `yaml:"params"`
	Cursor Cursor            `yaml:"cursor"`
	Every  time.Duration     `yaml:"every"`
	Single *Single           `yaml:"single"`
	// Dated is left out for lists that belong to no period.
	Dated *schema.Dated `yaml:"dated"`
	// Columns may be omitted: _extra takes every key without a column.
	Columns  []Column `yaml:"columns"`
	Children []Child  `yaml:"children"`
}

// Cursor is the way of reading the list.
type Cursor struct {
	// Kind is since, newest_first, full_scan or snapshot; left out it is full_scan.
	Kind string `yaml:"kind"`
	// Modified and Created are the keys of the two times in a record.
	Modified string `yaml:"modified"`
	Created  string `yaml:"created"`
	// Param is the parameter of the filter (since); left out it is Modified.
	Param string `yaml:"param"`
	// Sort is the value of sort_column (newest_first, full_scan).
	Sort string `yaml:"sort"`
}

// Single is the way of reading one record.
type Single struct {
	Path string `yaml:"path"`
	Key  string `yaml:"key"`
	// Marker is the child that list records lack if their single record must be fetched; if
	// omitted, none is.
	Marker string `yaml:"marker"`
}

// Column is one typed value of a record.
type Column struct {
	Wire string `yaml:"wire"`
	// Name is the name in the table; left out it is Wire, in lower case with underscores.
	Name string `yaml:"name"`
	// Kind is id, text, bool, int, decimal, date, time or json.
	Kind string `yaml:"kind"`
	Doc  string `yaml:"doc"`
	// Class says what the values tell about people: plain, company, person, contact, address,
	// tax_number, bank or free_text. Left out it is free_text for text and json, else plain.
	Class string `yaml:"class"`
}

// Child is an array of a record that becomes a table.
type Child struct {
	Name string `yaml:"name"`
	Doc  string `yaml:"doc"`
	// Scalar marks an array of bare values, Object a key that holds one object.
	Scalar   bool     `yaml:"scalar"`
	Object   bool     `yaml:"object"`
	Columns  []Column `yaml:"columns"`
	Children []Child  `yaml:"children"`
}

// resource translates a declaration into schema. It uses the defaults for unknown words, which
// check reports.
func (d *Declaration) resource() schema.Resource {
	r := schema.Resource{
		Name: d.Name, Schema: Schema, AssumedPath: true, Path: d.Path, Key: d.Key, ID: d.ID, Scope: d.Scope,
		Doc:      cmp.Or(d.Doc, "One record of "+d.Path+", declared in the configuration."),
		Paging:   pagings()[d.Paging],
		Params:   d.Params,
		Cursor:   d.Cursor.cursor(),
		Every:    cmp.Or(d.Every, defaultEvery).String(),
		Columns:  d.columns(),
		Children: children(d.Children),
		Dated:    d.Dated,
	}
	if d.Single != nil {
		r.Single = &schema.Single{Path: d.Single.Path, Key: d.Single.Key, Assumed: true}
		if d.Single.Marker != "" {
			r.Details = &schema.Details{Marker: d.Single.Marker}
		}
	}
	return r
}

func (c Cursor) cursor() schema.Cursor {
	switch {
	case c.Kind == kindSince && c.Modified != "":
		return schema.Since{Column: c.Modified, Param: cmp.Or(c.Param, c.Modified), Created: c.Created, Assumed: true}
	case c.Kind == kindNewestFirst && c.Modified != "" && c.Sort != "":
		return schema.NewestFirst{Column: c.Modified, Sort: c.Sort, Assumed: true}
	case c.Kind == kindSnapshot:
		return schema.Snapshot{}
	case c.Kind == "", c.Kind == kindFullScan:
		return schema.FullScan{Modified: c.Modified, Created: c.Created, Sort: c.Sort}
	default: // check reports the fault
		return schema.FullScan{}
	}
}

// columns returns the columns of the declaration, the key first, and the times that the cursor
// needs, declared or not.
func (d *Declaration) columns() []schema.Column {
	key := schema.ID(d.ID, "Identifier of the record.").As(columnName(d.ID))
	var rest []schema.Column
	missing := []schema.Column{
		schema.Time(d.Cursor.Modified, "When the record last changed upstream.").As(columnName(d.Cursor.Modified)),
		schema.Time(d.Cursor.Created, "When the record was created upstream.").As(columnName(d.Cursor.Created)),
	}
	keyed := false
	for _, column := range columns(d.Columns) {
		if column.Wire == d.ID && !keyed {
			key.Name, key.Doc, keyed = column.Name, column.Doc, true
			continue
		}
		for i := range missing {
			if column.Wire == missing[i].Wire {
				column.Kind, missing[i].Wire = schema.KindTime, ""
			}
		}
		rest = append(rest, column)
	}
	for i, time := range missing {
		if time.Wire != "" && (i == 0 || time.Wire != missing[0].Wire) {
			rest = append(rest, time)
		}
	}
	return append([]schema.Column{key}, rest...)
}

func columns(declared []Column) []schema.Column {
	var built []schema.Column
	for _, c := range declared {
		if c.Wire == "" {
			continue
		}
		doc := c.Doc
		if doc == "" {
			doc = "Value of the key " + c.Wire + ", not described in the configuration."
			if c.Kind == "json" {
				doc = "Value of the key " + c.Wire + ", as JSON because the configuration does not describe its parts."
			}
		}
		column := schema.Column{
			Wire: c.Wire, Name: cmp.Or(c.Name, columnName(c.Wire)), Kind: cmp.Or(kinds()[c.Kind], schema.KindText), Doc: doc,
		}
		switch class, said := classes()[c.Class]; {
		case said:
			column.Class = class
		case column.Kind == schema.KindText || column.Kind == schema.KindJSON:
			column.Class = schema.FreeText // the configuration does not say that it is harmless
		default:
			column.Class = schema.Plain
		}
		built = append(built, column)
	}
	return built
}

func children(declared []Child) []schema.Child {
	var built []schema.Child
	for _, c := range declared {
		if c.Name == "" {
			continue
		}
		built = append(built, schema.Child{
			Name: c.Name, Doc: cmp.Or(c.Doc, "One element of the key "+c.Name+" of a record."),
			Scalar: c.Scalar, Object: c.Object, Columns: columns(c.Columns), Children: children(c.Children),
		})
	}
	return built
}
