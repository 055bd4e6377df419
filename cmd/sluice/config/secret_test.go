package config_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"log/slog"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"sluice/cmd/sluice/config"
	"sluice/pipeline/upstream"
)

// TestNothingPrintsASecret puts a canary into every Secret that reflection finds
// in a full configuration, and prints it in every way there is.
func TestNothingPrintsASecret(t *testing.T) {
	t.Parallel()
	cfg, err := load(t, filepath.Join("testdata", "everything.good.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if found := plant(reflect.ValueOf(cfg).Elem()); found != 5 {
		t.Fatalf("%d secrets in the configuration, want 5: the address and two of each of two organizations", found)
	}
	holder := struct{ hidden config.Secret }{upstream.NewSecret(canary)} // fmt asks unexported fields for no method
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
		v.Set(reflect.ValueOf(upstream.NewSecret(canary)))
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

func TestEncryptionKey(t *testing.T) {
	t.Parallel()
	key := []byte("0123456789abcdefghijklmnopqrstuv") // 32 bytes
	for name, test := range map[string]struct{ value, want string }{
		"padded":       {value: "MDEyMzQ1Njc4OWFiY2RlZmdoaWprbG1ub3BxcnN0dXY="},
		"unpadded":     {value: "MDEyMzQ1Njc4OWFiY2RlZmdoaWprbG1ub3BxcnN0dXY"},
		"line end":     {value: "MDEyMzQ1Njc4OWFiY2RlZmdoaWprbG1ub3BxcnN0dXY=\n"},
		"missing":      {value: "", want: "is not set"},
		"not base64":   {value: canary + " §", want: "is not base64"},
		"short":        {value: base64.StdEncoding.EncodeToString([]byte(canary)), want: "holds 6 bytes and not 32"},
		"all the same": {value: strings.Repeat("A", 43), want: "repeats one byte"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := config.EncryptionKey(lookup(map[string]string{"SLUICE_ENCRYPTION_KEY": test.value}))
			switch {
			case test.want == "" && (err != nil || !bytes.Equal(got, key)):
				t.Errorf("got %q, %v", got, err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want) ||
				!strings.Contains(err.Error(), "openssl rand -base64 32")):
				t.Errorf("got %v, want %q", err, test.want)
			case err != nil && strings.Contains(err.Error(), canary):
				t.Errorf("the message holds the key: %v", err)
			}
		})
	}
	if _, err := config.EncryptionKey(lookup(nil)); err == nil || !strings.Contains(err.Error(), "is not set") {
		t.Errorf("got %v", err)
	}
}
