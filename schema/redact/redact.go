// Package redact leaves columns out of records, or puts keyed hashes in their place, before
// anything else sees a record.
//
// It works on the bytes: what is not chosen stays as upstream sent it, to the byte. It is pure, and
// never says in an error or in a placeholder what a record held.
//
// Start reading at Resolve, then Redactor.Record.
package redact

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"sluice/schema"
	"sluice/schema/jsonscan"
)

// How is a closed set: what becomes of a column.
type How string

// What becomes of a column.
const (
	// Omitted: the key is left out of the record.
	Omitted How = "omitted"
	// Hashed: a string is replaced by its keyed hash; see Key.Hash.
	Hashed How = "hashed"
)

// Undeclared is the path that stands for all keys without a column: those that would go to _extra,
// and the ignored ones.
const Undeclared = "_extra"

// Rule says what becomes of one column. Resolve makes it.
type Rule struct {
	// Path names the column: the names of the arrays that lead to it and its own name in the
	// warehouse, with dots between them; or Undeclared.
	Path string
	How  How
	// table and column are its place in Resource.Tables.
	table, column int
}

// Redactor applies the rules of one resource. A nil Redactor leaves records as they are. It is safe
// for concurrent use.
type Redactor struct {
	rules []Rule
	key   *Key
	root  *object
	// rows are the objects of tables, for what the warehouse holds.
	rows    []*object
	fields  int
	walkers sync.Pool
}

// object is one object of the wire: the handling of its keys.
type object struct {
	fields map[string]*field
	// head is its number among the fields, for remembering its first key.
	head     int
	prefixes []prefix
	// touched says that a rule applies to it or below it.
	touched bool
	// undeclared says that keys which are not declared are left out.
	undeclared bool
}

// action is what is done with a value.
type action uint8

const (
	keep action = iota
	omit
	digest
	// descend leads into an array with rules, scalars into one of bare values to be hashed.
	descend
	scalars
)

// field is the handling of one declared key.
type field struct {
	// quoted is the name in its spelling before its value.
	quoted  string
	id      int
	action  action
	element *object
}

// prefix is the handling of the keys that begin with a prefix: of those that end with the twin's
// suffix, and of the others.
type prefix struct {
	prefix, twin   string
	value, display action
}

// New compiles the rules of a resource, as Resolve returned them; nil if there are none. Without a
// key, what is to be hashed is left out.
func New(resource *schema.Resource, rules []Rule, key *Key) *Redactor {
	if len(rules) == 0 {
		return nil
	}
	r := &Redactor{rules: rules, key: key}
	c := compiler{redactor: r, actions: make(map[[2]int]action, len(rules))}
	for _, rule := range rules {
		if rule.Path == Undeclared {
			c.undeclared = true
			continue
		}
		c.actions[[2]int{rule.table, rule.column}] = r.action(rule.How)
	}
	r.root = c.object(resource.Columns, resource.Children, resource.Ignored)
	r.walkers.New = func() any { return &walker{next: make([]*field, r.fields)} }
	return r
}

// Place returns the table and the column of a rule, by their places in Resource.Tables; false for
// the one about undeclared keys.
func (r Rule) Place() (int, int, bool) { return r.table, r.column, r.Path != Undeclared }

// Rules returns what becomes of which column, by path.
func (r *Redactor) Rules() []Rule {
	if r == nil {
		return nil
	}
	return r.rules
}

// Omits reports whether a rule leaves a column out, by its place in Resource.Tables.
func (r *Redactor) Omits(table, column int) bool {
	return slices.ContainsFunc(r.Rules(), func(rule Rule) bool {
		return rule.Path != Undeclared && rule.How == Omitted && rule.table == table && rule.column == column
	})
}

