package record_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"sluice/schema"
	"sluice/schema/record"
)

// order returns a resource that has every kind and every form of array.
func order() *schema.Resource {
	return &schema.Resource{
		Name: "orders", ID: "order_id", Key: "orders", Path: "/orders",
		Cursor: schema.Since{Column: "changed", Param: "changed"},
		Columns: []schema.Column{
			schema.ID("order_id", "The key of it."), schema.Text("note", "A free note."),
			schema.Bool("paid", "Whether it is paid."), schema.Int("lines_count", "How many lines."),
			schema.Decimal("total", "The amount of it."), schema.Date("day", "The day of it."),
			schema.Time("changed", "When it changed."), schema.JSON("blob", "JSON because it is open."),
			schema.ID("customer_id", "Who ordered it."),
		},
		Children: []schema.Child{
			{Name: "line_items", Doc: "One line.", Columns: []schema.Column{
				schema.ID("line_item_id", "The key of it."), schema.Decimal("rate", "The price of one."),
			}, Children: []schema.Child{
				{Name: "serial_numbers", Doc: "One number.", Scalar: true, Columns: []schema.Column{
					schema.Text("serial_number", "The number itself."),
				}},
				{Name: "tags", Doc: "One tag.", Columns: []schema.Column{schema.Text("tag", "The tag itself.")}},
			}, Ignored: map[string]string{"rate_formatted": "a localised twin"}},
			{Name: "billing_address", Doc: "The address.", Object: true, Columns: []schema.Column{schema.Text("city", "The city of it.")}},
		},
		Ignored: map[string]string{"total_formatted": "a localised twin"},
	}
}

func normalizer(tb testing.TB) *record.Normalizer {
	tb.Helper()
	n := sure(record.New(order(), time.UTC))(tb)
	return n
}

func set(text string) record.Value { return record.Value{Text: text, State: record.Set} }

func null() record.Value { return record.Value{State: record.Null} }

func absent() record.Value { return record.Value{} }

func TestRecordBecomesRows(t *testing.T) {
	t.Parallel()
	raw := `{"order_id": 90300000000000017, "note": "", "paid": "true", "lines_count": "3", "total": 1000.00,
		"day": "2026-02-28", "changed": "2026-01-17T15:27:23+0530", "blob": {"b":1.0,"a":"x\u0000y"}, "total_formatted": "$1,000.00",
		"line_items": [
			{"line_item_id":"1","rate":"","serial_numbers":["A","B"],"rate_formatted":"x","colour":"red"},
			{"line_item_id":2,"rate":-0.50,"serial_numbers":"","tags":[{"tag":"t"}]}],
		"billing_address": {"city":"Zürich"}, "surprise": [1, 2]}`
	got := sure(normalizer(t).Record([]byte(raw)))(t)
	want := record.Record{
		ID:       "90300000000000017",
		Modified: time.Date(2026, 1, 17, 9, 57, 23, 0, time.UTC),
		Tables: [][]record.Row{
			{{Position: []int{}, Values: []record.Value{
				set("90300000000000017"), set(""), set("true"), set("3"), set("1000"), set("2026-02-28"),
				set("2026-01-17 09:57:23+00"), set(`{"a":"x␀y","b":1}`), absent(),
			}}},
			{
				{Position: []int{0}, Values: []record.Value{set("1"), null()}},
				{Position: []int{1}, Values: []record.Value{set("2"), set("-0.5")}},
			},
			{
				{Position: []int{0, 0}, Values: []record.Value{set("A")}},
				{Position: []int{0, 1}, Values: []record.Value{set("B")}},
			},
			{{Position: []int{1, 0}, Values: []record.Value{set("t")}}},
			{{Position: []int{0}, Values: []record.Value{set("Zürich")}}},
		},
		Carries: []bool{true, true, true, true, true},
		Extra:   `{"line_items[0].colour":"red","surprise":[1,2]}`,
		Drift:   []record.Drift{{Path: "line_items[].colour", Kind: "string"}, {Path: "surprise", Kind: "array"}},
		Raw:     []byte(raw),
		Hash:    got.Hash,
	}
	same(t, "rows differ", want, got)
}

