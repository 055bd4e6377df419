package record_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"sluice/schema"
	"sluice/schema/record"
)

// Records of one group hash the same; those of different groups never do.
func TestHashGroups(t *testing.T) {
	t.Parallel()
	groups := [][]string{
		{`{"order_id":"1"}`, `{ "order_id" : 1 }`, `{"total_formatted":"$1","order_id":"1"}`},
		{`{"order_id":"1","note":null}`},
		{`{"order_id":"1","note":""}`},
		{`{"order_id":"1","total":null}`, `{"order_id":"1","total":""}`, `{"order_id":"1","total":" "}`},
		{`{"order_id":"1","total":1000}`, `{"total":1000.00,"order_id":"1"}`, `{"order_id":"1","total":"1e3"}`},
		{`{"order_id":"1","total":1000.01}`},
		{`{"order_id":"1","changed":"2026-01-17T15:27:23+0530"}`, `{"order_id":"1","changed":"2026-01-17T09:57:23.000Z"}`,
			`{"order_id":"1","changed":1768643843000}`, `{"order_id":"1","changed":"1768643843000"}`},
		{`{"order_id":"1","line_items":[]}`, `{"order_id":"1","line_items":""}`, `{"order_id":"1","line_items":null}`},
		{`{"order_id":"1","billing_address":""}`},
		{`{"order_id":"1","line_items":[{}]}`},
		{`{"order_id":"1","line_items":[{},{}]}`},
		{`{"order_id":"1","line_items":[{"rate":1},{"rate":2}]}`},
		{`{"order_id":"1","line_items":[{"rate":2},{"rate":1}]}`},
		{`{"order_id":"1","line_items":[{"serial_numbers":["a"]},{}]}`},
		{`{"order_id":"1","line_items":[{},{"serial_numbers":["a"]}]}`},
		{`{"order_id":"1","x":{"a":1,"b":[2.0]}}`, `{"x":{"b":[2],"a":1.0},"order_id":"1"}`},
		{`{"order_id":"1","x":{"a":1}}`},
	}
	n := normalizer(t)
	seen := map[[16]byte]int{}
	for group, raws := range groups {
		for _, raw := range raws {
			record, err := n.Record([]byte(raw))
			if err != nil {
				t.Fatalf("%s: %v", raw, err)
			}
			if other, ok := seen[record.Hash]; ok && other != group {
				t.Errorf("%s hashes like group %d", raw, other)
			} else if !ok && raw != raws[0] {
				t.Errorf("%s hashes unlike %s", raw, raws[0])
			}
			seen[record.Hash] = group
		}
	}
}

// Stored hashes must keep their meaning: the expected one is computed by xxhsum -H2 from a layout
// written by hand. A change of it rewrites every row of every warehouse.
func TestHashIsTheOneThatIsStored(t *testing.T) {
	t.Parallel()
	record, err := normalizer(t).Record([]byte(`{"line_items":[{"rate":1.0},{"rate":""}],"total":"1000.00","x":[1],"order_id":1}`))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := hex.EncodeToString(record.Hash[:]), "4ab1c985e6a5b39eed781f647f38139f"; got != want {
		t.Errorf("want %s, got %s", want, got)
	}
}

func TestDeclaringAnAbsentColumnChangesNoHash(t *testing.T) {
	t.Parallel()
	wider := order()
	wider.Columns = append(wider.Columns[:1:1], append([]schema.Column{schema.Text("later", "Declared later.")}, wider.Columns[1:]...)...)
	n, err := record.New(wider, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	raw := []byte(`{"order_id":"1","total":5,"line_items":[{"rate":1}]}`)
	before, err := normalizer(t).Record(raw)
	if err != nil {
		t.Fatal(err)
	}
	after, err := n.Record(raw)
	if err != nil {
		t.Fatal(err)
	}
	if before.Hash != after.Hash {
		t.Error("the hash moved although the record says the same")
	}
}

func TestOneNormalizerServesManyGoroutines(t *testing.T) {
	t.Parallel()
	n := normalizer(t)
	raws := []string{
		`{"order_id":"1","note":"one","line_items":[{"rate":1}]}`,
		`{"order_id":"2","note":"two","x":1}`, `{"order_id":"3","note":5}`,
	}
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			for i := range 200 {
				raw := raws[(worker+i)%len(raws)]
				record, err := n.Record([]byte(raw))
				if id := raw[13:14]; (err != nil) != (id == "3") || err == nil && record.ID != id {
					t.Errorf("%s became %q, %v", raw, record.ID, err)
				}
			}
		})
	}
	group.Wait()
}

// TestAnotherEdition normalizes a record of an edition that adds dozens of keys, omits declared
// ones and uses undocumented values. docs/upstream.md U136 and U137.
func TestAnotherEdition(t *testing.T) {
	t.Parallel()
	n, err := record.New(&schema.Resource{
		Name: "accounts", ID: "account_id", Cursor: schema.FullScan{},
		Columns: []schema.Column{
			schema.ID("account_id", "Key."),
			schema.Text("account_type", "Kind.").OneOf("bank", "cash"),
			schema.Bool("include_in_vat_return", "An edition's own."),
		},
	}, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	wire := map[string]any{"account_id": "7", "account_type": "bitcoin_wallet"}
	const keys = 40
	for i := range keys {
		wire[fmt.Sprintf("edition_key_%02d", i)] = map[string]any{"rate": i, "codes": []string{"a", ""}}
	}
	raw, err := json.Marshal(wire)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := n.Record(raw)
	if err != nil {
		t.Fatal(err)
	}
	row := rec.Tables[0][0].Values
	if row[1].Text != "bitcoin_wallet" || row[2].State != record.Absent {
		t.Errorf("values %+v, want the unlisted value kept and the missing key absent", row)
	}
	var extra map[string]any
	if err := json.Unmarshal([]byte(rec.Extra), &extra); err != nil || len(extra) != keys {
		t.Errorf("%d unknown keys are kept, want %d (%v)", len(extra), keys, err)
	}
	if len(rec.Drift) != keys+1 {
		t.Errorf("%d kinds of drift, want one of each key and one of the value", len(rec.Drift))
	}
}
