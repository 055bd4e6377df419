package connectors_test

import (
	"encoding/json"
	"testing"

	"sluice/sandbox/witness"
	"sluice/schema"
)

// undocumented says whether no document shows a key of the records of a list: then all its columns
// are assumed.
func undocumented(sample *witness.Witness) bool {
	return sample.Service == "chat" && (sample.Resource == "channels" || sample.Resource == "network_channels")
}

// holdAssumed holds what a declaration assumes against the witness.
func holdAssumed(t *testing.T, resource *schema.Resource, sample *witness.Witness) {
	t.Helper()
	documents, live := []json.RawMessage{sample.Record}, []json.RawMessage{sample.Live}
	if undocumented(sample) {
		documents, live = nil, append(live, sample.Record)
	}
	onlyLive(t, "", object{columns: resource.Columns, children: resource.Children}, documents, live)
}

// onlyLive holds the columns of one place, and of the places below it, against the values that
// stand there by the document and by live services: a column that live services alone send is
// assumed, or the second key of a column, and one that the document names is not.
func onlyLive(t *testing.T, path string, declared object, documents, live []json.RawMessage) {
	t.Helper()
	named, added := members(documents), members(live)
	for _, column := range declared.columns {
		assumed(t, path+column.Wire, column, named[column.Wire], added[column.Wire])
		if _, also := added[column.Also]; also != (column.Also != "") {
			t.Errorf("%s%s has the second key %q, among the live keys: %t", path, column.Wire, column.Also, also)
		}
	}
	for i := range declared.children {
		child := &declared.children[i]
		switch {
		case child.Prefix != "": // its keys are the record's own, and no column names them.
		case child.Scalar:
			assumed(t, path+child.Name, child.Columns[0], named[child.Name], added[child.Name])
		default:
			onlyLive(t, path+child.Name+".", object{columns: child.Columns, children: child.Children}, named[child.Name], added[child.Name])
		}
	}
}

func assumed(t *testing.T, path string, column schema.Column, documents, live []json.RawMessage) {
	t.Helper()
	switch {
	case column.Given: // the engine supplies it.
	case len(documents) > 0 && column.Assumed:
		t.Errorf("%s is assumed, and the document names it", path)
	case len(documents) == 0 && len(live) > 0 && !column.Assumed:
		t.Errorf("%s is not assumed, and live services alone send it", path)
	}
}

// members gathers the members of objects by their keys. Elements of arrays stand at one place.
func members(values []json.RawMessage) map[string][]json.RawMessage {
	into := map[string][]json.RawMessage{}
	for _, value := range values {
		var array []json.RawMessage
		if json.Unmarshal(value, &array) == nil {
			for key, inner := range members(array) {
				into[key] = append(into[key], inner...)
			}
			continue
		}
		var fields map[string]json.RawMessage
		if json.Unmarshal(value, &fields) == nil {
			for key, inner := range fields {
				into[key] = append(into[key], inner)
			}
		}
	}
	return into
}