func TestEmptyAndAbsentArrays(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, raw string
		carries   bool
		rows      int
	}{
		{"absent", `{"order_id":"1"}`, false, 0},
		{"null", `{"order_id":"1","billing_address":null}`, true, 0},
		{"empty text", `{"order_id":"1","billing_address":""}`, true, 0},
		{"blank text", `{"order_id":"1","billing_address":" "}`, true, 0},
		{"empty array", `{"order_id":"1","billing_address":[]}`, true, 0},
		{"object", `{"order_id":"1","billing_address":{"city":"Bern"}}`, true, 1},
		{"array of objects", `{"order_id":"1","billing_address":[{"city":"Bern"},{"city":"Basel"}]}`, true, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := sure(normalizer(t).Record([]byte(c.raw)))(t)
			const address = 4
			errorIf(t, got.Carries[address] != c.carries || len(got.Tables[address]) != c.rows,
				"want carries %t and %d rows, got %t and %d", c.carries, c.rows, got.Carries[address], len(got.Tables[address]))
		})
	}
}

func TestWhatDoesNotFit(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 64) + strings.Repeat("]", 64)
	for _, c := range []struct {
		name, raw, path, id string
		code                record.Code
	}{
		{"array", `[]`, "", "", record.CodeNotAnObject},
		{"nothing", ``, "", "", record.CodeBadJSON},
		{"cut", `{"order_id":"7","note":"secr`, "note", "7", record.CodeBadJSON},
		{"trailing", `{"order_id":"7"} <html>`, "", "7", record.CodeBadJSON},
		{"trailing value", `{"order_id":"7"}{}`, "", "7", record.CodeBadJSON},
		{"nan", `{"order_id":"7","total":NaN}`, "total", "7", record.CodeBadJSON},
		{"no key", `{"note":"secret"}`, "", "", record.CodeNoID},
		{"empty key", `{"order_id":""}`, "", "", record.CodeNoID},
		{"null key", `{"order_id":null}`, "", "", record.CodeNoID},
		{"case of keys", `{"Order_ID":"7"}`, "", "", record.CodeNoID},
		{"fractional key", `{"order_id":7.5}`, "order_id", "", record.CodeBadNumber},
		{"exponent key", `{"order_id":1e3}`, "order_id", "", record.CodeBadNumber},
		{"bool key", `{"order_id":true}`, "order_id", "", record.CodeWrongType},
		{"repaired key", `{"order_id":"a\u0000"}`, "order_id", "", record.CodeWrongType},
		{"surrogate key", `{"order_id":"a\ud800"}`, "order_id", "", record.CodeWrongType},
		{"long key", `{"order_id":"` + strings.Repeat("7", 513) + `"}`, "order_id", "", record.CodeTooLarge},
		{"same key twice", `{"order_id":"7","note":"a","note":"b"}`, "", "7", record.CodeDuplicateKey},
		{"twice by escape", `{"order_id":"7","note":"a","n\u006fte":"b"}`, "", "7", record.CodeDuplicateKey},
		{"twice before the key", `{"note":"a","note":"b","blob":{"a":1,"a":2},"order_id":"7"}`, "", "7", record.CodeDuplicateKey},
		{"twice inside", `{"order_id":"7","blob":{"a":1,"a":2}}`, "blob", "7", record.CodeDuplicateKey},
		{"twice in unknown", `{"order_id":"7","x":{"a":1,"a":2}}`, "x", "7", record.CodeDuplicateKey},
		{"number as text", `{"note":4711,"order_id":"7"}`, "note", "7", record.CodeWrongType},
		{"bool as text", `{"order_id":"7","note":true}`, "note", "7", record.CodeWrongType},
		{"object as text", `{"order_id":"7","note":{"a":1}}`, "note", "7", record.CodeWrongType},
		{"word as bool", `{"order_id":"7","paid":"yes"}`, "paid", "7", record.CodeWrongType},
		{"number as bool", `{"order_id":"7","paid":1}`, "paid", "7", record.CodeWrongType},
		{"fraction as int", `{"order_id":"7","lines_count":1.0}`, "lines_count", "7", record.CodeBadNumber},
		{"leading zero as int", `{"order_id":"7","lines_count":"01"}`, "lines_count", "7", record.CodeBadNumber},
		{"large int", `{"order_id":"7","lines_count":9223372036854775808}`, "lines_count", "7", record.CodeOutOfRange},
		{"words as decimal", `{"order_id":"7","total":"secret"}`, "total", "7", record.CodeBadNumber},
		{"grouped decimal", `{"order_id":"7","total":"1,000.00"}`, "total", "7", record.CodeBadNumber},
		{"huge decimal", `{"order_id":"7","total":1e64}`, "total", "7", record.CodeOutOfRange},
		{"tiny decimal", `{"order_id":"7","total":1e-65}`, "total", "7", record.CodeOutOfRange},
		{"huge number in JSON", `{"order_id":"7","blob":[1e99999999999]}`, "blob", "7", record.CodeOutOfRange},
		{"bool as decimal", `{"order_id":"7","total":false}`, "total", "7", record.CodeWrongType},
		{"date-time as date", `{"order_id":"7","day":"2026-01-01T00:00:00Z"}`, "day", "7", record.CodeBadTime},
		{"no such day", `{"order_id":"7","day":"2025-02-29"}`, "day", "7", record.CodeBadTime},
		{"year zero", `{"order_id":"7","day":"0000-01-01"}`, "day", "7", record.CodeBadTime},
		{"number as date", `{"order_id":"7","day":20260101}`, "day", "7", record.CodeWrongType},
		{"word as time", `{"order_id":"7","changed":"today"}`, "changed", "7", record.CodeBadTime},
		{"hour 24", `{"order_id":"7","changed":"2026-01-01T24:00:00Z"}`, "changed", "7", record.CodeBadTime},
		{"short epoch", `{"order_id":"7","changed":1700000000}`, "changed", "7", record.CodeBadTime},
		{"before year 1", `{"order_id":"7","changed":"0001-01-01T00:00:00+0100"}`, "changed", "7", record.CodeOutOfRange},
		{"object for array", `{"order_id":"7","line_items":{"rate":1}}`, "line_items", "7", record.CodeWrongType},
		{"text for array", `{"order_id":"7","line_items":"secret"}`, "line_items", "7", record.CodeWrongType},
		{"bare element", `{"order_id":"7","line_items":[{},"secret"]}`, "line_items[1]", "7", record.CodeWrongType},
		{"value in element", `{"order_id":"7","line_items":[{},{"rate":"secret"}]}`, "line_items[1].rate", "7", record.CodeBadNumber},
		{"value in object", `{"order_id":"7","billing_address":{"city":1}}`, "billing_address.city", "7", record.CodeWrongType},
		{"nested value", `{"order_id":"7","line_items":[{"serial_numbers":["a",1]}]}`, "line_items[0].serial_numbers[1]", "7", record.CodeWrongType},
		{"deep", `{"order_id":"7","x":` + deep + `}`, "x", "7", record.CodeTooLarge},
		{"deep ignored", `{"order_id":"7","total_formatted":` + deep + `}`, "", "7", record.CodeTooLarge},
		{"many", `{"order_id":"7","line_items":[{}` + strings.Repeat(",{}", 100_000) + `]}`, "line_items[100000]", "7", record.CodeTooLarge},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := normalizer(t).Record([]byte(c.raw))
			var fault *record.RejectedError
			fatalIf(t, !errors.As(err, &fault), "want a *ValueError, got %v", err)
			errorIf(t, fault.Code != c.code || fault.Path != c.path || fault.ID != c.id,
				"want %s at %q of %q, got %s at %q of %q", c.code, c.path, c.id, fault.Code, fault.Path, fault.ID)
			errorIf(t, strings.Contains(err.Error(), "secr") || strings.Contains(err.Error(), "4711"), "the error holds the value: %v", err)
		})
	}
}

