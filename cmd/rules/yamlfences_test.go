package rules_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"sluice"
	"sluice/connectors"
	"sluice/pipeline/check"
	"sluice/pipeline/engine/config"
)

// TestYAMLFences decodes the YAML of all pages as the program does that reads it.
func TestYAMLFences(t *testing.T) {
	t.Parallel()
	for _, f := range fencesOf(t, 25, "yaml", "yml") {
		err := checkYAML(t, f.marker, f.code)
		check.ErrorIf(t, err != nil, "%s:%d: %v", f.page, f.line, err)
	}
}

// TestYAMLFencesBite shows each reader a text that it takes, and one of each kind of mistake.
func TestYAMLFencesBite(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ marker, text, want string }{
		{"", "lake: {every: 5m, warehouse: /srv/lake}\n", ""},
		{"", "organizations:\n  - credentials: {refresh_token: file:/run/secrets/token}\n", ""},
		{"", "organizations:\n  - credentials: {refresh_tokens: file:/run/secrets/token}\n", "unknown key"},
		{"", "lakes: {every: 5m}\n", "unknown key"},
		{"", "lake: {warehouse: /srv/lake, buckets: many}\n", "wants a whole number"},
		{"", "lake: {warehouse: /srv/lake, every: 5 minutes}\n", "wants a time span"},
		{"", "resources:\n  inventory.bill: {every: 6h}\n", "inventory.bill"},
		{"", "workers: 2\nworkers: 3\n", "already defined"},
		{"", "- workers: 2\n", "sequence was used where mapping is expected"},
		{"", "# workers: 2\n", "no keys"},
		{"compose", "services:\n  sluice: {mem_limit: 1g}\n", ""},
		{"compose", "services:\n  sluicer: {mem_limit: 1g}\n", "services.sluicer"},
		{"values", "console: {enabled: true}\n", ""},
		{"values", "console: {enable: true}\n", "console.enable"},
		{"values", "consoles: {enabled: true}\n", "consoles"},
		{foreignFence, "anything: [goes]\n", ""},
		{foreignFence, "anything: [goes\n", "not found"},
		{"chart", "anything: [goes]\n", "unknown marker"},
	} {
		err := checkYAML(t, test.marker, test.text)
		check.ErrorIf(t, (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want),
			"%s %s\ngot error %v, want %q", test.marker, test.text, err, test.want)
	}
}

// checkYAML decodes a text as its marker says. Without one it is a part of the configuration.
func checkYAML(t *testing.T, marker, text string) error {
	t.Helper()
	keys, err := keysOfYAML([]byte(text))
	if err != nil {
		return err
	}
	switch marker {
	case "":
		return checkConfiguration(t, keys)
	case "compose":
		delete(keys, "secrets") // further ones
		return known(t, keys, "deploy", "compose.yaml")
	case "values": // .ci/deploy renders the chart with them
		return known(t, keys, "deploy", "chart", "values.yaml")
	case foreignFence:
		return nil
	default:
		return fmt.Errorf("unknown marker %q", marker)
	}
}

func keysOfYAML(text []byte) (map[string]any, error) {
	var keys map[string]any
	if err := yaml.Unmarshal(text, &keys); err != nil {
		return nil, fmt.Errorf("reading YAML: %w", err)
	}
	if len(keys) == 0 {
		return nil, errors.New("no keys")
	}
	return keys, nil
}

// secretFile is a reference to a file of a secret.
var secretFile = regexp.MustCompile(`file:/[\w/]+`)

// checkConfiguration loads config.example.yaml with the keys laid over it, as the program does.
// Secrets may be missing; a file of one holds a secret.
func checkConfiguration(t *testing.T, keys map[string]any) error {
	t.Helper()
	example := check.Sure(keysOfYAML([]byte(sluice.ExampleConfig)))(t)
	text := check.Sure(yaml.Marshal(lay(example, keys)))(t)
	secret := filepath.Join(t.TempDir(), "secret")
	check.Must(t, os.WriteFile(secret, []byte("abcdefgh1234"), 0o400))
	text = secretFile.ReplaceAll(text, []byte("file:"+secret))
	getenv := func(name string) (string, bool) {
		switch {
		case strings.HasSuffix(name, "_URL"):
			return "postgres://db.example.com/warehouse?sslmode=verify-full", true
		case strings.HasSuffix(name, "PASSWORD"):
			return "secret", true
		}
		return "", false
	}
	_, err := config.Load("config.yaml", getenv, func(string) ([]byte, error) { return text, nil }, connectors.All(), config.ForOffline)
	return err
}

// lay returns a value with another one laid over it: keys of mappings are added or replaced,
// elements of lists are laid over those of the same index.
func lay(below, above any) any {
	switch above := above.(type) {
	case map[string]any:
		laid, _ := below.(map[string]any)
		laid = maps.Clone(laid)
		if laid == nil {
			return above
		}
		for key, value := range above {
			laid[key] = lay(laid[key], value)
		}
		return laid
	case []any:
		laid := slices.Clone(above)
		if below, ok := below.([]any); ok {
			for i := range min(len(laid), len(below)) {
				laid[i] = lay(below[i], laid[i])
			}
		}
		return laid
	default:
		return above
	}
}

// known refuses keys that a file of the repository does not have. Below a key that it leaves empty
// every key is allowed.
func known(t *testing.T, keys map[string]any, file ...string) error {
	t.Helper()
	text := check.Sure(os.ReadFile(filepath.Join(append([]string{root(t)}, file...)...)))(t)
	have := check.Sure(keysOfYAML(text))(t)
	var unknown []error
	var compare func(path string, given, have map[string]any)
	compare = func(path string, given, have map[string]any) {
		for key, value := range given {
			if _, ok := have[key]; !ok {
				unknown = append(unknown, fmt.Errorf("%s has no key %s%s", filepath.Join(file...), path, key))
			}
			inner, isMapping := value.(map[string]any)
			if within, _ := have[key].(map[string]any); isMapping && len(within) > 0 {
				compare(path+key+".", inner, within)
			}
		}
	}
	compare("", keys, have)
	return errors.Join(unknown...)
}
