package record_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/pipeline/check"
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
	fatalIf(t, peeked.ID != got.ID || !peeked.Modified.Equal(got.Modified) || peeked.Unchanged,
		"a peek shows %q of %s, the record %q of %s", peeked.ID, peeked.Modified, got.ID, got.Modified)
	fatalIf(t, got.PayloadHash != peeked.PayloadHash && len(got.Drift) == 0 || got.PayloadHash != 0 && len(got.Drift) > 0,
		"payload hash %x, at a peek %x, drift %v", got.PayloadHash, peeked.PayloadHash, got.Drift)
	for i, value := range peeked.Tables[0][0].Values {
		fatalIf(t, value.State != record.Absent && value != got.Tables[0][0].Values[i],
			"a peek shows %+v in column %d, the record %+v", value, i, got.Tables[0][0].Values[i])
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
	n := sure(record.New(resource, time.UTC))(t)
	whole := sure(n.Record([]byte(datedRaw)))(t)
	peeked, ok := n.Peek([]byte(datedRaw), "")
	check.FatalIf(t, !ok || peeked.ID != "7" || !peeked.Modified.Equal(whole.Modified) || peeked.Modified.IsZero() || whole.PayloadHash == 0 ||
		peeked.PayloadHash != whole.PayloadHash, "%v: a peek shows %+v, the record is %+v", ok, peeked, whole)
	same(t, "arrays", whole.Carries, peeked.Carries)
	for i, c := range resource.Columns {
		want := record.Value{}
		if slices.Contains([]string{"order_id", "day", "changed", "made"}, c.Wire) {
			want = whole.Tables[0][0].Values[i]
		}
		got := peeked.Tables[0][0].Values[i]
		errorIf(t, got != want, "a peek shows %+v of %s, want %+v", got, c.Wire, want)
	}
	for _, raw := range []string{``, `[]`, `{}`, `{"order_id":"7"`, `{"order_id":""}`, `{"order_id":"7","changed":"yesterday"}`, `{"order_id":"7",}`, "{\"order_id\":\"\xff\"}"} {
		peeked, ok := n.Peek([]byte(raw), "")
		errorIf(t, ok, "a peek at %q shows %+v", raw, peeked)
	}
}

// payloadHashOf returns the payload hash of the dated order under a declaration.
func payloadHashOf(t *testing.T, zone *time.Location, raw, parent string, change func(*schema.Resource)) uint64 {
	t.Helper()
	resource := dated()
	resource.Ignored = map[string]string{"x": "of no use"}
	change(resource)
	n := sure(record.New(resource, zone))(t)
	record := sure(n.RecordUnder([]byte(raw), parent))(t)
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
		before, twice := seen[got]
		errorIf(t, twice, "%s has the payload hash of %s", name, before)
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
	errorIf(t, payloadHashOf(t, time.UTC, datedRaw, "", prose) != plain, "prose makes another payload hash")
	errorIf(t, payloadHashOf(t, time.UTC, `{"order_id":"7","surprise":1}`, "", same) != 0,
		"a record with drift has a payload hash: its drift would be counted once only")
	export := func(r *schema.Resource) { r.Cursor, r.Window = schema.Export{Modified: "changed"}, nil }
	errorIf(t, payloadHashOf(t, time.UTC, datedRaw, "", export) != 0, "a line of an export has a payload hash")
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
		diff := cmp.Diff(c.words, got)
		check.ErrorIf(t, diff != "", "%s (-weighed +declared); is it in normalize.saltOf?\n%s", kind, diff)
	}
}

// visit returns a record whose own keys may begin with cf_.
func visit() *schema.Resource {
	return &schema.Resource{
		Name: "visits", ID: "visit_id", Cursor: schema.FullScan{},
		Columns: []schema.Column{schema.ID("visit_id", "The key of it."), schema.Text("cf_known", "Declared by itself.")},
		Children: []schema.Child{
			{Name: "fields", Doc: "One field.", Prefix: "cf_", Twin: "_formatted", Columns: []schema.Column{
				schema.ID("key", "Its key."), schema.JSON("value", "JSON because it is open."), schema.Text("text", "As shown."),
			}},
			{Name: "tags", Doc: "One tag.", Scalar: true, Columns: []schema.Column{schema.Text("tag", "The tag itself.")}},
		},
	}
}