func TestTextIsRepaired(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`"a\u0000b\u0000"`:    "a␀b␀",
		`"a\ud800b"`:          "a\uFFFDb",
		"\"a\xffb\"":          "a\uFFFDb",
		`"\ud83d\ude00"`:      "😀",
		`"tab\tquote\"slash"`: "tab\tquote\"slash",
		`" "`:                 " ",
	} {
		got, err := normalizer(t).Record([]byte(`{"order_id":"1","note":` + raw + `}`))
		fatalIf(t, err != nil, "%s: %v", raw, err)
		same(t, raw, set(want), got.Tables[0][0].Values[1])
	}
}

func TestJSONIsRepaired(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`"\\u0000 \u0000 \ud800"`:              `"\\u0000 ␀ ` + "\uFFFD\"",
		`{ "b" : [1.50, 1E3], "a\u0000": -0 }`: `{"a␀":0,"b":[1.5,1000]}`,
		`true`:                                 `true`,
	} {
		got, err := normalizer(t).Record([]byte(`{"order_id":"1","blob":` + raw + `}`))
		fatalIf(t, err != nil, "%s: %v", raw, err)
		same(t, raw, set(want), got.Tables[0][0].Values[7])
	}
}

func TestPathsOfUnknownKeysDoNotCollide(t *testing.T) {
	t.Parallel()
	got := sure(normalizer(t).Record([]byte(`{"order_id":"1","line_items[0].x":1,"line_items":[{"x":2},{"x":"3"}],"n\u0000":null}`)))(t)
	want := `{"\"line_items[0].x\"":1,"line_items[0].x":2,"line_items[1].x":"3","n␀":null}`
	errorIf(t, got.Extra != want, "\nwant %s\ngot  %s", want, got.Extra)
	drift := []record.Drift{
		{Path: `"line_items[0].x"`, Kind: "number"}, {Path: "line_items[].x", Kind: "number"},
		{Path: "line_items[].x", Kind: "string"}, {Path: "n␀", Kind: "null"},
	}
	same(t, "drift", drift, got.Drift)
}

