package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sluice/pipeline/engine/config"
)

// TestOffline: a missing secret is empty; an invalid secret is still a mistake.
func TestOffline(t *testing.T) {
	t.Parallel()
	text := read(t, "testdata/minimal.good.yaml") + "telemetry: {otlp: \"https://collector.example.com\", headers: {authorization: \"${BEARER}\"}}\n"
	load := func(text string) (*config.Config, error) {
		return config.Load("offline.yaml", lookup(nil), func(string) ([]byte, error) { return []byte(text), nil }, services(), config.ForOffline)
	}
	text = strings.Replace(text, "${NORTH_SECRET}", "exec:/nowhere/program", 1) // it is not run
	got, err := load(strings.Replace(text, "${NORTH_TOKEN}", "file:/nobody/wrote/this", 1))
	must(t, err)
	if c := got.Organizations[0].Credentials; c.ClientSecret.Reveal() != "" || c.RefreshToken.Reveal() != "" || c.ClientID != "1000.NORTH" {
		t.Errorf("the credentials are %q, %q and %q", c.ClientID, c.ClientSecret.Reveal(), c.RefreshToken.Reveal())
	}
	for name, change := range map[string][2]string{
		"written into the file": {"exec:/nowhere/program", "in-clear"},
		"not in the file":       {"      refresh_token: ${NORTH_TOKEN}\n", ""},
		"no secret":             {"1000.NORTH", "${NORTH_ID}"},
		"the database's":        {"postgres://db.example.com/warehouse", "${NORTH_DATABASE}"},
		"no database":           {"database: {url: \"postgres://db.example.com/warehouse\"}\n", ""},
	} {
		if _, err := load(strings.Replace(text, change[0], change[1], 1)); !mistaken(err) {
			t.Errorf("%s: %v, want a mistake", name, err)
		}
	}
	if _, err := config.Load("testdata/minimal.good.yaml", lookup(nil), os.ReadFile, services(), config.ForAll); !mistaken(err) {
		t.Errorf("for work that asks upstream: %v, want a mistake", err)
	}
}

// TestConsent: the exchange of a consent needs the client secret, so its command is run; that of
// the refresh token is not, for the token does not exist yet.
func TestConsent(t *testing.T) {
	t.Parallel()
	text := read(t, "testdata/minimal.good.yaml")
	text = strings.Replace(text, "${NORTH_TOKEN}", "exec:/nowhere/program", 1)
	load := func(secret string) (*config.Config, error) {
		file := func(string) ([]byte, error) { return []byte(strings.Replace(text, "${NORTH_SECRET}", secret, 1)), nil }
		return config.Load("consent.yaml", lookup(nil), file, services(), config.ForConsent)
	}
	got, err := load("exec:/bin/echo a-client-secret")
	must(t, err)
	if c := got.Organizations[0].Credentials; c.ClientSecret.Reveal() != "a-client-secret" || c.RefreshToken.Reveal() != "" {
		t.Errorf("the credentials are %q and %q", c.ClientSecret.Reveal(), c.RefreshToken.Reveal())
	}
	if got, err := load("${NORTH_SECRET}"); err != nil || got.Organizations[0].Credentials.ClientSecret.Reveal() != "" {
		t.Errorf("a missing client secret: %v, want it empty", err)
	}
	if _, err := load("exec:/nowhere/program"); !mistaken(err) {
		t.Errorf("a command that fails: %v, want a mistake", err)
	}
}

// TestReceiver: a process that only receives callbacks needs no secret of the credentials, and all
// secrets of notifications.
func TestReceiver(t *testing.T) {
	t.Parallel()
	text := read(t, "testdata/minimal.good.yaml") + "    notifications: {secret: \"${HOOK_NEW}\"}\nnotifications: {public_url: \"http://127.0.0.1:9465\"}\n" +
		"telemetry: {otlp: \"https://collector.example.com\", headers: {authorization: \"${BEARER}\"}}\n"
	env := map[string]string{"HOOK_NEW": "abcdefgh1234"}
	file := func(string) ([]byte, error) { return []byte(text), nil }
	got, err := config.Load("receiver.yaml", lookup(env), file, services(), config.ForReceiver)
	must(t, err)
	if o := got.Organizations[0]; !o.Notifies() || o.Notifications.Secret[0].Reveal() != "abcdefgh1234" || o.Credentials.ClientSecret.Reveal() != "" {
		t.Errorf("got %+v", o)
	}
	delete(env, "HOOK_NEW")
	if _, err := config.Load("receiver.yaml", lookup(env), file, services(), config.ForReceiver); !mistaken(err) || !strings.Contains(err.Error(), "HOOK_NEW") {
		t.Errorf("without its secret: %v", err)
	}
	if got, err := config.Load("receiver.yaml", lookup(env), file, services(), config.ForOffline); err != nil || !got.Organizations[0].Notifies() {
		t.Errorf("a command that receives nothing: %v", err)
	}
}

