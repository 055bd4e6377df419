// Package openapi describes the simulated API as an OpenAPI 3.1 document, made from the table of
// endpoints: every row with its parameters, body, answers, scope, and its undocumented parts.
//
// It answers no call and reads no record. A strict server asks it for the parameters of a row.
// Start reading with Describe, then Query.
package openapi

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sluice/sandbox/endpoints"
	"sluice/sandbox/services"
)

// version is that of the format (spec.openapis.org/oas/v3.1.1).
const version = "3.1.1"

// Document is a description of an API, with the part of the format that is used here.
type Document struct {
	OpenAPI    string          `json:"openapi"`
	Info       Info            `json:"info"`
	Servers    []Place         `json:"servers"`
	Tags       []Tag           `json:"tags"`
	Paths      map[string]Path `json:"paths"`
	Components Components      `json:"components"`
}

// Info describes the API as a whole.
type Info struct {
	Title       string `json:"title"`
	Version     string `json:"version"`
	Description string `json:"description"`
}

// Place is a base address of the paths.
type Place struct {
	URL         string `json:"url"`
	Description string `json:"description,omitempty"`
}

// Tag is a service.
type Tag struct {
	Name string `json:"name"`
}

// Path holds the operations of a path by their method in lower case.
type Path map[string]*Operation

// Operation is one row.
type Operation struct {
	ID          string                `json:"operationId"`
	Summary     string                `json:"summary"`
	Description string                `json:"description,omitempty"`
	Tags        []string              `json:"tags"`
	Parameters  []Parameter           `json:"parameters,omitempty"`
	Body        *Body                 `json:"requestBody,omitempty"`
	Responses   map[string]Response   `json:"responses"`
	Security    []map[string][]string `json:"security"` // scopes by scheme; empty: no authorization
	// Assumed names the undocumented part of the row.
	Assumed string `json:"x-sandbox-assumed,omitempty"`
}

// Parameter is a value in the path, the query or a header.
type Parameter struct {
	Name     string `json:"name"`
	In       string `json:"in"`
	Required bool   `json:"required,omitempty"`
	Schema   Schema `json:"schema"`
}

// Body is the body of a call.
type Body struct {
	Required bool             `json:"required,omitempty"`
	Content  map[string]Media `json:"content"`
}

// Media is one form of a body.
type Media struct {
	Schema Schema `json:"schema"`
}

// Response is one answer, or a reference to a shared one.
type Response struct {
	Ref         string            `json:"$ref,omitempty"`
	Description string            `json:"description,omitempty"`
	Headers     map[string]Header `json:"headers,omitempty"`
	Content     map[string]Media  `json:"content,omitempty"`
}

// Header is a header of an answer.
type Header struct {
	Description string `json:"description,omitempty"`
	Schema      Schema `json:"schema"`
}

// Schema is a type, in the words of JSON Schema.
type Schema struct {
	Type        string            `json:"type,omitempty"`
	Description string            `json:"description,omitempty"`
	Enum        []string          `json:"enum,omitempty"`
	Minimum     int               `json:"minimum,omitempty"`
	Maximum     int               `json:"maximum,omitempty"`
	MaxLength   int               `json:"maxLength,omitempty"`
	Format      string            `json:"format,omitempty"`
	Media       string            `json:"contentMediaType,omitempty"`
	Properties  map[string]Schema `json:"properties,omitempty"`
	Required    []string          `json:"required,omitempty"`
	Items       *Schema           `json:"items,omitempty"`
	// Patterns are the properties whose names fit a pattern.
	Patterns map[string]Schema `json:"patternProperties,omitempty"`
}

// Components are the parts that rows refer to.
type Components struct {
	Responses       map[string]Response `json:"responses"`
	SecuritySchemes map[string]Security `json:"securitySchemes"`
}

// Security is a form of authorization.
type Security struct {
	Type        string `json:"type"`
	In          string `json:"in"`
	Name        string `json:"name"`
	Description string `json:"description"`
}

// Options say what the description covers.
type Options struct {
	Vendor string
	// Base is the address before the paths; DataCenters names the data centers besides the one
	// without a prefix.
	Base        string
	DataCenters []string
}

// Describe describes rows. Two rows of the same method and path are an error.
func Describe(rows []endpoints.Endpoint, options Options) ([]byte, error) {
	d := Document{
		OpenAPI: version,
		Info: Info{
			Title: "Simulated upstream", Version: "1",
			Description: "A simulation of accounting, invoicing, subscription-billing, inventory and chat services and of change notifications. " +
				"It is not the real service. What no document shows is marked in the answer's header " + endpoints.AssumedHeader + ".",
		},
		Servers:    []Place{{URL: options.Base}},
		Paths:      map[string]Path{},
		Components: components(options.Vendor),
	}
	for _, name := range options.DataCenters {
		d.Servers = append(d.Servers, Place{URL: options.Base + services.Prefix(name), Description: "Data center " + name})
	}
	for _, e := range rows {
		if err := d.add(e, options.Vendor); err != nil {
			return nil, err
		}
	}
	text, err := json.MarshalIndent(d, "", " ")
	if err != nil {
		return nil, fmt.Errorf("sandbox: write the description of the API: %w", err)
	}
	return append(text, '\n'), nil
}

func (d *Document) add(e endpoints.Endpoint, vendor string) error {
	method := strings.ToLower(e.Method)
	if d.Paths[e.Path] == nil {
		d.Paths[e.Path] = Path{}
	}
	if d.Paths[e.Path][method] != nil {
		return fmt.Errorf("sandbox: describe the API: %s %s is there twice", e.Method, e.Path)
	}
	d.Paths[e.Path][method] = operation(e, vendor)
	if tag := (Tag{tagOf(e)}); !slices.Contains(d.Tags, tag) {
		d.Tags = append(d.Tags, tag)
	}
	return nil
}
