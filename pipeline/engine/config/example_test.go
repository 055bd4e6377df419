package config_test

import (
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sluice/connectors"
	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/pipeline/engine/config"
	"sluice/pipeline/upstream/wire"
	"sluice/schema"
	"sluice/schema/custom"
	"sluice/schema/redact"
)

const example = "../../../config.example.yaml"

// TestExampleShowsDefaults loads the example of the repository and the same file without the keys
// that state defaults: both have to mean the same.
func TestExampleShowsDefaults(t *testing.T) {
	t.Parallel()
	text := read(t, example)
	env := environment()
	maps.Copy(env, map[string]string{
		"SLUICE_DATABASE_URL": "postgres://sluice:" + canary + "@db.example.com/warehouse",
		"ACME_CLIENT_SECRET":  canary + "-acme",
		"ACME_REFRESH_TOKEN":  canary + "-acme",
	})
	full := check.Sure(config.Load(example, lookup(env), os.ReadFile, connectors.All(), config.ForAll))(t)
	bare := text
	for _, optional := range []string{
		"  name: Svc\n", "    data_center: com\n", "totals:\n", "  use: auto\n", "  every: 1h\n", "resources: {}\n", "custom: []\n", "workers: 8\n", "log:\n", "  level: info\n",
		"listen: 127.0.0.1:9464\n", "quarantine:\n", "  max_share: 0.05\n", "  max_open: 1000\n",
		"schedule:\n", "  floor: 5m\n", "budget: {}\n", "notifications: {}\n", "telemetry: {}\n", "console: {}\n", "events: []\n", "lake: {}\n", "retention:\n", "  calls: 840h\n", "  runs: 9600h\n", "  raw: 9600h\n", "  history: 0\n", "  changes: 336h\n",
		"  quarantine:\n", "    open: 0\n", "    retried: 2160h\n", "    resolved: 2160h\n", "  gone: 0\n",
	} {
		check.ErrorIf(t, strings.Count(bare, "\n"+optional) != 1, "the example shows %q not once", optional)
		bare = strings.Replace(bare, "\n"+optional, "\n", 1)
	}
	readBare := func(string) ([]byte, error) { return []byte(bare), nil }
	short := check.Sure(config.Load("bare.yaml", lookup(env), readBare, connectors.All(), config.ForAll))(t)
	reveal := cmp.Comparer(func(a, b config.Secret) bool { return a.Reveal() == b.Reveal() })
	zones := cmp.Transformer("zone", func(o config.Organization) [3]any { return [3]any{o.Name, o.DataCenter, o.Services} })
	check.Same(t, "what the example changes", short, full, reveal, zones, cmpopts.EquateEmpty())
}

