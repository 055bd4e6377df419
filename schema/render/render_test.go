package render_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/schema"
	"sluice/schema/render"
)

// shop has every kind and every depth. The files in testdata were written by
// hand from the layout of the warehouse, not by the code under test.
func shop() schema.Service {
	return schema.Service{
		Name: "shop", Doc: "What the shop's shelves hold.", Root: "/shop/v1",
		Resources: []schema.Resource{{
			Name: "things", Doc: "One thing for sale.", Path: "/things", Key: "things", ID: "thing_id", Every: "15m",
			Params:  map[string]string{"filter_by": "Status.All"},
			Single:  &schema.Single{Path: "/things/{id}", Key: "thing", Assumed: true},
			Cursor:  schema.Since{Column: "changed", Param: "changed_since"},
			Ignored: map[string]string{"price_formatted": "a localised twin of price"},
			Assumed: []string{"The filter is not shown."},
			Columns: []schema.Column{
				schema.ID("thing_id", "Identifier of the thing."),
				schema.ID("ownerId", "Who owns it.").As("owner"),
				schema.Text("name", "Name of the thing."),
				schema.Bool("sold", "Whether it is sold."),
				schema.Int("count", "How many there are.").Assume(),
				schema.Decimal("price", "What it costs."),
				schema.Date("day", "Since which day."),
				schema.Time("changed", "When it changed."),
				schema.JSON("blob", "JSON because it is open."),
			},
			Children: []schema.Child{{
				Name: "parts", Doc: "One part of it.", Columns: []schema.Column{schema.Text("name", "Name of the part.")},
				Children: []schema.Child{{
					Name: "serials", Doc: "The number of a part.", Scalar: true,
					Columns: []schema.Column{schema.ID("serial", "The number itself, as printed.")},
				}},
			}},
		}},
	}
}

func later() schema.Service { return schema.Service{Name: "later", Doc: "What comes later."} }

