package config_test

import (
	"strings"
	"testing"

	"sluice/pipeline/engine/config"
	"sluice/schema/redact"
)

const privateLists = `
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
