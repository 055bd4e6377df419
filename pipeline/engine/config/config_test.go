package config_test

import (
	"errors"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/pipeline/engine/config"
	"sluice/pipeline/upstream/wire"
	"sluice/schema"
)

// canary is a part of every value in these tests that must never be printed.
const canary = "CANARY"

// services returns services of the tests' own, so that changes of the catalogue do not affect them.
func services() []schema.Service {
	plans := map[string]schema.Plan{"free": {Daily: 1000, Concurrent: 5}, "standard": {Daily: 2500, Concurrent: 10}}
	free := map[string]schema.Plan{"free": {Daily: 1000, Concurrent: 5}}
	return []schema.Service{
		{Name: "accounting", Host: schema.HostAPI, Limits: schema.Limits{Plans: plans}, Resources: []schema.Resource{
			{Name: "bills", Every: "15m"}, {Name: "expenses", Every: "6h", Optional: true},
		}, Further: []schema.Resource{{Name: "contacts", Schema: "custom", Every: "1h"}, {Name: "journals", Schema: "custom", Every: "1h"}}},
		{Name: "invoicing", Host: schema.HostAPI, Limits: schema.Limits{Plans: free}},
		{Name: "billing", Host: schema.HostAPI},
		{Name: "inventory", Host: schema.HostAPI, Limits: schema.Limits{Plans: plans}, Resources: []schema.Resource{
			{Name: "bills", Every: "30m", Details: &schema.Details{Marker: "lines"}},
			{Name: "items", Every: "1h"},
		}, Further: []schema.Resource{{Name: "inventory_contacts", Schema: "custom", Every: "1h"}}},
		{Name: "chat", Host: schema.HostChat, Limits: schema.Limits{Plans: free}, Resources: []schema.Resource{
			{Name: "conversations", Every: "24h"}, {Name: "channels", Every: "6h", Cursor: schema.PerParent{Listed: schema.ListedNetworks}},
		}},
		{Name: "crm", Host: schema.HostAPI, Envelope: schema.EnvelopeInfo, Limits: schema.Limits{Plans: free}},
	}
}

func environment() map[string]string {
	return map[string]string{
		"HOME":           "/home/sluice",
		"EMPTY":          "",
		"NORTH_SECRET":   canary + "-secret",
		"NORTH_TOKEN":    canary + "-token",
		"TWO_LINES":      canary + "\n" + canary,
		"PG_PASSWORD":    canary + "-password",
		"PG_URL":         "postgres://sluice:" + canary + "@db.example.com/warehouse",
		"CANARY_URL":     "sluice:" + canary + "@db.example.com:x/warehouse",
		"ORGANIZATION":   "north",
		"CLIENT":         "1000.NORTH",
		"HOOK_NEW":       canary + "new001",
		"HOOK_OLD":       canary + "old001",
		"BEARER":         "Bearer " + canary + "-bearer",
		"CONSOLE_SECRET": canary + "-console",
		"EVENTS_KEY":     "whsec_Q0FOQVJZLUNBTkFSWS1DQU5BUlktQ0FOQVJZ", // CANARY, four times
		"EVENTS_OLD":     "whsec_Q0FOQVJZLUNBTkFSWS1DQU5BUlktQ0FOQVJZT0xE",
		"EVENTS_SHORT":   "whsec_Q0FOQVJZ",
		"HASH_KEY":       "Q0FOQVJZLUNBTkFSWS1DQU5BUlktQ0FOQVJZLUNBTkFSWQ==",
		"HASH_SHORT":     "Q0FOQVJZMTI=",
		"HOOK_SHORT":     canary + "five5", // 11 characters, one too few
	}
}

func lookup(env map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, ok := env[name]
		return value, ok
	}
}

func load(t *testing.T, path string) (*config.Config, error) {
	t.Helper()
	return loadWith(t, path, services())
}

func loadWith(t *testing.T, path string, catalogue []schema.Service) (*config.Config, error) {
	t.Helper()
	return config.Load(path, lookup(environment()), os.ReadFile, catalogue, config.ForAll)
}

