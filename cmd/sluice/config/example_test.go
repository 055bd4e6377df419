package config_test

import (
	"maps"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/cmd/sluice/config"
	"sluice/connectors"
)

const example = "../../../config.example.yaml"

// TestExampleShowsDefaults loads the example of the repository and, next to it,
// the same file without what it need not say: both have to mean the same.
func TestExampleShowsDefaults(t *testing.T) {
	t.Parallel()
	text := read(t, example)
	env := environment()
	maps.Copy(env, map[string]string{
		"SLUICE_DATABASE_URL": "postgres://sluice:" + canary + "@db.example.com/warehouse",
		"ACME_CLIENT_SECRET":  canary + "-acme",
		"ACME_REFRESH_TOKEN":  canary + "-acme",
	})
	full, err := config.Load(example, lookup(env), os.ReadFile, connectors.All())
	if err != nil {
		t.Fatal(err)
	}
	bare := text
	for _, optional := range []string{
		"  name: Svc\n", "    data_center: com\n", "resources: {}\n", "workers: 8\n", "log:\n", "  level: info\n",
		"listen: 127.0.0.1:9464\n", "quarantine:\n", "  max_share: 0.05\n",
	} {
		if strings.Count(bare, "\n"+optional) != 1 {
			t.Errorf("the example shows %q not once", optional)
		}
		bare = strings.Replace(bare, "\n"+optional, "\n", 1)
	}
	readBare := func(string) ([]byte, error) { return []byte(bare), nil }
	short, err := config.Load("bare.yaml", lookup(env), readBare, connectors.All())
	if err != nil {
		t.Fatal(err)
	}
	reveal := cmp.Comparer(func(a, b config.Secret) bool { return a.Reveal() == b.Reveal() })
	zones := cmp.Transformer("zone", func(o config.Organization) [3]any { return [3]any{o.Name, o.DataCenter, o.Services} })
	if diff := cmp.Diff(short, full, reveal, zones); diff != "" {
		t.Errorf("-default +example\n%s", diff)
	}
}

// TestExampleCommentsEveryKey demands a comment above every key of the example,
// and that what is commented out is right, too.
func TestExampleCommentsEveryKey(t *testing.T) {
	t.Parallel()
	key := regexp.MustCompile(`^\s*(?:- )?([a-z_.]+):`)
	obvious := map[string]bool{"plan": true, "accounting": true, "inventory": true, "credentials": true, "client_secret": true, "log": true, "quarantine": true}
	previous := ""
	for line := range strings.Lines(read(t, example)) {
		match := key.FindStringSubmatch(line)
		if match != nil && !obvious[match[1]] && !strings.HasPrefix(strings.TrimSpace(previous), "#") {
			t.Errorf("no comment above %q", strings.TrimSpace(line))
		}
		previous = line
	}
	env := environment()
	maps.Copy(env, map[string]string{"ACME_CLIENT_SECRET": canary, "ACME_REFRESH_TOKEN": canary})
	text := read(t, example)
	for _, change := range [][2]string{
		{"  url: ${SLUICE_DATABASE_URL}\n", ""}, {"  # data_dir:", "  data_dir:"}, {"        # base_url:", "        base_url:"}, {"resources: {}\n", "resources:\n"},
		{"#  inventory.bills:\n#    every", "  inventory.bills:\n    every"}, {"#  chat.conversations:\n#    enabled", "  chat.conversations:\n    enabled"},
	} {
		if !strings.Contains(text, change[0]) {
			t.Fatalf("the example lacks %q", change[0])
		}
		text = strings.Replace(text, change[0], change[1], 1)
	}
	got, err := config.Load("uncommented.yaml", lookup(env), func(string) ([]byte, error) { return []byte(text), nil }, connectors.All())
	if err != nil {
		t.Fatal(err)
	}
	if got.Database.DataDir != "/srv/sluice" || got.Resources["chat.conversations"].Enabled {
		t.Errorf("what is commented out is not read: %+v", got)
	}
}
