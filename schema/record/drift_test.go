package record_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"sluice/schema"
	"sluice/schema/record"
)

// ticket has documented values on the record, on elements and on bare elements.
func ticket() *schema.Resource {
	return &schema.Resource{
		Name: "tickets", ID: "ticket_id", Cursor: schema.FullScan{},
		Columns: []schema.Column{schema.ID("ticket_id", "The key of it."), schema.Text("status", "Its state.").OneOf("open", "closed")},
		Children: []schema.Child{
			{Name: "lines", Doc: "One line.", Columns: []schema.Column{schema.Text("kind", "Its kind.").OneOf("goods")}},
			{Name: "marks", Doc: "One mark.", Scalar: true, Columns: []schema.Column{schema.Text("mark", "The mark itself.").OneOf("red")}},
		},
	}
}

func TestValuesThatNoDocumentListsAreLoadedAndReported(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 40)
	for _, c := range []struct {
		name, raw string
		want      []record.Drift
	}{
		{"listed", `{"ticket_id":"1","status":"open","lines":[{"kind":"goods"}],"marks":["red"]}`, nil},
		{"empty", `{"ticket_id":"1","status":"","lines":[{"kind":null},{"kind":" "},{}],"marks":["",null]}`, nil},
		{"unlisted", `{"ticket_id":"1","status":"Open","lines":[{"kind":"x"},{"kind":"y"},{"kind":"x"}],"marks":["blue"],"a":1}`,
			[]record.Drift{
				{Path: "a", Kind: "number"}, {Path: "lines[].kind", Kind: "value: x"}, {Path: "lines[].kind", Kind: "value: y"},
				{Path: "marks[]", Kind: "value: blue"}, {Path: "status", Kind: "value: Open"},
			}},
		{"bounded", `{"ticket_id":"1","status":"` + long + `"}`, []record.Drift{{Path: "status", Kind: "value: " + strings.Repeat("é", 30)}}},
		{"no half character", `{"ticket_id":"1","status":"x` + long + `"}`,
			[]record.Drift{{Path: "status", Kind: "value: x" + strings.Repeat("é", 29)}}},
		{"printable", `{"ticket_id":"1","status":"a\n\u001bb\u0000\u202ec"}`, []record.Drift{{Path: "status", Kind: "value: a\uFFFD\uFFFDb␀\uFFFDc"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := sure(compiled(t, ticket()).Record([]byte(c.raw)))(t)
			same(t, "drift", c.want, got.Drift)
		})
	}
}

func TestDocumentedValuesDoNotMoveTheHash(t *testing.T) {
	t.Parallel()
	plain := ticket()
	plain.Columns[1].Values = nil
	raw := []byte(`{"ticket_id":"1","status":"new"}`)
	with := sure(compiled(t, ticket()).Record(raw))(t)
	without := sure(compiled(t, plain).Record(raw))(t)
	errorIf(t, with.Hash != without.Hash || with.Tables[0][0].Values[1] != set("new") || without.Drift != nil,
		"with %v, without %v", with, without)
}

func TestUnlistedValuesOfOneRecordAreBounded(t *testing.T) {
	t.Parallel()
	var marks []string
	for i := range 5000 {
		marks = append(marks, fmt.Sprintf(`"m%d"`, i))
	}
	got := sure(compiled(t, ticket()).Record([]byte(`{"ticket_id":"1","marks":[` + strings.Join(marks, ",") + `]}`)))(t)
	errorIf(t, len(got.Drift) != 100 || len(got.Tables[2]) != 5000, "%d drifts, %d rows", len(got.Drift), len(got.Tables[2]))
}

// members returns a number of members of an object, each after a comma.
func members(count int, value string) string {
	var b strings.Builder
	for n := range count {
		fmt.Fprintf(&b, `,"k%d":%s`, n, value)
	}
	return b.String()
}

