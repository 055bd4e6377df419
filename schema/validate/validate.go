// Package validate checks declarations by the rules of the repository.
//
// It is pure and knows rules only: package schema has the language, the connectors have the
// built-in declarations.
//
// Start reading at Services.
package validate

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"sluice/schema"
)

// DeclarationError is one fault of a declaration.
type DeclarationError struct {
	// Where names the place as service.resource.column.
	Where string
	// Problem says what is wrong and how to correct it.
	Problem string
}

// Error implements error.
func (e *DeclarationError) Error() string { return e.Where + ": " + e.Problem }

// Services checks declarations by the rules of the repository and reports every fault at once: the
// result joins one *DeclarationError for each fault, and is nil if there are none.
func Services(services []schema.Service) error {
	found := faults{owners: map[string]string{}, services: map[string]bool{}}
	for i := range services {
		if found.services[services[i].Name] {
			found.addf(services[i].Name, "the service is declared twice; keep one")
		}
		found.services[services[i].Name] = true
	}
	for i := range services {
		found.service(&services[i])
	}
	return errors.Join(found.list...)
}

// faults collects all faults, so that one correction can mend them together.
type faults struct {
	list []error
	// services are the names of all services.
	services map[string]bool
	// owners holds the owner of each table by full name; indexes are among them, since Postgres
	// keeps both in one name space.
	owners map[string]string
}

func (f *faults) addf(where, format string, args ...any) {
	f.list = append(f.list, &DeclarationError{Where: where, Problem: fmt.Sprintf(format, args...)})
}

func (f *faults) service(s *schema.Service) {
	where := s.Name
	f.name(where, "service", s.Name)
	if reservedSchema(s.Name) {
		f.addf(where, "the Postgres schema %q has another owner; choose another service name", s.Name)
	}
	f.sentence(where, s.Doc)
	if s.Host != schema.HostAPI && s.Host != schema.HostChat {
		f.addf(where, "host is not one of the closed set; use HostAPI or HostChat")
	}
	if s.Root != "" && (!strings.HasPrefix(s.Root, "/") || strings.HasSuffix(s.Root, "/")) {
		f.addf(where, "root %q must start with a slash and not end with one", s.Root)
	}
	if s.Scope == "" {
		f.addf(where, "scope is empty; give the product part of the scope, such as Books")
	}
	if s.Envelope < schema.EnvelopeCoded || s.Envelope > schema.EnvelopeInfo {
		f.addf(where, "envelope %d is not one of the closed set; use EnvelopeCoded, EnvelopePlain or EnvelopeInfo", s.Envelope)
	}
	f.probe(where+".probe", s)
	f.limits(where+".limits", &s.Limits)

	names := map[string]bool{}
	for i := range s.Resources {
		r := &s.Resources[i]
		if names[r.Name] {
			f.addf(s.Name+"."+r.Name, "the resource is declared twice; rename one")
		}
		names[r.Name] = true
		f.resource(s, r)
	}
	for i := range s.Further {
		r := &s.Further[i]
		if names[r.Name] {
			f.addf(s.Name+"."+r.Name, "a list of the service has the name of this further list; rename one")
		}
		names[r.Name] = true
		f.resource(s, r)
	}
	f.reads(s)
}

// probe checks the probe, which only a service without lists of its own can leave out.
func (f *faults) probe(where string, s *schema.Service) {
	own := slices.ContainsFunc(s.Resources, func(r schema.Resource) bool { return r.Schema == "" })
	if s.Probe.Path == "" && s.Probe.Key == "" && !own {
		return
	}
	f.path(where, s.Probe.Path)
	f.key(where, s.Probe.Format, s.Probe.Key)
}

// reservedSchema reports whether a schema belongs to the program, the queue, the analysts or
// Postgres itself.
func reservedSchema(name string) bool {
	switch name {
	case "sluice", "river", "analytics", "notifications", "public", "information_schema":
		return true
	default:
		return strings.HasPrefix(name, "pg_")
	}
}

func (f *faults) limits(where string, l *schema.Limits) {
	if l.PerMinute < 0 {
		f.addf(where, "per minute is %d; use zero for not limited", l.PerMinute)
	}
	if len(l.Plans) == 0 {
		f.addf(where, "no plan is declared; name at least one with its figures")
	}
	shared := l.PerMinute > 0
	for name, plan := range l.Plans {
		f.name(where+"."+name, "plan", name)
		if plan.Daily < 0 || plan.Concurrent < 0 {
			f.addf(where+"."+name, "daily %d, concurrent %d; use zero for not limited", plan.Daily, plan.Concurrent)
		}
		shared = shared || plan.Concurrent > 0
	}
	if shared && l.Shared == "" {
		f.addf(where, "shared is empty; name the allowance that calls are counted against")
	}
}

func (f *faults) resource(s *schema.Service, r *schema.Resource) {
	where := s.Name + "." + r.Name
	f.name(where, "resource", r.Name)
	f.schema(where, s, r)
	f.path(where, r.Path)
	format := schema.FormatJSON
	if r.Exported() { // only exports are CSV
		format = schema.FormatCSV
	}
	f.key(where, format, r.Key)
	f.scope(where, r.Scope)
	if every, err := time.ParseDuration(r.Every); err != nil || every < time.Minute {
		f.addf(where, "every %q is not a duration of at least a minute; write one such as 15m", r.Every)
	}
	for _, note := range r.Assumed {
		f.sentence(where+".assumed", note)
	}
	f.reading(where, r)
	f.tables(where, r.SchemaName(s), r)
	f.object(where, object{r.Columns, r.Children, r.Ignored})
	f.prefixes(where, r)
	f.id(where, r)
	f.given(where, r)
	f.twoKeys(where, r)
	f.cursor(where, r)
	if _, since := r.ListCursor().(schema.Since); since && s.Envelope == schema.EnvelopeInfo {
		f.addf(where+".cursor", "no parameter filters the lists of %s by time; use NewestFirst", s.Name) // docs/upstream.md U354
	}
	f.params(where, s, r)
}

func (f *faults) scope(where, scope string) {
	if scope == "" {
		f.addf(where, "scope is empty; give the area of the scope, such as bills")
	}
}

// schema checks a Postgres schema other than the service's own: no other service may have tables in
// it.
func (f *faults) schema(where string, s *schema.Service, r *schema.Resource) {
	if r.Schema == "" {
		return
	}
	f.name(where, "schema", r.Schema)
	if reservedSchema(r.Schema) || f.services[r.Schema] && r.Schema != s.Name {
		f.addf(where, "the Postgres schema %q has another owner; choose another", r.Schema)
	}
}

func (f *faults) params(where string, s *schema.Service, r *schema.Resource) {
	taken := map[string]bool{
		"page": true, "per_page": true, "sort_column": true, "sort_order": true, "limit": true, "next_token": true,
	}
	if s.Envelope == schema.EnvelopeInfo {
		taken["page_token"], taken["sort_by"] = true, true
	}
	if s.Organization.Query != "" {
		taken[s.Organization.Query] = true
	}
	switch c := r.ListCursor().(type) {
	case schema.Since:
		taken[c.Param] = true
	case schema.Export:
		taken[c.FieldsParam] = true
	default:
	}
	for name, value := range r.Params {
		if name == "" || value == "" {
			f.addf(where+".params", "a parameter without name or value; give both or drop it")
		}
		if taken[name] {
			f.addf(where+".params", "%q is set by the engine; drop it", name)
		}
	}
}