// loadText loads a configuration from a text.
func loadText(t *testing.T, text string) (*config.Config, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	check.Must(t, os.WriteFile(path, []byte(text), 0o600))
	return config.Load(path, lookup(environment()), os.ReadFile, services(), config.ForAll)
}

func files(t *testing.T, pattern string) []string {
	t.Helper()
	return check.Sure(filepath.Glob(filepath.Join("testdata", pattern)))(t)
}

func read(t *testing.T, path string) string {
	t.Helper()
	text := check.Sure(os.ReadFile(path))(t)
	return string(text)
}

// TestBad loads every bad file. Its first lines name the expected mistakes: exactly these have to
// be found.
func TestBad(t *testing.T) {
	t.Parallel()
	paths := files(t, "*.bad.yaml")
	check.FatalIf(t, len(paths) < 25, "%d bad files, at least 25 are wanted", len(paths))
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".bad.yaml"), func(t *testing.T) {
			t.Parallel()
			var wants []string
			for line := range strings.Lines(read(t, path)) {
				if want, ok := strings.CutPrefix(strings.TrimSpace(line), "# want: "); ok {
					wants = append(wants, want)
				}
			}
			_, err := load(t, path)
			var mistakes *config.Error
			check.FatalIf(t, !errors.As(err, &mistakes), "got %v, want an *Error", err)
			check.ErrorIf(t, strings.Contains(err.Error(), canary), "the message holds a secret:\n%v", err)
			rest := slices.Clone(mistakes.Mistakes)
			for _, want := range wants {
				at := slices.IndexFunc(rest, func(m config.Mistake) bool { return strings.Contains(m.String(), want) })
				if at < 0 {
					t.Errorf("missing %q", want)
					continue
				}
				rest = slices.Delete(rest, at, at+1)
			}
			check.ErrorIf(t, len(rest) > 0 || len(wants) == 0, "not wanted: %q", rest)
			if t.Failed() {
				t.Log(err)
			}
		})
	}
}

