package render_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/schema"
	"sluice/schema/render"
)

// house has what shop has not: details, a history, documented values, keys by
// prefix, lists under parents, one object, a second Postgres schema and an answer
// on demand. Its files in testdata were written by hand, too.
func house() schema.Service {
	return schema.Service{
		Name: "house", Doc: "What the house holds.", Root: "/house/v1",
		Resources: []schema.Resource{rates(), rooms(), opening()},
		Reads: []schema.Read{{
			Name: "preview", Doc: "What would happen then.", Path: "/preview", Key: "data", Scope: "settings",
			Params:  []schema.Param{{Name: "date", Doc: "The day of it.", Required: true}, {Name: "notes", Doc: "A free note."}},
			Assumed: []string{"The answer is not shown."},
		}},
	}
}

func rates() schema.Resource {
	return schema.Resource{
		Name: "rates", Doc: "One rate of the house.", Path: "/rates", Key: "rates", ID: "rateId", Every: "1h",
		Single:  &schema.Single{Path: "/rates/{id}", Key: "rate"},
		Details: &schema.Details{Marker: "steps"},
		History: []string{"amount", "fromDay"},
		Cursor:  schema.NewestFirst{Column: "changedAt", Sort: "changed"},
		Columns: []schema.Column{
			schema.ID("rateId", "Identifier of the rate.").As("rate_id"),
			schema.Decimal("amount", "What it amounts to."),
			schema.Date("fromDay", "From which day on.").As("from_day"),
			schema.Text("kind", "Which kind it is.").OneOf("a", "b"),
			schema.Text("unit", "What it is counted in.").OneOf("1", "2", "3", "4", "5", "6", "7", "8", "9", "10"),
			schema.Time("changedAt", "When it changed.").As("changed"),
		},
		Children: []schema.Child{
			{Name: "steps", Doc: "One step of it.", Columns: []schema.Column{schema.Int("height", `How "high" it is.`)}},
			{Name: "fields", Doc: "One field of it.", Prefix: "cf_", Twin: "_formatted", Columns: []schema.Column{
				schema.ID("key", "Key of the field."), schema.JSON("value", `JSON because it's open \ free.`), schema.Text("text", "As it is shown."),
			}},
		},
	}
}

func rooms() schema.Resource {
	return schema.Resource{
		Name: "rooms", Doc: "One room of a floor.", Path: "/floors/{parent}/rooms", AssumedPath: true, Optional: true, Key: "rooms",
		ID: "room_key", Every: "12h", Paging: schema.PagingToken,
		Cursor: schema.PerParent{
			Column: "floor", Identifier: "room_id", Listed: schema.ListedNetworks,
			From: []schema.ParentColumn{{Schema: "shop", Table: "things", Column: "owner"}},
			List: schema.FullScan{},
		},
		Columns: []schema.Column{
			schema.ID("room_key", "Floor and identifier.").Give(), schema.ID("room_id", "Identifier on the floor."),
			schema.ID("floor", "The floor of it.").Give(),
		},
	}
}

func opening() schema.Resource {
	return schema.Resource{
		Name: "opening", Schema: "custom", Doc: "What was there first.", Path: "/opening", Key: "opening", ID: "opening_id",
		Every: "24h", Paging: schema.PagingWhole, Cursor: schema.Snapshot{},
		Columns: []schema.Column{schema.ID("opening_id", "Identifier of the opening.")},
	}
}