// NewStored compiles the rules of a resource for what the warehouse holds: objects of values by the
// names of their columns, with arrays by the names of their tables. It leaves all other keys.
func NewStored(resource *schema.Resource, rules []Rule, key *Key) *Redactor {
	if len(rules) == 0 {
		return nil
	}
	r := &Redactor{rules: rules, key: key}
	c := compiler{redactor: r}
	tables := resource.Tables()
	objects := make([]*object, len(tables))
	for i := range objects {
		objects[i] = &object{fields: make(map[string]*field), head: c.number(), touched: true}
		if i > 0 {
			objects[0].add(&c, tables[i].Name, descend, objects[i])
		}
	}
	for _, rule := range rules {
		if rule.Path == Undeclared {
			objects[0].add(&c, Undeclared, omit, nil)
			continue
		}
		objects[rule.table].add(&c, tables[rule.table].Columns[rule.column].ColumnName(), r.action(rule.How), nil)
	}
	r.root, r.rows = objects[0], objects
	r.walkers.New = func() any { return &walker{next: make([]*field, r.fields)} }
	return r
}

// action is what is done with values; without a key, what is to be hashed is left out.
func (r *Redactor) action(how How) action {
	if how == Hashed && r.key != nil {
		return digest
	}
	return omit
}

// compiler counts the tables in the depth-first order of Resource.Tables.
type compiler struct {
	redactor   *Redactor
	actions    map[[2]int]action
	undeclared bool
	tables     int
}

func (c *compiler) object(columns []schema.Column, children []schema.Child, ignored map[string]string) *object {
	table := c.tables
	c.tables++
	o := &object{fields: make(map[string]*field), head: c.number(), undeclared: c.undeclared, touched: c.undeclared}
	add := func(name string, does action, element *object) { o.add(c, name, does, element) }
	for name := range ignored {
		does := keep
		if c.undeclared {
			does = omit
		}
		add(name, does, nil)
	}
	for i := range columns {
		if columns[i].Given {
			continue
		}
		does := c.actions[[2]int{table, i}]
		add(columns[i].Wire, does, nil)
		if columns[i].Also != "" {
			add(columns[i].Also, does, nil)
		}
	}
	for i := range children {
		c.child(o, &children[i], add)
	}
	for i := range columns { // what repeats a value is left out with it
		name, does := columns[i].Wire+displayTwin, c.actions[[2]int{table, i}]
		switch {
		case columns[i].Given || columns[i].Wire == "":
		case does != keep && o.fields[name] == nil, does != keep && ignored[name] != "":
			add(name, omit, nil)
		case o.fields[name] == nil:
			add(name, keep, nil)
		}
	}
	return o
}

// add declares a key of an object.
func (o *object) add(c *compiler, name string, does action, element *object) {
	f := &field{id: c.number(), action: does, element: element}
	if jsonscan.Plain([]byte(name)) {
		f.quoted = `"` + name + `":`
	}
	o.fields[name] = f
	o.touched = o.touched || does != keep
}

// displayTwin ends the keys that repeat a declared value as text in a locale. Source:
// docs/upstream.md U124.
const displayTwin = "_formatted"

// The columns of a child with a prefix, by index.
const (
	prefixValue = 1
	prefixText  = 2
)

// child compiles one array of an object.
func (c *compiler) child(o *object, child *schema.Child, add func(string, action, *object)) {
	table := c.tables
	switch {
	case child.Prefix != "":
		c.tables++
		p := prefix{
			prefix: child.Prefix, twin: child.Twin,
			value: c.actions[[2]int{table, prefixValue}], display: c.actions[[2]int{table, prefixText}],
		}
		o.prefixes = append(o.prefixes, p)
		o.touched = o.touched || p.value != keep || p.display != keep
	case child.Scalar:
		c.tables++
		does := c.actions[[2]int{table, 0}]
		if does == digest {
			does = scalars
		}
		add(child.Name, does, nil)
	default:
		element := c.object(child.Columns, child.Children, child.Ignored)
		does := keep
		if element.touched {
			does = descend
		}
		add(child.Name, does, element)
	}
}

func (c *compiler) number() int {
	c.redactor.fields++
	return c.redactor.fields - 1
}

