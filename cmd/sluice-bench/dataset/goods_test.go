package dataset_test

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"sluice/cmd/sluice-bench/dataset"
	"sluice/sandbox/witness"
	"sluice/schema/record"
)

func TestRecordsFitTheirDeclarations(t *testing.T) {
	t.Parallel()
	service := dataset.Service()
	for i, test := range []struct {
		name    string
		columns int
		rows    []int
	}{{"items", 45, nil}, {"bills", 36, []int{5, 2, 1}}} {
		resource := &service.Resources[i]
		n, err := record.New(resource, time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		record, err := n.Record(dataset.Append(nil, resource, 7, 0))
		if err != nil {
			t.Fatal(err)
		}
		if record.ID != "460000000000000007" || len(record.Drift) > 0 || len(record.Tables[0][0].Values) != test.columns {
			t.Errorf("%s: %+v", test.name, record)
		}
		for i, want := range test.rows {
			if got := len(record.Tables[i+1]); got != want {
				t.Errorf("%s: %d rows in table %d, want %d", test.name, got, i+1, want)
			}
		}
		later, err := n.Record(dataset.Append(nil, resource, 7, 1))
		if err != nil || later.Hash == record.Hash || !later.Modified.After(record.Modified) {
			t.Errorf("%s: the second version is not a later one: %v", test.name, err)
		}
	}
}

// TestRecordsAreLikeTheDocuments checks that records have the witness's fields, and its length and
// compressibility. Bills are compared without arrays, of which a sample shows only a few elements.
func TestRecordsAreLikeTheDocuments(t *testing.T) {
	t.Parallel()
	for i, name := range []string{"items", "bills"} {
		sample, err := witness.Load("inventory", name)
		if err != nil {
			t.Fatal(err)
		}
		resource := &dataset.Service().Resources[i]
		document := fields(t, sample.Record, name == "items")
		const hundred = 100
		var size, packed int
		for n := range hundred {
			ours := fields(t, dataset.Append(nil, resource, n, 0), name == "items")
			if got, want := slices.Sorted(maps.Keys(ours)), slices.Sorted(maps.Keys(document)); !slices.Equal(got, want) {
				t.Fatalf("%s have the fields %q, in the document %q", name, got, want)
			}
			one, deflated := sizes(t, ours)
			size, packed = size+one, packed+deflated
		}
		one, deflated := sizes(t, document)
		length, rest, want := float64(size)/hundred/float64(one), float64(packed)/float64(size), float64(deflated)/float64(one)
		if math.Abs(length-1) > 0.1 || math.Abs(rest-want) > 0.05 {
			t.Errorf("%s are %.2f times as long as in the document, and packed to %.2f of that instead of %.2f", name, length, rest, want)
		}
	}
}

// fields gives the values of a record, or those that are no arrays.
func fields(t *testing.T, data []byte, arrays bool) map[string]json.RawMessage {
	t.Helper()
	record := map[string]json.RawMessage{}
	if err := json.Unmarshal(data, &record); err != nil {
		t.Fatal(err)
	}
	maps.DeleteFunc(record, func(_ string, value json.RawMessage) bool { return !arrays && value[0] == '[' })
	return record
}

// sizes gives the bytes of a record, and those that are left when it is packed.
func sizes(t *testing.T, record map[string]json.RawMessage) (int, int) {
	t.Helper()
	data, err := json.Marshal(record)
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return len(data), packed.Len()
}
