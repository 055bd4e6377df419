package config_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"sluice/pipeline/check"
	"sluice/pipeline/engine/config"
)

// loadFor loads a text for a purpose, in an environment.
func loadFor(purpose config.Purpose, env map[string]string, text string) (*config.Config, error) {
	return config.Load("config.yaml", lookup(env), func(string) ([]byte, error) { return []byte(text), nil }, services(), purpose)
}

// TestOffline: a missing secret is empty; an invalid secret is still a mistake.
func TestOffline(t *testing.T) {
	t.Parallel()
	text := read(t, "testdata/minimal.good.yaml") + "telemetry: {otlp: \"https://collector.example.com\", headers: {authorization: \"${BEARER}\"}}\n"
	text = strings.Replace(text, "${NORTH_SECRET}", "exec:/nowhere/program", 1) // it is not run
	got := check.Sure(loadFor(config.ForOffline, nil, strings.Replace(text, "${NORTH_TOKEN}", "file:/nobody/wrote/this", 1)))(t)
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
		_, err := loadFor(config.ForOffline, nil, strings.Replace(text, change[0], change[1], 1))
		check.ErrorIf(t, !mistaken(err), "%s: %v, want a mistake", name, err)
	}
	_, err := loadFor(config.ForAll, nil, read(t, "testdata/minimal.good.yaml"))
	check.ErrorIf(t, !mistaken(err), "for work that asks upstream: %v, want a mistake", err)
}

// TestReceiver: a receiver, as a process of any purpose, needs the secrets of its purpose and no
// other; those of other purposes are then empty, and their commands are not run.
func TestReceiver(t *testing.T) {
	t.Parallel()
	minimal := read(t, "testdata/minimal.good.yaml")
	const hooks = "    notifications: {secret: \"${NOT_SET}\"}\nnotifications: {public_url: \"http://127.0.0.1:9465\"}\n"
	const key = "whsec_Q0FOQVJZLUNBTkFSWS1DQU5BUlktQ0FOQVJZ"
	consent := strings.NewReplacer("${NORTH_TOKEN}", "exec:/nowhere/program", "${NORTH_SECRET}", "§").Replace(minimal)
	receiver := minimal + strings.Replace(hooks, "${NOT_SET}", "§", 1) +
		"telemetry: {otlp: \"https://collector.example.com\", headers: {authorization: \"${BEARER}\"}}\n"
	console := minimal + hooks +
		"console: {auth: oidc, public_url: \"http://localhost:9466\", oidc: {issuer: \"https://login.example.com\", client_id: console, client_secret: \"§\"}}\n"
	events := minimal + "events: [{name: airflow, url: \"https://airflow.example.com\", secret: \"§\"}]\n"
	for name, test := range map[string]struct {
		purpose config.Purpose
		text    string
		secret  string
		of      func(*config.Config) config.Secret
		// without are purposes that do without it.
		without []config.Purpose
	}{
		"consent": {config.ForConsent, consent, "a-client-secret", func(c *config.Config) config.Secret { return c.Organizations[0].Credentials.ClientSecret },
			[]config.Purpose{config.ForConsent, config.ForOffline}},
		"receiver": {config.ForReceiver, receiver, "abcdefgh1234", func(c *config.Config) config.Secret { return c.Organizations[0].Notifications.Secret[0] },
			[]config.Purpose{config.ForOffline}},
		"console": {config.ForConsole, console, "a-secret", func(c *config.Config) config.Secret { return c.Console.OIDC.ClientSecret },
			[]config.Purpose{config.ForOffline}},
		"events": {config.ForEvents, events, key, func(c *config.Config) config.Secret { return c.Events[0].Secret[0] },
			[]config.Purpose{config.ForOffline, config.ForReceiver, config.ForConsole}},
	} {
		with := func(secret string) string { return strings.Replace(test.text, "§", secret, 1) }
		got, err := loadFor(test.purpose, nil, with("exec:/bin/echo "+test.secret))
		check.ErrorIf(t, err != nil || test.of(got).Reveal() != test.secret || got.Organizations[0].Credentials.RefreshToken.Reveal() != "",
			"%s: %v, want its secret and no refresh token", name, err)
		if _, err := loadFor(test.purpose, nil, with("exec:/nowhere/program")); !mistaken(err) {
			t.Errorf("%s with a command that fails: %v, want a mistake", name, err)
		}
		missing := with("${NOT_SET}")
		if _, err := loadFor(test.purpose, nil, missing); name != "consent" && (!mistaken(err) || !strings.Contains(err.Error(), "NOT_SET")) {
			t.Errorf("%s without its secret: %v, want a mistake", name, err)
		}
		for _, other := range test.without {
			got, err := loadFor(other, nil, missing)
			check.ErrorIf(t, err != nil || test.of(got).Reveal() != "", "%s without its secret for purpose %d: %v, want it empty", name, other, err)
		}
	}
	got, err := loadFor(config.ForOffline, nil, receiver)
	check.ErrorIf(t, err == nil && !got.Organizations[0].Notifies(), "a command that receives nothing forgets the notifications: %v", err)
}

func mistaken(err error) bool {
	_, ok := errors.AsType[*config.Error](err)
	return ok
}

func TestReachable(t *testing.T) {
	t.Parallel()
	for listen, want := range map[string]bool{
		"127.0.0.1:9464": false, "[::1]:9464": false, "localhost:9464": false, "127.8.8.8:1": false,
		"0.0.0.0:9464": true, ":9464": true, "[::]:9464": true, "10.1.2.3:9464": true, "metrics.example:9464": true,
	} {
		check.ErrorIf(t, config.Reachable(listen) != want, "%s can be reached: %t", listen, !want)
	}
}

// TestSettings: the configuration in force has defaults, and of secrets where they come from.
func TestSettings(t *testing.T) {
	t.Parallel()
	got := check.Sure(load(t, filepath.Join("testdata", "everything.good.yaml")))(t)
	found := map[string]config.Setting{}
	for _, setting := range got.Settings() {
		_, twice := found[setting.Path]
		check.ErrorIf(t, twice, "%s is there twice", setting.Path)
		check.ErrorIf(t, strings.Contains(setting.Value, canary), "%s shows a secret: %s", setting.Path, setting.Value)
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
		check.ErrorIf(t, found[path] != want, "%s is %+v, want %+v", path, found[path], want)
	}
}
