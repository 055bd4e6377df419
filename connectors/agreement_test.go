package connectors_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/connectors"
	"sluice/sandbox/witness"
	"sluice/schema"
	"sluice/schema/record"
)

// object is the part of a declaration that lies over one JSON object.
type object struct {
	columns  []schema.Column
	children []schema.Child
	ignored  map[string]string
}

// TestDeclarationsAgreeWithTheirWitnesses lays every declaration over a sample of the wire that
// another hand transcribed from the documents, both ways.
func TestDeclarationsAgreeWithTheirWitnesses(t *testing.T) {
	t.Parallel()
	for _, service := range connectors.All() {
		for i := range service.Resources {
			resource := &service.Resources[i]
			t.Run(service.Name+"."+resource.Name, func(t *testing.T) {
				t.Parallel()
				sample, err := witness.Load(service.Name, resource.Name)
				if err != nil {
					t.Fatal(err)
				}
				if sample.Key != resource.Key {
					t.Errorf("the declaration reads the key %q, the witness has %q", resource.Key, sample.Key)
				}
				if !strings.Contains(sample.Passage, "docs/upstream.md U") {
					t.Errorf("the witness cites no fact: %q", sample.Passage)
				}
				whole, err := sample.Whole()
				if err != nil {
					t.Fatal(err)
				}
				holdAssumed(t, resource, &sample)
				agree(t, "", object{resource.Columns, resource.Children, resource.Ignored}, whole)
				fits(t, resource, whole)
			})
		}
	}
}

// TestEveryWitnessHasItsDeclaration finds samples that nothing is held against.
func TestEveryWitnessHasItsDeclaration(t *testing.T) {
	t.Parallel()
	samples, err := witness.All()
	if err != nil {
		t.Fatal(err)
	}
	var declared []string
	for _, service := range connectors.All() {
		for _, resource := range service.Resources {
			declared = append(declared, service.Name+"."+resource.Name)
		}
	}
	for _, sample := range samples {
		name := sample.Service + "." + sample.Resource
		if sample.Service != "" && !slices.Contains(declared, name) {
			t.Errorf("%s has a witness and no declaration", name)
		}
	}
}

func agree(t *testing.T, path string, declared object, raw json.RawMessage) {
	t.Helper()
	var wire map[string]json.RawMessage
	if err := json.Unmarshal(raw, &wire); err != nil {
		t.Errorf("%s is no object in the witness: %v", path, err)
		return
	}
	for _, column := range declared.columns {
		// What the engine supplies is never on the wire.
		if _, ok := wire[column.Wire]; ok == column.Given {
			t.Errorf("%s%s is declared (given by the engine: %v), in the witness: %v", path, column.Wire, column.Given, ok)
		}
		delete(wire, column.Wire)
		if _, ok := wire[column.Also]; ok != (column.Also != "") {
			t.Errorf("%s%s has the second key %q, in the witness: %v", path, column.Wire, column.Also, ok)
		}
		delete(wire, column.Also)
	}
	for i := range declared.children {
		child := &declared.children[i]
		if child.Prefix != "" {
			agreePrefix(t, path, child, wire)
			continue
		}
		value, ok := wire[child.Name]
		if !ok {
			t.Errorf("%s%s is declared, the witness lacks it", path, child.Name)
			continue
		}
		agreeArray(t, path+child.Name, child, value)
		delete(wire, child.Name)
	}
	for key := range wire {
		if declared.ignored[key] == "" {
			t.Errorf("%s%s is in the witness, not declared and not ignored", path, key)
		}
	}
}

// agreePrefix takes the keys that a prefix holds out of the wire: there are some, and each has its
// twin.
func agreePrefix(t *testing.T, path string, child *schema.Child, wire map[string]json.RawMessage) {
	t.Helper()
	var keys []string
	for key := range wire {
		if strings.HasPrefix(key, child.Prefix) && !strings.HasSuffix(key, child.Twin) {
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		t.Errorf("%s has no key that begins with %s in the witness", path, child.Prefix)
	}
	for _, key := range keys {
		if _, ok := wire[key+child.Twin]; !ok {
			t.Errorf("%s%s has no %s in the witness", path, key, key+child.Twin)
		}
		delete(wire, key)
		delete(wire, key+child.Twin)
	}
}

func agreeArray(t *testing.T, path string, child *schema.Child, raw json.RawMessage) {
	t.Helper()
	var elements []json.RawMessage
	if err := json.Unmarshal(raw, &elements); err != nil {
		if !child.Object {
			t.Errorf("%s is no array in the witness", path)
			return
		}
		elements = []json.RawMessage{raw}
	}
	if len(elements) == 0 {
		t.Errorf("%s is empty in the witness: it shows nothing of an element", path)
	}
	for _, element := range elements {
		if child.Scalar {
			if strings.ContainsAny(string(element[:1]), "{[") {
				t.Errorf("%s has elements that are no bare values", path)
			}
			continue
		}
		agree(t, path+".", object{child.Columns, child.Children, child.Ignored}, element)
	}
}

// fits holds the types against each other: a declared amount that the witness writes as a word does
// not become a row.
func fits(t *testing.T, resource *schema.Resource, raw []byte) {
	t.Helper()
	normalizer, err := record.New(resource, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	record, err := normalizer.RecordUnder(raw, parentOf(resource))
	if err != nil {
		t.Fatal(err)
	}
	if record.Extra != "" || len(record.Drift) != 0 {
		t.Errorf("unknown keys %s, and in all %v", record.Extra, record.Drift)
	}
	if resource.Modified() != "" && record.Modified.IsZero() {
		t.Error("the witness has no modification time")
	}
	for i, rows := range record.Tables {
		if len(rows) == 0 {
			t.Errorf("table %s got no row", resource.Tables()[i].Name)
		}
	}
}

// parentOf returns a parent that the records could have been listed under, "" for lists that have
// none.
func parentOf(resource *schema.Resource) string {
	if _, ok := resource.Cursor.(schema.PerParent); ok {
		return "a parent"
	}
	return ""
}
