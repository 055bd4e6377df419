package record_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"sluice/schema"
	"sluice/schema/record"
)

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