func TestEverything(t *testing.T) {
	t.Parallel()
	got := check.Sure(load(t, filepath.Join("testdata", "everything.good.yaml")))(t)
	got.SecretsFrom = nil // TestSettings
	credentials := func(id string) config.Credentials {
		return config.Credentials{
			ClientID: id, ClientSecret: wire.NewSecret(canary + "-secret"), RefreshToken: wire.NewSecret(canary + "-token"), RefreshTokenFrom: "${NORTH_TOKEN}",
		}
	}
	want := &config.Config{
		Database: config.Database{URL: wire.NewSecret("postgres://sluice:" + canary + "-password@db.example.com:5432/warehouse?sslmode=verify-full")},
		Vendor: config.Vendor{
			Name: "Acme", APIURL: "https://www.example.com", ChatURL: "https://chat.example.com", AuthURL: "https://accounts.example.com",
		},
		Organizations: []config.Organization{{
			Name: "north", ID: "10234695", Key: "10234695", DataCenter: "eu", TimeZone: "Europe/Rome", Credentials: credentials("1000.NORTH"),
			Services: map[string]config.Service{
				"accounting": {Plan: "free"},
				"billing":    {},
				"inventory":  {Plan: "free", BaseURL: "http://127.0.0.1:8080/inventory/v1"},
				"chat":       {Plan: "free"},
			},
			Notifications: config.OrganizationNotifications{
				Secret: []config.Secret{wire.NewSecret(canary + "new001"), wire.NewSecret(canary + "old001")},
				Watch: []config.Watch{
					{Module: "Products", Operations: []string{"all"}, Tells: []string{"inventory.items", "accounting.bills"}},
					{Module: "Deals_2", Operations: []string{"create", "delete"}},
				},
			},
			Allowance: config.Allowance{Reset: &config.Reset{Zone: "Europe/Rome", Hour: 6}, RateScope: config.ScopeService},
		}, {
			Name: "far", ID: "10234695", Key: "far", DataCenter: "uk", TimeZone: "Europe/London", Credentials: credentials("1000.FAR"),
			Addresses: config.Addresses{AuthURL: "https://accounts.example.net"},
			Services: map[string]config.Service{"chat": {
				Plan: "free", Networks: []string{"partners", "20077"},
				Allowance: config.Allowance{Reset: &config.Reset{Zone: "Asia/Kolkata", Hour: 23}, RateScope: config.ScopeOrganization},
			}},
			Notifications: config.OrganizationNotifications{
				Secret: []config.Secret{wire.NewSecret(canary + "old001")},
				Watch:  []config.Watch{{Module: "Deals", Operations: []string{"edit"}}},
			},
		}},
		Totals: config.Totals{Use: config.TotalsOff, Every: 2 * time.Hour},
		Resources: map[string]config.Resource{
			"accounting.bills":      {Every: 10 * time.Minute, Stated: true, Enabled: true},
			"accounting.expenses":   {Every: 6 * time.Hour, Enabled: true},
			"accounting.journals":   {Every: 24 * time.Hour, Enabled: true},
			"inventory.bills":       {Every: 30 * time.Minute, Enabled: false},
			"inventory.items":       {Every: 90 * time.Minute, Stated: true, Enabled: true, Notified: config.Notified{Every: 6 * time.Hour}},
			"inventory.price_lists": {Every: 2 * time.Hour, Stated: true, Enabled: true, Sweep: 48 * time.Hour, History: true, Daily: []string{"rate"}},
			"chat.conversations":    {Every: 48 * time.Hour, Stated: true, Enabled: true},
			"chat.channels":         {Every: 6 * time.Hour, Enabled: true, CallsPerRun: 25},
		},
		Workers: 3, Log: config.Log{Level: "debug"}, Listen: "[::1]:9000", Quarantine: config.Quarantine{MaxShare: 0, MaxOpen: 7},
		Schedule: config.Schedule{Floor: 10 * time.Minute},
		Budget: config.Budget{
			Shares: map[string]config.Share{
				"incremental": {Floor: new(0.5), Ceiling: new(0.9)}, "backfill": {Ceiling: new(1.0)}, "sweep": {Floor: new(0.1)},
				"hinted": {Floor: new(0.2), Ceiling: new(0.25)},
			},
			Classes: pipeline.Shares{ // what is not written is as it was
				"incremental": {Floor: 0.5, Ceiling: 0.9}, "details": {Ceiling: 0.4}, "sweep": {Floor: 0.1, Ceiling: 0.4},
				"backfill": {Ceiling: 1}, "probe": {Floor: 0.02}, "hinted": {Floor: 0.2, Ceiling: 0.25},
			},
		},
		Retention: config.Retention{Calls: 48 * time.Hour, Runs: 840 * time.Hour, Raw: 9600 * time.Hour, History: 4800 * time.Hour, Changes: 336 * time.Hour,
			Quarantine: config.QuarantineAges{Open: 8760 * time.Hour, Retried: 48 * time.Hour}, Tombstoned: 720 * time.Hour},
		Tombstones: config.Tombstones{MaxRows: 5, MaxShare: 0.5},
		Privacy:    config.Privacy{Key: wire.NewSecret("Q0FOQVJZLUNBTkFSWS1DQU5BUlktQ0FOQVJZLUNBTkFSWQ==")},
		Notifications: config.Notifications{
			Listen: "[::1]:9465", PublicURL: "https://hooks.example.com/sluice", APIVersion: "v2.1", MaxWait: time.Minute, Keep: 48 * time.Hour, KeepBodies: true, HintedPerMinute: 5,
			TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128")},
			AllowFrom:      []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")},
		},
		Lake: config.Lake{Warehouse: "/srv/lake", Every: time.Minute, Buckets: 4},
		Telemetry: config.Telemetry{
			OTLP: "http://collector.example.com:4318", AllowInsecure: true, Sample: 0.25,
			Headers: map[string]config.Secret{"authorization": wire.NewSecret("Bearer " + canary + "-bearer")},
		},
		Console: config.Console{
			Listen: "0.0.0.0:9466", PublicURL: "https://sluice.example.com", Auth: "oidc", Operators: []string{"ann@example.com", "group:data engineers"},
			Viewers: []string{"group:analysts"}, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")},
			Header: config.ConsoleHeader{User: "X-Person", Groups: "X-Forwarded-Groups"},
			OIDC: config.ConsoleOIDC{
				Issuer: "https://login.example.com/realms/main/", ClientID: "sluice-console", ClientSecret: wire.NewSecret(canary + "-console"),
				Scopes: []string{"openid", "email", "groups"}, UserClaim: "preferred_username", GroupsClaim: "groups",
			},
			ShowValues: true,
		},
		Events: []config.EventReceiver{
			{
				Name: "airflow", URL: "http://airflow.example.com/hooks/sluice/", Insecure: true, Tables: []string{"inventory.bills", "inventory.items"},
				Secret:        []config.Secret{wire.NewSecret("whsec_Q0FOQVJZLUNBTkFSWS1DQU5BUlktQ0FOQVJZ"), wire.NewSecret("whsec_Q0FOQVJZLUNBTkFSWS1DQU5BUlktQ0FOQVJZT0xE")},
				Organizations: []string{"10234695"}, Ops: []string{"finished"},
			},
			{Name: "here", URL: "http://127.0.0.1:8080", Secret: []config.Secret{wire.NewSecret("whsec_Q0FOQVJZLUNBTkFSWS1DQU5BUlktQ0FOQVJZ")}},
		},
	}
	reveal := cmp.Comparer(func(a, b config.Secret) bool { return a.Reveal() == b.Reveal() })
	zones := cmp.Comparer(func(_, _ *time.Location) bool { return true }) // compared by name below
	declared := cmpopts.IgnoreFields(config.Config{}, "Services")         // TestCustomResources looks at them
	check.Same(t, "", want, got, reveal, zones, declared, cmpopts.EquateComparable(netip.Prefix{}))
	for _, org := range got.Organizations {
		check.ErrorIf(t, org.Location == nil || org.Location.String() != org.TimeZone,
			"%s: zone %v, want %s", org.Name, org.Location, org.TimeZone)
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	got := check.Sure(load(t, filepath.Join("testdata", "minimal.good.yaml")))(t)
	if got.Vendor.Name != "Svc" || got.Workers != 8 || got.Log.Level != "info" || got.Listen != "127.0.0.1:9464" || got.Quarantine != (config.Quarantine{MaxShare: 0.05, MaxOpen: 1000}) ||
		got.Schedule != (config.Schedule{Floor: 5 * time.Minute}) || got.Budget.Classes != nil ||
		got.Retention != (config.Retention{Calls: 840 * time.Hour, Runs: 9600 * time.Hour, Raw: 9600 * time.Hour, Changes: 336 * time.Hour,
			Quarantine: config.QuarantineAges{Retried: 2160 * time.Hour, Resolved: 2160 * time.Hour}}) {
		t.Errorf("defaults: %+v", got)
	}
	want := (config.Tombstones{MaxRows: 20, MaxShare: 0.02, Apart: 10 * time.Minute})
	check.ErrorIf(t, got.Tombstones != want, "tombstones: %+v, want %+v", got.Tombstones, want)
	wait := config.Notifications{APIVersion: "v8", Debounce: 2 * time.Second, MaxWait: 15 * time.Second, SelfTest: 15 * time.Minute, Keep: 336 * time.Hour, HintedPerMinute: 20}
	check.Same(t, "notifications", wait, got.Notifications)
	check.Same(t, "telemetry", config.Telemetry{Sample: 1}, got.Telemetry)
	console := config.Console{
		Auth: "none", Header: config.ConsoleHeader{User: "X-Forwarded-User", Groups: "X-Forwarded-Groups"},
		OIDC: config.ConsoleOIDC{Scopes: []string{"openid", "email", "profile"}, UserClaim: "email"},
	}
	check.Same(t, "console", console, got.Console, cmp.Comparer(func(a, b config.Secret) bool { return a.Reveal() == b.Reveal() }))
	check.Same(t, "data center", "com", got.Organizations[0].DataCenter)
}

func TestNoFile(t *testing.T) {
	t.Parallel()
	_, err := load(t, filepath.Join(t.TempDir(), "config.yaml"))
	check.ErrorIf(t, !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "sluice init writes one"), "got %v", err)
}

