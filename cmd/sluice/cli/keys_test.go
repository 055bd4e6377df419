package cli

import (
	"bytes"
	"encoding/base64"
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
