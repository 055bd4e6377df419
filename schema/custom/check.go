package custom

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"sluice/schema"
	"sluice/schema/validate"
)

// minEvery is the shortest interval, as for every resource.
const minEvery = time.Minute

// Extend returns the services with the declared resources after their own. It reports faults to
// failf, each with its path below custom in the file ("custom[0].columns[2]"); failf may drop a
// fault that follows from another. It leaves the given services unchanged.
func Extend(services []schema.Service, declarations []Declaration, failf func(path, format string, args ...any)) []schema.Service {
	extended := slices.Clone(services)
	c := &check{failf: failf, names: make(map[string]string), tables: make(map[string]string)}
	for i := range extended {
		extended[i].Resources = slices.Clone(extended[i].Resources)
		for r := range extended[i].Resources {
			resource := &extended[i].Resources[r]
			c.names[extended[i].Name+"."+resource.Name] = "built in"
			if resource.Schema == Schema { // the configuration has taken it from the catalogue
				for _, table := range resource.Tables() {
					c.tables[table.Name] = "the catalogue"
				}
			}
		}
	}
	for i := range declarations {
		path := fmt.Sprintf("custom[%d]", i)
		at := slices.IndexFunc(extended, func(s schema.Service) bool { return s.Name == declarations[i].Service })
		if at < 0 {
			c.noService(path, declarations[i].Service, services)
			continue
		}
		if resource, ok := c.declaration(path, extended[at], &declarations[i]); ok {
			extended[at].Resources = append(extended[at].Resources, resource)
		}
	}
	return extended
}

// check checks declarations.
type check struct {
	failf func(path, format string, args ...any)
	// names are the full names in use, tables the tables of schema custom, each with its owner.
	names, tables map[string]string
}

func (c *check) noService(path, name string, services []schema.Service) {
	known := make([]string, 0, len(services))
	for i := range services {
		known = append(known, services[i].Name)
	}
	slices.Sort(known)
	if name == "" {
		c.failf(path+".service", "is missing: write one of: %s", strings.Join(known, ", "))
		return
	}
	c.failf(path+".service", "there is no service %q; write one of: %s", name, strings.Join(known, ", "))
}

// declaration checks one declaration; false if its faults leave nothing to build.
func (c *check) declaration(path string, service schema.Service, d *Declaration) (schema.Resource, bool) {
	for _, need := range []struct{ key, value, what string }{
		{"name", d.Name, "choose one, the table in schema custom is called so"},
		{"path", d.Path, "the list relative to the service's root, such as /pricebooks"},
		{"key", d.Key, "the key of the answer that carries the records"},
		{"id", d.ID, "the key that holds a record's identifier"},
		{"scope", d.Scope, "the area of the OAuth scope, such as settings"},
	} {
		if need.value == "" {
			c.failf(path+"."+need.key, "is missing: %s", need.what)
		}
	}
	c.words(path, d)
	if d.Name == "" || d.ID == "" {
		return schema.Resource{}, false
	}
	resource := d.resource()
	c.taken(path, service.Name, &resource)
	service.Resources, service.Further = []schema.Resource{resource}, nil // a list may be declared under the name of a ready-made one
	c.rules(path, service, d)
	return resource, true
}

// words checks the words of closed sets.
func (c *check) words(path string, d *Declaration) {
	oneOf := func(path, word string, allowed []string) {
		if word != "" && !slices.Contains(allowed, word) {
			c.failf(path, "there is no %q here; write one of: %s", word, strings.Join(allowed, ", "))
		}
	}
	oneOf(path+".paging", d.Paging, words(pagings()))
	oneOf(path+".cursor.kind", d.Cursor.Kind, []string{kindFullScan, kindNewestFirst, kindSince, kindSnapshot})
	c.cursor(path+".cursor", d.Cursor)
	if d.Every < minEvery && d.Every != 0 {
		c.failf(path+".every", "has to be 1m or more, not %s", d.Every)
	}
	c.columnWords(path, d.Columns, d.Children, oneOf)
	times := []string{d.Cursor.Modified, d.Cursor.Created}
	for i, column := range d.Columns {
		if column.Wire != "" && slices.Contains(times, column.Wire) && column.Kind != "time" {
			c.failf(fmt.Sprintf("%s.columns[%d]", path, i), "the cursor reads by %s: write kind: time", column.Wire)
		}
		if column.Wire == d.ID && d.ID != "" && column.Kind != "id" {
			c.failf(fmt.Sprintf("%s.columns[%d]", path, i), "%s is the key of a record: write kind: id", column.Wire)
		}
	}
}

// cursor checks which keys a way of reading needs and which it does not use.
func (c *check) cursor(path string, cursor Cursor) {
	kind := cmp.Or(cursor.Kind, kindFullScan)
	sorts := kind == kindNewestFirst || kind == kindFullScan
	changes := kind != kindSnapshot
	for _, one := range []struct {
		key, value    string
		needed, taken bool
	}{
		{"modified", cursor.Modified, kind == kindSince || kind == kindNewestFirst, changes},
		{"created", cursor.Created, false, changes && kind != kindNewestFirst},
		{"param", cursor.Param, false, kind == kindSince},
		{"sort", cursor.Sort, kind == kindNewestFirst, sorts},
	} {
		switch {
		case one.needed && one.value == "":
			c.failf(path+"."+one.key, "is missing: kind %s reads by it", kind)
		case !one.taken && one.value != "":
			c.failf(path+"."+one.key, "has no meaning with kind %s: remove it", kind)
		}
	}
}

