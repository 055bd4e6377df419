package ddl_test

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/pipeline/check"
	"sluice/schema"
	"sluice/schema/ddl"
	"sluice/schema/schematest"
)

func golden(t *testing.T, name string) string {
	t.Helper()
	data := check.Sure(os.ReadFile("testdata/" + name))(t)
	return string(data)
}

// whole is the draft for an empty database, without its first lines.
func whole(service schema.Service) string {
	text, _ := ddl.Draft([]schema.Service{service}, nil)
	return strings.TrimPrefix(text, "-- +goose Up\n\n")
}

func TestDDLOfTheHouse(t *testing.T) {
	t.Parallel()
	check.Same(t, "house.sql", golden(t, "house.sql"), whole(schematest.House()))
}

// found returns the catalog of a database with exactly the tables of the fixture.
func found(t *testing.T) ddl.Catalog {
	t.Helper()
	have := ddl.Catalog{}
	var in, table string
	for line := range strings.Lines(golden(t, "house.sql")) {
		line = strings.TrimRight(line, ";\n")
		if name, ok := strings.CutPrefix(line, "CREATE TABLE "); ok {
			in, table, _ = strings.Cut(strings.ReplaceAll(strings.TrimSuffix(name, " ("), `"`, ""), ".")
			if have[in] == nil {
				have[in] = map[string]ddl.ExistingTable{}
			}
			have[in][table] = ddl.ExistingTable{Columns: map[string]ddl.ExistingColumn{}}
			continue
		}
		place, comment, ok := strings.Cut(line, " IS '")
		comment = strings.ReplaceAll(strings.TrimSuffix(comment, "'"), "''", "'")
		entry := have[in][table]
		switch {
		case ok && strings.HasPrefix(place, "COMMENT ON TABLE"):
			entry.Comment = comment
			have[in][table] = entry
		case ok && strings.HasPrefix(place, "COMMENT ON COLUMN"):
			parts := strings.Split(place, `"`)
			name := parts[len(parts)-2]
			entry.Columns[name] = ddl.ExistingColumn{Type: typed(t, in, table, name), Comment: comment}
		}
	}
	return have
}

// TestADraftAltersEachTableByItself: each altered table begins a step of the migration, and one
// alone needs none.
func TestADraftAltersEachTableByItself(t *testing.T) {
	t.Parallel()
	have := found(t)
	altered := 0
	for _, table := range slices.Sorted(maps.Keys(have["house"])) {
		entry := have["house"][table]
		entry.Comment = "Another one."
		have["house"][table] = entry
		altered++
		text, changed := ddl.Draft([]schema.Service{schematest.House()}, have)
		want := altered
		if altered == 1 {
			want = 0
		}
		if steps := strings.Count(text, "\n-- sluice:step house."); steps != want || !changed || strings.Count(text, "COMMENT ON TABLE") != altered {
			t.Errorf("%d altered tables: %d steps, want %d\n%s", altered, steps, want, text)
		}
	}
	check.ErrorIf(t, altered < 2, "only %d tables", altered)
}

// typed reads the type of a column out of the golden file.
func typed(t *testing.T, in, table, name string) string {
	t.Helper()
	_, body, _ := strings.Cut(golden(t, "house.sql"), `CREATE TABLE "`+in+`"."`+table+`"`)
	_, rest, _ := strings.Cut(body, "  \""+name+"\" ")
	for _, kind := range []string{"text", "bigint", "integer", "numeric", "jsonb", "bytea", "date", "timestamp with time zone"} {
		if strings.HasPrefix(rest, kind) {
			return kind
		}
	}
	t.Fatalf("no type of %s.%s.%s", in, table, name)
	return ""
}

