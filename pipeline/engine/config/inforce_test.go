package config_test

import (
	"path/filepath"
	"strings"
	"testing"

	"sluice/pipeline/engine/config"
)

// TestSettings: the configuration in force has defaults, and of secrets where they come from.
func TestSettings(t *testing.T) {
	t.Parallel()
	got, err := load(t, filepath.Join("testdata", "everything.good.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]config.Setting{}
	for _, setting := range got.Settings() {
		if _, twice := found[setting.Path]; twice {
			t.Errorf("%s is there twice", setting.Path)
		}
		if strings.Contains(setting.Value, canary) {
			t.Errorf("%s shows a secret: %s", setting.Path, setting.Value)
		}
		found[setting.Path] = setting
	}
	for path, want := range map[string]config.Setting{
		"organizations[0].credentials.refresh_token": {Value: "${NORTH_TOKEN}", Secret: true},
		"log.level":       {Value: "debug"},
		"workers":         {Value: "3"},
		"vendor.name":     {Value: "Acme"},
		"database.url":    {Value: "the configuration file", Secret: true},
		"retention.calls": {Value: "48h0m0s"}, "retention.quarantine.open": {Value: "8760h0m0s"}, "retention.gone": {Value: "720h0m0s"},
	} {
		want.Path = path
		if found[path] != want {
			t.Errorf("%s is %+v, want %+v", path, found[path], want)
		}
	}
}
