package config_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"sluice/schema"
	"sluice/schema/custom"
)

// head is a configuration without lists of its own.
const head = `vendor:
  api_url: https://www.example.com
  chat_url: https://chat.example.com
  auth_url: https://accounts.example.com
organizations:
  - name: north
    id: "1"
    credentials: {client_id: 1000.NORTH, client_secret: "${NORTH_SECRET}", refresh_token: "${NORTH_TOKEN}"}
    services:
      accounting: {plan: standard}
`

// TestCatalogue: a named list is copied, with its table in schema custom; the others are not.
func TestCatalogue(t *testing.T) {
	t.Parallel()
	got := customOf(t, head+"catalogue: [journals, inventory_contacts]\nresources:\n  journals: {every: 3h}\n")
	if names := slices.Sorted(maps.Keys(got)); !slices.Equal(names, []string{"accounting.journals", "inventory.inventory_contacts"}) {
		t.Errorf("lists %v", names)
	}
}

// customOf loads a configuration and returns its lists in schema custom.
func customOf(t *testing.T, text string) map[string]schema.Resource {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := load(t, path)
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]schema.Resource)
	for _, service := range cfg.Services {
		for _, r := range service.Resources {
			if r.Schema == custom.Schema {
				found[service.Name+"."+r.Name] = r
			}
		}
	}
	return found
}