func TestDraftOfTheHouse(t *testing.T) {
	t.Parallel()
	head := "-- +goose Up\n"
	details := "-- by hand: house.rates._detail_state is added as 'none_needed' in older rows; decide whether that is true of them\n"
	_, index, _ := strings.Cut(golden(t, "house.sql"), "CREATE INDEX")
	index, _, _ = strings.Cut(index, ";")
	index = "CREATE INDEX" + index + ";\n"
	_, custom, _ := strings.Cut(golden(t, "house.sql"), `CREATE SCHEMA IF NOT EXISTS "custom"`)
	for _, c := range []struct {
		name    string
		spoil   func(ddl.Catalog)
		want    string
		changed bool
	}{
		{"nothing to do", func(ddl.Catalog) {}, "", false},
		{"foreign tables in the users' schema", func(have ddl.Catalog) { have["custom"]["others"] = ddl.ExistingTable{} }, "", false},
		{"tables without a declaration", func(have ddl.Catalog) { have["house"]["others"] = ddl.ExistingTable{} },
			head + "-- by hand: house.others is no longer declared; decide what becomes of its rows\n", false},
		{"details of older rows", func(have ddl.Catalog) { delete(have["house"]["rates"].Columns, "_detail_state") },
			head + details + `ALTER TABLE "house"."rates" ADD COLUMN "_detail_state" text NOT NULL DEFAULT 'none_needed' CHECK ("_detail_state" IN ` +
				`('none_needed', 'pending', 'current', 'stale', 'failed'));` + "\n" +
				`COMMENT ON COLUMN "house"."rates"."_detail_state" IS 'What is known of the single record: none_needed (the list had it all), ` +
				`pending (not read yet), current, stale (the list record changed since), failed (to be tried again).';` + "\n" + index, true},
		{"a users' schema", func(have ddl.Catalog) { delete(have, "custom") },
			head + "\n" + `CREATE SCHEMA IF NOT EXISTS "custom"` + custom, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			have := found(t)
			c.spoil(have)
			got, changed := ddl.Draft([]schema.Service{schematest.House()}, have)
			diff := cmp.Diff(c.want, got)
			check.ErrorIf(t, diff != "" || changed != c.changed, "changed %t, (-want +got):\n%s", changed, diff)
		})
	}
}

func TestDraftCreatesASharedSchemaOnce(t *testing.T) {
	t.Parallel()
	other := schematest.House()
	other.Name = "cellar"
	other.Resources = other.Resources[2:]
	other.Resources[0].Name = "closing"
	got, _ := ddl.Draft([]schema.Service{schematest.House(), other}, nil)
	count := strings.Count(got, `CREATE SCHEMA IF NOT EXISTS "custom"`)
	check.ErrorIf(t, count != 1, "the users' schema is created %d times", count)
	check.ErrorIf(t, !strings.Contains(got, `CREATE TABLE "custom"."closing"`) || strings.Contains(got, `"cellar"`),
		"the second service is not drafted right:\n%s", got)
}

func TestDDL(t *testing.T) {
	t.Parallel()
	check.Same(t, "shop.sql", golden(t, "shop.sql"), whole(schematest.Shop()))
	got := whole(schematest.Later())
	check.ErrorIf(t, got != "", "a service without resources gives %q", got)
}

