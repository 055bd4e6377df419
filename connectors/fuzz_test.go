package connectors_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/connectors"
	"sluice/pipeline/check"
	"sluice/sandbox/witness"
	"sluice/schema"
	"sluice/schema/record"
)

// under is the parent that records of lists under a parent are held to be of.
const under = "parent"

// sample is a declaration with the witness of its records.
type sample struct {
	name       string
	resource   *schema.Resource
	normalizer *record.Normalizer
	record     []byte
	// id is the wire name of the record's own identifier.
	id string
}

// samples returns all witnesses that have a declaration; that none lacks one is for another test to
// say.
func samples(tb testing.TB) []sample {
	tb.Helper()
	all := check.Sure(witness.All())(tb)
	declared := map[string]*schema.Resource{}
	for _, service := range connectors.All() {
		for i := range service.Resources {
			declared[service.Name+"."+service.Resources[i].Name] = &service.Resources[i]
		}
	}
	var found []sample
	for _, w := range all {
		resource := declared[w.Service+"."+w.Resource]
		if resource == nil {
			continue
		}
		normalizer := check.Sure(record.New(resource, time.UTC))(tb)
		s := sample{name: w.Service + "." + w.Resource, resource: resource, normalizer: normalizer, record: once(tb, &w, resource), id: resource.ID}
		if parents, ok := resource.Cursor.(schema.PerParent); ok && parents.Identifier != "" {
			s.id = parents.Identifier
		}
		found = append(found, s)
	}
	return found
}

// once is the record as live services send it, without the second keys of columns: each value
// stands in one place.
func once(tb testing.TB, w *witness.Witness, resource *schema.Resource) json.RawMessage {
	tb.Helper()
	whole := check.Sure(w.Whole())(tb)
	fields := map[string]json.RawMessage{}
	check.Must(tb, json.Unmarshal(whole, &fields))
	for _, column := range resource.Columns {
		delete(fields, column.Also)
	}
	return check.Sure(json.Marshal(fields))(tb)
}

// leaf is one place of a document that can be replaced or taken away.
type leaf struct {
	path string
	key  string
	// value is what stands there.
	value any
	// bare says that it is an element of an array and no member of an object.
	bare    bool
	replace func(any)
	remove  func()
}

// leaves lists every value of a document, objects and arrays included.
func leaves(path string, value any) []leaf {
	var found []leaf
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			found = append(found, leaf{
				path: path + "." + key, key: key, value: v[key],
				replace: func(to any) { v[key] = to }, remove: func() { delete(v, key) },
			})
			found = append(found, leaves(path+"."+key, v[key])...)
		}
	case []any:
		for i := range v {
			at := fmt.Sprintf("%s[%d]", path, i)
			found = append(found, leaf{path: at, value: v[i], bare: true, replace: func(to any) { v[i] = to }, remove: func() { v[i] = nil }})
			found = append(found, leaves(at, v[i])...)
		}
	}
	return found
}

func parsed(tb testing.TB, raw []byte) map[string]any {
	tb.Helper()
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var document map[string]any
	check.Must(tb, decoder.Decode(&document))
	return document
}

func written(tb testing.TB, document any) []byte {
	tb.Helper()
	return check.Sure(json.Marshal(document))(tb)
}

// replacement is what upstream may send in place of any value.
type replacement struct {
	name, json string
	// nothing says that such a value stands for nothing and must never cost the record, unless it
	// stands where the key or a whole element is.
	nothing bool
}

// value returns the replacement, parsed.
func (r replacement) value(tb testing.TB) any {
	tb.Helper()
	return parsed(tb, []byte(`{"it":`+r.json+`}`))["it"]
}

