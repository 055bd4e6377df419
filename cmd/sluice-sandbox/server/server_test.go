package server

import (
	"io"
	"slices"
	"testing"

	"sluice/connectors"
	"sluice/pipeline/engine"
	"sluice/sandbox"
)

// TestConfig reads the configuration that the sandbox prints: it has every service, and the
// parents that only a configuration can name.
func TestConfig(t *testing.T) {
	t.Parallel()
	for name, running := range map[string]Running{
		"bare":         {},
		"with parents": {Networks: []string{"partners", "second network"}, Modules: []string{"cm_vehicles"}},
	} {
		running.URL, running.Organization, running.ClientID = "http://127.0.0.1:1", sandbox.DefaultOrganizationID, sandbox.ClientID
		a, err := engine.Load(engine.Options{
			Catalogue: connectors.All(), ConfigPath: "sandbox.yaml", LogTo: io.Discard, Quiet: true,
			LookupEnv: func(string) (string, bool) { return "secret", true },
			ReadFile: func(string) ([]byte, error) {
				return []byte("database: {url: \"postgres://h/d\"}\n" + running.Config("standard")), nil
			},
		})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		services := a.Config.Organizations[0].Services
		for _, service := range connectors.All() {
			// A service without a list of its own has nothing to copy until one is declared.
			if _, ok := services[service.Name]; ok != (len(service.Resources) > 0) {
				t.Errorf("%s: the service %s is there: %t", name, service.Name, ok)
			}
		}
		if got := services["chat"].Networks; !slices.Equal(got, running.Networks) {
			t.Errorf("%s: networks %q, want %q", name, got, running.Networks)
		}
		if got := services["accounting"].CustomModules; !slices.Equal(got, running.Modules) {
			t.Errorf("%s: custom modules %q, want %q", name, got, running.Modules)
		}
	}
}
