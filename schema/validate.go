package schema

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// DeclarationError is one fault of a declaration.
type DeclarationError struct {
	// Where names the place as service.resource.column.
	Where string
	// Problem says what is wrong and what to do about it.
	Problem string
}

// Error implements error.
func (e *DeclarationError) Error() string { return e.Where + ": " + e.Problem }

// Validate holds declarations against the rules of the house and reports every
// fault at once: the result joins one *DeclarationError a fault, and is nil if
// there are none.
func Validate(services []Service) error {
	var found faults
	names := map[string]bool{}
	for i := range services {
		service := &services[i]
		if names[service.Name] {
			found.addf(service.Name, "the service is declared twice; keep one")
		}
		names[service.Name] = true
		found.service(service)
	}
	return errors.Join(found.list...)
}

// faults collects what is wrong, so that one look at the result repairs all of it.
type faults struct{ list []error }

func (f *faults) addf(where, format string, args ...any) {
	f.list = append(f.list, &DeclarationError{Where: where, Problem: fmt.Sprintf(format, args...)})
}

func (f *faults) service(s *Service) {
	where := s.Name
	f.name(where, "service", s.Name)
	if reservedSchema(s.Name) {
		f.addf(where, "the Postgres schema %q belongs to somebody else; choose another service name", s.Name)
	}
	f.sentence(where, s.Doc)
	if s.Host != HostAPI && s.Host != HostChat {
		f.addf(where, "host is not one of the closed set; use HostAPI or HostChat")
	}
	if s.Root != "" && (!strings.HasPrefix(s.Root, "/") || strings.HasSuffix(s.Root, "/")) {
		f.addf(where, "root %q must start with a slash and not end with one", s.Root)
	}
	if s.Scope == "" {
		f.addf(where, "scope is empty; give the product part of the scope, such as Books")
	}
	f.path(where+".probe", s.Probe.Path)
	f.key(where+".probe", s.Probe.Format, s.Probe.Key)
	f.limits(where+".limits", &s.Limits)

	tables := map[string]string{}
	for i := range s.Resources {
		f.resource(s, &s.Resources[i], tables)
	}
}

// reservedSchema tells the schemas of the program, of the queue, of the analysts
// and of Postgres itself from those of services.
func reservedSchema(name string) bool {
	switch name {
	case "sluice", "river", "analytics", "public", "information_schema":
		return true
	default:
		return strings.HasPrefix(name, "pg_")
	}
}

func (f *faults) limits(where string, l *Limits) {
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

func (f *faults) resource(s *Service, r *Resource, tables map[string]string) {
	where := s.Name + "." + r.Name
	f.name(where, "resource", r.Name)
	f.path(where, r.Path)
	f.key(where, r.format(), r.Key)
	if r.Scope == "" {
		f.addf(where, "scope is empty; give the area of the scope, such as bills")
	}
	if every, err := time.ParseDuration(r.Every); err != nil || every < time.Minute {
		f.addf(where, "every %q is not a duration of at least a minute; write one such as 15m", r.Every)
	}
	for _, note := range r.Assumed {
		f.sentence(where+".assumed", note)
	}
	f.single(where, r.Single)
	f.tables(where, r, tables)
	f.object(where, object{r.Columns, r.Children, r.Ignored})
	f.id(where, r)
	f.cursor(where, r)
	f.params(where, s, r)
}

func (f *faults) single(where string, single *Single) {
	if single == nil {
		return
	}
	f.path(where+".single", single.Path)
	if !strings.Contains(single.Path, "{id}") {
		f.addf(where+".single", "path %q has no {id}; put it where the identifier goes", single.Path)
	}
	if single.Key == "" {
		f.addf(where+".single", "key is empty; name the response key that carries the record")
	}
}

// format is the form in which the list answers: only exports come as CSV.
func (r *Resource) format() Format {
	if _, ok := r.Cursor.(Export); ok {
		return FormatCSV
	}
	return FormatJSON
}

func (f *faults) params(where string, s *Service, r *Resource) {
	taken := map[string]bool{"page": true, "per_page": true, "sort_column": true, "sort_order": true}
	if s.Organization.Query != "" {
		taken[s.Organization.Query] = true
	}
	switch c := r.Cursor.(type) {
	case Since:
		taken[c.Param] = true
	case Export:
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
