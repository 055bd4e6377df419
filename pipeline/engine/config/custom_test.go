package config_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/schema"
)

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