// TestExampleCommentsEveryKey demands a comment above every key of the example, and that the keys
// in comments are valid, too.
func TestExampleCommentsEveryKey(t *testing.T) {
	t.Parallel()
	key := regexp.MustCompile(`^\s*(?:- )?([a-z_.]+):`)
	obvious := map[string]bool{"plan": true, "accounting": true, "inventory": true, "credentials": true, "client_secret": true, "log": true, "quarantine": true}
	previous := ""
	for line := range strings.Lines(read(t, example)) {
		match := key.FindStringSubmatch(line)
		check.ErrorIf(t, match != nil && !obvious[match[1]] && !strings.HasPrefix(strings.TrimSpace(previous), "#"),
			"no comment above %q", strings.TrimSpace(line))
		previous = line
	}
	env := environment()
	maps.Copy(env, map[string]string{"SLUICE_DATABASE_URL": "postgres://pooler.example.com/warehouse", "SLUICE_SESSION_URL": "postgres://db.example.com/warehouse", "ACME_CLIENT_SECRET": canary, "ACME_REFRESH_TOKEN": canary, "ACME_HOOK_SECRET": "abcdefgh1234", "OTLP_AUTHORIZATION": "Bearer " + canary, "CONSOLE_CLIENT_SECRET": canary, "SLUICE_PRIVACY_KEY": "Q0FOQVJZLUNBTkFSWS1DQU5BUlktQ0FOQVJZLUNBTkFSWQ==", "LAKE_CATALOG_URL": "postgres://lake.example.com/catalog", "EVENTS_SECRET": "whsec_Q0FOQVJZLUNBTkFSWS1DQU5BUlktQ0FOQVJZ"})
	text := read(t, example)
	for _, change := range [][2]string{
		{"  # password: file:/run/secrets/database_password\n", ""}, {"resources: {}\n", "resources:\n"}, {"custom: []\n", "custom:\n"}, {"budget: {}\n", "budget:\n"}, {"notifications: {}\n", "notifications:\n"},
		{"telemetry: {}\n", "telemetry:\n"}, {"console: {}\n", "console:\n"}, {"events: []\n", "events:\n"}, {"lake: {}\n", "lake:\n"}, {"privacy: {}\n", "privacy:\n"},
		{"      # invoicing: {plan", "      invoicing: {plan"},
	} {
		check.FatalIf(t, !strings.Contains(text, change[0]), "the example lacks %q", change[0])
		text = strings.Replace(text, change[0], change[1], 1)
	}
	// A key in a comment begins in lower case with a colon behind it; a sentence does not.
	inComment := regexp.MustCompile(`(?m)^( *)#( *)((?:- )?(?:[a-z_]+\.)?[a-z_]+:(?: .*)?|- \{.*\}.*)$`)
	text = inComment.ReplaceAllStringFunc(text, func(line string) string {
		m := inComment.FindStringSubmatch(line)
		if m[1] != "" {
			m[2] = strings.TrimPrefix(m[2], " ") // "  # key:" and not "#  key:"
		}
		return m[1] + m[2] + m[3]
	})
	got, err := config.Load("uncommented.yaml", lookup(env), func(string) ([]byte, error) { return []byte(text), nil }, connectors.All(), config.ForAll)
	check.Must(t, err)
	acme := got.Organizations[0]
	chat, accounting := acme.Services["chat"], acme.Services["accounting"]
	for what, read := range map[string]bool{
		"session_url":    got.Database.SessionURL.Reveal() == "postgres://db.example.com/warehouse",
		"allow_insecure": got.Database.AllowInsecure,
		"key":            acme.Key == "acme_eu",
		"addresses":      acme.Addresses == config.Addresses{APIURL: "https://www.svcapis.example.eu", ChatURL: "https://chat.svc.example.eu", AuthURL: "https://accounts.svc.example.eu"},
		"time_zone":      acme.TimeZone == "Asia/Kolkata",
		"custom_modules": slices.Equal(accounting.CustomModules, []string{"cm_vehicles", "cm_visits"}),
		"contacts":       slices.Equal(accounting.Contacts, []string{"460000000026049"}),
		"networks":       slices.Equal(chat.Networks, []string{"partners"}),
		"base_url":       chat.BaseURL == "https://chat.svc.example.com/network/partners",
		"invoicing":      acme.Services["invoicing"].Plan == "free",
		"every":          got.Resources["inventory.bills"].Every == 30*time.Minute,
		"reset":          cmp.Equal(acme.AllowanceOf("chat"), config.Allowance{Reset: &config.Reset{Zone: "Asia/Kolkata"}, RateScope: config.ScopeOrganization}),
		"shares":         cmp.Equal(got.Budget.Classes, pipeline.DefaultShares()),
		"off":            !got.Resources["chat.conversations"].Enabled,
		"on":             got.Resources["accounting.expenses"].Enabled,
		"calls_per_run":  got.Resources["accounting.contact_persons"].CallsPerRun == 40,
		"lake":           got.Lake == config.Lake{Warehouse: "s3://acme-lake/sluice", Catalog: got.Lake.Catalog, Every: 5 * time.Minute, Buckets: 16} && got.Lake.Catalog.Reveal() == "postgres://lake.example.com/catalog",
		"custom":         cmp.Equal(got.Resources["inventory.price_lists"], config.Resource{Every: 24 * time.Hour, Enabled: true}),
		"history":        got.Resources["inventory.credit_notes"].History && !got.Resources["inventory.bills"].History,
		"daily":          slices.Equal(got.Resources["inventory.items"].Daily, []string{"items_locations"}),
		"notified":       got.Resources["inventory.items"].Notified.Every == 6*time.Hour,
		"omit and hash":  left(got, "accounting.contact_persons")["first_name"] == redact.Omitted && left(got, "accounting.contact_persons")["email"] == redact.Hashed,
		"privacy":        left(got, "accounting.expenses")["gst_no"] == redact.Hashed && got.Privacy.HashKey() != nil,
		"secret":         len(acme.Notifications.Secret) == 1 && acme.Notifications.Secret[0].Reveal() == "abcdefgh1234",
		"watch": cmp.Equal(acme.Notifications.Watch, []config.Watch{
			{Module: "Products", Operations: []string{"all"}, Tells: []string{"inventory.items"}},
			{Module: "Deals", Operations: []string{"create", "edit"}},
		}),
		"networks that may send": len(got.Notifications.TrustedProxies) == 1 && len(got.Notifications.AllowFrom) == 1,
		"public_url":             got.Notifications.PublicURL == "https://hooks.example.com/sluice" && got.Notifications.Listen == "127.0.0.1:9465",
		"telemetry": got.Telemetry.OTLP == "https://collector.example.com:4318" && got.Telemetry.Sample == 0.1 && !got.Telemetry.AllowInsecure &&
			got.Telemetry.Headers["authorization"].Reveal() == "Bearer "+canary,
		"console": cmp.Equal(got.Console, config.Console{
			Listen: "127.0.0.1:9467", PublicURL: "https://sluice.example.com", Auth: "oidc",
			Operators: []string{"ann@example.com", "group:data-engineers"}, Viewers: []string{"group:analysts"},
			TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")},
			Header:         config.ConsoleHeader{User: "X-Forwarded-User", Groups: "X-Forwarded-Groups"},
			OIDC: config.ConsoleOIDC{
				Issuer: "https://login.example.com/realms/main", ClientID: "sluice-console", ClientSecret: wire.NewSecret(canary),
				Scopes: []string{"openid", "email", "profile"}, UserClaim: "email", GroupsClaim: "groups",
			},
		}, cmp.Comparer(func(a, b config.Secret) bool { return a.Reveal() == b.Reveal() }), cmpopts.EquateComparable(netip.Prefix{})),
		"events": len(got.Events) == 1 && got.Events[0].Name == "airflow" && got.Events[0].URL == "https://airflow.example.com/hooks/sluice" &&
			len(got.Events[0].Secret) == 1 && slices.Equal(got.Events[0].Organizations, []string{"acme_eu"}) &&
			slices.Equal(got.Events[0].Tables, []string{"inventory.bills", "accounting.expenses"}) && len(got.Events[0].Ops) == 3,
		"the defaults of notifications": got.Notifications.Debounce == 2*time.Second && got.Notifications.MaxWait == 15*time.Second &&
			got.Notifications.SelfTest == 15*time.Minute && got.Notifications.Keep == 336*time.Hour && got.Notifications.HintedPerMinute == 20,
	} {
		check.ErrorIf(t, !read, "%s is commented out and not read as it should: %+v", what, got)
	}
}

