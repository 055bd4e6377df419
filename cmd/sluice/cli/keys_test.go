package cli

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
	if o := s.run("check"); o.code != codeUsage || !strings.Contains(o.stdout+o.stderr, "both set") {
		t.Errorf("a key and a file: exit code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	delete(s.environment, "SLUICE_ENCRYPTION_KEY")
	check("both keys, from a file", 1)
	if !bytes.Equal(sealed(), before) {
		t.Error("the token was sealed anew without a refresh")
	}
	s.exec("UPDATE sluice.tokens SET expires_at = now() - interval '1 hour', attempted_at = now() - interval '1 hour'")
	check("after the token died", 2)
	keys(fresh)
	check("the new key alone", 2)
	keys(old)
	if o := s.run("check"); o.code != codeFailed || !strings.Contains(o.stdout+o.stderr, "another key") {
		t.Errorf("the old key alone: exit code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
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
		if o.code != codeFine || !strings.Contains(o.stdout, step.says) || strings.Contains(o.stdout, step.lacks) {
			t.Errorf("%s: exit code %d, want %q\n%s%s", step.args, o.code, step.says, o.stdout, o.stderr)
		}
		said += o.stdout + o.stderr
	}
	for _, secret := range []string{fresh, testKey, "thirty-two", sandbox.RefreshToken, sandbox.ClientSecret} {
		if strings.Contains(said, secret) {
			t.Errorf("%q is printed:\n%s", secret, said)
		}
	}
	s.environment["SLUICE_ENCRYPTION_KEY"] = fresh + "," + testKey
	var shown keysView
	must(t, json.Unmarshal([]byte(s.run("keys", "--json").stdout), &shown))
	if len(shown.Keys) != 2 || !shown.Keys[0].Seals || shown.Keys[0].AccessTokens != 1 || shown.Keys[1].Seals || shown.Old() != 0 {
		t.Errorf("keys --json: %+v", shown)
	}
	delete(s.environment, "SLUICE_ENCRYPTION_KEY")
	s.prints(codeUsage, "", "keys")
}
