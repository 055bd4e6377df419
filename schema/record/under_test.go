package record_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/schema"
	"sluice/schema/record"
)

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
	n, err := record.New(resource, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
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
		{"a parent with a slash", `{"channel_id":"c"}`, "R/D", channels,
			[]record.Value{set("R/D/c"), set("c"), set("R/D")}, ""},
		{"given is never read", `{"channel_id":"c","network":"south","channel_key":"x"}`, "north", channels,
			[]record.Value{set("north/c"), set("c"), set("north")}, `{"channel_key":"x","network":"south"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := c.n.RecordUnder([]byte(c.raw), c.parent)
			if err != nil {
				t.Fatal(err)
			}
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
			if !errors.As(err, &fault) || fault.Code != c.code || fault.Path != c.path || fault.ID != c.id {
				t.Errorf("want %s at %q of %q, got %#v", c.code, c.path, c.id, err)
			}
		})
	}
	if got, err := compiled(t, channel()).RecordUnder([]byte(`{"channel_id":"`+strings.Repeat("c", 506)+`"}`), "north"); err != nil || len(got.ID) != 512 {
		t.Errorf("a key of 512 bytes: %d bytes, %v", len(got.ID), err)
	}
}

func TestNewRefusesPlacesThatAreNotDeclared(t *testing.T) {
	t.Parallel()
	orphan, nameless := person(), channel()
	orphan.Cursor = schema.PerParent{Column: "customer_id", List: schema.FullScan{}}
	nameless.Cursor = schema.PerParent{Column: "network", Identifier: "id", List: schema.FullScan{}}
	for _, resource := range []*schema.Resource{orphan, nameless} {
		if _, err := record.New(resource, time.UTC); err == nil || !strings.Contains(err.Error(), "declare both by ID") {
			t.Errorf("%s: %v", resource.Name, err)
		}
	}
}