// Record returns a record without what the rules leave out, and with hashes in place of what they
// hash. It returns the input if nothing applies. Of bytes that are no JSON object it returns a
// placeholder, because it cannot tell what they hold. Null holds nothing, and stays: in archives it
// stands where an erased record was.
func (r *Redactor) Record(raw []byte) []byte { return r.one(raw, false) }

func (r *Redactor) one(raw []byte, reuse bool) []byte {
	if r == nil || string(raw) == "null" {
		return raw
	}
	if out, ok := r.object(r.root, raw, reuse); ok {
		return out
	}
	if !utf8.Valid(raw) { // read as its reader does: with a replacement for each byte that is none
		if out, ok := r.object(r.root, []byte(string([]rune(string(raw)))), false); ok {
			return out
		}
	}
	return placeholder(len(raw))
}

// Records applies Record to all of them, and overwrites their bytes. Their memory must hold nothing
// else.
func (r *Redactor) Records(raws [][]byte) {
	if r == nil {
		return
	}
	for i := range raws {
		raws[i] = r.one(raws[i], true)
	}
}

// Row is Record for one row of a table, by its place in Resource.Tables. NewStored made the
// redactor.
func (r *Redactor) Row(table int, row []byte) []byte {
	if out, ok := r.object(r.rows[table], row, false); ok {
		return out
	}
	return placeholder(len(row))
}

// Elements splits the array that begins at data[at], as jsonscan.Elements does, and gives of each
// element what Record makes of it: one pass over the bytes does both. It leaves the data as they
// are. It returns false also where an element is no object or is not valid UTF-8.
func (r *Redactor) Elements(data []byte, at, depth int, each func(element []byte)) (int, bool) {
	if at >= len(data) || data[at] != '[' {
		return at, false
	}
	w, _ := r.walkers.Get().(*walker)
	own := w.out
	w.data, w.out, w.key = data, make([]byte, 0, len(data)-at), r.key // the elements live on in it
	end, ok := w.elements(at, depth, func(at int) (int, bool) {
		begin := len(w.out)
		w.from, w.changed = at, false
		end, ok := w.object(r.root, at, depth+1)
		switch {
		case !ok:
		case w.changed:
			w.out = append(w.out, data[w.from:end]...)
			each(w.out[begin:len(w.out):len(w.out)])
		default:
			each(data[at:end:end])
		}
		return end, ok
	})
	w.data, w.out = nil, own
	r.walkers.Put(w)
	return end, ok
}

func (r *Redactor) object(o *object, raw []byte, reuse bool) ([]byte, bool) {
	w, _ := r.walkers.Get().(*walker)
	w.data, w.out, w.from, w.changed, w.key = raw, w.out[:0], 0, false, r.key
	end, ok := w.object(o, jsonscan.Space(raw, 0), 0)
	ok = ok && jsonscan.Space(raw, end) == len(raw)
	var out []byte
	if ok {
		out = w.finish(reuse)
	}
	w.data = nil
	if cap(w.out) > maxKept {
		w.out = nil
	}
	r.walkers.Put(w)
	return out, ok
}

// maxKept bounds the memory of a walker, so that one giant does not stay for ever.
const maxKept = 1 << 20

const withheld = `{"_withheld":"not a JSON object","_bytes":`

func placeholder(size int) []byte { return []byte(withheld + strconv.Itoa(size) + "}") }

// Withheld reports whether a record is the placeholder of one that Record could not read.
func Withheld(raw []byte) bool {
	return strings.HasPrefix(string(raw[:min(len(raw), len(withheld))]), withheld)
}

// claims returns what is done with a key that a prefix takes; false if none takes it.
func (o *object) claims(name string) (action, bool) {
	at := slices.IndexFunc(o.prefixes, func(p prefix) bool { return strings.HasPrefix(name, p.prefix) })
	if at < 0 {
		return keep, false
	}
	p := &o.prefixes[at]
	if base, twin := strings.CutSuffix(name, p.twin); twin && strings.HasPrefix(base, p.prefix) {
		return p.display, true
	}
	return p.value, true
}