// present returns a database that has exactly what shop declares, spelled by hand.
func present() ddl.Catalog {
	text := func(comment string) ddl.ExistingColumn {
		return ddl.ExistingColumn{Type: "text", Comment: comment}
	}
	organization := text("Identifier upstream of the organization that the row belongs to.")
	parent := text("Key of the record that the row belongs to, in things.")
	position := ddl.ExistingColumn{Type: "integer", Comment: "Place of the element in its array upstream, from 0."}
	stamp := "timestamp with time zone"
	deleted := ddl.ExistingColumn{Type: stamp, Comment: "When the record that the row belongs to was found to be gone upstream; null while it exists."}
	return ddl.Catalog{"shop": {
		"things": {Comment: "One thing for sale.", Columns: map[string]ddl.ExistingColumn{
			"organization_id": organization,
			"thing_id":        text("Identifier of the thing."),
			"owner":           text("Who owns it."),
			"name":            text("Name of the thing."),
			"sold":            {Type: "boolean", Comment: "Whether it is sold."},
			"count":           {Type: "bigint", Comment: "How many there are."},
			"price":           {Type: "numeric", Comment: "What it costs."},
			"day":             {Type: "date", Comment: "Since which day."},
			"changed":         {Type: "timestamp with time zone", Comment: "When it changed."},
			"blob":            {Type: "jsonb", Comment: "JSON because it is open."},
			"_extra":          {Type: "jsonb", Comment: "Keys that upstream sent and no declaration knows, by their path; null if there are none."},
			"_content_hash":   {Type: "bytea", Comment: "Content hash of all that the record carried, arrays included."},
			"_call_id":        {Type: "bigint", Comment: "Call that brought this version; its bytes are in sluice.raw_records."},
			"_raw_position":   {Type: "integer", Comment: "Place of the record's bytes among those of its call, from 0."},
			"_run_id":         {Type: "bigint", Comment: "Run that wrote this version."},
			"_first_seen_at":  {Type: stamp, Comment: "When the record was first loaded."},
			"_changed_at":     {Type: stamp, Comment: "When the row, or its tombstone, last changed here: the start of the transaction that wrote it, so rows can appear behind a later stamp."},
			"_payload_hash": {Type: "bigint", Comment: "Payload hash of the bytes that this version was made of, and of all that decided what they became; " +
				"null if none was kept."},
			"_deleted_at": {Type: stamp, Comment: "When the record was found to be gone upstream, by upstream's clock; null while it exists. " +
				"The evidence is in sluice.tombstones."},
		}},
		"things_parts": {Comment: "One part of it.", Columns: map[string]ddl.ExistingColumn{
			"organization_id": organization, "_parent_id": parent, "_position": position, "name": text("Name of the part."),
			"_deleted_at": deleted,
		}},
		"things_parts_serials": {Comment: "The number of a part.", Columns: map[string]ddl.ExistingColumn{
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
		spoil   func(ddl.Catalog)
		want    string
		changed bool
	}{
		{"nothing to do", func(ddl.Catalog) {}, "", false},
		{"new column", func(have ddl.Catalog) { delete(have["shop"]["things"].Columns, "owner") },
			"-- +goose Up\n" + `ALTER TABLE "shop"."things" ADD COLUMN "owner" text COLLATE "C";` + "\n" +
				`COMMENT ON COLUMN "shop"."things"."owner" IS 'Who owns it.';` + "\n", true},
		{"new sentences", func(have ddl.Catalog) {
			things := have["shop"]["things"]
			things.Comment = "Old."
			things.Columns["price"] = ddl.ExistingColumn{Type: "numeric"}
			have["shop"]["things"] = things
		}, "-- +goose Up\n" + `COMMENT ON TABLE "shop"."things" IS 'One thing for sale.';` + "\n" +
			`COMMENT ON COLUMN "shop"."things"."price" IS 'What it costs.';` + "\n", true},
		{"other type", func(have ddl.Catalog) {
			have["shop"]["things"].Columns["price"] = ddl.ExistingColumn{Type: "text", Comment: "What it costs."}
		}, "-- +goose Up\n-- by hand: shop.things.price is text and declared as numeric; change the type or the declaration\n", false},
		{"no longer declared", func(have ddl.Catalog) {
			have["shop"]["things"].Columns["colour"] = ddl.ExistingColumn{Type: "text"}
			have["shop"]["stuff"] = ddl.ExistingTable{}
		}, "-- +goose Up\n-- by hand: shop.things.colour is no longer declared; decide what becomes of its values\n" +
			"-- by hand: shop.stuff is no longer declared; decide what becomes of its rows\n", false},
		{"column of ours", func(have ddl.Catalog) { delete(have["shop"]["things"].Columns, "_content_hash") },
			"-- +goose Up\n-- by hand: shop.things._content_hash is missing and must not be null; decide what older rows get\n", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			have := present()
			c.spoil(have)
			got, changed := ddl.Draft([]schema.Service{schematest.Shop(), schematest.Later()}, have)
			diff := cmp.Diff(c.want, got)
			check.ErrorIf(t, diff != "" || changed != c.changed, "changed %t, (-want +got):\n%s", changed, diff)
		})
	}
}

func TestDraftOfAnEmptyDatabaseIsTheDDL(t *testing.T) {
	t.Parallel()
	got, changed := ddl.Draft([]schema.Service{schematest.Shop()}, nil)
	diff := cmp.Diff("-- +goose Up\n\n"+golden(t, "shop.sql"), got)
	check.ErrorIf(t, diff != "" || !changed, "changed %t, (-want +got):\n%s", changed, diff)
}

func TestDraftCreatesAMissingTableOnly(t *testing.T) {
	t.Parallel()
	have := present()
	delete(have["shop"], "things_parts_serials")
	got, changed := ddl.Draft([]schema.Service{schematest.Shop()}, have)
	_, tail, _ := strings.Cut(golden(t, "shop.sql"), `CREATE TABLE "shop"."things_parts_serials"`)
	want := "-- +goose Up\n\n" + `CREATE TABLE "shop"."things_parts_serials"` + tail
	diff := cmp.Diff(want, got)
	check.ErrorIf(t, diff != "" || !changed, "changed %t, (-want +got):\n%s", changed, diff)
}
