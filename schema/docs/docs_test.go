package docs_test

import (
	"os"
	"strings"
	"testing"

	"sluice/pipeline/check"
	"sluice/schema"
	"sluice/schema/docs"
	"sluice/schema/schematest"
)

func golden(t *testing.T, name string) string {
	t.Helper()
	data := check.Sure(os.ReadFile("testdata/" + name))(t)
	return string(data)
}

func TestDictionary(t *testing.T) {
	t.Parallel()
	got := docs.Dictionary([]schema.Service{schematest.Shop(), schematest.Later()})
	check.Same(t, "shop.md", golden(t, "shop.md"), got)
}

func TestDictionarySaysHowListsAreRead(t *testing.T) {
	t.Parallel()
	for want, cursor := range map[string]schema.Cursor{
		"- Reading: newest first by `changed`, down to the watermark, every 15m\n": schema.NewestFirst{Column: "changed", Sort: "changed"},
		"- Reading: the whole list, sorted by `made`; `changed` tells which version is newer, every 15m\n": schema.FullScan{
			Modified: "changed", Created: "made", Sort: "made",
		},
		"- Reading: the whole export, one CSV body with the columns named in `fields`, every 15m\n": schema.Export{FieldsParam: "fields"},
	} {
		service := schematest.Shop()
		service.Resources[0].Cursor = cursor
		got := docs.Dictionary([]schema.Service{service})
		check.ErrorIf(t, !strings.Contains(got, want), "%T: %q is missing", cursor, want)
	}
}

func TestDictionaryOfTheHouse(t *testing.T) {
	t.Parallel()
	got, _, _ := strings.Cut(docs.Dictionary([]schema.Service{schematest.House()}), "\n## Columns of ours")
	check.Same(t, "house.md", golden(t, "house.md"), got)
}

func TestDictionarySaysHowDetailsAndParentsAreRead(t *testing.T) {
	t.Parallel()
	service := schematest.House()
	service.Resources[0].Details.Batch = &schema.Batch{Path: "/ratedetails", Key: "rates", Param: "rate_ids", Size: 100}
	service.Resources[1].Columns[2].Given = false
	service.Resources[1].Paging = schema.PagingWhole
	got := docs.Dictionary([]schema.Service{service})
	for _, want := range []string{
		"- Details: where the list leaves out `steps`, up to 100 records a call: `GET /house/v1/ratedetails`, key `rates`, identifiers in `rate_ids`; " +
			"order: the largest `amount`, tenfold for open ones (`kind` `a`), the newest\n",
		"| `floor` | text | plain | The floor of it. Filled in by sluice where a record leaves it out. |\n",
		"first: the whole list, in one answer without pages, every 12h\n",
	} {
		check.ErrorIf(t, !strings.Contains(got, want), "%q is missing", want)
	}
}

// TestPersonal: every class has its columns, in records and arrays; text that is plain, amounts and
// tables without such columns are left out.
func TestPersonal(t *testing.T) {
	t.Parallel()
	shop := schema.Service{Name: "shop", Resources: []schema.Resource{
		{
			Name: "people", ID: "id", Cursor: schema.FullScan{}, Columns: []schema.Column{
				schema.ID("id", "Its key."), schema.Text("first", "Its name.").Is(schema.Person), schema.Text("last", "Its name.").Is(schema.Person).As("family"),
				schema.Text("mail", "Its mail.").Is(schema.Contact), schema.Text("street", "Its street.").Is(schema.Address),
				schema.Text("vat", "Its number.").Is(schema.TaxNumber), schema.Text("firm", "Its firm.").Is(schema.Company),
				schema.Text("state", "Its state.").Is(schema.Plain), schema.Decimal("owed", "What it owes."),
			},
			Children: []schema.Child{{Name: "cards", Columns: []schema.Column{
				schema.Text("number", "Its number.").Is(schema.Bank), schema.Text("note", "A note.").Is(schema.FreeText),
			}}},
		},
		{Name: "taxes", ID: "id", Cursor: schema.FullScan{}, Columns: []schema.Column{schema.ID("id", "Its key.")}},
	}}
	got := docs.Personal([]schema.Service{shop})
	_, got, _ = strings.Cut(got, "\n## ")
	const want = "shop\n\n| Table | Columns by class |\n|---|---|\n" +
		"| `shop.people` | person: `first`, `family`; contact: `mail`; address: `street`; tax number: `vat` |\n" +
		"| `shop.people_cards` | bank: `number`; free text: `note` |\n" +
		"\nTables without such a column: 1.\n"
	check.ErrorIf(t, got != want, "got\n%s\nwant\n%s", got, want)
}

func TestDiagrams(t *testing.T) {
	t.Parallel()
	services := []schema.Service{schematest.Shop(), schematest.Later(), schematest.House()}
	check.Same(t, "Mermaid", golden(t, "erd.md"), docs.Mermaid(services))
	check.Same(t, "DBML", golden(t, "house.dbml"), docs.DBML([]schema.Service{schematest.Later(), schematest.House()}))
	got := docs.DBML(services)
	check.ErrorIf(t, !strings.HasSuffix(got, `
Ref: "shop"."things_parts".("organization_id", "_parent_id") > "shop"."things".("organization_id", "thing_id") [delete: cascade]

Ref: "shop"."things_parts_serials".("organization_id", "_parent_id", "_parent_position") > `+
		`"shop"."things_parts".("organization_id", "_parent_id", "_position") [delete: cascade]

Ref: "house"."rates_steps".("organization_id", "_parent_id") > "house"."rates".("organization_id", "rate_id") [delete: cascade]

Ref: "house"."rates_fields".("organization_id", "_parent_id") > "house"."rates".("organization_id", "rate_id") [delete: cascade]
`), "the relations are others in %s", got)
}

// TestDictionaryWritesColumnsOnce: a table whose columns an earlier table has refers to it, and
// keys that are not copied for one reason share a line.
func TestDictionaryWritesColumnsOnce(t *testing.T) {
	t.Parallel()
	columns := []schema.Column{schema.ID("id", "Its key."), schema.Decimal("owed", "What it owes.")}
	ignored := map[string]string{"b": "state of the form", "a": "state of the form", "c": "a twin of owed"}
	list := func(name string, columns []schema.Column, ignored map[string]string) schema.Resource {
		return schema.Resource{Name: name, ID: "id", Cursor: schema.FullScan{}, Columns: columns, Ignored: ignored}
	}
	got := docs.Dictionary([]schema.Service{{Name: "shop", Resources: []schema.Resource{
		list("first", columns, ignored), list("same", columns, ignored), list("open", columns, nil),
		list("more", append(columns[:2:2], schema.Bool("sold", "Whether it is sold.")), nil),
	}}})
	for _, want := range []string{
		"\nNot copied: a twin of owed (`c`); state of the form (`a`, `b`).\n\n### shop.same\n",
		"- Table: `shop.same`, key `(organization_id, id)`. Columns and keys that are not copied as in `shop.first`.\n\n###",
		"- Table: `shop.open`, key `(organization_id, id)`. Columns as in `shop.first`.\n\n###",
		"- Table: `shop.more`, key `(organization_id, id)`. Columns as in `shop.first`, and those below.\n\n" +
			"| Column | Type | Class | Meaning |\n|---|---|---|---|\n| `sold` | boolean | plain | Whether it is sold. |\n\n##",
	} {
		check.ErrorIf(t, !strings.Contains(got, want), "%q is missing in\n%s", want, got)
	}
}
