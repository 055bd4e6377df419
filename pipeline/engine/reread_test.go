package engine

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"sluice/connectors"
	"sluice/pipeline/check"
)

// TestARereadThatFails: where one secret cannot be read again, all of those before stay in force,
// also those that can. The next reading takes them.
func TestARereadThatFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		check.Must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	write("secret", "first-secret")
	write("token", "first-token")
	write("console", "first-console")
	text := fmt.Sprintf(`
database: {url: postgres://localhost/none}
vendor: {api_url: "https://www.example.com", chat_url: "https://chat.example.com", auth_url: "https://accounts.example.com"}
organizations:
  - name: north
    id: "10"
    time_zone: Europe/Rome
    credentials: {client_id: n, client_secret: "file:%[1]s/secret", refresh_token: "file:%[1]s/token"}
    services: {inventory: {plan: standard}}
console:
  auth: oidc
  public_url: https://sluice.example.com
  oidc: {issuer: "https://login.example.com", client_id: c, client_secret: "file:%[1]s/console"}
`, dir)
	a := check.Sure(Load(Options{
		Catalogue: connectors.All(), ConfigPath: "config.yaml", LogTo: io.Discard, Now: time.Now,
		LookupEnv: func(name string) (string, bool) {
			value, set := map[string]string{"HOME": dir, "SLUICE_ENCRYPTION_KEY": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="}[name]
			return value, set
		},
		ReadFile: func(string) ([]byte, error) { return []byte(text), nil },
	}))(t)
	reread := func(what string, fails bool, secret, token string) {
		t.Helper()
		_, err := a.Reread(t.Context())
		got := a.secrets.of(&a.Config.Organizations[0]).Credentials
		check.ErrorIf(t, (err != nil) != fails || got.ClientSecret.Reveal() != secret || got.RefreshToken.Reveal() != token,
			"%s: %v, %q and %q, want %q and %q", what, err, got.ClientSecret.Reveal(), got.RefreshToken.Reveal(), secret, token)
	}
	write("secret", "other-secret")
	write("token", "two words")
	reread("a secret that is none", true, "first-secret", "first-token")
	check.Must(t, os.Remove(filepath.Join(dir, "token")))
	reread("a file that is gone", true, "first-secret", "first-token")
	write("token", "other-token")
	reread("both are there", false, "other-secret", "other-token")
	got := a.ConsoleSecret().Reveal()
	check.ErrorIf(t, got != "first-console", "the console's secret is %q", got)
	write("console", "other-console")
	if changed, err := a.Reread(t.Context()); err != nil || changed != 1 || a.ConsoleSecret().Reveal() != "other-console" {
		t.Errorf("%d secrets changed, %v, and the console's is %q", changed, err, a.ConsoleSecret().Reveal())
	}
	check.ErrorIf(t, a.options.Scrub.Scrub("other-console") == "other-console", "the scrubber does not know the console's secret")
}