func TestDDLOfTheHouse(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff(golden(t, "house.sql"), render.DDL(house())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDictionaryOfTheHouse(t *testing.T) {
	t.Parallel()
	got, _, _ := strings.Cut(render.Dictionary([]schema.Service{house()}), "\n## Columns of ours")
	if diff := cmp.Diff(golden(t, "house.md"), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDictionarySaysHowDetailsAndParentsAreRead(t *testing.T) {
	t.Parallel()
	service := house()
	service.Resources[0].Details.Batch = &schema.Batch{Path: "/ratedetails", Key: "rates", Param: "rate_ids", Size: 100}
	service.Resources[1].Columns[2].Given = false
	service.Resources[1].Paging = schema.PagingWhole
	got := render.Dictionary([]schema.Service{service})
	for _, want := range []string{
		"- Details: where the list leaves out `steps`, up to 100 records a call: `GET /house/v1/ratedetails`, key `rates`, identifiers in `rate_ids`\n",
		"| `floor` | text | The floor of it. Filled in by sluice where a record leaves it out. |\n",
		"first: the whole list, in one answer without pages, every 12h\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing", want)
		}
	}
}

func TestDiagrams(t *testing.T) {
	t.Parallel()
	services := []schema.Service{shop(), later(), house()}
	if diff := cmp.Diff(golden(t, "erd.md"), render.Mermaid(services)); diff != "" {
		t.Errorf("Mermaid (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(golden(t, "house.dbml"), render.DBML([]schema.Service{later(), house()})); diff != "" {
		t.Errorf("DBML (-want +got):\n%s", diff)
	}
	if got := render.DBML(services); !strings.HasSuffix(got, `
Ref: "shop"."things_parts".("organization_id", "_parent_id") > "shop"."things".("organization_id", "thing_id") [delete: cascade]

Ref: "shop"."things_parts_serials".("organization_id", "_parent_id", "_parent_position") > `+
		`"shop"."things_parts".("organization_id", "_parent_id", "_position") [delete: cascade]

Ref: "house"."rates_steps".("organization_id", "_parent_id") > "house"."rates".("organization_id", "rate_id") [delete: cascade]

Ref: "house"."rates_fields".("organization_id", "_parent_id") > "house"."rates".("organization_id", "rate_id") [delete: cascade]
`) {
		t.Errorf("the relations are others in %s", got)
	}
}

// found is what a database with exactly the tables of the house would report.
func found(t *testing.T) render.Catalog {
	t.Helper()
	have := render.Catalog{}
	var in, table string
	for line := range strings.Lines(golden(t, "house.sql")) {
		line = strings.TrimRight(line, ";\n")
		if name, ok := strings.CutPrefix(line, "CREATE TABLE "); ok {
			in, table, _ = strings.Cut(strings.ReplaceAll(strings.TrimSuffix(name, " ("), `"`, ""), ".")
			if have[in] == nil {
				have[in] = map[string]render.ExistingTable{}
			}
			have[in][table] = render.ExistingTable{Columns: map[string]render.ExistingColumn{}}
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
			entry.Columns[name] = render.ExistingColumn{Type: typed(t, in, table, name), Comment: comment}
		}
	}
	return have
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
		spoil   func(render.Catalog)
		want    string
		changed bool
	}{
		{"nothing to do", func(render.Catalog) {}, "", false},
		{"foreign tables in the users' schema", func(have render.Catalog) { have["custom"]["others"] = render.ExistingTable{} }, "", false},
		{"tables that nobody declares", func(have render.Catalog) { have["house"]["others"] = render.ExistingTable{} },
			head + "-- by hand: house.others is no longer declared; decide what becomes of its rows\n", false},
		{"details of older rows", func(have render.Catalog) { delete(have["house"]["rates"].Columns, "_detail_state") },
			head + details + `ALTER TABLE "house"."rates" ADD COLUMN "_detail_state" text NOT NULL DEFAULT 'none_needed' CHECK ("_detail_state" IN ` +
				`('none_needed', 'pending', 'current', 'stale', 'failed'));` + "\n" +
				`COMMENT ON COLUMN "house"."rates"."_detail_state" IS 'What is known of the single record: none_needed (the list had it all), ` +
				`pending (not read yet), current, stale (the list record changed since), failed (to be tried again).';` + "\n" + index, true},
		{"a users' schema", func(have render.Catalog) { delete(have, "custom") },
			head + "\n" + `CREATE SCHEMA IF NOT EXISTS "custom"` + custom, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			have := found(t)
			c.spoil(have)
			got, changed := render.Draft([]schema.Service{house()}, have)
			if diff := cmp.Diff(c.want, got); diff != "" || changed != c.changed {
				t.Errorf("changed %t, (-want +got):\n%s", changed, diff)
			}
		})
	}
}

func TestDraftCreatesASharedSchemaOnce(t *testing.T) {
	t.Parallel()
	other := house()
	other.Name = "cellar"
	other.Resources = other.Resources[2:]
	other.Resources[0].Name = "closing"
	got, _ := render.Draft([]schema.Service{house(), other}, nil)
	if count := strings.Count(got, `CREATE SCHEMA IF NOT EXISTS "custom"`); count != 1 {
		t.Errorf("the users' schema is created %d times", count)
	}
	if !strings.Contains(got, `CREATE TABLE "custom"."closing"`) || strings.Contains(got, `"cellar"`) {
		t.Errorf("the second service is not drafted right:\n%s", got)
	}
}
