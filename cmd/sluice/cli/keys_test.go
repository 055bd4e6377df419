package cli

import (
	"bytes"
	"encoding/base64"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sluice/pipeline/engine"
	"sluice/pipeline/engine/config"
	"sluice/pipeline/notifications"
	"sluice/pipeline/upstream/wire"
	"sluice/sandbox"
)

// TestTheSealingKeyIsReplaced follows docs/securing.md: it puts the new key before the old one in
// the file, refreshes, and removes the old key. No step costs a token but the refresh that was due.
func TestTheSealingKeyIsReplaced(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 71, Records: 20})
	old, path := s.environment["SLUICE_ENCRYPTION_KEY"], filepath.Join(t.TempDir(), "keys")
	fresh := base64.StdEncoding.EncodeToString([]byte("another key of thirty-two bytes!"))
	keys := func(lines ...string) {
		t.Helper()
		must(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600))
	}
	sealed := func() []byte { return one[[]byte](s, "SELECT sealed FROM sluice.tokens") }
	check := func(what string, requests int) {
		t.Helper()
		o := s.run("check")
		if got := s.world.Stats().TokenRequests; o.code != codeFine || got != requests {
			t.Fatalf("%s: exit code %d, %d requests for tokens, want %d\n%s%s", what, o.code, got, requests, o.stdout, o.stderr)
		}
	}
	check("the old key, from the variable", 1)
	before := sealed()

	s.environment["SLUICE_ENCRYPTION_KEY_FILE"] = path
	keys(fresh, old)
	s.run("check").says(t, codeUsage, "both set")
	delete(s.environment, "SLUICE_ENCRYPTION_KEY")
	check("both keys, from a file", 1)
	errorIf(t, !bytes.Equal(sealed(), before), "the token was sealed anew without a refresh")
	s.exec("UPDATE sluice.tokens SET expires_at = now() - interval '1 hour', attempted_at = now() - interval '1 hour'")
	check("after the token died", 2)
	keys(fresh)
	check("the new key alone", 2)
	keys(old)
	s.run("check").says(t, codeFailed, "another key")
}

// TestKeys: keys says which key sealed how many tokens, and what a rotation leaves to do. It prints
// no secret.
func TestKeys(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 137, Records: 5}).narrow()
	s.runs(codeFine, "check") // fetches a token
	fresh := base64.StdEncoding.EncodeToString([]byte("another key of thirty-two bytes!"))
	said := ""
	for _, step := range []struct{ keys, args, says, lacks string }{
		{fresh + "," + testKey, "keys", "Older keys sealed 1 token: sluice keys rotate", "anew"},
		{fresh + "," + testKey, "keys rotate", "The tokens of 1 credential were sealed anew.", "Older keys"},
		{fresh + "," + testKey, "keys rotate", "can be removed", "anew"},
		{testKey, "keys rotate", "No key opens 1 access token and 0 refresh tokens", "anew"},
	} {
		s.environment["SLUICE_ENCRYPTION_KEY"] = step.keys
		o := s.run(strings.Fields(step.args)...)
		errorIf(t, o.code != codeFine || !strings.Contains(o.stdout, step.says) || strings.Contains(o.stdout, step.lacks),
			"%s: exit code %d, want %q\n%s%s", step.args, o.code, step.says, o.stdout, o.stderr)
		said += o.stdout + o.stderr
	}
	for _, secret := range []string{fresh, testKey, "thirty-two", sandbox.RefreshToken, sandbox.ClientSecret} {
		errorIf(t, strings.Contains(said, secret), "%q is printed:\n%s", secret, said)
	}
	s.environment["SLUICE_ENCRYPTION_KEY"] = fresh + "," + testKey
	shown := decoded[keysView](s, codeFine, "keys")
	errorIf(t, len(shown.Keys) != 2 || !shown.Keys[0].Seals || shown.Keys[0].AccessTokens != 1 || shown.Keys[1].Seals || shown.Old() != 0,
		"keys --json: %+v", shown)
	delete(s.environment, "SLUICE_ENCRYPTION_KEY")
	s.prints(codeUsage, "", "keys")
}

