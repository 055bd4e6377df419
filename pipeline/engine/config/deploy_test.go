package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sluice/connectors"
	"sluice/pipeline/engine/config"
)

// TestDeployedConfigurations loads the configurations that deploy has for compose, the chart and
// the manifests, with the files of secrets that they name.
func TestDeployedConfigurations(t *testing.T) {
	t.Parallel()
	secrets := t.TempDir()
	for name, text := range map[string]string{
		"database_url": "postgres://sluice:" + canary + "@db.example.com/warehouse", "client_secret": canary, "refresh_token": canary,
		"acme_client_secret": canary, "acme_refresh_token": canary, "acme_hook_secret": "abcdefgh1234",
	} {
		if err := os.WriteFile(filepath.Join(secrets, name), []byte(text), 0o400); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{
		"compose/config.yaml", "compose/demo.yaml", "chart/examples/config.yaml", "chart/examples/receiver.yaml",
		"manifests/serve/config.yaml", "manifests/batch/config.yaml", "manifests/example/config.yaml",
	} {
		text := strings.ReplaceAll(read(t, "../../../deploy/"+file), "file:/run/secrets", "file:"+secrets)
		got, err := config.Load(file, lookup(nil), func(string) ([]byte, error) { return []byte(text), nil }, connectors.All(), config.ForAll)
		if err != nil {
			t.Errorf("deploy/%s: %v", file, err)
			continue
		}
		if len(got.Organizations) != 1 || got.Organizations[0].Credentials.RefreshToken.Reveal() != canary {
			t.Errorf("deploy/%s: %d organizations", file, len(got.Organizations))
		}
	}
}
