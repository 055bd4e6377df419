package config_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"log/slog"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"sluice/pipeline/check"
	"sluice/pipeline/engine/config"
	"sluice/pipeline/upstream/wire"
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
	cfg := check.Sure(loadText(t, privateLists+`
privacy: {omit: [contact, free_text], key: "${HASH_KEY}"}
resources:
  price_lists: {hash: [email, person]}
`))(t)
	lists, owners := left(cfg, "inventory.price_lists"), left(cfg, "inventory.owners")
	if len(lists) != 4 || lists["email"] != redact.Hashed || lists["owner"] != redact.Hashed || lists["lines.note"] != redact.Omitted ||
		lists["_extra"] != redact.Omitted {
		t.Errorf("of price lists: %v", lists)
	}
	check.ErrorIf(t, len(owners) != 2 || owners["phone"] != redact.Omitted || owners["_extra"] != redact.Omitted, "of owners: %v", owners)
	check.ErrorIf(t, cfg.Privacy.HashKey() == nil, "there is no key")
}

// TestOfflineWithoutTheKey: commands that make no call work without it, and then have none.
func TestOfflineWithoutTheKey(t *testing.T) {
	t.Parallel()
	text := privateLists + "privacy: {hash: [contact], key: \"${NOT_SET}\"}\n"
	read := func(string) ([]byte, error) { return []byte(text), nil }
	cfg, err := config.Load("config.yaml", lookup(environment()), read, services(), config.ForOffline)
	check.ErrorIf(t, err != nil || cfg.Privacy.HashKey() != nil || left(cfg, "inventory.owners")["phone"] != redact.Hashed, "%v", err)
	if _, err = config.Load("config.yaml", lookup(environment()), read, services(), config.ForAll); err == nil || !strings.Contains(err.Error(), "NOT_SET") {
		t.Errorf("a command that copies takes it: %v", err)
	}
}

// TestCustomResources: a resource that the file declares becomes one like the built-in ones. It has
// the columns that the engine needs even if the file does not declare them.
func TestCustomResources(t *testing.T) {
	t.Parallel()
	cfg := check.Sure(load(t, filepath.Join("testdata", "everything.good.yaml")))(t)
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
	check.Same(t, "", want, got)
}

// TestCustomResourcesLeaveTheCatalogueAlone: loading does not change the given services, which the
// whole program shares.
func TestCustomResourcesLeaveTheCatalogueAlone(t *testing.T) {
	t.Parallel()
	given := services()
	check.Must(t, check.Failure(loadWith(t, filepath.Join("testdata", "everything.good.yaml"), given)))
	check.Same(t, "what was given", services(), given)
}

// TestNothingPrintsASecret puts a canary into every Secret that reflection finds in a full
// configuration, and prints the configuration in every way.
func TestNothingPrintsASecret(t *testing.T) {
	t.Parallel()
	cfg := check.Sure(load(t, filepath.Join("testdata", "everything.good.yaml")))(t)
	if found := plant(reflect.ValueOf(cfg).Elem()); found != 17 {
		t.Fatalf("%d secrets in the configuration, want 17: two addresses, their password, that of the catalog of the lake, two of each of two organizations, three of notifications, a header, that of the console, the key of hashes, and three of events", found)
	}
	holder := struct{ hidden config.Secret }{wire.NewSecret(canary)} // fmt asks unexported fields for no method
	var outputs []string
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%T"} {
		outputs = append(outputs, fmt.Sprintf(verb, cfg), fmt.Sprintf(verb, *cfg), fmt.Sprintf(verb, holder),
			fmt.Sprintf(verb, cfg.Database.URL), fmt.Sprintf(verb, &cfg.Organizations[0].Credentials))
	}
	asJSON, err := json.Marshal(cfg) //nolint:musttag // whatever the keys are called
	check.Must(t, err)
	asYAML := check.Sure(yaml.Marshal(cfg.Organizations[0].Credentials))(t)
	asXML, err := xml.Marshal(cfg.Organizations[0].Credentials) //nolint:musttag // as above
	check.Must(t, err)
	var logged bytes.Buffer
	slog.New(slog.NewJSONHandler(&logged, nil)).Info("x", "config", cfg, "secret", cfg.Database.URL)
	slog.New(slog.NewTextHandler(&logged, nil)).Info("x", "config", cfg, "secret", cfg.Database.URL)
	outputs = append(outputs, string(asJSON), string(asYAML), string(asXML), logged.String(), fmt.Sprint(fmt.Errorf("%w: %v", errTest, cfg)))
	hexed := fmt.Sprintf("%x", canary)
	for _, output := range outputs {
		check.ErrorIf(t, strings.Contains(output, canary) || strings.Contains(strings.ToLower(output), hexed), "a secret is printed:\n%s", output)
	}
	for _, output := range []string{string(asJSON), string(asYAML), string(asXML), logged.String()} {
		check.ErrorIf(t, !strings.Contains(output, "[redacted]"), "no [redacted] in:\n%s", output)
	}
	check.Same(t, "Reveal does not give the value", canary, cfg.Database.URL.Reveal())
}

var errTest = fmt.Errorf("test")

// plant replaces every Secret below v and counts them.
func plant(v reflect.Value) int {
	if v.Type() == reflect.TypeFor[config.Secret]() {
		v.Set(reflect.ValueOf(wire.NewSecret(canary)))
		return 1
	}
	found := 0
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				found += plant(v.Field(i))
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			found += plant(v.Index(i))
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			if v.Type().Elem() == reflect.TypeFor[config.Secret]() {
				v.SetMapIndex(key, reflect.ValueOf(wire.NewSecret(canary)))
				found++
			}
		}
	default:
	}
	return found
}

func TestEmptySecret(t *testing.T) {
	t.Parallel()
	var empty config.Secret
	check.ErrorIf(t, empty.Reveal() != "" || empty.String() != "[redacted]", "the zero value is not an empty secret")
}
