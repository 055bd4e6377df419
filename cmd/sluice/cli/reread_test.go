package cli

import (
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

// otherHook is the secret of notifications after a change.
const otherHook = "anotherHookSecret9"

// hookWith posts the webhook of a rule, signed with a secret.
func (s *fixture) hook(secret, address, body string) int {
	s.t.Helper()
	request := sure(http.NewRequestWithContext(s.t.Context(), http.MethodPost, address, strings.NewReader(body)))(s.t)
	request.Header.Set("X-Svc-Webhook-Signature", notifications.Signature(wire.NewSecret(secret), []byte(body)))
	answer := sure((&http.Client{}).Do(request))(s.t)
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
	if was := s.hook(hookSecret, rule, `{"item_id":"1"}`); was != http.StatusOK {
		t.Fatalf("the first secret gets %d", was)
	}
	replace(t, hook, otherHook)
	s.waitUntil("the new secret is taken", func() bool { return s.hook(otherHook, rule, `{"item_id":"2"}`) == http.StatusOK })
	if was := s.hook(hookSecret, rule, `{"item_id":"3"}`); was != http.StatusUnauthorized {
		t.Errorf("the old secret gets %d", was)
	}
	if !strings.Contains(stderr.String(), "a file changed") {
		t.Errorf("the log says %q", stderr.String())
	}
}
