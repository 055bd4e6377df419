package overlay_test

import (
	"math/big"
	"testing"

	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/overlay"
)

func parse(t *testing.T, text string) *overlay.Object {
	t.Helper()
	o, err := overlay.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return o
}

func TestObjectsKeepOrderAndWriting(t *testing.T) {
	t.Parallel()
	const text = `{"b":1.50,"a":"é\u0000","list":[{"x":1},{"x":2}],"none":null}`
	o := parse(t, text)
	if got := string(o.Append(nil)); got != text {
		t.Errorf("read and written: %s", got)
	}
	o.SetText("a", `say "no"`)
	o.Set("c", []byte("7"))
	o.Drop("list")
	o.Drop("unknown")
	if got := string(o.Append(nil)); got != `{"b":1.50,"a":"say \"no\"","none":null,"c":7}` {
		t.Errorf("changed: %s", got)
	}
	for _, broken := range []string{"", "[]", `{"a":}`, `{"a":1`, "null", `{"a":1,}`} {
		if o, err := overlay.Parse([]byte(broken)); err == nil {
			t.Errorf("%s is read as %s", broken, o.Append(nil))
		}
	}
}

// Absent is "" in this family, also for objects (docs/upstream.md U133).
func TestBlank(t *testing.T) {
	t.Parallel()
	o := parse(t, `{"text":"x","money":12.34,"rate":1.000000,"count":7,"flag":true,"list":[1],"object":{"a":1},"null":null}`)
	if got := string(o.Blank().Append(nil)); got != `{"text":"","money":0.00,"rate":0.000000,"count":0,"flag":false,"list":[],"object":"","null":""}` {
		t.Errorf("blank: %s", got)
	}
}

func TestAmount(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"7": "7.00", "7.5": "7.50", "-0.005": "-0.005", "1/3": "0.333333", "2.1234567": "2.123457", "1000000000000000": "1000000000000000.00",
	} {
		number, ok := new(big.Rat).SetString(text)
		if !ok {
			t.Fatal(text)
		}
		if got := string(overlay.Amount(number)); got != want {
			t.Errorf("%s is written %s, want %s", text, got, want)
		}
	}
}

// A form keeps its own names; the organization's own fields appear in every form.
func TestLay(t *testing.T) {
	t.Parallel()
	generated := parse(t, `{"id":"1","name":"old","created_time":"then","wide":[1]}`)
	var o overlay.Overlay
	o.Put(ids.ModuleRecords, 4, overlay.Written{Object: parse(t, `{"id":"1","name":"new","wide":[2],"cf_a":5}`)}, generated)
	written := o.Find(ids.ModuleRecords, 4)
	for form, want := range map[string]string{
		`{"id":"1","name":"old","created_time":"then","wide":[1]}`: `{"id":"1","name":"new","created_time":"then","wide":[2],"cf_a":5}`,
		`{"id":"1","name":"old","created_time":"now"}`:             `{"id":"1","name":"new","created_time":"now","cf_a":5}`,
	} {
		if got := string(written.Lay(nil, []byte(form))); got != want {
			t.Errorf("laid over %s: %s, want %s", form, got, want)
		}
	}
	if o.Find(ids.ModuleRecords, 5) != nil || o.Find(ids.Bills, 4) != nil {
		t.Error("a record is written that never was")
	}
}

func TestTouchChangesOneValue(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"name":"a","notes":"Gate","updated_time":"x"}`: `{"name":"a","notes":"Gate (edit 2)"}`,
		`{"phone":"1","first_name":"a"}`:                 `{"phone":"1 (edit 2)","first_name":"a"}`,
		`{"date":"2026-02-28","total":1}`:                `{"date":"2026-03-01","total":1}`,
	} {
		w := overlay.Written{Object: parse(t, text)}
		if w.Has("notes") {
			w.Touch(1)
		}
		w.Touch(2)
		if got := string(w.Append(nil)); got != want {
			t.Errorf("%s is touched to %s, want %s", text, got, want)
		}
	}
}

func TestMatches(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind   ids.Kind
		record string
		filter string
		passes bool
	}{
		{ids.Accounts, `{"is_active":true,"account_type":"bank"}`, "Active", true},
		{ids.Accounts, `{"is_active":false}`, "Active", false},
		{ids.Accounts, `{"is_active":true}`, "Inactive", false},
		{ids.Accounts, `{"account_type":"bank"}`, "Asset", true},
		{ids.Accounts, `{"account_type":"credit_card"}`, "Liability", true},
		{ids.Accounts, `{"account_type":"finance_income"}`, "Income", true},
		{ids.Accounts, `{"account_type":"cost_of_goods_sold"}`, "Expense", true},
		{ids.Accounts, `{"account_type":"equity"}`, "Equity", true},
		{ids.Accounts, `{"account_type":"equity"}`, "Asset", false},
		{ids.Payments, `{"payment_mode":"Bank Transfer"}`, "BankTransfer", true},
		{ids.Payments, `{"payment_mode":"credit_card"}`, "CreditCard", true},
		{ids.Payments, `{"payment_mode":"shells"}`, "Others", true},
		{ids.Payments, `{"payment_mode":"cash"}`, "Check", false},
		{ids.CreditNotes, `{"status":"void"}`, "Void", true},
		{ids.CreditNotes, `{"status":"void"}`, "Open", false},
		{ids.CompositeItems, `{"stock_on_hand":3,"reorder_level":4}`, "Lowstock", true},
		{ids.CompositeItems, `{"stock_on_hand":4.00,"reorder_level":""}`, "Lowstock", false},
	} {
		w := overlay.Written{Object: parse(t, c.record)}
		if passes, known := w.Matches(c.kind, c.filter); !known || passes != c.passes {
			t.Errorf("%s, filter %s: %t, %t", c.record, c.filter, passes, known)
		}
	}
}