func TestKeysOfAPrefixBecomeRows(t *testing.T) {
	t.Parallel()
	at := func(position int, values ...record.Value) record.Row {
		return record.Row{Position: []int{position}, Values: values}
	}
	for _, c := range []struct {
		name, raw, extra string
		want             []record.Row
		carries          bool
		drift            []record.Drift
	}{
		{name: "none", raw: `{"visit_id":"1","cf_known":"x","fields":"on the wire it is any key"}`,
			extra: `{"fields":"on the wire it is any key"}`, drift: []record.Drift{{Path: "fields", Kind: "string"}}},
		{name: "sorted by key, twins joined", raw: `{"cf_size_formatted":"1,000.00","cf_size":1000.00,"visit_id":"1",
			"cf_colour":"red","cf_parts":[{"b":1,"a":2}],"cf_parts_formatted":null,"cf_gone":null,"cf_empty":""}`,
			carries: true, want: []record.Row{
				at(0, set("cf_colour"), set(`"red"`), absent()),
				at(1, set("cf_empty"), null(), absent()),
				at(2, set("cf_gone"), null(), absent()),
				at(3, set("cf_parts"), set(`[{"a":2,"b":1}]`), null()),
				at(4, set("cf_size"), set("1000"), set("1,000.00")),
			}},
		{name: "a twin without its key", raw: `{"visit_id":"1","cf_size_formatted":"1.0"}`,
			extra: `{"cf_size_formatted":"1.0"}`, drift: []record.Drift{{Path: "cf_size_formatted", Kind: "string"}}},
		{name: "a twin of a declared column is none of the prefix, and ignored", raw: `{"visit_id":"1","cf_known_formatted":"X"}`},
		{name: "a twin of no column is kept", raw: `{"visit_id":"1","weight_formatted":"X"}`,
			extra: `{"weight_formatted":"X"}`, drift: []record.Drift{{Path: "weight_formatted", Kind: "string"}}},
		{name: "a key called like the ending", raw: `{"visit_id":"1","cf_formatted":true}`,
			carries: true, want: []record.Row{at(0, set("cf_formatted"), set("true"), absent())}},
		{name: "the twin of a twin", raw: `{"visit_id":"1","cf_a":1,"cf_a_formatted":"one","cf_a_formatted_formatted":[1.0]}`,
			carries: true, want: []record.Row{at(0, set("cf_a"), set("1"), set("one"))},
			extra: `{"cf_a_formatted_formatted":[1]}`, drift: []record.Drift{{Path: "cf_a_formatted_formatted", Kind: "array"}}},
		{name: "keys that Postgres cannot hold", raw: `{"visit_id":"1","cf_\u0000":"\u0000"}`,
			carries: true, want: []record.Row{at(0, set("cf_␀"), set(`"␀"`), absent())}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := sure(compiled(t, visit()).Record([]byte(c.raw)))(t)
			same(t, "rows", c.want, got.Tables[1])
			errorIf(t, got.Carries[1] != c.carries || got.Carries[2] || got.Extra != c.extra, "carries %v, extra %s", got.Carries, got.Extra)
			same(t, "drift", c.drift, got.Drift)
		})
	}
}

func TestHashOfPrefixedKeysIgnoresTheirOrder(t *testing.T) {
	t.Parallel()
	n := compiled(t, visit())
	hash := func(raw string) [16]byte {
		record := sure(n.Record([]byte(raw)))(t)
		return record.Hash
	}
	base := hash(`{"visit_id":"1","cf_a":1.0,"cf_b":2,"cf_a_formatted":"1"}`)
	errorIf(t, base != hash(`{"cf_b":2,"cf_a_formatted":"1","cf_a":1,"visit_id":"1"}`), "the order of keys moved the hash")
	for _, other := range []string{`{"visit_id":"1","cf_a":1,"cf_b":2}`, `{"visit_id":"1","cf_a":1,"cf_c":2,"cf_a_formatted":"1"}`} {
		errorIf(t, base == hash(other), "%s hashes alike", other)
	}
}

func TestPrefixedKeysThatDoNotFit(t *testing.T) {
	t.Parallel()
	var many strings.Builder
	for i := range 2_001 {
		fmt.Fprintf(&many, `,"cf_%06d":1`, i)
	}
	for _, c := range []struct {
		name, raw, path string
		code            record.Code
	}{
		{"number", `{"visit_id":"1","cf_a":1e999}`, "cf_a", record.CodeOutOfRange},
		{"twin", `{"visit_id":"1","cf_a":1,"cf_a_formatted":5}`, "cf_a_formatted", record.CodeWrongType},
		{"odd name", `{"visit_id":"1","cf_[0]\u0000":1e999}`, `"cf_[0]␀"`, record.CodeOutOfRange},
		{"twice", `{"visit_id":"1","cf_a":1,"cf_a":1}`, "", record.CodeDuplicateKey},
		{"many", `{"visit_id":"1"` + many.String() + `}`, "cf_002000", record.CodeTooLarge},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := compiled(t, visit()).Record([]byte(c.raw))
			var fault *record.RejectedError
			errorIf(t, !errors.As(err, &fault) || fault.Code != c.code || fault.Path != c.path || fault.ID != "1",
				"want %s at %q, got %#v", c.code, c.path, err)
		})
	}
}

func TestNewRefusesPrefixesThatCannotBe(t *testing.T) {
	t.Parallel()
	narrow, nested := visit(), visit()
	narrow.Children[0].Columns = narrow.Children[0].Columns[:2]
	nested.Children = []schema.Child{{Name: "lines", Columns: visit().Columns, Children: visit().Children[:1]}}
	for _, resource := range []*schema.Resource{narrow, nested} {
		_, err := record.New(resource, time.UTC)
		errorIf(t, err == nil || !strings.Contains(err.Error(), "is made by a prefix"), "want a refusal, got %v", err)
	}
}
