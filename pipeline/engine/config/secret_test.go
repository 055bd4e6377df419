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

	"sluice/pipeline/engine/config"
	"sluice/pipeline/upstream/wire"
)

// TestNothingPrintsASecret puts a canary into every Secret that reflection finds in a full
// configuration, and prints the configuration in every way.
func TestNothingPrintsASecret(t *testing.T) {
	t.Parallel()
	cfg, err := load(t, filepath.Join("testdata", "everything.good.yaml"))
	if err != nil {
		t.Fatal(err)
	}
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
	if err != nil {
		t.Fatal(err)
	}
	asYAML, err := yaml.Marshal(cfg.Organizations[0].Credentials)
	if err != nil {
		t.Fatal(err)
	}
	asXML, err := xml.Marshal(cfg.Organizations[0].Credentials) //nolint:musttag // as above
	if err != nil {
		t.Fatal(err)
	}
	var logged bytes.Buffer
	slog.New(slog.NewJSONHandler(&logged, nil)).Info("x", "config", cfg, "secret", cfg.Database.URL)
	slog.New(slog.NewTextHandler(&logged, nil)).Info("x", "config", cfg, "secret", cfg.Database.URL)
	outputs = append(outputs, string(asJSON), string(asYAML), string(asXML), logged.String(), fmt.Sprint(fmt.Errorf("%w: %v", errTest, cfg)))
	hexed := fmt.Sprintf("%x", canary)
	for _, output := range outputs {
		if strings.Contains(output, canary) || strings.Contains(strings.ToLower(output), hexed) {
			t.Errorf("a secret is printed:\n%s", output)
		}
	}
	for _, output := range []string{string(asJSON), string(asYAML), string(asXML), logged.String()} {
		if !strings.Contains(output, "[redacted]") {
			t.Errorf("no [redacted] in:\n%s", output)
		}
	}
	if cfg.Database.URL.Reveal() != canary {
		t.Error("Reveal does not give the value")
	}
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
	if empty.Reveal() != "" || empty.String() != "[redacted]" {
		t.Error("the zero value is not an empty secret")
	}
}
