package config_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/pipeline/engine/config"
	"sluice/schema"
	"sluice/schema/redact"
)

const privateLists = `
database: {url: "${PG_URL}"}
vendor:
  api_url: https://www.example.com
  chat_url: https://chat.example.com
  auth_url: https://accounts.example.com
organizations:
  - name: north
    id: "1"
    credentials: {client_id: 1000.NORTH, client_secret: "${NORTH_SECRET}", refresh_token: "${NORTH_TOKEN}"}
    services: {inventory: {plan: standard}}
custom:
  - service: inventory
    name: price_lists
    path: /pricebooks
    key: pricebooks
    id: pricebook_id
    scope: settings
    cursor: {kind: full_scan}
    columns:
      - {wire: email, kind: text, class: contact, doc: Address of its owner.}
      - {wire: owner, kind: text, class: person, doc: Name of its owner.}
    children:
      - name: lines
        columns:
          - {wire: note, kind: text, class: free_text}
  - service: inventory
    name: owners
    path: /owners
    key: owners
    id: owner_id
    scope: settings
    cursor: {kind: full_scan}
    columns:
      - {wire: phone, kind: id, class: contact, doc: Number of its telephone.}
`

// left is what becomes of the columns of a resource, by path.
func left(cfg *config.Config, resource string) map[string]redact.How {
	found := make(map[string]redact.How)
	for _, rule := range cfg.Resources[resource].LeftOut {
		found[rule.Path] = rule.How
	}
	return found
}

func TestWhatIsLeftOut(t *testing.T) {
	t.Parallel()
	cfg, err := loadText(t, privateLists+`
privacy: {omit: [contact, free_text], key: "${HASH_KEY}"}
resources:
  price_lists: {hash: [email, person]}
`)
	if err != nil {
		t.Fatal(err)
	}
	lists, owners := left(cfg, "inventory.price_lists"), left(cfg, "inventory.owners")
	if len(lists) != 4 || lists["email"] != redact.Hashed || lists["owner"] != redact.Hashed || lists["lines.note"] != redact.Omitted ||
		lists["_extra"] != redact.Omitted {
		t.Errorf("of price lists: %v", lists)
	}
	if len(owners) != 2 || owners["phone"] != redact.Omitted || owners["_extra"] != redact.Omitted {
		t.Errorf("of owners: %v", owners)
	}
	if cfg.Privacy.HashKey() == nil {
		t.Error("there is no key")
	}
}

// TestOfflineWithoutTheKey: commands that make no call work without it, and then have none.
func TestOfflineWithoutTheKey(t *testing.T) {
	t.Parallel()
	text := privateLists + "privacy: {hash: [contact], key: \"${NOT_SET}\"}\n"
	read := func(string) ([]byte, error) { return []byte(text), nil }
	cfg, err := config.Load("config.yaml", lookup(environment()), read, services(), config.ForOffline)
	if err != nil || cfg.Privacy.HashKey() != nil || left(cfg, "inventory.owners")["phone"] != redact.Hashed {
		t.Errorf("%v", err)
	}
	if _, err = config.Load("config.yaml", lookup(environment()), read, services(), config.ForAll); err == nil || !strings.Contains(err.Error(), "NOT_SET") {
		t.Errorf("a command that copies takes it: %v", err)
	}
}

// TestCustomResources: a resource that the file declares becomes one like the built-in ones. It has
// the columns that the engine needs even if the file does not declare them.
func TestCustomResources(t *testing.T) {
	t.Parallel()
	cfg, err := load(t, filepath.Join("testdata", "everything.good.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]schema.Resource)
	for _, service := range cfg.Services {
		for _, r := range service.Resources {
			if r.Schema == "custom" {
				got[service.Name+"."+r.Name] = r
			}
		}
	}
	want := map[string]schema.Resource{
		"inventory.price_lists": {
			Name: "price_lists", Schema: "custom", Doc: "One record of /pricebooks, declared in the configuration.", AssumedPath: true,
			Path: "/pricebooks", Key: "pricebooks", ID: "pricebookID", Scope: "settings", Paging: schema.PagingWhole,
			Params:  map[string]string{"filter_by": "Status.All"},
			Cursor:  schema.Since{Column: "last_modified_time", Param: "last_modified_time", Created: "made", Assumed: true},
			Single:  &schema.Single{Path: "/pricebooks/{id}", Key: "pricebook", Assumed: true},
			Details: &schema.Details{Marker: "lines"},
			Every:   "24h0m0s",
			Columns: []schema.Column{
				{Wire: "pricebookID", Name: "pricebook_id", Kind: schema.KindID, Class: schema.Plain, Doc: "Identifier of the record."},
				{Wire: "rate", Name: "rate", Kind: schema.KindDecimal, Class: schema.Plain, Doc: "Rate of the list."},
				{Wire: "made", Name: "made", Kind: schema.KindTime, Class: schema.Plain, Doc: "When it was made."},
				{Wire: "day", Name: "day", Kind: schema.KindDate, Class: schema.Plain, Doc: "Day from which it applies."},
				{Wire: "state", Name: "state", Kind: schema.KindText, Class: schema.FreeText, Doc: "State of the list."},
				{Wire: "currency", Name: "currency", Kind: schema.KindID, Class: schema.Plain, Doc: "Currency of the rate."},
				{Wire: "last_modified_time", Name: "last_modified_time", Kind: schema.KindTime, Class: schema.Plain, Doc: "When the record last changed upstream."},
			},
			Children: []schema.Child{{
				Name: "lines", Doc: "One element of the key lines of a record.",
				Columns: []schema.Column{
					{Wire: "Item-Id", Name: "item_id", Kind: schema.KindID, Class: schema.Plain, Doc: "Value of the key Item-Id, not described in the configuration."},
					{
						Wire: "shape", Name: "shape", Kind: schema.KindJSON, Class: schema.FreeText,
						Doc: "Value of the key shape, as JSON because the configuration does not describe its parts.",
					},
				},
			}},
			Dated: &schema.Dated{
				On: "day", Figures: []string{"rate"}, Currency: "currency", Rate: "rate", State: "state", Out: []string{"draft", "won't do"},
				With: []string{"made"}, Lines: "lines", LineColumns: []string{"Item-Id"},
			},
		},
		"accounting.journals": {
			Name: "journals", Schema: "custom", Doc: "One manual journal.", AssumedPath: true,
			Path: "/journals", Key: "journals", ID: "journal_id", Scope: "accountants", Cursor: schema.FullScan{}, Every: "24h0m0s",
			Columns: []schema.Column{{Wire: "journal_id", Name: "journal_id", Kind: schema.KindID, Class: schema.Plain, Doc: "Identifier of the record."}},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestCustomResourcesLeaveTheCatalogueAlone: loading does not change the given services, which the
// whole program shares.
func TestCustomResourcesLeaveTheCatalogueAlone(t *testing.T) {
	t.Parallel()
	given := services()
	if _, err := loadWith(t, filepath.Join("testdata", "everything.good.yaml"), given); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(services(), given); diff != "" {
		t.Errorf("-before +after\n%s", diff)
	}
}
