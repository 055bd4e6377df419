package record_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/schema"
	"sluice/schema/record"
)

// checkPeek compares a peek with the whole record.
func checkPeek(t *testing.T, n *record.Normalizer, got record.Record) {
	t.Helper()
	peeked, ok := n.Peek(got.Raw, "north")
	if !ok {
		return
	}
	if peeked.ID != got.ID || !peeked.Modified.Equal(got.Modified) || peeked.Unchanged {
		t.Fatalf("a peek shows %q of %s, the record %q of %s", peeked.ID, peeked.Modified, got.ID, got.Modified)
	}
	if got.PayloadHash != peeked.PayloadHash && len(got.Drift) == 0 || got.PayloadHash != 0 && len(got.Drift) > 0 {
		t.Fatalf("payload hash %x, at a peek %x, drift %v", got.PayloadHash, peeked.PayloadHash, got.Drift)
	}
	for i, value := range peeked.Tables[0][0].Values {
		if value.State != record.Absent && value != got.Tables[0][0].Values[i] {
			t.Fatalf("a peek shows %+v in column %d, the record %+v", value, i, got.Tables[0][0].Values[i])
		}
	}
}

// dated returns the order with everything that a peek reads.
func dated() *schema.Resource {
	r := order()
	r.Cursor = schema.Since{Column: "changed", Param: "changed", Created: "made"}
	r.Columns = append(r.Columns, schema.Time("made", "When it came."))
	r.Window = &schema.Window{Column: "day", From: "from", To: "to"}
	return r
}

const datedRaw = `{"note":"n","total":1.50,"order_id":"7","day":"2026-02-03","x":null,"line_items":[{"rate":1}],` +
	`"made":"2026-01-17T15:27:23+0530","changed":"2026-01-18T15:27:23+0530","paid":true}`