// TestWithoutSecrets removes the vendor's secrets from the environment: commands without a call
// work, the others name what is missing.
func TestWithoutSecrets(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 82, Records: 10}).narrow()
	s.sync(codeFine)
	account := one[string](s, `SELECT min(account_id) FROM accounting.chart_of_accounts`)
	calls := s.calls()
	secrets := []string{"SANDBOX_CLIENT_SECRET", "SANDBOX_REFRESH_TOKEN", "SLUICE_ENCRYPTION_KEY"}
	for _, name := range secrets {
		delete(s.environment, name)
	}
	for _, command := range []string{
		"status", "status --why", "runs", "budget", "plan", "drift", "resources", "organizations", "read", "migrate",
		"explain accounting.chart_of_accounts " + account, "quarantine list", "tombstones", "rebuild", "verify --local", "verify --calls 0",
		"verify list", "backfill accounting.vendor_payments --dry-run",
		"backfill accounting.vendor_payments --detach", "backfill list", "notifications", "notifications inbox",
	} {
		s.prints(codeFine, "", strings.Fields(command)...)
	}
	for _, command := range []string{
		"sync", "serve --listen 127.0.0.1:0", "verify", "backfill resume", "organizations retry sandbox", "organizations accept sandbox",
		"read accounting.base_currency_adjustment_accounts", "check",
	} {
		needed := secrets[:2]
		if command == "check" { // the key is requested once the configuration is valid; check checks both
			needed = secrets
		}
		s.run(strings.Fields(command)...).says(t, codeUsage, needed...)
	}
	same(t, "calls", calls, s.calls())
}

// otherHook is the secret of notifications after a change.
const otherHook = "anotherHookSecret9"

// hookWith posts the webhook of a rule, signed with a secret.
func (s *fixture) hook(secret, address, body string) int {
	s.t.Helper()
	request := sure(http.NewRequestWithContext(s.t.Context(), http.MethodPost, address, strings.NewReader(body)))(s.t)
	request.Header.Set("X-Svc-Webhook-Signature", notifications.Signature(wire.NewSecret(secret), []byte(body)))
	answer, err := (&http.Client{}).Do(request)
	must(s.t, err)
	must(s.t, answer.Body.Close())
	return answer.StatusCode
}

// replace writes a file with a secret as operators do: a new file takes the name.
func replace(t *testing.T, path, text string) {
	t.Helper()
	must(t, os.WriteFile(path+".new", []byte(text+"\n"), 0o600))
	must(t, os.Rename(path+".new", path))
}

// TestAReceiverFollowsAFile: a receiver takes a new secret from its file without a signal.
func TestAReceiverFollowsAFile(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 133, Records: 5}).narrow()
	s.notified("http://127.0.0.1:1")
	other := s.receiver()
	hook := filepath.Join(t.TempDir(), "hook")
	replace(t, hook, hookSecret)
	other.environment["HOOK_FILE"] = hook
	text := sure(os.ReadFile(s.config))(t)
	must(t, os.WriteFile(s.config, []byte(strings.Replace(string(text), "${HOOK_SECRET}", "file:${HOOK_FILE}", 1)), 0o600))
	var stderr buffer
	env := other.env(&buffer{}, &stderr)
	env.Minute = 50 * time.Millisecond
	options := (&cli{env: env, config: s.config}).options()
	options.Purpose, options.Quiet = config.ForReceiver, false
	a := sure(engine.Load(options))(t)
	must(t, a.OpenDatabase(t.Context()))
	receiver := sure(a.OpenReceiver(t.Context(), func(notifications.Observation) {}))(t)
	defer receiver.Close()
	server := http.Server{Handler: receiver}
	listener := sure((&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0"))(t)
	go func() { _ = server.Serve(listener) }() // it ends with Close
	defer func() { must(t, server.Close()) }()
	unfollow := followSecrets(t.Context(), a, make(chan os.Signal))
	defer unfollow()

	rule := "http://" + listener.Addr().String() + "/rule/" + businessKey + "/inventory.items"
	was := s.hook(hookSecret, rule, `{"item_id":"1"}`)
	fatalIf(t, was != http.StatusOK, "the first secret gets %d", was)
	replace(t, hook, otherHook)
	s.waitUntil("the new secret is taken", func() bool { return s.hook(otherHook, rule, `{"item_id":"2"}`) == http.StatusOK })
	same(t, "the old secret gets the status", http.StatusUnauthorized, s.hook(hookSecret, rule, `{"item_id":"3"}`))
	errorIf(t, !strings.Contains(stderr.String(), "a file changed"), "the log says %q", stderr.String())
}
