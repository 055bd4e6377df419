package dataset_test

import (
	"bytes"
	"compress/flate"
	"encoding/csv"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/cmd/sluice-bench/dataset"
	"sluice/sandbox/witness"
	"sluice/schema/record"
)

func TestRecordsFitTheirDeclarations(t *testing.T) {
	t.Parallel()
	service := dataset.Service()
	for _, test := range []struct {
		name    string
		columns int
		rows    []int
	}{{"items", 45, nil}, {"bills", 36, []int{5, 2, 1}}} {
		resource, err := dataset.Find(service, test.name)
		if err != nil {
			t.Fatal(err)
		}
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

func TestPagesHoldTheListOnce(t *testing.T) {
	t.Parallel()
	resource, err := dataset.Find(dataset.Service(), "items")
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for page := 1; page <= 3; page++ {
		var got struct {
			Items   []map[string]any `json:"items"`
			Context struct {
				More bool `json:"has_more_page"`
			} `json:"page_context"`
		}
		if err := json.Unmarshal(dataset.AppendPage(nil, resource, page, 2, 5, dataset.First), &got); err != nil {
			t.Fatal(err)
		}
		if got.Context.More != (page < 3) {
			t.Errorf("page %d says that more follows: %t", page, got.Context.More)
		}
		for _, item := range got.Items {
			ids = append(ids, item["item_id"].(string))
		}
	}
	if strings.Join(ids, " ") != "460000000000000000 460000000000000001 460000000000000002 460000000000000003 460000000000000004" {
		t.Errorf("the list is %q", ids)
	}
}

func TestOneInAHundredChanges(t *testing.T) {
	t.Parallel()
	changed := 0
	for n := range 1000 {
		changed += dataset.Hundredth.Version(n)
	}
	if changed != 10 || dataset.First.Version(100) != 0 || dataset.Second.Version(99) != 1 {
		t.Errorf("%d of 1000 changed", changed)
	}
}

func TestLinesAreCSV(t *testing.T) {
	t.Parallel()
	resource, err := dataset.Find(dataset.Service(), "chats")
	want := []string{"chat_id", "title", "creation_time", "last_modified_time", "participant_count", "total_message_count", "creator_id"}
	if got := dataset.Fields(resource); err != nil || !slices.Equal(got, want) {
		t.Errorf("lines have the fields %v, want %v: %v", got, want, err)
	}
	var text strings.Builder
	if err := dataset.WriteLines(&text, 3); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(text.String())).ReadAll()
	if err != nil || len(rows) != 3 || rows[2][0] != "460000000000000002" || rows[2][1] != `Team 2, "open" questions` || len(rows[2]) != 7 {
		t.Errorf("%q, %v", rows, err)
	}
}

// TestRecordsAreLikeTheDocuments: they have the witness's fields, are as long and as far to be compressed; of bills without the
// arrays, of which a sample has as many elements as shows them.
func TestRecordsAreLikeTheDocuments(t *testing.T) {
	t.Parallel()
	service := dataset.Service()
	for _, name := range []string{"items", "bills"} {
		sample, err := witness.Load("inventory", name)
		if err != nil {
			t.Fatal(err)
		}
		resource, err := dataset.Find(service, name)
		if err != nil {
			t.Fatal(err)
		}
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