func TestAPeekShowsWhatRunsNeed(t *testing.T) {
	t.Parallel()
	resource := dated()
	resource.Ignored = map[string]string{"x": "of no use"}
	n, err := record.New(resource, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := n.Record([]byte(datedRaw))
	if err != nil {
		t.Fatal(err)
	}
	peeked, ok := n.Peek([]byte(datedRaw), "")
	if !ok || peeked.ID != "7" || !peeked.Modified.Equal(whole.Modified) || peeked.Modified.IsZero() || whole.PayloadHash == 0 ||
		peeked.PayloadHash != whole.PayloadHash {
		t.Fatalf("%v: a peek shows %+v, the record is %+v", ok, peeked, whole)
	}
	if diff := cmp.Diff(whole.Carries, peeked.Carries); diff != "" {
		t.Errorf("arrays (-record +peeked):\n%s", diff)
	}
	for i, c := range resource.Columns {
		want := record.Value{}
		if slices.Contains([]string{"order_id", "day", "changed", "made"}, c.Wire) {
			want = whole.Tables[0][0].Values[i]
		}
		if got := peeked.Tables[0][0].Values[i]; got != want {
			t.Errorf("a peek shows %+v of %s, want %+v", got, c.Wire, want)
		}
	}
	for _, raw := range []string{``, `[]`, `{}`, `{"order_id":"7"`, `{"order_id":""}`, `{"order_id":"7","changed":"yesterday"}`, `{"order_id":"7",}`, "{\"order_id\":\"\xff\"}"} {
		if peeked, ok := n.Peek([]byte(raw), ""); ok {
			t.Errorf("a peek at %q shows %+v", raw, peeked)
		}
	}
}

// payloadHashOf returns the payload hash of the dated order under a declaration.
func payloadHashOf(t *testing.T, zone *time.Location, raw, parent string, change func(*schema.Resource)) uint64 {
	t.Helper()
	resource := dated()
	resource.Ignored = map[string]string{"x": "of no use"}
	change(resource)
	n, err := record.New(resource, zone)
	if err != nil {
		t.Fatal(err)
	}
	record, err := n.RecordUnder([]byte(raw), parent)
	if err != nil {
		t.Fatal(err)
	}
	return record.PayloadHash
}

// Every input that can change the row of the same bytes changes the payload hash, and so does every
// byte; prose does not.
func TestWhatAPayloadHashIsOf(t *testing.T) {
	t.Parallel()
	same := func(*schema.Resource) {}
	plain := payloadHashOf(t, time.UTC, datedRaw, "", same)
	seen := map[uint64]string{0: "none", plain: "plain"}
	unlike := func(name string, got uint64) {
		t.Helper()
		if before, twice := seen[got]; twice {
			t.Errorf("%s has the payload hash of %s", name, before)
		}
		seen[got] = name
	}
	for i, raw := range []string{datedRaw + " ", datedRaw[:len(datedRaw)-5] + "false}", `{"order_id":"7"}`} {
		unlike([]string{"a space more", "another value", "less"}[i], payloadHashOf(t, time.UTC, raw, "", same))
	}
	unlike("a parent", payloadHashOf(t, time.UTC, datedRaw, "p", same))
	unlike("another parent", payloadHashOf(t, time.UTC, datedRaw, "q", same))
	for _, hours := range []int{1, 2} {
		unlike("another zone", payloadHashOf(t, time.FixedZone("here", hours*3600), datedRaw, "", same))
	}
	for name, change := range map[string]func(*schema.Resource){
		"another kind":           func(r *schema.Resource) { r.Columns[1].Kind = schema.KindID },
		"another column's name":  func(r *schema.Resource) { r.Columns[1].Name = "remark" },
		"one column less":        func(r *schema.Resource) { r.Columns = r.Columns[:len(r.Columns)-1]; r.Ignored["made"] = "of no use" },
		"a further column":       func(r *schema.Resource) { r.Columns = append(r.Columns, schema.Text("more", "More.")) },
		"other values":           func(r *schema.Resource) { r.Columns[1].Values = []string{"n"} },
		"another ignored key":    func(r *schema.Resource) { r.Ignored["y"] = "of no use" },
		"a child's ignored key":  func(r *schema.Resource) { r.Children[0].Ignored["y"] = "of no use" },
		"a column of a child":    func(r *schema.Resource) { r.Children[0].Columns[0].Kind = schema.KindText },
		"an array is an object":  func(r *schema.Resource) { r.Children[0].Object = true },
		"another time of change": func(r *schema.Resource) { r.Cursor = schema.FullScan{Modified: "made"} },
	} {
		unlike(name, payloadHashOf(t, time.UTC, datedRaw, "", change))
	}
	prose := func(r *schema.Resource) {
		r.Doc, r.Every, r.Columns[1].Doc, r.Ignored["x"] = "Otherwise.", "7h", "Otherwise.", "otherwise"
	}
	if got := payloadHashOf(t, time.UTC, datedRaw, "", prose); got != plain {
		t.Error("prose makes another payload hash")
	}
	if got := payloadHashOf(t, time.UTC, `{"order_id":"7","surprise":1}`, "", same); got != 0 {
		t.Error("a record with drift has a payload hash: its drift would be counted once only")
	}
	export := func(r *schema.Resource) { r.Cursor, r.Window = schema.Export{Modified: "changed"}, nil }
	if got := payloadHashOf(t, time.UTC, datedRaw, "", export); got != 0 {
		t.Error("a line of an export has a payload hash")
	}
}

// TestEveryWordOfDeclarationsIsWeighed makes the author of a new field of declarations decide
// whether it belongs to the payload hash.
func TestEveryWordOfDeclarationsIsWeighed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		of    any
		words []string
	}{
		{schema.Column{}, []string{"Wire", "Also", "Name", "Kind", "Given", "Values" /* prose: */, "Doc", "Assumed", "Class"}},
		{schema.Child{}, []string{"Name", "Columns", "Scalar", "Object", "Prefix", "Twin", "Children", "Ignored" /* prose: */, "Doc"}},
		{schema.Resource{}, []string{
			"Name", "ID", "Cursor", "Columns", "Children", "Ignored", // prose, and the way of requesting it:
			"Schema", "Doc", "Path", "AssumedPath", "Optional", "Paging", "Unsized", "Key", "Params", "Scope", "Single", "Details", "Window", "History",
			"Complete", "Every", "Assumed", "Dated",
		}},
	} {
		kind := reflect.TypeOf(c.of)
		var got []string
		for field := range kind.Fields() {
			got = append(got, field.Name)
		}
		slices.Sort(got)
		slices.Sort(c.words)
		if diff := cmp.Diff(c.words, got); diff != "" {
			t.Errorf("%s (-weighed +declared); is it in normalize.saltOf?\n%s", kind, diff)
		}
	}
}