// TestARecordIsBounded runs alone, since other tests would take memory meanwhile. The cost of a
// record at its bounds does not grow with the record.
func TestARecordIsBounded(t *testing.T) { //nolint:paralleltest // see above
	const (
		million = 1_000_000
		most    = 80 << 20 // bytes taken from the heap, given back ones included
	)
	n := normalizer(t)
	for _, c := range []struct {
		name, raw string
		code      record.Code // none: it fits
	}{
		{"2,000 unknown keys", `{"order_id":"7"` + members(2_000, "1") + `}`, ""},
		{"one more", `{"order_id":"7"` + members(2_001, "1") + `}`, record.CodeTooLarge},
		{"a million", `{"order_id":"7"` + members(million, "1") + `}`, record.CodeTooLarge},
		{"a million before the key", `{"x":1` + members(million, "1") + `,"order_id":"7"}`, record.CodeTooLarge},
		{"a million in an object", `{"order_id":"7","x":{"y":1` + members(million, "1") + `}}`, record.CodeTooLarge},
		{"a million in an ignored object", `{"order_id":"7","total_formatted":{"y":1` + members(million, "1") + `}}`, record.CodeTooLarge},
		{"unknown keys of lines", `{"order_id":"7","line_items":[{}` + strings.Repeat(`,{"a":1,"b":2}`, 10_000) + `]}`, ""},
		{"more of them", `{"order_id":"7","line_items":[{}` + strings.Repeat(`,{"a":1,"b":2}`, 10_001) + `]}`, record.CodeTooLarge},
		{"a million lines", `{"order_id":"7","line_items":[{}` + strings.Repeat(",{}", million) + `]}`, record.CodeTooLarge},
		{"a long unknown value", `{"order_id":"7","x":"` + strings.Repeat("x", 20<<20) + `"}`, record.CodeTooLarge},
		{"a long unknown list", `{"order_id":"7","x":[1` + strings.Repeat(",1", 10*million) + `]}`, record.CodeTooLarge},
		{"very deep", `{"order_id":"7","x":` + strings.Repeat("[", million) + strings.Repeat("]", million) + `}`, record.CodeTooLarge},
		{"63 deep", `{"order_id":"7","x":` + strings.Repeat("[", 62) + strings.Repeat("]", 62) + `}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			rec, err := n.Record([]byte(c.raw))
			runtime.ReadMemStats(&after)
			if took := after.TotalAlloc - before.TotalAlloc; took > most {
				t.Errorf("it took %d MiB, and %d are enough", took>>20, most>>20)
			} else {
				t.Logf("it took %d KiB for %d", took>>10, len(c.raw)>>10)
			}
			fault, _ := errors.AsType[*record.RejectedError](err)
			switch {
			case c.code == "" && (err != nil || rec.ID != "7"):
				t.Errorf("record %q, %v", rec.ID, err)
			case c.code != "" && (fault == nil || fault.Code != c.code || fault.ID != "7"):
				t.Errorf("want %s, got %v", c.code, err)
			}
		})
	}
}

// person is listed under a contact that its record may name.
func person() *schema.Resource {
	return &schema.Resource{
		Name: "people", ID: "person_id",
		Cursor:  schema.PerParent{Column: "contact_id", List: schema.FullScan{Modified: "changed"}},
		Columns: []schema.Column{schema.ID("person_id", "The key of it."), schema.ID("contact_id", "Whose person."), schema.Time("changed", "When.")},
	}
}

// channel is listed under a network, and its identifier is unique only there.
func channel() *schema.Resource {
	return &schema.Resource{
		Name: "channels", ID: "channel_key",
		Cursor: schema.PerParent{Column: "network", Identifier: "channel_id", List: schema.FullScan{}},
		Columns: []schema.Column{
			schema.ID("channel_key", "Network and identifier.").Give(), schema.ID("channel_id", "The identifier there."),
			schema.Text("network", "Where it was listed.").Give(),
		},
	}
}

func compiled(t *testing.T, resource *schema.Resource) *record.Normalizer {
	t.Helper()
	n := sure(record.New(resource, time.UTC))(t)
	return n
}

func TestRecordUnderAParent(t *testing.T) {
	t.Parallel()
	people, channels := compiled(t, person()), compiled(t, channel())
	for _, c := range []struct {
		name, raw, parent string
		n                 *record.Normalizer
		want              []record.Value
		extra             string
	}{
		{"carried", `{"person_id":"1","contact_id":"7"}`, "9", people, []record.Value{set("1"), set("7"), absent()}, ""},
		{"absent", `{"person_id":"1"}`, "9", people, []record.Value{set("1"), set("9"), absent()}, ""},
		{"empty", `{"person_id":"1","contact_id":""}`, "9", people, []record.Value{set("1"), set("9"), absent()}, ""},
		{"null", `{"contact_id":null,"person_id":1}`, "9", people, []record.Value{set("1"), set("9"), absent()}, ""},
		{"no parent", `{"person_id":"1"}`, "", people, []record.Value{set("1"), absent(), absent()}, ""},
		{"modified", `{"person_id":"1","changed":"2026-01-17"}`, "9", people,
			[]record.Value{set("1"), set("9"), set("2026-01-17 00:00:00+00")}, ""},
		{"qualified", `{"channel_id":90071992547409931}`, "north", channels,
			[]record.Value{set("north/90071992547409931"), set("90071992547409931"), set("north")}, ""},
		{"a parent with a slash", `{"channel_id":"c"}`, "R/D", channels, []record.Value{set("R/D/c"), set("c"), set("R/D")}, ""},
		{"given is never read", `{"channel_id":"c","network":"south","channel_key":"x"}`, "north", channels,
			[]record.Value{set("north/c"), set("c"), set("north")}, `{"channel_key":"x","network":"south"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := sure(c.n.RecordUnder([]byte(c.raw), c.parent))(t)
			if diff := cmp.Diff(c.want, got.Tables[0][0].Values); diff != "" || got.ID != c.want[0].Text || got.Extra != c.extra {
				t.Errorf("ID %q, extra %s, values (-want +got):\n%s", got.ID, got.Extra, diff)
			}
		})
	}
}

