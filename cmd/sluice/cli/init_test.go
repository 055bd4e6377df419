package cli

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sluice"
	"sluice/cmd/sluice-sandbox/server"
	"sluice/connectors"
	"sluice/pipeline/engine/config"
	"sluice/sandbox"
)

// loaded reads a configuration whose secrets are missing.
func loaded(t *testing.T, path string, env map[string]string) *config.Config {
	t.Helper()
	read := sure(config.Load(path, func(name string) (string, bool) {
		value, ok := env[name]
		return value, ok
	}, os.ReadFile, connectors.All(), config.ForOffline))(t)
	return read
}

// initOf runs init without a terminal. All that it says is on standard output.
func initOf(t *testing.T, path string, args ...string) outcome {
	t.Helper()
	var out buffer
	code := Main(t.Context(), append([]string{"--config", path, "init"}, args...), Env{
		Stdin: strings.NewReader("y\n"), Stdout: &out, Stderr: &out, LookupEnv: func(string) (string, bool) { return "", false },
		ReadFile: os.ReadFile, Now: time.Now,
	})
	return outcome{args: args, code: code, stdout: out.String()}
}

// answers are flags that make a configuration.
func answers() []string {
	return []string{
		"--name", `Ünï "1" & Co: #2`, "--id", "77", "--services", "inventory=free,invoicing=free", "--api-url", "https://api.example.com",
		"--auth-url", "https://auth.example.com", "--client-id", "1000.A: b",
	}
}

// TestInitByFlags: without a terminal flags give the answers, and their mistakes are reported
// together. A file that is there stays, unless --force is given.
func TestInitByFlags(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config.yaml")
	initOf(t, path).
		prints(t, codeUsage, "--name is missing", "--id is missing", "--api-url is missing", "--auth-url is missing", "--client-id is missing")
	wrong := []string{"--id", "x", "--services", "books=free", "--database", "mysql://h/d", "--vendor", "a b", "--data-center", "mars"}
	initOf(t, path, append(answers(), wrong...)...).prints(t, codeUsage,
		"--id wants", "--services there is no such service", "--database is not the address", "--vendor wants", "--data-center there is")
	_, err := os.Stat(path)
	fatalIf(t, !os.IsNotExist(err), "a file was written: %v", err)
	initOf(t, path, answers()...).prints(t, codeFine, "")
	environment := map[string]string{"SLUICE_DATABASE_URL": "postgres://h/d"}
	made := loaded(t, path, environment)
	o := made.Organizations[0]
	if o.Name != `Ünï "1" & Co: #2` || o.ID != "77" || o.DataCenter != "com" || len(o.Services) != 2 || o.Credentials.ClientID != "1000.A: b" ||
		o.Credentials.RefreshTokenFrom != "${N_1_CO_2_REFRESH_TOKEN}" || made.Database.URL.Reveal() != "postgres://h/d" || made.Vendor.ChatURL != "" {
		t.Errorf("%+v", o)
	}
	initOf(t, path, answers()...).prints(t, codeUsage, "--force replaces it")
	forced := initOf(t, path, append(answers(), "--force", "--id", "78", "--json")...)
	var shown initView
	must(t, json.Unmarshal([]byte(forced.stdout), &shown))
	id := loaded(t, path, environment).Organizations[0].ID
	errorIf(t, forced.code != codeFine || id != "78" || shown.Config != path || len(shown.Next) != 4,
		"--force: exit code %d\n%s", forced.code, forced.stdout)
	initOf(t, path, "--force", "--from-sandbox", "--id", "78").prints(t, codeUsage, "--from-sandbox answers --id itself")
	initOf(t, path, "--force", "--from-sandbox=http://sandbox.example").prints(t, codeUsage, "sends tokens in clear")
}

// TestInitKeepsTheExample: the comments of the example are in what init writes, and its answers are
// the only difference.
func TestInitKeepsTheExample(t *testing.T) {
	t.Parallel()
	a := probable()
	a.Name, a.ID, a.Services, a.Database = "acme", "10234695", "accounting=standard,inventory=standard,chat=free", "${SLUICE_DATABASE_URL}"
	a.APIURL, a.AuthURL, a.Chat = "https://www.svcapis.example.com", "https://accounts.svc.example.com", "https://chat.svc.example.com"
	a.ClientID = "1000.PLACEHOLDER"
	text := sure(a.render())(t)
	_, mine, _ := strings.Cut(text, "\n#\n")
	_, example, _ := strings.Cut(sluice.ExampleConfig, "\n#\n")
	errorIf(t, mine != example || mine == "", "the answers of the example do not make the example")
	// Every service has its line, whichever is chosen.
	a.Services = "billing=paid,chat=free,accounting=free,inventory=free,invoicing=free"
	text = sure(a.render())(t)
	path := filepath.Join(t.TempDir(), "config.yaml")
	must(t, os.WriteFile(path, []byte(text), 0o600))
	services := loaded(t, path, map[string]string{"SLUICE_DATABASE_URL": "postgres://h/d"}).Organizations[0].Services
	errorIf(t, len(services) != 5 || services["invoicing"].Plan != "free" || services["billing"].Plan != "paid", "%+v", services)
}

// TestInitFromSandbox: the configuration of a try fits the sandbox that runs, and its secrets open
// it.
func TestInitFromSandbox(t *testing.T) {
	t.Parallel()
	running := sure(server.Start(t.Context(), "127.0.0.1:0", sandbox.Options{Records: 20, Plan: "elite", Vendor: "Acme", Now: time.Now}))(t)
	t.Cleanup(func() { must(t, running.Stop(context.WithoutCancel(t.Context()))) })
	path := filepath.Join(t.TempDir(), "config.yaml")
	folder := filepath.Join(filepath.Dir(path), "sluice-try")
	initOf(t, path, "--from-sandbox="+running.URL).prints(t, codeFine,
		"run sluice-sandbox postgres --dir "+folder, "export SLUICE_ENCRYPTION_KEY_FILE="+filepath.Join(folder, "sealing_key"))
	must(t, os.WriteFile(filepath.Join(folder, "database_url"), []byte("postgres://h/d\n"), 0o600))
	read := sure(config.Load(path, func(string) (string, bool) { return "", false }, os.ReadFile, connectors.All(), config.ForAll))(t)
	o := read.Organizations[0]
	if o.Credentials.ClientSecret.Reveal() != sandbox.ClientSecret || o.Credentials.RefreshToken.Reveal() != sandbox.RefreshToken ||
		o.ID != running.Organization || o.Credentials.ClientID != running.ClientID || read.Vendor.AuthURL != running.URL || read.Vendor.Name != "Acme" ||
		read.Database.URL.Reveal() != "postgres://h/d" || len(o.Services) != 5 || o.Services["accounting"].Plan != "elite" || o.Services["inventory"].Plan != "enterprise" {
		t.Errorf("%+v", read)
	}
	key := sure(os.ReadFile(filepath.Join(folder, "sealing_key")))(t)
	initOf(t, path, "--from-sandbox="+running.URL, "--force").lacks(t, codeFine, strings.TrimSpace(string(key)))
	again := sure(os.ReadFile(filepath.Join(folder, "sealing_key")))(t)
	errorIf(t, string(again) != string(key), "the sealing key of the try was replaced")
	initOf(t, path, "--from-sandbox=http://127.0.0.1:1", "--force").prints(t, codeEnvironment, "sluice-sandbox serve")
}