func TestNewRefusesWhatDoesNotCompile(t *testing.T) {
	t.Parallel()
	late, untimed, deep := order(), order(), order()
	late.ID = "customer_id"
	untimed.Cursor = schema.Since{Column: "note", Param: "x"}
	deep.Children[0].Children[1].Children = []schema.Child{{Name: "more"}}
	for want, resource := range map[string]*schema.Resource{
		`the key "customer_id" is not the first column`:  late,
		`the modification time "note" is not declared`:   untimed,
		"table orders_line_items_tags_more nests 3 deep": deep,
	} {
		_, err := record.New(resource, time.UTC)
		errorIf(t, err == nil || !strings.Contains(err.Error(), want), "want %q, got %v", want, err)
	}
	_, err := record.New(order(), nil)
	errorIf(t, err == nil || !strings.Contains(err.Error(), "time zone is nil"), "a nil zone: %v", err)
}

// TestRejectedErrorSaysWhat: a record that does not fit as a whole has no path to name.
func TestRejectedErrorSaysWhat(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"the record does not fit: no_id: it has no key":      &record.RejectedError{Code: record.CodeNoID, Detail: "it has no key"},
		"value at date does not fit: bad_time: it is no day": &record.RejectedError{Path: "date", Code: record.CodeBadTime, Detail: "it is no day"},
	} {
		errorIf(t, err.Error() != want, "%s, want %s", err.Error(), want)
	}
}