func (c *check) columnWords(path string, columns []Column, children []Child, oneOf func(path, word string, allowed []string)) {
	for i, column := range columns {
		at := fmt.Sprintf("%s.columns[%d]", path, i)
		if column.Wire == "" {
			c.failf(at+".wire", "is missing: the key as upstream spells it")
		}
		if column.Kind == "" {
			c.failf(at+".kind", "is missing: write one of: %s", strings.Join(words(kinds()), ", "))
		}
		oneOf(at+".kind", column.Kind, words(kinds()))
		oneOf(at+".class", column.Class, words(classes()))
	}
	for i := range children {
		at := fmt.Sprintf("%s.children[%d]", path, i)
		if children[i].Name == "" {
			c.failf(at+".name", "is missing: the key of the array")
		}
		c.columnWords(at, children[i].Columns, children[i].Children, oneOf)
	}
}

// taken checks for names in use: of streams within a service, of tables within schema custom.
func (c *check) taken(path, service string, r *schema.Resource) {
	full := service + "." + r.Name
	switch other := c.names[full]; other {
	case "":
		c.names[full] = path
	case "built in":
		c.failf(path+".name", "%s is built in: choose another name", full)
	default:
		c.failf(path+".name", "is also the name of %s: choose another one", other)
		return
	}
	for _, table := range r.Tables() {
		other := c.tables[table.Name]
		if other != "" && other != path {
			c.failf(path+".name", "its table custom.%s is already one of %s: choose another name", table.Name, other)
			return
		}
		c.tables[table.Name] = path
	}
}

// rules applies the rules of all declarations to one.
func (c *check) rules(path string, service schema.Service, d *Declaration) {
	resource := &service.Resources[0]
	for _, fault := range faults(validate.Services([]schema.Service{service})) {
		rest, mine := strings.CutPrefix(fault.Where, service.Name+"."+resource.Name)
		if !mine {
			continue // it belongs to the built-in service
		}
		c.failf(locate(path, d, strings.TrimPrefix(rest, "."), fault.Problem), "%s", inWordsOfTheFile(fault.Problem))
	}
}

// faults splits a joined error.
func faults(err error) []*validate.DeclarationError {
	var found []*validate.DeclarationError
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range joined.Unwrap() {
			if fault, ok := errors.AsType[*validate.DeclarationError](one); ok {
				found = append(found, fault)
			}
		}
	}
	return found
}

// locate returns the path in the file of a fault: rest names the place inside the resource as
// schema does, by wire keys.
func locate(path string, d *Declaration, rest, problem string) string {
	if rest == "" {
		for _, start := range []struct{ problem, key string }{
			{"resource name", "name"}, {"path ", "path"}, {"the response key", "key"}, {"scope ", "scope"}, {"every ", "every"},
			{"the sentence", "doc"}, {`"`, "doc"}, {"table ", "name"},
		} {
			if strings.HasPrefix(problem, start.problem) {
				return path + "." + start.key
			}
		}
		return path
	}
	if at := inside(path, rest, d.Columns, d.Children); at != "" {
		return at
	}
	switch part, _, _ := strings.Cut(rest, "."); {
	case rest == d.ID:
		return path + ".id"
	case rest == d.Cursor.Modified, rest == d.Cursor.Created, part == "cursor":
		return path + ".cursor"
	case part == "single", part == "details":
		return path + ".single"
	case part == "params":
		return path + ".params"
	case rest == "dated":
		return locateDated(path, problem)
	default:
		return path
	}
}

// inside finds a column or child by its wire keys; "" if there is none.
func inside(path, rest string, columns []Column, children []Child) string {
	for i := range columns {
		if columns[i].Wire == rest {
			return fmt.Sprintf("%s.columns[%d]", path, i)
		}
	}
	for i := range children {
		below, ok := strings.CutPrefix(rest, children[i].Name)
		at := fmt.Sprintf("%s.children[%d]", path, i)
		switch {
		case ok && below == "":
			return at
		case ok && below[0] == '.':
			return cmp.Or(inside(at, below[1:], children[i].Columns, children[i].Children), at)
		}
	}
	return ""
}

// locateDated returns the path in the file of a fault of the block.
func locateDated(path, problem string) string {
	for _, start := range []struct{ problem, key string }{
		{"the column ", "on"}, {"no figure ", "figures"}, {"the figure ", "figures"}, {"the currency ", "currency"}, {"the rate ", "rate"},
		{"the state ", "state"}, {"the lines ", "lines"},
	} {
		if strings.HasPrefix(problem, start.problem) {
			return path + ".dated." + start.key
		}
	}
	if strings.Contains(problem, " is no declared column of a line,") {
		return path + ".dated.line_columns"
	}
	return path + ".dated.with"
}
