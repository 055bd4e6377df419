package record

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"sluice/schema"
	"sluice/schema/jsonscan"
)

// Limits of one record: hostile or broken answers must not take the process down.
const (
	maxDepth    = jsonscan.MaxDepth
	maxElements = 100_000
	maxKey      = 512
	// maxCells bounds the values of all rows of a record, since absent ones take memory, too.
	// maxParts bounds its members and elements in the careful way of reading, whose reader
	// remembers the names.
	maxCells = 500_000
	maxParts = 500_000
	// maxKinds bounds the different undeclared keys, maxExtra all of them, maxExtraSize their
	// values, in bytes.
	maxKinds     = 2_000
	maxExtra     = 20_000
	maxExtraSize = 4 << 20
	// maxNesting bounds the nesting of declared arrays: the number of positions in the key of a
	// row.
	maxNesting = 2
	// maxKept bounds the size of pooled buffers, so that one giant does not stay for ever.
	maxKept = 1 << 20
)

var errDeclaration = errors.New("declaration does not compile")

// Normalizer turns the records of one resource into rows. It is safe for concurrent use: the state
// for one record comes from a pool.
type Normalizer struct {
	root *object
	// tables are the resource's tables, in the order of Resource.Tables.
	tables []table
	// fields counts the declared keys of all objects, and the objects.
	fields int
	place
	zone *time.Location
	// salt begins every payload hash; 0 if there are none. Peeked are the columns that a peek
	// reads.
	salt    uint64
	peeked  []bool
	scratch sync.Pool
}

// table is the walk's view of one table.
type table struct {
	columns []column
	depth   int
	// top is the index of its top-level array, 0 for the record.
	top int
	// label is its part of the hash.
	label string
}

// column is one leaf, by its index in its table. Name is that of its key, "" for bare values of an
// array; label is its part of the hash; values are the documented ones.
type column struct {
	at     int
	kind   schema.Kind
	name   string
	label  string
	values []string
	// identifies and modified say that it is the record's own identifier, and its modification
	// time.
	identifies, modified bool
}

// object is one object of the wire, compiled: the handling of each of its keys.
type object struct {
	table  int
	fields map[string]*field
	// head is its number among the fields, for remembering its first key.
	head     int
	prefixes []prefix
}

// field is the handling of one declared key: a column, an array (child), or neither, which is an
// ignored key.
type field struct {
	// quoted is the name in its spelling before its value; "" if it needs escaping.
	quoted string
	// at numbers it within the object, id within the resource.
	at, id int
	column *column
	child  *array
}

// array is one declared array of the wire.
type array struct {
	name    string
	table   int
	element *object
	// scalar arrays hold bare values; object arrays may come as one object.
	scalar, object bool
}

// New compiles the declaration of a resource. Zone is the organization's, for date-times without an
// offset. It fails if the key column is not declared first or if the modification time is not a
// declared instant; package validate reports both in more detail.
func New(resource *schema.Resource, zone *time.Location) (*Normalizer, error) {
	if zone == nil {
		return nil, fmt.Errorf("%w: %s: the organization's time zone is nil; pass it or time.UTC", errDeclaration, resource.Name)
	}
	if len(resource.Columns) == 0 || resource.Columns[0].Wire != resource.ID || resource.Columns[0].Kind != schema.KindID {
		return nil, fmt.Errorf("%w: %s: the key %q is not the first column; declare it first, by ID",
			errDeclaration, resource.Name, resource.ID)
	}
	at, ok := findPlace(resource)
	if !ok {
		return nil, fmt.Errorf("%w: %s: the parent's column or the record's own identifier is not declared; declare both by ID",
			errDeclaration, resource.Name)
	}
	n, modified := &Normalizer{place: at, zone: zone}, -1
	for i, c := range resource.Columns {
		if c.Wire == resource.Modified() && c.Kind == schema.KindTime {
			modified = i
		}
	}
	if resource.Modified() != "" && modified < 0 {
		return nil, fmt.Errorf("%w: %s: the modification time %q is not declared; declare it by Time",
			errDeclaration, resource.Name, resource.Modified())
	}
	tables := resource.Tables()
	for i := range tables {
		if tables[i].Depth() > maxNesting {
			return nil, fmt.Errorf("%w: %s: table %s nests %d deep, at most %d is known; declare the inner array by JSON",
				errDeclaration, resource.Name, tables[i].Name, tables[i].Depth(), maxNesting)
		}
		if child := tables[i].Child; child != nil && child.Prefix != "" && (tables[i].Depth() > 1 || len(child.Columns) != prefixColumns) {
			return nil, fmt.Errorf("%w: %s: table %s is made by a prefix; declare it for the record itself, with columns for key, value and text",
				errDeclaration, resource.Name, tables[i].Name)
		}
		n.tables = append(n.tables, compileTable(&tables[i]))
	}
	n.tables[0].columns[n.identifier].identifies = true
	if modified >= 0 {
		n.tables[0].columns[modified].modified = true
	}
	next := 1
	n.root = n.compileObject(0, resource.Columns, resource.Children, resource.Ignored, &next)
	n.salt, n.peeked = n.saltOf(resource), n.peekedAt(resource)
	n.scratch.New = func() any { return newScratch(n) }
	return n, nil
}