func TestKeysUnderAParentThatDoNotFit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, raw, parent, path, id string
		code                        record.Code
	}{
		{"no parent", `{"channel_id":"c"}`, "", "", "", record.CodeNoID},
		{"no identifier", `{}`, "north", "", "", record.CodeNoID},
		{"empty identifier", `{"channel_id":""}`, "north", "", "", record.CodeNoID},
		{"slash", `{"channel_id":"a/b"}`, "north", "channel_id", "", record.CodeWrongType},
		{"repaired", `{"channel_id":"a\u0000"}`, "north", "channel_id", "", record.CodeWrongType},
		{"long together", `{"channel_id":"` + strings.Repeat("c", 507) + `"}`, "north", "channel_id", "", record.CodeTooLarge},
		{"broken behind", `{"channel_id":"c","x":NaN}`, "north", "x", "north/c", record.CodeBadJSON},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := compiled(t, channel()).RecordUnder([]byte(c.raw), c.parent)
			var fault *record.RejectedError
			errorIf(t, !errors.As(err, &fault) || fault.Code != c.code || fault.Path != c.path || fault.ID != c.id,
				"want %s at %q of %q, got %#v", c.code, c.path, c.id, err)
		})
	}
	got, err := compiled(t, channel()).RecordUnder([]byte(`{"channel_id":"`+strings.Repeat("c", 506)+`"}`), "north")
	errorIf(t, err != nil || len(got.ID) != 512, "a key of 512 bytes: %d bytes, %v", len(got.ID), err)
}

func TestNewRefusesPlacesThatAreNotDeclared(t *testing.T) {
	t.Parallel()
	orphan, nameless := person(), channel()
	orphan.Cursor = schema.PerParent{Column: "customer_id", List: schema.FullScan{}}
	nameless.Cursor = schema.PerParent{Column: "network", Identifier: "id", List: schema.FullScan{}}
	for _, resource := range []*schema.Resource{orphan, nameless} {
		_, err := record.New(resource, time.UTC)
		errorIf(t, err == nil || !strings.Contains(err.Error(), "declare both by ID"), "%s: %v", resource.Name, err)
	}
}

// Records stay unchanged while a normalizer reads later ones, in any way and of any size.
func TestRecordsKeepTheirTexts(t *testing.T) {
	t.Parallel()
	n, err := record.New(&schema.Resource{
		Name: "notes", ID: "note_id", Cursor: schema.Since{Column: "changed", Param: "changed"}, Columns: []schema.Column{
			schema.ID("note_id", "The key."), schema.Time("changed", "When it changed."), schema.Text("text", "What it says."),
			schema.Decimal("total", "An amount."), schema.JSON("blob", "Anything."),
		},
	}, time.UTC)
	must(t, err)
	rapid.Check(t, func(t *rapid.T) {
		var records []record.Record
		var wants [][]string
		for range rapid.IntRange(1, 60).Draw(t, "records") {
			id := rapid.StringMatching(`[1-9][0-9]{0,17}`).Draw(t, "id")
			// Quotes and backslashes are escaped on the wire; other characters are not.
			text := strings.Repeat(rapid.StringMatching(`[a-zé "\\]{0,9}`).Draw(t, "text"), rapid.SampledFrom([]int{1, 1, 20, 3000}).Draw(t, "times"))
			quoted := sure(json.Marshal(text))(t)
			total := rapid.SampledFrom([][2]string{{"12.50", "12.5"}, {"1e3", "1000"}, {"7", "7"}}).Draw(t, "total")
			raw := `{"note_id":` + id + `,"changed":"2026-01-17T15:27:23+0530","text":` + string(quoted) + `,"total":` + total[0] +
				`,"blob":{"b": [` + string(quoted) + `], "a":1}}`
			record := sure(n.Record([]byte(raw)))(t)
			records = append(records, record)
			wants = append(wants, []string{id, "2026-01-17 09:57:23+00", text, total[1], `{"a":1,"b":[` + string(quoted) + `]}`})
		}
		for i, want := range wants {
			for at, value := range records[i].Tables[0][0].Values {
				fatalIf(t, value.State != record.Set || value.Text != want[at],
					"record %d: value %d is %q (%d), want %q", i, at, value.Text, value.State, want[at])
			}
			fatalIf(t, records[i].ID != want[0], "record %d has the key %q, want %q", i, records[i].ID, want[0])
		}
	})
}