func replacements() []replacement {
	return []replacement{
		{"empty", `""`, true}, {"blank", `" "`, true}, {"null", `null`, true}, {"no elements", `[]`, false},
		{"no members", `{}`, false}, {"number", `1000.00`, false}, {"string", `"some words"`, false},
		{"nested", `{"a":{"b":[1.50,"\u0000",null]},"c":""}`, false}, {"NUL", `"a\u0000b"`, false}, {"escaped", `"\\u0000 \ud800"`, false},
		{"10^131071", `1e131071`, false}, {"10^131071 as text", `"1e131071"`, false},
		{"identifier beyond 2^53", `9007199254740993`, false}, {"identifier beyond 2^64", `18446744073709551617`, false},
		{"true", `true`, false}, {"array", `[[]]`, false},
	}
}

// TestEveryLeafOfEveryWitness replaces each value of each witness by everything that upstream was
// seen or may be feared to send.
func TestEveryLeafOfEveryWitness(t *testing.T) {
	t.Parallel()
	for _, s := range samples(t) {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			document := parsed(t, s.record)
			s.check(t, "as it is", s.record, document, true)
			for _, l := range leaves("", document) {
				needed := l.path == "."+s.id || l.bare && isObject(l.value)
				for _, r := range replacements() {
					l.replace(json.RawMessage(r.json))
					raw := written(t, document)
					l.replace(r.value(t))
					s.check(t, l.path+" is "+r.name, raw, document, r.nothing && !needed)
				}
				l.remove()
				s.check(t, l.path+" is missing", written(t, document), document, !needed)
				l.replace(l.value)
			}
		})
	}
}

func isObject(value any) bool {
	_, ok := value.(map[string]any)
	return ok
}

// check normalizes a document, which comes as bytes and parsed: rows that hold its identifiers,
// amounts and texts to the digit, or a *RejectedError that carries the identifier wherever it can
// be read.
func (s sample) check(tb testing.TB, what string, raw []byte, document map[string]any, fits bool) {
	tb.Helper()
	rec, err := s.normalizer.RecordUnder(raw, under)
	want := s.key(document)
	if err == nil {
		check.ErrorIf(tb, want == "" || rec.ID != want, "%s: %s: the key is %q, want %q", s.name, what, rec.ID, want)
		s.exact(tb, what, document, rec)
		return
	}
	var fault *record.RejectedError
	if !errors.As(err, &fault) || fault.Code == "" {
		tb.Errorf("%s: %s: no *ValueError: %v", s.name, what, err)
		return
	}
	check.ErrorIf(tb, fits, "%s: %s: the record is lost to its table: %v", s.name, what, err)
	check.ErrorIf(tb, fault.ID != want, "%s: %s: the fault is of %q, want %q", s.name, what, fault.ID, want)
}

// key returns the key of a document as the warehouse has to write it; "" if the document has none
// that can be kept.
func (s sample) key(document map[string]any) string {
	id, ok := text(document[s.id])
	const maxKey = 512
	if !ok || strings.Trim(id, " ") == "" || strings.ContainsAny(id, "\x00\uFFFD") {
		return ""
	}
	if s.id != s.resource.ID {
		if strings.Contains(id, "/") {
			return ""
		}
		id = under + "/" + id
	}
	if len(id) > maxKey {
		return ""
	}
	return id
}

// text returns an identifier as a text, to the digit.
func text(value any) (string, bool) {
	switch v := value.(type) {
	case string:
		return v, true
	case json.Number:
		if string(v) == "-0" {
			return "0", true
		}
		return string(v), !strings.ContainsAny(string(v), ".eE")
	default:
		return "", false
	}
}