// TestConsole: a process that only offers the console needs its secret and no other.
func TestConsole(t *testing.T) {
	t.Parallel()
	text := read(t, "testdata/minimal.good.yaml") + "    notifications: {secret: \"${HOOK_NEW}\"}\nnotifications: {public_url: \"http://127.0.0.1:9465\"}\n" +
		"console: {auth: oidc, public_url: \"http://localhost:9466\", oidc: {issuer: \"https://login.example.com\", client_id: console, client_secret: \"CONSOLE\"}}\n"
	load := func(secret string) (*config.Config, error) {
		file := func(string) ([]byte, error) { return []byte(strings.Replace(text, "CONSOLE", secret, 1)), nil }
		return config.Load("console.yaml", lookup(nil), file, services(), config.ForConsole)
	}
	got, err := load("exec:/bin/echo a-secret")
	if err != nil || got.Console.OIDC.ClientSecret.Reveal() != "a-secret" {
		t.Fatalf("got %v", err)
	}
	if _, err := load("${NOT_SET}"); !mistaken(err) || !strings.Contains(err.Error(), "NOT_SET") {
		t.Errorf("without its secret: %v", err)
	}
	file := func(string) ([]byte, error) { return []byte(strings.Replace(text, "CONSOLE", "${NOT_SET}", 1)), nil }
	if _, err := config.Load("console.yaml", lookup(nil), file, services(), config.ForOffline); err != nil {
		t.Errorf("a command without a console: %v", err)
	}
}

func mistaken(err error) bool {
	_, ok := errors.AsType[*config.Error](err)
	return ok
}

// TestEvents: a command that posts to receivers of events needs their secrets and no other; one
// that posts nothing needs none.
func TestEvents(t *testing.T) {
	t.Parallel()
	text := read(t, "testdata/minimal.good.yaml") + "events: [{name: airflow, url: \"https://airflow.example.com\", secret: \"OF_EVENTS\"}]\n"
	load := func(secret string) (*config.Config, error) {
		file := func(string) ([]byte, error) { return []byte(strings.Replace(text, "OF_EVENTS", secret, 1)), nil }
		return config.Load("events.yaml", lookup(nil), file, services(), config.ForEvents)
	}
	got, err := load("exec:/bin/echo whsec_Q0FOQVJZLUNBTkFSWS1DQU5BUlktQ0FOQVJZ")
	if err != nil || got.Events[0].Secret[0].Reveal() != "whsec_Q0FOQVJZLUNBTkFSWS1DQU5BUlktQ0FOQVJZ" {
		t.Fatalf("got %v", err)
	}
	if _, err := load("${NOT_SET}"); !mistaken(err) || !strings.Contains(err.Error(), "NOT_SET") {
		t.Errorf("without its secret: %v", err)
	}
	file := func(string) ([]byte, error) { return []byte(strings.Replace(text, "OF_EVENTS", "${NOT_SET}", 1)), nil }
	for _, purpose := range []config.Purpose{config.ForOffline, config.ForReceiver, config.ForConsole} {
		if _, err := config.Load("events.yaml", lookup(nil), file, services(), purpose); err != nil {
			t.Errorf("%d: %v", purpose, err)
		}
	}
}

func TestReachable(t *testing.T) {
	t.Parallel()
	for listen, want := range map[string]bool{
		"127.0.0.1:9464": false, "[::1]:9464": false, "localhost:9464": false, "127.8.8.8:1": false,
		"0.0.0.0:9464": true, ":9464": true, "[::]:9464": true, "10.1.2.3:9464": true, "metrics.example:9464": true,
	} {
		if config.Reachable(listen) != want {
			t.Errorf("%s can be reached: %t", listen, !want)
		}
	}
}

// TestSettings: the configuration in force has defaults, and of secrets where they come from.
func TestSettings(t *testing.T) {
	t.Parallel()
	got, err := load(t, filepath.Join("testdata", "everything.good.yaml"))
	must(t, err)
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
