// Package endpoints are the endpoints that the three API documents show, and the OAuth scopes that
// reading them needs.
//
// Start reading at Row.
package endpoints

import (
	_ "embed" // for the endpoints
	"fmt"
	"net/http"
	"strings"
)

// table has the documents' endpoint tables, transcribed by hand, in the documents' order. What
// their prose names (the organizations, the networks) stands there, too, with its section.
//
//go:embed endpoints.tsv
var table string

// Row is one endpoint as a document names it.
type Row struct {
	// Document is the number of the document, Section the section with the endpoint.
	Document string `json:"document"`
	Section  string `json:"section"`
	// Service is sluice's name of the service: accounting. The authorization server and the
	// notifications have names of their own.
	Service string `json:"service"`
	Method  string `json:"method"`
	// Path is relative to the service's root, with <placeholders>.
	Path string `json:"path"`
	// Variant distinguishes rows of the same method and path; "" if there is only one.
	Variant string `json:"variant,omitempty"`
	// Key is the response key of the records, Scope the OAuth scope; "" where the document shows
	// none.
	Key   string `json:"key,omitempty"`
	Scope string `json:"scope,omitempty"`
}

// String names the row in messages: GET inventory /bills.
func (r *Row) String() string {
	text := r.Method + " " + r.Service + " " + r.Path
	if r.Variant != "" {
		text += " (" + r.Variant + ")"
	}
	return text
}

// rowFields is the number of columns of a line.
const rowFields = 8

// Rows returns the endpoints of the documents.
func Rows() ([]Row, error) { return parse(table) }

// parse reads lines of tab-separated fields under a header; "-" is an empty field.
func parse(text string) ([]Row, error) {
	var rows []Row
	number := 0
	for line := range strings.Lines(text) {
		number++
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(fields) != rowFields {
			return nil, fmt.Errorf("endpoints.tsv:%d: %d fields, want %d", number, len(fields), rowFields)
		}
		for i, field := range fields {
			if field == "" {
				return nil, fmt.Errorf("endpoints.tsv:%d: field %d is empty: write - for what a document does not show", number, i+1)
			}
			if field == "-" {
				fields[i] = ""
			}
		}
		if number == 1 {
			continue
		}
		rows = append(rows, Row{
			Document: fields[0], Section: fields[1], Service: fields[2], Method: fields[3],
			Path: fields[4], Variant: fields[5], Key: fields[6], Scope: fields[7],
		})
	}
	return rows, nil
}

// Scopes returns the scope that reading needs, by product and area ("Books.bills"), as far as the
// documents show it, without the vendor's name. Most are READ; where a document demands more, that
// counts.
func Scopes(rows []Row) map[string]string {
	scopes := make(map[string]string)
	for i := range rows {
		scope, vendor := strings.CutPrefix(rows[i].Scope, vendorName)
		at := strings.LastIndex(scope, ".")
		if rows[i].Method != http.MethodGet || !vendor || at < 0 {
			continue
		}
		scopes[scope[:at]] = scope
	}
	return scopes
}

// vendorName is the vendor's name in the documents.
const vendorName = "Svc"