func golden(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestDDL(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff(golden(t, "shop.sql"), render.DDL(shop())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := render.DDL(later()); got != "" {
		t.Errorf("a service without resources gives %q", got)
	}
}

func TestDictionary(t *testing.T) {
	t.Parallel()
	got := render.Dictionary([]schema.Service{shop(), later()})
	if diff := cmp.Diff(golden(t, "shop.md"), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDictionarySaysHowListsAreRead(t *testing.T) {
	t.Parallel()
	for want, cursor := range map[string]schema.Cursor{
		"- Reading: newest first by `changed`, down to the mark, every 15m\n": schema.NewestFirst{Column: "changed", Sort: "changed"},
		"- Reading: the whole list, sorted by `made`; `changed` tells which version is newer, every 15m\n": schema.FullScan{
			Modified: "changed", Created: "made", Sort: "made",
		},
		"- Reading: the whole export, one CSV body with the columns named in `fields`, every 15m\n": schema.Export{FieldsParam: "fields"},
	} {
		service := shop()
		service.Resources[0].Cursor = cursor
		if got := render.Dictionary([]schema.Service{service}); !strings.Contains(got, want) {
			t.Errorf("%T: %q is missing", cursor, want)
		}
	}
}

// present is a database that has exactly what shop declares, spelled by hand.
func present() render.Catalog {
	text := func(comment string) render.ExistingColumn {
		return render.ExistingColumn{Type: "text", Comment: comment}
	}
	organization := text("Identifier upstream of the organization that the row belongs to.")
	parent := text("Key of the record that the row belongs to, in things.")
	position := render.ExistingColumn{Type: "integer", Comment: "Place of the element in its array upstream, from 0."}
	stamp := "timestamp with time zone"
	deleted := render.ExistingColumn{Type: stamp, Comment: "When the record that the row belongs to was found to be gone upstream; null while it exists."}
	return render.Catalog{"shop": {
		"things": {Comment: "One thing for sale.", Columns: map[string]render.ExistingColumn{
			"organization_id": organization,
			"thing_id":        text("Identifier of the thing."),
			"owner":           text("Who owns it."),
			"name":            text("Name of the thing."),
			"sold":            {Type: "bool", Comment: "Whether it is sold."},
			"count":           {Type: "bigint", Comment: "How many there are."},
			"price":           {Type: "numeric", Comment: "What it costs."},
			"day":             {Type: "date", Comment: "Since which day."},
			"changed":         {Type: "timestamptz", Comment: "When it changed."},
			"blob":            {Type: "jsonb", Comment: "JSON because it is open."},
			"_extra":          {Type: "jsonb", Comment: "Keys that upstream sent and no declaration knows, by their path; null if there are none."},
			"_hash":           {Type: "bytea", Comment: "Content hash of all that the record carried, arrays included."},
			"_call_id":        {Type: "int8", Comment: "Call that brought this version; its bytes are in sluice.raw_records."},
			"_raw_position":   {Type: "int4", Comment: "Place of the record's bytes among those of its call, from 0."},
			"_run_id":         {Type: "bigint", Comment: "Run that wrote this version."},
			"_first_seen_at":  {Type: stamp, Comment: "When the record was first loaded."},
			"_changed_at":     {Type: stamp, Comment: "When the row, or its tombstone, last changed here: the start of the transaction that wrote it, so rows can appear behind a later stamp."},
			"_fingerprint": {Type: "int8", Comment: "Fingerprint of the bytes that this version was made of, and of all that decided what they became; " +
				"null if none was kept."},
			"_deleted_at": {Type: stamp, Comment: "When the record was found to be gone upstream, by upstream's clock; null while it exists. " +
				"The evidence is in sluice.tombstones."},
		}},
		"things_parts": {Comment: "One part of it.", Columns: map[string]render.ExistingColumn{
			"organization_id": organization, "_parent_id": parent, "_position": position, "name": text("Name of the part."),
			"_deleted_at": deleted,
		}},
		"things_parts_serials": {Comment: "The number of a part.", Columns: map[string]render.ExistingColumn{
			"organization_id": organization, "_parent_id": parent, "_position": position,
			"_parent_position": {Type: "integer", Comment: "Position of the element that the row belongs to, in things_parts."},
			"serial":           text("The number itself, as printed."),
			"_deleted_at":      deleted,
		}},
	}}
}

func TestDraft(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		spoil   func(render.Catalog)
		want    string
		changed bool
	}{
		{"nothing to do", func(render.Catalog) {}, "", false},
		{"new column", func(have render.Catalog) { delete(have["shop"]["things"].Columns, "owner") },
			"-- +goose Up\n" + `ALTER TABLE "shop"."things" ADD COLUMN "owner" text COLLATE "C";` + "\n" +
				`COMMENT ON COLUMN "shop"."things"."owner" IS 'Who owns it.';` + "\n", true},
		{"new sentences", func(have render.Catalog) {
			things := have["shop"]["things"]
			things.Comment = "Old."
			things.Columns["price"] = render.ExistingColumn{Type: "numeric"}
			have["shop"]["things"] = things
		}, "-- +goose Up\n" + `COMMENT ON TABLE "shop"."things" IS 'One thing for sale.';` + "\n" +
			`COMMENT ON COLUMN "shop"."things"."price" IS 'What it costs.';` + "\n", true},
		{"other type", func(have render.Catalog) {
			have["shop"]["things"].Columns["price"] = render.ExistingColumn{Type: "text", Comment: "What it costs."}
		}, "-- +goose Up\n-- by hand: shop.things.price is text and declared as numeric; change the type or the declaration\n", false},
		{"no longer declared", func(have render.Catalog) {
			have["shop"]["things"].Columns["colour"] = render.ExistingColumn{Type: "text"}
			have["shop"]["stuff"] = render.ExistingTable{}
		}, "-- +goose Up\n-- by hand: shop.things.colour is no longer declared; decide what becomes of its values\n" +
			"-- by hand: shop.stuff is no longer declared; decide what becomes of its rows\n", false},
		{"column of ours", func(have render.Catalog) { delete(have["shop"]["things"].Columns, "_hash") },
			"-- +goose Up\n-- by hand: shop.things._hash is missing and must not be null; decide what older rows get\n", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			have := present()
			c.spoil(have)
			got, changed := render.Draft([]schema.Service{shop(), later()}, have)
			if diff := cmp.Diff(c.want, got); diff != "" || changed != c.changed {
				t.Errorf("changed %t, (-want +got):\n%s", changed, diff)
			}
		})
	}
}

func TestDraftOfAnEmptyDatabaseIsTheDDL(t *testing.T) {
	t.Parallel()
	got, changed := render.Draft([]schema.Service{shop()}, nil)
	if diff := cmp.Diff("-- +goose Up\n\n"+golden(t, "shop.sql"), got); diff != "" || !changed {
		t.Errorf("changed %t, (-want +got):\n%s", changed, diff)
	}
}

func TestDraftCreatesAMissingTableOnly(t *testing.T) {
	t.Parallel()
	have := present()
	delete(have["shop"], "things_parts_serials")
	got, changed := render.Draft([]schema.Service{shop()}, have)
	_, tail, _ := strings.Cut(golden(t, "shop.sql"), `CREATE TABLE "shop"."things_parts_serials"`)
	want := "-- +goose Up\n\n" + `CREATE TABLE "shop"."things_parts_serials"` + tail
	if diff := cmp.Diff(want, got); diff != "" || !changed {
		t.Errorf("changed %t, (-want +got):\n%s", changed, diff)
	}
}