func TestSecretFiles(t *testing.T) {
	t.Parallel()
	minimal := read(t, filepath.Join("testdata", "minimal.good.yaml"))
	for name, test := range map[string]struct {
		mode    os.FileMode
		content string
		want    string
	}{
		"trimmed":        {mode: 0o600, content: canary + "-file\n"},
		"group readable": {mode: 0o640, content: canary + "-file"},
		"world readable": {mode: 0o644, content: canary + "-file", want: "secret (mode 0644): run `chmod o-rwx /"},
		"group writable": {mode: 0o660, content: canary + "-file", want: "secret (mode 0660): run `chmod go-w /"},
		"world writable": {mode: 0o602, content: canary + "-file", want: "secret (mode 0602): run `chmod go-w /"},
		"empty":          {mode: 0o600, content: " \n", want: "holds nothing but space"},
		"two lines":      {mode: 0o600, content: canary + "\n" + canary, want: "holds spaces, line breaks or control characters"},
		"huge":           {mode: 0o600, content: strings.Repeat(canary, 20_000), want: "larger than 65536 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "secret")
			check.Must(t, os.WriteFile(path, []byte(test.content), test.mode))
			if err := os.Chmod(path, test.mode); err != nil { // the umask may have changed the mode
				t.Fatal(err)
			}
			got, err := loadText(t, strings.Replace(minimal, "${NORTH_SECRET}", "file:"+path, 1))
			switch {
			case test.want == "" && err != nil:
				t.Errorf("got %v", err)
			case test.want == "" && got.Organizations[0].Credentials.ClientSecret.Reveal() != canary+"-file":
				t.Error("the secret is not what the file holds")
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), canary)):
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

// TestAByteOrderMarkIsNoKey loads a file with the byte order mark that some editors write. The line
// numbers of mistakes stay right.
func TestAByteOrderMarkIsNoKey(t *testing.T) {
	t.Parallel()
	if _, err := loadText(t, "\uFEFF"+read(t, filepath.Join("testdata", "minimal.good.yaml"))); err != nil {
		t.Error(err)
	}
	_, err := loadText(t, "\uFEFF"+read(t, filepath.Join("testdata", "workers-many.bad.yaml")))
	check.ErrorIf(t, err == nil || !strings.Contains(err.Error(), "     2 | workers: 65\n         ^"), "got\n%v", err)
}

func FuzzLoad(f *testing.F) {
	for _, pattern := range []string{"*.good.yaml", "*.bad.yaml"} {
		paths := check.Sure(filepath.Glob(filepath.Join("testdata", pattern)))(f)
		for _, path := range paths {
			text := check.Sure(os.ReadFile(path))(f)
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := config.Load("fuzz.yaml", lookup(environment()), func(string) ([]byte, error) { return text, nil }, services(), config.ForAll)
		check.FatalIf(t, (got == nil) == (err == nil), "config %v and error %v", got, err)
		check.FatalIf(t, err == nil && (len(got.Organizations) == 0 || got.Workers < 1 || got.Workers > 64), "accepted %+v", got)
		// A message may quote the file but never the value of a variable.
		check.FatalIf(t, err != nil && strings.Contains(err.Error(), canary+"-") && !strings.Contains(string(text), canary+"-"),
			"the message holds a secret: %v", err)
	})
}