// The precision of a currency says how amounts are shown: no amount is scaled or cut to it (faults
// V15).
func TestThePrecisionOfACurrencyScalesNothing(t *testing.T) {
	t.Parallel()
	n := normalizer(t)
	for _, amount := range []struct{ wire, want string }{
		{"1200", "1200"}, {"12.00", "12"}, {"12.005", "12.005"}, {"0.0005", "0.0005"}, {`"12.3456789"`, "12.3456789"},
	} {
		for _, precision := range []string{"0", "2", "3", `""`} {
			// The precision is before the amount, as in the documents.
			got := one(t, n, `price_precision":`+precision+`,"total`, amount.wire)
			errorIf(t, got != amount.want, "under precision %s %s became %s, want %s", precision, amount.wire, got, amount.want)
		}
	}
}

// TestTheNewerOfTwoKeysCounts sends a modification time under either of its keys, and under both.
func TestTheNewerOfTwoKeysCounts(t *testing.T) {
	t.Parallel()
	resource := &schema.Resource{
		Name: "notes", ID: "note_id", Cursor: schema.FullScan{Modified: "updated"},
		Columns: []schema.Column{schema.ID("note_id", "The key of it."), schema.Time("updated", "When it changed.").OrAs("modified")},
	}
	n := sure(record.New(resource, time.UTC))(t)
	const older, newer = `"2026-01-05T12:00:00Z"`, `"2026-01-17T15:27:23+0530"`
	for _, c := range []struct{ name, keys, want string }{
		{"first key alone", `"updated":` + newer, "2026-01-17 09:57:23+00"},
		{"second key alone", `"modified":` + newer, "2026-01-17 09:57:23+00"},
		{"the first is newer", `"updated":` + newer + `,"modified":` + older, "2026-01-17 09:57:23+00"},
		{"the second is newer", `"updated":` + older + `,"modified":` + newer, "2026-01-17 09:57:23+00"},
		{"the second is newer and comes first", `"modified":` + newer + `,"updated":` + older, "2026-01-17 09:57:23+00"},
		{"the second is null", `"updated":` + older + `,"modified":null`, "2026-01-05 12:00:00+00"},
		{"the first is null", `"updated":null,"modified":` + older, "2026-01-05 12:00:00+00"},
		{"both are null", `"modified":null,"updated":null`, ""},
		{"neither is sent", `"other":1`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			raw := []byte(`{"note_id":"1",` + c.keys + `}`)
			whole := sure(n.Record(raw))(t)
			value := whole.Tables[0][0].Values[1]
			if peeked, ok := n.Peek(raw, ""); !ok || !peeked.Modified.Equal(whole.Modified) || peeked.Tables[0][0].Values[1] != value {
				t.Errorf("a peek shows %v, %v (%v), want %v", peeked.Tables, peeked.Modified, ok, value)
			}
			errorIf(t, value.Text != c.want || (value.State == record.Set) != (c.want != ""), "the column holds %+v, want %q", value, c.want)
			if text := whole.Modified.UTC().Format("2006-01-02 15:04:05+00"); c.want != "" && text != c.want || c.want == "" && !whole.Modified.IsZero() {
				t.Errorf("modified %v, want %q", whole.Modified, c.want)
			}
			errorIf(t, len(whole.Drift) > 0 && c.name != "neither is sent", "drift %v", whole.Drift)
		})
	}
}

// same compares with cmp.Diff.
func same[T any](tb testing.TB, what string, want, got T, options ...cmp.Option) {
	tb.Helper()
	if diff := cmp.Diff(want, got, options...); diff != "" {
		tb.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func must(tb rapid.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// errorIf fails the test where something is not as it should be, and says what.
func errorIf(tb rapid.TB, wrong bool, format string, args ...any) {
	tb.Helper()
	if wrong {
		tb.Errorf(format, args...)
	}
}

// fatalIf does so, and ends it.
func fatalIf(tb rapid.TB, wrong bool, format string, args ...any) {
	tb.Helper()
	if wrong {
		tb.Fatalf(format, args...)
	}
}

// sure is must for a call that gives a value, too.
func sure[T any](value T, err error) func(rapid.TB) T {
	return func(tb rapid.TB) T {
		tb.Helper()
		must(tb, err)
		return value
	}
}