func compileTable(t *schema.Table) table {
	compiled := table{depth: t.Depth(), top: t.Root, label: label(strings.Join(t.Path, "."))}
	for i, c := range t.Columns {
		one := column{at: i, kind: c.Kind, name: c.Wire, label: label(c.Wire), values: c.Values}
		if t.Child != nil && t.Child.Scalar {
			one.name = ""
		}
		compiled.columns = append(compiled.columns, one)
	}
	return compiled
}

// compileObject numbers the tables in the same depth-first order as Resource.Tables.
func (n *Normalizer) compileObject(
	at int, columns []schema.Column, children []schema.Child, ignored map[string]string, next *int,
) *object {
	o := &object{table: at, fields: make(map[string]*field, len(columns)+len(children)+len(ignored)), head: n.number()}
	add := func(name string, f field) {
		f.at, f.id = len(o.fields), n.number()
		if jsonscan.Plain([]byte(name)) {
			f.quoted = `"` + name + `":`
		}
		o.fields[name] = &f
	}
	for key := range ignored {
		add(key, field{})
	}
	for i, c := range columns {
		if !c.Given {
			add(c.Wire, field{column: &n.tables[at].columns[i]})
		}
		if c.Also != "" {
			add(c.Also, field{column: &n.tables[at].columns[i]})
		}
	}
	for i := range children {
		child := &children[i]
		if child.Prefix != "" {
			o.prefixes = append(o.prefixes, prefix{name: child.Name, prefix: child.Prefix, twin: child.Twin, table: *next})
			*next++
			continue
		}
		a := &array{name: child.Name, table: *next, scalar: child.Scalar, object: child.Object}
		*next++
		a.element = n.compileObject(a.table, child.Columns, child.Children, child.Ignored, next)
		add(child.Name, field{child: a})
	}
	for _, c := range columns {
		if name := c.Wire + displayTwin; o.fields[name] == nil && !c.Given && c.Wire != "" {
			add(name, field{})
		}
	}
	return o
}

// displayTwin ends the keys that repeat a declared value as text in a locale. They are ignored
// without being declared. Source: docs/upstream.md U124.
const displayTwin = "_formatted"

func (n *Normalizer) number() int {
	n.fields++
	return n.fields - 1
}

// Bounds of the quick way's memory of one object.
const (
	maxDeclared = 256
	maxUnknown  = 32
	wordBits    = 64
)

// met are the names seen in one object, for finding repeated ones where the tokens do not: declared
// ones by number, others in scratch.names from unknown on.
type met struct {
	declared [maxDeclared / wordBits]uint64
	unknown  int
}

// find returns the field of a name, nil if none is declared, and remembers its predecessor.
func (s *scratch) find(o *object, last int, name []byte) *field {
	known := o.fields[string(name)]
	if known != nil {
		s.next[last] = known
	}
	return known
}

// again reports whether a name may have come before in the object.
func (s *scratch) again(names *met, known *field, name []byte) bool {
	if known != nil {
		if known.at >= maxDeclared {
			return true
		}
		word, bit := known.at/wordBits, uint64(1)<<(known.at%wordBits)
		twice := names.declared[word]&bit != 0
		names.declared[word] |= bit
		return twice
	}
	before := s.names[names.unknown:]
	if len(before) >= maxUnknown {
		return true
	}
	if slices.Contains(before, string(name)) {
		return true
	}
	s.names = append(s.names, string(name))
	return false
}