// head is a configuration without lists of its own.
const head = `database: {url: "${PG_URL}"}
vendor:
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
	check.Same(t, "lists", []string{"accounting.journals", "inventory.inventory_contacts"}, slices.Sorted(maps.Keys(got)))
}

// customOf loads a configuration and returns its lists in schema custom.
func customOf(t *testing.T, text string) map[string]schema.Resource {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	check.Must(t, os.WriteFile(path, []byte(text), 0o600))
	cfg := check.Sure(load(t, path))(t)
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

// TestDeployedConfigurations loads the configurations that deploy has for compose, the chart and
// the manifests, with the files of secrets that they name.
func TestDeployedConfigurations(t *testing.T) {
	t.Parallel()
	secrets := t.TempDir()
	for name, text := range map[string]string{
		"database_url": "postgres://sluice:" + canary + "@db.example.com/warehouse", "client_secret": canary, "refresh_token": canary,
		"acme_client_secret": canary, "acme_refresh_token": canary, "acme_hook_secret": "abcdefgh1234",
	} {
		check.Must(t, os.WriteFile(filepath.Join(secrets, name), []byte(text), 0o400))
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
		check.ErrorIf(t, len(got.Organizations) != 1 || got.Organizations[0].Credentials.RefreshToken.Reveal() != canary,
			"deploy/%s: %d organizations", file, len(got.Organizations))
	}
}