// exact compares all rows with the document: each value that it holds under a declared key, in the
// order of the document.
func (s sample) exact(tb testing.TB, what string, document map[string]any, record record.Record) {
	tb.Helper()
	tables := s.resource.Tables()
	wire := make([][]map[string]any, len(tables))
	wire[0] = []map[string]any{document}
	for i := 1; i < len(tables); i++ {
		t := &tables[i]
		if t.Child.Prefix != "" {
			wire[i] = prefixed(s.resource, t, document)
		}
		for _, holder := range wire[t.Parent] {
			if t.Child.Prefix == "" {
				wire[i] = append(wire[i], elements(t, holder[t.Child.Name])...)
			}
		}
		if len(wire[i]) != len(record.Tables[i]) {
			tb.Errorf("%s: %s: table %s has %d rows, want %d", s.name, what, t.Name, len(record.Tables[i]), len(wire[i]))
			return
		}
	}
	for i := range tables {
		for at, object := range wire[i] {
			for c, column := range tables[i].Columns {
				if value, ok := object[column.Wire]; ok && !column.Given && !same(column.Kind, value, record.Tables[i][at].Values[c]) {
					tb.Errorf("%s: %s: %s.%s became %v", s.name, what, tables[i].Name, column.Wire, record.Tables[i][at].Values[c])
				}
			}
		}
	}
}

// elements returns those of one array of the wire; bare values become objects.
func elements(t *schema.Table, value any) []map[string]any {
	var found []map[string]any
	switch v := value.(type) {
	case map[string]any:
		return []map[string]any{v}
	case []any:
		for _, element := range v {
			object, ok := element.(map[string]any)
			if !ok {
				object = map[string]any{t.Columns[0].Wire: element}
			}
			found = append(found, object)
		}
	}
	return found
}

// prefixed returns the rows that the document's own keys make, sorted by key.
func prefixed(r *schema.Resource, t *schema.Table, document map[string]any) []map[string]any {
	var found []map[string]any
	for _, key := range slices.Sorted(maps.Keys(document)) {
		// A twin is a part of its key's row, and without its key it is none.
		if !strings.HasPrefix(key, t.Child.Prefix) || strings.HasSuffix(key, t.Child.Twin) ||
			slices.ContainsFunc(r.Columns, func(c schema.Column) bool { return c.Wire == key }) {
			continue
		}
		row := map[string]any{t.Columns[0].Wire: key, t.Columns[1].Wire: document[key]}
		if shown, ok := document[key+t.Child.Twin]; ok {
			row[t.Columns[2].Wire] = shown
		}
		found = append(found, row)
	}
	return found
}

// same reports whether a stored value is that of the wire. What is neither identifier nor text nor
// amount is compared for its absence alone.
func same(kind schema.Kind, wire any, stored record.Value) bool {
	words, isText := wire.(string)
	if wire == nil || isText && kind != schema.KindText && strings.Trim(words, " ") == "" {
		// The parent fills in its own identifier where the record leaves it out.
		return stored.State == record.Null || stored == record.Value{Text: under, State: record.Set}
	}
	if stored.State != record.Set {
		return false
	}
	switch kind {
	case schema.KindID:
		id, ok := text(wire)
		return ok && stored.Text == strings.ReplaceAll(id, "\x00", "␀")
	case schema.KindText:
		return isText && (stored.Text == strings.ReplaceAll(words, "\x00", "␀") || words == "" && stored.Text == under)
	case schema.KindDecimal:
		have, okHave := new(big.Rat).SetString(stored.Text)
		want, okWant := new(big.Rat).SetString(fmt.Sprint(wire))
		return okHave && okWant && have.Cmp(want) == 0
	case schema.KindBool, schema.KindInt, schema.KindDate, schema.KindTime, schema.KindJSON:
	}
	return stored.Text != ""
}

// FuzzWitness puts any JSON value in the place of any leaf.
func FuzzWitness(f *testing.F) {
	all := samples(f)
	for i := range all {
		for at, r := range replacements() {
			f.Add(uint(i), uint(7*at+i), []byte(r.json))
		}
	}
	f.Fuzz(func(t *testing.T, which, place uint, value []byte) {
		if !json.Valid(value) {
			return // no JSON
		}
		s := all[which%uint(len(all))]
		document := parsed(t, s.record)
		places := leaves("", document)
		l := places[place%uint(len(places))]
		l.replace(json.RawMessage(value))
		raw, err := json.Marshal(document)
		if err != nil {
			return // no JSON
		}
		s.check(t, l.path, raw, parsed(t, raw), false)
	})
}
